// Answers of gateways, good and bad.
#ifdef TERN_HAVE_MAP

#include "map/answers.h"
#include <arpa/inet.h>
#include <gtest/gtest.h>

using namespace port_map;

static natpmpresp_t mapped(uint16_t port, uint32_t lifetime_s)
{
    natpmpresp_t response = {};
    response.type = NATPMP_RESPTYPE_UDPPORTMAPPING;
    response.pnu.newportmapping = {7777, port, lifetime_s};
    return response;
}

TEST(MapAnswers, AMappingHasAPortAndALifetime)
{
    const Wish wish = {7777, 8888, 3600, "", ""};
    Mapping mapping = {};
    EXPECT_EQ(natpmp::read_mapping(mapped(9999, 600), wish, mapping), 0);
    EXPECT_EQ(mapping.port, 9999);
    EXPECT_EQ(mapping.lifetime_s, 600u);
    EXPECT_NE(natpmp::read_mapping(mapped(0, 600), wish, mapping), 0);
    EXPECT_NE(natpmp::read_mapping(mapped(9999, 0), wish, mapping), 0);
    const Wish other = {7778, 8888, 3600, "", ""};
    EXPECT_NE(natpmp::read_mapping(mapped(9999, 600), other, mapping), 0);
}

TEST(MapAnswers, AnAddressByNatPmpIsOneAtWhichOthersReachIt)
{
    natpmpresp_t response = {};
    response.type = NATPMP_RESPTYPE_PUBLICADDRESS;
    Mapping mapping = {};
    EXPECT_NE(natpmp::read_address(response, mapping), 0);
    response.pnu.publicaddress.addr.s_addr = inet_addr("203.0.113.7");
    EXPECT_EQ(natpmp::read_address(response, mapping), 0);
    EXPECT_EQ(mapping.ip, "203.0.113.7");
    EXPECT_NE(natpmp::read_address(mapped(1, 1), mapping), 0);
}

// The text of UPnP is any bytes; those that are no UTF-8 would end the program with --json.
TEST(MapAnswers, AnAddressByUpnpIsAnAddressAndNoOtherText)
{
    Mapping mapping = {};
    EXPECT_EQ(upnp::read_address("203.0.113.8", mapping), "");
    EXPECT_EQ(mapping.ip, "203.0.113.8");
    for (const char *text : {"", "0.0.0.0", "\xff", "1.2.3", "203.0.113.8\n", "\x1b[2J", "::1"})
        EXPECT_NE(upnp::read_address(text, mapping), "") << text;
    EXPECT_EQ(mapping.ip, "203.0.113.8");
}

TEST(MapAnswers, PrivateAddressesAreKnown)
{
    for (const char *ip : {"10.0.0.1", "172.16.0.1", "172.31.9.9", "192.168.0.1", "100.64.0.1"})
        EXPECT_TRUE(is_private(ip)) << ip;
    for (const char *ip : {"203.0.113.7", "172.32.0.1", "100.128.0.1", "9.9.9.9", "", "x"})
        EXPECT_FALSE(is_private(ip)) << ip;
}

#endif
