// Storage of this peer's calls that are answered, from when they are made until the game has got
// the one result of each.
#pragma once
#include "rpc/calls.h"
#include "tern/limits.hpp"

namespace tern {

// Open calls, and the bytes of their arguments. When either is full, no more can be made.
inline constexpr uint32_t open_calls_max = 256;
inline constexpr size_t open_call_memory_bytes = 64 * 1024;
inline constexpr uint64_t call_answer_us = 30'000'000; // Timeout of calls that expect no reply.
// How long a call to the owner of an unknown object waits for the object.
inline constexpr uint64_t call_unknown_us = call_unknown_ms * 1000;

enum class CallStep : uint8_t {
    waits,  // For a path, room in the queue, an owner or a host; or for calls that go before it.
    sent,   // No answer has come yet. A call to ourselves: it is due for delivery.
    taken,  // Delivered; a reply is due.
    failed, // The game must still get call_failed.
    over    // Finished; remove_over() removes it.
};

struct OpenCall {
    CallHead head; // owner_call: its stamp is that of the last try.
    CallStep step;
    CallFailure failure;
    PeerId to;    // request, host_call, and a reply to ourselves. none for owner_call.
    PeerId tried; // The peer of the last try. none: it was never tried. waits: it answered moved.
    uint64_t
        connection_epoch; // sent, taken: PeerLink::connection_epoch of the connection that took it.
    uint64_t made_us, deadline_us;
    uint32_t first, size_bytes; // The arguments' place in OpenCalls::memory.
};

struct OpenCalls {
    uint32_t count;
    std::byte *memory; // open_call_memory_bytes.
    uint32_t used_bytes;
    uint32_t last_id;
    OpenCall calls[open_calls_max]; // In the order in which they were made.
};

namespace open_calls {

// Null: there is no room. Pointers stay valid until remove_over().
OpenCall *add(OpenCalls &open, std::span<const std::byte> arguments);
CallId next_id(OpenCalls &open);
OpenCall *find(OpenCalls &open, CallId id); // Ignores replies to ourselves. Null: there is none.
const void *arguments(const OpenCalls &open, const OpenCall &call);
// Whether an earlier call with the same target must be delivered first, and might not be if this
// one were sent to `peer` in the tenure of `stamp` now.
bool goes_before(const OpenCalls &open, const OpenCall &call, PeerId peer, Stamp stamp);
void remove_over(OpenCalls &open);

}
}
