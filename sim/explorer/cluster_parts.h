// The layout of ClusterState::parts. Only for the files that implement cluster.h.
#pragma once
#include "sim/explorer/cluster.h"

namespace tern::cluster_parts {

// The last parts: two of counts of moves made, one of who destroyed what.
inline constexpr uint32_t tail_count = 3;

inline uint32_t pair_count(const Cluster &c)
{
    return c._places * (c._places - 1);
}

inline uint32_t pair(const Cluster &c, PeerPlace from, PeerPlace to)
{
    return from * (c._places - 1) + (to < from ? to : to - 1u);
}

inline uint32_t stream_part(const Cluster &c, PeerPlace from, PeerPlace to)
{
    return c._places + pair(c, from, to);
}

inline bool has_bags(const Cluster &c)
{
    return c._scope.updates > 0 || c._scope.hides > 0;
}

inline uint32_t bag_part(const Cluster &c, PeerPlace from, PeerPlace to)
{
    return c._places + pair_count(c) + pair(c, from, to);
}

inline bool has_holds(const Cluster &c)
{
    return c._scope.holds > 0;
}

inline uint32_t hold_part(const Cluster &c, PeerPlace from, PeerPlace to)
{
    return c._part_count - tail_count - pair_count(c) + pair(c, from, to);
}

inline bool is_held(const Cluster &c, const ClusterState &s, PeerPlace from, PeerPlace to)
{
    return has_holds(c) && s.parts[hold_part(c, from, to)] != 0;
}

enum Budget : uint32_t {
    creates,
    claims,
    destroys,
    crashes,
    updates,
    joins,
    losses,
    waits,
    holds,
    suspicions,
    forges,
    locks,
    releases,
    hides,
    lies
};
inline constexpr uint32_t budgets_per_part = 8; // 4 bits each.

inline uint32_t spent_part(const Cluster &c, Budget budget)
{
    return c._part_count - tail_count + budget / budgets_per_part;
}

inline uint32_t spent(const Cluster &c, const ClusterState &s, Budget budget)
{
    return s.parts[spent_part(c, budget)] >> 4 * (budget % budgets_per_part) & 15;
}

inline const Glance &glance(const Cluster &c, const ClusterState &s, PeerPlace place)
{
    return peer_steps::glance(c._steps, s.parts[place]);
}

inline bool knows(const Glance &glance, PeerPlace place)
{
    return (glance.known >> place & 1) != 0;
}

inline bool lists(const Glance &glance, PeerPlace place)
{
    return (glance.roster >> place & 1) != 0;
}

// True if `to` would not read the next message of `from`. A newcomer reads a WELCOME first, and a
// member reads nothing from peers that it does not know yet, or has dropped.
inline bool is_deaf(const Cluster &c, const ClusterState &s, PeerPlace to, PeerPlace from)
{
    if (s.parts[to] == 0) return true;
    const Glance &there = glance(c, s, to);
    if (there.phase != Phase::outside) return !knows(there, from);
    const uint32_t head = c._lists[s.parts[stream_part(c, from, to)]].message;
    return head == 0 ||
           peer_steps::message(c._steps, head)[0] != static_cast<std::byte>(MessageKind::welcome);
}

// True if `by` has no connection to `who` any more: `by` has crashed or ended, or it knew `who` and
// has fenced it.
inline bool has_closed(const Cluster &c, const ClusterState &s, PeerPlace by, PeerPlace who)
{
    if (s.parts[by] == 0) return true;
    const Glance &there = glance(c, s, by);
    return there.phase != Phase::outside && !lists(there, who) && who <= there.last;
}

// True if `by` reacts to the departure of `who`: `who` is on its roster, and one of the two is the
// host that `by` follows.
inline bool minds(const Cluster &c, const ClusterState &s, PeerPlace by, PeerPlace who)
{
    if (s.parts[by] == 0) return false;
    const Glance &there = glance(c, s, by);
    return there.phase != Phase::outside && lists(there, who) && who != by &&
           (there.leader == who || there.leader == by);
}

inline bool can_notice(const Cluster &c, const ClusterState &s, PeerPlace who, PeerPlace by)
{
    // A liar takes no notice of its removal.
    const bool is_removed = by == cluster::liar(c) && s.parts[who] != 0;
    return minds(c, s, by, who) && has_closed(c, s, who, by) && !is_removed;
}

// In a star a member takes messages about objects only from its host, and the host from its
// members. Messages of any other peer wait until one of the two is the host of the other.
inline bool is_aside(const Cluster &c, const ClusterState &s, PeerPlace from, PeerPlace to)
{
    const Glance &there = glance(c, s, to);
    return c._scope.star && there.leader != to && there.leader != from;
}

// Adds the moves of the liar towards `to`.
void lying(const Cluster &c, const ClusterState &s, PeerPlace to, std::vector<Move> &moves);
// The content of the lie that this move sends.
Lie lie_of(const Cluster &c, const ClusterState &s, const Move &move);

}
