#include "tests/transport/endpoint_world.h"
#include "transport/connection/connection_types.h"
#include "transport/endpoint.h"
#include <memory>

// Two endpoints over a simulated network: loss, repeated handshakes, and handshakes that cross.
namespace tern {
namespace {

using namespace world;

bool is_lower(const Peer &a, const Peer &b)
{
    return std::memcmp(a.keys.public_key, b.keys.public_key, 32) < 0;
}

// Expects that each peer has one live connection, that both are the ends of the same one, and that
// it carries messages.
void expect_one_connection(Net &net, Peer &a, Peer &b, const std::string &what)
{
    const auto at_a = live(a), at_b = live(b);
    ASSERT_EQ(at_a.size(), 1u) << what;
    ASSERT_EQ(at_b.size(), 1u) << what;
    EXPECT_EQ(endpoint::find(a.e(), b.keys.public_key), at_a[0]) << what;
    EXPECT_EQ(endpoint::find(b.e(), a.keys.public_key), at_b[0]) << what;
    a.heard.clear();
    b.heard.clear();
    say(a, at_a[0], "to b");
    say(b, at_b[0], "to a");
    run(net, 3'000'000);
    EXPECT_EQ(b.heard, std::vector<std::string>{"to b"}) << what;
    EXPECT_EQ(a.heard, std::vector<std::string>{"to a"}) << what;
}

// For each set of ciphers of the initiator and of the responder. set_ciphers() stands in for a
// machine without AES in hardware.
TEST(EndpointPair, BothUseTheFastestCipherThatBothHave)
{
    constexpr uint16_t chacha = handshake::ciphers_everywhere, both = handshake::ciphers_known;
    ASSERT_GE(sodium_init(), 0);
    for (const uint16_t a_has : {chacha, both}) {
        for (const uint16_t b_has : {chacha, both}) {
            if ((a_has | b_has) & ~handshake::ciphers_here()) continue;
            Net net;
            Peer a(1), b(2);
            net.peers = {&a, &b};
            endpoint::set_ciphers(a.e(), a_has);
            endpoint::set_ciphers(b.e(), b_has);
            const ConnectionIndex asked =
                endpoint::connect(a.e(), b.keys.public_key, b.at, net.now_us);
            run(net, 100'000);
            ASSERT_EQ(live(b).size(), 1u);
            const Cipher expected =
                a_has == both && b_has == both ? Cipher::aes256_gcm : Cipher::chacha20_poly1305;
            for (const Connection *c :
                 {&endpoint::at(a.e(), asked), &endpoint::at(b.e(), live(b)[0])}) {
                EXPECT_EQ(c->_send_key._cipher, expected) << a_has << " " << b_has;
                EXPECT_EQ(c->_receive_key._cipher, expected) << a_has << " " << b_has;
            }
            say(a, asked, "hello");
            run(net, 100'000);
            EXPECT_EQ(b.heard, std::vector<std::string>{"hello"}) << a_has << " " << b_has;
        }
    }
}

// A responder never picks a cipher that the initiator did not offer or that it lacks itself.
TEST(EndpointPair, AnOfferOfNothingKnownGetsNoAnswer)
{
    Peer b(2);
    for (const uint16_t offered : {uint16_t{0}, uint16_t{0xfffc}}) {
        KeyPair asker = noise::make_key_pair();
        NoiseHandshake h = noise::initiate(handshake::prologue(session).bytes, asker,
                                           noise::make_key_pair(), b.keys.public_key);
        const auto written =
            handshake::write_initiation(h, 5, {offered, 0}, handshake::mac_keys(b.keys.public_key));
        Bytes bytes(sizeof written.message);
        std::memcpy(bytes.data(), &written.message, bytes.size());
        EXPECT_EQ(receive(b, address(1), bytes, 1'000'000).handling, Handling::bad) << offered;
        EXPECT_TRUE(handshakes(b, 1'000'000).empty());
    }
}

TEST(EndpointPair, ConnectsOverABadNetwork)
{
    size_t opened = 0;
    for (uint64_t seed = 1; seed <= 100; ++seed) {
        Peer a{1}, b{2};
        Net net;
        net.random = random::from_seed(seed);
        net.loss = 0.3;
        net.delay_us_min = 10'000;
        net.delay_us_max = 90'000;
        net.peers = {&a, &b};
        const ConnectionIndex asked = endpoint::connect(a.e(), b.keys.public_key, b.at, net.now_us);
        run(net, 5'500'000);
        if (endpoint::handshake_state(a.e(), asked) != HandshakeState::open) continue;
        opened += 1;
        net.loss = 0;
        run(net, 2'000'000);
        expect_one_connection(net, a, b, "seed " + std::to_string(seed));
    }
    // Each of seven tries fails with probability 0.51, so 0.51^7 = 1% of the handshakes fail.
    EXPECT_GE(opened, 95u);
}

TEST(EndpointPair, ANewHandshakeReplacesTheConnectionThatThePeerHasLost)
{
    Peer a{1}, b{2};
    Net net;
    net.peers = {&a, &b};
    for (const bool b_asks_again : {false, true}) {
        const ConnectionIndex asked = endpoint::connect(a.e(), b.keys.public_key, b.at, net.now_us);
        run(net, 200'000);
        expect_one_connection(net, a, b, "first");
        Peer &forgetful = b_asks_again ? b : a;
        Peer &other = b_asks_again ? a : b;
        const ConnectionIndex old = live(other)[0];
        EXPECT_EQ(live(a)[0], asked);
        endpoint::free_connection(forgetful.e(), live(forgetful)[0]);
        endpoint::connect(forgetful.e(), other.keys.public_key, other.at, net.now_us);
        run(net, 50'000);
        ASSERT_EQ(endpoint::handshake_state(other.e(), old), HandshakeState::open);
        EXPECT_NE(connection::state(endpoint::at(other.e(), old)), ConnectionState::open);
        EXPECT_EQ(connection::close_reason(endpoint::at(other.e(), old)), CloseReason::replaced);
        run(net, 200'000);
        EXPECT_EQ(connection::state(endpoint::at(other.e(), old)), ConnectionState::closed_by_us);
        expect_one_connection(net, a, b, "second");
        endpoint::free_connection(other.e(), old);
        endpoint::free_connection(a.e(), live(a)[0]);
        endpoint::free_connection(b.e(), live(b)[0]);
        net.flying.clear();
    }
}

// Both peers send an initiation, and both get a response before either's first packet arrives.
TEST(EndpointPair, OfTwoThatCrossTheOneThatTheLowerKeyAskedForSurvives)
{
    for (int round = 0; round < 8; ++round) {
        Peer a{1}, b{2};
        Net net;
        net.peers = {&a, &b};
        const ConnectionIndex from_a =
            endpoint::connect(a.e(), b.keys.public_key, b.at, net.now_us);
        const ConnectionIndex from_b =
            endpoint::connect(b.e(), a.keys.public_key, a.at, net.now_us);
        run(net, 25'000);
        EXPECT_EQ(endpoint::handshake_state(a.e(), from_a), HandshakeState::open);
        EXPECT_EQ(endpoint::handshake_state(b.e(), from_b), HandshakeState::open);
        EXPECT_TRUE(a.opened.empty() && b.opened.empty());
        run(net, 1'000'000);
        Peer &lower = is_lower(a, b) ? a : b;
        Peer &higher = is_lower(a, b) ? b : a;
        EXPECT_EQ(live(lower), std::vector<ConnectionIndex>{is_lower(a, b) ? from_a : from_b});
        EXPECT_TRUE(lower.opened.empty());
        EXPECT_EQ(live(higher), higher.opened);
        const ConnectionIndex lost = is_lower(a, b) ? from_b : from_a;
        EXPECT_EQ(connection::close_reason(endpoint::at(higher.e(), lost)), CloseReason::replaced);
        EXPECT_EQ(endpoint::bad_datagrams(a.e()) + endpoint::bad_datagrams(b.e()), 0u);
        expect_one_connection(net, a, b, "round " + std::to_string(round));
    }
}

TEST(EndpointPair, WhatThePeerOpensFirstTakesThePlaceOfOurOwnAsking)
{
    for (int round = 0; round < 4; ++round) {
        Peer a{1}, b{2};
        Net net;
        net.peers = {&a, &b};
        endpoint::connect(b.e(), a.keys.public_key, a.at, net.now_us);
        run(net, 25'000);
        ASSERT_TRUE(a.opened.empty());
        // a starts its handshake while b's first packet is in flight. The address is wrong, so no
        // datagram of that handshake arrives.
        const ConnectionIndex asked =
            endpoint::connect(a.e(), b.keys.public_key, address(99), net.now_us);
        run(net, 25'000);
        EXPECT_EQ(a.opened, std::vector<ConnectionIndex>{asked});
        EXPECT_EQ(endpoint::handshake_state(a.e(), asked), HandshakeState::open);
        run(net, 6'000'000);
        EXPECT_EQ(a.endpoint->_ids._count, 1u);
        expect_one_connection(net, a, b, "round " + std::to_string(round));
    }
}

// Two peers connect to each other at about the same time, with random delays and losses. In the end
// there is one connection, the same on both sides.
TEST(EndpointPair, HoweverBothAskThereIsOneConnectionInTheEnd)
{
    size_t crossed = 0, taken_over = 0;
    for (uint64_t seed = 1; seed <= 500; ++seed) {
        Peer a{1}, b{2};
        Net net;
        net.random = random::from_seed(seed);
        net.loss = seed % 3 == 0 ? 0.2 : 0;
        net.delay_us_min = 1'000;
        net.delay_us_max = 1'000 + 10'000 * (seed % 12);
        net.peers = {&a, &b};
        const ConnectionIndex from_a =
            endpoint::connect(a.e(), b.keys.public_key, b.at, net.now_us);
        run(net, 5'000 * random::below(net.random, 30));
        if (live(b).empty()) endpoint::connect(b.e(), a.keys.public_key, a.at, net.now_us);
        run(net, 2'000'000);
        net.loss = 0;
        run(net, 2'500'000);
        taken_over += a.opened == std::vector<ConnectionIndex>{from_a};
        crossed += a.opened.size() + b.opened.size() > 0 &&
                   endpoint::handshake_state(a.e(), 1) == HandshakeState::open;
        expect_one_connection(net, a, b, "seed " + std::to_string(seed));
        if (HasFailure()) break;
    }
    EXPECT_GT(crossed, 20u);
    EXPECT_GT(taken_over, 20u);
}

TEST(EndpointPair, AMeshConnectsEachPairOnce)
{
    constexpr size_t count = 6;
    std::vector<std::unique_ptr<Peer>> peers;
    Net net;
    net.loss = 0.1;
    net.delay_us_min = 5'000;
    net.delay_us_max = 60'000;
    for (uint16_t i = 0; i < count; ++i) {
        peers.push_back(std::make_unique<Peer>(i, limits(2 * count)));
        net.peers.push_back(peers.back().get());
    }
    for (const auto &from : peers)
        for (const auto &to : peers)
            if (from != to) endpoint::connect(from->e(), to->keys.public_key, to->at, net.now_us);
    run(net, 6'000'000);
    net.loss = 0;
    run(net, 2'000'000);
    for (const auto &peer : peers)
        EXPECT_EQ(live(*peer).size(), count - 1);
}

}
}
