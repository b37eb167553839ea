#include "sim/trace/script.h"
#include "sim/world/dice.h"
#include "sim/world/simulation.h"
#include <gtest/gtest.h>

using namespace tern;

static const char head[] = "tern-trace 1 simulate\nseed 7\nplaces 3\nchoices\n";

static std::string error_of(const std::string &text)
{
    return script::parse(text).error;
}

TEST(Script, ARecordedRunIsReadAsItWasWritten)
{
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        SimOptions options = script::swarm(seed);
        options.seconds = 3;
        const auto sim = simulation::make(options, Keep{true, false});
        simulation::run_safety(*sim);
        const Trace trace = simulation::trace(*sim);
        const ParsedTrace parsed = script::parse(script::print(trace));
        ASSERT_EQ(parsed.error, "");
        ASSERT_EQ(parsed.trace.options, trace.options);
        ASSERT_EQ(parsed.trace.choices, trace.choices);
        ASSERT_EQ(parsed.trace.hashes, trace.hashes);
        ASSERT_EQ(parsed.trace.digest, trace.digest);
    }
}

TEST(Script, ASeedOfTwentyDigitsIsReadAsItWasWritten)
{
    Trace trace;
    trace.options.seed = UINT64_MAX;
    const ParsedTrace parsed = script::parse(script::print(trace));
    EXPECT_EQ(parsed.error, "");
    EXPECT_EQ(parsed.trace.options.seed, UINT64_MAX);
    EXPECT_NE(error_of("tern-trace 1 simulate\nseed 18446744073709551616\nchoices\n"), "");
}

TEST(Script, EveryActIsOneLine)
{
    const std::string text = std::string(head) + "create 0 @1500000 o1 =-12\n"
                                                 "// A comment.\n"
                                                 "\n"
                                                 "migrate 0>2 @1600000 o1\n"
                                                 "cut 1>2 @1700000 +500000\n"
                                                 "lose 1>2 #17\n"
                                                 "replay 1>2 #18 ~0>1#5\n"
                                                 "skew 1 @1800000 =-250\n";
    const ParsedTrace parsed = script::parse(text);
    ASSERT_EQ(parsed.error, "");
    ASSERT_EQ(parsed.trace.choices.size(), 6u);
    EXPECT_EQ(parsed.trace.options.seed, 7u);
    EXPECT_EQ(parsed.trace.choices[0].value, -12);
    EXPECT_EQ(parsed.trace.choices[1].b, 2u);
    EXPECT_EQ(parsed.trace.choices[2].lasts_us, 500'000u);
    EXPECT_EQ(parsed.trace.choices[3].when, 17u);
    EXPECT_EQ(parsed.trace.choices[4].d, 1u);
    EXPECT_EQ(parsed.trace.choices[4].value, 5);
    EXPECT_EQ(script::print(parsed.trace.choices[4]), "replay 1>2 #18 ~0>1#5");
}

TEST(Script, ErrorsNameTheLineAndWhatIsExpected)
{
    EXPECT_EQ(error_of("x"), "line 1: expected \"tern-trace 1 simulate\"");
    EXPECT_EQ(error_of("tern-trace 1 simulate\nplaces 99\nchoices\n"),
              "line 2: expected \"places 2 to 16\"");
    EXPECT_EQ(error_of("tern-trace 1 simulate\nseed 1\n"), "at the end: expected \"choices\"");
    EXPECT_EQ(error_of(std::string(head) + "lose 1>2 @17\n"),
              "line 5: expected \"lose PLACE>PLACE #NUMBER\"");
    EXPECT_EQ(error_of(std::string(head) + "cut 1>2 @17 +\n"),
              "line 5: expected \"cut PLACE>PLACE @TIME +MICROSECONDS\"");
    EXPECT_NE(error_of(std::string(head) + "fly 1\n").find("nothing is called \"fly\""),
              std::string::npos);
    EXPECT_NE(error_of(std::string(head) + "hash 2000 0123456789abcdef\n").find("hash 1000"),
              std::string::npos);
    EXPECT_NE(error_of(std::string(head) + "digest 0123\n").find("16 hex digits"),
              std::string::npos);
    EXPECT_NE(error_of("tern-trace 1 simulate\nfaults los=1\nchoices\n").find("line 2: no fault"),
              std::string::npos);
}

TEST(Script, AnyBytesAreARun)
{
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        Dice dice = dice::make(seed, Stream::shape);
        std::vector<std::byte> bytes(20 * seed);
        for (std::byte &byte : bytes)
            byte = static_cast<std::byte>(dice::next(dice));
        const Trace trace = script::from_bytes(bytes, 100);
        ASSERT_LE(trace.choices.size(), 100u);
        const ParsedTrace parsed = script::parse(script::print(trace));
        ASSERT_EQ(parsed.error, "");
        ASSERT_EQ(parsed.trace.choices, trace.choices);
        const auto sim = simulation::make(trace.options, trace.choices);
        simulation::run_safety(*sim);
        ASSERT_GT(sim->counts.ticks, 50u);
    }
}
