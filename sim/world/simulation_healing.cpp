// The beginning of the liveness phase: chooses the core, heals it, and ends all other peers.
#include "base/assert.h"
#include "sim/world/simulation.h"
#include <algorithm>

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
    p.acts.clear();
    p.next_act = 0;
}

// Whether the core has a majority of the votes by the count of each of its members, as a departure
// of all the others requires. With up to two voters any part may go on.
static bool is_majority(const Simulation &sim)
{
    for (const Node &node : sim.nodes) {
        if (!node.core || session_state(node.session) != State::open) continue;
        uint32_t voters = 0, there = 0, old_voters = 0, old_there = 0;
        for (const Member &member : inspect::replica(node.session).members.all()) {
            if (member.id == PeerId::none || !member.votes || member.said_goodbye) continue;
            const bool is_there =
                std::any_of(sim.nodes.begin(), sim.nodes.end(), [&](const Node &other) {
                    return other.core && other.self == member.id;
                });
            voters += 1;
            there += is_there;
            old_voters += !member.vote_is_new;
            old_there += !member.vote_is_new && is_there;
        }
        if (voters > 2 && (2 * there <= voters || 2 * old_there <= old_voters)) return false;
    }
    return true;
}

static bool hear_each_other(Simulation &sim, uint16_t a, uint16_t b)
{
    return !wire::route(sim.wire, a, b).severed && !wire::route(sim.wire, b, a).severed;
}

static bool is_open(const Simulation &sim, uint16_t place)
{
    return sim.nodes[place].core && session_state(sim.nodes[place].session) == State::open;
}

// Whether a member of the core reaches both. In a star no client bridges others, and any two peers
// may have to be host and client, so none counts as bridged.
static bool is_bridged(Simulation &sim, uint16_t a, uint16_t b)
{
    if (sim.options.topology == Topology::star) return false;
    if (!is_open(sim, a) || !is_open(sim, b)) return false;
    for (uint16_t c = 0; c < sim.options.places; ++c)
        if (c != a && c != b && is_open(sim, c) && hear_each_other(sim, a, c) &&
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
        const uint64_t coin = dice::key(sim.options.seed, Stream::core, place);
        if (!sim.nodes[place].core || dice::per_mille(coin, 700)) continue;
        sim.nodes[place].core = false;
        sim.nodes[place].core = !is_majority(sim);
        if (!sim.nodes[place].core) end_peer(sim, place);
    }
    heal_severed(sim);
}

}
