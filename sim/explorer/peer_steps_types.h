// The inputs and outputs of a step of one peer, and what others may read of the peer's state.
#pragma once
#include "migration/replica.h"
#include "sim/explorer/hash_table.h"
#include "sim/picture/history.h"
#include <vector>

namespace tern {

inline constexpr uint32_t cluster_peers_max = 6;   // Including newcomers.
inline constexpr uint32_t cluster_objects_max = 4; // A scope creates fewer in all.
// objects_max of the type: a share of it suffices for what one peer creates, unless a scope asks
// for less.
inline constexpr uint32_t cluster_places_max = 12;

// A peer is named by its place: the peer with PeerId 1 has place 0.
using PeerPlace = uint8_t;
inline constexpr PeerPlace no_peer_place = 255;

// The game's object. A value names its writer, the tenure and the number of the write: 1, 2, ... in
// each tenure, and 0 for create(). Odd and even writes change different fields, so whole() notices
// a value that is a mix of two writes.
struct Mark {
    uint64_t tenure; // stamp of the object at the writer.
    uint32_t odds;   // Number of the last odd write. 0: none.
    uint32_t evens;  // Number of the last even write. 0: none.
    PeerId writer;
    bool odd; // The last write is odd. Unlike the others, this field returns to earlier values.
    uint8_t zero[5];
    friend bool operator==(const Mark &, const Mark &) = default;
};

namespace mark {
// The number of the write.
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

// The comments name the members of Input that a kind uses. An object is given by its code.
enum class InputKind : uint8_t {
    receive, // The message `number` from `other` arrives.
    welcome, // The message `number` from `other`, the host, arrives at a newcomer.
    acked,   // `number` more messages to `other` are acked.
    forged,  // The message `number` from `other`, which must be rejected, arrives.
    create,
    claim,   // The object `number`.
    destroy, // The object `number`.
    set,     // The object `number`.
    lock,    // Locks the object `number`, or unlocks it if it is locked.
    release, // The object `number`.
    hide,    // Hides the object `number` from `other`, or shows it there again.
    gone,    // `other` has gone.
    oust,    // This peer, which leads the others, removes `other`.
    admit,   // The host admits `other`.
    updates, // The message `number` with UPDATEs from `other` arrives.
    arrived, // The packet `number` to `other` is acked.
    lost,    // The packet `number` to `other` is lost.
    wait     // Some ticks pass.
};

struct Input {
    InputKind kind;
    PeerPlace other;
    uint32_t number;
    uint8_t held = 0; // A bit for each place: messages for that peer are not written in this step.
};

// An ObjectId in 16 bits: the creator's id and the serial.
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

// A well-formed message of a liar that is not true. The comments name the members of Lie that a
// kind uses.
enum class LieKind : uint8_t {
    none,
    fences,   // A REPORT that names `about` as gone.
    farewell, // A REPORT that names `about` as gone with a goodbye.
    empty,    // A REPORT ahead of the true answer, which claims all places.
    takes,    // A REPORT_OBJECT: the next owner of `object` was the peer that the QUERY names.
    buries,   // A DEAD of another's `object`.
    destroys, // A DESTROY or DEAD of the liar's own `object`, which lives on at the liar.
    creates,  // A CREATE of the next object of the liar, in the place `number`.
    accuses,  // An ACCUSE of `about`.
    queries   // A QUERY that names `about` as gone.
};

struct Lie {
    LieKind kind;
    PeerPlace about;
    ObjectId object;
    uint32_t number;
    uint32_t token; // REPORT and REPORT_OBJECT answer the QUERY of this token.
    PeerId gone;    // takes: the peer that the QUERY names.
};

// A message that a peer sends.
struct Said {
    PeerPlace to;
    bool updates;    // A packet of UPDATEs; else a message on the stream.
    uint16_t packet; // The packet's number, for updates.
    uint32_t message;
};

struct PeerStep {
    uint32_t block; // The peer's block after the step.
    uint32_t said_first, said_count;
    uint32_t violation; // Index + 1 in PeerSteps::_violations. 0: none.
    Verdict verdict;
};

// The state of one object at a peer.
struct Believed {
    ObjectId object;
    Stamp stamp;
    PeerId owner;
    bool alive, dead;    // dead: the peer keeps a tombstone of it.
    bool hidden;         // Hidden from this peer by the peer that sends its updates.
    uint8_t hidden_from; // A bit for each place from which this peer hides it.
    uint8_t zero[2];
    Mark value;
};

// A summary of one block.
struct Glance {
    uint32_t belief_first;
    uint8_t belief_count;
    uint8_t known;     // A bit for each place: a member, or a fenced one that is not dropped yet.
    uint8_t roster;    // A bit for each place: a member that is not fenced.
    uint8_t unsettled; // A bit for each place: something for that peer is unwritten or unacked.
    uint8_t claims;    // Unanswered ones.
    uint8_t locked;    // A bit for each belief: this peer owns the object and has locked it.
    uint8_t known_locked; // A bit for each belief: this peer, as the host, knows that it is locked.
    uint8_t released;     // A bit for each belief: this peer owns the object and has released it.
    PeerPlace leader;     // The lowest place of the roster. no_peer_place: nobody.
    PeerPlace last;       // The highest place that this peer knows to have been given out.
    bool in_charge;       // This peer is the host.
    bool ended;           // Too few members are left, or the host was lost during the join.
    Phase phase;
    bool collecting; // A departure is under way: reports are awaited.
    uint32_t view;
    uint32_t beliefs; // Equal in two blocks with equal beliefs.
    // By place of a member: its objects that live here, and how many places the host, if this peer
    // is that, has leased to it; 255 means that or more.
    uint8_t created[cluster_peers_max], leased[cluster_peers_max];
};

}
