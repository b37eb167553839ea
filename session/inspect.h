// What tests, the simulator and tools may read of a session beside the public functions.
#pragma once
#include "migration/replica_types.h"
#include "tern/types.h"

namespace tern {

enum class NoteKind : uint8_t {
    said,     // A message was put on the world stream for peer: message, object, stamp, number.
    heard,    // One was taken from it: the same, and verdict.
    sealed,   // A packet was sealed: key, number. No pair may ever come twice.
    accepted, // A packet was accepted: key, number. No pair may come twice at one session.
    acked     // All messages said to peer have arrived up to: key, number.
};

// One thing that a session did. A message about several objects makes a note for each.
struct Note {
    NoteKind kind;
    MessageKind message;
    uint8_t verdict; // heard: Verdict.
    PeerId peer;
    ObjectId object;
    Stamp stamp;
    // Of the packet; or of the message, from 1 for each connection, counting those between members.
    uint64_t number;
    // Names the sender's key, and says nothing about it: key and number pair what is said and
    // heard, sealed and accepted.
    uint64_t key;
};

struct Journal { // The caller's; zero count to empty it.
    std::span<Note> notes;
    size_t count;
    size_t missed; // For want of room.
};

}

namespace tern::inspect {

// While the game plays, values of objects that it has claimed with ClaimMode::optimistic may be the
// game's; replicated() gives the replica's own, of a known object.
const Replica &replica(const Session *session);
const void *replicated(const Session *session, ObjectId object);
// Whether a claim of it with ClaimMode::optimistic waits for its answer.
bool is_optimistic(const Session *session, ObjectId object);
// From now on the session writes what it does into *journal, which must outlive it. Null: no more.
void listen(Session *session, Journal *journal);
// From now on there is room for so few events of calls in a tick, and as many more as there are of
// objects. At least 1.
void hear_few(Session *session, uint32_t calls);
// A session that draws its keys from a seed: to play its recording back.
Session *make_seeded_session(const Config &config, const uint8_t (&seed)[32]);

}
