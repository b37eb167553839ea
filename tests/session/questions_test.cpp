// The functions by which a game checks beforehand whether a call would be wrong.
#include <gtest/gtest.h>
#include <string>
#include <tern/diagnostics.hpp>
#include <tern/limits.hpp>
#include <tern/sim.hpp>
#include <tern/tern.hpp>
#include <tern/untyped.hpp>

using namespace tern;

namespace {

const Field fields[] = {{"health", FieldKind::int32, 0, 1, 0, 100}};
const Type types[] = {{"ship", 4, fields, 4}};

Config config()
{
    Config config = {};
    config.types = types;
    return config;
}

// Two open sessions that tick together.
struct Pair {
    SimNetwork *network = make_sim_network({1, {5, 5}});
    Session *sessions[2] = {make_session(config()), make_session(config())};
    Socket *sockets[2];
    uint64_t now_us = 0;

    Pair()
    {
        const Address addresses[] = {loopback(1000), loopback(1001)};
        for (int i = 0; i < 2; ++i)
            sockets[i] = make_sim_socket(network, addresses[i]);
        start(sessions[0]);
        join(sessions[1], make_invite(sessions[0], {addresses, 1}));
    }
    ~Pair()
    {
        for (Session *session : sessions)
            destroy_session(session);
        destroy_sim_network(network);
    }
    void tick()
    {
        now_us += 10'000;
        advance(network, now_us);
        for (int i = 0; i < 2; ++i)
            receive(sessions[i], sockets[i]->receive(), now_us);
        for (int i = 0; i < 2; ++i)
            sockets[i]->send(send(sessions[i], now_us));
    }
    template <class Fact> void until(Fact fact)
    {
        for (int i = 0; i < 1000 && !fact(); ++i)
            tick();
        ASSERT_TRUE(fact());
    }
};

std::string problem_of(const Config &config)
{
    return config_problem(config).text;
}

}

TEST(QuestionsTest, AConfigIsRightOrItsProblemIsNamed)
{
    EXPECT_EQ(problem_of(config()), "");
    Config wrong = config();
    wrong.peers_max = 65;
    EXPECT_NE(problem_of(wrong).find("peers_max 65, at most 64"), std::string::npos);
    EXPECT_DEATH((void)make_session(wrong), "peers_max 65, at most 64");
    Type many = types[0];
    many.objects_max = 8'000'000;
    wrong = config();
    wrong.types = {&many, 1};
    wrong.topology = Topology::star;
    wrong.peers_max = 512;
    EXPECT_NE(problem_of(wrong).find("with peers_max 512: at most 8388607"), std::string::npos);
    wrong = config();
    wrong.recording_bytes_max = 5;
    EXPECT_NE(problem_of(wrong).find("recording_bytes_max 5"), std::string::npos);
    const Type unnamed = {"a b", 4, fields, 4};
    wrong = config();
    wrong.types = {&unnamed, 1};
    EXPECT_NE(problem_of(wrong).find("type 0: its name"), std::string::npos);
}

// Checks that min and max are allowed, and that one less and one more are not.
template <class Number>
static void expect_limits(Number Config::*setting, const char *name, uint64_t min, uint64_t max)
{
    for (const uint64_t value : {min, max, min - 1, max + 1}) {
        Config tried = config();
        tried.*setting = static_cast<Number>(value);
        if (tried.*setting != value) continue; // The type has no such number.
        const bool is_right = value >= min && value <= max;
        const std::string problem = problem_of(tried);
        EXPECT_EQ(problem.empty(), is_right) << name << " " << value << ": " << problem;
        EXPECT_EQ(problem.starts_with(name), !is_right) << name << " " << value << ": " << problem;
    }
}

TEST(QuestionsTest, EachNumberOfAConfigHasItsLimits)
{
    expect_limits(&Config::peers_max, "peers_max", 2, mesh_peers_max);
    expect_limits(&Config::timeout_ms, "timeout_ms", 100, 600'000);
    expect_limits(&Config::join_timeout_ms, "join_timeout_ms", 100, 600'000);
    expect_limits(&Config::send_bytes_per_second_max, "send_bytes_per_second_max", 4096,
                  UINT32_MAX);
    expect_limits(&Config::bridge_bytes_per_second_max, "bridge_bytes_per_second_max", 4096,
                  UINT32_MAX);
    expect_limits(&Config::forward_bytes_per_second_max, "forward_bytes_per_second_max", 4096,
                  UINT32_MAX);
    expect_limits(&Config::recording_bytes_max, "recording_bytes_max", 65'536, UINT32_MAX);
}

TEST(QuestionsTest, TheConfigAndTheEventsAreThoseOfTheSession)
{
    Pair pair;
    const std::span<const Type> own = session_config(pair.sessions[0]).types;
    EXPECT_NE(own.data(), types); // It has been copied.
    ASSERT_EQ(own.size(), std::size(types));
    EXPECT_STREQ(own[0].name, types[0].name);
    EXPECT_EQ(own[0].fields.size(), types[0].fields.size());
    EXPECT_EQ(session_config(pair.sessions[0]).timeout_ms, Config{}.timeout_ms);
    const ObjectId ship = create(pair.sessions[0], 0, fields, 4);
    bool told = false;
    pair.until([&] {
        for (const Event &event : session_events(pair.sessions[1]))
            told = told || (event.kind == EventKind::object_created && event.object.id == ship) ||
                   event.kind == EventKind::caught_up;
        return told;
    });
}

TEST(QuestionsTest, WhatMayBeReadAndSet)
{
    Pair pair;
    Session *a = pair.sessions[0], *b = pair.sessions[1];
    const int32_t health = 7;
    const ObjectId ship = create(a, 0, &health, 4);
    EXPECT_TRUE(can_read(a, ship) && may_set(a, ship));
    EXPECT_FALSE(can_read(b, ship) || may_set(b, ship));
    pair.until([&] { return session_state(b) == State::open && exists(b, ship); });
    EXPECT_TRUE(can_read(b, ship));
    EXPECT_EQ(find_value(b, ship).value, get(b, ship, 4));
    EXPECT_EQ(find_value(b, ship).type, object_type(b, ship));
    EXPECT_FALSE(may_set(b, ship));
    claim(b, ship, ClaimMode::optimistic);
    EXPECT_TRUE(may_set(b, ship)); // An optimistic claim suffices; b does not own it yet.
    pair.until([&] {
        return object_owner(b, ship) == local_peer(b) && object_owner(a, ship) == local_peer(b);
    });
    EXPECT_TRUE(may_set(b, ship));
    EXPECT_FALSE(may_set(a, ship));
    destroy(b, ship);
    EXPECT_FALSE(may_set(b, ship));
    pair.until([&] { return !exists(a, ship); });
    EXPECT_TRUE(can_read(a, ship)); // The value stays readable until the next receive().
    pair.tick();
    EXPECT_FALSE(can_read(a, ship));
    EXPECT_FALSE(can_read(a, ObjectId::none));
    for (ObjectId unknown : {ship, ObjectId::none}) {
        EXPECT_EQ(find_value(a, unknown).value, nullptr);
        EXPECT_EQ(find_value(a, unknown).type, no_type);
    }
}
