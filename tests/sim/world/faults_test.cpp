#include "sim/world/faults.h"
#include <gtest/gtest.h>

using namespace tern;

static const FaultRange &of(const Faults &faults, FaultKind kind)
{
    return faults::range(faults, kind);
}

TEST(Faults, NoneHasGamesAndNoFaults)
{
    const Faults none = faults::parse("none", 1).faults;
    EXPECT_FALSE(of(none, FaultKind::loss).on);
    EXPECT_FALSE(of(none, FaultKind::crash).on);
    EXPECT_TRUE(of(none, FaultKind::create).on);
    EXPECT_TRUE(of(none, FaultKind::claim).on);
}

TEST(Faults, AListNamesThemWithNumbersRangesOrNeither)
{
    const ParsedFaults parsed = faults::parse("loss=20..50,crash=2,twice,destroy=0", 1);
    ASSERT_EQ(parsed.error, "");
    EXPECT_TRUE(of(parsed.faults, FaultKind::loss).on);
    EXPECT_EQ(of(parsed.faults, FaultKind::loss).low, 20u);
    EXPECT_EQ(of(parsed.faults, FaultKind::loss).high, 50u);
    EXPECT_EQ(of(parsed.faults, FaultKind::crash).low, 2u);
    EXPECT_EQ(of(parsed.faults, FaultKind::crash).high, 2u);
    EXPECT_TRUE(of(parsed.faults, FaultKind::twice).on);
    EXPECT_FALSE(of(parsed.faults, FaultKind::destroy).on);
}

TEST(Faults, AListMayStandOnTopOfASwarm)
{
    const Faults swarm = faults::parse("swarm", 3).faults;
    const Faults changed = faults::parse("swarm,loss=7", 3).faults;
    EXPECT_EQ(of(changed, FaultKind::loss).high, 7u);
    EXPECT_EQ(of(changed, FaultKind::crash).on, of(swarm, FaultKind::crash).on);
}

TEST(Faults, ErrorsNameWhatWasWrongAndWhatIsExpected)
{
    EXPECT_NE(faults::parse("los=2", 1).error.find("\"los\""), std::string::npos);
    EXPECT_NE(faults::parse("los=2", 1).error.find("loss, burst"), std::string::npos);
    EXPECT_NE(faults::parse("loss=5..2", 1).error.find("LOW..HIGH"), std::string::npos);
    EXPECT_NE(faults::parse("loss=301", 1).error.find("0 to 300 per mille"), std::string::npos);
    EXPECT_NE(faults::parse("loss=1x", 1).error, "");
    EXPECT_NE(faults::parse("loss=", 1).error, "");
    EXPECT_NE(faults::parse("", 1).error, "");
    EXPECT_NE(faults::parse("loss=1,", 1).error, "");
    EXPECT_NE(faults::parse("loss=1,none", 1).error, "");
}

TEST(Faults, WhatIsPrintedIsReadAsTheSame)
{
    for (uint64_t seed = 0; seed < 200; ++seed) {
        const Faults drawn = seed == 0 ? faults::none() : faults::drawn(seed);
        const std::string text = faults::print(drawn);
        const ParsedFaults parsed = faults::parse(text, 0);
        ASSERT_EQ(parsed.error, "") << text;
        for (size_t i = 0; i < fault_kind_count; ++i) {
            ASSERT_EQ(parsed.faults.ranges[i].on, drawn.ranges[i].on) << text;
            if (!drawn.ranges[i].on) continue;
            ASSERT_EQ(parsed.faults.ranges[i].low, drawn.ranges[i].low) << text;
            ASSERT_EQ(parsed.faults.ranges[i].high, drawn.ranges[i].high) << text;
        }
    }
}

TEST(Faults, ASwarmRemovesAboutHalfOfThem)
{
    size_t on = 0;
    for (uint64_t seed = 1; seed <= 100; ++seed)
        for (const FaultRange &range : faults::drawn(seed).ranges)
            on += range.on;
    EXPECT_GT(on, 100 * fault_kind_count * 2 / 5);
    EXPECT_LT(on, 100 * fault_kind_count * 3 / 5);
}

TEST(Faults, EachKindIsInTheHelp)
{
    for (size_t i = 0; i < fault_kind_count; ++i)
        EXPECT_NE(faults::help().find(faults::text(static_cast<FaultKind>(i)).name),
                  std::string::npos);
}
