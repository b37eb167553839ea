#include "tern/limits.hpp"
#include "tests/transport/connection/connection_pair.h"
#include "transport/connection/path_size.h"
#include <gtest/gtest.h>

using namespace connection_test;

namespace {

constexpr uint64_t minute_us = 60'000'000;

// The sizes of all probes, in order, on a path that carries datagrams of up to `carried` bytes.
std::vector<size_t> tried(PathSize &path, size_t carried, uint64_t now_us)
{
    std::vector<size_t> sizes;
    path_size::filled(path);
    for (uint64_t packet = 0; packet < 100; packet += 1) {
        const size_t size = path_size::probe_bytes(path, now_us);
        if (size == 0) break;
        sizes.push_back(size);
        path_size::probed(path, packet);
        EXPECT_EQ(path_size::probe_bytes(path, now_us), 0u) << "two at once";
        EXPECT_TRUE(path_size::settled(path, packet, size, size <= carried, now_us));
    }
    return sizes;
}

void lose(PathSize &path, size_t size, int count)
{
    for (int i = 0; i < count; i += 1)
        EXPECT_FALSE(path_size::settled(path, 1'000, size, false, 5));
}

// Runs a tick in which side 0 has enough queued data to send full packets.
void tick_full(Pair &pair)
{
    static uint32_t number = 0;
    while (connection::queue_message(*pair.side[0], StreamId::world, numbered(number, 3'000)))
        number += 1;
    pair.tick();
    while (!connection::peek_message(*pair.side[1], StreamId::world).empty())
        connection::consume_message(*pair.side[1], StreamId::world);
}

size_t datagram_bytes(Pair &pair)
{
    return connection::stats(*pair.side[0]).datagram_bytes;
}

}

TEST(PathSize, TriesNothingUntilPacketsAreFull)
{
    PathSize path = path_size::make(datagram_bytes_base);
    EXPECT_EQ(path_size::probe_bytes(path, minute_us), 0u);
    path_size::filled(path);
    EXPECT_EQ(path_size::probe_bytes(path, minute_us), datagram_bytes_max);
    PathSize bridged = path_size::make(1'096);
    path_size::filled(bridged);
    EXPECT_EQ(path_size::probe_bytes(bridged, minute_us), 0u);
    EXPECT_EQ(path_size::bytes(bridged), 1'096u);
}

TEST(PathSize, TakesTheLargestThatGetsThrough)
{
    for (const size_t carried : {1'200u, 1'371u, 1'372u, 1'400u, 1'440u, 1'451u, 1'452u, 9'000u}) {
        PathSize path = path_size::make(datagram_bytes_base);
        const std::vector<size_t> sizes = tried(path, carried, 7);
        size_t best = datagram_bytes_base, tries = 0;
        for (const size_t size : path_size::candidates) {
            tries += size <= carried ? 1 : 3;
            if (size > carried) continue;
            best = size;
            break;
        }
        EXPECT_EQ(path_size::bytes(path), best) << carried;
        EXPECT_EQ(sizes.size(), tries) << carried;
    }
}

TEST(PathSize, TriesAgainAfterAMinuteWhatIsLarger)
{
    PathSize path = path_size::make(datagram_bytes_base);
    EXPECT_EQ(tried(path, 1'400, 7).back(), 1'372u);
    EXPECT_TRUE(tried(path, 9'000, 6 + minute_us).empty());
    EXPECT_EQ(tried(path, 1'400, 7 + minute_us).size(), 6u); // Two larger sizes, three times each
    EXPECT_EQ(path_size::bytes(path), 1'372u);
    EXPECT_EQ(tried(path, 9'000, 7 + 2 * minute_us).size(), 1u);
    EXPECT_EQ(path_size::bytes(path), 1'452u);
    EXPECT_TRUE(tried(path, 9'000, 7 + 9 * minute_us).empty());
}

TEST(PathSize, EightLargeOnesLostInARowMakeItSmallAgain)
{
    PathSize path = path_size::make(datagram_bytes_base);
    tried(path, 9'000, 7);
    lose(path, 1'452, 7);
    EXPECT_FALSE(path_size::settled(path, 1'000, 1'300, true, 5));
    lose(path, 1'452, 7);
    EXPECT_EQ(path_size::bytes(path), 1'452u);
    lose(path, 1'200, 50); // Losses of the base size are no evidence against the path size.
    EXPECT_EQ(path_size::bytes(path), 1'452u);
    lose(path, 1'201, 1);
    EXPECT_EQ(path_size::bytes(path), datagram_bytes_base);
    EXPECT_TRUE(tried(path, 9'000, 4 + minute_us).empty());
    EXPECT_FALSE(tried(path, 9'000, 5 + minute_us).empty());
}

TEST(PathSize, WhatWasLostOnAnotherPathPutsNothingOff)
{
    PathSize path = path_size::make(datagram_bytes_base);
    lose(path, 1'452, 20);
    EXPECT_EQ(tried(path, 9'000, 7).size(), 1u);
    EXPECT_EQ(path_size::bytes(path), 1'452u);
}

TEST(PathSize, AConnectionFindsOutWhileItSendsAndWhenThePathShrinks)
{
    for (const size_t carried : {1'400u, 1'440u, 1'500u}) {
        Pair pair;
        pair.network.datagram_bytes_max = carried;
        pair.open_window(0);
        EXPECT_EQ(datagram_bytes(pair), datagram_bytes_base);
        for (int i = 0; i < 120; i += 1)
            tick_full(pair);
        const size_t best = carried < 1'440 ? 1'372 : carried < 1'452 ? 1'440 : 1'452;
        ASSERT_EQ(datagram_bytes(pair), best);
        pair.network.datagram_bytes_max = 1'200;
        const uint64_t before = connection::acked_offset(*pair.side[0], StreamId::world);
        for (int i = 0; i < 60; i += 1)
            tick_full(pair);
        EXPECT_EQ(datagram_bytes(pair), datagram_bytes_base);
        EXPECT_GT(connection::acked_offset(*pair.side[0], StreamId::world), before + 100'000);
        EXPECT_EQ(pair.bad, 0u);
    }
}

TEST(PathSize, AProbeThatIsLostIsNoLossOfThePath)
{
    Pair pair;
    pair.network.datagram_bytes_max = 1'200;
    pair.open_window(0);
    for (int i = 0; i < 120; i += 1)
        tick_full(pair);
    EXPECT_EQ(connection::stats(*pair.side[0]).lost_datagrams, 9u); // Three sizes, three times each
    EXPECT_EQ(pair.side[0].connection->_loss, 0u);
    EXPECT_EQ(datagram_bytes(pair), datagram_bytes_base);
}

TEST(PathSize, AnotherAddressIsAnotherPath)
{
    Pair pair;
    pair.open_window(0);
    for (int i = 0; i < 120; i += 1)
        tick_full(pair);
    ASSERT_EQ(datagram_bytes(pair), datagram_bytes_max);
    connection::redirect(*pair.side[0], address(9), pair.now_us);
    EXPECT_EQ(datagram_bytes(pair), datagram_bytes_base);
}
