// One function for each invariant, each in a file of its own: what may never be. All give an empty
// Violation if all is well. docs/testing.md lists them.
#pragma once
#include "sim/oracles/oracle_types.h"

namespace tern {

// --- After each step of an object at a peer, before NodeRecord::shown has it ---

// I1: no two peers hold one (object, stamp) with different owners; no stamp names two grants.
namespace oracle_tenures {
Violation check(const Judged &judged);
}
// I2: at a peer the stamp of an object never decreases.
namespace oracle_stamps {
Violation check(const Judged &judged);
}
// I3: what is dead at a peer never lives there again; nothing vanishes without dying.
namespace oracle_dead {
Violation check(const Judged &judged);
// After a tick in which a DESTROY was heard.
Violation check_heard(const Shown &shown, const ObjectRecord &record, const Note &note, PeerId self,
                      uint16_t node);
// Every few hundred ticks: what died at this peer is still among its dead.
Violation check_memory(const NodeRecord &record, const Replica &replica, uint16_t node);
}
// I4: a value is one that the owner of the tenure shown had in that tenure: written in it, or the
// one with which it began. That one was truly written in an earlier tenure, and is the newest that
// the new owner had.
namespace oracle_values {
Violation check(const Judged &judged);
}
// I5: within a tenure a peer never goes back to an older value.
namespace oracle_sequence {
Violation check(const Judged &judged);
}
// I6: nobody owns what it neither made nor was granted by the host; nothing is that nobody made;
// nothing dies that nobody destroyed. All peers here are honest: so what one says to another is
// never found to be against authority, or malformed.
namespace oracle_authority {
Violation check(const Judged &judged);
Violation check_heard(const Node &node, uint16_t index); // After a tick.
}

// --- After each tick of a peer ---

// I7: the reliable calls of one peer to another are heard in order, none twice, none left out; an
// unreliable one is heard once at most.
//
// The known limit: two members make a new connection after a silence of timeout_ms, and what had
// not been acked on the old one is lost. So a gap is allowed between two, once for each new
// connection of theirs; in a star, of either with a host.
namespace oracle_calls {
Connections connections(const Oracles &oracles, PeerId from, PeerId to);
Violation check(Oracles &oracles, const Node &node, uint16_t index);
}
// I16: a call for the owner of an object is heard by its owner, once at most, and those of one peer
// in order; one for the host by the host; a request by whom it names. What fails with certainty is
// never heard; a request ends with one reply of who has heard it, or fails. What only owners or the
// host may call is heard of them alone, and nothing more often than it may be called.
namespace oracle_asks {
Violation check(Oracles &oracles, const Node &node, uint16_t index);
}
// I7: what is heard of the world stream of a connection is a prefix of what was said.
namespace oracle_streams {
Violation check(Oracles &oracles, const Node &node, uint16_t index);
}
// I14: each claim of a peer is answered once, and nothing is answered that has not been claimed.
// What an optimistic one has set shows at its peer until then, is the owner's if it was granted,
// and shows no more if it was refused. (That nobody else sees it before is I4.)
namespace oracle_claims {
Violation check(NodeRecord &record, const Node &node, uint16_t index);
}
// I15: the host grants no claim of what it knows to be locked.
namespace oracle_locks {
Violation check(NodeRecord &record, const Ledger &ledger, const Node &node, uint16_t index);
}
// I18: of what is hidden from a peer no newer value comes to it.
namespace oracle_sight {
Violation check(const Node &node, uint16_t index);
}
// I8: queues, grants, claims, events and the dead within their bounds; no peer gives up for want
// of room. The dead are ranges that do not touch: so there are at most as many, for each creator,
// as ids of it that are not dead here, and one.
namespace oracle_bounds {
Violation check(const Node &node, uint16_t index);
Violation check_replica(const Replica &replica, uint16_t index);
// At rest there is nothing between the ranges but the living, and what a creator that went took
// with it before anybody had heard of it.
Violation check_at_rest(const Replica &replica, const Ledger &ledger, uint16_t index);
}
// I9: under one key no packet number is sealed twice, and none is accepted twice.
namespace oracle_packets {
Violation check(NodeRecord &record, const Node &node, uint16_t index);
}
// I10: to an address that has not been validated go at most 3 bytes for each that came from there.
// An initiation is no answer: a peer sends it of its own will, to an address of an invite or the
// roster. The response to it, which only its addressee can make, validates that address, and so
// does a data datagram that was accepted. A challenge is none either; what is accepted after it may
// be its answer, and validates the address if a peer has ever had it.
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
// I17: the bits that a session charges to types, fields, calls and overhead are those of all
// datagrams that its send() has handed out; none but those not sent yet are fewer than none.
namespace oracle_charges {
Violation check(uint64_t handed_out_bits, std::span<const TrafficRow> rows, uint16_t index);
}
// I12, that what is encoded decodes to the same and the other way round, has no oracle here: the
// fuzz targets and the tests of the codecs have it.

// --- At rest: of those that are in the session and are to agree ---

struct AtRest {
    std::span<const Node> nodes;
    std::vector<uint16_t> members; // Nodes.
    const Ledger &ledger;
};

// Q10: what is hidden from nobody any more is shown everywhere.
namespace oracle_sight {
Violation check_at_rest(const AtRest &rest);
}

// Q1: the same objects, stamps, owners, digest.
namespace oracle_convergence {
Violation check(const AtRest &at_rest);
}
// Q2: every value is the owner's.
namespace oracle_last_values {
Violation check(const AtRest &at_rest);
}
// Q3: every owner is a live member.
namespace oracle_owners {
Violation check(const AtRest &at_rest);
}
// Q4: what was destroyed by a member that stayed is dead everywhere.
namespace oracle_destroyed {
Violation check(const AtRest &at_rest);
}
// Q5: the memory of the dead is ranges, of which there are no more than living objects and creators
// (oracle_bounds::check_at_rest).
// Q9: every call that is answered has been heard or has failed, every request is over.
namespace oracle_asks {
Violation check_at_rest(const Oracles &oracles, const AtRest &at_rest);
}
// Q6: nothing is left over: every peer is in, the rosters are the members, no claim, question,
// message, UPDATE or departure is open, and each grant that is kept is needed.
namespace oracle_leftovers {
Violation check_members(const AtRest &at_rest);
Violation check(const AtRest &at_rest);
}

}
