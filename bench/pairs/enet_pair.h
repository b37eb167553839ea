// Two ENet hosts on 127.0.0.1, connected, with their throttle off; or nothing, where tern is built
// without ENet.
#pragma once
#include "bench/harness.h"

namespace bench {

struct EnetPair; // Opaque.

enum class EnetDelivery : uint8_t { unsequenced, reliable };

namespace enet_pair {

EnetPair *make(); // Null: built without ENet, or it could not connect.
void destroy(EnetPair *pair);
const char *version(); // Of the library; "" without.

void queue(EnetPair &pair, std::span<const std::byte> message, EnetDelivery delivery);
void flush(EnetPair &pair);                // One send; the receiver does not look yet.
void tick(EnetPair &pair, Tally &tally);   // Both sides receive, answer, and send what waits.
uint64_t sent_bytes(const EnetPair &pair); // UDP payload, both ways.

}
}
