#include "tests/transport/endpoint_world.h"
#include "transport/endpoint.h"
#include <memory>

namespace tern {
namespace {

using namespace world;

constexpr uint64_t start_us = 1'000'000;

uint8_t type(const Mail &mail)
{
    return std::to_integer<uint8_t>(mail.bytes[0]);
}

// A handshake from a to b, one step at a time.
struct Pair {
    Peer a{1, limits(1)}, b{2, limits(1)};
    ConnectionIndex asked;
    Mail initiation, response;

    Pair()
    {
        asked = endpoint::connect(a.e(), b.keys.public_key, b.at, start_us);
        const auto mails = handshakes(a, start_us);
        EXPECT_EQ(mails.size(), 1u);
        initiation = mails.at(0);
    }
    void answer()
    {
        EXPECT_EQ(receive(b, a.at, initiation.bytes, start_us).handling, Handling::handled);
        const auto mails = handshakes(b, start_us);
        EXPECT_EQ(mails.size(), 1u);
        response = mails.at(0);
    }
    void take_answer()
    {
        EXPECT_EQ(receive(a, b.at, response.bytes, start_us).handling, Handling::handled);
        EXPECT_EQ(endpoint::handshake_state(a.e(), asked), HandshakeState::open);
    }
    Mail confirm() // a's first data datagram, which b has not received yet.
    {
        const auto mails = packets(a, start_us);
        EXPECT_EQ(mails.size(), 1u);
        return mails.at(0);
    }
    Mail first_packet() // Runs the handshake up to confirm().
    {
        answer();
        take_answer();
        return confirm();
    }
};

TEST(Endpoint, AStrangerBecomesAConnectionWithItsFirstPacket)
{
    Pair p;
    EXPECT_EQ(endpoint::handshake_state(p.a.e(), p.asked), HandshakeState::connecting);
    EXPECT_EQ(p.initiation.bytes.size(), 144u);
    EXPECT_EQ(p.initiation.to, p.b.at);
    p.answer();
    EXPECT_EQ(p.response.bytes.size(), 100u);
    EXPECT_EQ(p.response.to, p.a.at);
    EXPECT_TRUE(live(p.b).empty());
    p.take_answer();
    const Mail first = p.confirm();
    const Tally asked = endpoint::handshakes(p.a.e()), answered = endpoint::handshakes(p.b.e());
    EXPECT_EQ(asked.count, 1u);
    EXPECT_EQ(asked.bytes, 144u);
    EXPECT_EQ(answered.count, 1u);
    EXPECT_EQ(answered.bytes, 100u);
    EXPECT_EQ(first.to, p.b.at);

    const Arrival arrival = receive(p.b, p.a.at, first.bytes, start_us);
    ASSERT_EQ(arrival.handling, Handling::opened);
    EXPECT_EQ(arrival.packet.number, 0u);
    EXPECT_EQ(live(p.b), std::vector<ConnectionIndex>{arrival.connection});
    EXPECT_EQ(std::memcmp(endpoint::key(p.b.e(), arrival.connection), p.a.keys.public_key, 32), 0);
    EXPECT_EQ(endpoint::find(p.b.e(), p.a.keys.public_key), arrival.connection);
    EXPECT_EQ(endpoint::find(p.a.e(), p.b.keys.public_key), p.asked);
    EXPECT_EQ(connection::address(endpoint::at(p.b.e(), arrival.connection)), p.a.at);
    EXPECT_EQ(half_open_count(p.b), 0u);
    EXPECT_EQ(endpoint::bad_datagrams(p.a.e()) + endpoint::bad_datagrams(p.b.e()), 0u);

    say(p.a, p.asked, "there");
    say(p.b, arrival.connection, "back");
    for (const Mail &mail : packets(p.a, start_us))
        EXPECT_EQ(receive(p.b, p.a.at, mail.bytes, start_us).handling, Handling::packet);
    for (const Mail &mail : packets(p.b, start_us))
        EXPECT_EQ(receive(p.a, p.b.at, mail.bytes, start_us).handling, Handling::packet);
    EXPECT_EQ(p.b.heard, std::vector<std::string>{"there"});
    EXPECT_EQ(p.a.heard, std::vector<std::string>{"back"});
}

// Flips every bit of the datagram, one at a time. Each such datagram is bad and counted, and the
// state stays unchanged.
void expect_nothing_from_any_change(Peer &peer, const Mail &mail)
{
    const Bytes before = state(peer);
    Bytes after;
    for (size_t bit = 0; bit < mail.bytes.size() * 8; ++bit) {
        Bytes changed = mail.bytes;
        changed[bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
        const uint64_t bad = endpoint::bad_datagrams(peer.e());
        EXPECT_EQ(receive(peer, mail.from, changed, start_us).handling, Handling::bad) << bit;
        EXPECT_EQ(endpoint::bad_datagrams(peer.e()), bad + 1) << bit;
        // The one intended exception is an initiation of another version, which gets a refusal.
        if (changed[0] == std::byte{1} && changed[1] != std::byte{wire_version}) {
            const auto refusals = handshakes(peer, start_us);
            ASSERT_EQ(refusals.size(), 1u);
            EXPECT_EQ(refusals[0].bytes.size(), 24u);
            peer.endpoint->_refusals = allowance::make(10, 10);
            peer.endpoint->_answer_first = 0;
            std::memset(peer.endpoint->_answers, 0, sizeof peer.endpoint->_answers);
        }
        write_state(after, peer);
        ASSERT_EQ(after.size(), before.size());
        ASSERT_EQ(std::memcmp(after.data(), before.data(), after.size()), 0) << bit;
    }
}

// Returns the initiation that a repeats with b's cookie. From here on b has a cookie secret.
Mail with_cookie(Pair &p, const Mail &initiation)
{
    p.b.endpoint->_strangers = {};
    receive(p.b, p.a.at, initiation.bytes, start_us);
    const auto replies = handshakes(p.b, start_us);
    EXPECT_EQ(replies.size(), 1u);
    EXPECT_EQ(receive(p.a, p.b.at, replies.at(0).bytes, start_us).handling, Handling::handled);
    const auto mails = handshakes(p.a, start_us + cookie_repeat_us);
    EXPECT_EQ(mails.size(), 1u);
    return mails.at(0);
}

TEST(Endpoint, AChangedInitiationIsBadAndNothingElse)
{
    Pair p;
    const Mail proven = with_cookie(p, p.initiation);
    p.b.endpoint->_strangers = allowance::make(100, 200);
    p.b.endpoint->_refusals = allowance::make(10, 10);
    p.b.endpoint->_answer_first = 0;
    std::memset(p.b.endpoint->_answers, 0, sizeof p.b.endpoint->_answers);
    p.b.endpoint->_refusals._filled_us = 0;
    expect_nothing_from_any_change(p.b, p.initiation);
    expect_nothing_from_any_change(p.b, proven);
    p.answer();
    p.take_answer();
}

TEST(Endpoint, AChangedResponseIsBadAndNothingElse)
{
    Pair p;
    p.answer();
    expect_nothing_from_any_change(p.a, p.response);
    p.take_answer();
}

TEST(Endpoint, AChangedCookieReplyIsBadAndNothingElse)
{
    Pair p;
    p.b.endpoint->_strangers = {};
    receive(p.b, p.a.at, p.initiation.bytes, start_us);
    const auto replies = handshakes(p.b, start_us);
    ASSERT_EQ(replies.size(), 1u);
    EXPECT_EQ(type(replies[0]), 3);
    expect_nothing_from_any_change(p.a, replies[0]);
    EXPECT_EQ(receive(p.a, p.b.at, replies[0].bytes, start_us).handling, Handling::handled);
}

// A version refusal as a responder of the next version writes it.
Bytes version_refusal(Pair &p)
{
    VersionRefusal refusal = {};
    refusal.type = 5;
    refusal.version = wire_version + 1;
    std::memcpy(refusal.receiver_id, p.initiation.bytes.data() + 4, 4);
    const MacKeys keys = handshake::mac_keys(p.b.keys.public_key);
    crypto_generichash(refusal.mac1, 16, reinterpret_cast<const uint8_t *>(&refusal), 8, keys.mac1,
                       32);
    Bytes bytes(sizeof refusal);
    std::memcpy(bytes.data(), &refusal, sizeof refusal);
    return bytes;
}

TEST(Endpoint, AChangedVersionRefusalIsBadAndNothingElse)
{
    Pair p;
    const Mail mail = {p.b.at, p.a.at, version_refusal(p), start_us};
    expect_nothing_from_any_change(p.a, mail);
    EXPECT_EQ(receive(p.a, p.b.at, mail.bytes, start_us).handling, Handling::handled);
}

TEST(Endpoint, AChangedFirstPacketIsBadAndNothingElse)
{
    Pair p;
    const Mail first = p.first_packet();
    expect_nothing_from_any_change(p.b, first);
    EXPECT_EQ(receive(p.b, p.a.at, first.bytes, start_us).handling, Handling::opened);
    const Bytes before = state(p.b); // The replay reaches an open connection now.
    EXPECT_EQ(receive(p.b, p.a.at, first.bytes, start_us).handling, Handling::bad);
    EXPECT_EQ(state(p.b), before);
}

TEST(Endpoint, NoTypeAndNoLengthDoesHarm)
{
    Pair p;
    p.answer();
    const Bytes before_a = state(p.a), before_b = state(p.b);
    Random random = random::from_seed(5);
    uint64_t sent = 0;
    for (size_t size = 0; size <= 2048; ++size)
        for (uint8_t kind = 0; kind < 8; ++kind) {
            Bytes bytes(size);
            for (std::byte &byte : bytes)
                byte = static_cast<std::byte>(random::next(random));
            if (size > 0) bytes[0] = static_cast<std::byte>(kind);
            if (size > 1) bytes[1] = static_cast<std::byte>(wire_version);
            if (size > 3) bytes[2] = bytes[3] = std::byte{0};
            sent += 1;
            EXPECT_EQ(receive(p.a, p.b.at, bytes, start_us).handling, Handling::bad);
            EXPECT_EQ(receive(p.b, p.a.at, bytes, start_us).handling, Handling::bad);
        }
    EXPECT_EQ(endpoint::bad_datagrams(p.a.e()), sent);
    EXPECT_EQ(endpoint::bad_datagrams(p.b.e()), sent);
    EXPECT_EQ(state(p.a), before_a);
    EXPECT_EQ(state(p.b), before_b);
}

TEST(Endpoint, BeforeEnterEverythingIsBad)
{
    Pair p;
    const KeyPair keys = noise::make_key_pair();
    Endpoint *fresh = endpoint::make_endpoint(limits(), keys);
    EXPECT_EQ(endpoint::receive(*fresh, {p.a.at, p.initiation.bytes}, start_us).handling,
              Handling::bad);
    endpoint::destroy_endpoint(fresh);
}

TEST(Endpoint, ARepeatedInitiationGetsTheSameResponse)
{
    Pair p;
    p.answer();
    for (int i = 0; i < 3; ++i) {
        // Two copies in one tick get one response.
        for (int copy = 0; copy < 2; ++copy)
            EXPECT_EQ(receive(p.b, p.a.at, p.initiation.bytes, start_us).handling,
                      Handling::handled);
        const auto mails = handshakes(p.b, start_us);
        ASSERT_EQ(mails.size(), 1u);
        EXPECT_EQ(mails[0].bytes, p.response.bytes);
    }
    EXPECT_EQ(half_open_count(p.b), 1u);
    EXPECT_TRUE(handshakes(p.b, start_us).empty());
}

TEST(Endpoint, LateCopiesOfAHandshakeChangeNothing)
{
    Pair p;
    const Mail first = p.first_packet();
    receive(p.b, p.a.at, first.bytes, start_us);
    ASSERT_EQ(live(p.b).size(), 1u);
    EXPECT_EQ(receive(p.b, p.a.at, p.initiation.bytes, start_us).handling, Handling::handled);
    EXPECT_TRUE(handshakes(p.b, start_us).empty());
    EXPECT_EQ(receive(p.a, p.b.at, p.response.bytes, start_us).handling, Handling::bad);
    EXPECT_EQ(receive(p.b, p.a.at, first.bytes, start_us).handling, Handling::bad);

    // A replay of the whole handshake after b has forgotten it only starts a half-open handshake,
    // which cannot be completed.
    const uint64_t later_us = start_us + half_open_time_us;
    handshakes(p.b, later_us);
    EXPECT_EQ(receive(p.b, p.a.at, p.initiation.bytes, later_us).handling, Handling::handled);
    const auto mails = handshakes(p.b, later_us);
    ASSERT_EQ(mails.size(), 1u);
    EXPECT_NE(mails[0].bytes, p.response.bytes);
    EXPECT_EQ(receive(p.a, p.b.at, mails[0].bytes, later_us).handling, Handling::bad);
    Bytes readdressed = first.bytes;
    std::memcpy(readdressed.data() + 1, mails[0].bytes.data() + 4, 4);
    EXPECT_EQ(receive(p.b, p.a.at, readdressed, later_us).handling, Handling::bad);
    EXPECT_EQ(live(p.b).size(), 1u);
    EXPECT_EQ(live(p.a).size(), 1u);
}

TEST(Endpoint, TheFirstPacketCountsOnlyFromWhereTheInitiationCame)
{
    Pair p;
    const Mail first = p.first_packet();
    EXPECT_EQ(receive(p.b, address(9), first.bytes, start_us).handling, Handling::bad);
    EXPECT_TRUE(live(p.b).empty());
    EXPECT_EQ(receive(p.b, p.a.at, first.bytes, start_us).handling, Handling::opened);
}

TEST(Endpoint, AHalfOpenHandshakeIsOverAfterItsTime)
{
    Pair p;
    const Mail first = p.first_packet();
    const uint64_t over_us = start_us + half_open_time_us;
    EXPECT_EQ(receive(p.b, p.a.at, first.bytes, over_us).handling, Handling::bad);
    EXPECT_EQ(half_open_count(p.b), 1u);
    handshakes(p.b, over_us - 1);
    EXPECT_EQ(half_open_count(p.b), 1u);
    handshakes(p.b, over_us);
    EXPECT_EQ(half_open_count(p.b), 0u);
    EXPECT_EQ(p.b.endpoint->_ids._count, 0u);
}

TEST(Endpoint, WhatWasAnsweredInAFormerSessionComesToNothing)
{
    Pair p;
    const Mail first = p.first_packet();
    EXPECT_EQ(half_open_count(p.b), 1u);
    endpoint::enter(p.b.e(), session + 1, secret);
    EXPECT_EQ(half_open_count(p.b), 0u);
    EXPECT_EQ(receive(p.b, p.a.at, first.bytes, start_us).handling, Handling::bad);
    EXPECT_TRUE(live(p.b).empty());
}

TEST(Endpoint, EachSideLearnsTheIncarnationOfTheOther)
{
    Peer a{1, limits(1)}, b{2, limits(1)};
    endpoint::set_incarnation(a.e(), 7);
    endpoint::set_incarnation(b.e(), 0xfedcba98);
    for (const uint32_t expected : {0u, 0xfedcba98u}) {
        const auto asked = endpoint::connect(a.e(), b.keys.public_key, b.at, start_us, expected);
        const Mail initiation = handshakes(a, start_us).at(0);
        receive(b, a.at, initiation.bytes, start_us);
        const Mail response = handshakes(b, start_us).at(0);
        receive(a, b.at, response.bytes, start_us);
        EXPECT_EQ(endpoint::incarnation(a.e(), asked), 0xfedcba98u);
        const Mail first = packets(a, start_us).at(0);
        const Arrival arrival = receive(b, a.at, first.bytes, start_us);
        ASSERT_EQ(arrival.handling, Handling::opened);
        EXPECT_EQ(endpoint::incarnation(b.e(), arrival.connection), 7u);
        endpoint::free_connection(a.e(), asked);
        endpoint::free_connection(b.e(), arrival.connection);
    }
}

TEST(Endpoint, AnAnswerOfAnotherIncarnationMakesNoConnection)
{
    Peer a{1, limits(1)}, b{2, limits(1)};
    endpoint::set_incarnation(b.e(), 6);
    const auto asked = endpoint::connect(a.e(), b.keys.public_key, b.at, start_us, 5);
    const Mail initiation = handshakes(a, start_us).at(0);
    receive(b, a.at, initiation.bytes, start_us);
    const Mail response = handshakes(b, start_us).at(0);
    receive(a, b.at, response.bytes, start_us);
    EXPECT_EQ(endpoint::handshake_state(a.e(), asked), HandshakeState::unreachable);
    EXPECT_TRUE(packets(a, start_us).empty());
}

TEST(Endpoint, WhatAFormerIncarnationAnsweredComesToNothing)
{
    Pair p;
    const Mail first = p.first_packet();
    endpoint::set_incarnation(p.b.e(), 9);
    EXPECT_EQ(half_open_count(p.b), 0u);
    EXPECT_EQ(receive(p.b, p.a.at, first.bytes, start_us).handling, Handling::bad);
    EXPECT_TRUE(live(p.b).empty());
}

TEST(Endpoint, AnInitiationIsRepeatedLaterAndLaterUntilTheTimeout)
{
    Pair p;
    std::vector<uint64_t> times_ms;
    for (uint64_t ms = 1; ms < 7000; ++ms)
        for (const Mail &mail : handshakes(p.a, start_us + ms * 1000)) {
            EXPECT_EQ(mail.bytes, p.initiation.bytes);
            times_ms.push_back(ms);
        }
    EXPECT_EQ(times_ms, (std::vector<uint64_t>{250, 750, 1750, 2750, 3750, 4750}));
    EXPECT_EQ(endpoint::handshake_state(p.a.e(), p.asked), HandshakeState::unreachable);
    EXPECT_EQ(receive(p.a, p.b.at, p.response.bytes, start_us).handling, Handling::bad);
    EXPECT_EQ(endpoint::find(p.a.e(), p.b.keys.public_key), no_connection);
    endpoint::free_connection(p.a.e(), p.asked);
    EXPECT_EQ(endpoint::handshake_state(p.a.e(), p.asked), HandshakeState::free);
}

HandshakeState outcome_with(Peer &b, const uint8_t (&key)[32])
{
    Peer a{1};
    Net net;
    net.peers = {&a, &b};
    const ConnectionIndex asked = endpoint::connect(a.e(), key, b.at, net.now_us);
    run(net, 4'900'000);
    EXPECT_EQ(endpoint::handshake_state(a.e(), asked),
              HandshakeState::connecting); // A valid response may still arrive.
    run(net, 200'000);
    EXPECT_TRUE(live(b).empty());
    return endpoint::handshake_state(a.e(), asked);
}

TEST(Endpoint, AnotherSecretIsToldFromNoAnswer)
{
    constexpr uint8_t other[32] = {9};
    Peer b(2, limits(), session, other);
    EXPECT_EQ(outcome_with(b, b.keys.public_key), HandshakeState::secret_refused);
}

TEST(Endpoint, AnotherSessionOrKeyGetsNoAnswer)
{
    Peer b(2, limits(), session + 1);
    EXPECT_EQ(outcome_with(b, b.keys.public_key), HandshakeState::unreachable);
    Peer c(2);
    const KeyPair other = noise::make_key_pair();
    EXPECT_EQ(outcome_with(c, other.public_key), HandshakeState::unreachable);
    EXPECT_EQ(endpoint::bad_datagrams(c.e()), 7u); // One for each of its seven initiations
    EXPECT_EQ(half_open_count(c), 0u);
}

TEST(Endpoint, AKeyThatNobodyCanHoldIsUnreachableAtOnce)
{
    Peer a{1};
    constexpr uint8_t zero[32] = {};
    const ConnectionIndex asked = endpoint::connect(a.e(), zero, address(2), start_us);
    EXPECT_EQ(endpoint::handshake_state(a.e(), asked), HandshakeState::unreachable);
    EXPECT_TRUE(handshakes(a, start_us).empty());
    EXPECT_EQ(a.endpoint->_ids._count, 0u);
}

TEST(Endpoint, ItselfIsUnreachable)
{
    Peer a{1};
    Net net;
    net.peers = {&a};
    const ConnectionIndex asked = endpoint::connect(a.e(), a.keys.public_key, a.at, net.now_us);
    run(net, 6'000'000);
    EXPECT_EQ(endpoint::handshake_state(a.e(), asked), HandshakeState::unreachable);
    EXPECT_EQ(half_open_count(a), 0u);
}

TEST(Endpoint, AnotherVersionIsRefusedAndToldSo)
{
    Pair p;
    Bytes newer = p.initiation.bytes;
    newer[1] = std::byte{wire_version + 1};
    EXPECT_EQ(receive(p.b, p.a.at, newer, start_us).handling, Handling::bad);
    const auto mails = handshakes(p.b, start_us);
    ASSERT_EQ(mails.size(), 1u);
    EXPECT_EQ(mails[0].to, p.a.at);
    EXPECT_EQ(type(mails[0]), 5);
    EXPECT_EQ(mails[0].bytes.size(), 24u);
    EXPECT_TRUE(std::equal(mails[0].bytes.begin() + 4, mails[0].bytes.begin() + 8,
                           p.initiation.bytes.begin() + 4));

    EXPECT_EQ(receive(p.a, p.b.at, version_refusal(p), start_us).handling, Handling::handled);
    EXPECT_EQ(endpoint::handshake_state(p.a.e(), p.asked), HandshakeState::connecting);
    handshakes(p.a, start_us + 5'000'000);
    EXPECT_EQ(endpoint::handshake_state(p.a.e(), p.asked), HandshakeState::version_refused);
}

TEST(Endpoint, ARefusalDoesNotOutweighARealAnswer)
{
    Pair p;
    p.answer();
    EXPECT_EQ(receive(p.a, p.b.at, version_refusal(p), start_us).handling, Handling::handled);
    p.take_answer();
}

// The attacker sees the initiation and knows a's public key, so it can write a valid mac1.
TEST(Endpoint, AForgedResponseDoesNotSpoilTheRealOne)
{
    Pair p;
    p.answer();
    Response forged;
    std::memcpy(&forged, p.response.bytes.data(), sizeof forged);
    randombytes_buf(forged.noise, sizeof forged.noise);
    crypto_generichash(forged.mac1, 16, reinterpret_cast<const uint8_t *>(&forged), 68,
                       handshake::mac_keys(p.a.keys.public_key).mac1, 32);
    Bytes bytes(sizeof forged);
    std::memcpy(bytes.data(), &forged, sizeof forged);
    EXPECT_EQ(receive(p.a, p.b.at, bytes, start_us).handling, Handling::handled);
    p.take_answer();
}

TEST(Endpoint, VersionRefusalsAreFewAndNeverLargerThanWhatWasAsked)
{
    Pair p;
    Bytes newer = p.initiation.bytes;
    newer[1] = std::byte{wire_version + 1};
    size_t answers = 0;
    for (int ms = 0; ms < 10'000; ++ms) {
        receive(p.b, p.a.at, newer, start_us + static_cast<uint64_t>(ms) * 1000);
        answers += handshakes(p.b, start_us + static_cast<uint64_t>(ms) * 1000).size();
    }
    EXPECT_GE(answers, 100u);
    EXPECT_LE(answers, 10u * version_refusals_per_second_max + version_refusals_per_second_max);
    for (size_t size = 0; size < 24; ++size) {
        newer.resize(size);
        receive(p.b, p.a.at, newer, start_us + 60'000'000);
        EXPECT_TRUE(handshakes(p.b, start_us + 60'000'000).empty()) << size;
    }
}

TEST(Endpoint, WithoutAFreeConnectionTheHandshakeWaits)
{
    Peer b(2, limits(1));
    Peer c{3}, d{4};
    Net net;
    net.peers = {&b, &c, &d};
    const ConnectionIndex from_c = endpoint::connect(c.e(), b.keys.public_key, b.at, net.now_us);
    run(net, 100'000);
    ASSERT_EQ(live(b).size(), 1u);
    EXPECT_EQ(endpoint::connect(b.e(), d.keys.public_key, d.at, net.now_us), no_connection);
    endpoint::connect(d.e(), b.keys.public_key, b.at, net.now_us);
    run(net, 1'000'000);
    EXPECT_EQ(live(b).size(), 1u);
    EXPECT_EQ(half_open_count(b), 1u);
    EXPECT_EQ(endpoint::bad_datagrams(b.e()), 0u);
    endpoint::free_connection(b.e(), live(b)[0]);
    endpoint::free_connection(c.e(), from_c);
    run(net, 1'000'000);
    ASSERT_EQ(live(b).size(), 1u);
    EXPECT_EQ(endpoint::find(b.e(), d.keys.public_key), live(b)[0]);
}

TEST(Endpoint, WhatIsReleasedIsForgotten)
{
    Pair p;
    const Mail first = p.first_packet();
    receive(p.b, p.a.at, first.bytes, start_us);
    endpoint::free_connection(p.b.e(), live(p.b).at(0));
    EXPECT_EQ(receive(p.b, p.a.at, first.bytes, start_us).handling, Handling::bad);
    endpoint::free_connection(p.a.e(), p.asked);
    EXPECT_EQ(p.a.endpoint->_ids._count, 0u);
    EXPECT_EQ(p.b.endpoint->_ids._count, 0u);
    const ConnectionSlot empty = {};
    EXPECT_EQ(std::memcmp(&p.a.endpoint->_slots[p.asked], &empty, sizeof empty), 0);
}

TEST(Endpoint, AFullOutboxDelaysAndLosesNothing)
{
    Peer a{1};
    Peer b{2}, c{3}, d{4};
    for (Peer *peer : {&b, &c, &d})
        endpoint::connect(a.e(), peer->keys.public_key, peer->at, start_us);
    size_t sent = 0;
    for (int tick = 0; tick < 4; ++tick) {
        const auto mails = handshakes(a, start_us, 1);
        EXPECT_EQ(mails.size(), tick < 3 ? 1u : 0u);
        sent += mails.size();
    }
    EXPECT_EQ(sent, 3u);
}

}
}
