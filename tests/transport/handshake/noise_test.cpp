#include "transport/handshake/noise.h"
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sodium.h>
#include <string>
#include <vector>

namespace tern {
namespace {

using Bytes = std::vector<uint8_t>;
using Block = std::map<std::string, std::string>;

std::vector<Block> read_blocks()
{
    std::ifstream file(TERN_SOURCE_DIR "/tests/vectors/noise_ikpsk2.txt");
    std::vector<Block> blocks;
    Block block;
    for (std::string line; std::getline(file, line);) {
        if (!line.empty() && line[0] == '#') continue;
        const size_t equals = line.find('=');
        if (equals != std::string::npos) block[line.substr(0, equals)] = line.substr(equals + 1);
        if (line.empty() && !block.empty()) {
            blocks.push_back(block);
            block.clear();
        }
    }
    return blocks;
}

Bytes bytes(const Block &block, const std::string &name)
{
    const std::string text = block.count(name) ? block.at(name) : "";
    Bytes result(text.size() / 2);
    size_t size = 0;
    EXPECT_EQ(sodium_hex2bin(result.data(), result.size(), text.data(), text.size(), nullptr, &size,
                             nullptr),
              0);
    EXPECT_EQ(size, result.size()) << name;
    return result;
}

struct Key {
    uint8_t bytes[32];
};

Key key(const Block &block, const std::string &name)
{
    const Bytes all = bytes(block, name);
    Key result = {};
    EXPECT_EQ(all.size(), 32u) << name;
    if (all.size() == 32) std::memcpy(result.bytes, all.data(), 32);
    return result;
}

struct Pair {
    NoiseHandshake initiator, responder;
    Key secret;
};

Pair pair(const Block &block)
{
    const Bytes prologue = bytes(block, "prologue");
    const KeyPair initiator = noise::key_pair(key(block, "init_static").bytes);
    const KeyPair responder = noise::key_pair(key(block, "resp_static").bytes);
    return {noise::initiate(prologue, initiator,
                            noise::key_pair(key(block, "gen_init_ephemeral").bytes),
                            responder.public_key),
            noise::respond(prologue, responder,
                           noise::key_pair(key(block, "gen_resp_ephemeral").bytes)),
            key(block, "preshared_key")};
}

Bytes seal(const uint8_t (&with)[32], uint64_t number, const Bytes &plain)
{
    unsigned char nonce[12] = {};
    for (int i = 0; i < 8; ++i)
        nonce[4 + i] = static_cast<unsigned char>(number >> 8 * i);
    Bytes sealed(plain.size() + 16);
    crypto_aead_chacha20poly1305_ietf_encrypt(sealed.data(), nullptr, plain.data(), plain.size(),
                                              nullptr, 0, nullptr, nonce, with);
    return sealed;
}

class Noise : public ::testing::Test {
    void SetUp() override { ASSERT_GE(sodium_init(), 0); }
};

TEST_F(Noise, PublishedVectorsAreReproducedByteForByte)
{
    const std::vector<Block> blocks = read_blocks();
    ASSERT_EQ(blocks.size(), 2u);
    size_t hashes = 0;
    for (const Block &block : blocks) {
        ASSERT_EQ(block.at("handshake"), "Noise_IKpsk2_25519_ChaChaPoly_SHA256");
        Pair p = pair(block);
        const Bytes payload_0 = bytes(block, "msg_0_payload");
        const Bytes payload_1 = bytes(block, "msg_1_payload");

        Bytes first(noise::first_bytes + payload_0.size());
        ASSERT_TRUE(noise::write_first(p.initiator, payload_0, first));
        EXPECT_EQ(first, bytes(block, "msg_0_ciphertext"));
        Bytes read_0(payload_0.size());
        ASSERT_TRUE(noise::read_first(p.responder, first, read_0));
        EXPECT_EQ(read_0, payload_0);
        const KeyPair initiator = noise::key_pair(key(block, "init_static").bytes);
        EXPECT_EQ(std::memcmp(noise::remote_key(p.responder), initiator.public_key, 32), 0);

        Bytes second(noise::second_bytes + payload_1.size());
        ASSERT_TRUE(noise::write_second(p.responder, p.secret.bytes, payload_1, second));
        EXPECT_EQ(second, bytes(block, "msg_1_ciphertext"));
        Bytes read_1(payload_1.size());
        ASSERT_TRUE(noise::read_second(p.initiator, p.secret.bytes, second, read_1));
        EXPECT_EQ(read_1, payload_1);

        const Bytes hash(noise::handshake_hash(p.initiator),
                         noise::handshake_hash(p.initiator) + 32);
        EXPECT_EQ(std::memcmp(hash.data(), noise::handshake_hash(p.responder), 32), 0);
        if (block.count("handshake_hash")) {
            hashes += 1;
            EXPECT_EQ(hash, bytes(block, "handshake_hash"));
        }
        const DataKeys i = noise::split(p.initiator), r = noise::split(p.responder);
        EXPECT_EQ(std::memcmp(i.send, r.receive, 32), 0);
        EXPECT_EQ(std::memcmp(i.receive, r.send, 32), 0);
        size_t messages = 2;
        for (; block.count("msg_" + std::to_string(messages) + "_payload"); ++messages) {
            const std::string name = "msg_" + std::to_string(messages);
            const DataKeys &sender = messages % 2 == 0 ? i : r;
            EXPECT_EQ(seal(sender.send, messages / 2 - 1, bytes(block, name + "_payload")),
                      bytes(block, name + "_ciphertext"));
        }
        EXPECT_GE(messages, 4u);
    }
    EXPECT_EQ(hashes, 1u);
}

TEST_F(Noise, EachBitOfTheFirstMessageCounts)
{
    const Block block = read_blocks().at(0);
    const Bytes payload = bytes(block, "msg_0_payload");
    const Bytes message = bytes(block, "msg_0_ciphertext");
    for (size_t bit = 0; bit < message.size() * 8; ++bit) {
        Pair p = pair(block);
        Bytes changed = message;
        changed[bit / 8] = static_cast<uint8_t>(changed[bit / 8] ^ 1u << bit % 8);
        Bytes read(payload.size(), 0xee);
        EXPECT_FALSE(noise::read_first(p.responder, changed, read)) << bit;
        EXPECT_EQ(read, Bytes(payload.size(), 0)) << bit;
    }
}

TEST_F(Noise, EachBitOfTheSecondMessageCounts)
{
    const Block block = read_blocks().at(0);
    const Bytes payload_0 = bytes(block, "msg_0_payload"),
                payload_1 = bytes(block, "msg_1_payload");
    Pair p = pair(block);
    Bytes first(noise::first_bytes + payload_0.size());
    ASSERT_TRUE(noise::write_first(p.initiator, payload_0, first));
    const Bytes message = bytes(block, "msg_1_ciphertext");
    for (size_t bit = 0; bit < message.size() * 8; ++bit) {
        NoiseHandshake initiator = p.initiator;
        Bytes changed = message;
        changed[bit / 8] = static_cast<uint8_t>(changed[bit / 8] ^ 1u << bit % 8);
        Bytes read(payload_1.size());
        EXPECT_FALSE(noise::read_second(initiator, p.secret.bytes, changed, read)) << bit;
    }
}

TEST_F(Noise, AnotherSecretPrologueOrKeyEndsTheHandshake)
{
    const Block block = read_blocks().at(0);
    const Bytes prologue = bytes(block, "prologue");
    const KeyPair a = noise::make_key_pair(), b = noise::make_key_pair();
    const KeyPair other = noise::make_key_pair();
    Bytes first(noise::first_bytes), second(noise::second_bytes), none;
    {
        NoiseHandshake i = noise::initiate(prologue, a, noise::make_key_pair(), b.public_key);
        NoiseHandshake r = noise::respond({}, b, noise::make_key_pair());
        ASSERT_TRUE(noise::write_first(i, {}, first));
        EXPECT_FALSE(noise::read_first(r, first, none));
    }
    {
        NoiseHandshake i = noise::initiate(prologue, a, noise::make_key_pair(), b.public_key);
        NoiseHandshake r = noise::respond(prologue, other, noise::make_key_pair());
        ASSERT_TRUE(noise::write_first(i, {}, first));
        EXPECT_FALSE(noise::read_first(r, first, none));
    }
    NoiseHandshake i = noise::initiate(prologue, a, noise::make_key_pair(), b.public_key);
    NoiseHandshake r = noise::respond(prologue, b, noise::make_key_pair());
    ASSERT_TRUE(noise::write_first(i, {}, first));
    ASSERT_TRUE(noise::read_first(r, first, none));
    const Key one = {{1}}, two = {{2}};
    ASSERT_TRUE(noise::write_second(r, one.bytes, {}, second));
    NoiseHandshake copy = i;
    EXPECT_FALSE(noise::read_second(copy, two.bytes, second, none));
    EXPECT_TRUE(noise::read_second(i, one.bytes, second, none));
}

// The canonical encodings of the low-order points of Curve25519 and its twist.
TEST_F(Noise, KeysOfLowOrderAreRefused)
{
    const char *points[] = {
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    };
    const KeyPair own = noise::make_key_pair();
    for (const char *text : points) {
        const Key point = key({{"point", text}}, "point");
        NoiseHandshake i = noise::initiate({}, own, noise::make_key_pair(), point.bytes);
        Bytes first(noise::first_bytes), none;
        EXPECT_FALSE(noise::write_first(i, {}, first)) << text;

        NoiseHandshake r = noise::respond({}, own, noise::make_key_pair());
        std::memcpy(first.data(), point.bytes, 32);
        EXPECT_FALSE(noise::read_first(r, first, none)) << text;
    }
}

TEST_F(Noise, WipingLeavesNothing)
{
    Pair p = pair(read_blocks().at(0));
    noise::wipe(p.initiator);
    const NoiseHandshake empty = {};
    EXPECT_EQ(std::memcmp(&p.initiator, &empty, sizeof empty), 0);
}

}
}
