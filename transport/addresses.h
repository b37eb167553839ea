// IPv4 inside the 16 bytes of an Address.
#pragma once
#include "tern/types.h"

namespace tern::address {

// The form ::ffff:a.b.c.d.
bool is_v4(const Address &address);
Address from_v4(std::span<const uint8_t, 4> ip, uint16_t port);
std::span<const uint8_t, 4> v4_bytes(const Address &address); // Of one that is_v4.

}
