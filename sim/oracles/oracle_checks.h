// The invariants of a run, one function for each, in a file of its own. All return an empty
// Violation if the invariant holds. docs/testing.md lists them.
#pragma once
#include "sim/oracles/oracle_types.h"

namespace tern {

// --- After each step of an object at a peer, before NodeRecord::shown has the new state ---

// I1: no two peers hold one (object, stamp) with different owners, and no stamp names two grants.
namespace oracle_tenures {
Violation check(const Judged &judged);
}
// I2: at a peer the stamp of an object never decreases.
namespace oracle_stamps {
Violation check(const Judged &judged);
}
// I3: an object that is destroyed at a peer never lives there again, and none vanishes without
// being destroyed.
namespace oracle_dead {
Violation check(const Judged &judged);
// After a tick in which a DESTROY was received (`note`).
Violation check_heard(const Shown &shown, const ObjectRecord &record, const Note &note, PeerId self,
                      uint16_t node);
// Every few hundred ticks: the peer still has a tombstone of every object that was destroyed there.
Violation check_memory(const NodeRecord &record, const Replica &replica, uint16_t node);
}
// I4: a value was shown by the owner in the tenure that the peer holds: it was written in that
// tenure, or is the one with which the tenure began. The latter was written in an earlier tenure,
// and is the newest value that the new owner had.
namespace oracle_values {
Violation check(const Judged &judged);
}
// I5: within a tenure a peer never goes back to an older value.
namespace oracle_sequence {
Violation check(const Judged &judged);
}
// I6: no peer owns an object that it neither created nor was granted by the host; no object exists
// that nobody created; no object is destroyed that nobody destroyed. All peers of a run are honest,
// so no message is found forged or malformed.
namespace oracle_authority {
Violation check(const Judged &judged);
Violation check_heard(const Node &node, uint16_t index); // After a tick.
}

// --- After each tick of a peer ---

// I19: the world that a game builds from the events of its session, and from what it has created,
// set and destroyed itself, is the world that the session shows: no object more or fewer, and no
// other value, owner or visibility. Each event fits what the game knew before.
namespace oracle_events {
// After receive(), before the game acts. Applies the events of the tick to the mirror.
Violation check(Mirror &mirror, const Node &node, uint16_t index);
void play(Mirror &mirror, const Node &node); // Takes over what the game has done.
}
// I20: the members and the host of which the events speak are those of the session.
//
// Exceptions: on the host a newcomer is a member before it has caught up, and peer_joined comes
// then. A host may show itself by its grants, with host_changed, before the session has its view.
namespace oracle_roster {
// After receive(). Applies the events of the tick to the mirror.
Violation check(Mirror &mirror, const Node &node, uint16_t index);
}
// I21: lost_ticks of owner_changed is the number of ticks between the newest write of the former
// owner that the new tenure includes and its last write; 0 if it includes the last one.
namespace oracle_lost_ticks {
// After receive(), on each peer: notes the values with which its new tenures begin.
void note_firsts(Ledger &ledger, const Node &node);
// After receive(), before ticked().
Violation check(const NodeRecord &record, const Ledger &ledger, const Node &node, uint16_t index);
}
// I22: what a peer shows of another peer's object is not out of date for long, where the path has
// been good for two seconds: bound_us() in oracle_freshness.cpp.
namespace oracle_freshness {
// Whether the path between two nodes has been good for two seconds, both ways.
bool is_good(const Oracles &oracles, std::span<const Node> nodes, size_t one, size_t other);
// The longest time from a write of the owner until this node shows it. 0: there is no bound now.
uint64_t bound_us(const Oracles &oracles, std::span<const Node> nodes, size_t index,
                  const KnownObject &object);
Violation check(const Oracles &oracles, std::span<const Node> nodes, uint16_t index);
}
// I23: sample() gives what the owner has had: its fields that are not interpolated are those of one
// write, and of no earlier one than in the tick before. Where objects with an error bound move
// steadily and nothing has disturbed the clocks, a position is within the field's bound, and what
// the object moves in a tick of both peers, of where it was lately. Types without a history give
// what get() gives.
namespace oracle_sampling {
// After receive(), before the game acts.
Violation check(Oracles &oracles, std::span<const Node> nodes, uint16_t index);
}
// I24: what peer_stats() counts in a tick is what the peer has sent to the other one and received
// from it, where the path has been good (I22) and both have been there for ten seconds. The
// objects, owner changes and sent bits of session_stats() and type_stats() are those of the events
// and of traffic_rows().
namespace oracle_stats {
void sent(NodeRecord &record, std::span<const Node> nodes, const Datagram &datagram);
void received(NodeRecord &record, std::span<const Node> nodes, const Datagram &datagram);
Violation check(Oracles &oracles, std::span<const Node> nodes, uint16_t index); // After a tick.
Violation check_totals(const Mirror &mirror, const Node &node, uint16_t index);
}
// I25: a session is not lost while more than half of its members hear each other, whoever joins,
// leaves or dies. Members count until they say goodbye; they must have been open for two seconds
// before the first of the others was lost. In a star the host must be one of them, and hear them.
namespace oracle_survival {
void received(Survival &survival, std::span<const Node> nodes, uint16_t index,
              const Datagram &datagram, uint64_t now_us);
void gone(Survival &survival, uint16_t index, uint64_t now_us); // The peer has crashed.
Violation check(Survival &survival, std::span<const Node> nodes, uint16_t index, uint64_t now_us);
}
// I7: the reliable calls of one peer to another are received in order, none twice, none left out;
// an unreliable call is received at most once.
//
// Exception: after a silence of timeout_ms two members make a new connection, and everything that
// was not acked on the old one is lost. So a gap between two reliable calls is allowed, once for
// each new connection between the two peers; in a star, for each new connection of either with a
// host.
namespace oracle_calls {
Connections connections(const Oracles &oracles, PeerId from, PeerId to);
Violation check(Oracles &oracles, const Node &node, uint16_t index);
}
// I16: a call for the owner of an object is received at most once, by the owner, and those of one
// caller in order; a call for the host by the host; a request by the peer that it names. A call
// that failed for certain is never received. A request ends with one reply from a peer that
// received it, or fails. Calls that only owners or the host may make are received from these only,
// and no call is received more often than its rate permits.
namespace oracle_asks {
Violation check(Oracles &oracles, const Node &node, uint16_t index);
}
// I7: the messages received from the world stream of a connection are a prefix of those sent on it.
namespace oracle_streams {
Violation check(Oracles &oracles, const Node &node, uint16_t index);
}
// I14: each claim of a peer is answered once, and no answer comes without a claim. Values set under
// an optimistic claim show at its peer until the answer; then they are the owner's value if the
// claim was granted, and show no longer if it was refused. (I4 covers that no other peer sees them
// before.)
namespace oracle_claims {
Violation check(NodeRecord &record, const Node &node, uint16_t index);
}
// I15: the host grants no claim of an object that it knows to be locked.
namespace oracle_locks {
Violation check(NodeRecord &record, const Ledger &ledger, const Node &node, uint16_t index);
}
// I27: the host grants no claim of an object that it has granted less than the type's cooldown ago,
// and refuses none for a cooldown that has passed.
namespace oracle_cooldowns {
Violation check(NodeRecord &record, const Ledger &ledger, const Node &node, uint16_t index);
}
// I28: whatever liars send, no honest peer is charged, removed, or ends.
// I30: what the messages of a member cost in a tick is bounded.
namespace oracle_liars {
Violation check(const Oracles &o, std::span<const Node> nodes, uint16_t index); // After a tick.
}
// I18: no newer value of an object reaches a peer from which the object is hidden.
namespace oracle_visibility {
Violation check(const Node &node, uint16_t index);
}
// I8: queues, grants, claims, events and tombstones stay within their bounds, and no peer ends for
// want of room. Tombstones are ranges of ids of one creator that do not touch, so there are at most
// as many as there are creators and ids between the ranges.
namespace oracle_bounds {
Violation check(const Node &node, uint16_t index);
Violation check_replica(const Replica &replica, uint16_t index);
// Q5: at rest only living objects lie between the ranges, and objects that this peer never knew
// because their creator went before it had sent them.
Violation check_at_rest(const Replica &replica, const Ledger &ledger, uint16_t index);
}
// I9: under one key no packet number is sealed twice, and none is accepted twice.
namespace oracle_packets {
Violation check(NodeRecord &record, const Node &node, uint16_t index);
}
// I10: a peer sends an address that is not validated at most 3 bytes for each byte received from
// it. Initiations do not count, because a peer sends them unasked, to an address from an invite or
// the roster. Challenges and the answers to them do not count either. An address is validated by
// the response to an initiation, which only its addressee can make, wherever it comes from. It is
// also validated by a data datagram from it that is accepted, or by an accepted packet after a
// challenge, which may be the answer; both only if a peer has ever had the address.
namespace oracle_amplification {
void sent(NodeRecord &record, const Datagram &datagram);
void received(NodeRecord &record, const Datagram &datagram);
Violation check(NodeRecord &record, const Node &node, uint16_t index,
                std::span<const Address> homes, bool journals);
}
// I11: nothing allocates in receive() and send().
namespace oracle_allocations {
Violation check(uint64_t before, uint64_t after, uint16_t index);
}
// I17: the bits that a session charges to types, fields, calls and overhead add up to the bits of
// all datagrams that its send() has handed out. No row is negative, except TrafficKind::unsent.
namespace oracle_charges {
Violation check(uint64_t handed_out_bits, std::span<const TrafficRow> rows, uint16_t index);
}
// I12 (decoding and encoding again gives the same bytes) has no oracle here: the fuzz targets and
// the tests of the codecs check it.

// --- At rest: for the peers that are in the session and must agree ---

struct AtRest {
    std::span<const Node> nodes;
    std::vector<uint16_t> members; // Indices of nodes.
    const Ledger &ledger;
};

// Q10: no object is still hidden. Before rest the games show every object to every peer again.
namespace oracle_visibility {
Violation check_at_rest(const AtRest &rest);
}

// Q1: all members have the same living objects, stamps, owners and digest.
namespace oracle_convergence {
Violation check(const AtRest &at_rest);
}
// Q2: every value equals the owner's.
namespace oracle_last_values {
Violation check(const AtRest &at_rest);
}
// Q3: every owner is a live member.
namespace oracle_owners {
Violation check(const AtRest &at_rest);
}
// Q4: an object destroyed by a member that stayed is destroyed everywhere.
namespace oracle_destroyed {
Violation check(const AtRest &at_rest);
}
// Q5 is oracle_bounds::check_at_rest().
// I26: at a peer at most objects_max objects of a type live, each in a place of its own, and a peer
// uses no more places than its lease has.
namespace oracle_capacity {
Violation check(const Node &node, uint16_t index);
Violation check_places(const Replica &replica, uint16_t index);
// I29: at no member of a mesh that is in live more objects of one creator than its lease at the
// host has places.
Violation check_leases(std::span<const Node> nodes, uint16_t index);
// Q11: the leases of all members together are objects_max, and the used places are those of the
// living objects.
Violation check_at_rest(const AtRest &at_rest);
}
// Q9: every call for an owner or the host was received or has failed, and every request is over.
namespace oracle_asks {
Violation check_at_rest(const Oracles &oracles, const AtRest &at_rest);
}
// Q6: nothing is left over. Every peer is in the session, every roster is the list of members, no
// claim, question, message, UPDATE or departure is open, and every grant that is kept is in use.
namespace oracle_leftovers {
Violation check_members(const AtRest &at_rest);
Violation check(const AtRest &at_rest);
}

}
