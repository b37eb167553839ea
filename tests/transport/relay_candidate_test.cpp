// Relay candidates: a handshake that is tried over several addresses, and the address to which a
// connection sends.
#include "tern/limits.hpp"
#include "tests/transport/connection/connection_pair.h"
#include "tests/transport/endpoint_world.h"
#include "transport/sockets/addresses.h"

namespace tern {

static constexpr uint64_t start_us = 1'000'000;

TEST(RelayCandidate, AHandshakeIsTriedBothWaysAndKeepsTheOneThatAnswers)
{
    for (const bool by_former : {false, true}) {
        world::Peer a(1), b(2);
        const Address first = address::bridged(PeerId{1}, PeerId{2});
        const Address second = address::bridged(PeerId{3}, PeerId{2});
        const ConnectionIndex asked = endpoint::connect(a.e(), b.keys.public_key, b.at, start_us);
        EXPECT_EQ(world::handshakes(a, start_us).size(), 1u);
        endpoint::add_relay_candidate(a.e(), asked, first, start_us + 1);
        const auto both = world::handshakes(a, start_us + 1);
        ASSERT_EQ(both.size(), 2u);
        EXPECT_EQ(both[0].to, b.at);
        EXPECT_EQ(both[1].to, first);
        // b receives the initiation over the first relay too.
        const Address back = address::bridged(PeerId{1}, PeerId{4});
        world::receive(b, back, both[1].bytes, start_us + 1);
        const auto answers = world::handshakes(b, start_us + 1);
        ASSERT_EQ(answers.size(), 1u);
        EXPECT_EQ(answers[0].to, back);
        if (by_former) endpoint::add_relay_candidate(a.e(), asked, second, start_us + 2);
        world::receive(a, first, answers[0].bytes, start_us + 2);
        ASSERT_EQ(endpoint::handshake_state(a.e(), asked), HandshakeState::open);
        EXPECT_EQ(connection::address(endpoint::at(a.e(), asked)), first)
            << "never an address that has not answered";
    }
}

TEST(RelayCandidate, AnAnswerFromAnUnknownAddressMovesNothing)
{
    world::Peer a(1), b(2);
    const ConnectionIndex asked = endpoint::connect(a.e(), b.keys.public_key, b.at, start_us);
    const auto mails = world::handshakes(a, start_us);
    world::receive(b, a.at, mails.at(0).bytes, start_us);
    world::receive(a, world::address(9), world::handshakes(b, start_us).at(0).bytes, start_us);
    ASSERT_EQ(endpoint::handshake_state(a.e(), asked), HandshakeState::open);
    EXPECT_EQ(connection::address(endpoint::at(a.e(), asked)), b.at);
}

TEST(RelayCandidate, BridgedAddressesAreTheirOwnKind)
{
    const Address bridged = address::bridged(PeerId{0x102}, PeerId{0xfffe});
    EXPECT_TRUE(address::is_bridged(bridged));
    EXPECT_EQ(address::via(bridged), PeerId{0x102});
    EXPECT_EQ(address::to(bridged), PeerId{0xfffe});
    EXPECT_FALSE(address::is_bridged({}));
    EXPECT_FALSE(address::is_bridged(world::address(1)));
    EXPECT_FALSE(address::is_v4(bridged));
}

TEST(RelayCandidate, ABridgedConnectionHasSmallerDatagramsAndARateOfItsOwn)
{
    ConnectionLimits limits = connection_test::limits();
    limits.bridged_bytes_per_second_max = 10'000;
    connection_test::Pair pair(1, limits);
    Connection &c = *pair.side[0];
    const std::vector<std::byte> message(5000);
    const auto largest = [&](uint64_t now_us) {
        size_t bytes = 0, sum = 0;
        ASSERT_TRUE(connection::queue_message(c, StreamId::world, message));
        while (connection::has_budget(c, now_us) && connection::wants_packet(c, now_us)) {
            std::byte buffer[datagram_bytes_max];
            Packet packet = connection::begin_packet(c, buffer, datagram_bytes_max, now_us);
            const size_t size = connection::finish_packet(c, packet, now_us).size();
            bytes = std::max(bytes, size);
            sum += size;
        }
        if (address::is_bridged(connection::address(c))) {
            EXPECT_EQ(bytes, bridged_datagram_bytes_max);
            EXPECT_LE(sum, 2400u); // The burst that a relay forwards at once
        } else {
            EXPECT_EQ(bytes, datagram_bytes_max);
            EXPECT_GT(sum, 5000u);
        }
    };
    largest(pair.now_us);
    connection::redirect(c, address::bridged(PeerId{1}, PeerId{2}), pair.now_us);
    largest(pair.now_us);
}

TEST(RelayCandidate, WhatIsNotAckedRaisesDoubtAndAnAckEndsIt)
{
    connection_test::Pair pair(2);
    Connection &c = *pair.side[0];
    for (int i = 0; i < 60; ++i)
        pair.tick();
    EXPECT_FALSE(connection::in_doubt(c, pair.now_us));
    pair.network.cut[0] = true; // No datagram reaches side 0, so nothing is acked.
    int steps = 0;
    while (!connection::in_doubt(c, pair.now_us) && steps < 600) {
        pair.tick();
        steps += 1;
    }
    EXPECT_LT(steps, 3750 * 60 / 1000 + 10) << "three eighths of the timeout at most";
    // An out-of-band packet has no outcome, so its loss is not counted.
    const uint64_t lost = connection::stats(c).lost_datagrams;
    std::byte buffer[datagram_bytes_max];
    const std::byte nonce[8] = {};
    EXPECT_EQ(
        connection::out_of_band_packet(c, buffer, UnreliableKind::challenge, nonce, pair.now_us)
            .bytes.size(),
        34u);
    EXPECT_EQ(connection::stats(c).lost_datagrams, lost);
    pair.network.cut[0] = false;
    for (int i = 0; i < 120; ++i)
        pair.tick();
    EXPECT_FALSE(connection::in_doubt(c, pair.now_us));
}

}
