// IPv4 within the 16 bytes of an Address, and addresses that stand for a relayed member. All
// inline, because the core uses this header and does not link the socket libraries.
#pragma once
#include "tern/types.hpp"
#include <cstring>

namespace tern::address {

inline constexpr uint8_t v4_prefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

// Whether the address has the form ::ffff:a.b.c.d.
inline bool is_v4(const Address &address)
{
    return std::memcmp(address.ip, v4_prefix, sizeof v4_prefix) == 0;
}

inline Address from_v4(std::span<const uint8_t, 4> ip, uint16_t port)
{
    Address address = {};
    std::memcpy(address.ip, v4_prefix, sizeof v4_prefix);
    std::memcpy(address.ip + sizeof v4_prefix, ip.data(), ip.size());
    address.port = port;
    return address;
}

// Only for an address with is_v4().
inline std::span<const uint8_t, 4> v4_bytes(const Address &address)
{
    return std::span<const uint8_t, 4>(address.ip + sizeof v4_prefix, 4);
}

// Whether the IP is 0.0.0.0 or ::, at which nobody can be reached.
inline bool is_unspecified(const Address &address)
{
    constexpr uint8_t zero[sizeof address.ip] = {};
    const size_t first = is_v4(address) ? sizeof v4_prefix : 0;
    return std::memcmp(address.ip + first, zero, sizeof zero - first) == 0;
}

// A bridged address stands for the member `to`, whose datagrams the member `via` relays. Only for
// use inside a session: no real datagram has such an address. It lies in the discard-only prefix
// 100::/64 (RFC 6666), so the network would drop one that leaks.
inline constexpr uint8_t bridged_prefix[14] = {1, 0, 0, 0, 0, 0, 0, 0, 't', 'e', 'r', 'n'};

inline Address bridged(PeerId via, PeerId to)
{
    Address address = {};
    std::memcpy(address.ip, bridged_prefix, sizeof bridged_prefix);
    address.ip[14] = static_cast<uint8_t>(static_cast<uint16_t>(via) >> 8);
    address.ip[15] = static_cast<uint8_t>(via);
    address.port = static_cast<uint16_t>(to);
    return address;
}

inline bool is_bridged(const Address &address)
{
    return std::memcmp(address.ip, bridged_prefix, sizeof bridged_prefix) == 0;
}

inline PeerId via(const Address &bridged)
{
    return static_cast<PeerId>(bridged.ip[14] << 8 | bridged.ip[15]);
}

inline PeerId to(const Address &bridged)
{
    return static_cast<PeerId>(bridged.port);
}

}
