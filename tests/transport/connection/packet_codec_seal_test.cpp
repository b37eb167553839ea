#include "tern/limits.hpp"
#include "tests/transport/connection/connection_pair.h"
#include "transport/connection/packet_codec.h"
#include <gtest/gtest.h>

using namespace tern;
using connection_test::Bytes;

static Bytes sealed(uint64_t number, const Bytes &content)
{
    const uint8_t key[32] = {1, 2, 3};
    Bytes datagram = connection_test::Pair::sealed(key, number, content);
    std::copy(content.begin(), content.end(), datagram.begin() + data_header_bytes);
    aead::seal(aead::key(key), number, datagram);
    return datagram;
}

TEST(Aead, SealsAsTheWireFormatSays)
{
    const uint8_t key[32] = {1, 2, 3};
    const Bytes content = connection_test::text("a few words");
    for (const uint64_t number : {uint64_t{0}, uint64_t{7}, packets_per_key - 1})
        EXPECT_EQ(sealed(number, content), connection_test::Pair::sealed(key, number, content));
}

TEST(Aead, OpensWhatWasSealed)
{
    const Bytes content = connection_test::text("a few words");
    const Bytes datagram = sealed(7, content);
    Bytes scratch(datagram_bytes_max);
    ASSERT_TRUE(aead::open(aead::key({1, 2, 3}), 7, datagram, scratch));
    scratch.resize(aead::content_bytes(datagram.size()));
    EXPECT_EQ(scratch, content);
}

TEST(Aead, AnotherKeyNumberHeaderOrLengthIsForged)
{
    Bytes datagram = sealed(7, connection_test::text("a few words"));
    Bytes scratch(datagram_bytes_max);
    EXPECT_FALSE(aead::open(aead::key({1, 2, 4}), 7, datagram, scratch));
    EXPECT_FALSE(aead::open(aead::key({1, 2, 3}), 8, datagram, scratch));
    EXPECT_FALSE(aead::open(aead::key({1, 2, 3}), 7, std::span(datagram).first(datagram.size() - 1),
                            scratch));
    datagram[3] ^= std::byte{1};
    EXPECT_FALSE(aead::open(aead::key({1, 2, 3}), 7, datagram, scratch));
}

// --- An independent implementation from docs/wire_format.md ---

static Bytes epoch_key(const uint8_t (&first)[32], uint64_t epoch)
{
    Bytes key(32);
    auto *to = reinterpret_cast<unsigned char *>(key.data());
    std::memcpy(to, first, 32);
    unsigned char text[16] = {'t', 'e', 'r', 'n', ' ', 'k', 'e', 'y'};
    for (size_t i = 0; i < 8; i += 1)
        text[8 + i] = static_cast<unsigned char>(epoch >> 8 * i);
    if (epoch > 0) crypto_generichash(to, 32, text, sizeof text, first, 32);
    return key;
}

static Bytes sealed_by_hand(Cipher cipher, uint64_t number, const Bytes &content)
{
    const uint8_t first[32] = {1, 2, 3};
    const Bytes key = epoch_key(first, number >> 26);
    uint8_t bytes[32];
    std::memcpy(bytes, key.data(), 32);
    Bytes datagram = connection_test::Pair::sealed(bytes, number, content);
    if (cipher == Cipher::chacha20_poly1305) return datagram;
    unsigned char nonce[12] = {};
    for (size_t i = 0; i < 8; i += 1)
        nonce[4 + i] = static_cast<unsigned char>(number >> 8 * i);
    auto *at = reinterpret_cast<unsigned char *>(datagram.data());
    crypto_aead_aes256gcm_encrypt(at + 9, nullptr,
                                  reinterpret_cast<const unsigned char *>(content.data()),
                                  content.size(), at, 9, nullptr, nonce, bytes);
    return datagram;
}

struct AeadOf : testing::TestWithParam<Cipher> {
    void SetUp() override
    {
        ASSERT_GE(sodium_init(), 0);
        if (GetParam() == Cipher::aes256_gcm && !aead::has_aes256_gcm())
            GTEST_SKIP() << "no AES in hardware";
    }
    AeadKey key() const { return aead::key({1, 2, 3}, GetParam()); }
    Bytes seal(const AeadKey &with, uint64_t number, const Bytes &content) const
    {
        Bytes datagram = sealed_by_hand(GetParam(), number, content);
        std::copy(content.begin(), content.end(), datagram.begin() + data_header_bytes);
        aead::seal(with, number, datagram);
        return datagram;
    }
};

TEST_P(AeadOf, TheKeyChangesWithTheNumberAsTheWireFormatSays)
{
    const Bytes content = connection_test::text("a few words");
    AeadKey reached = key();
    for (const uint64_t number :
         {uint64_t{0}, packets_per_key - 1, packets_per_key, 3 * packets_per_key + 5,
          packet_number_max - 1, packets_per_key - 2, uint64_t{1}}) {
        const Bytes expected = sealed_by_hand(GetParam(), number, content);
        EXPECT_EQ(seal(key(), number, content), expected) << number;
        aead::reach(reached, number);
        EXPECT_EQ(seal(reached, number, content), expected) << number;
        Bytes scratch(datagram_bytes_max);
        for (const AeadKey &opener : {key(), reached}) {
            ASSERT_TRUE(aead::open(opener, number, expected, scratch)) << number;
            EXPECT_TRUE(std::equal(content.begin(), content.end(), scratch.begin()));
        }
    }
}

TEST_P(AeadOf, AnyChangedBitIsForged)
{
    const Bytes good = sealed_by_hand(GetParam(), 7, connection_test::text("a few words"));
    Bytes scratch(datagram_bytes_max);
    for (size_t bit = 0; bit < good.size() * 8; bit += 1) {
        Bytes changed = good;
        changed[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
        EXPECT_FALSE(aead::open(key(), 7, changed, scratch)) << bit;
    }
    EXPECT_FALSE(aead::open(key(), 7 + packets_per_key, good, scratch));
    EXPECT_FALSE(aead::open(aead::key({1, 2, 4}, GetParam()), 7, good, scratch));
}

INSTANTIATE_TEST_SUITE_P(BothCiphers, AeadOf,
                         testing::Values(Cipher::chacha20_poly1305, Cipher::aes256_gcm));

TEST(Aead, TheCiphersDoNotOpenEachOther)
{
    ASSERT_GE(sodium_init(), 0);
    if (!aead::has_aes256_gcm()) GTEST_SKIP() << "no AES in hardware";
    const Bytes content = connection_test::text("a few words");
    Bytes scratch(datagram_bytes_max);
    for (const Cipher cipher : {Cipher::chacha20_poly1305, Cipher::aes256_gcm})
        for (const Cipher other : {Cipher::chacha20_poly1305, Cipher::aes256_gcm})
            EXPECT_EQ(aead::open(aead::key({1, 2, 3}, other), 7, sealed_by_hand(cipher, 7, content),
                                 scratch),
                      cipher == other);
}
