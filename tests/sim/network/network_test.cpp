#include "tern/sim.hpp"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <memory>
#include <rapidcheck.h>
#include <string>
#include <vector>

using namespace tern;

namespace {

struct Destroyer {
    void operator()(SimNetwork *network) const { destroy_sim_network(network); }
};
using OwnedNetwork = std::unique_ptr<SimNetwork, Destroyer>;

struct Arrival {
    uint64_t now_us;
    uint32_t number;
    friend bool operator==(const Arrival &, const Arrival &) = default;
};

constexpr Impairment plain = {.latency_ms_min = 10, .latency_ms_max = 10};

// Two sockets on one network.
struct Pair {
    OwnedNetwork network;
    Socket *a, *b;
};

}

static Pair made(const Impairment &impairment, uint64_t seed = 1, uint32_t datagrams_max = 65'536)
{
    SimNetwork *network = make_sim_network({seed, impairment, datagrams_max});
    return {OwnedNetwork(network), make_sim_socket(network, loopback(1)),
            make_sim_socket(network, loopback(2))};
}

static void send_number(Socket &from, const Address &to, uint32_t number)
{
    const Datagram datagram = {to, std::as_bytes(std::span(&number, 1))};
    from.send({&datagram, 1});
}

static void take(Socket &socket, uint64_t now_us, std::vector<Arrival> &arrivals)
{
    for (;;) {
        const std::span<const Datagram> received = socket.receive();
        if (received.empty()) return;
        for (const Datagram &datagram : received) {
            uint32_t number = 0;
            ASSERT_EQ(datagram.bytes.size(), sizeof number);
            std::memcpy(&number, datagram.bytes.data(), sizeof number);
            arrivals.push_back({now_us, number});
        }
    }
}

// Advances from delivery to delivery until no datagram is in flight.
static std::vector<Arrival> drained(SimNetwork &network, Socket &socket)
{
    std::vector<Arrival> arrivals;
    while (next_delivery_us(&network) != UINT64_MAX) {
        const uint64_t now_us = next_delivery_us(&network);
        advance(&network, now_us);
        take(socket, now_us, arrivals);
    }
    return arrivals;
}

static std::vector<Arrival> run(const Impairment &impairment, uint64_t seed, uint32_t count)
{
    const Pair pair = made(impairment, seed);
    for (uint32_t number = 0; number < count; ++number)
        send_number(*pair.a, loopback(2), number);
    return drained(*pair.network, *pair.b);
}

static std::vector<uint32_t> numbers(const std::vector<Arrival> &arrivals)
{
    std::vector<uint32_t> all;
    for (const Arrival &arrival : arrivals)
        all.push_back(arrival.number);
    return all;
}

TEST(SimNetwork, DatagramArrivesWhenDueAndNotBefore)
{
    const Pair pair = made(plain);
    advance(pair.network.get(), 5'000);
    send_number(*pair.a, loopback(2), 7);
    EXPECT_EQ(next_delivery_us(pair.network.get()), 15'000u);
    advance(pair.network.get(), 14'999);
    EXPECT_TRUE(pair.b->receive().empty());
    advance(pair.network.get(), 15'000);
    const std::span<const Datagram> received = pair.b->receive();
    ASSERT_EQ(received.size(), 1u);
    EXPECT_EQ(received[0].address, loopback(1));
    EXPECT_TRUE(pair.a->receive().empty());
    EXPECT_TRUE(pair.b->receive().empty());
    EXPECT_EQ(next_delivery_us(pair.network.get()), UINT64_MAX);
}

TEST(SimNetwork, SameSeedGivesTheSameDeliveriesAndAnotherSeedOthers)
{
    const Impairment rough = {20, 80, 0.1f, 0.1f};
    const std::vector<Arrival> first = run(rough, 11, 500);
    EXPECT_EQ(first, run(rough, 11, 500));
    EXPECT_NE(numbers(first), numbers(run(rough, 12, 500)));
}

TEST(SimNetwork, LatencyIsSpreadOverItsRangeAndReorders)
{
    std::vector<Arrival> arrivals = run({20, 80, 0, 0}, 3, 5'000);
    ASSERT_EQ(arrivals.size(), 5'000u);
    EXPECT_GE(arrivals.front().now_us, 20'000u);
    EXPECT_LE(arrivals.back().now_us, 80'000u);
    uint64_t sum_us = 0;
    for (const Arrival &arrival : arrivals)
        sum_us += arrival.now_us;
    // The tolerance is six standard deviations.
    EXPECT_NEAR(static_cast<double>(sum_us) / 5'000, 50'000, 1'500);
    EXPECT_LT(arrivals.front().now_us, 21'000u);
    EXPECT_GT(arrivals.back().now_us, 79'000u);
    const std::vector<uint32_t> order = numbers(arrivals);
    EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
}

TEST(SimNetwork, EqualTimesComeInTheOrderOfSending)
{
    const std::vector<uint32_t> order = numbers(run(plain, 4, 200));
    ASSERT_EQ(order.size(), 200u);
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(SimNetwork, LossAndDuplicationComeAtTheirRates)
{
    const Pair pair =
        made({.latency_ms_min = 0, .latency_ms_max = 0, .loss = 0.2f, .duplicate = 0}, 5);
    for (uint32_t i = 0; i < 10'000; ++i) {
        send_number(*pair.a, loopback(2), i);
        advance(pair.network.get(), i);
        pair.b->receive();
    }
    EXPECT_NEAR(static_cast<double>(network_stats(pair.network.get()).lost), 2'000, 200);
    EXPECT_EQ(network_stats(pair.network.get()).duplicated, 0u);

    set_impairment(pair.network.get(), {0, 0, 0, 0.1f});
    for (uint32_t i = 0; i < 10'000; ++i) {
        send_number(*pair.a, loopback(2), i);
        advance(pair.network.get(), 10'000 + i);
        pair.b->receive();
    }
    const SimStats after = network_stats(pair.network.get());
    EXPECT_NEAR(static_cast<double>(after.duplicated), 1'000, 150);
    EXPECT_EQ(after.sent, 20'000u);
    EXPECT_EQ(after.sent + after.duplicated, after.lost + after.delivered);
    EXPECT_EQ(after.delivered, pair.b->stats().received_datagrams);
}

TEST(SimNetwork, ADuplicateHoldsTheSameBytes)
{
    std::vector<uint32_t> all = numbers(run({10, 50, 0, 1}, 6, 100));
    std::sort(all.begin(), all.end());
    ASSERT_EQ(all.size(), 200u);
    for (uint32_t i = 0; i < 200; ++i)
        EXPECT_EQ(all[i], i / 2);
}

TEST(SimNetwork, EverythingIsLostAtALossOfOne)
{
    EXPECT_TRUE(run({10, 50, 1, 1}, 7, 100).empty());
}

TEST(SimNetwork, ACutIsOneWayAndEnds)
{
    const Pair pair = made(plain);
    set_cut(pair.network.get(), loopback(1), loopback(2), true);
    send_number(*pair.a, loopback(2), 1);
    send_number(*pair.b, loopback(1), 2);
    advance(pair.network.get(), 20'000);
    EXPECT_TRUE(pair.b->receive().empty());
    EXPECT_EQ(pair.a->receive().size(), 1u);
    // A second cut of the same pair changes nothing.
    set_cut(pair.network.get(), loopback(1), loopback(2), true);
    set_cut(pair.network.get(), loopback(1), loopback(2), false);
    send_number(*pair.a, loopback(2), 3);
    advance(pair.network.get(), 40'000);
    EXPECT_EQ(pair.b->receive().size(), 1u);
    EXPECT_EQ(network_stats(pair.network.get()).lost, 1u);
}

TEST(SimNetwork, ACutTakesWhatIsUnderWay)
{
    const Pair pair = made(plain);
    send_number(*pair.a, loopback(2), 1);
    advance(pair.network.get(), 5'000);
    set_cut(pair.network.get(), loopback(1), loopback(2), true);
    advance(pair.network.get(), 15'000);
    EXPECT_TRUE(pair.b->receive().empty());
    EXPECT_EQ(network_stats(pair.network.get()).lost, 1u);
}

TEST(SimNetwork, WhatIsSentIntoACutIsLostEvenIfTheCutEndsBeforeItIsDue)
{
    const Pair pair = made(plain);
    set_cut(pair.network.get(), loopback(1), loopback(2), true);
    send_number(*pair.a, loopback(2), 1);
    set_cut(pair.network.get(), loopback(1), loopback(2), false);
    advance(pair.network.get(), 20'000);
    EXPECT_TRUE(pair.b->receive().empty());
    EXPECT_EQ(network_stats(pair.network.get()).lost, 1u);
}

TEST(SimNetwork, AnUnknownDestinationIsLossAndALaterSocketIsReached)
{
    const Pair pair = made(plain);
    send_number(*pair.a, loopback(3), 1);
    send_number(*pair.a, loopback(4), 1);
    Socket *late = make_sim_socket(pair.network.get(), loopback(4));
    advance(pair.network.get(), 20'000);
    EXPECT_EQ(late->receive().size(), 1u);
    EXPECT_EQ(network_stats(pair.network.get()).lost, 1u);
}

TEST(SimNetwork, OneReceiveHandsOutAtMostItsBoundAndTheRestLater)
{
    const Pair pair = made(plain);
    for (uint32_t number = 0; number < 600; ++number)
        send_number(*pair.a, loopback(2), number);
    advance(pair.network.get(), 10'000);
    EXPECT_EQ(pair.b->receive().size(), receive_datagrams_max);
    EXPECT_EQ(pair.b->receive().size(), receive_datagrams_max);
    EXPECT_EQ(pair.b->receive().size(), 600 - 2 * receive_datagrams_max);
    EXPECT_TRUE(pair.b->receive().empty());
}

TEST(SimNetwork, WhatWasHandedOutStaysWhileOthersAreSentAndDelivered)
{
    const Pair pair = made(plain);
    send_number(*pair.a, loopback(2), 77);
    advance(pair.network.get(), 10'000);
    const std::span<const Datagram> received = pair.b->receive();
    ASSERT_EQ(received.size(), 1u);
    for (uint32_t number = 0; number < 3'000; ++number)
        send_number(*pair.a, loopback(2), number);
    advance(pair.network.get(), 20'000);
    uint32_t number = 0;
    std::memcpy(&number, received[0].bytes.data(), sizeof number);
    EXPECT_EQ(number, 77u);
}

TEST(SimNetwork, AFullInboxLosesTheNewest)
{
    const Pair pair = made(plain);
    for (uint32_t number = 0; number < 1'100; ++number)
        send_number(*pair.a, loopback(2), number);
    const std::vector<Arrival> arrivals = drained(*pair.network, *pair.b);
    ASSERT_EQ(arrivals.size(), 1'024u);
    EXPECT_EQ(arrivals.back().number, 1'023u);
    EXPECT_EQ(network_stats(pair.network.get()).lost, 76u);
}

TEST(SimNetwork, BeyondItsDatagramsTheNetworkLosesAndRecovers)
{
    const Pair pair = made(plain, 1, 100);
    for (uint32_t number = 0; number < 150; ++number)
        send_number(*pair.a, loopback(2), number);
    EXPECT_EQ(network_stats(pair.network.get()).lost, 50u);
    EXPECT_EQ(drained(*pair.network, *pair.b).size(), 100u);
    for (uint32_t number = 0; number < 100; ++number)
        send_number(*pair.a, loopback(3), number); // No socket has this address.
    EXPECT_TRUE(drained(*pair.network, *pair.b).empty());
    for (uint32_t number = 0; number < 100; ++number)
        send_number(*pair.a, loopback(2), number);
    EXPECT_EQ(drained(*pair.network, *pair.b).size(), 100u);
    EXPECT_EQ(network_stats(pair.network.get()).lost, 150u);
}

TEST(SimNetwork, AnOversizedDatagramIsAFailureToSend)
{
    const Pair pair = made(plain);
    const std::vector<std::byte> bytes(socket_datagram_bytes_max + 1);
    const Datagram datagrams[] = {{loopback(2), bytes},
                                  {loopback(2), std::span(bytes).first(bytes.size() - 1)}};
    pair.a->send(datagrams);
    EXPECT_EQ(pair.a->stats().send_failures, 1u);
    EXPECT_EQ(pair.a->stats().sent_datagrams, 1u);
    advance(pair.network.get(), 10'000);
    EXPECT_EQ(pair.b->receive().size(), 1u);
}

TEST(SimNetwork, EveryDatagramIsAccountedForInAnyRun)
{
    const bool holds = rc::check("sent + duplicated = lost + delivered", [] {
        Impairment impairment;
        impairment.latency_ms_min = *rc::gen::inRange<uint32_t>(0, 50);
        impairment.latency_ms_max = impairment.latency_ms_min + *rc::gen::inRange<uint32_t>(0, 50);
        impairment.loss = static_cast<float>(*rc::gen::inRange(0, 11)) / 10;
        impairment.duplicate = static_cast<float>(*rc::gen::inRange(0, 11)) / 10;
        const Pair pair =
            made(impairment, *rc::gen::arbitrary<uint64_t>(), *rc::gen::inRange<uint32_t>(1, 40));
        std::vector<Arrival> arrivals;
        for (uint64_t now_us = 0; now_us < 500'000; now_us += 5'000) {
            if (*rc::gen::inRange(0, 10) == 0)
                set_cut(pair.network.get(), loopback(1), loopback(2), *rc::gen::arbitrary<bool>());
            advance(pair.network.get(), now_us);
            send_number(*pair.a, loopback(2), 1);
            send_number(*pair.b, loopback(1), 2);
            take(*pair.b, now_us, arrivals);
        }
        advance(pair.network.get(), 1'000'000);
        const SimStats end = network_stats(pair.network.get());
        RC_ASSERT(end.sent + end.duplicated == end.lost + end.delivered);
        RC_ASSERT(end.sent == 200u);
    });
    EXPECT_TRUE(holds);
}

// What `call` prints to stderr.
template <class Call> static std::string printed_by(Call call)
{
    testing::internal::CaptureStderr();
    call();
    return testing::internal::GetCapturedStderr();
}

TEST(SimNetwork, AWrongCallDoesNothingAndIsNamed)
{
    const Pair pair = made(plain);
    SimNetwork *network = pair.network.get();
    EXPECT_TRUE(advance(network, 100));
    EXPECT_EQ(printed_by([&] { EXPECT_FALSE(advance(network, 99)); }),
              "tern: advance(): The time went back from 100 to 99 us. Pass a time that never goes "
              "back.\n");
    EXPECT_EQ(printed_by([&] { EXPECT_EQ(make_sim_socket(network, loopback(1)), nullptr); }),
              "tern: make_sim_socket(): A socket of the network has the address 127.0.0.1:1. Give "
              "each socket of a network an address of its own.\n");
    EXPECT_EQ(printed_by([&] {
                  EXPECT_FALSE(set_impairment(network, {2, 1, 0, 0}));
              }),
              "tern: set_impairment(): latency_ms_min is 2 and latency_ms_max 1. Make "
              "latency_ms_min <= latency_ms_max.\n");
    for (const float wrong : {-0.5f, 1.5f, std::nanf("")}) {
        const auto set = [&] {
            EXPECT_FALSE(set_impairment(network, {1, 1, wrong, 0}));
            EXPECT_FALSE(set_impairment(network, {1, 1, 0, wrong}));
            EXPECT_EQ(make_sim_network({1, {1, 1, wrong, 0}}), nullptr);
        };
        const std::string text = printed_by(set);
        EXPECT_NE(text.find("set_impairment(): loss is "), std::string::npos) << text;
        EXPECT_NE(text.find("set_impairment(): duplicate is "), std::string::npos) << text;
        EXPECT_NE(text.find("make_sim_network(): loss is "), std::string::npos) << text;
    }
    for (const uint32_t wrong : {0u, sim_datagrams_max + 1})
        EXPECT_NE(printed_by([&] {
                      EXPECT_EQ(make_sim_network({1, plain, wrong}), nullptr);
                  }).find("datagrams_max is " + std::to_string(wrong)),
                  std::string::npos);
    const std::string text = printed_by([] {
        EXPECT_EQ(make_sim_socket(nullptr, loopback(1)), nullptr);
        EXPECT_FALSE(advance(nullptr, 1));
        EXPECT_FALSE(set_impairment(nullptr, plain));
        set_cut(nullptr, loopback(1), loopback(2), true);
        EXPECT_EQ(network_stats(nullptr).sent, 0u);
        EXPECT_EQ(next_delivery_us(nullptr), UINT64_MAX);
        destroy_sim_network(nullptr);
    });
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 6) << text;
}

TEST(SimNetwork, ADestroyedSocketLeavesItsNetworkAndItsAddressIsFree)
{
    const Pair pair = made(plain);
    SimNetwork *network = pair.network.get();
    send_number(*pair.a, loopback(2), 1);
    advance(network, 200'000);
    send_number(*pair.a, loopback(2), 2);
    destroy_socket(pair.b); // With one datagram in its inbox and one on its way.
    advance(network, 400'000);
    EXPECT_EQ(network_stats(network).lost, 1u);
    Socket *again = make_sim_socket(network, loopback(2));
    ASSERT_NE(again, nullptr);
    send_number(*pair.a, loopback(2), 3);
    advance(network, 600'000);
    EXPECT_EQ(again->receive().size(), 1u);
}
