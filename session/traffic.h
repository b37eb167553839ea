// The charging of the session's own bytes, and the sum of all that was charged.
#pragma once
#include "session/session_types.h"

namespace tern::session {

void charge_bytes(Session &s, TrafficKind kind, size_t bytes);
// The sum of all rows of traffic_rows(), to the bit what send() has returned since the beginning.
int64_t charged_bits(const Session &s);

}
