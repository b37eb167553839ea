#include "sim/world/liveness.h"
#include "sim/world/names.h"
#include "tern/interest.hpp"
#include <algorithm>
#include <cstdio>

namespace tern::liveness {

namespace {

constexpr uint64_t second_us = 1'000'000;
constexpr uint64_t look_every_us = 20'000;
constexpr uint64_t quiet_us = 5 * second_us;
constexpr uint64_t play_us = 3 * second_us, set_every_us = second_us / 10;
// Per second, for each connection and direction.
constexpr uint64_t quiet_datagrams_max = 12, quiet_bytes_max = 800;
constexpr uint32_t loss_per_mille = 300;
constexpr uint64_t late_newcomer_us = 2 * second_us;

bool is_member(const Node &node)
{
    return node.session && node.core && session_state(node.session) == State::open;
}

// --- Stages ---

void enter(Liveness &l, Simulation &sim, LivenessStage stage, uint64_t within_us)
{
    l.stage = stage;
    l.stage_us = sim.now_us;
    l.deadline_us = sim.now_us + within_us;
    l.look_us = sim.now_us + look_every_us;
    l.probes.clear();
}

void fail(Liveness &l, Simulation &sim, Violation violation)
{
    char text[160];
    std::snprintf(text, sizeof text, " (%s, %llu ms into it, %llu ms after the healing)",
                  name(l.stage), static_cast<unsigned long long>((sim.now_us - l.stage_us) / 1000),
                  static_cast<unsigned long long>((sim.now_us - l.began_us) / 1000));
    violation.text += text;
    l.violation = violation;
    if (!sim.oracles.violation) sim.oracles.violation = violation;
}

uint64_t probe_us(const Simulation &sim)
{
    return 20 * round_trip_us(sim.options) + second_us;
}

void order(Liveness &l, Simulation &sim, Act act, uint16_t place, uint32_t thing,
           uint16_t other = 0)
{
    SimChoice choice = {};
    choice.act = act;
    choice.a = place;
    choice.b = other;
    choice.thing = thing;
    choice.when = sim.now_us;
    choice.value = act == Act::create ? int64_t{0x7654320} + THING : 0;
    simulation::order(sim, choice);
    l.probes.push_back({place, thing});
}

// --- Probes ---

void create_each(Liveness &l, Simulation &sim)
{
    auto thing = static_cast<uint32_t>(sim.things.size());
    for (uint16_t place = 0; place < sim.nodes.size(); ++place)
        if (is_member(sim.nodes[place])) order(l, sim, Act::create, place, ++thing);
}

// Each member moves its objects in each tick, and sets some of them ten times a second. It does not
// wait for the effect of these acts.
void play_each(Simulation &sim)
{
    for (uint16_t place = 0; place < sim.nodes.size(); ++place) {
        if (!is_member(sim.nodes[place])) continue;
        SimChoice choice = {};
        choice.a = place;
        for (uint64_t passed_us = 0; passed_us < play_us; passed_us += sim.nodes[place].period_us) {
            choice.when = sim.now_us + passed_us;
            const bool sets = passed_us % set_every_us < sim.nodes[place].period_us;
            choice.act = sets ? Act::sets : Act::glide;
            choice.value = sets ? static_cast<int64_t>(passed_us / set_every_us << 16 | 2) : 4;
            simulation::order(sim, choice);
        }
    }
}

bool is_probed(const Liveness &l, uint32_t thing)
{
    return std::any_of(l.probes.begin(), l.probes.end(),
                       [&](const Probe &probe) { return probe.thing == thing; });
}

// Whether a claim would be refused now, as the host sees it: for a lock or a cooldown.
bool is_refused(const Simulation &sim, ObjectId object)
{
    const uint16_t host = simulation::host_place(sim);
    if (host == no_place) return false;
    const Replica &r = inspect::replica(sim.nodes[host].session);
    const ObjectSlot slot = world::find_alive(r.world, object);
    if (slot == no_slot) return false;
    const Type &type = r.types->types[r.world.slots[slot].type];
    const bool cools =
        r.granting.granted_us[slot] != 0 &&
        r.now_us - r.granting.granted_us[slot] < uint64_t{type.claim_cooldown_ms} * 1000;
    return r.rights.locks[slot] != 0 || cools;
}

// An object that this member may destroy (own) or claim, and that no other probe uses. 0: none.
uint32_t pick(const Liveness &l, const Simulation &sim, uint16_t place, bool own)
{
    const Node &node = sim.nodes[place];
    for (const KnownObject &object : inspect::replica(node.session).world.slots.all()) {
        if (object.life != Life::alive || (object.owner == node.self) != own) continue;
        const uint32_t thing = simulation::thing(sim, object.id);
        if (thing == 0 || object.type == KEPT || is_probed(l, thing)) continue;
        if (!own && is_refused(sim, object.id)) continue;
        return thing;
    }
    return 0;
}

void tell_each(Liveness &l, Simulation &sim, Act act)
{
    for (uint16_t place = 0; place < sim.nodes.size(); ++place) {
        if (!is_member(sim.nodes[place])) continue;
        const uint32_t thing = pick(l, sim, place, act == Act::destroy);
        if (thing != 0) order(l, sim, act, place, thing);
    }
}

void call_each(Liveness &l, Simulation &sim)
{
    for (uint16_t from = 0; from < sim.nodes.size(); ++from)
        for (uint16_t to = 0; to < sim.nodes.size(); ++to)
            if (from != to && is_member(sim.nodes[from]) && is_member(sim.nodes[to]))
                order(l, sim, Act::call, from, 0, to);
}

void start_one(Liveness &l, Simulation &sim)
{
    for (uint16_t place = 0; place < sim.nodes.size(); ++place) {
        if (sim.nodes[place].session) continue;
        SimChoice choice = {};
        choice.act = Act::start;
        choice.a = place;
        sim.nodes[place].core = true;
        // The newcomer must reach the member through which it joins, and those that it meets there.
        for (uint16_t other = 0; other < sim.nodes.size(); ++other)
            wire::route(sim.wire, place, other).severed =
                wire::route(sim.wire, other, place).severed = false;
        if (simulation::happen(sim, choice)) l.probes.push_back({place, 0});
        return;
    }
}

Violation wrong(const Simulation &sim, const Probe &probe, const char *what)
{
    const ObjectId object = simulation::object(sim, probe.thing);
    return oracles::violation("L1", object, probe.place, "peer %s %s %s",
                              names::text(sim.nodes[probe.place].self).c_str(), what,
                              names::text(object).c_str());
}

// Whether the probe has had its effect. Call it when the core agrees on all objects.
Violation check_probe(const Liveness &l, const Simulation &sim, const Probe &probe)
{
    const Node &node = sim.nodes[probe.place];
    const ObjectId object = simulation::object(sim, probe.thing);
    if (!is_member(node)) return wrong(sim, probe, "is not in the session any more");
    switch (l.stage) {
    case LivenessStage::claiming:
        if (exists(node.session, object) && object_owner(node.session, object) == node.self)
            return {};
        return wrong(sim, probe, "has claimed and does not own");
    case LivenessStage::destroying:
        return exists(node.session, object) ? wrong(sim, probe, "has destroyed and still has")
                                            : Violation{};
    default: return {};
    }
}

bool calls(LivenessStage stage)
{
    return stage == LivenessStage::calling || stage == LivenessStage::lossy_calling;
}

// Whether every ordered act was carried out: each place does its acts at its next tick. A game may
// still have to answer a claim from before, and grants the object to whoever claimed it then.
bool is_ordered(const Simulation &sim)
{
    const uint16_t host = simulation::host_place(sim);
    if (host != no_place && !sim.places[host].pending.empty()) return false;
    return std::all_of(sim.places.begin(), sim.places.end(),
                       [](const Place &place) { return place.next_act == place.acts.size(); });
}

// Why the stage cannot end yet. Empty: it can.
Violation open_end(const Liveness &l, const Simulation &sim)
{
    if (!is_ordered(sim))
        return oracles::violation("L1", ObjectId::none, 0,
                                  "a peer has not ticked, or the host has a claim to answer");
    if (calls(l.stage)) {
        const uint64_t count = oracles::calls_under_way(sim.oracles, sim.nodes);
        const char *invariant = l.stage == LivenessStage::lossy_calling ? "L2" : "L1";
        if (count > 0)
            return oracles::violation(invariant, ObjectId::none, 0,
                                      "%llu reliable calls have not been heard",
                                      static_cast<unsigned long long>(count));
        if (l.stage == LivenessStage::lossy_calling) return {};
    }
    Violation violation = oracles::quiescent(sim.oracles, sim.nodes);
    for (size_t i = 0; i < l.probes.size() && !violation; ++i)
        violation = check_probe(l, sim, l.probes[i]);
    return violation;
}

// --- Loss, and quiet ---

// The events of all games without calls, because an unreliable call may arrive late, and one that
// was lost before the healing fails half a minute later.
uint64_t heard_of(const Simulation &sim)
{
    return sim.counts.events - sim.counts.calls_received - sim.counts.calls_unanswered;
}

void begin_quiet(Liveness &l, Simulation &sim)
{
    enter(l, sim, LivenessStage::quiet, quiet_us);
    l.quiet_datagrams = sim.wire.counts.sent;
    l.quiet_bytes = sim.wire.counts.bytes;
    l.quiet_events = heard_of(sim);
    const auto members =
        static_cast<uint16_t>(std::count_if(sim.nodes.begin(), sim.nodes.end(), is_member));
    l.connections = static_cast<uint16_t>(members * (members - 1));
}

void end_quiet(Liveness &l, Simulation &sim)
{
    const uint64_t each = std::max<uint64_t>(l.connections, 1) * (quiet_us / second_us);
    l.quiet_datagrams_per_s = (sim.wire.counts.sent - l.quiet_datagrams) / each;
    l.quiet_bytes_per_s = (sim.wire.counts.bytes - l.quiet_bytes) / each;
    const uint64_t events = heard_of(sim) - l.quiet_events;
    if (l.quiet_datagrams_per_s <= quiet_datagrams_max && l.quiet_bytes_per_s <= quiet_bytes_max &&
        events == 0)
        return enter(l, sim, LivenessStage::done, 0);
    fail(l, sim,
         oracles::violation("L3", ObjectId::none, 0,
                            "while nothing happens each connection takes %llu datagrams and %llu "
                            "bytes a second each way, and the games hear of %llu events",
                            static_cast<unsigned long long>(l.quiet_datagrams_per_s),
                            static_cast<unsigned long long>(l.quiet_bytes_per_s),
                            static_cast<unsigned long long>(events)));
}

// --- The order of stages ---

void begin_next(Liveness &l, Simulation &sim)
{
    const uint64_t took_us = sim.now_us - l.stage_us;
    if (l.stage == LivenessStage::agreeing)
        l.agreed_us = took_us;
    else if (l.stage <= LivenessStage::joining)
        l.slowest_probe_us = std::max(l.slowest_probe_us, took_us);
    const auto next = static_cast<LivenessStage>(static_cast<uint8_t>(l.stage) + 1);
    const bool lossy = next == LivenessStage::lossy_calling;
    const uint64_t timeout_us = uint64_t{sim.options.timeout_ms} * 1000;
    const uint64_t loss_us = // Probes back off up to an eighth of the timeout.
        60 * round_trip_us(sim.options) + std::max(5 * second_us, timeout_us);
    if (next == LivenessStage::quiet) return begin_quiet(l, sim);
    // A newcomer may reach a bridged member only at its second try (docs/membership.md, "Paths").
    const uint64_t relay_candidates_us = next == LivenessStage::joining ? 2 * second_us : 0;
    const uint64_t acts_us = next == LivenessStage::playing ? play_us : 0;
    enter(l, sim, next, lossy ? loss_us : probe_us(sim) + relay_candidates_us + acts_us);
    if (next == LivenessStage::creating) create_each(l, sim);
    if (next == LivenessStage::claiming) tell_each(l, sim, Act::claim);
    if (next == LivenessStage::destroying) tell_each(l, sim, Act::destroy);
    if (next == LivenessStage::joining) start_one(l, sim);
    if (next == LivenessStage::playing) play_each(sim);
    if (lossy) wire::set_loss(sim.wire, loss_per_mille);
    if (calls(next)) call_each(l, sim);
    if (next == LivenessStage::calming) wire::set_loss(sim.wire, 0);
}

void look(Liveness &l, Simulation &sim)
{
    l.look_us = sim.now_us + look_every_us;
    if (l.stage == LivenessStage::quiet) {
        if (sim.now_us >= l.deadline_us) end_quiet(l, sim);
        return;
    }
    while (simulation::end_the_few(sim)) {
    }
    // If the core was split before the healing, too few may be left. That is no violation.
    const bool over = std::none_of(sim.nodes.begin(), sim.nodes.end(), is_member);
    if (over && !l.intact) return enter(l, sim, LivenessStage::done, 0);
    Violation violation = open_end(l, sim);
    if (over && !violation)
        violation =
            oracles::violation("L1", ObjectId::none, 0, "nobody is in the session any more");
    if (!violation) return begin_next(l, sim);
    if (sim.now_us >= l.deadline_us) fail(l, sim, violation);
}

}

uint64_t round_trip_us(const SimOptions &options)
{
    return 2 * (uint64_t{options.latency_us_high} + options.tick_us_high);
}

// Three timeouts: the failure detectors must notice peers that have ended, and the departure that
// follows may wait for a member that ended meanwhile. Two join timeouts: a peer that was joining
// joins or gives up, and members without a connection connect again, perhaps only after a handshake
// from before the healing has run out.
uint64_t bound_us(const SimOptions &options)
{
    const uint64_t timeout_us = uint64_t{options.timeout_ms} * 1000;
    const uint64_t join_us = uint64_t{options.join_timeout_ms} * 1000;
    return 20 * round_trip_us(options) + 3 * timeout_us + 2 * join_us + 10 * second_us;
}

const char *name(LivenessStage stage)
{
    switch (stage) {
    case LivenessStage::agreeing: return "agreeing";
    case LivenessStage::creating: return "creating";
    case LivenessStage::claiming: return "claiming";
    case LivenessStage::destroying: return "destroying";
    case LivenessStage::calling: return "calling";
    case LivenessStage::joining: return "joining";
    case LivenessStage::playing: return "playing";
    case LivenessStage::lossy_calling: return "calling under 30 % loss";
    case LivenessStage::calming: return "calming";
    case LivenessStage::quiet: return "quiet";
    case LivenessStage::done: return "done";
    }
    return "";
}

// Whether the core has a host, all of it are members of that host's session, and no member has
// fenced another one.
static bool is_intact(const Simulation &sim)
{
    const uint16_t host = simulation::host_place(sim);
    if (host == no_place || !sim.nodes[host].core) return false;
    const Replica &r = inspect::replica(sim.nodes[host].session);
    for (const Node &node : sim.nodes) {
        if (!node.session || !node.core || !inspect::is_in(node.session)) continue;
        const Replica &other = inspect::replica(node.session);
        if (!replica::is_member(r, node.self) || !replica::is_member(other, r.self)) return false;
        for (const Member &member : other.members.all())
            if (member.id != PeerId::none && member.fenced && replica::is_member(r, member.id))
                return false;
    }
    return true;
}

// Resets all priorities to 1: objects that the games hid or updated less often would never agree.
static void show_all(Simulation &sim, uint16_t place)
{
    const Node &node = sim.nodes[place];
    if (!node.session || !inspect::is_in(node.session)) return;
    for (const KnownObject &object : inspect::replica(node.session).world.slots.all())
        for (const PeerId peer : other_peers(node.session))
            if (object.life == Life::alive && set_priority(node.session, object.id, peer, 1))
                oracles::preferred(sim.oracles, node, place, {object.id, peer, 1});
}

static std::vector<uint16_t> newcomers(const Simulation &sim)
{
    std::vector<uint16_t> places;
    for (uint16_t place = 0; place < sim.nodes.size(); ++place) {
        const Session *session = sim.nodes[place].session;
        if (session && session_state(session) == State::joining) places.push_back(place);
    }
    return places;
}

Liveness begin(Simulation &sim)
{
    Liveness l = {};
    const std::vector<uint16_t> joining = newcomers(sim);
    simulation::begin_liveness(sim);
    for (uint16_t place = 0; place < sim.nodes.size(); ++place)
        show_all(sim, place);
    l.intact = is_intact(sim);
    l.began_us = sim.now_us;
    enter(l, sim, LivenessStage::agreeing, bound_us(sim.options));
    // What a newcomer has sent before it ended may still have the host let it in, for a timeout.
    if (std::any_of(joining.begin(), joining.end(),
                    [&](uint16_t place) { return !sim.nodes[place].session; }))
        l.look_us += late_newcomer_us;
    return l;
}

bool step(Liveness &l, Simulation &sim)
{
    if (l.stage == LivenessStage::done || l.violation) return false;
    if (!simulation::step(sim)) {
        l.violation = sim.oracles.violation;
        return false;
    }
    if (sim.now_us >= l.look_us) look(l, sim);
    return l.stage != LivenessStage::done && !l.violation;
}

void play(Simulation &sim)
{
    if (sim.oracles.violation || sim.is_void) return;
    Liveness l = begin(sim);
    while (!sim.is_void && step(l, sim)) {
    }
}

}
