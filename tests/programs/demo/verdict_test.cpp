#include "programs/demo/verdict.h"
#include <gtest/gtest.h>

namespace demo {
namespace {

Known cube(uint64_t id, float x, uint64_t stamp = 0, uint16_t owner = 1)
{
    return verdict::describe(ObjectId{id}, stamp, PeerId{owner}, Cube{{x, 0}, {0, 0}, 0, {}});
}

bool contains(const std::string &text, const char *part)
{
    return text.find(part) != std::string::npos;
}

TEST(Verdict, EqualWorldsConverge)
{
    const std::vector<Known> cubes = {cube(1, 1), cube(2, 2)};
    EXPECT_TRUE(verdict::converged({{PeerId{1}, 5, cubes}, {PeerId{3}, 5, cubes}}));
    EXPECT_EQ("", verdict::differences({{PeerId{1}, 5, cubes}, {PeerId{3}, 5, cubes}}));
}

TEST(Verdict, NobodyAtAllDoesNotConverge)
{
    EXPECT_FALSE(verdict::converged({}));
}

TEST(Verdict, AnotherDigestAloneIsADifference)
{
    const std::vector<Known> cubes = {cube(1, 1)};
    const std::vector<Testimony> all = {{PeerId{1}, 5, cubes}, {PeerId{2}, 6, cubes}};
    EXPECT_FALSE(verdict::converged(all));
    EXPECT_TRUE(contains(verdict::differences(all), "the digests do not"));
}

TEST(Verdict, AFieldThatDiffersIsListedPerVersionWithThePeersThatHaveIt)
{
    const std::vector<Testimony> all = {{PeerId{1}, 5, {cube(1, 1), cube(7, 2.5f)}},
                                        {PeerId{3}, 6, {cube(1, 1), cube(7, 3.5f)}},
                                        {PeerId{4}, 5, {cube(1, 1), cube(7, 2.5f)}}};
    EXPECT_FALSE(verdict::converged(all));
    EXPECT_EQ("  object 7 at peer 1,4: cube stamp=0 owner=1 position=2.5,0 velocity=0,0 bumps=0 "
              "pusher=0\n"
              "  object 7 at peer 3: cube stamp=0 owner=1 position=3.5,0 velocity=0,0 bumps=0 "
              "pusher=0\n",
              verdict::differences(all));
}

TEST(Verdict, StampOwnerAndAbsenceAreDifferences)
{
    const std::vector<Testimony> stamps = {{PeerId{1}, 5, {cube(1, 1, 0x10)}},
                                           {PeerId{2}, 5, {cube(1, 1, 0x11)}}};
    EXPECT_FALSE(verdict::converged(stamps));
    EXPECT_TRUE(contains(verdict::differences(stamps), "peer 2: cube stamp=11"));
    const std::vector<Testimony> owners = {{PeerId{1}, 5, {cube(1, 1, 0, 1)}},
                                           {PeerId{2}, 5, {cube(1, 1, 0, 2)}}};
    EXPECT_FALSE(verdict::converged(owners));
    EXPECT_TRUE(contains(verdict::differences(owners), "peer 2: cube stamp=0 owner=2"));
    const std::vector<Testimony> absent = {{PeerId{1}, 5, {cube(1, 1)}}, {PeerId{2}, 5, {}}};
    EXPECT_FALSE(verdict::converged(absent));
    EXPECT_TRUE(contains(verdict::differences(absent), "object 1 at peer 2: not there"));
}

TEST(Verdict, OnlyTheFirstDifferencesAreListed)
{
    Testimony full = {PeerId{1}, 5, {}};
    for (uint64_t id = 1; id <= verdict::differences_max + 3; ++id)
        full.cubes.push_back(cube(id, 1));
    const std::string text = verdict::differences({full, {PeerId{2}, 6, {}}});
    EXPECT_TRUE(contains(text, "and 3 more objects"));
}

}
}
