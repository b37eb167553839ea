// What tern-bench measures; each function measures one section and prints its table or tables.
// False: see measure().
#pragma once
#include "bench/harness.h"

namespace bench {

bool measure_datagrams(const Options &options); // One message in each.
bool measure_small(const Options &options);     // Many unreliable messages at once.
bool measure_reliable(const Options &options);
bool measure_bulk(const Options &options);
bool measure_latency(const Options &options); // In virtual time.
bool measure_host(const Options &options);    // Of 64 clients.
bool measure_publish(const Options &options); // Objects, without a network.
bool measure_threads(const Options &options); // What threads of a big host save it.
bool measure_wire(const Options &options);    // The same through sessions, on sockets.
bool measure_idle(const Options &options);
bool measure_interest(const Options &options); // Whom what is told.
bool measure_live(const Options &options);     // The same scene through sessions.
bool measure_join(const Options &options);
bool measure_session(const Options &options); // Whole sessions, without a network.
bool measure_cubes(const Options &options);   // Bits of a scene of rigid bodies.
bool measure_lua(const Options &options);     // From Lua; where it is built.

}
