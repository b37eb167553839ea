// Runs the oracles over a simulated run: the caller reports what happens, and the oracles check
// their invariants after each tick and at rest. Oracles::violation keeps the first Violation.
// oracle_checks.h lists the invariants; each has a file of its own.
#pragma once
#include "sim/oracles/oracle_types.h"

namespace tern::oracles {

// --- Reports, in the order of events. `node` is an index of `nodes` ---

// A new peer starts at this node: the record of the last one is dropped.
void peer_started(Oracles &oracles, std::span<const Node> nodes, uint16_t node);
void peer_gone(Oracles &oracles, std::span<const Node> nodes, uint16_t node);
// The session was removed while it was cut off, and joins again as a new peer.
void peer_comes_back(Oracles &oracles, std::span<const Node> nodes, uint16_t node);
// The session joins again as a new peer, with the same socket and keys.
void peer_starts_over(Oracles &oracles, uint16_t node);
// Call received_by() for each datagram before receive(), and sent() for each datagram that the node
// sends.
void received_by(Oracles &oracles, std::span<const Node> nodes, uint16_t node,
                 const Datagram &datagram);
void sent(Oracles &oracles, std::span<const Node> nodes, uint16_t node, const Datagram &datagram);
// After each send(), also the last one of a session: the datagrams that it returned, and
// traffic_rows().
void handed_out(Oracles &oracles, uint16_t node, std::span<const Datagram> datagrams,
                std::span<const TrafficRow> charged);
// After receive() of a tick, before the game acts, when Node::events is filled.
void heard(Oracles &oracles, std::span<const Node> nodes, uint16_t node);
// When the game has acted, before send(); Node::played is filled.
void played(Oracles &oracles, const Node &node, uint16_t index);
// The game of this sender has set a priority.
void preferred(Oracles &oracles, const Node &node, uint16_t index, const Preference &preference);
// Call these around receive() and around send(), which must not allocate.
void work_begins(Oracles &oracles);
void work_ends(Oracles &oracles, uint16_t node);
// After receive(), the game and send() of a tick, when the members of the Node are filled.
void ticked(Oracles &oracles, std::span<const Node> nodes, uint16_t node);

// --- At rest ---

// The first invariant at rest that does not hold yet for the peers of the core that are in the
// session or joining it. Empty: they agree, and nothing is left over.
Violation quiescent(const Oracles &oracles, std::span<const Node> nodes);
// The number of reliable calls between these peers that were sent and not received. Calls lost with
// an ended connection do not count.
uint64_t calls_under_way(const Oracles &oracles, std::span<const Node> nodes);

// --- Over two runs ---

// M1: an object that a game or the host destroyed in both runs is destroyed in both, at all peers
// that are in the session.
Violation compare_runs(const Oracles &one, std::span<const Node> one_nodes, const Oracles &other,
                       std::span<const Node> other_nodes);

}
