// Whole runs under the oracles, and traces of the failures that they found.
#include "sim/world/liveness.h"
#include <gtest/gtest.h>

using namespace tern;

namespace {

void finish(Liveness &l, Simulation &sim)
{
    while (liveness::step(l, sim)) {
    }
}

Liveness live(Simulation &sim)
{
    simulation::run_safety(sim);
    Liveness l = {};
    if (sim.oracles.violation) {
        l.violation = sim.oracles.violation;
        return l;
    }
    l = liveness::begin(sim);
    finish(l, sim);
    return l;
}

// A run of 2 s at the beginning of its liveness phase.
struct Begun {
    std::unique_ptr<Simulation> sim;
    Liveness l;
};

Begun after_safety()
{
    SimOptions options;
    options.seconds = 2;
    auto sim = simulation::make(options);
    simulation::run_safety(*sim);
    const Liveness l = liveness::begin(*sim);
    return {std::move(sim), l};
}

Liveness replay(const char *text)
{
    const ParsedTrace parsed = script::parse(text);
    EXPECT_EQ(parsed.error, "");
    const auto sim = simulation::make(parsed.trace.options, parsed.trace.choices);
    return live(*sim);
}

}

TEST(Liveness, ACalmRunAgreesAndIsOfUse)
{
    SimOptions options;
    options.seconds = 3;
    const auto sim = simulation::make(options);
    const Liveness l = live(*sim);
    EXPECT_FALSE(l.violation) << l.violation.text;
    EXPECT_EQ(l.stage, LivenessStage::done);
    EXPECT_GT(sim->oracles.ledger.object_count, 10u);
    EXPECT_GT(l.quiet_datagrams_per_s, 0u);
}

TEST(Liveness, SwarmsAgree)
{
    uint64_t streams = 0, deaths = 0;
    for (uint64_t seed = 1; seed <= 30; ++seed) {
        SimOptions options = script::swarm(seed);
        options.seconds = 4;
        const auto sim = simulation::make(options);
        const Liveness l = live(*sim);
        ASSERT_FALSE(l.violation) << "seed " << seed << " " << l.violation.invariant << ": "
                                  << l.violation.text;
        streams += sim->oracles.streams.size();
        for (const auto &records : sim->oracles.ledger.objects)
            for (const ObjectRecord &record : records)
                deaths += record.destroyed_by != PeerId::none;
    }
    EXPECT_GT(streams, 100u); // There was something to check.
    EXPECT_GT(deaths, 100u);
}

TEST(Liveness, WhatNeverAgreesIsFoundAtTheBound)
{
    auto [sim, l] = after_safety();
    l.deadline_us = sim->now_us; // No session can agree that early.
    finish(l, *sim);
    EXPECT_TRUE(l.violation);
    EXPECT_EQ(sim->oracles.violation.text, l.violation.text);
}

TEST(Liveness, ALostProbeIsFound)
{
    auto [sim, l] = after_safety();
    while (l.stage != LivenessStage::claiming && liveness::step(l, *sim)) {
    }
    ASSERT_FALSE(l.probes.empty());
    for (Place &place : sim->places) // Prevents the claims of the probes.
        place.acts.clear(), place.next_act = 0;
    finish(l, *sim);
    EXPECT_EQ(l.violation.invariant, "L1");
}

TEST(Liveness, ChatterIsFound)
{
    auto [sim, l] = after_safety();
    while (l.stage != LivenessStage::quiet && liveness::step(l, *sim)) {
    }
    for (uint64_t i = 0; i < 200; ++i) {
        SimChoice whisper = {};
        whisper.act = Act::whisper;
        whisper.when = sim->now_us + i * 20'000;
        simulation::order(*sim, whisper);
    }
    finish(l, *sim);
    EXPECT_EQ(l.violation.invariant, "L3");
}

// The newcomer gives its first connection up after the host has admitted it. The host once counted
// its second JOIN as malformed.
TEST(Liveness, Found221)
{
    const Liveness l = replay("tern-trace 1 simulate\n"
                              "seed 221\nplaces 2\nseconds 5\nobjects 32\n"
                              "tick_us_low 100000\ntick_us_high 100000\n"
                              "latency_us_low 53395\nlatency_us_high 53395\n"
                              "timeout_ms 2792\njoin_timeout_ms 5792\n"
                              "send_bytes_per_second_max 262144\nfaults none\nchoices\n"
                              "start 1 @1020000 =0\n"
                              "jump 1 @1977495 =520629\n"
                              "pause 0 @2378915 +478063\n"
                              "jump 1 @2616875 =208304\n"
                              "pause 0 @2698695 +1116800\n"
                              "delay 1>0 #1 +336345\n"
                              "delay 0>1 #1 +28326\n"
                              "damage 1>0 #3 =0\n"
                              "damage 0>1 #2 =0\n");
    EXPECT_FALSE(l.violation) << l.violation.text;
}
