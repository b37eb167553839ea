#include "replication/world/dead.h"
#include "replication/world/stamp.h"
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <set>
#include <vector>

namespace tern {

struct Memory { // The elements of the flat array follow its head.
    Dead dead = {};
    DeadRange ranges[32] = {};

    explicit Memory(size_t capacity = 32)
    {
        flat::Builder builder = {reinterpret_cast<std::byte *>(this), offsetof(Memory, ranges)};
        flat::place(builder, dead, capacity);
    }
};

static uint64_t id(uint16_t creator, uint32_t serial)
{
    return static_cast<uint64_t>(object_id::make(static_cast<PeerId>(creator), serial));
}

static bool add(Memory &memory, uint64_t first, uint64_t last)
{
    return dead::add(memory.dead, {first, last});
}

TEST(Dead, RangesThatTouchBecomeOne)
{
    Memory memory;
    EXPECT_TRUE(add(memory, id(1, 5), id(1, 5)));
    EXPECT_TRUE(add(memory, id(1, 7), id(1, 9)));
    EXPECT_EQ(memory.dead.count, 2u);
    EXPECT_TRUE(add(memory, id(1, 6), id(1, 6)));
    ASSERT_EQ(memory.dead.count, 1u);
    EXPECT_EQ(memory.dead[0].first, id(1, 5));
    EXPECT_EQ(memory.dead[0].last, id(1, 9));
}

TEST(Dead, RangesOfTwoCreatorsNeverTouch)
{
    Memory memory;
    EXPECT_TRUE(add(memory, id(1, 0xffffffff), id(1, 0xffffffff)));
    EXPECT_TRUE(add(memory, id(2, 0), id(2, 0)));
    EXPECT_EQ(memory.dead.count, 2u);
}

TEST(Dead, ARangeSwallowsWhatItCovers)
{
    Memory memory;
    for (uint32_t serial = 10; serial < 30; serial += 2)
        add(memory, id(3, serial), id(3, serial));
    EXPECT_TRUE(add(memory, id(3, 9), id(3, 40)));
    ASSERT_EQ(memory.dead.count, 1u);
    EXPECT_EQ(memory.dead[0].last, id(3, 40));
    for (size_t i = 1; i < std::size(memory.ranges); ++i) // Unused elements are zero.
        EXPECT_EQ(memory.ranges[i].first | memory.ranges[i].last, 0u);
}

TEST(Dead, WithoutRoomNothingChangesButMergingStillWorks)
{
    Memory memory(2);
    EXPECT_TRUE(add(memory, id(1, 1), id(1, 1)));
    EXPECT_TRUE(add(memory, id(1, 9), id(1, 9)));
    EXPECT_FALSE(add(memory, id(1, 5), id(1, 5)));
    EXPECT_FALSE(dead::contains(memory.dead, static_cast<ObjectId>(id(1, 5))));
    EXPECT_EQ(memory.dead.count, 2u);
    EXPECT_TRUE(add(memory, id(1, 2), id(1, 2)));
    EXPECT_TRUE(add(memory, id(1, 9), id(1, 9)));
    EXPECT_TRUE(add(memory, id(1, 3), id(1, 8)));
    EXPECT_EQ(memory.dead.count, 1u);
}

TEST(Dead, AgreesWithASetOfIds)
{
    EXPECT_TRUE(rc::check([] {
        Memory memory;
        std::set<uint64_t> model;
        const auto steps = *rc::gen::container<std::vector<std::pair<uint16_t, uint16_t>>>(
            rc::gen::pair(rc::gen::inRange<uint16_t>(0, 120), rc::gen::inRange<uint16_t>(0, 6)));
        for (const auto &[place_of_first, length] : steps) {
            // Two creators, with ranges around the border between their ids.
            const uint16_t creator = place_of_first < 60 ? 1 : 2;
            const uint32_t serial =
                creator == 1 ? 0xffffffff - 59 + place_of_first : place_of_first - 60u;
            const uint64_t first = id(creator, serial);
            const uint64_t last = std::min(first + length, id(creator, 0xffffffff));
            const bool added = add(memory, first, last);
            if (added)
                for (uint64_t i = first; i <= last; ++i)
                    model.insert(i);
            RC_ASSERT(added || memory.dead.count == memory.dead.capacity);
            for (uint64_t i = id(1, 0xffffffff - 70); i < id(2, 80); ++i)
                RC_ASSERT(dead::contains(memory.dead, static_cast<ObjectId>(i)) ==
                          (model.count(i) > 0));
            for (uint32_t i = 1; i < memory.dead.count; ++i) {
                const DeadRange &before = memory.dead[i - 1];
                const DeadRange &range = memory.dead[i];
                RC_ASSERT(before.last < range.first);
                RC_ASSERT(before.last + 1 < range.first || before.last >> 32 != range.first >> 32);
            }
        }
    }));
}

}
