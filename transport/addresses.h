// IPv4 inside the 16 bytes of an Address; and addresses that stand for another member.
#pragma once
#include "tern/types.h"

namespace tern::address {

// The form ::ffff:a.b.c.d.
bool is_v4(const Address &address);
Address from_v4(std::span<const uint8_t, 4> ip, uint16_t port);
std::span<const uint8_t, 4> v4_bytes(const Address &address); // Of one that is_v4.

// "`to`, by way of the member `via`, which forwards": for use inside a session alone; no datagram
// leaves for one or comes from one. An address of the prefix 100::/64, which leads nowhere (RFC
// 6666).
Address bridged(PeerId via, PeerId to);
bool is_bridged(const Address &address);
PeerId via(const Address &bridged);
PeerId to(const Address &bridged);

}
