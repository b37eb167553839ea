// Flows that share a link, in virtual time: the share of each flow, and the length of the queue.
#include "bench/pairs/shared_link.h"
#include "connection_pair.h"
#include "tern/diagnostics.hpp"
#include <gtest/gtest.h>

using namespace shared_link;

namespace {

constexpr uint64_t second_us = 1'000'000;

// A link whose queue holds 200 ms.
Link link(uint64_t kbit_per_second, uint64_t way_us = 25'000)
{
    Link link;
    link.bytes_per_second = kbit_per_second * 125;
    link.queue_bytes_max = link.bytes_per_second / 5;
    link.way_us = way_us;
    link.drift_us = 20; // Real clocks drift; without drift the ticks never change their phases.
    return link;
}

FlowPlan from(uint64_t start_us)
{
    FlowPlan plan;
    plan.start_us = start_us;
    return plan;
}

FlowPlan load(Load kind, uint32_t bytes)
{
    FlowPlan plan;
    plan.load = kind;
    plan.bytes = bytes;
    return plan;
}

Result run(const Link &link, const std::vector<FlowPlan> &plans, uint64_t from_s, uint64_t to_s,
           uint64_t seed = 1)
{
    World world = make(link, plans, seed);
    run(world, to_s * second_us);
    return result(world, from_s * second_us, to_s * second_us);
}

}

TEST(Congestion, OneFlowUsesTheLinkAndKeepsTheQueueShort)
{
    for (const uint64_t kbit : {256ull, 1'000ull, 5'000ull, 20'000ull}) {
        for (const uint64_t way_us : {5'000ull, 15'000ull, 25'000ull}) {
            SCOPED_TRACE(testing::Message() << kbit << " kbit/s, " << way_us << " us");
            const Result r = run(link(kbit, way_us), {{}}, 2, 20);
            EXPECT_GE(r.use, 0.8);
            EXPECT_LE(r.queue_mean_ms, kbit > 256 ? 75 : 150);
        }
    }
}

TEST(Congestion, TwoFlowsComeToLikeSharesAndFourToo)
{
    for (const uint64_t kbit : {1'000ull, 5'000ull, 20'000ull}) {
        for (const size_t count : {2ull, 4ull}) {
            SCOPED_TRACE(testing::Message() << count << " flows, " << kbit << " kbit/s");
            double fairness = 0, queue_ms = 0; // Means over the seeds, which differ by a quarter.
            for (uint64_t seed = 1; seed <= 5; seed += 1) {
                const auto r = run(link(kbit), std::vector<FlowPlan>(count), 5, 35, seed);
                EXPECT_GE(r.use, 0.9);
                EXPECT_LE(r.queue_mean_ms, 140);
                fairness += r.fairness / 5;
                queue_ms += r.queue_mean_ms / 5;
            }
            EXPECT_LE(fairness, 2);
            EXPECT_LE(queue_ms, 110);
        }
    }
}

// A newcomer has a world to receive, and is done before the controller has a reason to drain the
// queue.
TEST(Congestion, WhoBeginsOnAnEmptyLinkUsesItAtOnce)
{
    World world = make(link(8'000, 10'000), {{}}, 1);
    run(world, second_us / 2);
    EXPECT_GE(result(world, second_us / 10, second_us / 2).use, 0.95);
}

TEST(Congestion, WhoBeginsLaterGetsAShareAndNotAll)
{
    for (const uint64_t kbit : {1'000ull, 5'000ull, 20'000ull}) {
        SCOPED_TRACE(testing::Message() << kbit << " kbit/s");
        double fairness = 0;
        for (uint64_t seed = 1; seed <= 5; seed += 1) {
            const auto r = run(link(kbit), {{}, from(15 * second_us)}, 15, 45, seed);
            EXPECT_GE(r.use, 0.9);
            fairness += r.fairness / 5;
        }
        EXPECT_LE(fairness, 2);
    }
}

TEST(Congestion, RandomLossIsNoReasonToSlowDown)
{
    for (const double loss : {0.01, 0.05}) {
        SCOPED_TRACE(testing::Message() << "loss " << loss);
        Link lossy = link(5'000);
        lossy.loss = loss;
        EXPECT_GE(run(lossy, {{}}, 2, 20).use, 0.8);
    }
}

TEST(Congestion, WhatOvertakesIsNoLoss)
{
    Link uneven = link(5'000);
    uneven.jitter_us = 20'000;
    EXPECT_GE(run(uneven, {{}}, 2, 20).use, 0.8);
}

// 20 to 80 ms each way. Nothing is lost, and the link could carry eight times as much.
TEST(Congestion, JitterIsNoLossAndNoQueue)
{
    Link uneven = link(50'000, 20'000);
    uneven.jitter_us = 60'000;
    for (const uint32_t bytes : {1'000u, 4'000u, 12'000u}) {
        SCOPED_TRACE(testing::Message() << bytes << " bytes a tick");
        World world = make(uneven, {load(Load::steady, bytes)}, 1);
        run(world, 30 * second_us);
        const Result r = result(world, 5 * second_us, 30 * second_us);
        EXPECT_GE(r.rates[0], bytes * 60 * 0.95);
        const tern::Stats stats = tern::connection::stats(*world.flows[0].sender);
        EXPECT_LE(stats.lost_datagrams * 100, stats.sent_datagrams);
    }
}

TEST(Congestion, AQueueTooShortToBeSeenIsNotOverrunForEver)
{
    Link brief = link(5'000);
    brief.queue_bytes_max = brief.bytes_per_second / 50;
    World world = make(brief, {{}}, 1);
    run(world, 20 * second_us);
    EXPECT_GE(result(world, 2 * second_us, 20 * second_us).use, 0.6);
    EXPECT_LE(world.dropped, 20u * 520 / 4) << "a quarter of what the link carries";
}

TEST(Congestion, BesideASenderThatFillsTheQueueThereIsStillAShare)
{
    for (const uint64_t kbit : {1'000ull, 5'000ull, 20'000ull}) {
        SCOPED_TRACE(testing::Message() << kbit << " kbit/s");
        const Result r = run(link(kbit), {{}, load(Load::reno, 0)}, 10, 60);
        EXPECT_GE(r.rates[0] * 8, std::max(60'000.0, static_cast<double>(kbit) * 50));
    }
}

TEST(Congestion, AGameThatNeedsLittleIsNotSlowed)
{
    // 200 bytes in each tick, 96 kbit/s, beside three flows that use all the rate they get.
    for (const uint64_t kbit : {1'000ull, 5'000ull}) {
        const auto r = run(link(kbit), {load(Load::steady, 200), {}, {}, {}}, 10, 40);
        EXPECT_GE(r.rates[0], 200 * 60 * 0.98);
        EXPECT_LE(r.late_worst_ms, 25 + 200 + 2 * 17);
    }
    // Without other flows it is not slowed either, though it never fills its window.
    const auto alone = run(link(256), {load(Load::steady, 400)}, 0, 60);
    EXPECT_LE(alone.late_worst_ms, 25 + 17 + 30);
}

TEST(Congestion, TheRateFollowsTheLinkUpAndDown)
{
    World world = make(link(5'000), {{}}, 1);
    run(world, 10 * second_us);
    world.link.bytes_per_second = 1'000 * 125; // The queue keeps its bytes, now 1 s.
    run(world, 30 * second_us);
    const Result low = result(world, 15 * second_us, 30 * second_us);
    EXPECT_GE(low.rates[0], 1'000 * 125 * 0.8);
    EXPECT_LE(low.queue_mean_ms, 90);
    world.link.bytes_per_second = 10'000 * 125;
    run(world, 50 * second_us);
    EXPECT_GE(result(world, 35 * second_us, 50 * second_us).rates[0], 10'000 * 125 * 0.8);
}

TEST(Congestion, SmallUpdatesDoNotWaitBehindMegabytes)
{
    FlowPlan plan = load(Load::both, 100);
    plan.queue_bytes = 4 * 1024 * 1024;
    World world = make(link(256), {plan}, 1);
    run(world, 60 * second_us);
    const Result r = result(world, 5 * second_us, 60 * second_us);
    EXPECT_GE(r.use, 0.8);
    EXPECT_LE(r.queue_mean_ms, 90);
    EXPECT_LE(r.late_worst_ms, 300);
}

TEST(Congestion, IdleTimeIsNoMeasurement)
{
    connection_test::Pair pair;
    const tern::Congestion &c = pair.side[0].connection->_congestion;
    ASSERT_TRUE(pair.run(1'000'000));
    const uint64_t window = tern::congestion::window_bytes(c);
    pair.network.latency_us = 150'000; // Only the pings of idle connections measure this.
    ASSERT_TRUE(pair.run(60'000'000));
    EXPECT_EQ(window, tern::congestion::window_bytes(c));
}

TEST(Congestion, AcksGoThoughTheWindowIsFull)
{
    connection_test::Pair pair;
    ASSERT_TRUE(pair.run(500'000));
    pair.network.cut[1] = true; // All that side 0 sends is lost.
    tern::Connection &c = *pair.side[0];
    while (tern::connection::has_budget(c, pair.now_us))
        pair.send_packet(0, {connection_test::numbered(1, 1000)});
    pair.send_packet(1, {connection_test::text("a")});
    pair.send_packet(1, {connection_test::text("b")});
    pair.now_us += pair.network.latency_us;
    pair.receive_all();
    ASSERT_TRUE(tern::connection::has_budget(c, pair.now_us));
    const size_t before = pair.log.size();
    pair.send_packet(0, {connection_test::text("waits")});
    ASSERT_EQ(before + 1, pair.log.size());
    const tern::OpenedPacket packet = pair.open(1, pair.log.back().bytes);
    EXPECT_EQ(tern::Opening::ok, packet.opening);
    EXPECT_EQ(0u, packet.unreliable_count);
    EXPECT_FALSE(tern::connection::has_budget(c, pair.now_us));
}
