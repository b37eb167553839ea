// Calls: typed messages from one peer's game to another's, coded by the same table as objects, and
// the answers to them. Knows nothing of connections and members; session/ carries the bytes.
#pragma once
#include "replication/update/charges.h"
#include "replication/world/stamp.h"
#include "replication/world/type_table.h"

namespace tern {

enum class CallKind : uint8_t {
    call,       // To a peer or to everyone; never answered but by a refusal.
    request,    // To a peer, which is to reply.
    owner_call, // To the owner of an object. Its outcome is told.
    host_call,  // To the host. The same.
    reply,      // Arguments, too.
    outcome     // What has become of a call, without arguments.
};

enum class Outcome : uint8_t {
    taken,      // The game has heard it.
    moved,      // Who was asked owns the object no more, or is not the host.
    dead,       // The object is.
    not_allowed // The caller is none of Type::callers.
};

// What precedes the arguments.
struct CallHead {
    CallKind kind;
    Outcome outcome; // outcome
    bool is_asked;   // A reply is wanted: request always, owner_call and host_call if they say so.
    TypeId type;     // Also of an outcome: of the call.
    CallId id;       // None of a call; of an outcome none, if it answers one.
    ObjectId object; // owner_call
    Stamp stamp;     // owner_call: of the tenure that it is for.
    Stamp own_stamp; // Of a type with Callers::owner: of the tenure in which the caller owns.
};

inline constexpr size_t call_head_bytes_max = 32;
inline constexpr size_t call_bytes_max = call_head_bytes_max + value_bytes_max;

// Arguments of the calls of one tick, decoded. Full: calls wait in their stream, unreliable ones
// are lost.
struct CallArena {
    std::span<std::byte> memory;
    size_t used_bytes;
};

struct ReceivedCall {
    enum class Result : uint8_t { ok, malformed, no_room, refused } result;
    CallHead head;
    const void *arguments; // In the arena; null of an outcome.
};

namespace calls {

bool has_arguments(CallKind kind);
// arguments are normalised in place first; null for an outcome. The bytes written.
size_t write(const TypeTable &types, const CallHead &head, void *arguments,
             std::span<std::byte> buffer);
// Of what write() gave, or check() holds good.
CallHead head(const TypeTable &types, std::span<const std::byte> message);
bool check(const TypeTable &types, std::span<const std::byte> message);
// The same, as it is sent; `bits` with what surrounds it.
void charge(const TypeTable &types, std::span<const std::byte> message, size_t bits,
            Charges &charges);
ReceivedCall read(const TypeTable &types, std::span<const std::byte> message, CallArena &arena);
// Of a type with Callers::owner: the object that the caller must own.
ObjectId own_object(const TypeTable &types, TypeId type, const void *arguments);

}
}
