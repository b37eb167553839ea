// The encoding of calls and of the answers to them: typed messages from one peer's game to
// another's, coded by the same type table as objects. Knows no connections and no members.
// Format: docs/wire_format.md, "Calls".
#pragma once
#include "replication/update/charges.h"
#include "replication/world/stamp.h"
#include "replication/world/type_table.h"
#include "tern/limits.hpp"

namespace tern {

enum class CallKind : uint8_t {
    call,       // To a peer or to everyone. Answered by an outcome only if reliable and refused.
    request,    // To a peer, which must reply.
    owner_call, // To the owner of an object. Answered by an outcome, then by a reply if it
                // is_asked.
    host_call,  // To the host. Answered like owner_call.
    reply,      // The answer of the called game. Has arguments.
    outcome     // The answer of the called session. Has no arguments.
};

enum class Outcome : uint8_t {
    taken,      // The call was delivered to the game.
    moved,      // The called peer does not own the object in that tenure, or is not the host.
    dead,       // The object was destroyed.
    not_allowed // Refused by Type::callers or calls_per_second_max.
};

// The part of a message before the arguments. Members whose comment names a kind are zero in
// others.
struct CallHead {
    CallKind kind;
    Outcome outcome; // outcome
    bool is_asked;   // The caller expects a reply: request always; owner_call, host_call.
    TypeId type;     // outcome: the type of the call that it answers.
    CallId id;       // Links answers to calls. none: call, and the outcome of one.
    ObjectId object; // owner_call
    Stamp stamp;     // owner_call: the tenure of the owner that it is for.
    // Calls of a type with Callers::owner: the tenure in which the caller owns own_object().
    Stamp own_stamp;
};

inline constexpr size_t call_head_bytes_max = 32;
inline constexpr size_t call_bytes_max = call_head_bytes_max + value_bytes_max;

// The decoded arguments of the calls of one tick. When it is full, reliable calls wait in their
// stream, and unreliable ones are lost.
struct CallArena {
    std::span<std::byte> memory;
    size_t used_bytes;
};

// A message from a peer, read and checked, but not delivered yet.
struct ReceivedCall {
    std::span<const std::byte> message; // It includes what a star puts before the call.
    PeerId route;                       // A star puts it before the call; else none.
    CallHead head;
    alignas(16) std::byte arguments[struct_bytes_max]; // Undefined for an outcome.
};

enum class Delivery : uint8_t {
    taken,
    waits,   // A reliable call stays in its stream until the next tick; an unreliable one is lost.
    refused, // The caller may not make it.
    malformed
};

namespace calls {

bool has_arguments(CallKind kind);
// Normalises the arguments in place, then writes head and arguments. arguments is null for an
// outcome. The buffer must have room: call_bytes_max suffices. Returns the bytes written.
size_t write(const TypeTable &types, const CallHead &head, void *arguments,
             std::span<std::byte> buffer);
// The head of a message that write() has written, or that read() has accepted.
CallHead head(const TypeTable &types, std::span<const std::byte> message);
// Charges a well-formed message to its type and fields. bits: all that it costs, including what the
// caller has put around it.
void charge(const TypeTable &types, std::span<const std::byte> message, size_t bits,
            Charges &charges);
// Reads head and arguments. False: the message is malformed.
bool read(const TypeTable &types, std::span<const std::byte> message, ReceivedCall &call);
// Copies the arguments to where they stay until the next tick. Null: there is no room.
const void *keep(CallArena &arena, const TypeTable &types, const ReceivedCall &call);
// The object that the caller must own to call with these arguments, for a type with Callers::owner:
// the first field of kind object.
ObjectId own_object(const TypeTable &types, TypeId type, const void *arguments);

}
}
