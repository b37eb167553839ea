#include "sim/scenarios/scenarios_run.h"
#include "base/assert.h"
#include "tern/diagnostics.hpp"
#include <algorithm>
#include <numeric>

namespace tern::scenarios {

void expect(Run &run, bool holds, std::string_view what)
{
    if (!holds && run.failure.empty())
        run.failure = "at " + std::to_string(run.sim->now_us / 1000) + " ms: expected that " +
                      std::string(what);
}

std::string populated_trace(uint16_t places, uint32_t seconds, std::string_view options)
{
    std::string text = "tern-trace 1 simulate\nseed 3\nplaces " + std::to_string(places) +
                       "\nseconds " + std::to_string(seconds) + "\nobjects 40\n" +
                       std::string(options) + "choices\n";
    for (uint16_t place = 0; place < places; ++place) {
        const std::string who = std::to_string(place);
        const std::string start_us = std::to_string(1'000'000 + 300'000 * place);
        if (place > 0) text += "start " + who + " @" + start_us + " =0\n";
        text += "create " + who + " @3000000 o" + std::to_string(place + 1) + " =124076828\n";
    }
    return text;
}

Run begin(const Stage &stage, std::string_view text)
{
    ParsedTrace parsed = script::parse(text);
    TERN_ASSERT(parsed.error.empty(), "%s", parsed.error.c_str());
    if (stage.topology == Topology::star) parsed.trace.options.topology = Topology::star;
    Run run;
    run.sim = simulation::make(parsed.trace.options, parsed.trace.choices, Keep{false, true});
    run.sim->history.title = stage.title;
    run.ticks.resize(parsed.trace.options.places);
    return run;
}

static void hear(Run &run, uint16_t place)
{
    const Node &node = run.sim->nodes[place];
    for (const PlayedCall &played : node.calls) {
        if (!played.heard) continue;
        const ObjectId about = played.numbered.about;
        const bool is_there = node.session && exists(node.session, about);
        run.calls.push_back(
            {place, played.numbered, is_there ? object_owner(node.session, about) : PeerId::none});
    }
}

static void count_bytes(Run &run, uint64_t bytes)
{
    const uint64_t second = run.sim->now_us / 1'000'000;
    run.tick_bytes_most = std::max(run.tick_bytes_most, bytes);
    run.bytes_by_second.resize(std::max<size_t>(run.bytes_by_second.size(), second + 1));
    run.bytes_by_second[second] += bytes;
}

bool advance(Run &run)
{
    Simulation &sim = *run.sim;
    const uint64_t bytes = sim.wire.counts.bytes;
    if (!simulation::step(sim)) return false;
    for (uint16_t place = 0; place < sim.options.places; ++place) {
        if (sim.places[place].ticks == run.ticks[place]) continue;
        run.ticks[place] = sim.places[place].ticks;
        hear(run, place);
        if (place == run.sender) count_bytes(run, sim.wire.counts.bytes - bytes);
    }
    return true;
}

void advance_to(Run &run, uint64_t time_us)
{
    while (run.sim->now_us < time_us && advance(run)) {
    }
    const Violation &violation = run.sim->oracles.violation;
    expect(run, !violation, ("no oracle is violated: " + violation.text).c_str());
}

PlayedSessions finish(Run &run, const std::string &measured)
{
    Simulation &sim = *run.sim;
    while (advance(run)) {
    }
    if (!sim.oracles.violation) {
        Liveness liveness = liveness::begin(sim);
        while (liveness::step(liveness, sim)) {
        }
    }
    const Violation &violation = sim.oracles.violation;
    if (violation) expect(run, false, violation.invariant + " holds: " + violation.text);
    PlayedSessions played;
    played.failure = run.failure;
    played.measured = measured;
    played.digest = sim.digest;
    played.history = sim.history;
    return played;
}

// --- Queries ---

bool is_cut_off(const Run &run, uint16_t place)
{
    const Session *session = run.sim->nodes[place].session;
    return session && session_state(session) == State::cut_off;
}

bool is_open(const Run &run, uint16_t place)
{
    const Session *session = run.sim->nodes[place].session;
    return session && session_state(session) == State::open;
}

bool is_dead(const Run &run, uint16_t place, uint32_t thing)
{
    const Session *session = run.sim->nodes[place].session;
    const ObjectId object = simulation::object(*run.sim, thing);
    return session && !exists(session, object) &&
           dead::contains(inspect::replica(session).world.dead, object);
}

bool is_owned(const Run &run, uint16_t place, uint32_t thing, uint16_t by)
{
    const Session *session = run.sim->nodes[place].session;
    const ObjectId object = simulation::object(*run.sim, thing);
    return session && exists(session, object) &&
           object_owner(session, object) == run.sim->nodes[by].self;
}

bool agree(const Run &run, std::span<const uint16_t> places)
{
    return std::all_of(places.begin(), places.end(), [&](uint16_t place) {
        const Session *session = run.sim->nodes[place].session;
        const Session *first = run.sim->nodes[places.front()].session;
        return session && first && session_state(session) == State::open &&
               other_peers(session).size() + 1 == places.size() &&
               host_peer(session) == host_peer(first) &&
               world_digest(session) == world_digest(first);
    });
}

bool agree(const Run &run)
{
    std::vector<uint16_t> all(run.sim->nodes.size());
    std::iota(all.begin(), all.end(), uint16_t{0});
    return agree(run, all);
}

std::string seconds(uint64_t time_us)
{
    return std::to_string(time_us / 1'000'000) + "." + std::to_string(time_us / 100'000 % 10) +
           " s";
}

}
