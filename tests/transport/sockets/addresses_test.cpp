#include "tern/io.hpp"
#include "transport/sockets/addresses.h"
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <string>

using namespace tern;

static std::string error_of(const char *text)
{
    const ParsedAddress parsed = parse_address(text);
    EXPECT_TRUE(!parsed.error || parsed.address == Address{}) << text;
    return parsed.error ? parsed.error : "";
}

static std::string reprinted(const char *text)
{
    const ParsedAddress parsed = parse_address(text);
    return parsed.error ? parsed.error : to_text(parsed.address).text;
}

struct WrongAddress {
    const char *text, *part; // The part of its error's text
};

static void expect_errors(std::initializer_list<WrongAddress> cases)
{
    for (const WrongAddress &c : cases)
        EXPECT_NE(error_of(c.text).find(c.part), std::string::npos)
            << c.text << " gave: " << error_of(c.text);
}

TEST(Addresses, V4IsKeptAsAMappedV6Address)
{
    const ParsedAddress parsed = parse_address("1.2.3.4:7777");
    ASSERT_STREQ(parsed.error, nullptr);
    const Address expected = {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 1, 2, 3, 4}, 7777};
    EXPECT_EQ(parsed.address, expected);
    EXPECT_TRUE(address::is_v4(parsed.address));
    EXPECT_EQ(reprinted("[::ffff:1.2.3.4]:7777"), "1.2.3.4:7777");
    EXPECT_EQ(reprinted("[::ffff:102:304]:7777"), "1.2.3.4:7777");
}

TEST(Addresses, V6IsReadInAllItsForms)
{
    const ParsedAddress full = parse_address("[2001:DB8:0:0:8:800:200C:417A]:1");
    ASSERT_STREQ(full.error, nullptr);
    const Address expected = {
        {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 8, 8, 0, 0x20, 0x0c, 0x41, 0x7a}, 1};
    EXPECT_EQ(full.address, expected);
    EXPECT_EQ(parse_address("[2001:db8::8:800:200c:417a]:1").address, expected);
    EXPECT_EQ(parse_address("[::1]:9").address, loopback(9, IpVersion::v6));
    EXPECT_EQ(parse_address("[0:0:0:0:0:0:0:1]:9").address, loopback(9, IpVersion::v6));
    EXPECT_EQ(parse_address("[64:ff9b::192.0.2.33]:9").address,
              parse_address("[64:ff9b::c000:221]:9").address);
    EXPECT_STREQ(parse_address("[::]:9").error, nullptr);
    EXPECT_STREQ(parse_address("[1::]:9").error, nullptr);
}

// These are the examples of RFC 5952, sections 4 and 5.
TEST(Addresses, V6IsPrintedInItsOneShortForm)
{
    const struct {
        const char *text, *printed;
    } cases[] = {
        {"[2001:0db8::0001]:80", "[2001:db8::1]:80"},
        {"[2001:db8:0:0:0:0:2:1]:80", "[2001:db8::2:1]:80"},
        {"[2001:db8:0:1:1:1:1:1]:80", "[2001:db8:0:1:1:1:1:1]:80"},
        {"[2001:0:0:1:0:0:0:1]:80", "[2001:0:0:1::1]:80"},
        {"[2001:db8:0:0:1:0:0:1]:80", "[2001:db8::1:0:0:1]:80"},
        {"[0:0:0:0:0:0:0:0]:80", "[::]:80"},
        {"[1:2:3:4:5:6:0:0]:80", "[1:2:3:4:5:6::]:80"},
        {"[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]:65535",
         "[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]:65535"},
    };
    for (const auto &c : cases)
        EXPECT_EQ(reprinted(c.text), c.printed);
}

TEST(Addresses, LoopbackIsOfTheFamilyAskedFor)
{
    EXPECT_STREQ(to_text(loopback(7777)).text, "127.0.0.1:7777");
    EXPECT_STREQ(to_text(loopback(7777, IpVersion::v6)).text, "[::1]:7777");
}

TEST(Addresses, ErrorsOfV4NameThePart)
{
    expect_errors({
        {"", "empty"},
        {"1.2.3.4", "port is missing"},
        {"1.2.3.4:", "port is empty"},
        {"1.2.3.4:x", "port is not a number"},
        {"1.2.3.4:77 ", "port is not a number"},
        {"1.2.3.4:-1", "port is not a number"},
        {"1.2.3.4:0", "port is 0"},
        {"1.2.3.4:65536", "port is above 65535"},
        {"1.2.3.4:99999999999999999999", "port is above 65535"},
        {"256.2.3.4:1", "above 255"},
        {"1.2.3.4294967297:1", "above 255"},
        {"1.2.3:1", "four numbers"},
        {"1.2.3.4.5:1", "unexpected text"},
        {"1..3.4:1", "missing"},
        {"1.2.3.:1", "missing"},
        {"01.2.3.4:1", "starts with 0"},
        {"localhost:1", "names are not looked up"},
        {" 1.2.3.4:1", "names are not looked up"},
        {":1", "missing"},
    });
}

TEST(Addresses, ErrorsOfV6NameThePart)
{
    expect_errors({
        {"::1", "in brackets"},
        {"2001:db8::1:7777", "in brackets"},
        {"[::1", "closing bracket"},
        {"[::1:7777", "closing bracket"},
        {"[::1]", "port is missing"},
        {"[::1]7777", "unexpected text"},
        {"[::1]:", "port is empty"},
        {"[::1]:0", "port is 0"},
        {"[::1]:65536", "port is above 65535"},
        {"[]:1", "fewer than eight"},
        {"[1:2:3:4:5:6:7]:1", "fewer than eight"},
        {"[1:2:3:4:5:6:7:8:9]:1", "more than eight"},
        {"[1:2:3:4:5:6:7:1.2.3.4]:1", "more than eight"},
        {"[1:2:3:4::5:6:7:8]:1", "beside eight"},
        {"[1::2::3]:1", "twice"},
        {"[:::1]:1", "missing"},
        {"[:1::]:1", "single colon"},
        {"[1:2:3:4:5:6:7:]:1", "missing"},
        {"[12345::]:1", "four digits"},
        {"[g::]:1", "not hexadecimal"},
        {"[1::g]:1", "not hexadecimal"},
        {"[1-2::]:1", "colons between"},
        {"[fe80::1%eth0]:1", "zone"},
        {"[::1.2.3]:1", "four numbers"},
        {"[::1.2.3.256]:1", "above 255"},
        {"[::1.2.3.4:5]:1", "end of the IPv6"},
    });
}

TEST(Addresses, WhatIsPrintedIsReadAsTheSame)
{
    const bool holds = rc::check("parse(print(address)) == address", [] {
        Address address = {};
        const auto byte = rc::gen::weightedOneOf<uint8_t>(
            {{3, rc::gen::just<uint8_t>(0)}, {1, rc::gen::arbitrary<uint8_t>()}});
        for (uint8_t &b : address.ip)
            b = *byte;
        if (*rc::gen::arbitrary<bool>())
            address = address::from_v4(std::span<const uint8_t, 4>(address.ip, 4), 0);
        address.port = static_cast<uint16_t>(*rc::gen::inRange(1, 65'536));
        const ParsedAddress parsed = parse_address(to_text(address).text);
        RC_ASSERT(!parsed.error);
        RC_ASSERT(parsed.address == address);
    });
    EXPECT_TRUE(holds);
}

TEST(Addresses, AnyTextIsReadOrRefused)
{
    const bool holds = rc::check("no crash, and what is read prints", [] {
        const auto character = rc::gen::elementOf(std::string("[]:.%0123456789abfFx"));
        const std::string text = *rc::gen::container<std::string>(character);
        const ParsedAddress parsed = parse_address(text.c_str());
        if (!parsed.error)
            RC_ASSERT(parse_address(to_text(parsed.address).text).address == parsed.address);
    });
    EXPECT_TRUE(holds);
}

TEST(Addresses, ThoseOfThisMachineHaveThePort)
{
    Address found[64] = {};
    const size_t count = find_local_addresses(7777, found);
    ASSERT_GE(count, 1u); // That of loopback, if there is no network.
    ASSERT_LE(count, std::size(found));
    for (const Address &address : std::span(found, count)) {
        EXPECT_EQ(address.port, 7777);
        EXPECT_FALSE(parse_address(to_text(address).text).error);
    }
    EXPECT_EQ(find_local_addresses(7777, std::span(found, 1)), 1u);
    EXPECT_EQ(find_local_addresses(7777, {}), 0u);
}
