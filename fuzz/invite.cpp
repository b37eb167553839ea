// Parses invites and addresses. Those that can be parsed are printed and parsed again to the same
// value.
#include "fuzz/support/input.h"
#include "fuzz/targets.h"
#include "tern/invites.hpp"
#include "tern/io.hpp"
#include "tern/tern.hpp"
#include <cstring>
#include <sodium.h>

namespace tern::fuzz {

namespace {

bool equal(const Invite &a, const Invite &b)
{
    bool same = a.session == b.session && std::memcmp(a.key, b.key, 32) == 0 &&
                std::memcmp(a.secret, b.secret, 32) == 0 && a.address_count == b.address_count;
    for (size_t i = 0; same && i < a.address_count; ++i)
        same = a.addresses[i] == b.addresses[i];
    return same;
}

void try_invite(const char *text)
{
    const ParsedInvite parsed = parse_invite(text);
    if (parsed.error) return;
    const uint8_t count = parsed.invite.address_count;
    TERN_ASSERT(count >= 1 && count <= invite_addresses_max, "%u addresses", count);
    const InviteText printed = to_text(parsed.invite);
    TERN_ASSERT(std::strcmp(printed.text, text) == 0, "%s is printed as %s", text, printed.text);
    const ParsedInvite again = parse_invite(printed.text);
    TERN_ASSERT(!again.error && equal(parsed.invite, again.invite), "%s", text);
}

// Adds a correct checksum to an arbitrary record.
void try_record(std::span<const uint8_t> record)
{
    uint8_t bytes[512], hash[crypto_generichash_BYTES];
    const size_t size = std::min<size_t>(record.size(), 256);
    std::memcpy(bytes, record.data(), size);
    crypto_generichash(hash, sizeof hash, bytes, size, nullptr, 0);
    std::memcpy(bytes + size, hash, 4);
    char text[1024] = "tern1-";
    sodium_bin2base64(text + 6, sizeof text - 6, bytes, size + 4,
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    try_invite(text);
}

void try_address(const char *text)
{
    const ParsedAddress parsed = parse_address(text);
    if (parsed.error) return;
    TERN_ASSERT(parsed.address.port != 0, "%s has no port", text);
    const AddressText printed = to_text(parsed.address);
    const ParsedAddress again = parse_address(printed.text);
    TERN_ASSERT(!again.error && again.address == parsed.address, "%s is printed as %s", text,
                printed.text);
    const AddressText same = to_text(again.address);
    TERN_ASSERT(std::strcmp(same.text, printed.text) == 0, "%s, then %s", printed.text, same.text);
}

void print_any(Input in)
{
    Address address = {};
    const std::span<const uint8_t> ip = input::bytes(in, 16);
    std::copy(ip.begin(), ip.end(), address.ip);
    address.port = static_cast<uint16_t>(input::u16(in) | 1u);
    const AddressText text = to_text(address);
    const ParsedAddress parsed = parse_address(text.text);
    TERN_ASSERT(!parsed.error && parsed.address == address, "%s", text.text);
}

}

void fuzz_invite(std::span<const uint8_t> data)
{
    Input in = {data};
    const uint8_t what = input::u8(in);
    if (what % 4 == 0) return try_record(in.rest);
    if (what % 4 == 1) return print_any(in);
    char text[1024] = {};
    const std::span<const uint8_t> bytes = input::bytes(in, sizeof text - 1);
    std::copy(bytes.begin(), bytes.end(), text);
    if (what % 4 == 2)
        try_invite(text);
    else
        try_address(text);
}

}
