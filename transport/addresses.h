// IPv4 inside the 16 bytes of an Address. All inline: the core, which has no sockets, needs it too.
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

}
