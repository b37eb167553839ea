// Everything that must hold in a run, looked at after each tick and at rest. The first Violation is
// kept. oracle_checks.h lists the invariants; each has a file of its own.
#pragma once
#include "sim/oracles/oracle_types.h"

namespace tern::oracles {

// --- What happens, in the order in which it happens ---

// A new peer at this place: what the last one believed counts no more.
void peer_started(Oracles &oracles, std::span<const Node> nodes, uint16_t node);
void peer_gone(Oracles &oracles, std::span<const Node> nodes, uint16_t node);
// As another peer, by the same socket and under keys that it has.
void peer_starts_over(Oracles &oracles, uint16_t node);
// What arrives at a node, before it is given to its session; what it sends.
void received_by(Oracles &oracles, std::span<const Node> nodes, uint16_t node,
                 const Datagram &datagram);
void sent(Oracles &oracles, std::span<const Node> nodes, uint16_t node, const Datagram &datagram);
// After each send(), that of a session at its end too: what it gave, and traffic().
void handed_out(Oracles &oracles, uint16_t node, std::span<const Datagram> datagrams,
                std::span<const TrafficRow> charged);
// Around receive() and around send(), where nothing may allocate.
void work_begins(Oracles &oracles);
void work_ends(Oracles &oracles, uint16_t node);
// After receive, play and send, when the fields of the node have been filled.
void ticked(Oracles &oracles, std::span<const Node> nodes, uint16_t node);

// --- At rest ---

// What keeps those of the core that are in the session, or on the way into it, from being agreed
// and done. Empty: nothing.
Violation quiescent(const Oracles &oracles, std::span<const Node> nodes);
// The reliable calls of these to each other that have been said and not heard.
uint64_t calls_under_way(const Oracles &oracles, std::span<const Node> nodes);

// --- Over two runs ---

// M1: of the objects whose destruction a game was granted in both, each is dead in both, at all
// that are in the session.
Violation compare_runs(const Oracles &one, std::span<const Node> one_nodes, const Oracles &other,
                       std::span<const Node> other_nodes);

}
