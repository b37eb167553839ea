// Some replicas and the streams between them as one short tuple of numbers, and every move that
// can be made there: what the explorer searches, scenarios play, and fuzz targets drive.
//
// Each ordered pair of peers has a reliable stream of messages in order, and a bag of UPDATEs in
// no order, which may be lost. After each input a peer ends its tick: it says at once all that it
// has to say, unless it is held: then that waits, to be written when it is pulled, and so do acks.
// Else an ack is told at delivery. A crash takes what was on its way to the crashed peer;
// what it said may still arrive until the receiver has fenced it, or never.
#pragma once
#include "sim/explorer/peer_steps.h"
#include <array>

namespace tern {

struct ExploreScope {
    uint16_t peers = 3;   // In from the start; peer 1 is the host.
    uint16_t creates = 1; // By any peer, as all that follows.
    uint16_t claims = 0;
    uint16_t destroys = 0;
    uint16_t crashes = 0;    // The host's too.
    uint16_t updates = 0;    // set() by an owner.
    uint16_t joins = 0;      // Newcomers on top of peers.
    uint16_t losses = 0;     // Of UPDATEs: told lost. They may still arrive later, or never.
    uint16_t waits = 0;      // Times that 16 ticks pass at a peer.
    uint16_t holds = 0;      // Times that what one has to say to another waits.
    uint16_t suspicions = 0; // Living peers that who leads takes for gone, or those he leads him.
    uint16_t locks = 0;      // By an owner: an object is locked, or unlocked again.
    uint16_t releases = 0;   // By an owner.
    uint16_t hides = 0;      // By who tells it: an object is hidden from a peer, or shown again.
    uint16_t forges = 0;     // Messages of a member, but the host, that has no right to say them.
    bool survivors = false;  // Quorum::survivors; else a majority goes on.
    bool star = false;       // Topology::star; else a mesh.
    bool mortal = false;     // Orphans are destroyed; else the host adopts them.
    bool memory = true;   // Q5 is looked at: a memory of the dead that differs, and nothing else.
    bool symmetry = true; // While nobody goes, only peer 2 of the others makes the first move.
};

enum class MoveKind : uint8_t {
    create,        // a
    claim,         // a, object
    destroy,       // a, object
    set,           // a, object
    lock,          // a, object; or it is unlocked again.
    release,       // a, object
    hide,          // a, b, object: a hides it from b, or shows it again.
    deliver,       // The oldest message of a to b.
    update,        // The UPDATE in packet `number` of a to b arrives.
    lose,          // a is told that it is lost.
    crash,         // a
    notice,        // b notices that a has gone: who leads, or if a leads.
    join,          // The host admits a.
    wait,          // Ticks pass at a.
    hold,          // What a has to say to b, UPDATEs too, waits; and acks of what it has said.
    pull,          // ... no more.
    suspect,       // b takes a, which lives, for gone.
    forge_migrate, // a says to b that it owns this object of another, by a grant of its own making.
    forge_destroy, // a says to b that this object, which is another's, is dead.
    replay         // a says to b what the peer at place `number` is about to tell a.
};

struct Move {
    MoveKind kind = MoveKind::create;
    PeerPlace a = 0, b = 0;
    uint16_t number = 0; // A packet, an object's code, or a place.
};

inline constexpr uint32_t cluster_pairs_max = cluster_peers_max * (cluster_peers_max - 1);
inline constexpr uint32_t cluster_parts_max = cluster_peers_max + 3 * cluster_pairs_max + 3;

// Of these only the first Cluster::part_count are used: a block for each place (0: crashed), a
// stream and, in scopes with UPDATEs, a bag for each pair; in scopes with holds, for each pair 1 +
// acks that wait, or 0: not held; what has been spent of the scope, who has destroyed what.
struct ClusterState {
    std::array<uint32_t, cluster_parts_max> parts;
    Key128 key;
};

// What is on a stream, or in a bag: the first of it, and the number of the rest. 0: nothing.
struct ClusterList {
    uint32_t message, rest;
    uint16_t packet; // In a bag.
    bool told_lost;  // In a bag: its sender counts it as lost.
    bool forged;     // On a stream: its sender had no right to say it.
};

// One step of one peer, as part of a move.
struct ClusterStep {
    PeerPlace place;
    Input input;
    uint32_t before; // Its block.
    PeerStep step;
};

struct Cluster { // Closed.
    ExploreScope _scope;
    PeerSteps _steps;
    uint32_t _seated = 0; // Places of those that are in from the start.
    uint32_t _places = 0; // With those of newcomers.
    uint32_t _part_count = 0;
    Key128 _first;
    std::vector<ClusterList> _lists; // By number.
    HashTable _list_numbers, _appended;
    bool _watched = false;
    std::vector<ClusterStep> _last_steps;
};

namespace cluster {

Cluster make(const ExploreScope &scope);
ClusterState first_state(Cluster &c); // All peers are in; nothing is on its way.

// All moves that can be made now. `moves` is emptied first.
void moves(const Cluster &c, const ClusterState &s, std::vector<Move> &moves);
bool can(const Cluster &c, const ClusterState &s, const Move &move);
// Makes a move that can be made. Not 0: an invariant is broken in a step of one peer; violation().
uint32_t make_move(Cluster &c, ClusterState &s, const Move &move);
const Violation &violation(const Cluster &c, uint32_t number);
void watch(Cluster &c); // From now on the steps of each move are kept until the next:
std::span<const ClusterStep> last_steps(const Cluster &c);

// --- What is to be seen ---
bool is_there(const Cluster &c, const ClusterState &s, PeerPlace place); // Admitted, not crashed.
bool is_host(const Cluster &c, const ClusterState &s, PeerPlace place);
uint32_t group(const Cluster &c, const ClusterState &s, PeerPlace host);  // Its roster, as bits.
bool is_member(const Cluster &c, const ClusterState &s, PeerPlace place); // Of some host's roster.
bool is_seat(const Cluster &c, PeerPlace place);                          // In from the start.
uint32_t crashed(const Cluster &c, const ClusterState &s);                // How many.
uint32_t suspected(const Cluster &c, const ClusterState &s);
bool quiet(const Cluster &c, const ClusterState &s); // Nothing on its way or to be noticed.
uint32_t part_count(const Cluster &c);
uint32_t place_count(const Cluster &c);
uint32_t block(const ClusterState &s, PeerPlace place); // 0: crashed.
uint32_t stream(const Cluster &c, const ClusterState &s, PeerPlace from, PeerPlace to);
uint32_t bag(const Cluster &c, const ClusterState &s, PeerPlace from, PeerPlace to);
ClusterList list(const Cluster &c, uint32_t number);
// Who has destroyed what, by move: the place, and the object. Place 255: nobody.
struct Destroyed {
    PeerPlace place;
    ObjectId object;
};
Destroyed destroyed(const Cluster &c, const ClusterState &s, uint32_t i); // i < destroys_max
inline constexpr uint32_t destroys_max = 4;
const PeerSteps &steps(const Cluster &c);
bool remembers(const Cluster &c); // ExploreScope::memory.
bool is_star(const Cluster &c);
// The same on every machine, whatever was played before.
uint64_t digest(const Cluster &c, const ClusterState &s);

}
}
