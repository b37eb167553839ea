#include "sim/trace/shrink.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace tern;

namespace {

SimChoice choice(Act act, uint16_t a, uint16_t b, uint64_t when, uint64_t lasts_us = 0,
                 int64_t value = 0)
{
    return {act, a, b, 0, 0, 0, when, lasts_us, value};
}

// 2000 choices of all kinds, most of which do not matter.
Trace large()
{
    Trace trace;
    trace.options.places = 6;
    trace.options.seconds = 30;
    trace.options.tick_us_low = 10'000;
    for (uint64_t i = 0; i < 2000; ++i) {
        const auto a = static_cast<uint16_t>(i % 6), b = static_cast<uint16_t>((i + 1 + i / 6) % 6);
        const Act acts[] = {Act::lose, Act::delay, Act::set, Act::call, Act::pause, Act::destroy};
        trace.choices.push_back(choice(acts[i * 7 % 6], a, b, i * 10'000, 100'000, 50));
    }
    return trace;
}

bool has(const Trace &trace, Act act, uint64_t when)
{
    return std::any_of(trace.choices.begin(), trace.choices.end(),
                       [&](const SimChoice &c) { return c.act == act && c.when == when; });
}

struct Shrunk {
    Shrinker s;
    uint64_t wrong_answers; // Candidates in which another invariant fails.
};                          // Candidates that violate another invariant.

// fails(trace) returns the time of the violation in us, or 0.
template <class Fails> Shrunk shrink_all(const Trace &trace, Fails fails)
{
    Violation violation = {};
    violation.invariant = "I3";
    Shrunk shrunk = {shrink::make(trace, violation, fails(trace)), 0};
    while (const Trace *candidate = shrink::next(shrunk.s)) {
        const uint64_t when_us = fails(*candidate);
        Violation answer = {};
        if (when_us > 0) answer = violation;
        if (candidate->choices.size() % 5 == 1 && when_us == 0) {
            answer.invariant = "Q1";
            shrunk.wrong_answers += 1;
        }
        shrink::answer(shrunk.s, answer, when_us);
        if (shrunk.s.tries > 5000) break;
    }
    return shrunk;
}

}

TEST(Shrink, WhatMattersIsLeft)
{
    const Trace trace = large();
    // Three choices that lie far apart: a destroy, a pause and a lost datagram.
    const SimChoice *kept[3] = {};
    for (const SimChoice &c : trace.choices) {
        if (c.act == Act::destroy && c.when > 15'000'000 && !kept[0]) kept[0] = &c;
        if (c.act == Act::pause && c.when > 1'000'000 && !kept[1]) kept[1] = &c;
        if (c.act == Act::lose && c.when > 12'000'000 && !kept[2]) kept[2] = &c;
    }
    const auto fails = [&](const Trace &t) -> uint64_t {
        for (const SimChoice *c : kept)
            if (!has(t, c->act, c->when)) return 0;
        return t.options.seconds >= 16 ? 16'000'000 : 0;
    };
    const Shrunk shrunk = shrink_all(trace, fails);
    EXPECT_EQ(shrunk.s.best.choices.size(), 3u);
    EXPECT_GT(fails(shrunk.s.best), 0u);
    EXPECT_GT(shrunk.wrong_answers, 0u);
    EXPECT_LT(shrunk.s.tries, 400u);
    EXPECT_EQ(shrunk.s.best.options.seconds, 17u);
    EXPECT_EQ(shrunk.s.best.options.tick_us_low, SimOptions{}.tick_us_low);
    for (const SimChoice &c : shrunk.s.best.choices)
        EXPECT_EQ(c.value, 0);
}

TEST(Shrink, PlacesThatDoNotMatterGo)
{
    Trace trace = large();
    trace.choices.push_back(choice(Act::remove, 0, 4, 77));
    // The choice keeps its time when it is renumbered.
    const auto fails = [](const Trace &t) -> uint64_t {
        return has(t, Act::remove, 77) ? 1'000'000 : 0;
    };
    const Shrunk shrunk = shrink_all(trace, fails);
    ASSERT_EQ(shrunk.s.best.choices.size(), 1u);
    EXPECT_EQ(shrunk.s.best.options.places, 2u);
    EXPECT_EQ(shrunk.s.best.choices[0].b, 1u);
}

TEST(Shrink, AtRestTheRunBeforeItGetsShorter)
{
    const auto fails = [](const Trace &t) -> uint64_t {
        return t.options.seconds >= 5 ? t.options.seconds * 1'000'000 + 20'000'000 : 0;
    };
    const Shrunk shrunk = shrink_all(large(), fails);
    EXPECT_EQ(shrunk.s.best.choices.size(), 0u);
    EXPECT_LT(shrunk.s.best.options.seconds, 10u);
    EXPECT_GE(shrunk.s.best.options.seconds, 5u);
}

TEST(Shrink, NumbersGetLower)
{
    const auto fails = [](const Trace &t) -> uint64_t {
        for (const SimChoice &c : t.choices)
            if (c.act == Act::delay && c.lasts_us >= 30'000) return 1'000'000;
        return 0;
    };
    const Shrunk shrunk = shrink_all(large(), fails);
    ASSERT_EQ(shrunk.s.best.choices.size(), 1u);
    EXPECT_LT(shrunk.s.best.choices[0].lasts_us, 60'000u);
    EXPECT_EQ(shrunk.s.best.choices[0].value, 0);
}
