#include "transport/handshake/entropy.h"
#include <cstring>
#include <gtest/gtest.h>
#include <sodium.h>

namespace tern {
namespace {

struct Drawn {
    uint8_t bytes[32];
    friend bool operator==(const Drawn &, const Drawn &) = default;
};

Drawn draw(EntropySource &entropy)
{
    Drawn drawn = {};
    entropy::fill(entropy, drawn.bytes);
    return drawn;
}

TEST(EntropySource, OfASeedIsTheSameEverywhere)
{
    ASSERT_GE(sodium_init(), 0);
    const uint8_t seed[32] = {};
    EntropySource entropy = entropy::from_seed(seed);
    // The ChaCha20 key stream of an all-zero key and nonce: RFC 7539, appendix A.1, vector 1.
    const uint8_t begin[8] = {0x76, 0xb8, 0xe0, 0xad, 0xa0, 0xf1, 0x3d, 0x90};
    EXPECT_EQ(std::memcmp(draw(entropy).bytes, begin, sizeof begin), 0);
    EntropySource again = entropy::from_seed(seed);
    draw(again);
    EXPECT_EQ(draw(entropy), draw(again));
    EXPECT_EQ(entropy::number(entropy), entropy::number(again));
}

TEST(EntropySource, OnlyTheSystemsSourceIsNotRepeatable)
{
    ASSERT_GE(sodium_init(), 0);
    const uint8_t seed[32] = {};
    EXPECT_FALSE(entropy::is_repeatable({}));
    EXPECT_TRUE(entropy::is_repeatable(entropy::from_seed(seed)));
    static const auto name = [] { return "of a test"; };
    static const auto word = [] { return uint32_t{7}; };
    randombytes_implementation given = {name, word, nullptr, nullptr, nullptr, nullptr};
    randombytes_set_implementation(&given);
    EXPECT_TRUE(entropy::is_repeatable({}));
    randombytes_set_implementation(&randombytes_sysrandom_implementation);
    EXPECT_FALSE(entropy::is_repeatable({}));
}

TEST(EntropySource, NeverRepeatsADraw)
{
    ASSERT_GE(sodium_init(), 0);
    const uint8_t one[32] = {1}, two[32] = {2};
    EntropySource a = entropy::from_seed(one), b = entropy::from_seed(two), source = {};
    const Drawn drawn[] = {draw(a), draw(a), draw(b), draw(b), draw(source), draw(source)};
    for (size_t i = 0; i < std::size(drawn); ++i)
        for (size_t k = 0; k < i; ++k)
            EXPECT_FALSE(drawn[i] == drawn[k]) << i << " " << k;
}

}
}
