// traffic_rows(): every bit of the datagrams from send() is charged to its purpose.
#include "tern/calls.hpp"
#include "tern/diagnostics.hpp"
#include "tern/limits.hpp"
#include "tern/untyped.hpp"
#include "tests/session/sim_world.h"
#include <gtest/gtest.h>

using namespace tern;
using namespace tern::test;

namespace {

constexpr Impairment no_loss = {20, 20, 0, 0};
constexpr Impairment lossy = {20, 90, 0.2f, 0.05f};

TrafficRow row(const Session *session, TrafficKind kind, TypeId type = no_type,
               uint16_t field = no_field)
{
    for (const TrafficRow &one : traffic_rows(session))
        if (one.kind == kind && one.type == type && one.field == field) return one;
    ADD_FAILURE() << "no row " << to_text(kind) << ' ' << type << ' ' << field;
    return {};
}

int64_t sum(const Session *session)
{
    int64_t bits = 0;
    for (const TrafficRow &one : traffic_rows(session))
        bits += one.bits;
    return bits;
}

// Counts independently the bits that the send() of each node returns.
struct CountedWorld : SimWorld {
    using SimWorld::SimWorld;
    std::vector<int64_t> handed_out_bits;

    template <class Play> void step_counted(Play play)
    {
        handed_out_bits.resize(nodes.size());
        pass_tick_time();
        for (size_t i = 0; i < nodes.size(); ++i) {
            if (nodes[i].crashed) continue;
            tick(nodes[i]);
            play(i);
            const std::span<const Datagram> datagrams = send(nodes[i].session, now_us);
            for (const Datagram &datagram : datagrams)
                handed_out_bits[i] += static_cast<int64_t>(datagram.bytes.size() * 8);
            nodes[i].socket->send(datagrams);
            ASSERT_EQ(sum(nodes[i].session), handed_out_bits[i]) << "node " << i;
        }
    }
    template <class Play> void steps_counted(int count, Play play)
    {
        for (int i = 0; i < count; ++i)
            step_counted(play);
    }
    void steps_counted(int count)
    {
        steps_counted(count, [](size_t) {});
    }
    void open_counted(size_t peers, int ticks)
    {
        add_all(peers);
        steps_counted(ticks);
        for (const Node &node : nodes)
            EXPECT_EQ(session_state(node.session), State::open);
    }
};

int64_t clocks(const Session *session)
{
    return static_cast<int64_t>(row(session, TrafficKind::notice).count);
}

// Calls the functions that a game can call, at random.
void play(CountedWorld &world, size_t i)
{
    Session *session = world.nodes[i].session;
    if (session_state(session) != State::open) return;
    const auto chance = [&](uint64_t in) { return random::next(world.random) % in == 0; };
    const auto value = static_cast<int32_t>(random::next(world.random) % 100);
    for (TypeId type : {BODY, NAME}) {
        const std::span<const ObjectId> all = object_ids(session, type);
        if (all.empty()) continue;
        const ObjectId object = all[random::next(world.random) % all.size()];
        const bool ours = object_owner(session, object) == local_peer(session);
        if (!ours && chance(5)) claim(session, object);
        if (ours && chance(15))
            destroy(session, object);
        else if (ours && type == BODY)
            set(session, Object<Body>{object}, Body{{static_cast<float>(value), 0, 1}, value});
        else if (ours)
            set(session, Object<Name>{object}, Name{"a name"});
    }
    if (chance(4)) create(session, BODY, Body{{1, 2, 3}, value});
    if (chance(8)) create(session, NAME, Name{"x"});
    const auto how = chance(2) ? Reliability::reliable : Reliability::unreliable;
    if (chance(2)) call(session, PeerId::everyone, HIT, Hit{ObjectId::none, value}, how);
    if (chance(4)) request(session, PeerId::host, HIT, Hit{ObjectId::none, value}, 500);
}

}

TEST(Traffic, TheSumIsWhatIsHandedOutAtEachTick)
{
    for (Topology topology : {Topology::mesh, Topology::star}) {
        CountedWorld world(7, lossy);
        world.config.topology = topology;
        world.add_all(4);
        world.steps_counted(200, [&](size_t node) { play(world, node); });
        world.nodes[3].crashed = true;
        world.steps_counted(100, [&](size_t node) { play(world, node); });
        leave(world.nodes[0].session);
        world.steps_counted(150);
        const Session *host = world.nodes[1].session;
        for (TrafficKind kind : {TrafficKind::header, TrafficKind::tag, TrafficKind::ack,
                                 TrafficKind::frame, TrafficKind::repeated, TrafficKind::padding,
                                 TrafficKind::handshake, TrafficKind::ping, TrafficKind::claim,
                                 TrafficKind::membership, TrafficKind::join, TrafficKind::destroy})
            EXPECT_GT(row(host, kind).bits, 0) << to_text(kind);
        EXPECT_GT(row(host, TrafficKind::update, BODY, 0).bits, 0);
        EXPECT_GT(row(host, TrafficKind::call, HIT, 1).bits, 0);
        for (const TrafficRow &one : traffic_rows(host))
            EXPECT_TRUE(one.bits >= 0 || one.kind == TrafficKind::unsent) << to_text(one.kind);
    }
}

TEST(Traffic, FieldsAreChargedTheirBits)
{
    CountedWorld world(3, no_loss);
    world.open_counted(2, 60);
    Session *session = world.nodes[0].session;
    const ObjectId body = create(session, BODY, Body{{0, 0, 0}, 50});
    const ObjectId name = create(session, NAME, Name{"four"});
    world.steps_counted(20);
    // 15 bits hold 20,001 steps, 7 hold 101 values; a text has a length of 4 bits.
    EXPECT_EQ(row(session, TrafficKind::create, BODY, 0).bits, 3 * 15);
    EXPECT_EQ(row(session, TrafficKind::create, BODY, 1).bits, 7);
    EXPECT_EQ(row(session, TrafficKind::create, BODY).bits, 8 + 32); // type and tick
    EXPECT_EQ(row(session, TrafficKind::create, NAME, 0).bits, 4 + 4 * 8);
    EXPECT_EQ(row(session, TrafficKind::create).count, 2u);
    const Name names[] = {{"a"}, {""}, {"seventeen"}};
    for (int i = 0; i < 10; ++i) {
        set(session, Object<Body>{body}, Body{{0, 0, 0}, i});
        if (i < 3) set(session, Object<Name>{name}, names[i]);
        world.steps_counted(10);
    }
    set(session, Object<Body>{body}, Body{{1, 0, 0}, 90});
    world.steps_counted(10);
    EXPECT_EQ(row(session, TrafficKind::update, BODY, 1).bits, 11 * 7);
    EXPECT_EQ(row(session, TrafficKind::update, BODY, 1).count, 11u);
    EXPECT_EQ(row(session, TrafficKind::update, BODY, 0).bits, 3 * 15);
    EXPECT_EQ(row(session, TrafficKind::update, NAME, 0).bits, 3 * 4 + (1 + 0 + 9) * 8);
    EXPECT_EQ(row(session, TrafficKind::update, BODY).count, 11u);
    EXPECT_EQ(row(session, TrafficKind::update).count, 11u); // UPDATE messages
    EXPECT_EQ(row(session, TrafficKind::repeated).bits, 0);
    EXPECT_EQ(row(session, TrafficKind::unsent).bits, 0);
}

TEST(Traffic, CallsAreChargedTheirArguments)
{
    CountedWorld world(4, no_loss);
    world.open_counted(2, 60);
    Session *session = world.nodes[0].session;
    const PeerId other = local_peer(world.nodes[1].session);
    call(session, other, HIT, Hit{ObjectId::none, 1});
    call(session, other, HIT, Hit{ObjectId::none, 2}, Reliability::unreliable);
    // The reliable call is charged, but still waits in its stream.
    EXPECT_EQ(row(session, TrafficKind::call, HIT, 1).bits, 32);
    EXPECT_LT(row(session, TrafficKind::unsent).bits, 0);
    world.steps_counted(5);
    EXPECT_EQ(row(session, TrafficKind::call, HIT, 0).bits, 2 * 48);
    EXPECT_EQ(row(session, TrafficKind::call, HIT, 1).bits, 2 * 32);
    // 3 + 8 bits, padded to whole bytes
    EXPECT_EQ(row(session, TrafficKind::call, HIT).bits, 2 * 16);
    EXPECT_EQ(row(session, TrafficKind::call, HIT).count, 2u);
    EXPECT_EQ(row(session, TrafficKind::unsent).bits, 0);
    EXPECT_EQ(row(world.nodes[1].session, TrafficKind::call, HIT).count, 0u);
}

TEST(Traffic, WhatIsLostIsChargedAgainAsRepeated)
{
    CountedWorld world(5, lossy);
    world.open_counted(2, 100);
    int32_t number = 0;
    world.steps_counted(50, [&](size_t node) {
        if (node == 0)
            call(world.nodes[0].session, PeerId::everyone, HIT, Hit{ObjectId::none, number++});
    });
    world.steps_counted(100);
    const Session *session = world.nodes[0].session;
    EXPECT_EQ(row(session, TrafficKind::call, HIT).count, 50u);
    EXPECT_EQ(row(session, TrafficKind::call, HIT, 1).bits, 50 * 32);
    EXPECT_GT(row(session, TrafficKind::repeated).bits, 0);
    EXPECT_EQ(row(session, TrafficKind::unsent).bits, 0);
}

TEST(Traffic, WhoBridgesIsChargedTheDatagramsOfOthers)
{
    CountedWorld world(6, no_loss);
    for (int i = 0; i < 3; ++i) {
        world.add();
        world.steps_counted(1);
    }
    world.cut(1, 2, true);
    world.steps_counted(300);
    ASSERT_TRUE(peer_stats(world.nodes[1].session, local_peer(world.nodes[2].session)).bridged);
    EXPECT_GT(row(world.nodes[0].session, TrafficKind::forwarded).bits, 0);
    EXPECT_GT(row(world.nodes[0].session, TrafficKind::path).bits, 0);
    EXPECT_EQ(row(world.nodes[1].session, TrafficKind::forwarded).bits, 0);
    EXPECT_GT(row(world.nodes[1].session, TrafficKind::path).bits, 0);
}

// Cuts the node off from every member but the host.
static void cut_off(CountedWorld &world, size_t node, bool is_cut)
{
    for (size_t i = 1; i < node; ++i)
        world.cut(i, node, is_cut);
}

TEST(Traffic, ItGoesOnWhenASessionStartsOver)
{
    CountedWorld world(8, no_loss);
    world.open_counted(3, 60);
    world.add();
    Session *newcomer = world.nodes[3].session;
    cut_off(world, 3, true);
    for (int i = 0; i < 60 && local_peer(newcomer) == PeerId::none; ++i)
        world.steps_counted(1);
    ASSERT_EQ(session_state(newcomer), State::joining);
    const int64_t before = row(newcomer, TrafficKind::join).bits;
    EXPECT_GT(before, 0);
    world.nodes[0].crashed = true; // The world sync of the other members has not arrived yet.
    world.steps_counted(80);
    cut_off(world, 3, false);
    world.steps_counted(400);
    EXPECT_EQ(session_state(newcomer), State::open) << state_text(newcomer);
    EXPECT_GT(row(newcomer, TrafficKind::join).bits, before);
}

TEST(Traffic, TheHostSendsItsClockTwiceASecondToEachMember)
{
    SimWorld world(31, no_loss);
    ASSERT_TRUE(world.open(3));
    const int64_t before = clocks(world.nodes[0].session);
    world.steps(300); // 10 s
    const int64_t sent = clocks(world.nodes[0].session) - before;
    EXPECT_GE(sent, 2 * 18);
    EXPECT_LE(sent, 2 * 21);
    EXPECT_EQ(clocks(world.nodes[1].session), 0);
}
