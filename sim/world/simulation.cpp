#include "sim/world/simulation.h"
#include "base/assert.h"
#include "base/bits.h"
#include "base/hash.h"
#include "sim/world/sodium_source.h"
#include "tern/untyped.hpp"
#include <algorithm>

namespace tern {

Simulation::~Simulation()
{
    for (size_t i = 0; i < nodes.size(); ++i) {
        sodium_source::use(&places[i].crypto);
        destroy_session(nodes[i].session);
        destroy_session(places[i].ending);
    }
    if (!nodes.empty()) sodium_source::let_go();
}

namespace simulation {

static constexpr uint64_t start_us = 1'000'000;
static constexpr uint32_t ending_ticks_max = 6; // A goodbye takes three ticks.

// --- Making ---

static constexpr Field written_fields[] = {
    {"tenure", FieldKind::uint64, offsetof(Written, tenure)},
    {"sequence", FieldKind::uint32, offsetof(Written, sequence)},
    {"writer", FieldKind::peer, offsetof(Written, writer)},
    {"position", FieldKind::float32, offsetof(Written, position), 3, -100, 100, 0.01},
    {"health", FieldKind::int32, offsetof(Written, health), 1, 0, 100}};
// Like written_fields, but with an error bound: the small steps of nudge() (workload.cpp) stay
// within it for some ticks and are suppressed.
static constexpr Field bounded_fields[] = {
    {"tenure", FieldKind::uint64, offsetof(Written, tenure)},
    {"sequence", FieldKind::uint32, offsetof(Written, sequence)},
    {"writer", FieldKind::peer, offsetof(Written, writer)},
    {"position", FieldKind::float32, offsetof(Written, position), 3, -100, 100, 0.01, 0.5},
    {"health", FieldKind::int32, offsetof(Written, health), 1, 0, 100}};
static constexpr Field numbered_fields[] = {
    {"about", FieldKind::object, offsetof(Numbered, about)},
    {"sequence", FieldKind::uint32, offsetof(Numbered, sequence)},
    {"from", FieldKind::peer, offsetof(Numbered, from)},
    {"to", FieldKind::peer, offsetof(Numbered, to)},
    {"reliable", FieldKind::boolean, offsetof(Numbered, reliable)},
    {"ask", FieldKind::uint8, offsetof(Numbered, ask)}};

// The games keep `objects` alive, most of them of the type THING: so the types are often full, and
// what is free has to move between the peers.
static std::vector<Type> make_types(uint32_t objects, bool bounded)
{
    const uint32_t most = (objects + 1) / 2;
    std::vector<Type> types(LIMITED + 1u);
    types[THING] = {"thing", sizeof(Written), written_fields, most, Orphan::hold};
    types[MORTAL] = {"mortal", sizeof(Written), written_fields, most, Orphan::destroy};
    types[MORTAL].claim_cooldown_ms = 300;
    types[ASKED] = {"asked", sizeof(Written),  written_fields,
                    most,    Orphan::ask_game, ClaimPolicy::ask_game};
    if (bounded) types[ASKED].fields = bounded_fields;
    types[MORTAL].predicted = types[ASKED].predicted = true; // Two of the four types of objects.
    types[KEPT] = {"kept", sizeof(Written), written_fields,
                   most,   Orphan::spread,  ClaimPolicy::never};
    types[NUMBERED] = {"numbered", sizeof(Numbered), numbered_fields};
    types[ANSWERED] = {"answered", sizeof(Numbered), numbered_fields};
    types[BY_OWNER] = {"by_owner", sizeof(Numbered), numbered_fields};
    types[BY_OWNER].callers = Callers::owner;
    types[BY_HOST] = {"by_host", sizeof(Numbered), numbered_fields};
    types[BY_HOST].callers = Callers::host;
    types[LIMITED] = {"limited", sizeof(Numbered), numbered_fields};
    types[LIMITED].calls_per_second_max = limited_calls_per_second;
    return types;
}

static void shape_place(Simulation &sim, uint16_t place)
{
    Place &p = sim.places[place];
    Dice shape = dice::make(sim.options.seed, Stream::shape, place);
    p.period_us = dice::within(shape, sim.options.tick_us_low, sim.options.tick_us_high);
    sim.nodes[place].period_us = p.period_us;
    p.next_address = place;
    p.clock_exact_us = dice::within(shape, 0, 1'000'000'000);
    sim.nodes[place].next_tick_us = start_us + dice::within(shape, 0, p.period_us - 1);
    for (size_t i = 0; i < fault_kind_count; ++i) {
        const FaultRange &range = sim.options.faults.ranges[i];
        const uint64_t draw = dice::next(shape);
        if (range.on)
            p.weights[i] = static_cast<uint32_t>(dice::within(draw, range.low, range.high));
    }
    p.limits_call_events = dice::within(shape, 0, 3) == 0;
    sim.wire.addresses[place] = no_place;
}

static void check(const SimOptions &o)
{
    TERN_ASSERT(o.places >= 2 && o.places <= places_max, "places %u", o.places);
    TERN_ASSERT(o.seconds >= 1 && o.seconds <= 100'000, "seconds %u", o.seconds);
    TERN_ASSERT(o.objects >= 1 && o.objects <= 10'000, "objects %u", o.objects);
    TERN_ASSERT(o.tick_us_low >= 1000 && o.tick_us_low <= o.tick_us_high, "tick_us %u..%u",
                o.tick_us_low, o.tick_us_high);
    TERN_ASSERT(o.latency_us_low <= o.latency_us_high, "latency_us %u..%u", o.latency_us_low,
                o.latency_us_high);
}

static std::unique_ptr<Simulation> make_either(const SimOptions &options, Keep keep)
{
    check(options);
    auto made = std::make_unique<Simulation>();
    Simulation &sim = *made;
    sim.options = options;
    sim.types = make_types(options.objects, options.seed % 4 != 3); // Bounds change snapshots.
    sim.records = keep.choices;
    sim.keeps_history = keep.history;
    sim.now_us = start_us;
    sim.safety_end_us = start_us + uint64_t{options.seconds} * 1'000'000;
    sim.next_stranger = first_stranger;
    sim.next_shared = first_shared;
    sim.digest = hash::start;
    sodium_source::hold();
    sim.nodes.resize(options.places);
    sim.places.resize(options.places);
    sim.wire = wire::make(options);
    sim.oracles.paths = &sim.wire.health;
    if (options.liars > 0)
        sim.oracles.liars_first = static_cast<uint16_t>(options.places - options.liars);
    sim.wire.records = keep.choices;
    sim.history.title = "seed " + std::to_string(options.seed);
    for (uint16_t place = 0; place < options.places; ++place) {
        shape_place(sim, place);
        sim.history.lanes.push_back("place " + std::to_string(place) +
                                    (place == 0 ? " first" : ""));
        sim.history.peers.push_back(PeerId::none);
    }
    start_peer(sim, 0);
    return made;
}

// Nothing happens that may end a peer or its connections for long.
static bool is_calm(const Faults &faults)
{
    for (size_t i = 0; i < fault_kind_count; ++i) {
        const auto kind = static_cast<FaultKind>(i);
        if (faults::is_count(kind) && faults::range(faults, kind).on) return false;
    }
    return true;
}

static bool is_calm(const std::vector<SimChoice> &choices)
{
    return std::none_of(choices.begin(), choices.end(), [](const SimChoice &choice) {
        const bool goes = choice.act == Act::leave || choice.act == Act::remove;
        return goes || (script::is_world(choice.act) && choice.act != Act::start);
    });
}

std::unique_ptr<Simulation> make(const SimOptions &options, Keep keep)
{
    std::unique_ptr<Simulation> made = make_either(options, keep);
    made->oracles.all_stay = is_calm(options.faults);
    make_plan(*made);
    return made;
}

static void sort(std::vector<SimChoice> &choices)
{
    std::stable_sort(choices.begin(), choices.end(),
                     [](const SimChoice &x, const SimChoice &y) { return x.when < y.when; });
}

std::unique_ptr<Simulation> make(const SimOptions &options, const std::vector<SimChoice> &choices,
                                 Keep keep)
{
    std::unique_ptr<Simulation> made = make_either(options, {false, keep.history});
    Simulation &sim = *made;
    sim.scripted = true;
    sim.oracles.all_stay = is_calm(choices);
    wire::follow(sim.wire, choices);
    for (const SimChoice &choice : choices) {
        if (choice.a >= options.places || choice.b >= options.places) continue;
        if (script::is_world(choice.act)) sim.world_choices.push_back(choice);
        if (!script::is_game(choice.act)) continue;
        Place &p = sim.places[choice.a];
        const bool answers = choice.act == Act::grant || choice.act == Act::refuse;
        (answers ? p.answers : p.acts).push_back(choice);
    }
    sort(sim.world_choices);
    for (Place &p : sim.places) {
        sort(p.acts);
        sort(p.answers);
    }
    return made;
}

// --- Time ---

// Advances the node's own clock, which is skewed, moves in steps of its grain and never goes back.
static void advance_clock(Simulation &sim, uint16_t place)
{
    Place &p = sim.places[place];
    const uint64_t passed_us = sim.now_us - p.clock_at_us;
    const int64_t skewed = static_cast<int64_t>(passed_us) * p.skew_ppm + p.clock_fraction;
    p.clock_exact_us += passed_us + static_cast<uint64_t>(skewed / 1'000'000);
    p.clock_fraction = skewed % 1'000'000;
    p.clock_at_us = sim.now_us;
    const uint64_t grain_us = std::max<uint64_t>(p.grain_us, 1);
    Node &node = sim.nodes[place];
    node.clock_us = std::max(node.clock_us, p.clock_exact_us / grain_us * grain_us);
}

void settle_address(Simulation &sim, uint16_t place)
{
    Place &p = sim.places[place];
    if (p.rebound_until_us == 0 || sim.now_us < p.rebound_until_us) return;
    p.rebound_until_us = 0;
    wire::take_address(sim.wire, place, p.home);
    sim.nodes[place].address = wire::address(p.home);
    trouble(sim, place, sim.now_us);
}

static void plan_next_tick(Simulation &sim, uint16_t place)
{
    Place &p = sim.places[place];
    const bool slow = sim.now_us < p.slow_until_us;
    sim.counts.slow_ticks += slow;
    sim.nodes[place].next_tick_us = sim.now_us + (slow ? p.slow_us : p.period_us);
}

// --- One tick ---

static void take_calls(Node &node)
{
    node.calls.clear();
    node.claims.clear();
    node.played.clear();
    node.given.clear();
    node.balanced = false;
    hear_asks(node);
    for (const Event &event : node.events) {
        if (event.kind != EventKind::call || event.call.type != NUMBERED) continue;
        node.calls.push_back({call_arguments<Numbered>(event), true, event.call.peer});
    }
}

static void note_for_spoof(Simulation &sim, uint16_t to, std::span<const std::byte> bytes)
{
    Place &p = sim.places[to];
    const bool handshake = bytes[0] == std::byte{1};
    (handshake ? p.newest_handshake : p.newest_datagram).assign(bytes.begin(), bytes.end());
}

static void ship(Simulation &sim, uint16_t place, std::span<const Datagram> datagrams)
{
    Place &p = sim.places[place];
    const bool full = sim.now_us < p.full_until_us;
    size_t count = 0;
    for (const Datagram &datagram : datagrams) {
        count += 1;
        if (full && count > p.full_datagrams) {
            sim.counts.acts[static_cast<size_t>(Act::full)] += 1;
            continue;
        }
        const Launched launched = wire::send(sim.wire, sim.now_us, place, datagram);
        oracles::sent(sim.oracles, sim.nodes, place, datagram);
        if (launched.to == no_place) continue;
        if (sim.wire.keeps) note_for_spoof(sim, launched.to, datagram.bytes);
        if (!sim.keeps_history) continue;
        if (launched.lost) remember(sim, MomentKind::lost, place, launched.to);
        for (uint32_t i = 0; i < launched.copy_count; ++i)
            remember(sim, MomentKind::doubled, place, launched.to);
    }
}

// Follows the state of the session after a tick. A session that has ended moves to Place::ending,
// where it still ticks to send its goodbye.
static void follow_state(Simulation &sim, uint16_t place)
{
    Node &node = sim.nodes[place];
    Place &p = sim.places[place];
    const bool was_in = p.state == State::open || p.state == State::cut_off;
    p.state = session_state(node.session);
    p.joins_again = was_in && p.state == State::joining;
    sim.wire.members[place] = p.state == State::open;
    const auto peer = static_cast<size_t>(node.self);
    if (node.self != PeerId::none) {
        if (sim.place_of_peer.size() <= peer) sim.place_of_peer.resize(peer + 1, no_place);
        if (!p.id_is_taken) sim.place_of_peer[peer] = place;
        if (sim.was_in.size() <= peer) sim.was_in.resize(peer + 1, false);
        if (p.state == State::open) sim.was_in[peer] = true;
        if (p.state == State::open && p.id_is_taken && !sim.oracles.violation)
            sim.oracles.violation =
                oracles::violation("I6", ObjectId::none, place, "PeerId %zu was given twice", peer);
    }
    if (p.state <= State::leaving) return;
    sim.counts.ended[static_cast<size_t>(p.state)] += 1;
    p.last_words = state_text(node.session);
    remember(sim, MomentKind::left, place, place, p.last_words);
    oracles::peer_gone(sim.oracles, sim.nodes, place);
    p.ending = node.session;
    p.ending_ticks = 0;
    node.session = nullptr;
}

static void fold_inbox(Simulation &sim, uint16_t place)
{
    uint64_t digest = sim.digest ^ (sim.now_us * places_max + place);
    for (const Datagram &datagram : sim.nodes[place].inbox) {
        oracles::received_by(sim.oracles, sim.nodes, place, datagram);
        digest = dice::mixed(digest + wire::number(datagram.address));
        size_t at = 0;
        for (; at + 8 <= datagram.bytes.size(); at += 8) {
            digest = (digest ^ bits::load_word(&datagram.bytes[at])) * 0x9e3779b97f4a7c15;
            digest ^= digest >> 32;
        }
        for (; at < datagram.bytes.size(); ++at)
            digest = (digest ^ std::to_integer<uint64_t>(datagram.bytes[at])) * 0x9e3779b97f4a7c15;
    }
    sim.digest = dice::mixed(digest);
}

static void tick_ending(Simulation &sim, uint16_t place)
{
    Place &p = sim.places[place];
    Node &node = sim.nodes[place];
    receive(p.ending, node.inbox, node.clock_us);
    const std::span<const Datagram> datagrams = send(p.ending, node.clock_us);
    oracles::handed_out(sim.oracles, place, datagrams, traffic_rows(p.ending));
    ship(sim, place, datagrams);
    p.ending_ticks += 1;
    if (p.ending_ticks < ending_ticks_max) return;
    destroy_session(p.ending);
    p.ending = nullptr;
}

// A PeerId is never given to two members. It may be given to another newcomer, if one of the two
// never becomes a member: a host that the others have removed does not know what the next one has
// given, and cannot let anybody in.
// Two sessions that Quorum::survivors has left may give the same ids. The oracles cannot tell such
// peers apart, so the run ends.
static void check_given_once(Simulation &sim, uint16_t place)
{
    const auto peer = static_cast<size_t>(sim.nodes[place].self);
    const bool is_taken = peer < sim.was_in.size() && sim.was_in[peer];
    sim.places[place].id_is_taken = is_taken;
    if (is_taken && sim.options.quorum == Quorum::survivors) sim.is_void = true;
}

static void play_tick(Simulation &sim, uint16_t place)
{
    Node &node = sim.nodes[place];
    for (const Event &event : node.events) {
        sim.counts.host_changes += event.kind == EventKind::host_changed;
        // Calls for which the list of events has no room cost datagrams.
        const bool fills = sim.places[place].limits_call_events && event.kind == EventKind::call;
        if (fills) trouble(sim, place, sim.now_us);
    }
    take_calls(node);
    oracles::heard(sim.oracles, sim.nodes, place);
    play(sim, place);
    oracles::played(sim.oracles, node, place);
    oracles::work_begins(sim.oracles);
    const std::span<const Datagram> datagrams = send(node.session, node.clock_us);
    oracles::work_ends(sim.oracles, place);
    oracles::handed_out(sim.oracles, place, datagrams, traffic_rows(node.session));
    ship(sim, place, datagrams);
    watch(sim, place);
    follow_state(sim, place);
    settle_split(sim, place);
}

static void tick(Simulation &sim, uint16_t place)
{
    Node &node = sim.nodes[place];
    Place &p = sim.places[place];
    settle_address(sim, place);
    if (sim.now_us < p.paused_until_us) { // Datagrams wait in the socket's buffer.
        sim.counts.pauses_waited += 1;
        node.next_tick_us = p.paused_until_us;
        return;
    }
    advance_clock(sim, place);
    p.ticks += 1;
    node.ticked_us = sim.now_us;
    sim.counts.ticks += 1;
    node.inbox.clear();
    wire::deliver(sim.wire, sim.now_us, place, node.inbox, p.slots);
    fold_inbox(sim, place);
    sodium_source::use(&p.crypto);
    if (node.session) {
        oracles::work_begins(sim.oracles);
        const std::span<const Event> events = receive(node.session, node.inbox, node.clock_us);
        oracles::work_ends(sim.oracles, place);
        node.events.assign(events.begin(), events.end());
        const PeerId before = node.self;
        const bool anew = before != PeerId::none && local_peer(node.session) != before;
        const bool comes_back = anew && p.joins_again;
        if (comes_back)
            come_back(sim, place);
        else if (anew)
            start_over(sim, place);
        node.self = local_peer(node.session);
        if (node.self != before) check_given_once(sim, place);
        play_tick(sim, place);
        // Some messages of this tick arrived for the former peer, and must not count for the new.
        if (anew && !comes_back) oracles::peer_starts_over(sim.oracles, place);
    } else if (p.ending) {
        tick_ending(sim, place);
    }
    wire::release(sim.wire, p.slots);
    node.inbox.clear();
    plan_next_tick(sim, place);
}

// --- One step ---

static void count_event(Simulation &sim)
{
    sim.counts.world_events += 1;
    if (sim.counts.world_events % events_per_hash == 0) sim.hashes.push_back(sim.digest);
}

static uint16_t next_place(const Simulation &sim)
{
    uint16_t next = no_place;
    for (uint16_t i = 0; i < sim.options.places; ++i) {
        if (!sim.nodes[i].session && !sim.places[i].ending) continue;
        if (next == no_place || sim.nodes[i].next_tick_us < sim.nodes[next].next_tick_us) next = i;
    }
    return next;
}

static uint64_t next_world_us(const Simulation &sim)
{
    if (sim.liveness) return UINT64_MAX;
    if (!sim.scripted)
        return sim.next_planned < sim.plan.size() ? sim.plan[sim.next_planned].when_us : UINT64_MAX;
    return sim.next_world_choice < sim.world_choices.size()
               ? sim.world_choices[sim.next_world_choice].when
               : UINT64_MAX;
}

// The history shows these acts by name. The others write moments of their own, such as `crashed`.
static bool has_no_moment(Act act)
{
    return act >= Act::slow && act != Act::cut && script::is_world(act);
}

bool choose(Simulation &sim, const SimChoice &choice)
{
    if (!happen(sim, choice)) {
        sim.counts.skipped += 1;
        return false;
    }
    sim.counts.acts[static_cast<size_t>(choice.act)] += 1;
    if (sim.records) sim.recorded.push_back(choice);
    if (has_no_moment(choice.act))
        remember(sim, MomentKind::act, choice.a, choice.b, script::name(choice.act));
    sim.digest = dice::mixed(sim.digest ^ (static_cast<uint64_t>(choice.act) << 32 | choice.a));
    count_event(sim);
    return true;
}

static uint64_t next_event_us(const Simulation &sim, uint16_t place, uint64_t world_us)
{
    const uint64_t tick_us = place == no_place ? UINT64_MAX : sim.nodes[place].next_tick_us;
    return std::min(tick_us, world_us);
}

static bool step_before(Simulation &sim, uint64_t end_us)
{
    if (sim.oracles.violation || sim.is_void) return false;
    const uint16_t place = next_place(sim);
    const uint64_t world_us = next_world_us(sim);
    const uint64_t next_us = next_event_us(sim, place, world_us);
    if (next_us >= end_us) return false;
    sim.now_us = std::max(sim.now_us, next_us);
    if (world_us <= next_us) {
        if (sim.scripted)
            choose(sim, sim.world_choices[sim.next_world_choice++]);
        else
            happen_by_chance(sim, sim.plan[sim.next_planned++]);
        return true;
    }
    tick(sim, place);
    count_event(sim);
    return true;
}

bool step(Simulation &sim)
{
    return step_before(sim, sim.liveness ? UINT64_MAX : sim.safety_end_us);
}

bool run_until(Simulation &sim, uint64_t time_us)
{
    const uint64_t end_us = sim.liveness ? time_us : std::min(time_us, sim.safety_end_us);
    while (step_before(sim, end_us)) {
    }
    return !sim.oracles.violation;
}

void run_safety(Simulation &sim)
{
    run_until(sim, sim.safety_end_us);
}

// --- Liveness ---

void order(Simulation &sim, const SimChoice &choice)
{
    TERN_ASSERT(choice.a < sim.options.places && script::is_game(choice.act), "act %u of %u",
                static_cast<unsigned>(choice.act), choice.a);
    Place &p = sim.places[choice.a];
    const auto later =
        std::upper_bound(p.acts.begin() + static_cast<ptrdiff_t>(p.next_act), p.acts.end(), choice,
                         [](const SimChoice &x, const SimChoice &y) { return x.when < y.when; });
    p.acts.insert(later, choice);
}

// --- What is known ---

Trace trace(const Simulation &sim)
{
    Trace trace = {sim.options, sim.recorded, sim.hashes, sim.digest};
    trace.choices.insert(trace.choices.end(), sim.wire.recorded.begin(), sim.wire.recorded.end());
    return trace;
}

uint32_t thing(const Simulation &sim, ObjectId object)
{
    const auto creator = static_cast<size_t>(static_cast<uint64_t>(object) >> 32 & 0xffff);
    const auto serial = static_cast<uint32_t>(static_cast<uint64_t>(object));
    if (creator >= sim.things_of_peer.size()) return 0;
    const std::vector<uint32_t> &things = sim.things_of_peer[creator];
    return serial < things.size() ? things[serial] : 0;
}

ObjectId object(const Simulation &sim, uint32_t thing)
{
    return thing == 0 || thing > sim.things.size() ? ObjectId::none : sim.things[thing - 1];
}

uint16_t place(const Simulation &sim, PeerId peer)
{
    const auto at = static_cast<size_t>(peer);
    return at < sim.place_of_peer.size() ? sim.place_of_peer[at] : no_place;
}

}
}
