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
Address bridged(PeerId via, PeerId to);
bool is_bridged(const Address &address);
PeerId via(const Address &bridged);
PeerId to(const Address &bridged);

}
