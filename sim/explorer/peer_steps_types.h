// What one peer of a cluster can be told, what it answers, and what others want to know of it.
#pragma once
#include "migration/replica.h"
#include "sim/explorer/hash_table.h"
#include "sim/picture/history.h"
#include <vector>

namespace tern {

inline constexpr uint32_t cluster_peers_max = 6;   // With newcomers.
inline constexpr uint32_t cluster_objects_max = 4; // Ever made.

// A peer is named by its place: the peer with PeerId 1 has place 0.
using PeerPlace = uint8_t;

// The game's object: every value says who wrote it, in which tenure, and which write of it this is:
// 1, 2, ..., from create(): 0. Writes change different fields in turn, so that it shows if a value
// is made of two.
struct Mark {
    uint64_t tenure; // stamp at the writer.
    uint32_t odds;   // The last write, if it was odd; else the one before. 0: none.
    uint32_t evens;  // ... if it was even.
    PeerId writer;
    bool odd; // The last write: a field whose values return.
    uint8_t zero[5];
    friend bool operator==(const Mark &, const Mark &) = default;
};

namespace mark {
inline uint32_t sequence(const Mark &mark)
{
    return mark.odds > mark.evens ? mark.odds : mark.evens;
}
inline bool whole(const Mark &mark)
{
    const uint32_t last = sequence(mark);
    const uint32_t other = mark.odds > mark.evens ? mark.evens : mark.odds;
    return mark.odd == (last % 2 == 1) && other == (last == 0 ? 0 : last - 1);
}
}

enum class InputKind : uint8_t {
    receive, // The message `number` of `other`.
    welcome, // The message `number`, of the host.
    acked,   // `number` more messages to `other` have arrived.
    forged,  // The message `number` of `other`, which must not be believed.
    create,
    claim,   // The object `number`: its code.
    destroy, // The same.
    set,     // The same.
    lock,    // The same: locks it, or unlocks what is locked.
    release, // The same.
    hide,    // The same: from `other`, or shows it there again.
    gone,    // `other` has.
    admit,   // At the host: `other` comes.
    updates, // The message `number` of `other`.
    arrived, // The packet `number` to `other`.
    lost,    // The same.
    wait     // Some ticks pass.
};

struct Input {
    InputKind kind;
    PeerPlace other;
    uint32_t number;
    uint8_t held = 0; // A bit for each place: what is to be said to it is not pulled.
};

// An ObjectId in 16 bits: creator's place and serial.
namespace object_code {
inline uint32_t of(ObjectId id)
{
    return static_cast<uint32_t>(object_id::creator(id)) << 8 | object_id::serial(id);
}
inline ObjectId id(uint32_t code)
{
    return object_id::make(static_cast<PeerId>(code >> 8), code & 0xff);
}
}

struct Said {
    PeerPlace to;
    bool updates;    // Else a message on the stream.
    uint16_t packet; // updates.
    uint32_t message;
};

struct PeerStep {
    uint32_t block;
    uint32_t said_first, said_count;
    uint32_t violation; // Index + 1 in PeerSteps::violations.
    Verdict verdict;
};

// What a peer believes of an object.
struct Believed {
    ObjectId object;
    Stamp stamp;
    PeerId owner;
    bool alive, dead;
    bool hidden;         // From this peer,
    uint8_t hidden_from; // ... and, if it tells it, from others: a bit for each place.
    uint8_t zero[2];
    Mark value;
};

// What is to be seen of one block.
struct Glance {
    uint32_t belief_first;
    uint8_t belief_count;
    uint8_t known;     // A bit for each place: a member, or one that has gone, but is not dropped.
    uint8_t roster;    // ...: a member that has not gone.
    uint8_t unsettled; // A bit for each place: something said to it is unacked, or unsaid.
    uint8_t claims;    // Unanswered.
    uint8_t locked;    // A bit for each belief: its owner, we, has locked it.
    uint8_t known_locked; // ...: we are the host, and have heard that its owner has.
    uint8_t released;     // ...: we own it and want the host to.
    PeerPlace leader;     // The lowest of the roster. 255: nobody.
    PeerPlace last;       // Of whom it has heard: all up to this place.
    bool in_charge;       // It is the host.
    bool ended;           // Its session is over: it was cut off, or is to start over.
    Phase phase;
    bool collecting;
    uint32_t view;
    uint32_t beliefs; // Equal at two blocks that believe the same.
};

}
