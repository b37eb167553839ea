// With TERN_STUB_CRYPTO damaged datagrams are still rejected, and sessions reach the same state.
#include "sim/mutants/mutant.h"
#include "tern/diagnostics.hpp"
#include "tern/limits.hpp"
#include "tern/untyped.hpp"
#include "tests/session/sim_world.h"
#include "transport/connection/packet_codec.h"
#include <gtest/gtest.h>

namespace tern {

struct StubCrypto : ::testing::Test {
    void SetUp() override { stub_crypto = true; }
    void TearDown() override { stub_crypto = false; }
};

// A datagram with `size` bytes of content, sealed with the key {1}.
static std::vector<std::byte> stub_sealed(uint64_t number, size_t size)
{
    std::vector<std::byte> datagram(data_header_bytes + size + tag_bytes);
    for (size_t i = 0; i < data_header_bytes + size; ++i)
        datagram[i] = static_cast<std::byte>(i * 7);
    aead::seal(aead::key({1}), number, datagram);
    return datagram;
}

TEST_F(StubCrypto, EveryDamagedBitIsNoticed)
{
    std::byte scratch[datagram_bytes_max];
    for (const size_t size : {0u, 1u, 7u, 8u, 100u}) {
        std::vector<std::byte> datagram = stub_sealed(5, size);
        ASSERT_TRUE(aead::open(aead::key({1}), 5, datagram, scratch));
        for (size_t bit = 0; bit < datagram.size() * 8; ++bit) {
            datagram[bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
            EXPECT_FALSE(aead::open(aead::key({1}), 5, datagram, scratch)) << "bit " << bit;
            datagram[bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
        }
    }
}

TEST_F(StubCrypto, AnotherKeyNumberOrLengthIsNoticed)
{
    std::byte scratch[datagram_bytes_max];
    const std::vector<std::byte> datagram = stub_sealed(5, 100);
    EXPECT_FALSE(aead::open(aead::key({2}), 5, datagram, scratch));
    EXPECT_FALSE(aead::open(aead::key({1}), 6, datagram, scratch));
    EXPECT_FALSE(
        aead::open(aead::key({1}), 5, std::span(datagram).first(datagram.size() - 1), scratch));
}

// The world digest after an object has migrated between three peers, with loss and duplicates.
static uint64_t digest_after_migrations(uint64_t seed)
{
    test::SimWorld world(seed, {20, 80, 0.05f, 0.05f});
    EXPECT_TRUE(world.open(3));
    const test::Body body = {{1, 2, 3}, 50};
    const ObjectId object = create(world.nodes[0].session, test::BODY, body);
    EXPECT_TRUE(world.step_until_converged());
    for (size_t i : {1u, 2u, 0u, 2u}) {
        claim(world.nodes[i].session, object);
        EXPECT_TRUE(world.step_until_converged());
        EXPECT_EQ(object_owner(world.nodes[0].session, object), local_peer(world.nodes[i].session));
    }
    return world_digest(world.nodes[0].session);
}

TEST_F(StubCrypto, ObjectsMigrateAsWithCrypto)
{
    const uint64_t stub = digest_after_migrations(1);
    stub_crypto = false;
    EXPECT_EQ(digest_after_migrations(1), stub);
}

}
