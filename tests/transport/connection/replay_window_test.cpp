#include "transport/connection/replay_window.h"
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <set>

using namespace tern;

namespace {

// A packet number that is mostly near the newest, sometimes far ahead or far behind.
uint64_t near(uint64_t newest)
{
    const uint64_t back = *rc::gen::weightedOneOf<uint64_t>(
        {{8, rc::gen::inRange<uint64_t>(0, 100)}, {1, rc::gen::inRange<uint64_t>(1900, 2100)}});
    const uint64_t ahead =
        *rc::gen::weightedOneOf<uint64_t>({{8, rc::gen::inRange<uint64_t>(0, 100)},
                                           {1, rc::gen::inRange<uint64_t>(0, 2200)},
                                           {1, rc::gen::inRange<uint64_t>(0, 1ull << 40)}});
    return newest + ahead < back ? 0 : newest + ahead - back;
}

}

RC_GTEST_PROP(ReplayWindow, AgreesWithASetOfNumbers, ())
{
    ReplayWindow window{};
    std::set<uint64_t> model;
    const uint64_t start =
        *rc::gen::element<uint64_t>(0, 63, (1ull << 32) - 100, (1ull << 60) - 5000);
    uint64_t newest = start;
    const int steps = *rc::gen::inRange(1, 300);
    for (int i = 0; i < steps; i += 1) {
        const uint64_t number = near(newest);
        const bool any = !model.empty();
        const bool old = any && number + replay_window_packets <= *model.rbegin();
        const bool expected = !old && model.count(number) == 0;
        RC_ASSERT(replay_window::is_new(window, number) == expected);
        if (!expected) continue;
        replay_window::set(window, number);
        model.insert(number);
        newest = *model.rbegin();
        RC_ASSERT(replay_window::next(window) == newest + 1);
        RC_ASSERT(!replay_window::is_new(window, number));
    }
}

RC_GTEST_PROP(ReplayWindow, ShowsItsBitsFromAnyNumberOn, ())
{
    ReplayWindow window{};
    std::set<int64_t> model;
    const int64_t start = *rc::gen::element<int64_t>(0, (1ll << 32) - 100, (1ll << 60) - 5000);
    const int count = *rc::gen::inRange(0, 100);
    for (int i = 0; i < count; i += 1) {
        const int64_t number = start + *rc::gen::inRange<int64_t>(0, 700);
        replay_window::set(window, static_cast<uint64_t>(number));
        model.insert(number);
    }
    const int64_t from = start + *rc::gen::inRange<int64_t>(-200, 900);
    const uint64_t bits = replay_window::bits(window, from);
    for (int64_t i = 0; i < 64; i += 1)
        RC_ASSERT((bits >> i & 1) == model.count(from + i));
}

TEST(ReplayWindow, AJumpOfAWholeRoundForgetsAllButItself)
{
    ReplayWindow window{};
    for (uint64_t i = 0; i < 3000; i += 1)
        replay_window::set(window, i);
    const uint64_t far = 3000 + 64 * replay_blocks * 5;
    replay_window::set(window, far);
    EXPECT_FALSE(replay_window::is_new(window, 2999));
    EXPECT_FALSE(replay_window::is_new(window, far - replay_window_packets));
    for (uint64_t i = 1; i < replay_window_packets; i += 1)
        EXPECT_TRUE(replay_window::is_new(window, far - i)) << i;
    EXPECT_FALSE(replay_window::is_new(window, far));
}

TEST(ReplayWindow, SkippedNumbersAreNeitherSetNorShown)
{
    ReplayWindow window{};
    replay_window::skip_to(window, 1000);
    EXPECT_EQ(1000u, replay_window::next(window));
    EXPECT_EQ(0u, replay_window::bits(window, 936));
}
