// IPv4 inside the 16 bytes of an Address, inline, as the core, which has no sockets, needs it too;
// and addresses that stand for another member.
#pragma once
#include "tern/types.h"
#include <cstring>

namespace tern::address {

inline constexpr uint8_t v4_prefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

// The form ::ffff:a.b.c.d.
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

inline std::span<const uint8_t, 4> v4_bytes(const Address &address) // Of one that is_v4.
{
    return std::span<const uint8_t, 4>(address.ip + sizeof v4_prefix, 4);
}

// "`to`, by way of the member `via`, which forwards": for use inside a session alone; no datagram
// leaves for one or comes from one. An address of the prefix 100::/64, which leads nowhere (RFC
// 6666).
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
