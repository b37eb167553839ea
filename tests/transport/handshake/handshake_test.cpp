#include "transport/handshake/handshake.h"
#include <cstring>
#include <gtest/gtest.h>
#include <sodium.h>
#include <vector>

namespace tern {
namespace {

using Bytes = std::vector<std::byte>;

constexpr uint8_t secret[32] = {7};
constexpr uint8_t other_secret[32] = {8};
constexpr uint32_t initiator_id = 0x04030201, responder_id = 0x14131211;
constexpr uint64_t session = 0x1122334455667788;

template <class Message> Bytes bytes(const Message &message)
{
    Bytes result(sizeof message);
    std::memcpy(result.data(), &message, sizeof message);
    return result;
}

// Two sides of a handshake, and every datagram that they can send to each other.
struct Talk {
    KeyPair a, b; // a initiates, b responds.
    MacKeys a_keys, b_keys;
    Offer offer = {handshake::ciphers_everywhere, 0};
    NoiseHandshake noise_a, noise_b; // a has written the initiation, b has written the response.
    Initiation initiation;
    Response response;
    Cookie cookie;
    CookieReply cookie_reply;
    VersionRefusal version_refusal;
};

NoiseHandshake asker(const Talk &t)
{
    return noise::initiate(handshake::prologue(session).bytes, t.a, noise::make_key_pair(),
                           t.b.public_key);
}

NoiseHandshake answerer(const Talk &t)
{
    return noise::respond(handshake::prologue(session).bytes, t.b, noise::make_key_pair());
}

Talk talk()
{
    EXPECT_GE(sodium_init(), 0);
    Talk t = {};
    t.offer.ciphers = handshake::ciphers_everywhere;
    t.a = noise::make_key_pair();
    t.b = noise::make_key_pair();
    t.a_keys = handshake::mac_keys(t.a.public_key);
    t.b_keys = handshake::mac_keys(t.b.public_key);
    t.noise_a = asker(t);
    t.noise_b = answerer(t);
    const auto initiation = handshake::write_initiation(t.noise_a, initiator_id, t.offer, t.b_keys);
    EXPECT_TRUE(initiation.ok);
    t.initiation = initiation.message;
    EXPECT_TRUE(handshake::open_initiation(t.noise_b, t.initiation).ok);
    const auto response = handshake::write_response(t.noise_b, secret, {responder_id, initiator_id},
                                                    {handshake::ciphers_everywhere, 0}, t.a_keys);
    EXPECT_TRUE(response.ok);
    t.response = response.message;
    t.cookie = handshake::make_cookie(other_secret, {{1, 2, 3}, 4});
    EntropySource entropy = {};
    t.cookie_reply = handshake::write_cookie_reply(entropy, t.initiation.sender_id, t.cookie,
                                                   t.initiation.mac1, t.b_keys);
    t.version_refusal = handshake::write_version_refusal(t.initiation.sender_id, t.b_keys);
    // A peer with a newer version writes and signs the refusal like this.
    t.version_refusal.version = wire_version + 1;
    crypto_generichash(t.version_refusal.mac1, 16,
                       reinterpret_cast<const uint8_t *>(&t.version_refusal), 8, t.b_keys.mac1, 32);
    return t;
}

// True if the recipient of this datagram would accept it.
bool takes_initiation(const Talk &t, const Bytes &datagram)
{
    const auto read = handshake::read_initiation(datagram, t.b_keys);
    if (read.reading != Reading::ok) return false;
    NoiseHandshake h = answerer(t);
    const auto opened = handshake::open_initiation(h, read.message);
    return opened.ok && handshake::choose_cipher(opened.offer, handshake::ciphers_known).ok;
}

bool takes_response(const Talk &t, const Bytes &datagram)
{
    const auto read = handshake::read_response(datagram, t.a_keys);
    if (read.reading != Reading::ok) return false;
    NoiseHandshake h = t.noise_a;
    return handshake::open_response(h, secret, read.message, t.offer).ok;
}

bool takes_cookie_reply(const Talk &t, const Bytes &datagram)
{
    const auto read = handshake::read_cookie_reply(datagram);
    return read.reading == Reading::ok && handshake::id(read.message.receiver_id) == initiator_id &&
           handshake::open_cookie_reply(read.message, t.initiation.mac1, t.b_keys).ok;
}

bool takes_version_refusal(const Talk &t, const Bytes &datagram)
{
    return handshake::read_version_refusal(datagram, t.b_keys).reading == Reading::ok;
}

TEST(Handshake, BothSidesEndWithTheSameKeys)
{
    const Talk t = talk();
    NoiseHandshake h = t.noise_a;
    const auto read = handshake::read_response(bytes(t.response), t.a_keys);
    ASSERT_EQ(read.reading, Reading::ok);
    EXPECT_EQ(handshake::id(read.message.sender_id), responder_id);
    EXPECT_EQ(handshake::id(read.message.receiver_id), initiator_id);
    const auto opened = handshake::open_response(h, secret, read.message, t.offer);
    ASSERT_TRUE(opened.ok);
    EXPECT_EQ(opened.cipher, Cipher::chacha20_poly1305);
    const DataKeys a = noise::split(h), b = noise::split(t.noise_b);
    EXPECT_EQ(std::memcmp(a.send, b.receive, 32), 0);
    EXPECT_EQ(std::memcmp(a.receive, b.send, 32), 0);
    EXPECT_NE(std::memcmp(a.send, a.receive, 32), 0);
    EXPECT_EQ(std::memcmp(noise::remote_key(t.noise_b), t.a.public_key, 32), 0);
}

// The expected offsets are those of docs/wire_format.md.
TEST(Handshake, FieldsAreWhereTheFormatSays)
{
    const Talk t = talk();
    const Bytes i = bytes(t.initiation), r = bytes(t.response), c = bytes(t.cookie_reply);
    const Bytes v = bytes(handshake::write_version_refusal(t.initiation.sender_id, t.b_keys));
    ASSERT_EQ(i.size(), 144u);
    ASSERT_EQ(r.size(), 100u);
    ASSERT_EQ(c.size(), 64u);
    ASSERT_EQ(v.size(), 24u);
    const auto starts = [](const Bytes &datagram, std::vector<uint8_t> with) {
        return std::memcmp(datagram.data(), with.data(), with.size()) == 0;
    };
    EXPECT_TRUE(starts(i, {1, 1, 0, 0, 1, 2, 3, 4}));
    EXPECT_TRUE(starts(r, {2, 1, 0, 0, 0x11, 0x12, 0x13, 0x14, 1, 2, 3, 4}));
    EXPECT_TRUE(starts(c, {3, 1, 0, 0, 1, 2, 3, 4}));
    EXPECT_TRUE(starts(v, {5, 1, 0, 0, 1, 2, 3, 4}));
    const Bytes zero(16);
    EXPECT_TRUE(std::equal(zero.begin(), zero.end(), i.end() - 16)); // mac2
    EXPECT_TRUE(std::equal(zero.begin(), zero.end(), r.end() - 16));

    // mac1 computed independently: its key is a hash of the label and the public key, and it covers
    // all bytes before it.
    uint8_t label[9 + 32], key[32], mac[16];
    std::memcpy(label, "tern mac1", 9);
    std::memcpy(label + 9, t.b.public_key, 32);
    crypto_generichash(key, 32, label, sizeof label, nullptr, 0);
    crypto_generichash(mac, 16, reinterpret_cast<const uint8_t *>(i.data()), 112, key, 32);
    EXPECT_EQ(std::memcmp(mac, i.data() + 112, 16), 0);
    crypto_generichash(mac, 16, reinterpret_cast<const uint8_t *>(v.data()), 8, key, 32);
    EXPECT_EQ(std::memcmp(mac, v.data() + 8, 16), 0);
    std::memcpy(label + 9, t.a.public_key, 32);
    crypto_generichash(key, 32, label, sizeof label, nullptr, 0);
    crypto_generichash(mac, 16, reinterpret_cast<const uint8_t *>(r.data()), 68, key, 32);
    EXPECT_EQ(std::memcmp(mac, r.data() + 68, 16), 0);

    const auto prologue = handshake::prologue(session);
    EXPECT_EQ(std::memcmp(prologue.bytes, "tern/1\x88\x77\x66\x55\x44\x33\x22\x11", 14), 0);
}

using Takes = bool (*)(const Talk &, const Bytes &);

// The size leaves out mac2 of an initiation, which only the endpoint checks, with its cookie
// secrets.
void expect_each_bit_counts(const Talk &t, const Bytes &datagram, size_t size, Takes takes)
{
    ASSERT_TRUE(takes(t, datagram));
    for (size_t bit = 0; bit < size * 8; ++bit) {
        Bytes changed = datagram;
        changed[bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
        EXPECT_FALSE(takes(t, changed)) << "bit " << bit % 8 << " of byte " << bit / 8;
    }
}

TEST(Handshake, AnyChangedBitIsRefused)
{
    const Talk t = talk();
    expect_each_bit_counts(t, bytes(t.initiation), 128, takes_initiation);
    expect_each_bit_counts(t, bytes(t.response), sizeof t.response, takes_response);
    expect_each_bit_counts(t, bytes(t.cookie_reply), sizeof t.cookie_reply, takes_cookie_reply);
    expect_each_bit_counts(t, bytes(t.version_refusal), sizeof t.version_refusal,
                           takes_version_refusal);
}

TEST(Handshake, AnyOtherLengthIsMalformed)
{
    const Talk t = talk();
    const std::vector<std::pair<Bytes, Takes>> cases = {
        {bytes(t.initiation), takes_initiation},
        {bytes(t.response), takes_response},
        {bytes(t.cookie_reply), takes_cookie_reply},
        {bytes(t.version_refusal), takes_version_refusal},
    };
    for (const auto &[datagram, takes] : cases)
        for (size_t size = 0; size <= 2048; ++size) {
            Bytes resized = datagram;
            resized.resize(size);
            EXPECT_EQ(takes(t, resized), size == datagram.size()) << size;
        }
}

TEST(Handshake, AnotherVersionIsToldApartFromAForgedOne)
{
    const Talk t = talk();
    Bytes datagram = bytes(t.initiation);
    datagram[1] = std::byte{2};
    EXPECT_EQ(handshake::read_initiation(datagram, t.b_keys).reading, Reading::other_version);
    const auto peeked = handshake::peek_id(datagram);
    ASSERT_TRUE(peeked.ok);
    EXPECT_EQ(handshake::id(peeked.bytes), initiator_id);
    datagram.resize(23); // A refusal has 24 bytes, and must not be larger than the initiation.
    EXPECT_FALSE(handshake::peek_id(datagram).ok);
    // A refusal that names our own version is malformed.
    const auto own = handshake::write_version_refusal(t.initiation.sender_id, t.b_keys);
    EXPECT_EQ(handshake::read_version_refusal(bytes(own), t.b_keys).reading, Reading::malformed);
}

TEST(Handshake, AnotherSecretShowsInTheResponse)
{
    const Talk t = talk();
    NoiseHandshake h = t.noise_a;
    EXPECT_EQ(handshake::read_response(bytes(t.response), t.a_keys).reading, Reading::ok);
    EXPECT_FALSE(handshake::open_response(h, other_secret, t.response, t.offer).ok);
}

TEST(Handshake, AnotherSessionOrKeyShowsInTheInitiation)
{
    const Talk t = talk();
    NoiseHandshake h =
        noise::respond(handshake::prologue(session + 1).bytes, t.b, noise::make_key_pair());
    EXPECT_FALSE(handshake::open_initiation(h, t.initiation).ok);
    EXPECT_EQ(handshake::read_initiation(bytes(t.initiation), t.a_keys).reading, Reading::forged);
}

TEST(Handshake, UnknownOffersAreIgnored)
{
    Talk t = talk();
    t.noise_a = asker(t);
    const Offer wide = {0xffff, 0xffff};
    const auto written = handshake::write_initiation(t.noise_a, initiator_id, wide, t.b_keys);
    NoiseHandshake h = answerer(t);
    const auto opened = handshake::open_initiation(h, written.message);
    ASSERT_TRUE(opened.ok);
    EXPECT_EQ(opened.offer.ciphers, 0xffff);
    EXPECT_EQ(handshake::choose_cipher(opened.offer, 1).cipher, Cipher::chacha20_poly1305);
    EXPECT_FALSE(handshake::choose_cipher({0xfffc, 0}, handshake::ciphers_known).ok);
}

// Each case has the offered ciphers, our own, and the chosen one; -1: none.
TEST(Handshake, TheFastestCipherThatBothHaveIsChosen)
{
    constexpr int chacha = static_cast<int>(Cipher::chacha20_poly1305);
    constexpr int aes = static_cast<int>(Cipher::aes256_gcm);
    constexpr struct {
        uint16_t offered, own;
        int chosen;
    } cases[] = {{1, 1, chacha}, {1, 3, chacha}, {3, 1, chacha},  {3, 3, aes},     {2, 3, aes},
                 {2, 1, -1},     {0, 3, -1},     {0xfffc, 3, -1}, {0xffff, 3, aes}};
    for (const auto &c : cases) {
        const auto chosen = handshake::choose_cipher({c.offered, 0}, c.own);
        EXPECT_EQ(chosen.ok, c.chosen >= 0) << c.offered << " " << c.own;
        if (chosen.ok) {
            EXPECT_EQ(static_cast<int>(chosen.cipher), c.chosen) << c.offered << " " << c.own;
        }
    }
}

TEST(Handshake, AChoiceThatWasNotOfferedIsAFailure)
{
    for (const uint16_t choice : std::vector<uint16_t>{0, 1, 2, 3, 4, 0x8000, 0xffff}) {
        Talk t = talk();
        NoiseHandshake h = answerer(t);
        ASSERT_TRUE(handshake::open_initiation(h, t.initiation).ok);
        const auto written = handshake::write_response(h, secret, {responder_id, initiator_id},
                                                       {choice, 0}, t.a_keys);
        NoiseHandshake copy = t.noise_a;
        const Offer other = {0xfffc, 0};
        EXPECT_FALSE(handshake::open_response(copy, secret, written.message, other).ok) << choice;
        copy = t.noise_a;
        const Offer both = {handshake::ciphers_known, 0};
        const auto any = handshake::open_response(copy, secret, written.message, both);
        EXPECT_EQ(any.ok, choice == 1 || choice == 2) << choice;
        if (choice == 2) {
            EXPECT_EQ(any.cipher, Cipher::aes256_gcm);
        }
        const auto opened = handshake::open_response(t.noise_a, secret, written.message, t.offer);
        EXPECT_EQ(opened.ok, choice == 1) << choice;
    }
}

TEST(Handshake, ACookieIsForOneAddressOneSecretAndOneInitiation)
{
    const Talk t = talk();
    const Address here = {{1, 2, 3}, 4}, other_port = {{1, 2, 3}, 5}, other_ip = {{1, 2, 4}, 4};
    const Address high_port = {{1, 2, 3}, 4 + 256};
    Initiation message = t.initiation;
    EXPECT_FALSE(handshake::has_mac2(message));
    const auto opened = handshake::open_cookie_reply(t.cookie_reply, t.initiation.mac1, t.b_keys);
    ASSERT_TRUE(opened.ok);
    handshake::write_mac2(message, opened.cookie);
    EXPECT_TRUE(handshake::has_mac2(message));
    EXPECT_TRUE(handshake::is_mac2(message, handshake::make_cookie(other_secret, here)));
    EXPECT_FALSE(handshake::is_mac2(message, handshake::make_cookie(secret, here)));
    for (const Address &address : {other_port, other_ip, high_port})
        EXPECT_FALSE(handshake::is_mac2(message, handshake::make_cookie(other_secret, address)));

    const Talk another = talk();
    EXPECT_FALSE(
        handshake::open_cookie_reply(t.cookie_reply, another.initiation.mac1, t.b_keys).ok);
    for (size_t i = 0; i < 128; ++i) {
        Bytes changed = bytes(message);
        changed[i] ^= std::byte{1};
        Initiation read;
        std::memcpy(&read, changed.data(), sizeof read);
        EXPECT_FALSE(handshake::is_mac2(read, opened.cookie)) << i;
    }
}

}
}
