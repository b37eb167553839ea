// The simulated network of the benchmarks loses, delays and limits datagrams as configured.
#include "bench/pairs/links.h"
#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>

using namespace bench;

namespace {

constexpr uint64_t count = 200'000;

// The numbers of the datagrams that arrive, and their delays. One is sent each millisecond.
struct Arrived {
    std::vector<uint64_t> numbers, after_us;
};

Arrived send_all(const LinkQuality &quality, uint64_t sent_count)
{
    const auto network = links::make(1, quality, 1);
    Arrived arrived;
    for (uint64_t i = 0; i < sent_count + 1000; ++i) {
        network->now_us = i * 1000;
        std::byte bytes[100] = {};
        std::memcpy(bytes, &i, sizeof i);
        const tern::Datagram datagram = {links::address(1), bytes};
        if (i < sent_count) network->sockets[0]->send({&datagram, 1});
        for (const tern::Datagram &came : network->sockets[1]->receive()) {
            uint64_t number;
            std::memcpy(&number, came.bytes.data(), sizeof number);
            arrived.numbers.push_back(number);
            arrived.after_us.push_back(network->now_us - number * 1000);
        }
    }
    EXPECT_EQ(network->down[0].datagrams, sent_count);
    EXPECT_EQ(links::wire_bytes(network->down[0]), sent_count * 128);
    EXPECT_EQ(network->up[0].datagrams, 0u);
    return arrived;
}

double lost_share(const Arrived &arrived)
{
    return 1 - static_cast<double>(arrived.numbers.size()) / static_cast<double>(count);
}

// The mean number of datagrams lost in a row.
double burst_mean(const Arrived &arrived)
{
    uint64_t bursts = 0, lost = 0;
    for (size_t i = 1; i < arrived.numbers.size(); ++i) {
        const uint64_t gap = arrived.numbers[i] - arrived.numbers[i - 1] - 1;
        bursts += gap > 0 ? 1 : 0;
        lost += gap;
    }
    return static_cast<double>(lost) / static_cast<double>(bursts);
}

}

TEST(Links, LoseTheirShareByChance)
{
    const Arrived arrived = send_all({10'000, 0, 0.05, 1, 0, 0}, count);
    EXPECT_NEAR(lost_share(arrived), 0.05, 0.003);
    EXPECT_NEAR(burst_mean(arrived), 1 / 0.95, 0.03);
}

TEST(Links, LoseTheSameShareInBursts)
{
    const Arrived arrived = send_all({10'000, 0, 0.05, 3, 0, 0}, count);
    EXPECT_NEAR(lost_share(arrived), 0.05, 0.005);
    EXPECT_NEAR(burst_mean(arrived), 3, 0.15);
}

TEST(Links, DelayByTheirWayPlusOrMinusTheJitter)
{
    const Arrived arrived = send_all({50'000, 5000, 0, 1, 0, 0}, 10'000);
    ASSERT_EQ(arrived.numbers.size(), 10'000u);
    const auto [least, most] =
        std::minmax_element(arrived.after_us.begin(), arrived.after_us.end());
    EXPECT_GE(*least, 45'000u);
    EXPECT_LE(*least, 46'000u);
    EXPECT_GE(*most, 54'000u);
    EXPECT_LE(*most, 56'000u); // The receiver reads once a millisecond.
}

TEST(Links, ANarrowOneTakesItsRateAndNoMore)
{
    // 100 bytes a millisecond are twice the rate of the link.
    const Arrived arrived = send_all({10'000, 0, 0, 1, 50'000, 100'000}, 10'000);
    EXPECT_NEAR(static_cast<double>(arrived.numbers.size()), 5000, 60);
    EXPECT_LE(*std::max_element(arrived.after_us.begin(), arrived.after_us.end()), 111'000u);
}
