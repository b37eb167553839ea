// The life of a connection: two ends over a bad network, probes, timeout, close.
#include "connection_pair.h"
#include "tern/diagnostics.hpp"
#include <gtest/gtest.h>

using namespace connection_test;

namespace {

struct Traffic {
    uint32_t queued[2][stream_count] = {};
    uint32_t received[2][stream_count] = {};
};

// Queues messages at random, and checks that the messages that arrive are a prefix of those queued.
void exchange(Pair &pair, Traffic &traffic, int ticks, double rate)
{
    for (int i = 0; i < ticks; i += 1) {
        for (int from : {0, 1}) {
            for (size_t s = 0; s < stream_count; s += 1) {
                const auto stream = static_cast<StreamId>(s);
                while (random::chance(pair.random, rate)) {
                    uint32_t &number = traffic.queued[from][s];
                    const size_t size = 4 + random::below(pair.random, number % 50 ? 60 : 16'000);
                    number +=
                        connection::queue_message(*pair.side[from], stream, numbered(number, size));
                }
                Connection &to = *pair.side[1 - from];
                for (;;) {
                    const auto message = connection::peek_message(to, stream);
                    if (message.empty()) break;
                    uint32_t &number = traffic.received[from][s];
                    ASSERT_LT(number, traffic.queued[from][s]);
                    const Bytes expected = numbered(number, message.size());
                    ASSERT_TRUE(std::equal(message.begin(), message.end(), expected.begin()))
                        << "message " << number << " of stream " << s;
                    connection::consume_message(to, stream);
                    number += 1;
                }
            }
            // Like a game, each side sends an unreliable message in each tick.
            if (connection::has_budget(*pair.side[from], pair.now_us))
                pair.send_packet(from, {numbered(1, 100)});
        }
        ASSERT_TRUE(pair.tick()) << "a fate was told twice, or of a packet that was not sent";
    }
}

void expect_delivery(uint64_t seed, const Network &network)
{
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const bool aes = seed % 2 == 0 && sodium_init() >= 0 && aead::has_aes256_gcm();
    Pair pair(seed, limits(), aes ? Cipher::aes256_gcm : Cipher::chacha20_poly1305);
    pair.network = network;
    if (seed % 3 == 1) pair.skip((1ull << 32) - 300, (1ull << 32) - 5);
    if (seed % 3 == 2) pair.skip((1ull << 59) + 12345, 77);
    Traffic traffic;
    exchange(pair, traffic, 300, 0.4);
    pair.network.loss = 0;
    exchange(pair, traffic, 600, 0);
    for (int from : {0, 1}) {
        for (size_t s = 0; s < stream_count; s += 1) {
            const auto stream = static_cast<StreamId>(s);
            EXPECT_GT(traffic.queued[from][s], 50u);
            EXPECT_EQ(traffic.queued[from][s], traffic.received[from][s]);
            EXPECT_EQ(connection::queued_offset(*pair.side[from], stream),
                      connection::acked_offset(*pair.side[from], stream));
        }
        EXPECT_EQ(ConnectionState::open, connection::state(*pair.side[from]));
        // All packets but the last few have an outcome.
        EXPECT_LT(pair.side[from].open_outcomes.size(), 20u);
    }
    EXPECT_EQ(0u, pair.bad);
}

}

TEST(Connection, DeliversEveryMessageOnceAndInOrderOverALossyNetwork)
{
    for (uint64_t seed = 0; seed < 12; seed += 1)
        expect_delivery(seed, {40'000, 40'000, 0.1, 0.05});
}

TEST(Connection, DeliversOverAVeryBadNetwork)
{
    for (uint64_t seed = 100; seed < 106; seed += 1)
        expect_delivery(seed, {10'000, 200'000, 0.35, 0.3});
}

TEST(Connection, AFateIsTrueWhenNothingIsReordered)
{
    Pair pair(5);
    pair.network.loss = 0.2;
    std::set<uint64_t> arrived;
    for (int i = 0; i < 400; i += 1) {
        pair.now_us += tick_us;
        const size_t before = pair.wire.size();
        const uint64_t number = pair.send_packet(0, {text("update")});
        if (pair.wire.size() > before) arrived.insert(number);
        ASSERT_TRUE(pair.tick());
    }
    pair.network.loss = 0;
    for (int i = 0; i < 100; i += 1)
        ASSERT_TRUE(pair.tick());
    size_t lost = 0;
    for (const auto &[number, was_reported] : pair.side[0].outcomes) {
        EXPECT_TRUE(was_reported || arrived.count(number) == 0) << number;
        lost += !was_reported;
    }
    EXPECT_GT(lost, 40u);
    EXPECT_EQ(lost, connection::stats(*pair.side[0]).lost_datagrams);
}

TEST(Connection, KnowsTheRoundTrip)
{
    Pair pair;
    EXPECT_EQ(0u, connection::stats(*pair.side[0]).rtt_us);
    pair.network.latency_us = 40'000;
    for (int i = 0; i < 200; i += 1) {
        pair.send_packet(0, {text("x")});
        pair.tick();
    }
    const Stats stats = connection::stats(*pair.side[0]);
    EXPECT_GE(stats.rtt_us, 80'000u);
    EXPECT_LE(stats.rtt_us, 80'000u + 2 * tick_us);
    EXPECT_GT(stats.received_datagrams, 50u);
    EXPECT_GT(stats.sent_bytes, stats.sent_datagrams * (data_header_bytes + tag_bytes));
}

TEST(Connection, AFreshOneSendsAPingAtOnce)
{
    Pair pair;
    EXPECT_TRUE(connection::wants_packet(*pair.side[0], pair.now_us));
    const Bytes datagram = (pair.send_packet(0), pair.wire.back().bytes);
    EXPECT_EQ(data_header_bytes + 1 + tag_bytes, datagram.size());
    EXPECT_FALSE(connection::wants_packet(*pair.side[0], pair.now_us));
    EXPECT_TRUE(pair.deliver(1, datagram));
}

TEST(Connection, ProbesBackOffAndEndWithTheSilence)
{
    Pair pair;
    ASSERT_TRUE(pair.run(500'000));
    pair.network.cut[1] = true; // All that side 0 sends is lost.
    ASSERT_TRUE(connection::queue_message(*pair.side[0], StreamId::world, text("hello")));
    std::vector<uint64_t> times;
    const uint64_t start_us = pair.now_us;
    pair.side[1].memory.clear(); // Side 1 no longer exists.
    while (pair.now_us < start_us + 3'000'000) {
        pair.now_us += 1'000;
        connection::update(*pair.side[0], pair.now_us);
        const size_t before = pair.log.size();
        pair.send_due(0);
        ASSERT_LE(pair.log.size() - before, 2u);
        if (pair.log.size() > before) times.push_back(pair.now_us - start_us);
    }
    // One packet with the message, then probes at intervals that double up to an eighth of the
    // timeout.
    ASSERT_GE(times.size(), 4u);
    ASSERT_LE(times.size(), 12u);
    for (size_t i = 3; i < times.size(); i += 1) {
        const uint64_t interval = times[i] - times[i - 1];
        const uint64_t before = times[i - 1] - times[i - 2];
        EXPECT_GE(interval + 2'000, std::min<uint64_t>(2 * before, 1'250'000)) << i;
    }
}

TEST(Connection, AProbeCarriesTheUnackedMessage)
{
    Pair pair;
    ASSERT_TRUE(pair.run(500'000));
    ASSERT_TRUE(connection::queue_message(*pair.side[0], StreamId::calls, text("hello")));
    pair.network.cut[1] = true;
    pair.tick();
    pair.network.cut[1] = false;
    ASSERT_TRUE(pair.run(400'000));
    const auto message = connection::peek_message(*pair.side[1], StreamId::calls);
    EXPECT_EQ(text("hello"), Bytes(message.begin(), message.end()));
    EXPECT_EQ(6u, connection::acked_offset(*pair.side[0], StreamId::calls));
}

TEST(Connection, AProbeAfterARecoveryIsAsEarlyAsTheFirst)
{
    Pair pair;
    ASSERT_TRUE(pair.run(500'000));
    for (uint64_t cut_us : {3'000'000ull, 300'000ull}) {
        const uint64_t end = connection::queued_offset(*pair.side[0], StreamId::world) + 6;
        ASSERT_TRUE(connection::queue_message(*pair.side[0], StreamId::world, text("hello")));
        pair.network.cut[1] = true;
        ASSERT_TRUE(pair.run(cut_us));
        pair.network.cut[1] = false;
        ASSERT_TRUE(pair.run(cut_us == 300'000 ? 400'000 : 2'000'000));
        EXPECT_EQ(end, connection::acked_offset(*pair.side[0], StreamId::world)) << cut_us;
    }
}

TEST(Connection, ALossIsToldByTimeBeforeAnyProbe)
{
    Pair pair;
    pair.network.latency_us = 80'000;
    for (int i = 0; i < 60; i += 1) {
        pair.send_packet(0, {text("x")});
        ASSERT_TRUE(pair.tick());
    }
    ASSERT_TRUE(pair.run(300'000));
    pair.network.latency_us = 5'000;
    pair.network.cut[1] = true;
    const uint64_t lost = pair.send_packet(0, {text("x")});
    pair.network.cut[1] = false;
    const uint64_t next = pair.send_packet(0, {text("x")});
    const uint64_t sent_us = pair.now_us;
    const size_t packets = pair.side[0].open_outcomes.size() + pair.side[0].outcomes.size();
    ASSERT_TRUE(pair.run(6 * tick_us));
    EXPECT_EQ(1u, pair.side[0].outcomes.count(next));
    EXPECT_EQ(0u, pair.side[0].outcomes.count(lost)) << "it may still come";
    while (pair.side[0].outcomes.count(lost) == 0 && pair.now_us < sent_us + 1'000'000)
        ASSERT_TRUE(pair.tick());
    EXPECT_FALSE(pair.side[0].outcomes[lost]);
    EXPECT_LT(pair.now_us, sent_us + 160'000 * 5 / 4 + 2 * tick_us);
    EXPECT_EQ(packets, pair.side[0].open_outcomes.size() + pair.side[0].outcomes.size())
        << "a probe";
}

TEST(Connection, IdleOnesKeepEachOtherAliveAtAQuarterOfTheTimeout)
{
    Pair pair;
    ASSERT_TRUE(pair.run(60'000'000));
    EXPECT_EQ(ConnectionState::open, connection::state(*pair.side[0]));
    EXPECT_EQ(ConnectionState::open, connection::state(*pair.side[1]));
    // 24 pings in each direction in a minute, each of them acked.
    const Stats stats = connection::stats(*pair.side[0]);
    EXPECT_GE(stats.sent_datagrams, 24u);
    EXPECT_LE(stats.sent_datagrams, 60u);
    EXPECT_EQ(0u, stats.lost_datagrams);
}

TEST(Connection, APingBringsASignOfLifeWithinARoundTrip)
{
    Pair pair;
    ASSERT_TRUE(pair.run(1'000'000)); // The connection is idle, and no keep-alive is due soon.
    const uint64_t before_us = connection::last_received_us(*pair.side[0]);
    ASSERT_LT(before_us + 500'000, pair.now_us);
    connection::ping(*pair.side[0]);
    ASSERT_TRUE(pair.run(200'000));
    EXPECT_GT(connection::last_received_us(*pair.side[0]), before_us + 500'000);
    EXPECT_EQ(connection::last_received_us(*pair.side[1]) / 1'000'000, pair.now_us / 1'000'000);
}

TEST(Connection, ARoundTripThatIsLongForTheTimeoutIsNotProbedAgainAndAgain)
{
    ConnectionLimits limit = limits();
    limit.timeout_us = 1'000'000;
    Pair pair(1, limit);
    pair.network.latency_us = 100'000;
    ASSERT_TRUE(pair.run(20'000'000));
    EXPECT_EQ(ConnectionState::open, connection::state(*pair.side[0]));
    // 80 pings in each direction, each of them acked, and some packets to measure the round trip.
    EXPECT_LE(connection::stats(*pair.side[0]).sent_datagrams, 200u);
}

// Side 1 stands still; what is sent to it waits.
static void stand_still(Pair &pair, uint64_t duration_us)
{
    for (const uint64_t end_us = pair.now_us + duration_us; pair.now_us < end_us;) {
        pair.now_us += tick_us;
        connection::update(*pair.side[0], pair.now_us);
        pair.take_packet_outcomes(0);
        if (connection::has_budget(*pair.side[0], pair.now_us)) pair.send_packet(0, {text("x")});
    }
}

TEST(Connection, AStandstillOfThePeerSaysNothingAboutThePath)
{
    Pair pair;
    for (int i = 0; i < 100; i += 1) {
        pair.send_packet(0, {text("x")});
        pair.tick();
    }
    const uint32_t before_us = connection::stats(*pair.side[0]).rtt_us;
    const uint64_t window_bytes = congestion::window_bytes(pair.side[0].connection->_congestion);
    stand_still(pair, 5'000'000);
    ASSERT_TRUE(pair.run(300'000));
    EXPECT_LE(connection::stats(*pair.side[0]).rtt_us, before_us + 2 * tick_us);
    EXPECT_GE(congestion::window_bytes(pair.side[0].connection->_congestion), window_bytes);
}

TEST(Connection, APathThatHasBecomeSlowIsMeasured)
{
    Pair pair;
    pair.network.latency_us = 1'000'000;
    for (int i = 0; i < 600; i += 1) {
        if (connection::has_budget(*pair.side[0], pair.now_us)) pair.send_packet(0, {text("x")});
        pair.tick();
    }
    EXPECT_GE(connection::stats(*pair.side[0]).rtt_us, 1'900'000u);
}

// Sending a keep-alive postpones a probe that is due later. The keep-alive therefore carries the
// unacked data itself, so a lost message does not wait until the keep-alive is acked.
TEST(Connection, AKeepAliveCarriesWhatIsUnacked)
{
    ConnectionLimits limit = limits();
    limit.timeout_us = 1'000'000;
    Pair pair(1, limit);
    pair.network.latency_us = 30'000;
    pair.network.jitter_us = 300'000; // A large variance makes probes wait long.
    ASSERT_TRUE(pair.run(5'000'000));
    pair.network.latency_us = 100'000;
    pair.network.jitter_us = 0;
    ASSERT_TRUE(pair.run(500'000));
    ASSERT_TRUE(connection::queue_message(*pair.side[0], StreamId::calls, Bytes(10)));
    pair.network.cut[1] = true;
    ASSERT_TRUE(pair.tick());
    pair.network.cut[1] = false;
    const uint64_t lost_us = pair.now_us;
    while (connection::peek_message(*pair.side[1], StreamId::calls).empty()) {
        ASSERT_TRUE(pair.tick());
        ASSERT_LT(pair.now_us - lost_us, 2'000'000u);
    }
    // A quarter of the timeout, half a round trip, and ticks. Waiting for the ack of the keep-alive
    // would make it 550 ms.
    EXPECT_LT(pair.now_us - lost_us, 450'000u);
}

TEST(Connection, SilenceCountsFromTheOpening)
{
    Pair pair;
    pair.network.cut[0] = true;
    pair.network.cut[1] = true;
    const uint64_t start_us = pair.now_us;
    while (connection::state(*pair.side[0]) == ConnectionState::open)
        ASSERT_TRUE(pair.tick());
    EXPECT_EQ(ConnectionState::silent, connection::state(*pair.side[0]));
    EXPECT_GE(pair.now_us, start_us + limits().timeout_us);
    EXPECT_LT(pair.now_us, start_us + limits().timeout_us + 2 * tick_us);
    // Every packet has an outcome, and the connection sends nothing more.
    EXPECT_TRUE(pair.side[0].open_outcomes.empty());
    EXPECT_FALSE(connection::has_budget(*pair.side[0], pair.now_us));
    EXPECT_FALSE(connection::wants_packet(*pair.side[0], pair.now_us));
}

TEST(Connection, OnlyWhatIsAuthenticBreaksTheSilence)
{
    Pair pair;
    const Bytes junk(60, std::byte{4});
    while (connection::state(*pair.side[0]) == ConnectionState::open && pair.now_us < 30'000'000) {
        pair.now_us += tick_us;
        pair.deliver(0, junk);
        connection::update(*pair.side[0], pair.now_us);
    }
    EXPECT_EQ(ConnectionState::silent, connection::state(*pair.side[0]));
}

TEST(Connection, GoodbyeIsSaidThreeTimesInThreeTicks)
{
    Pair pair;
    ASSERT_TRUE(pair.run(500'000));
    ASSERT_TRUE(connection::queue_message(*pair.side[0], StreamId::world, text("unsaid")));
    connection::close(*pair.side[0], CloseReason::left, pair.now_us);
    EXPECT_EQ(ConnectionState::closing, connection::state(*pair.side[0]));
    for (int i = 0; i < 3; i += 1) {
        const size_t before = pair.log.size();
        EXPECT_EQ(ConnectionState::closing, connection::state(*pair.side[0]));
        pair.send_due(0);
        EXPECT_EQ(1u, pair.log.size() - before);
        pair.now_us += 1;
        connection::update(*pair.side[0], pair.now_us);
    }
    EXPECT_EQ(ConnectionState::closed_by_us, connection::state(*pair.side[0]));
    EXPECT_FALSE(connection::has_budget(*pair.side[0], pair.now_us));
    ASSERT_TRUE(pair.run(100'000));
    EXPECT_EQ(ConnectionState::closed_by_peer, connection::state(*pair.side[1]));
    EXPECT_EQ(CloseReason::left, connection::close_reason(*pair.side[1]));
    EXPECT_TRUE(pair.side[0].open_outcomes.empty());
    EXPECT_TRUE(pair.side[1].open_outcomes.empty());
}

TEST(Connection, GoodbyeIsSaidWithoutBudgetAndWithAllPlacesTaken)
{
    Pair pair(1, {1'000'000'000, 10'000'000, {1000, 1000}});
    pair.open_window(0);
    while (connection::has_budget(*pair.side[0], pair.now_us))
        pair.send_packet(0, {text("x")});
    EXPECT_EQ(1021u, pair.side[0].open_outcomes.size()) << "1024 places, but for the goodbyes";
    connection::close(*pair.side[0], CloseReason::removed, pair.now_us);
    pair.wire.clear();
    ASSERT_TRUE(pair.tick());
    ASSERT_TRUE(pair.run(100'000));
    EXPECT_EQ(ConnectionState::closed_by_peer, connection::state(*pair.side[1]));
    EXPECT_EQ(CloseReason::removed, connection::close_reason(*pair.side[1]));
}

TEST(Connection, ClosingEndsEvenIfNobodySends)
{
    Pair pair;
    connection::close(*pair.side[0], CloseReason::left, pair.now_us);
    for (int i = 0; i < 8; i += 1)
        connection::update(*pair.side[0], pair.now_us);
    EXPECT_EQ(ConnectionState::closed_by_us, connection::state(*pair.side[0]));
}

TEST(Connection, TwoThatCloseAtOnceBothCloseByThemselves)
{
    Pair pair;
    connection::close(*pair.side[0], CloseReason::left, pair.now_us);
    connection::close(*pair.side[1], CloseReason::removed, pair.now_us);
    pair.network.latency_us = 0;
    ASSERT_TRUE(pair.run(100'000));
    EXPECT_EQ(ConnectionState::closed_by_us, connection::state(*pair.side[0]));
    EXPECT_EQ(ConnectionState::closed_by_us, connection::state(*pair.side[1]));
    EXPECT_EQ(CloseReason::left, connection::close_reason(*pair.side[0]));
}

TEST(Connection, MessagesThatCameBeforeTheGoodbyeCanStillBeRead)
{
    Pair pair;
    pair.network.latency_us = 0;
    ASSERT_TRUE(connection::queue_message(*pair.side[0], StreamId::world, text("last words")));
    pair.send_due(0);
    connection::close(*pair.side[0], CloseReason::left, pair.now_us);
    pair.send_due(0);
    pair.receive_all();
    EXPECT_EQ(ConnectionState::closed_by_peer, connection::state(*pair.side[1]));
    EXPECT_EQ(10u, connection::peek_message(*pair.side[1], StreamId::world).size());
}

TEST(Connection, AfterALongCutWithAllPlacesTakenItGoesOn)
{
    Pair pair(1, {100'000'000, 10'000'000, {100'000, 1000}});
    ASSERT_TRUE(pair.run(500'000));
    ASSERT_TRUE(connection::queue_message(*pair.side[0], StreamId::world, numbered(1, 5000)));
    pair.network.cut[1] = true;
    pair.open_window(0);
    for (int i = 0; i < 2000; i += 1)
        if (connection::has_budget(*pair.side[0], pair.now_us)) pair.send_packet(0, {text("x")});
    EXPECT_FALSE(connection::has_budget(*pair.side[0], pair.now_us));
    ASSERT_TRUE(pair.run(1'000'000));
    EXPECT_GE(pair.side[0].outcomes.size(), 1000u) << "the old ones make room";
    pair.network.cut[1] = false;
    ASSERT_TRUE(pair.run(1'500'000));
    EXPECT_EQ(5000u, connection::peek_message(*pair.side[1], StreamId::world).size());
}

TEST(Connection, TheLastPacketNumberEndsTheLink)
{
    Pair pair;
    pair.skip(packet_number_max - 3, 0);
    for (int i = 0; i < 3; i += 1) {
        EXPECT_EQ(ConnectionState::open, connection::state(*pair.side[0]));
        ASSERT_TRUE(connection::has_budget(*pair.side[0], pair.now_us));
        pair.send_packet(0, {text("x")});
        EXPECT_TRUE(pair.deliver(1, pair.log.back().bytes));
    }
    EXPECT_EQ(ConnectionState::exhausted, connection::state(*pair.side[0]));
    EXPECT_FALSE(connection::has_budget(*pair.side[0], pair.now_us));
    EXPECT_TRUE(pair.take_packet_outcomes(0));
    EXPECT_TRUE(pair.side[0].open_outcomes.empty());
    EXPECT_EQ(ConnectionState::open, connection::state(*pair.side[1]));
}

TEST(Connection, ItsMemoryCanServeAnother)
{
    Pair pair(3);
    Traffic first;
    exchange(pair, first, 50, 0.4);
    DataKeys keys{};
    keys.send[0] = 9;
    for (int i : {0, 1}) {
        connection::open(*pair.side[i], keys, 5, address(3), pair.now_us);
        std::swap(keys.send, keys.receive);
        pair.side[i].open_outcomes.clear();
    }
    pair.wire.clear();
    EXPECT_EQ(0u, connection::stats(*pair.side[0]).sent_datagrams);
    EXPECT_EQ(address(3), connection::address(*pair.side[0]));
    Traffic second;
    exchange(pair, second, 50, 0.4);
    exchange(pair, second, 200, 0);
    EXPECT_EQ(second.queued[0][0], second.received[0][0]);
}

// Opens both connections again and returns every datagram that they then send over a bad network.
static std::vector<Sent> sent_since_opening(Pair &pair)
{
    DataKeys keys{};
    keys.send[0] = 9;
    pair.random = random::from_seed(7);
    pair.now_us = 100'000'000;
    for (int i : {0, 1}) {
        connection::open(*pair.side[i], keys, 5, address(3), pair.now_us);
        std::swap(keys.send, keys.receive);
        pair.side[i].open_outcomes.clear();
    }
    pair.wire.clear();
    pair.log.clear();
    pair.network = {10'000, 200'000, 0.35, 0.3};
    Traffic traffic;
    exchange(pair, traffic, 200, 0.4);
    return pair.log;
}

TEST(Connection, InUsedMemoryItSendsWhatAFreshOneSends)
{
    Pair fresh(3);
    const std::vector<Sent> expected = sent_since_opening(fresh);
    for (uint64_t seed = 0; seed < 5; seed += 1) {
        Pair used(seed);
        used.network = {10'000, 200'000, 0.35, 0.3};
        Traffic before;
        exchange(used, before, 100, 0.4);
        for (const Side &side : used.side) // All packets in flight count as lost.
            connection::close(*side.connection, CloseReason::left, used.now_us);
        const std::vector<Sent> sent = sent_since_opening(used);
        ASSERT_EQ(expected.size(), sent.size());
        for (size_t i = 0; i < sent.size(); i += 1)
            ASSERT_EQ(expected[i].bytes, sent[i].bytes) << "datagram " << i;
    }
}

TEST(Connection, AWipedOneSendsAndOpensNothing)
{
    Pair pair;
    pair.send_packet(1);
    connection::wipe(*pair.side[0]);
    EXPECT_EQ(Opening::forged, pair.open(0, pair.wire.back().bytes).opening);
    EXPECT_FALSE(connection::has_budget(*pair.side[0], pair.now_us));
    EXPECT_FALSE(connection::wants_packet(*pair.side[0], pair.now_us));
    // The keys are zeros now, yet a datagram sealed with such a key is not opened.
    const uint8_t zeros[32] = {};
    const Bytes guessed = Pair::sealed(zeros, 0, {std::byte{4}});
    EXPECT_EQ(Opening::forged, pair.open(0, guessed).opening);
}

TEST(Connection, ItsBlockCanBeMovedAsBytes)
{
    Pair pair(8);
    Traffic traffic;
    exchange(pair, traffic, 30, 0.4);
    std::vector<std::max_align_t> copy = pair.side[0].memory;
    std::memset(static_cast<void *>(pair.side[0].memory.data()), 0xee,
                pair.side[0].memory.size() * sizeof(std::max_align_t));
    pair.side[0].memory.swap(copy);
    pair.side[0].connection = reinterpret_cast<Connection *>(pair.side[0].memory.data());
    exchange(pair, traffic, 30, 0.4);
    exchange(pair, traffic, 300, 0);
    EXPECT_EQ(traffic.queued[0][0], traffic.received[0][0]);
}
