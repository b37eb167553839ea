// Reads arbitrary answers of a gateway, as libnatpmp and miniupnpc hand them out. An answer without
// an error gives an address and a port at which others can reach this machine.
#include "fuzz/support/input.h"
#include "fuzz/targets.h"

#ifndef TERN_HAVE_MAP

void tern::fuzz::fuzz_gateways(std::span<const uint8_t>) {}

#else

#include "map/answers.h"
#include "tern/io.hpp"
#include "tern/tern.hpp"
#include <string>

namespace tern::fuzz {

namespace {

using namespace port_map;

void check_ip(const Mapping &mapping)
{
    const ParsedAddress parsed = parse_address((mapping.ip + ":1").c_str());
    TERN_ASSERT(!parsed.error, "%s: %s", mapping.ip.c_str(), parsed.error);
    // Either result is right; the sanitizers watch the call.
    is_private(mapping.ip);
}

void check_untouched(const Mapping &mapping)
{
    TERN_ASSERT(mapping.ip.empty() && mapping.port == 0 && mapping.lifetime_s == 0,
                "an error and the mapping %s:%u", mapping.ip.c_str(), mapping.port);
}

void try_natpmp(Input &in)
{
    const Wish wish = {input::u16(in), input::u16(in), input::u32(in), "", ""};
    natpmpresp_t response = {};
    const std::span<const std::byte> bytes = std::as_bytes(input::bytes(in, sizeof response));
    std::copy(bytes.begin(), bytes.end(), std::as_writable_bytes(std::span(&response, 1)).begin());
    response.type %= 4;
    Mapping mapping = {};
    if (natpmp::read_address(response, mapping) == 0)
        check_ip(mapping);
    else
        check_untouched(mapping);
    mapping = {};
    if (natpmp::read_mapping(response, wish, mapping) == 0)
        TERN_ASSERT(mapping.port != 0 && mapping.lifetime_s != 0, "port %u for %u s", mapping.port,
                    mapping.lifetime_s);
    else
        check_untouched(mapping);
}

void try_upnp(Input &in)
{
    const std::span<const uint8_t> bytes = input::bytes(in, 64);
    const std::string text(bytes.begin(), bytes.end());
    Mapping mapping = {};
    if (upnp::read_address(text.c_str(), mapping).empty())
        check_ip(mapping);
    else
        check_untouched(mapping);
    is_private(text);
}

}

void fuzz_gateways(std::span<const uint8_t> data)
{
    Input in = {data};
    if (input::u8(in) % 2 == 0)
        try_natpmp(in);
    else
        try_upnp(in);
}

}

#endif
