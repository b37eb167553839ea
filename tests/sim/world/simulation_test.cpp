#include "sim/world/liveness.h"
#include "sim/world/simulation.h"
#include "sim/world/sodium_source.h"
#include "tern/diagnostics.hpp"
#include "tern/ownership.hpp"
#include "tern/untyped.hpp"
#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sodium.h>

using namespace tern;

static SimOptions mixed(uint64_t seed)
{
    SimOptions options = script::swarm(seed);
    options.seconds = 6;
    return options;
}

// The safety phase of a run with these faults.
static std::unique_ptr<Simulation> played(SimOptions options, const char *faults, Keep keep)
{
    options.faults = faults::parse(faults, 1).faults;
    auto sim = simulation::make(options, keep);
    simulation::run_safety(*sim);
    return sim;
}

TEST(Simulation, PeersJoinAndPlay)
{
    SimOptions options;
    options.seconds = 5;
    const auto sim = simulation::make(options);
    simulation::run_safety(*sim);
    for (const Node &node : sim->nodes) {
        ASSERT_TRUE(node.session);
        EXPECT_EQ(session_state(node.session), State::open) << state_text(node.session);
        EXPECT_EQ(other_peers(node.session).size(), 3u);
    }
    EXPECT_GT(sim->counts.migrations, 10u);
    EXPECT_GT(sim->counts.calls_received, 10u);
}

TEST(Simulation, TheSameSeedRunsTheSameWayTwice)
{
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        const auto first = simulation::make(mixed(seed));
        simulation::run_safety(*first);
        const auto second = simulation::make(mixed(seed), Keep{true, true});
        simulation::run_safety(*second);
        ASSERT_EQ(first->digest, second->digest) << "seed " << seed;
        ASSERT_EQ(first->hashes, second->hashes) << "seed " << seed;
    }
}

TEST(Simulation, ARecordedRunReplaysToTheBit)
{
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        const auto first = simulation::make(mixed(seed), Keep{true, false});
        simulation::run_safety(*first);
        const Trace trace = simulation::trace(*first);
        const auto second = simulation::make(trace.options, trace.choices);
        simulation::run_safety(*second);
        ASSERT_EQ(second->hashes, trace.hashes) << "seed " << seed;
        ASSERT_EQ(second->digest, trace.digest) << "seed " << seed;
    }
}

TEST(Simulation, WhatIsLeftOfAListIsAListToo)
{
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        const auto first = simulation::make(mixed(seed), Keep{true, false});
        simulation::run_safety(*first);
        const Trace trace = simulation::trace(*first);
        std::vector<SimChoice> kept;
        Dice dice = dice::make(seed, Stream::shape);
        for (const SimChoice &choice : trace.choices)
            if (dice::per_mille(dice, 600)) kept.push_back(choice);
        const auto second = simulation::make(trace.options, kept);
        simulation::run_safety(*second);
        EXPECT_EQ(second->now_us / 100'000, first->now_us / 100'000) << "seed " << seed;
        const auto third = simulation::make(trace.options, kept);
        simulation::run_safety(*third);
        EXPECT_EQ(second->digest, third->digest) << "seed " << seed;
    }
}

TEST(Simulation, ADatagramLostByAScriptChangesNothingForTheOthers)
{
    SimOptions options;
    options.seconds = 4;
    const auto first = played(options, "none,loss=50", Keep{true, false});
    std::vector<SimChoice> choices = simulation::trace(*first).choices;
    const auto is_lost = [](const SimChoice &c) { return c.act == Act::lose; };
    const auto lost = static_cast<size_t>(std::count_if(choices.begin(), choices.end(), is_lost));
    ASSERT_GT(lost, 20u);
    choices.erase(std::find_if(choices.begin(), choices.end(), is_lost));
    const auto second = simulation::make(options, choices);
    simulation::run_safety(*second);
    const uint64_t lost_again = second->wire.counts.acts[static_cast<size_t>(Act::lose)];
    EXPECT_NEAR(static_cast<double>(lost_again), static_cast<double>(lost - 1), 5.0);
}

TEST(Simulation, TheLastOneGivesLibsodiumItsOwnSourceBack)
{
    SimOptions options;
    auto first = simulation::make(options);
    auto second = simulation::make(options);
    EXPECT_STREQ(randombytes_implementation_name(), "seeded");
    first.reset();
    EXPECT_STREQ(randombytes_implementation_name(), "seeded");
    second.reset();
    EXPECT_STREQ(randombytes_implementation_name(),
                 randombytes_sysrandom_implementation.implementation_name());
    EXPECT_NE(randombytes_random() | randombytes_random() | randombytes_random(), 0u);
}

// --- Faults ---

static std::unique_ptr<Simulation> run_with(const std::string &faults, uint64_t seed = 1)
{
    SimOptions options;
    options.seed = seed;
    options.seconds = 8;
    const ParsedFaults parsed = faults::parse("none,create=200," + faults, seed);
    EXPECT_EQ(parsed.error, "");
    options.faults = parsed.faults;
    auto sim = simulation::make(options);
    simulation::run_safety(*sim);
    return sim;
}

static uint64_t count_of(const Simulation &sim, Act act)
{
    return sim.counts.acts[static_cast<size_t>(act)] +
           sim.wire.counts.acts[static_cast<size_t>(act)];
}

TEST(Simulation, EveryFaultHasAnEffectThatIsCounted)
{
    EXPECT_GT(count_of(*run_with("loss=100"), Act::lose), 50u);
    EXPECT_GT(count_of(*run_with("burst=10"), Act::lose), 20u);
    EXPECT_GT(count_of(*run_with("delay=50"), Act::delay), 500u);
    EXPECT_GT(count_of(*run_with("late=500"), Act::delay), 10u);
    EXPECT_GT(count_of(*run_with("twice=100"), Act::twice), 100u);
    EXPECT_GT(count_of(*run_with("damage=50"), Act::damage), 50u);
    EXPECT_GT(count_of(*run_with("truncate=50"), Act::truncate), 50u);
    EXPECT_GT(count_of(*run_with("replay=50"), Act::replay), 50u);
    const auto restarted = run_with("crash=2,start=10");
    EXPECT_GT(count_of(*restarted, Act::crash), 0u);
    EXPECT_GT(count_of(*restarted, Act::start), 3u);
    EXPECT_GT(run_with("pause=4")->counts.pauses_waited, 0u);
    EXPECT_GT(run_with("slow=4")->counts.slow_ticks, 0u);
    EXPECT_GT(run_with("flood=4")->counts.calls_received, 1000u);
    EXPECT_GT(run_with("cut=8")->wire.counts.lost_by_cut, 0u);
    EXPECT_GT(run_with("partition=8")->wire.counts.lost_by_cut, 0u);
    EXPECT_GT(run_with("clog=20")->wire.counts.delayed_by_clog, 0u);
    EXPECT_GT(run_with("mtu=60,sets=100")->wire.counts.lost_by_mtu, 0u);
    EXPECT_GT(run_with("queue=20")->wire.counts.delayed_by_queue, 0u);
    EXPECT_GT(run_with("rebind=4")->wire.counts.lost_nowhere, 0u);
    EXPECT_GT(count_of(*run_with("full=8"), Act::full), 8u);
    EXPECT_GT(count_of(*run_with("garbage=50"), Act::garbage), 20u);
    EXPECT_GT(count_of(*run_with("spoof=50"), Act::spoof), 20u);
    EXPECT_GT(run_with("ring=4")->wire.counts.lost_by_cut, 0u);
    EXPECT_GT(count_of(*run_with("swizzle=2"), Act::clog), 8u);
    EXPECT_GT(count_of(*run_with("nat=4"), Act::nat), 0u);
    EXPECT_GT(run_with("nat=4")->wire.counts.lost_nowhere, 0u);
    EXPECT_GT(count_of(*run_with("swap=4"), Act::swap), 0u);
    EXPECT_GT(count_of(*run_with("acks=500"), Act::lose), 100u);
    EXPECT_GT(run_with("cutpair=4")->wire.counts.lost_by_cut, 0u);
    EXPECT_GT(run_with("natted=4")->wire.counts.lost_nowhere, 0u);
}

// A ring of five: each place is cut off from two others, and no two places from the same pair.
TEST(Simulation, OnARingEachHearsMost)
{
    SimOptions options;
    options.places = 5;
    options.seconds = 8;
    const auto sim = played(options, "none,ring=1", Keep{true, false});
    std::set<std::set<uint16_t>> unheard;
    std::map<uint16_t, std::set<uint16_t>> cut;
    for (const SimChoice &choice : sim->recorded)
        if (choice.act == Act::cut) cut[choice.a].insert(choice.b);
    for (uint16_t place = 0; place < 5; ++place) {
        EXPECT_EQ(cut[place].size(), 2u) << place;
        unheard.insert(cut[place]);
    }
    EXPECT_EQ(unheard.size(), 5u);
}

// A datagram goes to whoever has the address at that time; addresses of one IP differ in the port.
TEST(Simulation, AddressesAreSharedAndExchanged)
{
    SimOptions options;
    options.seconds = 4;
    options.places = 2;
    SimChoice choice = {};
    choice.act = Act::nat;
    choice.b = 1;
    choice.when = 1'500'000;
    const auto moved = simulation::make(options, {choice});
    simulation::run_until(*moved, 1'600'000);
    EXPECT_EQ(count_of(*moved, Act::nat), 0u); // Place 1 has no session yet.
    SimChoice start = {};
    start.act = Act::start;
    start.a = 1;
    start.when = 1'000'000;
    const auto shared = simulation::make(options, {start, choice});
    simulation::run_until(*shared, 1'600'000);
    const Address first = shared->nodes[0].address, second = shared->nodes[1].address;
    EXPECT_EQ(std::memcmp(first.ip, second.ip, sizeof first.ip), 0);
    EXPECT_NE(first.port, second.port);
    EXPECT_EQ(wire::address(wire::number(second)), second);
    choice.act = Act::swap;
    choice.lasts_us = 300'000;
    const auto swapped = simulation::make(options, {start, choice});
    simulation::run_until(*swapped, 1'600'000);
    EXPECT_EQ(swapped->nodes[0].address, wire::address(1));
    EXPECT_EQ(swapped->nodes[1].address, wire::address(0));
    simulation::run_until(*swapped, 2'000'000);
    EXPECT_EQ(swapped->nodes[0].address, wire::address(0));
    EXPECT_EQ(swapped->nodes[1].address, wire::address(1));
}

TEST(Simulation, EveryActOfAGameTakesPlace)
{
    const auto sim = run_with("leave=1,refuse=50,brief=20,sets=2,crowd=100,pingpong=100,hot=50,"
                              "balance=20");
    for (const Act act : {Act::create, Act::set, Act::sets, Act::destroy, Act::claim, Act::migrate,
                          Act::refuse, Act::grant, Act::call, Act::whisper, Act::release, Act::lock,
                          Act::unlock, Act::balance, Act::hope, Act::guess, Act::ask, Act::leave})
        EXPECT_GT(count_of(*sim, act), 0u) << script::name(act);
    EXPECT_GT(sim->counts.claims_granted, 0u);
    EXPECT_GT(sim->counts.claims_refused, 0u);
    EXPECT_EQ(sim->counts.ended[static_cast<size_t>(State::left)], 1u);
    const auto removed = run_with("remove=1", 3);
    EXPECT_EQ(removed->counts.ended[static_cast<size_t>(State::removed)], 1u);
}

TEST(Simulation, ClocksRunFastSlowAndInSteps)
{
    const auto pass = [](Act act, int64_t value) {
        SimOptions options;
        options.seconds = 10;
        SimChoice choice = {};
        choice.act = act;
        choice.when = 1'000'000;
        choice.value = value;
        auto sim = simulation::make(options, {choice});
        simulation::run_until(*sim, 1'500'000);
        const uint64_t before = sim->nodes[0].clock_us;
        simulation::run_until(*sim, 9'500'000);
        EXPECT_EQ(count_of(*sim, act), 1u);
        return std::pair(sim->nodes[0].clock_us - before, sim->nodes[0].clock_us);
    };
    const uint64_t usual = pass(Act::skew, 0).first;
    EXPECT_NEAR(static_cast<double>(pass(Act::skew, 1000).first),
                static_cast<double>(usual) * 1.001, 10.0);
    EXPECT_NEAR(static_cast<double>(pass(Act::skew, -1000).first),
                static_cast<double>(usual) * 0.999, 10.0);
    EXPECT_EQ(pass(Act::grain, 70'000).second % 70'000, 0u);
    EXPECT_EQ(pass(Act::jump, 123'000).second, pass(Act::jump, 0).second + 123'000);
}

TEST(Simulation, InTheLivenessPhaseGamesDoWhatTheyAreOrdered)
{
    SimOptions options;
    options.seconds = 3;
    const auto sim = simulation::make(options);
    simulation::run_safety(*sim);
    simulation::begin_liveness(*sim);
    simulation::run_until(*sim, sim->now_us + 3'000'000);
    const size_t before = object_ids(sim->nodes[0].session, THING).size();
    SimChoice create = {};
    create.act = Act::create;
    create.thing = 1000;
    simulation::order(*sim, create);
    simulation::run_until(*sim, sim->now_us + 1'000'000);
    EXPECT_NE(simulation::object(*sim, 1000), ObjectId::none);
    EXPECT_EQ(simulation::thing(*sim, simulation::object(*sim, 1000)), 1000u);
    for (const Node &node : sim->nodes)
        if (node.session) {
            EXPECT_EQ(object_ids(node.session, THING).size(), before + 1);
        }
}

// --- Shrunk failures that the simulation found ---

// The newcomer's address changes for good between its JOIN and the answer. Its connection follows,
// though the newcomer does not know yet that it is a member.
TEST(Simulation, ANewcomerThatMovesAfterItWasTakenInIsFollowed)
{
    const ParsedTrace parsed = script::parse("tern-trace 1 simulate\nseed 1\nplaces 3\nseconds 3\n"
                                             "objects 16\ntick_us_low 50000\ntick_us_high 50000\n"
                                             "timeout_ms 1000\njoin_timeout_ms 2000\nchoices\n"
                                             "start 2 @1000000 =0\nrebind 2 @1141000 +0\n");
    ASSERT_EQ(parsed.error, "");
    const auto sim = simulation::make(parsed.trace.options, parsed.trace.choices);
    simulation::run_safety(*sim);
    EXPECT_EQ(sim->oracles.violation.text, "");
    ASSERT_TRUE(sim->nodes[2].session);
    EXPECT_EQ(session_state(sim->nodes[2].session), State::open);
    EXPECT_EQ(breach_count(peer_stats(sim->nodes[0].session, sim->nodes[2].self)), 0u);
}

// --- Journals and changes, which oracles and pictures read ---

TEST(Simulation, AJournalThatHasMissedANoteIsAViolation)
{
    const auto sim = simulation::make(SimOptions{});
    simulation::run_until(*sim, 3'000'000);
    EXPECT_EQ(sim->oracles.violation.invariant, "");
    sim->places[0].journal.notes = std::span(sim->nodes[0].notes).first(1);
    simulation::run_until(*sim, 4'000'000);
    EXPECT_EQ(sim->oracles.violation.invariant, "I8");
    EXPECT_NE(sim->oracles.violation.text.find("journal"), std::string::npos);
}

TEST(Simulation, InAHistoryTheSweptStayDead)
{
    SimOptions options;
    options.seconds = 4;
    const auto sim = simulation::make(options, Keep{false, true});
    simulation::run_safety(*sim);
    std::map<std::pair<uint16_t, ObjectId>, bool> dead;
    size_t after_death = 0;
    for (const Moment &moment : sim->history.moments) {
        if (moment.kind != MomentKind::object) continue;
        bool &is_dead = dead[{moment.lane, moment.object}];
        after_death += is_dead;
        EXPECT_TRUE(moment.dead || !is_dead);
        is_dead = moment.dead;
    }
    EXPECT_GT(after_death, 0u);
}

// Replays the changes of a node, and compares the result with its session.
TEST(Simulation, ChangesTellAllThatHappenedToTheObjects)
{
    const auto sim = simulation::make(mixed(4));
    std::vector<std::map<ObjectId, std::pair<Stamp, PeerId>>> worlds(sim->options.places);
    std::vector<std::map<ObjectId, Written>> values(sim->options.places);
    std::vector<uint32_t> generations(sim->options.places, 1), ticks(sim->options.places);
    std::vector<PeerId> selves(sim->options.places);
    while (simulation::step(*sim)) {
        for (size_t i = 0; i < sim->nodes.size(); ++i) {
            if (sim->places[i].ticks == ticks[i]) continue;
            ticks[i] = sim->places[i].ticks;
            const Node &node = sim->nodes[i];
            if (!node.session) continue;
            // The place restarted, or began to join again because its host left.
            const bool anew = sim->places[i].generation != generations[i] || node.self != selves[i];
            if (anew) worlds[i].clear(), values[i].clear();
            generations[i] = sim->places[i].generation;
            selves[i] = node.self;
            for (const Change &change : node.changes) {
                worlds[i].erase(change.object);
                if (change.after.life != Life::alive) continue;
                worlds[i][change.object] = {change.after.stamp, change.after.owner};
                if (change.value_changed) values[i][change.object] = change.value;
            }
            size_t alive = 0;
            for (TypeId type = THING; type < NUMBERED; ++type)
                for (const ObjectId id : object_ids(node.session, type)) {
                    if (!exists(node.session, id)) continue;
                    alive += 1;
                    ASSERT_TRUE(worlds[i].contains(id));
                    ASSERT_EQ(worlds[i][id].first, object_stamp(node.session, id));
                    ASSERT_EQ(worlds[i][id].second, object_owner(node.session, id));
                    ASSERT_EQ(std::memcmp(&values[i][id], inspect::replicated(node.session, id),
                                          sizeof(Written)),
                              0);
                }
            ASSERT_EQ(alive, worlds[i].size());
        }
    }
    EXPECT_GT(sim->counts.changes, 100u);
}

TEST(Simulation, AHistoryHasTheDeedsAndTheObjects)
{
    SimOptions options;
    options.seconds = 4;
    const auto sim = played(options, "none,loss=30,twice=30,crash=1,cut=6", Keep{false, true});
    const History &history = sim->history;
    size_t kinds[16] = {};
    uint64_t time_us = 0;
    for (const Moment &moment : history.moments) {
        EXPECT_GE(moment.time_us, time_us);
        time_us = moment.time_us;
        kinds[static_cast<size_t>(moment.kind)] += 1;
    }
    EXPECT_EQ(history.lanes.size(), 4u);
    for (const MomentKind kind :
         {MomentKind::act, MomentKind::object, MomentKind::lost, MomentKind::doubled,
          MomentKind::crashed, MomentKind::started, MomentKind::cut, MomentKind::healed})
        EXPECT_GT(kinds[static_cast<size_t>(kind)], 0u) << static_cast<int>(kind);
}

// Seed 539: both halves of a session of two admitted a third peer. Seed 1545: a newcomer began to
// join again in the tick in which it learned of a death. Seeds 20105 and 20511: two voters each
// continued, though a newcomer could follow either. Seed 3633: a peer connected to one that was
// closing, and never finished. Seed 4279: a peer that joined again received, on its new connection,
// the messages that its former self had not acked.
struct FailedSeed {
    uint64_t seed;
    uint32_t seconds;
    Topology topology;
};

TEST(Simulation, SeedsThatFailedHold)
{
    const FailedSeed failed[] = {{539, 30, Topology::mesh},       {1545, 30, Topology::mesh},
                                 {3633, 30, Topology::mesh},      {4279, 30, Topology::mesh},
                                 {20105, 12, Topology::mesh},     {20511, 12, Topology::mesh},
                                 {20720, 30, Topology::mesh},     {454939622, 30, Topology::star},
                                 {198942040, 30, Topology::mesh}, {558678315, 30, Topology::star},
                                 {780173, 30, Topology::mesh},    {1057357145, 20, Topology::mesh},
                                 {600788, 30, Topology::star}};
    for (const auto &[seed, seconds, topology] : failed) {
        SimOptions options = script::swarm(seed);
        options.seconds = seconds;
        options.topology = topology;
        const auto sim = simulation::make(options);
        simulation::run_safety(*sim);
        Liveness liveness = liveness::begin(*sim);
        while (liveness::step(liveness, *sim)) {
        }
        EXPECT_FALSE(sim->oracles.violation) << seed << ": " << sim->oracles.violation.text;
    }
}
