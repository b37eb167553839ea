// The sections of tern-bench. Each function measures one section and prints its table or tables. It
// returns false as measure() does.
#pragma once
#include "bench/harness.h"

namespace bench {

bool measure_datagrams(const Options &options); // One message per datagram.
bool measure_small(const Options &options);     // Many unreliable messages at once.
bool measure_reliable(const Options &options);
bool measure_bulk(const Options &options);
bool measure_latency(const Options &options); // In virtual time.
bool measure_host(const Options &options);    // A host of 64 clients.
bool measure_publish(const Options &options); // Objects, without a network.
bool measure_threads(const Options &options); // Time that threads save a host of many clients.
bool measure_wire(const Options &options);    // Objects, through sessions and sockets.
bool measure_idle(const Options &options);
bool measure_interest(const Options &options); // Choosing what each peer is sent.
bool measure_live(const Options &options);     // The scenes of measure_cubes(), through sessions.
bool measure_join(const Options &options);
bool measure_session(const Options &options); // Whole sessions, without a network.
bool measure_many(const Options &options);    // Many objects at once, and one by one.
bool measure_cubes(const Options &options);   // Bits that a scene of rigid bodies takes.
bool measure_lua(const Options &options);     // From Lua; does nothing in a build without it.

// --- The public surface: whole sessions between processes, bench/surface/ ---

bool measure_surface_messages(const Options &options);
bool measure_surface_idle(const Options &options);
bool measure_surface_objects(const Options &options);
bool measure_surface_interest(const Options &options);
bool measure_surface_motion(const Options &options);
bool measure_surface_delay(const Options &options);  // In virtual time.
bool measure_surface_events(const Options &options); // In virtual time.

}
