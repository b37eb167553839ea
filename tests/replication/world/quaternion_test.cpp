#include "base/random.h"
#include "replication/world/quaternion.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

namespace tern {

using quaternion::Components;
using quaternion::Grid;

static Components rounded(const Components &components, double step)
{
    const Grid grid = quaternion::grid(step);
    return quaternion::decode(quaternion::encode(components, grid), grid);
}

static bool same(const Components &a, const Components &b) // Equal to the bit.
{
    return std::memcmp(&a, &b, sizeof a) == 0;
}

static void expect_identity(const Components &components)
{
    EXPECT_EQ(components.at[0], 0.0f);
    EXPECT_EQ(components.at[1], 0.0f);
    EXPECT_EQ(components.at[2], 0.0f);
    EXPECT_EQ(components.at[3], 1.0f);
}

TEST(Quaternion, WhatIsNoRotationBecomesTheIdentity)
{
    expect_identity(rounded({{0, 0, 0, 0}}, 0.01));
    expect_identity(rounded({{NAN, 0, 0, 1}}, 0.01));
    expect_identity(rounded({{0, INFINITY, 0, 1}}, 0.01));
    expect_identity(rounded({{0, 0, 0, -1}}, 0.01));
    expect_identity(rounded({{0, 0, 0, 5}}, 0.01));
    expect_identity(quaternion::normalise({{NAN, 0, 0, 1}}, quaternion::grid(0.01)));
    expect_identity(quaternion::normalise({{0, 0, 0, 0}}, quaternion::grid(0.01)));
}

TEST(Quaternion, AThousandthTakes35Bits)
{
    EXPECT_EQ(quaternion::bit_count(quaternion::grid(0.001)), 2u + 3 * 11);
    EXPECT_EQ(quaternion::bit_count(quaternion::grid(quaternion::step_min)), 62u);
}

TEST(Quaternion, TheOmittedComponentIsInTheLowestBits)
{
    EXPECT_EQ(quaternion::encode({{0, 0, 0, 1}}, quaternion::grid(0.125)) & 3, 3u);
    EXPECT_EQ(quaternion::encode({{-1, 0, 0, 0}}, quaternion::grid(0.125)) & 3, 0u);
    // 6 steps to either side are 4 bits; a component of 0 has the code 6.
    EXPECT_EQ(quaternion::encode({{0, 0, 0, 1}}, quaternion::grid(0.125)),
              3u | 6u << 2 | 6u << 6 | 6u << 10);
}

static Components random_rotation(Random &random)
{
    Components components{};
    for (float &component : components.at)
        component = static_cast<float>(random::unit(random) * 2 - 1);
    if (random::chance(random, 0.3)) // Rotations with two largest components of nearly equal size.
        components.at[random::below(random, 4)] = components.at[random::below(random, 4)];
    if (random::chance(random, 0.2)) components.at[random::below(random, 4)] = 0;
    return components;
}

TEST(Quaternion, RoundingIsCloseOfLengthOneAndFinal)
{
    Random random = random::from_seed(4);
    for (double step : {2e-6, 1e-4, 1.0 / 511, 0.01, 0.1, 0.125}) {
        const Grid grid = quaternion::grid(step);
        for (int i = 0; i < 50'000; ++i) {
            const Components wanted = random_rotation(random);
            const Components once = rounded(wanted, step);
            const Components twice = rounded(once, step);
            ASSERT_TRUE(same(quaternion::normalise(wanted, grid), once)) << i << " step " << step;
            ASSERT_TRUE(same(quaternion::normalise(once, grid), once)) << i << " step " << step;
            double length = 0;
            double squares = 0;
            double dot = 0;
            for (int k = 0; k < 4; ++k) {
                ASSERT_EQ(once.at[k], twice.at[k]) << i << " step " << step;
                length += static_cast<double>(once.at[k]) * once.at[k];
                squares += static_cast<double>(wanted.at[k]) * wanted.at[k];
                dot += static_cast<double>(once.at[k]) * wanted.at[k];
            }
            ASSERT_NEAR(length, 1, 1e-6);
            if (squares > 1e-6) {
                const double cosine = std::fabs(dot) / std::sqrt(squares);
                ASSERT_GT(cosine, 1 - 3 * step * step - 1e-6) << i << " step " << step;
            }
        }
    }
}

TEST(Quaternion, EveryCodeOfACoarseStepIsFinalOrForeign)
{
    const Grid grid = quaternion::grid(0.125);
    uint64_t own = 0;
    for (uint64_t code = 0; code < uint64_t{1} << quaternion::bit_count(grid); ++code) {
        const Components components = quaternion::decode(code, grid);
        const uint64_t again = quaternion::encode(components, grid);
        Components read;
        ASSERT_EQ(quaternion::decode_own(code, grid, read), again == code) << code;
        ASSERT_TRUE(same(read, components)) << code;
        if (again == code) {
            double length = 0;
            for (float component : components.at)
                length += static_cast<double>(component) * component;
            // Codes whose three components exceed length 1 are not canonical.
            ASSERT_NEAR(length, 1, 1e-6) << code;
            own += 1;
        }
        const Components settled = quaternion::decode(again, grid);
        ASSERT_TRUE(same(quaternion::normalise(components, grid), settled)) << code;
        ASSERT_EQ(quaternion::encode(settled, grid), again) << code;
    }
    EXPECT_GT(own, 1000u);
}

TEST(Quaternion, ACodeIsKnownAsOwnIfItComesBack)
{
    Random random = random::from_seed(5);
    for (double step : {2e-6, 1e-4, 1.0 / 511, 0.01, 0.03, 0.1}) {
        const Grid grid = quaternion::grid(step);
        uint64_t own = 0;
        for (int i = 0; i < 100'000; ++i) {
            uint64_t code = random::below(random, uint64_t{1} << quaternion::bit_count(grid));
            if (i % 2 == 0) code = quaternion::encode(random_rotation(random), grid);
            if (i % 8 == 0)
                code ^= uint64_t{1} << random::below(random, quaternion::bit_count(grid));
            const Components components = quaternion::decode(code, grid);
            const bool comes_back = quaternion::encode(components, grid) == code;
            Components read;
            ASSERT_EQ(quaternion::decode_own(code, grid, read), comes_back) << code << " " << step;
            ASSERT_TRUE(same(read, components)) << code << " step " << step;
            own += comes_back ? 1 : 0;
        }
        EXPECT_GT(own, 30'000u) << step;
        EXPECT_LT(own, 95'000u) << step;
    }
}

}
