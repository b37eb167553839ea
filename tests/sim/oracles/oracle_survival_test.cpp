#include "sim/trace/script.h"
#include "sim/world/simulation.h"
#include <gtest/gtest.h>

using namespace tern;

namespace {

// Three of five crash, so that the other two end as a minority.
constexpr const char *trace = "tern-trace 1 simulate\nseed 1\nplaces 5\nseconds 14\nobjects 10\n"
                              "timeout_ms 2000\njoin_timeout_ms 5000\nchoices\n"
                              "start 1 @1020000 =0\nstart 2 @1020000 =0\nstart 3 @1020000 =0\n"
                              "start 4 @1020000 =0\n"
                              "crash 2 @6000000\ncrash 3 @6000000\ncrash 4 @6000000\n";

// The first violation of the run. `change` is called before each step after the crashes.
template <class Change> Violation play(const char *text, Change change)
{
    const ParsedTrace parsed = script::parse(text);
    EXPECT_EQ(parsed.error, "");
    const auto sim = simulation::make(parsed.trace.options, parsed.trace.choices);
    while (sim->now_us < 13'000'000 && !sim->oracles.violation) {
        if (sim->now_us > 6'100'000) change(sim->oracles.survival, sim->now_us);
        if (!simulation::step(*sim)) break;
    }
    return sim->oracles.violation;
}

// As if the peers at places 2 to `last` had not crashed, and had been heard.
void let_live(Survival &survival, size_t last, uint64_t now_us)
{
    for (size_t i = 2; i <= last; ++i) {
        survival.peers[i].state = Survivor::State::lost;
        survival.gone_us.erase(survival.peers[i].self);
        for (size_t other = 0; other <= last; ++other)
            for (const size_t pair : {i * 5 + other, other * 5 + i})
                survival.apart[pair] = {now_us, false};
    }
}

}

TEST(OracleSurvival, AMinorityMayBeLost)
{
    EXPECT_EQ(play(trace, [](Survival &, uint64_t) {}).invariant, "");
}

TEST(OracleSurvival, AMajorityThatHearsItselfMayNot)
{
    const auto three_live = [](Survival &survival, uint64_t now_us) {
        let_live(survival, 2, now_us);
    };
    EXPECT_EQ(play(trace, three_live).invariant, "I25");
    const auto one_is_not_heard = [](Survival &survival, uint64_t now_us) {
        let_live(survival, 2, now_us);
        survival.apart[2].ever = true; // 0 has not heard 2.
    };
    EXPECT_EQ(play(trace, one_is_not_heard).invariant, "");
}

TEST(OracleSurvival, OneThatWasOpenForAMomentDoesNotCount)
{
    const auto one_is_new = [](Survival &survival, uint64_t now_us) {
        let_live(survival, 2, now_us);
        survival.opened_us[survival.peers[2].self] = 5'500'000;
    };
    EXPECT_EQ(play(trace, one_is_new).invariant, "");
}
