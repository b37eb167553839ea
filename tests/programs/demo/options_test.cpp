#include "programs/demo/options.h"
#include <gtest/gtest.h>
#include <vector>

namespace demo {
namespace {

ParsedOptions parse(std::vector<const char *> arguments)
{
    arguments.insert(arguments.begin(), "tern-demo");
    return parse_options(static_cast<int>(arguments.size()), arguments.data());
}

struct BadCase {
    std::vector<const char *> arguments;
    std::vector<const char *> named; // What the text must contain.
};

TEST(Options, NothingGivenMeansTheDefaults)
{
    const ParsedOptions parsed = parse({});
    ASSERT_TRUE(parsed.run) << parsed.text;
    EXPECT_EQ(4, parsed.options.peers);
    EXPECT_EQ(64u, parsed.options.objects);
    EXPECT_EQ(20u, parsed.options.seconds);
    EXPECT_EQ(5, parsed.options.loss_percent);
    EXPECT_EQ(40u, parsed.options.delay_ms);
    EXPECT_EQ(40u, parsed.options.jitter_ms);
    EXPECT_EQ("udp", parsed.options.socket);
    EXPECT_FALSE(parsed.options.no_kill);
    EXPECT_TRUE(parsed.options.impaired);
}

TEST(Options, EveryOptionIsTaken)
{
    const ParsedOptions parsed = parse(
        {"--peers", "16", "--objects", "1000", "--seconds=5", "--loss", "2.5", "--delay-ms", "10",
         "--jitter-ms", "0", "--seed", "18446744073709551615", "--socket", "udp6", "--no-kill"});
    ASSERT_TRUE(parsed.run) << parsed.text;
    EXPECT_EQ(16, parsed.options.peers);
    EXPECT_EQ(1000u, parsed.options.objects);
    EXPECT_EQ(5u, parsed.options.seconds);
    EXPECT_EQ(2.5, parsed.options.loss_percent);
    EXPECT_EQ(10u, parsed.options.delay_ms);
    EXPECT_EQ(0u, parsed.options.jitter_ms);
    EXPECT_EQ(UINT64_MAX, parsed.options.seed);
    EXPECT_EQ("udp6", parsed.options.socket);
    EXPECT_TRUE(parsed.options.no_kill);
}

TEST(Options, WhoFindsOrAnnouncesIsAloneInItsProcess)
{
    EXPECT_FALSE(is_alone(parse({}).options));
    EXPECT_TRUE(is_alone(parse({"--listen", "0"}).options));
    const ParsedOptions parsed = parse({"--find", "--announce", "Ada's"});
    ASSERT_TRUE(parsed.run) << parsed.text;
    EXPECT_TRUE(parsed.options.find);
    EXPECT_TRUE(is_alone(parsed.options));
    EXPECT_FALSE(parsed.options.impaired);
    EXPECT_EQ("Ada's", parsed.options.announce);
    for (const std::vector<const char *> &arguments :
         {std::vector<const char *>{"--announce", "Ada's"},
          {"--find", "--listen", "0"},
          {"--find", "--join", "x"},
          {"--find", "--trial", "full"}}) {
        EXPECT_FALSE(parse(arguments).run);
        EXPECT_EQ(2, parse(arguments).exit_status);
    }
}

TEST(Options, AStarHasMorePeersThanAMesh)
{
    const ParsedOptions star = parse({"--peers", "512", "--topology", "star", "--hz", "20"});
    ASSERT_TRUE(star.run) << star.text;
    EXPECT_EQ(512, star.options.peers);
    EXPECT_EQ("star", star.options.topology);
    EXPECT_EQ(20u, star.options.hz);
    EXPECT_TRUE(parse({"--peers", "64"}).run);
    EXPECT_EQ("mesh", parse({}).options.topology);
}

TEST(Options, ProgramsOfOtherProcesses)
{
    const ParsedOptions parsed = parse({"--with", "wine a.exe", "--with", "b", "--process=2"});
    ASSERT_TRUE(parsed.run) << parsed.text;
    EXPECT_EQ((std::vector<std::string>{"wine a.exe", "b"}), parsed.options.programs);
    EXPECT_EQ(2, parsed.options.process);
    EXPECT_EQ(6u, parsed.options.arguments.size());
    EXPECT_EQ(-1, parse({}).options.process);
}

TEST(Options, WhoIsKilledAndWhoGoesOn)
{
    EXPECT_TRUE(parse({"--kill-host"}).options.kill_host);
    EXPECT_EQ("majority", parse({"--kill-host"}).options.quorum);
    EXPECT_TRUE(parse({"--kill-two"}).options.kill_two);
    // The two peers that remain of four are not a majority.
    EXPECT_EQ("survivors", parse({"--kill-two"}).options.quorum);
    EXPECT_EQ("majority", parse({"--kill-two", "--peers", "5"}).options.quorum);
    EXPECT_EQ("majority", parse({"--kill-two", "--quorum", "majority"}).options.quorum);
    EXPECT_EQ("survivors", parse({"--quorum", "survivors"}).options.quorum);
    EXPECT_TRUE(parse({"--kill-other"}).options.kill_two);
    EXPECT_TRUE(parse({"--kill-other"}).options.kill_other);
    EXPECT_FALSE(parse({"--kill-two", "--kill-host"}).run);
    EXPECT_FALSE(parse({"--kill-two", "--kill-other"}).run);
    EXPECT_FALSE(parse({"--no-kill", "--kill-host"}).run);
    EXPECT_FALSE(parse({"--quorum", "all"}).run);
}

TEST(Options, ABadValueIsToldWithItsOptionAndWhatWasExpected)
{
    const BadCase cases[] = {
        {{"--peers", "1"}, {"--peers", "\"1\"", "2 to 512"}},
        {{"--peers", "513", "--topology", "star"}, {"--peers", "\"513\"", "2 to 512"}},
        {{"--peers", "65"}, {"--peers", "65", "mesh", "at most 64", "--topology"}},
        {{"--peers", "four"}, {"--peers", "\"four\"", "2 to 512"}},
        {{"--topology", "ring"}, {"--topology", "ring", "mesh, star"}},
        {{"--hz", "1"}, {"--hz", "\"1\"", "5 to 240"}},
        {{"--objects", "0"}, {"--objects", "\"0\"", "1 to 1000"}},
        {{"--seconds", "4"}, {"--seconds", "\"4\"", "5 to 3600"}},
        {{"--seconds", "7.5"}, {"--seconds", "\"7.5\"", "5 to 3600"}},
        {{"--loss", "51"}, {"--loss", "\"51\"", "0 to 50"}},
        {{"--loss", "-1"}, {"--loss"}},
        {{"--loss", "nan"}, {"--loss", "\"nan\"", "0 to 50"}},
        {{"--delay-ms", "501"}, {"--delay-ms", "\"501\"", "0 to 500"}},
        {{"--jitter-ms", "5ms"}, {"--jitter-ms", "\"5ms\"", "0 to 500"}},
        {{"--seed", "18446744073709551616"}, {"--seed", "whole number"}},
        {{"--socket", "tcp"}, {"--socket", "\"tcp\"", "udp, enet, udp6"}},
        {{"--socket", "udp, enet"}, {"--socket", "udp, enet, udp6"}},
        {{"--trial", "luck"}, {"--trial", "\"luck\"", "other-types", "port-in-use"}},
        {{"--listen", "65536"}, {"--listen", "\"65536\"", "0 to 65535"}},
        {{"--with", ""}, {"--with", "name of a program"}},
        {{"--with", "a", "--listen", "0"}, {"--with", "no other process"}},
        {{"--with", "a", "--with", "b", "--peers", "2"}, {"--with", "at most 1"}},
        {{"--peers"}, {"--peers"}},
        {{"--unknown"}, {"--unknown"}},
    };
    for (const BadCase &bad : cases) {
        const ParsedOptions parsed = parse(bad.arguments);
        EXPECT_FALSE(parsed.run) << bad.arguments[0];
        EXPECT_EQ(2, parsed.exit_status) << bad.arguments[0];
        for (const char *word : bad.named)
            EXPECT_NE(std::string::npos, parsed.text.find(word)) << word << " in " << parsed.text;
    }
}

TEST(Options, WaysToRunExcludeEachOther)
{
    EXPECT_FALSE(parse({"--listen", "7777", "--join", "tern1-x"}).run);
    EXPECT_FALSE(parse({"--listen", "7777", "--trial", "full"}).run);
    EXPECT_FALSE(parse({"--address", "192.0.2.1:7777"}).run);
    EXPECT_TRUE(parse({"--listen", "7777", "--address", "192.0.2.1:7777"}).run);
}

TEST(Options, PlayersElsewhereAreNotImpairedUnlessThatIsAskedFor)
{
    EXPECT_FALSE(parse({"--listen", "7777"}).options.impaired);
    EXPECT_FALSE(parse({"--join", "tern1-x"}).options.impaired);
    EXPECT_TRUE(parse({"--join", "tern1-x", "--loss", "5"}).options.impaired);
}

TEST(Options, HelpNamesAllOptionsAndIsNoError)
{
    const ParsedOptions parsed = parse({"--help"});
    EXPECT_FALSE(parsed.run);
    EXPECT_EQ(0, parsed.exit_status);
    for (const char *option : {"--peers", "--objects", "--seconds", "--loss", "--delay-ms",
                               "--jitter-ms", "--seed", "--socket", "--no-kill"})
        EXPECT_NE(std::string::npos, parsed.text.find(option)) << option;
}

}
}
