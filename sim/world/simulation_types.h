// What the simulation of whole sessions is made of, and what its oracles see of it.
#pragma once
#include "session/inspect.h"
#include "sim/picture/history.h"
#include "tern/tern.h"
#include <memory>
#include <vector>

namespace tern {

// The game of the simulation. Every value says who wrote it, in which tenure, and which write of
// that tenure it is, so that an oracle can tell where what it sees has come from.
struct Written {
    uint64_t tenure;   // stamp() at the writer.
    uint32_t sequence; // 1, 2, ... in this tenure.
    PeerId writer;
    uint16_t zero;
    float position[3];
    int32_t health;
};
// What is set before a claim is granted is of no tenure yet: this bit, who set it, and a number.
inline constexpr uint64_t hoped_bit = 1ull << 63;
inline uint64_t hoped(PeerId writer, uint32_t number)
{
    return hoped_bit | static_cast<uint64_t>(writer) << 32 | number;
}
inline bool is_hoped(uint64_t tenure, PeerId writer)
{
    return tenure >> 32 == hoped(writer, 0) >> 32;
}
// Calls say from whom to whom they go, and number those of each pair: reliable ones from 1.
struct Numbered {
    ObjectId about;
    uint32_t sequence;
    PeerId from, to;
    bool reliable;
    uint8_t ask; // Ask, of those that are answered or restricted.
    uint8_t zero[6];
};
// Orphans and claims as their names say; whose the calls of the last three are, and how many.
enum : TypeId { THING, MORTAL, ASKED, KEPT, NUMBERED, ANSWERED, BY_OWNER, BY_HOST, LIMITED };
inline constexpr uint16_t limited_calls_per_second = 5; // LIMITED

// What one tick changed in one object at one peer, whoever did it.
struct Change {
    ObjectId object;
    Object before, after; // life: none, alive, dead... as in replication/world/world.h.
    bool value_changed;
    Written value; // After; if alive.
};

struct PlayedCall { // Of this tick.
    Numbered numbered;
    bool heard; // Else sent, and accepted by call().
};

enum class Ask : uint8_t { // What is asked; Numbered::sequence counts them for each caller.
    owner_call,
    owner_request,
    request,
    host_call,
    host_request,
    by_owner, // To everyone, of an own object.
    by_host,  // To everyone.
    limited   // To a peer, more often than it may be.
};
inline constexpr uint64_t ask_count = 8;
struct PlayedAsk { // Of this tick.
    enum class What : uint8_t { said, heard, replied, failed } what;
    Ask ask;
    TypeId type;
    Numbered numbered; // A plain one that was refused: nothing.
    CallId id;
    CallFailure failure;
    PeerId owner, host; // heard: of its object, and of the session, as its hearer knows it then.
    bool has_changed;   // heard: one of the two is another since, in the same tick.
};

struct PlayedClaim { // Of this tick: a claim, or what was set of one before its answer.
    ObjectId object;
    uint64_t hoped; // Written::tenure. 0: it is the claim.
};

// A place in the network where one peer runs, or had run.
struct Node {
    Session *session = nullptr; // Null: nobody. Of a crashed peer nothing is left.
    PeerId self = PeerId::none; // As the session last said.
    Address address = {};
    bool core = true;          // Liveness: one of those that must agree in the end.
    uint64_t next_tick_us = 0; // World time.
    uint64_t clock_us = 0;     // Its own: skewed, and never back.
    std::vector<Datagram> inbox;
    // Of the last tick, for the oracles:
    std::vector<Event> events; // Arguments are not kept.
    std::vector<Change> changes;
    std::vector<PlayedCall> calls;
    std::vector<PlayedAsk> asks;
    std::vector<PlayedClaim> claims;
    std::vector<ObjectId> given; // What the host's game has given away.
    std::vector<Note> notes;     // Of its journal.
    size_t note_count = 0;
    size_t notes_missed = 0;     // For want of room in it.
    std::vector<Object> slots;   // Its slots at the end of the last tick, as far as ever used.
    std::vector<Written> values; // Of those that are alive; by slot.
};

}
