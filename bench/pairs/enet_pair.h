// Two connected ENet hosts on 127.0.0.1 with their throttle off. A tern that is built without ENet
// has none, and make() returns null.
#pragma once
#include "bench/harness.h"

namespace bench {

struct EnetPair; // Opaque.

enum class EnetDelivery : uint8_t { unsequenced, reliable };

namespace enet_pair {

EnetPair *make(); // Null: built without ENet, or the connection failed.
void destroy(EnetPair *pair);
const char *version(); // Version of ENet; "" without it.

void queue(EnetPair &pair, std::span<const std::byte> message, EnetDelivery delivery);
void flush(EnetPair &pair); // Sends what is queued; the receiver does not receive yet.
// Both hosts receive, acknowledge, and send what is queued.
void tick(EnetPair &pair, Tally &tally);
uint64_t sent_bytes(const EnetPair &pair); // UDP payload, both directions.

}
}
