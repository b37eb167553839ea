// The beginning of the liveness phase: chooses the core, heals it, and ends all other peers.
#include "base/assert.h"
#include "sim/world/simulation.h"
#include "tern/diagnostics.hpp"
#include <algorithm>
#include <vector>

namespace tern::simulation {

static void heal(Simulation &sim, uint16_t place)
{
    Place &p = sim.places[place];
    if (p.rebound_until_us > 0) p.rebound_until_us = sim.now_us;
    settle_address(sim, place);
    if (p.paused_until_us > sim.now_us || p.slow_until_us > sim.now_us)
        sim.nodes[place].next_tick_us = sim.now_us + 1;
    p.paused_until_us = p.slow_until_us = p.full_until_us = p.flooded_until_us = 0;
    p.skew_ppm = 0;
    p.grain_us = 0;
    uint64_t &troubled_us = sim.nodes[place].troubled_us;
    troubled_us = std::min(troubled_us, sim.now_us);
    sim.nodes[place].shows_clock = sim.now_us - troubled_us >= clock_steady_us;
    p.acts.clear();
    p.next_act = 0;
}

static bool is_in(const Node &node)
{
    return node.session && node.core && inspect::is_in(node.session);
}

// Whether the node can send to the other one: it has a connection, or knows its address.
static bool reaches(const Node &node, const Node &other)
{
    if (peer_stats(node.session, other.self).rtt_us != 0) return true;
    const Replica &r = inspect::replica(node.session);
    return r.members[replica::find_member(r, other.self)].identity.address == other.address;
}

enum class Finding : uint8_t { all, reachable };

// Whether the session can go on with those of its members that are in the core and count this peer
// as one of theirs. Finding::reachable: two that have moved at the same time do not find each
// other.
static bool can_go_on(const Simulation &sim, const Node &node, Finding finding)
{
    const Replica &r = inspect::replica(node.session);
    std::vector<uint8_t> away(r.members.count, 0);
    for (MemberSlot slot = 0; slot < r.members.count; ++slot) {
        const PeerId member = r.members[slot].id;
        const auto follows = [&](const Node &other) {
            return other.core && other.session && other.self == member &&
                   replica::is_member(inspect::replica(other.session), node.self) &&
                   (finding == Finding::all || reaches(node, other) || reaches(other, node));
        };
        away[slot] = member != PeerId::none && member != node.self &&
                     std::none_of(sim.nodes.begin(), sim.nodes.end(), follows);
    }
    return replica::has_quorum(r, away);
}

// Whether the core has a majority of the votes by the count of each of its members, as a departure
// of all the others requires.
static bool is_majority(const Simulation &sim)
{
    return std::all_of(sim.nodes.begin(), sim.nodes.end(), [&](const Node &node) {
        return !is_in(node) || can_go_on(sim, node, Finding::all);
    });
}

static bool counts(const Node &node, const Node &other)
{
    return replica::is_member(inspect::replica(node.session), other.self);
}

// Whether this member is or becomes a host, when all those that are not in the core have gone.
static bool is_next_host(const Simulation &sim, const Node &node)
{
    return std::none_of(sim.nodes.begin(), sim.nodes.end(), [&](const Node &other) {
        return other.core && is_in(other) && counts(node, other) && other.self < node.self;
    });
}

static bool finds(const Simulation &sim, const Node &node, const Node &other)
{
    return counts(node, other) ||
           (is_next_host(sim, node) && inspect::seeks(node.session, other.session, other.address));
}

// With Quorum::survivors there may be several sessions. Whether they meet with these members: a
// newcomer that is left alone knows no former member (docs/membership.md, "Meetings").
static bool all_meet(const Simulation &sim)
{
    std::vector<const Node *> found, missing;
    for (const Node &node : sim.nodes)
        if (node.core && is_in(node)) (found.empty() ? found : missing).push_back(&node);
    for (size_t i = 0; i < found.size(); ++i) {
        const auto is_found = [&](const Node *other) {
            return finds(sim, *found[i], *other) || finds(sim, *other, *found[i]);
        };
        const auto rest = std::partition(missing.begin(), missing.end(), is_found);
        found.insert(found.end(), missing.begin(), rest);
        missing.erase(missing.begin(), rest);
    }
    return missing.empty();
}

bool end_the_few(Simulation &sim)
{
    for (uint16_t place = 0; place < sim.nodes.size(); ++place) {
        const Node &node = sim.nodes[place];
        if (!is_in(node) || session_state(node.session) != State::cut_off) continue;
        if (inspect::replica(node.session).fault == Fault::none &&
            can_go_on(sim, node, Finding::reachable))
            continue;
        sim.nodes[place].core = false;
        end_peer(sim, place);
        return true;
    }
    return false;
}

static bool hear_each_other(Simulation &sim, uint16_t a, uint16_t b)
{
    return !wire::route(sim.wire, a, b).severed && !wire::route(sim.wire, b, a).severed;
}

// Whether a member of the core reaches both. In a star no client bridges others, and any two peers
// may have to be host and client, so none counts as bridged. Nor do hosts of two sessions that are
// to meet.
static bool is_bridged(Simulation &sim, uint16_t a, uint16_t b)
{
    if (sim.options.topology == Topology::star) return false;
    if (sim.options.quorum == Quorum::survivors) return false;
    if (!is_in(sim.nodes[a]) || !is_in(sim.nodes[b])) return false;
    for (uint16_t c = 0; c < sim.options.places; ++c)
        if (c != a && c != b && is_in(sim.nodes[c]) && hear_each_other(sim, a, c) &&
            hear_each_other(sim, b, c))
            return true;
    return false;
}

static void heal_severed(Simulation &sim)
{
    std::vector<Route *> healed;
    for (uint16_t a = 0; a < sim.options.places; ++a)
        for (uint16_t b = 0; b < sim.options.places; ++b)
            if (a != b && !is_bridged(sim, a, b)) healed.push_back(&wire::route(sim.wire, a, b));
    for (Route *route : healed)
        route->severed = false;
}

void begin_liveness(Simulation &sim)
{
    TERN_ASSERT(!sim.liveness, "twice");
    sim.liveness = true;
    for (Moment &moment : sim.later) // Cuts and pauses end now.
        moment.time_us = std::min(moment.time_us, sim.safety_end_us);
    sim.now_us = std::max(sim.now_us, sim.safety_end_us);
    wire::calm(sim.wire);
    for (uint16_t place = 0; place < sim.options.places; ++place) {
        sim.nodes[place].core = sim.nodes[place].session != nullptr;
        heal(sim, place);
    }
    for (uint16_t place = 0; place < sim.options.places; ++place) {
        if (!is_liar(sim, place) || !sim.nodes[place].core) continue;
        sim.nodes[place].core = false;
        end_peer(sim, place);
    }
    for (uint16_t place = 0; place < sim.options.places; ++place) {
        const uint64_t coin = dice::key(sim.options.seed, Stream::core, place);
        if (!sim.nodes[place].core || dice::per_mille(coin, 700)) continue;
        sim.nodes[place].core = false;
        sim.nodes[place].core = !is_majority(sim) || !all_meet(sim);
        if (!sim.nodes[place].core) end_peer(sim, place);
    }
    heal_severed(sim);
}

}
