#include "tests/transport/connection_pair.h"
#include "transport/aead.h"
#include <gtest/gtest.h>

using namespace tern;
using connection_test::Bytes;

static Bytes sealed(uint64_t number, const Bytes &content)
{
    const uint8_t key[32] = {1, 2, 3};
    Bytes datagram = connection_test::Pair::sealed(key, number, content);
    std::copy(content.begin(), content.end(), datagram.begin() + data_header_bytes);
    aead::seal(key, number, datagram);
    return datagram;
}

TEST(Aead, SealsAsTheWireFormatSays)
{
    const uint8_t key[32] = {1, 2, 3};
    const Bytes content = connection_test::text("a few words");
    for (const uint64_t number : {uint64_t{0}, uint64_t{7}, uint64_t{0x123456789abcdef}})
        EXPECT_EQ(sealed(number, content), connection_test::Pair::sealed(key, number, content));
}

TEST(Aead, OpensWhatWasSealed)
{
    const Bytes content = connection_test::text("a few words");
    const Bytes datagram = sealed(7, content);
    Bytes scratch(datagram_bytes_max);
    ASSERT_TRUE(aead::open({1, 2, 3}, 7, datagram, scratch));
    scratch.resize(aead::content_bytes(datagram.size()));
    EXPECT_EQ(scratch, content);
}

TEST(Aead, AnotherKeyNumberHeaderOrLengthIsForged)
{
    Bytes datagram = sealed(7, connection_test::text("a few words"));
    Bytes scratch(datagram_bytes_max);
    EXPECT_FALSE(aead::open({1, 2, 4}, 7, datagram, scratch));
    EXPECT_FALSE(aead::open({1, 2, 3}, 8, datagram, scratch));
    EXPECT_FALSE(aead::open({1, 2, 3}, 7, std::span(datagram).first(datagram.size() - 1), scratch));
    datagram[3] ^= std::byte{1};
    EXPECT_FALSE(aead::open({1, 2, 3}, 7, datagram, scratch));
}
