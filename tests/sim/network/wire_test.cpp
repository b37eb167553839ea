#include "sim/network/wire.h"
#include <gtest/gtest.h>

using namespace tern;

namespace {

struct Line { // Two places, and the datagrams that arrived at the second.
    Wire wire;
    std::vector<Datagram> inbox;
    std::vector<uint32_t> slots;
    uint64_t now_us = 1'000'000;

    explicit Line(const std::vector<SimChoice> &choices, uint32_t latency_us = 1000)
    {
        SimOptions options;
        options.places = 2;
        options.latency_us_low = options.latency_us_high = latency_us;
        wire = wire::make(options);
        wire::follow(wire, choices);
        wire::take_address(wire, 0, 0);
        wire::take_address(wire, 1, 1);
    }

    void send(uint8_t first_byte, size_t size_bytes = 40)
    {
        std::vector<std::byte> bytes(size_bytes);
        bytes[0] = static_cast<std::byte>(first_byte);
        wire::send(wire, now_us, 0, {wire::address(1), bytes});
    }

    // Returns the first byte of each datagram that arrived by `time_us`.
    std::vector<int> arrived_by(uint64_t time_us)
    {
        wire::release(wire, slots);
        inbox.clear();
        wire::deliver(wire, time_us, 1, inbox, slots);
        std::vector<int> firsts;
        for (const Datagram &datagram : inbox)
            firsts.push_back(datagram.bytes.empty() ? -1 : std::to_integer<int>(datagram.bytes[0]));
        return firsts;
    }
};

SimChoice choice(Act act, uint64_t number, uint64_t lasts_us = 0, int64_t value = 0)
{
    SimChoice c = {};
    c.act = act;
    c.b = 1;
    c.when = number;
    c.lasts_us = lasts_us;
    c.value = value;
    return c;
}

using Firsts = std::vector<int>;

}

TEST(Wire, ByDefaultAllArriveInOrderAfterTheLatency)
{
    Line line({});
    for (uint8_t i = 1; i <= 5; ++i)
        line.send(i);
    EXPECT_EQ(line.arrived_by(1'000'999), Firsts{});
    EXPECT_EQ(line.arrived_by(1'001'000), (Firsts{1, 2, 3, 4, 5}));
    EXPECT_EQ(line.inbox[0].address, wire::address(0));
    EXPECT_EQ(line.inbox[0].bytes.size(), 40u);
}

TEST(Wire, AScriptNamesWhatBecomesOfADatagramByItsNumber)
{
    Line line({choice(Act::lose, 2), choice(Act::delay, 3, 5000), choice(Act::twice, 4, 300),
               choice(Act::twice, 4, 100), choice(Act::truncate, 5, 0, 7),
               choice(Act::damage, 6, 0, 1)});
    for (uint8_t i = 1; i <= 6; ++i)
        line.send(static_cast<uint8_t>(i * 16));
    EXPECT_EQ(line.arrived_by(1'001'000), (Firsts{16, 64, 80, 98}));
    EXPECT_EQ(line.inbox[2].bytes.size(), 7u);
    EXPECT_EQ(line.arrived_by(1'001'300), (Firsts{64, 64}));
    EXPECT_EQ(line.arrived_by(1'006'000), (Firsts{48}));
}

TEST(Wire, AReplayBringsAnEarlierDatagramOnceMore)
{
    SimChoice replay = choice(Act::replay, 3, 0, 1);
    replay.d = 1;
    Line line({replay});
    for (uint8_t i = 1; i <= 3; ++i)
        line.send(i);
    EXPECT_EQ(line.arrived_by(1'001'000), (Firsts{1, 2, 3, 1}));
}

TEST(Wire, SmallDatagramsComeAgainFromBeyondTheReplayWindow)
{
    SimChoice replay = choice(Act::replay, far_datagrams_max, 0, 1);
    replay.d = 1;
    SimChoice large = choice(Act::replay, far_datagrams_max, 0, 2);
    large.d = 1;
    for (const SimChoice &chosen : {replay, large}) {
        Line line({chosen});
        line.send(7);
        line.send(8, far_bytes_max + 1);
        for (uint32_t i = 2; i < far_datagrams_max; ++i)
            line.send(9);
        EXPECT_EQ(line.wire.counts.acts[static_cast<size_t>(Act::replay)], chosen == replay);
        EXPECT_FALSE(wire::kept(wire::route(line.wire, 0, 1), 1).empty());
        EXPECT_TRUE(wire::kept(wire::route(line.wire, 0, 1), 2).empty()); // Too large.
        line.send(9);
        EXPECT_TRUE(wire::kept(wire::route(line.wire, 0, 1), 1).empty()); // Too old.
    }
}

TEST(Wire, ACutLosesWhatIsSentAndWhatWouldArrive)
{
    Line line({});
    line.send(1);
    Route &route = wire::route(line.wire, 0, 1);
    route.cut_since_us = 1'000'500;
    route.cut_until_us = 1'002'000;
    line.now_us = 1'001'500;
    line.send(2);
    line.now_us = 1'002'000;
    line.send(3);
    EXPECT_EQ(line.arrived_by(1'003'000), Firsts{3});
    EXPECT_EQ(line.wire.counts.lost_by_cut, 2u);
}

TEST(Wire, AClogHoldsBackAndKeepsTheOrder)
{
    Line line({});
    wire::route(line.wire, 0, 1).clog_until_us = 1'500'000;
    line.send(1);
    line.now_us = 1'400'000;
    line.send(2);
    EXPECT_EQ(line.arrived_by(1'499'999), Firsts{});
    EXPECT_EQ(line.arrived_by(1'500'000), (Firsts{1, 2}));
    EXPECT_EQ(line.wire.counts.delayed_by_clog, 2u);
}

TEST(Wire, ABlackHoleTakesTheLarge)
{
    Line line({});
    wire::route(line.wire, 0, 1).mtu_until_us = 2'000'000;
    wire::route(line.wire, 0, 1).mtu_bytes = 500;
    line.send(1, 500);
    line.send(2, 501);
    EXPECT_EQ(line.arrived_by(1'001'000), Firsts{1});
    EXPECT_EQ(line.wire.counts.lost_by_mtu, 1u);
}

TEST(Wire, AQueueDelaysAndDropsItsTail)
{
    Line line({});
    wire::route(line.wire, 0, 1).queue_until_us = 9'000'000;
    wire::route(line.wire, 0, 1).queue_bytes_per_second = 100'000;
    for (uint8_t i = 1; i <= 20; ++i)
        line.send(i, 1000);
    EXPECT_EQ(line.arrived_by(1'011'000), Firsts{1});
    EXPECT_EQ(line.arrived_by(5'000'000).size(), 15u);
    EXPECT_EQ(line.wire.counts.lost_by_queue, 4u);
}

TEST(Wire, WhatIsForAFormerAddressIsLost)
{
    Line line({});
    line.send(1);
    wire::take_address(line.wire, 1, 5);
    line.send(2);
    EXPECT_EQ(line.arrived_by(1'001'000), Firsts{});
    EXPECT_EQ(line.wire.counts.lost_nowhere, 2u);
}

TEST(Wire, AFullInboxLosesTheNewest)
{
    Line line({});
    for (uint32_t i = 0; i < arrivals_max + 3; ++i)
        line.send(static_cast<uint8_t>(i & 0x7f));
    EXPECT_EQ(line.arrived_by(1'001'000).size(), arrivals_max);
    EXPECT_EQ(line.wire.counts.lost_by_full_inbox, 3u);
}

TEST(Wire, ARestrictedNatLetsInWhatComesFromWhereItHasSent)
{
    Line line({});
    line.wire.members[0] = line.wire.members[1] = true;
    wire::set_nat(line.wire, 1, Nat::restricted);
    line.send(1);
    EXPECT_EQ(line.arrived_by(line.now_us + 2000), Firsts{});
    const std::byte bytes[40] = {};
    wire::send(line.wire, line.now_us, 1, {wire::address(0), bytes});
    line.send(2);
    EXPECT_EQ(line.arrived_by(line.now_us + 2000), Firsts{2});
    line.now_us += nat_time_us;
    line.send(3);
    EXPECT_EQ(line.arrived_by(line.now_us + 2000), Firsts{}) << "it has forgotten";
    line.wire.members[0] = false;
    line.send(4);
    EXPECT_EQ(line.arrived_by(line.now_us + 2000), Firsts{4}) << "a newcomer";
}

TEST(Wire, ASymmetricNatShowsAnotherAddressAndIsReachedThereAlone)
{
    Line line({});
    line.wire.members[0] = line.wire.members[1] = true;
    wire::set_nat(line.wire, 0, Nat::symmetric);
    line.send(1);
    EXPECT_EQ(line.arrived_by(line.now_us + 2000), Firsts{1});
    const Address shown = line.inbox[0].address;
    EXPECT_NE(shown, wire::address(0));
    const std::byte bytes[40] = {};
    const auto back = [&](const Address &to) {
        return wire::send(line.wire, line.now_us, 1, {to, bytes}).to;
    };
    EXPECT_EQ(back(shown), 0);
    EXPECT_EQ(back(wire::address(0)), no_place);
    EXPECT_EQ(wire::send(line.wire, line.now_us, 0, {shown, bytes}).to, no_place)
        << "it is for one destination";
    wire::take_address(line.wire, 0, 2); // The NAT changes its mapping.
    EXPECT_EQ(back(shown), no_place);
    line.send(2);
    EXPECT_EQ(line.arrived_by(line.now_us + 2000), Firsts{2});
    EXPECT_NE(line.inbox[0].address, shown);
}
