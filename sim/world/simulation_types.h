// The types of the simulation of whole sessions that its oracles read.
#pragma once
#include "session/inspect.h"
#include "sim/picture/history.h"
#include "tern/tern.hpp"
#include <memory>
#include <vector>

namespace tern {

// The objects of the simulated games. Every value names its writer, the tenure and the number of
// the write within that tenure, so that an oracle can find where a value came from.
struct Written {
    uint64_t tenure;   // object_stamp() at the writer.
    uint32_t sequence; // 1, 2, ... in this tenure.
    PeerId writer;
    uint16_t zero;
    float position[3];
    int32_t health;
};
// Written::tenure of a value set before a claim is granted, which has no tenure yet: this bit, its
// writer, and a number.
inline constexpr uint64_t hoped_bit = 1ull << 63;
inline uint64_t hoped(PeerId writer, uint32_t number)
{
    return hoped_bit | static_cast<uint64_t>(writer) << 32 | number;
}
inline bool is_hoped(uint64_t tenure, PeerId writer)
{
    return tenure >> 32 == hoped(writer, 0) >> 32;
}
// The arguments of calls name caller and receiver. Sequence numbers of each pair of peers start
// at 1, for reliable and unreliable calls separately.
struct Numbered {
    ObjectId about;
    uint32_t sequence;
    PeerId from, to;
    bool reliable;
    uint8_t ask; // The Ask, for calls that are answered or restricted.
    uint8_t zero[6];
};
// The types of objects and calls, as make_types() in simulation.cpp defines them. Orphans of MORTAL
// are destroyed, the host's game decides orphans and claims of ASKED, and KEPT cannot be claimed.
// BY_OWNER, BY_HOST and LIMITED are calls that only the owner, only the host, and each peer only
// limited_calls_per_second times may make.
enum : TypeId { THING, MORTAL, ASKED, KEPT, NUMBERED, ANSWERED, BY_OWNER, BY_HOST, LIMITED };
inline constexpr uint16_t limited_calls_per_second = 5; // LIMITED

// A change of one object at one peer in one tick, whatever caused it.
struct Change {
    ObjectId object;
    KnownObject before, after; // Zero: the peer did not know the object.
    bool value_changed;
    Written value; // The value after the tick, if the object is alive.
};

struct PlayedCall { // A call that was sent or received in this tick.
    Numbered numbered;
    bool heard;    // Received. Else call() has accepted it for sending.
    PeerId caller; // Received calls: the caller, as the event names it.
};

// The kinds of calls that are answered or restricted. Numbered::sequence counts all asks of a
// caller.
enum class Ask : uint8_t {
    owner_call,
    owner_request,
    request,
    host_call,
    host_request,
    by_owner, // To everyone, about an object of the caller.
    by_host,  // To everyone, from the host.
    limited   // To one peer, more often than permitted.
};
inline constexpr uint64_t ask_count = 8;
struct PlayedAsk { // A step of an ask in this tick.
    // Whether the ask was sent or received, or its caller got the reply or the failure.
    enum class What : uint8_t { said, heard, replied, failed } what;
    Ask ask;
    TypeId type;
    Numbered numbered; // Zero for a call that failed without arguments.
    CallId id;
    CallFailure failure;
    PeerId owner,
        host;         // Received asks: the object's owner and the host, as the receiver knows them.
    bool has_changed; // Received asks: a later event of the tick changes one of the two.
    // Received asks: the caller. Replies: the peer that has replied. As the event names them.
    PeerId peer;
};

struct PlayedClaim { // A claim of this tick, or a value that was set under an unanswered claim.
    ObjectId object;
    uint64_t hoped; // Written::tenure of that value. 0: this is the claim itself.
};

// Estimates of an owner's clock keep samples for 8 s, from before a pause too.
inline constexpr uint64_t clock_steady_us = 10'000'000;

// A place in the network. One peer may follow another there.
struct Node {
    Session *session = nullptr; // Null: no peer runs here. A crash leaves nothing of it.
    PeerId self = PeerId::none; // local_peer() of the session in its last tick.
    Address address = {};
    bool core = true;          // In the liveness phase: the peer must agree in the end.
    uint64_t next_tick_us = 0; // World time.
    uint64_t clock_us = 0;     // The node's own clock: may be skewed, never goes back.
    uint64_t ticked_us = 0;    // World time of the last tick.
    uint64_t period_us = 0;    // The time between two ticks.
    uint64_t troubled_us = 0;  // World time of the end of the last fault of this place.
    // Cleared at the healing after a recent fault: its objects then rest, so that no update shows
    // others how its clock runs.
    bool shows_clock = true;
    std::vector<Datagram> inbox;
    // The last tick, for the oracles:
    std::vector<Event> events; // Their pointers to arguments are no longer valid.
    std::vector<Change> changes;
    std::vector<PlayedCall> calls;
    std::vector<PlayedAsk> asks;
    std::vector<PlayedClaim> claims;
    std::vector<ObjectId> played; // Objects that its game has created, set or destroyed.
    std::vector<ObjectId> given;  // Objects that the host's game has given away.
    bool balanced = false;        // The host's game has spread the load.
    std::vector<Note> notes;      // The storage of the journal.
    size_t note_count = 0;
    size_t notes_missed = 0;        // Notes that the journal had no room for.
    std::vector<KnownObject> slots; // All slots ever used, as at the end of the last tick.
    std::vector<Written> values;    // The values of living objects, indexed by slot.
};

}
