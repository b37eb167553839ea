#include "bot/options.h"
#include "bot/round_trips.h"
#include "bot/values.h"
#include "tern/invites.hpp"
#include "tests/programs/process.h"
#include <atomic>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <tern/diagnostics.hpp>
#include <tern/io.hpp>
#include <tern/untyped.hpp>
#include <thread>

using namespace tern;
using test::Process;

namespace {

const std::string tern_bot = std::string(TERN_PROGRAMS_DIR) + "/tern-bot";

// A host of the synthetic types, in a thread. It creates one object.
struct Host {
    std::shared_ptr<TypeTable> types = type_file::synthetic();
    Config config = {};
    Socket *socket = make_udp_socket(0).socket;
    std::string invite_text;
    std::atomic<uint64_t> digest = 0;
    std::atomic<size_t> others = 0, others_max = 0;
    std::atomic<bool> leaves = false, ends = false;
    std::thread thread;

    explicit Host(Topology topology)
    {
        config.types = types->types;
        config.topology = topology;
        config.peers_max = 8;
        Session *session = make_session(config);
        start(session);
        const Address address = loopback(socket->local_address().port);
        invite_text = to_text(make_invite(session, {&address, 1})).text;
        const std::vector<std::byte> zero(types->types[0].size_bytes);
        create(session, 0, zero.data(), zero.size());
        thread = std::thread([this, session] { run(session); });
    }
    Host(const Host &) = delete;
    ~Host()
    {
        ends = true;
        thread.join();
        destroy_socket(socket);
    }
    void run(Session *session)
    {
        while (!ends) {
            receive(session, socket->receive(), clock_us());
            if (leaves && session_state(session) == State::open) leave(session);
            socket->send(send(session, clock_us()));
            others = session_state(session) == State::open ? other_peers(session).size() : 0;
            others_max = std::max(others_max.load(), others.load());
            if (session_state(session) == State::open) digest = tern::world_digest(session);
            sleep_us(10'000);
        }
        destroy_session(session);
    }
    // The command of tern-bot with these options and the invite.
    std::vector<std::string> command(std::vector<std::string> options) const
    {
        options.insert(options.begin(), {tern_bot, "--peers-max", "8", "--quiet"});
        options.push_back(invite_text);
        return options;
    }
};

bool comes_true(const auto &condition)
{
    for (int i = 0; i < 2000 && !condition(); ++i)
        sleep_us(10'000);
    return condition();
}

std::string hex(uint64_t digest)
{
    char text[20];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(digest));
    return text;
}

TEST(Bot, PlaysAndSeesTheHostsWorld)
{
    Host host(Topology::star);
    Process bots(host.command({"--count", "5", "--seconds", "2", "--loss", "2", "--churn", "2",
                               "--claims", "5", "--calls", "5", "--stay", "--json"}));
    ASSERT_TRUE(bots.print_until("settled after")) << bots.text;
    ASSERT_TRUE(bots.print_until("the bots'")) << bots.text;
    EXPECT_NE(bots.text.find("digest " + hex(host.digest)), std::string::npos) << bots.text;
    EXPECT_EQ(host.others, 5u);
    EXPECT_EQ(bots.end_by(SIGTERM), 0) << bots.text;
    EXPECT_TRUE(comes_true([&] { return host.others == 0; })) << "they leave in order";
    for (const char *told : {"\"joined\":5,", "\"failed\":0,", "\"lost\":0,", "\"left\":5,",
                             "\"settled\":true", "\"interrupted\":false"})
        EXPECT_NE(bots.text.find(told), std::string::npos) << told << "\n" << bots.text;
    for (const char *nothing : {"\"sets\":0,", "\"destroyed\":0,", "\"claims_granted\":0,",
                                "\"calls_received\":0,", "\"changes_received\":0,"})
        EXPECT_EQ(bots.text.find(nothing), std::string::npos) << nothing << "\n" << bots.text;
}

TEST(Bot, ASignalAmidThePlayMakesThemLeaveInOrder)
{
    Host host(Topology::star);
    Process bots(host.command({"--count", "3", "--json"}));
    ASSERT_TRUE(comes_true([&] { return host.others == 3; }));
    EXPECT_EQ(bots.end_by(SIGINT), 0) << bots.text;
    EXPECT_TRUE(comes_true([&] { return host.others == 0; }));
    EXPECT_NE(bots.text.find("\"interrupted\":true"), std::string::npos) << bots.text;
    EXPECT_EQ(bots.text.find("\"world\""), std::string::npos) << "it was not asked for";
}

TEST(Bot, InAMeshTheyPlayOnWithoutTheirHost)
{
    Host host(Topology::mesh);
    Process bots(host.command(
        {"--topology", "mesh", "--count", "4", "--seconds", "3", "--claims", "5", "--json"}));
    ASSERT_TRUE(comes_true([&] { return host.others == 4; }));
    host.leaves = true;
    EXPECT_TRUE(bots.print_until("is the host now")) << bots.text;
    EXPECT_EQ(bots.wait_for_end(), 0) << bots.text;
    EXPECT_NE(bots.text.find("\"settled\":true"), std::string::npos) << bots.text;
}

TEST(Bot, WhoIsRefusedSaysWhatMustBeEqual)
{
    Host host(Topology::star);
    Process bots({tern_bot, "--peers-max", "9", "--seconds", "1", host.invite_text});
    EXPECT_EQ(bots.wait_for_end(), 1);
    EXPECT_NE(bots.text.find("The host has other limits"), std::string::npos) << bots.text;
    EXPECT_NE(bots.text.find("--peers-max must be the host's"), std::string::npos) << bots.text;
}

TEST(Bot, OneTooManyIsAFailure)
{
    Host host(Topology::star);
    Process first(host.command({"--count", "6"}));
    ASSERT_TRUE(comes_true([&] { return host.others == 6; }));
    Process second(host.command({"--count", "2", "--seconds", "0.1", "--settle", "0"}));
    EXPECT_EQ(second.wait_for_end(), 1);
    EXPECT_NE(second.text.find("1 of 2 joined, 1 failed"), std::string::npos) << second.text;
    EXPECT_NE(second.text.find("1 bot: The session is full."), std::string::npos) << second.text;
    EXPECT_EQ(first.end_by(SIGTERM), 0);
}

TEST(Bot, ADeadInviteReachesNobody)
{
    std::string invite;
    {
        Host host(Topology::star);
        invite = host.invite_text;
    }
    Process bots({tern_bot, "--count", "2", "--join-timeout-ms", "300", invite});
    EXPECT_EQ(bots.wait_for_end(), 3);
    EXPECT_NE(bots.text.find("2 bots: No datagram has arrived"), std::string::npos) << bots.text;
}

// --- The command line ---

bot::ParsedOptions parsed(std::vector<const char *> arguments)
{
    arguments.insert(arguments.begin(), "tern-bot");
    return bot::parse_options(static_cast<int>(arguments.size()), arguments.data());
}

std::string any_invite()
{
    Session *session = make_session({});
    start(session);
    const Address address = loopback(7777);
    const std::string text = to_text(make_invite(session, {&address, 1})).text;
    destroy_session(session);
    return text;
}

TEST(BotOptions, MeanWhatTheySay)
{
    const std::string invite = any_invite();
    const bot::ParsedOptions p =
        parsed({"--count", "20", "--topology", "mesh", "--quorum", "survivors", "--latency",
                "20-80", "--loss", "2.5", "--seconds", "1.5", invite.c_str()});
    ASSERT_TRUE(p.run) << p.text;
    EXPECT_EQ(p.options.count, 20u);
    EXPECT_EQ(p.options.topology, Topology::mesh);
    EXPECT_EQ(p.options.quorum, Quorum::survivors);
    EXPECT_EQ(p.options.latency_ms_min, 20u);
    EXPECT_EQ(p.options.latency_ms_max, 80u);
    EXPECT_EQ(p.options.loss_percent, 2.5);
    EXPECT_EQ(p.options.seconds, 1.5);
    EXPECT_TRUE(p.options.types);
    EXPECT_EQ(p.options.invite.addresses[0], loopback(7777));
}

TEST(BotOptions, WhatIsWrongIsNamed)
{
    const std::string invite = any_invite();
    const char *good = invite.c_str();
    struct Case {
        std::vector<const char *> arguments;
        const char *told;
    };
    const Case cases[] = {
        {{}, "no INVITE"},
        {{"hello"}, "this is no invite: an invite begins with"},
        {{"--cuont", "3", good}, "unknown option --cuont (did you mean \"--count\"?)"},
        {{"--count", "0", good}, "--count: \"0\" is not a whole number from 1 to 511"},
        {{"--count", "64", good}, "--count 64: with the host more than --peers-max 64"},
        {{"--topology", "mesh", "--peers-max", "65", good}, "a mesh has at most 64"},
        {{"--topology", "ring", good}, "\"ring\" is not one of star, mesh"},
        {{"--latency", "80-20", good}, "--latency \"80-20\": expected milliseconds"},
        {{"--latency", "-5", good}, "--latency"},
        {{"--latency", "20-", good}, "--latency \"20-\""},
        {{"--loss", "51", good}, "--loss: \"51\" is not a number of percent from 0 to 50"},
        {{"--claims", "nan", good}, "--claims: \"nan\" is not a number from 0 to 1000"},
        {{"--seconds", "-1", good}, "--seconds: \"-1\" is not a number"},
        {{"--types", "/no/such.toml", good}, "/no/such.toml: cannot be opened"},
        {{"--hostile", "forgd", good}, "no attack \"forgd\" (did you mean \"forged\"?)"},
        {{"--hostile", "hides", good}, "--hostile hides needs --topology mesh"},
        {{"--count", "62", "--hostile", "forged", good}, "needs two more of --peers-max"},
        {{good, good}, "not expected"},
    };
    for (const Case &c : cases) {
        const bot::ParsedOptions p = parsed(c.arguments);
        EXPECT_FALSE(p.run);
        EXPECT_EQ(p.exit_status, 2);
        EXPECT_NE(p.text.find(c.told), std::string::npos) << c.told << "\n" << p.text;
    }
    EXPECT_EQ(parsed({"--help"}).exit_status, 0);
    EXPECT_NE(parsed({"--help"}).text.find("Exit status"), std::string::npos);
    EXPECT_EQ(parsed({"--hostile", "list"}).exit_status, 0);
    EXPECT_NE(parsed({"--hostile", "list"}).text.find("forged "), std::string::npos);
}

// --- The values that bots set ---

TEST(BotValues, EachFieldIsWithinItsRangeAndMoves)
{
    const type_file::Read read = type_file::read(toml::parse(R"(
[[type]]
name = "all"
objects_max = 8
field = [
    {name = "flag", kind = "boolean"},
    {name = "small", kind = "int8", min = -3, max = 4},
    {name = "large", kind = "int64", min = -9007199254740992, max = 9007199254740992},
    {name = "whole", kind = "uint64"},
    {name = "part", kind = "float32", count = 2, min = -1.5, max = 0.25, step = 0.25},
    {name = "turn", kind = "quaternion", step = 0.01},
    {name = "who", kind = "peer"},
    {name = "what", kind = "object"},
    {name = "text", kind = "text", count = 6},
    {name = "raw", kind = "bytes", count = 3},
    {name = "any", kind = "values", count = 40},
])"),
                                                 "all");
    ASSERT_TRUE(read.table) << read.problems[0].text;
    const Type &type = read.table->types[0];
    Config config = {};
    config.types = read.table->types;
    Session *session = make_session(config);
    start(session);
    bot::Random random(1);
    std::vector<std::byte> value(type.size_bytes);
    std::vector<std::vector<std::byte>> seen(type.fields.size());
    std::vector<int> moved(type.fields.size());
    for (int i = 0; i < 5; ++i)
        create(session, 0, value.data(), value.size());
    for (int i = 0; i < 200; ++i) {
        bot::randomise(session, read.table->types, 0, ~uint64_t{0}, value, random);
        const auto at = [&]<class T>(size_t field, T &out, size_t index = 0) {
            std::memcpy(&out, value.data() + type.fields[field].offset_bytes + index * sizeof(T),
                        sizeof(T));
        };
        int8_t small;
        int64_t large;
        float part[2], turn[4];
        char text[6];
        at(1, small);
        at(2, large);
        at(4, part);
        at(5, turn);
        at(8, text);
        EXPECT_TRUE(small >= -3 && small <= 4) << int{small};
        EXPECT_LE(std::abs(large), int64_t{1} << 53);
        for (float p : part)
            EXPECT_TRUE(p >= -1.5f && p <= 0.25f) << p;
        EXPECT_NEAR(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2] + turn[3] * turn[3],
                    1, 1e-5);
        EXPECT_EQ(text[5], 0);
        for (size_t f = 0; f < type.fields.size(); ++f) {
            const Field &field = type.fields[f];
            const auto first = value.begin() + field.offset_bytes;
            const size_t size = element_bytes(field.kind) * field.count;
            const std::vector<std::byte> now(first, first + static_cast<ptrdiff_t>(size));
            moved[f] += now != seen[f];
            seen[f] = now;
        }
    }
    for (size_t f = 0; f < type.fields.size(); ++f)
        EXPECT_GT(moved[f], 50) << type.fields[f].name;
    const std::vector<std::byte> before = value;
    bot::randomise(session, read.table->types, 0, 0, value, random);
    EXPECT_EQ(value, before) << "an empty mask changes nothing";
    destroy_session(session);
}

TEST(BotRoundTrips, PercentilesAreRightToTwoPercent)
{
    bot::RoundTrips trips;
    EXPECT_EQ(bot::percentile_us(trips, 50), 0u);
    for (uint32_t us = 1; us <= 10'000; ++us)
        bot::add(trips, us * 10);
    EXPECT_NEAR(bot::percentile_us(trips, 50), 50'000, 1000);
    EXPECT_NEAR(bot::percentile_us(trips, 99), 99'000, 2000);
    EXPECT_EQ(trips.worst_us, 100'000u);
    bot::RoundTrips sum;
    bot::add(sum, trips);
    bot::add(sum, 5'000'000);
    EXPECT_EQ(sum.count, 10'001u);
    EXPECT_EQ(sum.worst_us, 5'000'000u);
    EXPECT_NEAR(bot::percentile_us(sum, 100), 5'000'000, 100'000);
}

}
