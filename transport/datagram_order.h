// Packets of one tick often overtake each other on the way, and what a packet builds on is mostly
// in the one before it. So what arrives together is processed in the order in which it was sent.
#pragma once
#include "tern/io.hpp"
#include <cstdint>
#include <span>

namespace tern::datagram_order {

inline constexpr size_t datagrams_max = 256;

// Sets order[i] to the index of the datagram to process at place i. Data datagrams with the same
// connection id trade places among themselves, so that their packet numbers ascend; all others stay
// where they are. The header is not authenticated yet: a forged one costs the others their order.
// Requires order.size() == datagrams.size(), at most datagrams_max.
void sort(std::span<const Datagram> datagrams, std::span<uint16_t> order);

}
