#include "transport/sockets/addresses.h"
#include "tern/io.hpp"
#include <array>
#include <cstdio>
#include <cstring>

namespace tern {

namespace {

// Parses from the front of `rest`. Errors are sticky: the first one stays.
struct Cursor {
    const char *rest;
    const char *error;
};

struct Number {
    uint32_t value; // Within the limit given to take_decimal(), unless there is an error.
    size_t digit_count;
    bool has_leading_zero;
};

}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int hex_value(char c)
{
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

static void fail(Cursor &cursor, const char *error)
{
    if (!cursor.error) cursor.error = error;
}

static bool take(Cursor &cursor, char c)
{
    if (*cursor.rest != c) return false;
    cursor.rest += 1;
    return true;
}

static Number take_decimal(Cursor &cursor, uint32_t limit, const char *error_above)
{
    Number number = {};
    number.has_leading_zero = cursor.rest[0] == '0' && is_digit(cursor.rest[1]);
    while (is_digit(*cursor.rest)) {
        number.value = number.value * 10 + static_cast<uint32_t>(*cursor.rest - '0');
        number.digit_count += 1;
        cursor.rest += 1;
        if (number.value > limit) {
            fail(cursor, error_above);
            return number;
        }
    }
    return number;
}

static void take_v4(Cursor &cursor, uint8_t *ip)
{
    for (int i = 0; i < 4 && !cursor.error; ++i) {
        if (i > 0 && !take(cursor, '.'))
            return fail(cursor, "the IPv4 address must be four numbers with dots between them");
        const Number number =
            take_decimal(cursor, 255, "a number of the IPv4 address is above 255");
        if (number.digit_count == 0) return fail(cursor, "a number of the IPv4 address is missing");
        if (number.has_leading_zero)
            return fail(cursor, "a number of the IPv4 address starts with 0");
        ip[i] = static_cast<uint8_t>(number.value);
    }
}

// Whether the next group is an IPv4 address: digits, then a dot.
static bool ends_in_v4(const char *text)
{
    while (is_digit(*text))
        text += 1;
    return *text == '.';
}

static void take_group(Cursor &cursor, uint8_t *ip)
{
    unsigned value = 0;
    int digit_count = 0;
    for (; hex_value(*cursor.rest) >= 0; cursor.rest += 1, digit_count += 1) {
        if (digit_count == 4)
            return fail(cursor, "a group of the IPv6 address has more than four digits");
        value = value << 4 | static_cast<unsigned>(hex_value(*cursor.rest));
    }
    if (digit_count == 0)
        return fail(cursor, "a group of the IPv6 address is missing or not hexadecimal");
    ip[0] = static_cast<uint8_t>(value >> 8);
    ip[1] = static_cast<uint8_t>(value);
}

// Reads groups up to the closing bracket, then moves those behind "::" to the end.
static void take_v6(Cursor &cursor, uint8_t *ip)
{
    size_t used = 0, gap = SIZE_MAX;
    if (cursor.rest[0] == ':' && cursor.rest[1] != ':')
        return fail(cursor, "the IPv6 address starts with a single colon");
    while (!cursor.error && *cursor.rest != ']' && *cursor.rest != '\0') {
        if (*cursor.rest == '%')
            return fail(cursor, "an IPv6 address with a zone (%) is not supported");
        if (cursor.rest[0] == ':' && cursor.rest[1] == ':') {
            if (gap != SIZE_MAX) return fail(cursor, "the IPv6 address has :: twice");
            gap = used;
            cursor.rest += 2;
            continue;
        }
        if (used > 0 && gap != used && !take(cursor, ':'))
            return fail(cursor, "the IPv6 address must be hexadecimal groups with colons between");
        const bool v4 = ends_in_v4(cursor.rest);
        if (used + (v4 ? 4 : 2) > 16)
            return fail(cursor, "the IPv6 address has more than eight groups");
        if (v4)
            take_v4(cursor, ip + used);
        else
            take_group(cursor, ip + used);
        used += v4 ? 4 : 2;
        if (v4 && *cursor.rest != ']')
            return fail(cursor, "an IPv4 part must be the end of the IPv6 address");
    }
    if (gap == SIZE_MAX && used < 16)
        return fail(cursor, "the IPv6 address has fewer than eight groups and no ::");
    if (gap != SIZE_MAX && used == 16)
        return fail(cursor, "the IPv6 address has :: beside eight groups");
    if (gap != SIZE_MAX) {
        std::memmove(ip + 16 - (used - gap), ip + gap, used - gap);
        std::memset(ip + gap, 0, 16 - used);
    }
}

static uint16_t take_port(Cursor &cursor)
{
    if (!take(cursor, ':')) {
        fail(cursor, *cursor.rest ? "unexpected text after the address: expected a colon and a port"
                                  : "the port is missing: expected a colon and a port at the end");
        return 0;
    }
    const Number number = take_decimal(cursor, 65'535, "the port is above 65535");
    if (*cursor.rest != '\0')
        fail(cursor, "the port is not a number");
    else if (number.digit_count == 0)
        fail(cursor, "the port is empty");
    else if (number.value == 0)
        fail(cursor, "the port is 0: expected 1 to 65535");
    return static_cast<uint16_t>(number.value);
}

// Why a text without a bracket cannot be an IPv4 address and a port; null if it may be one.
static const char *wrong_kind(const char *text)
{
    if (*text == '\0') return "the address is empty: expected 1.2.3.4:7777 or [::1]:7777";
    const char *colon = std::strchr(text, ':');
    if (colon && std::strchr(colon + 1, ':'))
        return "an IPv6 address must be in brackets, as in [::1]:7777";
    for (const char *c = text; *c != '\0' && c != colon; ++c) {
        if (!is_digit(*c) && *c != '.')
            return "not an IPv4 address: expected 1.2.3.4:7777 (names are not looked up)";
    }
    return nullptr;
}

ParsedAddress parse_address(const char *text)
{
    if (!text) return {{}, "it is a null pointer"};
    Cursor cursor = {text, nullptr};
    Address address = {};
    if (take(cursor, '[')) {
        take_v6(cursor, address.ip);
        if (!cursor.error && !take(cursor, ']'))
            fail(cursor, "the closing bracket of the IPv6 address is missing");
    } else {
        if (const char *error = wrong_kind(text)) return {{}, error};
        uint8_t ip[4] = {};
        take_v4(cursor, ip);
        address = address::from_v4(ip, 0);
    }
    if (!cursor.error) address.port = take_port(cursor);
    if (cursor.error) return {{}, cursor.error};
    return {address, nullptr};
}

namespace {

struct ZeroRun {
    unsigned first, count; // Groups of two bytes.
};

}

// The first of the longest runs of at least two zero groups (RFC 5952, 4.2).
static ZeroRun longest_zeros(const Address &address)
{
    ZeroRun longest = {8, 0}, run = {0, 0};
    for (unsigned i = 0; i < 8; ++i) {
        const bool zero = address.ip[2 * i] == 0 && address.ip[2 * i + 1] == 0;
        run = zero ? ZeroRun{run.first, run.count + 1} : ZeroRun{i + 1, 0};
        if (run.count >= 2 && run.count > longest.count) longest = run;
    }
    return longest;
}

AddressText to_text(const Address &address)
{
    AddressText out = {};
    const uint8_t *ip = address.ip;
    if (address::is_v4(address)) {
        std::snprintf(out.text, sizeof out.text, "%u.%u.%u.%u:%u", ip[12], ip[13], ip[14], ip[15],
                      address.port);
        return out;
    }
    const ZeroRun zeros = longest_zeros(address);
    size_t used = 0;
    out.text[used++] = '[';
    for (unsigned i = 0; i < 8; ++i) {
        if (i == zeros.first) {
            out.text[used++] = ':';
            if (zeros.first + zeros.count == 8) out.text[used++] = ':';
            i += zeros.count - 1;
            continue;
        }
        used +=
            static_cast<size_t>(std::snprintf(out.text + used, sizeof out.text - used, "%s%x",
                                              i > 0 ? ":" : "", ip[2 * i] << 8 | ip[2 * i + 1]));
    }
    std::snprintf(out.text + used, sizeof out.text - used, "]:%u", address.port);
    return out;
}

Address loopback(uint16_t port, IpVersion version)
{
    if (version == IpVersion::v4)
        return address::from_v4(std::to_array<uint8_t>({127, 0, 0, 1}), port);
    Address address = {};
    address.ip[15] = 1;
    address.port = port;
    return address;
}

}
