#include "tests/transport/endpoint_world.h"
#include "transport/endpoint.h"
#include "transport/little_endian.h"
#include <map>

// Floods of handshakes from unknown peers, most with spoofed addresses.
namespace tern {
namespace {

using namespace world;

// A valid initiation. Anybody who knows b's public key can write one, and spoof its source address.
Bytes initiation(const Peer &b, uint32_t sender_id, const KeyPair &who, const KeyPair &ephemeral)
{
    NoiseHandshake h =
        noise::initiate(handshake::prologue(session).bytes, who, ephemeral, b.keys.public_key);
    const auto written = handshake::write_initiation(h, sender_id, {handshake::ciphers_known, 0},
                                                     handshake::mac_keys(b.keys.public_key));
    Bytes bytes(sizeof written.message);
    std::memcpy(bytes.data(), &written.message, sizeof written.message);
    return bytes;
}

Bytes any_initiation(const Peer &b, uint32_t sender_id)
{
    return initiation(b, sender_id, noise::make_key_pair(), noise::make_key_pair());
}

// An initiation that is cheap to make, because only its mac1 is valid. Until the Noise message is
// opened it costs the reader as much as a valid one.
Bytes hollow_initiation(const MacKeys &keys, uint32_t sender_id)
{
    Initiation message = {};
    message.type = 1;
    message.version = wire_version;
    std::memcpy(message.sender_id, &sender_id, 4);
    std::memcpy(message.noise, &sender_id, 4);
    crypto_generichash(message.mac1, 16, reinterpret_cast<const uint8_t *>(&message), 112,
                       keys.mac1, 32);
    Bytes bytes(sizeof message);
    std::memcpy(bytes.data(), &message, sizeof message);
    return bytes;
}

size_t size_bytes(const std::vector<Mail> &mails)
{
    size_t total = 0;
    for (const Mail &mail : mails)
        total += mail.bytes.size();
    return total;
}

TEST(EndpointFlood, AHundredThousandSpoofedInitiationsCostLittleAndANewcomerGetsIn)
{
    Peer b{2}, newcomer{1};
    const uint32_t spoofed = 100'000, per_tick = 1'667; // 100,000/s at 60 ticks/s
    uint64_t now_us = 1'000'000;
    const ConnectionIndex asked = endpoint::connect(newcomer.e(), b.keys.public_key, b.at, now_us);
    size_t in_bytes = 0, out_bytes = 0;
    std::vector<Mail> to_b, to_newcomer;
    for (uint32_t sent = 0; sent < spoofed;) {
        now_us += 16'667;
        for (Mail &mail : to_newcomer)
            receive(newcomer, b.at, mail.bytes, now_us);
        to_newcomer.clear();
        to_b = everything(newcomer, now_us);
        // The newcomer's datagrams come before the spoofed ones in one tick, after them in the
        // next.
        const bool is_first = sent / per_tick % 2 == 0;
        for (int half = 0; half < 2; ++half) {
            if ((half == 0) == is_first) {
                for (const Mail &mail : to_b) {
                    in_bytes += mail.bytes.size();
                    receive(b, newcomer.at, mail.bytes, now_us);
                }
                continue;
            }
            for (uint32_t i = 0; i < per_tick && sent < spoofed; ++i, ++sent) {
                const Bytes bytes = hollow_initiation(b.endpoint->_mac_keys, sent);
                in_bytes += bytes.size();
                receive(b, address(static_cast<uint16_t>(100 + sent % 60'000)), bytes, now_us);
            }
        }
        EXPECT_LE(half_open_count(b), half_open_max);
        for (Mail &mail : everything(b, now_us)) {
            out_bytes += mail.bytes.size();
            if (mail.to == newcomer.at) to_newcomer.push_back(std::move(mail));
        }
        EXPECT_LE(out_bytes, in_bytes);
    }
    EXPECT_EQ(endpoint::handshake_state(newcomer.e(), asked), HandshakeState::open);
    EXPECT_EQ(live(b).size(), 1u);
    EXPECT_LE(b.endpoint->_answer_count, answers_max);
}

TEST(EndpointFlood, BeyondTheAllowanceThereIsNoHandshakeWithoutACookie)
{
    Peer b{2};
    const uint64_t now_us = 1'000'000;
    std::map<size_t, size_t> answers; // The number of answers of each size in bytes.
    for (uint16_t i = 0; i < 300; ++i) {
        const Bytes bytes = any_initiation(b, i);
        EXPECT_EQ(receive(b, address(i), bytes, now_us).handling, Handling::handled);
        const auto mails = handshakes(b, now_us);
        ASSERT_EQ(mails.size(), 1u);
        EXPECT_EQ(mails[0].to, address(i));
        answers[mails[0].bytes.size()] += 1;
    }
    EXPECT_EQ(answers[100], initiations_burst);
    EXPECT_EQ(answers[64], 300 - initiations_burst);
    EXPECT_EQ(half_open_count(b), initiations_burst);
}

// Returns the initiation with the cookie in it that b gives to this address.
Bytes proven(Peer &b, const Bytes &bytes, const Address &from, uint64_t now_us)
{
    const Allowance strangers = b.endpoint->_strangers;
    b.endpoint->_strangers = {};
    receive(b, from, bytes, now_us);
    const auto mails = handshakes(b, now_us);
    b.endpoint->_strangers = strangers;
    EXPECT_EQ(mails.size(), 1u);
    CookieReply reply;
    EXPECT_EQ(mails.at(0).bytes.size(), sizeof reply);
    std::memcpy(&reply, mails.at(0).bytes.data(), sizeof reply);
    Initiation message;
    std::memcpy(&message, bytes.data(), sizeof message);
    const auto opened =
        handshake::open_cookie_reply(reply, message.mac1, handshake::mac_keys(b.keys.public_key));
    EXPECT_TRUE(opened.ok);
    handshake::write_mac2(message, opened.cookie);
    Bytes result(sizeof message);
    std::memcpy(result.data(), &message, sizeof message);
    return result;
}

TEST(EndpointFlood, ACookieIsGoodForItsAddressAndItsTime)
{
    const uint64_t start_us = 1'000'000;
    const auto handling_of = [](const Address &from, uint64_t age_us) {
        Peer b{2};
        const Bytes bytes = proven(b, any_initiation(b, 1), address(1), start_us);
        b.endpoint->_strangers = {};
        return receive(b, from, bytes, start_us + age_us).handling;
    };
    EXPECT_EQ(handling_of(address(1), 0), Handling::handled);
    EXPECT_EQ(handling_of(address(3), 0), Handling::bad);
    // The responder still knows the secret before the current one.
    EXPECT_EQ(handling_of(address(1), cookie_time_us), Handling::handled);
    EXPECT_EQ(handling_of(address(1), 2 * cookie_time_us), Handling::bad);

    Peer b{2};
    const Bytes bytes = proven(b, any_initiation(b, 1), address(1), start_us);
    for (uint64_t renewals = 1; renewals <= 3; ++renewals) {
        b.endpoint->_half_open = {};
        const uint64_t now_us = start_us + renewals * cookie_time_us;
        EXPECT_EQ(receive(b, address(1), bytes, now_us).handling,
                  renewals == 1 ? Handling::handled : Handling::bad);
    }
}

TEST(EndpointFlood, ProvenInitiationsHaveABoundToo)
{
    Peer b{2};
    const uint64_t now_us = 1'000'000;
    size_t responses = 0;
    for (uint16_t i = 0; i < 2 * proven_burst; ++i) {
        const Bytes bytes = proven(b, any_initiation(b, i), address(i), now_us);
        EXPECT_EQ(receive(b, address(i), bytes, now_us).handling, Handling::handled);
        responses += handshakes(b, now_us).size();
    }
    EXPECT_EQ(responses, proven_burst);
}

TEST(EndpointFlood, IntoAFullTableOnlyACookieLeadsAndTheOldestGoes)
{
    Peer b{2};
    uint64_t now_us = 1'000'000;
    std::vector<Mail> responses;
    for (uint16_t i = 0; i < half_open_max; ++i) {
        now_us += 10'000; // 100 a second stay within the allowance.
        receive(b, address(i), any_initiation(b, i), now_us);
        for (Mail &mail : handshakes(b, now_us))
            responses.push_back(std::move(mail));
    }
    ASSERT_EQ(half_open_count(b), half_open_max);
    ASSERT_EQ(responses.size(), half_open_max);
    const uint32_t oldest = little_endian::load32(responses[0].bytes.data() + 4);
    const uint32_t second = little_endian::load32(responses[1].bytes.data() + 4);
    EXPECT_EQ(connection_ids::find(b.endpoint->_ids, oldest).owner, IdOwner::half_open);

    now_us += 1'000'000; // The allowance has recovered, but the table is still full.
    Peer newcomer{500};
    const ConnectionIndex asked = endpoint::connect(newcomer.e(), b.keys.public_key, b.at, now_us);
    for (const size_t expected : {64u, 100u}) {
        for (const Mail &mail : handshakes(newcomer, now_us))
            receive(b, newcomer.at, mail.bytes, now_us);
        const auto mails = handshakes(b, now_us);
        ASSERT_EQ(mails.size(), 1u);
        EXPECT_EQ(mails[0].bytes.size(), expected);
        receive(newcomer, b.at, mails[0].bytes, now_us);
        now_us += cookie_repeat_us;
    }
    EXPECT_EQ(endpoint::handshake_state(newcomer.e(), asked), HandshakeState::open);
    EXPECT_EQ(half_open_count(b), half_open_max);
    EXPECT_EQ(connection_ids::find(b.endpoint->_ids, oldest).owner, IdOwner::none);
    EXPECT_EQ(connection_ids::find(b.endpoint->_ids, second).owner, IdOwner::half_open);

    now_us += half_open_time_us;
    handshakes(b, now_us);
    EXPECT_EQ(half_open_count(b), 0u);
    EXPECT_EQ(b.endpoint->_ids._count, 0u);
}

TEST(EndpointFlood, NobodyIsSentMoreThanItSent)
{
    for (uint64_t seed = 1; seed <= 5; ++seed) {
        Random random = random::from_seed(seed);
        Peer b{2};
        std::map<uint16_t, size_t> in_bytes, out_bytes;
        std::vector<Bytes> known;
        for (uint32_t i = 0; i < 20; ++i)
            known.push_back(any_initiation(b, i));
        uint64_t now_us = 1'000'000;
        for (int tick = 0; tick < 200; ++tick) {
            now_us += 1 + random::below(random, 30'000);
            for (uint64_t i = random::below(random, 8); i > 0; --i) {
                const auto from = static_cast<uint16_t>(random::below(random, 6));
                Bytes bytes = known[random::below(random, known.size())];
                if (random::chance(random, 0.3)) bytes[1] = std::byte{9};
                if (random::chance(random, 0.2)) bytes.resize(random::below(random, 200));
                in_bytes[from] += bytes.size();
                receive(b, address(from), bytes, now_us);
            }
            for (const Mail &mail : handshakes(b, now_us)) {
                const auto to = static_cast<uint16_t>(mail.to.ip[15]);
                out_bytes[to] += mail.bytes.size();
                EXPECT_LE(out_bytes[to], in_bytes[to]) << "seed " << seed;
            }
        }
        EXPECT_GT(out_bytes.size(), 3u);
    }
}

TEST(EndpointFlood, AnswersToStrangersLeaveHalfOfTheOutbox)
{
    Peer b{2};
    const uint64_t now_us = 1'000'000;
    b.endpoint->_strangers = {};
    for (uint32_t i = 0; i < 2 * answers_max; ++i)
        receive(b, address(static_cast<uint16_t>(i)), hollow_initiation(b.endpoint->_mac_keys, i),
                now_us);
    EXPECT_EQ(b.endpoint->_answer_count, answers_max);
    size_t sent = 0;
    for (;;) {
        const auto mails = handshakes(b, now_us, 64);
        EXPECT_LE(mails.size(), 32u);
        sent += mails.size();
        if (mails.empty()) break;
        EXPECT_EQ(size_bytes(mails), mails.size() * 64);
    }
    EXPECT_EQ(sent, answers_max);
}

TEST(EndpointFlood, CookiesInAStreamDoNotMakeAStreamOfInitiations)
{
    Peer a{1}, b{2};
    const uint64_t start_us = 1'000'000;
    endpoint::connect(a.e(), b.keys.public_key, b.at, start_us);
    const auto first = handshakes(a, start_us);
    b.endpoint->_strangers = {};
    receive(b, a.at, first.at(0).bytes, start_us);
    const auto reply = handshakes(b, start_us);
    size_t initiations = 0;
    for (uint64_t ms = 1; ms <= 1000; ++ms) {
        receive(a, b.at, reply.at(0).bytes, start_us + ms * 1000);
        initiations += handshakes(a, start_us + ms * 1000).size();
    }
    EXPECT_EQ(initiations, 10u);
}

}
}
