// The calls of this peer that are answered, from their making until their one answer.
#pragma once
#include "rpc/calls.h"

namespace tern {

inline constexpr uint32_t open_calls_max = 256;                     // Beyond, none can be made.
inline constexpr size_t open_call_memory_bytes = 64 * 1024;         // Their arguments. The same.
inline constexpr uint64_t call_answer_us = 30'000'000;              // Of one that asks no reply.
inline constexpr uint64_t call_unknown_us = call_unknown_ms * 1000; // For an object to be heard of.

enum class CallStep : uint8_t {
    waits, // For a path, a queue, an owner, a host; for those before it.
    sent,
    taken, // Heard; a reply is due.
    failed,
    over // Nothing is left to do.
};

struct OpenCall {
    CallHead head; // owner_call: stamp is of the last try.
    CallStep step;
    CallFailure failure;
    PeerId to;     // request, and reply to oneself.
    PeerId tried;  // sent, taken: whom it went to. waits: whose answer was moved; none: nobody's.
    uint64_t link; // sent, taken: which connection took it.
    uint64_t made_us, deadline_us;
    uint32_t first, size_bytes; // Its game struct, in OpenCalls::memory.
};

struct OpenCalls { // In the order of their making.
    OpenCall calls[open_calls_max];
    uint32_t count;
    std::byte *memory; // open_call_memory_bytes.
    uint32_t used_bytes;
    uint32_t last_id;
};

namespace open_calls {

// Null: there is no room. Pointers are good until remove_over().
OpenCall *add(OpenCalls &open, std::span<const std::byte> arguments);
CallId next_id(OpenCalls &open);
OpenCall *find(OpenCalls &open, CallId id); // Not a reply. Null: there is none.
const void *arguments(const OpenCalls &open, const OpenCall &call);
// Whether one that was made before this one is to be heard first, and may not be yet if this one
// goes to that peer, in that tenure.
bool goes_before(const OpenCalls &open, const OpenCall &call, PeerId peer, Stamp stamp);
void remove_over(OpenCalls &open);

}
}
