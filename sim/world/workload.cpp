// The games of a simulation: the acts of each game in its tick, from a script or by chance.
#include "sim/world/names.h"
#include "sim/world/simulation.h"
#include "tern/calls.hpp"
#include "tern/host.hpp"
#include "tern/interest.hpp"
#include "tern/ownership.hpp"
#include "tern/untyped.hpp"
#include <algorithm>

namespace tern::simulation {

// --- Values ---

// Half of the values are drawn from few, so that fields return to earlier values. Positions are
// whole numbers of hundredths, so that the floats are equal on every machine.
static void scramble(Written &value, uint64_t content)
{
    const uint64_t values = (content & 16) != 0 ? 5 : 20'001;
    for (unsigned i = 0; i < 3; ++i) {
        if ((content >> i & 1) == 0) continue;
        const uint64_t drawn = dice::within(dice::mixed(content + i), 0, values - 1);
        value.position[i] = static_cast<float>(static_cast<int64_t>(drawn) - 10'000) * 0.01f;
    }
    if ((content & 8) != 0)
        value.health = static_cast<int32_t>(dice::within(dice::mixed(content + 3), 0, 100));
}

static void guess(Simulation &sim, uint16_t place, ObjectId id, uint64_t content)
{
    Node &node = sim.nodes[place];
    Written value = get(node.session, Object<Written>{id});
    sim.places[place].guesses += 1;
    value.sequence = sim.places[place].guesses;
    value.tenure = hoped(node.self, value.sequence);
    value.writer = node.self;
    scramble(value, content);
    set(node.session, Object<Written>{id}, value);
    node.claims.push_back({id, value.tenure});
    node.played.push_back(id);
}

// A change that may be suppressed, because only the field with an error bound changes. So the
// sequence keeps the number of the last write.
static void nudge(Node &node, ObjectId id, Written value, uint64_t content)
{
    const auto hundredths = static_cast<int32_t>(content >> 6 & 15);
    value.position[0] += static_cast<float>(hundredths - 4) * 0.01f;
    set(node.session, Object<Written>{id}, value);
    node.played.push_back(id);
}

static void write(Node &node, ObjectId id, uint64_t content)
{
    Written value = get(node.session, Object<Written>{id});
    const uint64_t tenure = object_stamp(node.session, id);
    const bool goes_on = value.tenure == tenure && value.writer == node.self;
    if (goes_on && object_type(node.session, id) == ASKED && (content & 32) != 0)
        return nudge(node, id, value, content);
    value.sequence = goes_on ? value.sequence + 1 : 1;
    value.tenure = tenure;
    value.writer = node.self;
    scramble(value, content);
    set(node.session, Object<Written>{id}, value);
    node.played.push_back(id);
}

// --- Acts ---

static bool owns(const Node &node, ObjectId id)
{
    return exists(node.session, id) && object_owner(node.session, id) == node.self;
}

static void name_thing(Simulation &sim, uint32_t thing, ObjectId id)
{
    const uint64_t bits = static_cast<uint64_t>(id);
    const auto creator = static_cast<size_t>(bits >> 32 & 0xffff);
    const auto serial = static_cast<uint32_t>(bits);
    if (sim.things.size() < thing) sim.things.resize(thing, ObjectId::none);
    sim.things[thing - 1] = id;
    if (sim.things_of_peer.size() <= creator) sim.things_of_peer.resize(creator + 1);
    std::vector<uint32_t> &things = sim.things_of_peer[creator];
    if (things.size() <= serial) things.resize(serial + 1u);
    things[serial] = thing;
}

static bool create_thing(Simulation &sim, uint16_t place, const SimChoice &choice)
{
    Node &node = sim.nodes[place];
    if (choice.thing == 0 || choice.thing > things_max) return false;
    if (object(sim, choice.thing) != ObjectId::none) return false;
    if (inspect::replica(node.session).world.alive >= sim.options.objects) return false;
    Written value = {};
    value.sequence = 1;
    value.writer = node.self;
    scramble(value, static_cast<uint64_t>(choice.value) >> 2 | 15);
    const auto type = static_cast<TypeId>(choice.value & 3);
    const ObjectId id = create(node.session, type, value);
    if (id == ObjectId::none) return true; // The session has asked for more places.
    node.played.push_back(id);
    name_thing(sim, choice.thing, id);
    return true;
}

static bool change_many(Simulation &sim, uint16_t place, const SimChoice &choice)
{
    Node &node = sim.nodes[place];
    const Replica &r = inspect::replica(node.session);
    const size_t end = sim.places[place].slot_end;
    const auto value = static_cast<uint64_t>(choice.value);
    uint64_t left = value & 0xffff;
    if (end == 0) return false;
    const size_t first = (value >> 16) % end;
    for (size_t i = 0; i < end && left > 0; ++i) {
        const KnownObject &object = r.world.slots[(first + i) % end];
        if (object.life != Life::alive || object.owner != node.self) continue;
        write(node, object.id, dice::mixed(choice.when + i) | 15);
        left -= 1;
    }
    return left < (value & 0xffff);
}

static bool claim_thing(Node &node, ObjectId id, ClaimMode mode)
{
    const Replica &r = inspect::replica(node.session);
    if (!exists(node.session, id) || object_owner(node.session, id) == node.self) return false;
    if (r.claims.count == r.claims.capacity) return false;
    claim(node.session, id, mode);
    node.claims.push_back({id, 0});
    return true;
}

static bool guess_thing(Simulation &sim, uint16_t place, const SimChoice &choice, ObjectId id)
{
    const Session *session = sim.nodes[place].session;
    if (!exists(session, id) || !inspect::is_optimistic(session, id)) return false;
    guess(sim, place, id, static_cast<uint64_t>(choice.value));
    return true;
}

static bool keep_or_give_up(const Node &node, Act act, ObjectId id)
{
    if (!owns(node, id)) return false;
    if (act == Act::release)
        release_ownership(node.session, id);
    else
        lock(node.session, id, act == Act::lock);
    return true;
}

static bool balance_type(Node &node, const SimChoice &choice)
{
    if (host_peer(node.session) != node.self || choice.value < 0 || choice.value > KEPT)
        return false;
    node.balanced = true;
    balance(node.session, static_cast<TypeId>(choice.value));
    return true;
}

static bool make_call(Simulation &sim, uint16_t place, const SimChoice &choice)
{
    Node &node = sim.nodes[place];
    Place &p = sim.places[place];
    const bool reliable = choice.act == Act::call;
    const bool all = choice.b == place;
    if (all && reliable) return false;
    const PeerId to = all ? PeerId::everyone : sim.nodes[choice.b].self;
    if (to == PeerId::none || (!all && !sim.nodes[choice.b].session)) return false;
    if (to == node.self) return false; // A host that was lost had given the id to the other one.
    std::vector<uint32_t> &counts = reliable ? p.reliable_calls : p.unreliable_calls;
    const size_t at = all ? 0 : static_cast<size_t>(to);
    if (counts.size() <= at) counts.resize(at + 1);
    Numbered numbered = {};
    numbered.about = object(sim, choice.thing);
    numbered.sequence = counts[at] + 1;
    numbered.from = node.self;
    numbered.to = to;
    numbered.reliable = reliable;
    const Reliability reliability = reliable ? Reliability::reliable : Reliability::unreliable;
    if (!call(node.session, to, NUMBERED, numbered, reliability)) return false;
    counts[at] += 1;
    node.calls.push_back({numbered, false, PeerId::none});
    return true;
}

static bool part(Simulation &sim, uint16_t place, const SimChoice &choice)
{
    const Node &node = sim.nodes[place];
    if (choice.act == Act::leave) {
        leave(node.session);
        return true;
    }
    const PeerId peer = sim.nodes[choice.b].self;
    if (host_peer(node.session) != node.self || choice.b == place) return false;
    if (peer == PeerId::none || !sim.nodes[choice.b].session) return false;
    remove(node.session, peer);
    return true;
}

static bool migrate_thing(Simulation &sim, uint16_t place, const SimChoice &choice, ObjectId id)
{
    Node &node = sim.nodes[place];
    const PeerId to = sim.nodes[choice.b].self;
    if (host_peer(node.session) != node.self || to == PeerId::none) return false;
    node.given.push_back(id);
    return exists(node.session, id) && migrate(node.session, id, to);
}

static bool prefer_thing(Simulation &sim, uint16_t place, const SimChoice &choice, ObjectId id)
{
    const PeerId peer = sim.nodes[choice.b].self;
    if (peer == PeerId::none || choice.value < 0) return false;
    const float priority = static_cast<float>(choice.value & 0xffff) / priority_one;
    if (!set_priority(sim.nodes[place].session, id, peer, priority)) return false;
    oracles::preferred(sim.oracles, sim.nodes[place], place, {id, peer, priority});
    return true;
}

bool perform(Simulation &sim, uint16_t place, const SimChoice &choice)
{
    Node &node = sim.nodes[place];
    if (session_state(node.session) != State::open) return false;
    const ObjectId id = object(sim, choice.thing);
    switch (choice.act) {
    case Act::create: return create_thing(sim, place, choice);
    case Act::set:
        if (!owns(node, id)) return false;
        write(node, id, static_cast<uint64_t>(choice.value));
        return true;
    case Act::sets: return change_many(sim, place, choice);
    case Act::destroy:
        if (!owns(node, id)) return false;
        destroy(node.session, id);
        node.played.push_back(id);
        return true;
    case Act::claim: return claim_thing(node, id, ClaimMode::wait);
    case Act::hope: return claim_thing(node, id, ClaimMode::optimistic);
    case Act::guess: return guess_thing(sim, place, choice, id);
    case Act::release:
    case Act::lock:
    case Act::unlock: return keep_or_give_up(node, choice.act, id);
    case Act::balance: return balance_type(node, choice);
    case Act::migrate: return migrate_thing(sim, place, choice, id);
    case Act::call:
    case Act::whisper: return make_call(sim, place, choice);
    case Act::ask: return ask(sim, place, choice);
    case Act::prefer: return prefer_thing(sim, place, choice, id);
    case Act::glide: return glide(sim, place, choice);
    case Act::lie: return tell_lie(sim, place, choice);
    case Act::leave:
    case Act::remove: return part(sim, place, choice);
    default: return false;
    }
}

// --- Records ---

// A label for people: "claim 2.8", "migrate 2.8 > 3".
static std::string act_text(const Simulation &sim, const SimChoice &choice)
{
    const ObjectId id = object(sim, choice.thing);
    std::string text = script::name(choice.act);
    if (id != ObjectId::none) text += " " + names::text(id);
    const bool about_peer = choice.act == Act::migrate || choice.act == Act::grant ||
                            choice.act == Act::refuse || choice.act == Act::call ||
                            choice.act == Act::whisper || choice.act == Act::remove;
    return about_peer ? text + " > " + names::text(sim.nodes[choice.b].self) : text;
}

static void note_act(Simulation &sim, uint16_t place, const SimChoice &choice)
{
    sim.counts.acts[static_cast<size_t>(choice.act)] += 1;
    if (sim.records && !sim.liveness) sim.recorded.push_back(choice);
    if (!sim.keeps_history || choice.act == Act::sets || choice.act == Act::glide) return;
    remember(sim, MomentKind::act, place, place, act_text(sim, choice));
    sim.history.moments.back().object = object(sim, choice.thing);
}

bool act(Simulation &sim, uint16_t place, SimChoice choice)
{
    choice.a = place;
    choice.when = sim.now_us;
    if (!perform(sim, place, choice)) {
        sim.counts.skipped += 1;
        return false;
    }
    note_act(sim, place, choice);
    return true;
}

// --- Claims that the host's game is asked about ---

// The answer of the host's game. By default it grants the claim at once.
static SimChoice chosen_answer(Simulation &sim, uint16_t host, uint16_t claimer, uint32_t thing)
{
    Place &p = sim.places[host];
    SimChoice choice = {};
    choice.act = Act::grant;
    choice.a = host;
    choice.b = claimer;
    choice.thing = thing;
    choice.when = sim.now_us;
    if (sim.liveness) return choice;
    if (!sim.scripted) {
        const uint64_t percent = p.weights[static_cast<size_t>(FaultKind::refuse)];
        if (percent == 0 || !dice::per_mille(p.workload, percent * 10)) return choice;
        if (dice::per_mille(p.workload, 500)) choice.act = Act::refuse;
        if (choice.act == Act::grant || dice::per_mille(p.workload, 500))
            choice.lasts_us = dice::within(p.workload, 1, 500'000);
        return choice;
    }
    const auto fits = [&](const SimChoice &c) {
        return c.b == claimer && c.thing == thing && c.when <= sim.now_us;
    };
    const auto found = std::find_if(p.answers.begin(), p.answers.end(), fits);
    if (found == p.answers.end()) return choice;
    choice.act = found->act;
    choice.lasts_us = found->lasts_us;
    p.answers.erase(found);
    return choice;
}

static void hear_claims(Simulation &sim, uint16_t host)
{
    Place &p = sim.places[host];
    for (const Event &event : sim.nodes[host].events) {
        if (event.kind != EventKind::claim_asked) continue;
        const uint16_t claimer = place(sim, event.claim.claimer);
        if (claimer == no_place) continue;
        const SimChoice answer = chosen_answer(sim, host, claimer, thing(sim, event.claim.object));
        if (answer.act == Act::refuse || answer.lasts_us > 0) note_act(sim, host, answer);
        p.pending.push_back({sim.now_us + answer.lasts_us, event.claim.object, event.claim.claimer,
                             answer.act == Act::grant});
    }
}

static void answer_claims(Simulation &sim, uint16_t host)
{
    Session *session = sim.nodes[host].session;
    std::vector<ClaimAnswer> &pending = sim.places[host].pending;
    size_t kept = 0;
    for (const ClaimAnswer &answer : pending) {
        if (answer.due_us > sim.now_us) {
            pending[kept++] = answer;
            continue;
        }
        if (answer.grants) sim.nodes[host].given.push_back(answer.object);
        if (!answer.grants || !migrate(session, answer.object, answer.claimer))
            refuse_claim(session, answer.object, answer.claimer);
    }
    pending.resize(kept);
}

// --- By chance ---

static uint32_t weight(const Place &p, FaultKind kind)
{
    return p.weights[static_cast<size_t>(kind)];
}

static bool falls(Place &p, FaultKind kind)
{
    return weight(p, kind) > 0 && dice::per_mille(p.workload, weight(p, kind));
}

static bool is_pickable(const Node &node, ObjectId id, bool own)
{
    return exists(node.session, id) && (object_owner(node.session, id) == node.self) == own;
}

// A thing that this peer owns (own) or that another peer owns. 0: none was found in a few tries.
static uint32_t pick(Simulation &sim, uint16_t place, bool own)
{
    constexpr size_t looks_max = 32;
    Place &p = sim.places[place];
    const Node &node = sim.nodes[place];
    const uint64_t drawn = dice::next(p.workload);
    const uint64_t hot = weight(p, FaultKind::hot);
    if (hot > 0 && !sim.things.empty() && dice::per_mille(p.workload, hot * 10)) {
        const uint64_t newest = sim.things.size();
        const auto thing = static_cast<uint32_t>(
            newest - dice::within(drawn, 0, std::min<uint64_t>(newest, 4) - 1));
        if (is_pickable(node, object(sim, thing), own)) return thing;
    }
    if (p.slot_end == 0) return 0;
    const Replica &r = inspect::replica(node.session);
    size_t slot = dice::within(drawn, 0, p.slot_end - 1);
    for (size_t i = 0; i < std::min(looks_max, p.slot_end); ++i) {
        const KnownObject &object = r.world.slots[slot];
        if (object.life == Life::alive && (object.owner == node.self) == own)
            return thing(sim, object.id);
        slot = slot + 1 == p.slot_end ? 0 : slot + 1;
    }
    return 0;
}

static SimChoice about(Act act, uint32_t thing, uint64_t value = 0)
{
    SimChoice choice = {};
    choice.act = act;
    choice.thing = thing;
    choice.value = static_cast<int64_t>(value);
    return choice;
}

static void create_by_chance(Simulation &sim, uint16_t place)
{
    Place &p = sim.places[place];
    const auto thing = static_cast<uint32_t>(sim.things.size() + 1);
    uint64_t value = dice::next(p.workload) >> 32;
    if ((value & 4) != 0) value &= ~uint64_t{3}; // Most are of the type THING.
    if (!act(sim, place, about(Act::create, thing, value))) return;
    const uint64_t brief = weight(p, FaultKind::brief);
    if (brief > 0 && dice::per_mille(p.workload, brief * 10))
        act(sim, place, about(Act::destroy, thing));
}

static void change_by_chance(Simulation &sim, uint16_t place)
{
    Place &p = sim.places[place];
    if (falls(p, FaultKind::set))
        if (const uint32_t own = pick(sim, place, true))
            act(sim, place, about(Act::set, own, dice::next(p.workload) >> 32));
    if (weight(p, FaultKind::sets) > 0) {
        const uint64_t first = dice::next(p.workload) >> 48;
        act(sim, place, about(Act::sets, 0, first << 16 | weight(p, FaultKind::sets)));
    }
    if (weight(p, FaultKind::glide) > 0)
        act(sim, place, about(Act::glide, 0, weight(p, FaultKind::glide)));
    if (falls(p, FaultKind::destroy))
        if (const uint32_t own = pick(sim, place, true)) act(sim, place, about(Act::destroy, own));
}

static void claim_by_chance(Simulation &sim, uint16_t place)
{
    Place &p = sim.places[place];
    if (falls(p, FaultKind::claim))
        if (const uint32_t other = pick(sim, place, false))
            act(sim, place, about(Act::claim, other));
    if (falls(p, FaultKind::crowd) &&
        !sim.things.empty()) { // All peers claim one thing for a second.
        const uint64_t drawn =
            dice::key(sim.options.seed, Stream::workload, 1000, sim.now_us / 1'000'000);
        const uint64_t back = dice::within(drawn, 0, std::min<size_t>(sim.things.size(), 16) - 1);
        act(sim, place, about(Act::claim, static_cast<uint32_t>(sim.things.size() - back)));
    }
}

static void hope_by_chance(Simulation &sim, uint16_t place)
{
    Place &p = sim.places[place];
    if (weight(p, FaultKind::hope) == 0) return;
    if (falls(p, FaultKind::hope))
        if (const uint32_t other = pick(sim, place, false))
            act(sim, place, about(Act::hope, other));
    const Session *session = sim.nodes[place].session;
    std::vector<ObjectId> waiting;
    for (const Claim &claim : inspect::replica(session).claims.all())
        if (inspect::is_optimistic(session, claim.object)) waiting.push_back(claim.object);
    for (const ObjectId id : waiting)
        if (dice::per_mille(p.workload, 300))
            act(sim, place, about(Act::guess, thing(sim, id), dice::next(p.workload) >> 32));
}

static void keep_by_chance(Simulation &sim, uint16_t place)
{
    Place &p = sim.places[place];
    if (falls(p, FaultKind::release))
        if (const uint32_t own = pick(sim, place, true)) act(sim, place, about(Act::release, own));
    if (falls(p, FaultKind::lock))
        if (const uint32_t own = pick(sim, place, true)) {
            const Replica &r = inspect::replica(sim.nodes[place].session);
            const ObjectSlot slot = world::find_alive(r.world, object(sim, own));
            const bool locked = (r.rights.owner_requests[slot] & request_lock) != 0;
            act(sim, place, about(locked ? Act::unlock : Act::lock, own));
        }
    if (host_peer(sim.nodes[place].session) == sim.nodes[place].self &&
        falls(p, FaultKind::balance))
        act(sim, place, about(Act::balance, 0, dice::within(p.workload, THING, KEPT)));
}

// Half of the time about an object of its own, else about another's: the host of a star updates the
// clients about those too. Elsewhere such an act has no effect.
static void prefer_by_chance(Simulation &sim, uint16_t place)
{
    Place &p = sim.places[place];
    if (!falls(p, FaultKind::prefer)) return;
    const uint32_t thing = pick(sim, place, dice::per_mille(p.workload, 500));
    if (thing == 0) return;
    constexpr uint64_t priorities[] = {0, 0, 16, 64, 256, 256, 1024};
    SimChoice choice = about(Act::prefer, thing, priorities[dice::within(p.workload, 0, 6)]);
    choice.b = static_cast<uint16_t>(dice::within(p.workload, 0, sim.options.places - 1u));
    act(sim, place, choice);
}

static void migrate_by_chance(Simulation &sim, uint16_t place)
{
    Place &p = sim.places[place];
    if (host_peer(sim.nodes[place].session) != sim.nodes[place].self) return;
    if (falls(p, FaultKind::migrate))
        if (const uint32_t thing = pick(sim, place, dice::per_mille(p.workload, 500))) {
            SimChoice choice = about(Act::migrate, thing);
            choice.b = static_cast<uint16_t>(dice::within(p.workload, 0, sim.options.places - 1u));
            act(sim, place, choice);
        }
    if (falls(p, FaultKind::pingpong) && !sim.things.empty()) { // To and fro for two seconds.
        const uint64_t drawn =
            dice::key(sim.options.seed, Stream::workload, 1001, sim.now_us / 2'000'000);
        const uint64_t back = dice::within(drawn, 0, std::min<size_t>(sim.things.size(), 8) - 1);
        SimChoice choice = about(Act::migrate, static_cast<uint32_t>(sim.things.size() - back));
        const uint64_t from = dice::within(dice::mixed(drawn), 0, sim.options.places - 1u);
        choice.b = static_cast<uint16_t>((from + (p.ticks & 1)) % sim.options.places);
        act(sim, place, choice);
    }
}

static void call_by_chance(Simulation &sim, uint16_t place)
{
    Place &p = sim.places[place];
    for (const FaultKind kind : {FaultKind::call, FaultKind::whisper, FaultKind::ask}) {
        if (!falls(p, kind)) continue;
        SimChoice choice = about(kind == FaultKind::call ? Act::call : Act::whisper, 0);
        if (kind == FaultKind::ask)
            choice = about(Act::ask, 0, dice::within(p.workload, 0, ask_count - 1));
        choice.b = static_cast<uint16_t>(dice::within(p.workload, 0, sim.options.places - 1u));
        if (!sim.things.empty())
            choice.thing = static_cast<uint32_t>(dice::within(p.workload, 1, sim.things.size()));
        act(sim, place, choice);
    }
}

// Makes this peer's calls of each flood. They are no choices of their own: the flood is one.
static void flood_others(Simulation &sim, uint16_t place)
{
    for (uint16_t other = 0; other < sim.options.places; ++other) {
        if (other == place || sim.now_us >= sim.places[other].flooded_until_us) continue;
        SimChoice choice = about(Act::whisper, 0);
        choice.b = other;
        for (uint64_t i = 0; i < sim.places[other].flood_calls; ++i)
            if (!make_call(sim, place, choice)) break;
    }
}

void play(Simulation &sim, uint16_t place)
{
    Place &p = sim.places[place];
    Session *session = sim.nodes[place].session;
    if (!inspect::is_in(session)) return;
    hear_claims(sim, place);
    if (session_state(session) == State::cut_off) return answer_asks(sim.nodes[place]);
    answer_claims(sim, place);
    answer_asks(sim.nodes[place]);
    if (!sim.liveness) flood_others(sim, place);
    while (p.next_act < p.acts.size() && p.acts[p.next_act].when <= sim.now_us)
        act(sim, place, p.acts[p.next_act++]);
    if (sim.scripted || sim.liveness || session_state(session) != State::open) return;
    if (falls(p, FaultKind::create)) create_by_chance(sim, place);
    change_by_chance(sim, place);
    claim_by_chance(sim, place);
    migrate_by_chance(sim, place);
    call_by_chance(sim, place);
    hope_by_chance(sim, place);
    keep_by_chance(sim, place);
    prefer_by_chance(sim, place);
    lie_by_chance(sim, place);
}

}
