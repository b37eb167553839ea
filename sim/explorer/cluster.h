// A cluster: a few replicas and the streams between them, held as one short tuple of numbers, and
// all moves that are possible in such a state. The explorer searches clusters, scenarios and fuzz
// targets play them.
//
// Each ordered pair of peers has a reliable, ordered stream of messages and a bag of UPDATEs, which
// arrive in any order and may be lost. A peer ends its tick after each input and writes everything
// that it has queued, except for peers for which it is held: their messages, UPDATEs and acks wait
// until a pull. Otherwise a message is acked as soon as it is delivered. A crash discards what is
// under way to the crashed peer. What the crashed peer sent may still arrive until the receiver has
// fenced it, or never.
#pragma once
#include "sim/explorer/peer_steps.h"
#include <array>

namespace tern {

// How many moves of each kind a search may make, over all peers together. Any peer may make them,
// unless noted. check_scope() has the ranges.
struct ExploreScope {
    uint16_t peers = 3; // Members at the start; peer 1 is the host.
    uint16_t creates = 1;
    uint16_t claims = 0;
    uint16_t destroys = 0;
    uint16_t crashes = 0;    // The host may crash too.
    uint16_t updates = 0;    // set() by an owner.
    uint16_t joins = 0;      // Newcomers in addition to `peers`.
    uint16_t losses = 0;     // UPDATEs whose sender counts them as lost; they may still arrive.
    uint16_t waits = 0;      // Pauses of 16 ticks at one peer.
    uint16_t holds = 0;      // Times that the messages of one peer to another start to wait.
    uint16_t suspicions = 0; // A host takes a living member for gone, or a member its host.
    uint16_t locks = 0;      // lock() by an owner, and unlocking again.
    uint16_t releases = 0;   // release_ownership() by an owner.
    uint16_t hides = 0;      // An object is hidden from a peer, or shown again, by its updater.
    uint16_t forges = 0;     // Messages that their sender, not the host, has no right to send.
    uint16_t lies = 0;       // What a liar does that no honest member would do: see MoveKind::lie.
    uint16_t liar = 0;       // Its number, from 2 on. 0: the last of the members at the start.
    bool survivors = false;  // Quorum::survivors; else a majority continues the session.
    bool star = false;       // Topology::star; else a mesh.
    uint16_t objects_max = cluster_places_max;
    bool mortal = false; // Orphans are destroyed; else the host adopts them.
    bool memory = true;  // Also checks Q5 (equal tombstones) and Q8.
    // In scopes without crashes and suspicions, all peers but the host are interchangeable in the
    // first state, so of these only peer 2 makes the first move.
    bool symmetry = true;
};

// The comments name the members of Move that a kind uses.
enum class MoveKind : uint8_t {
    create,        // a
    claim,         // a, object
    destroy,       // a, object
    set,           // a, object
    lock,          // a, object: locks it, or unlocks it if it is locked.
    release,       // a, object
    hide,          // a, b, object: a hides it from b, or shows it again.
    deliver,       // The oldest message from a to b arrives.
    update,        // The UPDATE at place `number` in the bag from a to b arrives.
    lose,          // a counts the UPDATE at place `number` in that bag as lost.
    crash,         // a
    notice,        // b notices that a has gone or has fenced b. One of the two is the host.
    join,          // The host b admits a.
    wait,          // 16 ticks pass at a.
    hold,          // From now on messages and UPDATEs of a for b wait, and so do acks to a.
    pull,          // Ends a hold.
    suspect,       // b takes a, which lives, for gone.
    forge_migrate, // a sends b a MIGRATE of another's object to itself, with a forged grant.
    forge_destroy, // a sends b a DESTROY of another's object.
    replay,        // a sends b the next message that the peer at place `number` has for a.
    // The rest is of the liar a, while neither it nor b takes the liar for its host.
    lie,      // lie, number: a sends b this message; `number` is what LieKind needs.
    repeat,   // a sends b what it sends the peer at place `number` next.
    withhold, // a does not send b its next message for b.
    mute,     // The oldest message from b arrives at a, which never acks it.
    oust      // b, which leads the others, removes a.
};

struct Move {
    MoveKind kind = MoveKind::create;
    PeerPlace a = 0, b = 0;
    uint16_t number = 0; // The code of an object, a place in a bag, or the place of a peer.
    LieKind lie = LieKind::none;
};

inline constexpr uint32_t cluster_pairs_max = cluster_peers_max * (cluster_peers_max - 1);
inline constexpr uint32_t cluster_parts_max = cluster_peers_max + 3 * cluster_pairs_max + 3;

// The first Cluster::_part_count parts are in use, in this order: for each place the number of its
// block (0: crashed or ended); for each pair its stream; in scopes with UPDATEs, for each pair its
// bag; in scopes with holds, for each pair 1 + the acks that wait (0: not held); two parts that
// count the moves made; one that records who destroyed what.
struct ClusterState {
    std::array<uint32_t, cluster_parts_max> parts;
    Key128 key; // The hash of all parts in use.
};

// A stream or a bag: its first item, and the number of the list that follows. Number 0 is the empty
// list.
struct ClusterList {
    uint32_t message, rest;
    uint16_t packet;    // Bags only.
    bool reported_lost; // Bags only: the sender counts it as lost.
    bool forged;        // Streams only: the sender had no right to send it.
    bool lied;          // Streams only: a lie, of which the sender's session knows nothing.
};

// One step of one peer, as part of a move.
struct ClusterStep {
    PeerPlace place;
    Input input;
    uint32_t before; // The peer's block before the step.
    PeerStep step;
};

struct Cluster { // Closed.
    ExploreScope _scope;
    PeerSteps _steps;
    uint32_t _seated = 0; // Members at the start: they have the lowest places.
    uint32_t _places = 0; // Including newcomers.
    uint32_t _part_count = 0;
    Key128 _first;
    std::vector<ClusterList> _lists; // Indexed by number.
    HashTable _list_numbers, _appended;
    bool _watched = false;
    std::vector<ClusterStep> _last_steps;
};

namespace cluster {

// Why no cluster can have the liar of this scope. Null: one can.
const char *liar_broken(const ExploreScope &scope);
Cluster make(const ExploreScope &scope);
ClusterState first_state(Cluster &c); // All `peers` are members; nothing is under way.

// Replaces the contents of `moves` with all moves that are possible in `s`.
void moves(const Cluster &c, const ClusterState &s, std::vector<Move> &moves);
bool can(const Cluster &c, const ClusterState &s, const Move &move);
// Makes a move that can() allows. Returns 0, or the number of the violation() that a step of one
// peer caused. Does not check the invariants of cluster_oracles.h.
uint32_t make_move(Cluster &c, ClusterState &s, const Move &move);
const Violation &violation(const Cluster &c, uint32_t number);
// From now on last_steps() returns the steps of the last move, until the next move.
void watch(Cluster &c);
std::span<const ClusterStep> last_steps(const Cluster &c);

// --- What a state contains ---
bool is_there(const Cluster &c, const ClusterState &s, PeerPlace place); // Admitted, not crashed.
bool is_host(const Cluster &c, const ClusterState &s, PeerPlace place);
// The roster of a host, with a bit for each place.
uint32_t group(const Cluster &c, const ClusterState &s, PeerPlace host);
bool is_member(const Cluster &c, const ClusterState &s, PeerPlace place); // On some host's roster.
bool is_seat(const Cluster &c, PeerPlace place);                          // A member at the start.
uint32_t seat_count(const Cluster &c);
uint32_t crashed(const Cluster &c, const ClusterState &s);   // Crash moves made.
uint32_t suspected(const Cluster &c, const ClusterState &s); // Suspect moves made.
PeerPlace liar(const Cluster &c);                            // no_peer_place: nobody lies.
// Nothing that can arrive is under way, except UPDATEs that count as lost; nothing is held; and no
// departure is left to notice.
bool quiet(const Cluster &c, const ClusterState &s);
uint32_t part_count(const Cluster &c);
uint32_t place_count(const Cluster &c);
uint32_t block(const ClusterState &s, PeerPlace place); // 0: crashed or ended.
// The numbers of lists, for list(). bag() returns 0 in scopes without UPDATEs.
uint32_t stream(const Cluster &c, const ClusterState &s, PeerPlace from, PeerPlace to);
uint32_t bag(const Cluster &c, const ClusterState &s, PeerPlace from, PeerPlace to);
ClusterList list(const Cluster &c, uint32_t number);
// A destroy move: which peer made it, and the object. Place 255 and no object: there was none.
struct Destroyed {
    PeerPlace place;
    ObjectId object;
};
// The i-th destroy move, with i < destroys_max.
Destroyed destroyed(const Cluster &c, const ClusterState &s, uint32_t i);
inline constexpr uint32_t destroys_max = 4;
const PeerSteps &steps(const Cluster &c);
bool remembers(const Cluster &c); // ExploreScope::memory.
bool is_star(const Cluster &c);
// Equal states have equal digests on every machine, whatever was played before in `c`. (The numbers
// in ClusterState::parts do depend on that.)
uint64_t digest(const Cluster &c, const ClusterState &s);

}
}
