#include "replication/snapshot/bounds.h"
#include "tests/replication/block.h"
#include <gtest/gtest.h>

namespace tern {
namespace {

struct Body {
    float place;
    int32_t health;
};
const Field fields[] = {{"place", FieldKind::float32, offsetof(Body, place), 1, 0, 0, 0, 0.5},
                        {"health", FieldKind::int32, offsetof(Body, health)}};
const Type types[] = {{"body", sizeof(Body), fields, 8}};

// An object whose CREATE one peer has acked.
struct Owner {
    TypeTable table = type_table::make(types);
    Block block = make_block(table);
    ObjectSlot slot = world::add(block.world(), table, object_id::make(PeerId{1}, 1), 0);

    Owner()
    {
        world().slots[slot].owner = PeerId{1};
        publish::began(publisher(), world(), table, slot);
        publish::announced({publisher(), world(), table, 0}, slot, 1);
    }
    World &world() { return block.world(); }
    Publisher &publisher() { return block.publisher(); }
    // Sets the object in a new tick, and writes the update if one is due and `sent`. Returns
    // whether one was due.
    bool tick(Body body, bool sent = true)
    {
        world().tick += 1;
        world::write(world(), table, slot, &body);
        bounds::flush(publisher(), world(), table, PeerId{1});
        const bool due = publish::is_due(publisher(), world(), 0, slot);
        if (!due || !sent) return due;
        encode_cache::begin(block.cache());
        publish::begin(publisher(), world(), table, PeerId{1});
        std::byte buffer[256];
        const size_t size =
            publish::write({publisher(), world(), table, 0}, block.scratch(), world().tick, buffer);
        EXPECT_GT(size, 0u);
        return true;
    }
};

TEST(Bounds, WhatIsNearEnoughIsHeldBack)
{
    Owner o;
    EXPECT_FALSE(o.tick({0.4f, 0}));
    EXPECT_TRUE(o.tick({0.6f, 0}));
    EXPECT_TRUE(bounds::any_suppressed(o.publisher().bounds));
}

TEST(Bounds, WhatGoesOnAsExpectedIsNotTold)
{
    Owner o;
    float place = 0;
    uint32_t carried = 0;
    for (int i = 0; i < 15; ++i)
        carried += o.tick({place += 1, 0}) ? 1 : 0;
    EXPECT_EQ(carried, 1u) << "from rest to one in a tick: the first says it all";
}

TEST(Bounds, AnotherFieldTakesAllWithIt)
{
    Owner o;
    EXPECT_FALSE(o.tick({0.4f, 0}));
    EXPECT_TRUE(o.tick({0.4f, 1}));
    EXPECT_EQ(o.publisher().bounds.flushed[o.slot].newest_tick, o.world().tick);
}

TEST(Bounds, RestIsToldOnceAndThatItRests)
{
    Owner o;
    EXPECT_FALSE(o.tick({0.4f, 0}));
    uint32_t carried = 0;
    for (int i = 0; i < 40; ++i)
        carried += o.tick({0.4f, 0}) ? 1 : 0;
    EXPECT_EQ(carried, 2u);
    EXPECT_FALSE(bounds::any_suppressed(o.publisher().bounds));
}

TEST(Bounds, WhatStopsIsToldAgainWhereItIs)
{
    Owner o;
    for (int i = 1; i <= 4; ++i)
        o.tick({static_cast<float>(i), 0});
    EXPECT_TRUE(o.tick({4, 0})); // The receiver extrapolates to 5.
    EXPECT_TRUE(o.tick({4, 0})) << "what was told last moves on still";
    EXPECT_FALSE(o.tick({4, 0}));
}

TEST(Bounds, WhatIsLostIsToldAsItIsNow)
{
    Owner o;
    EXPECT_TRUE(o.tick({1, 0}));
    const uint32_t sent = o.world().tick;
    EXPECT_FALSE(o.tick({2.1f, 0}));
    publish::on_packet_outcome({o.publisher(), o.world(), o.table, 0}, sent, false);
    EXPECT_TRUE(o.tick({3.1f, 0}));
    EXPECT_EQ(o.publisher().bounds.flushed[o.slot].newest_tick, o.world().tick);
}

TEST(Bounds, AnotherTenureHoldsNothing)
{
    Owner o;
    EXPECT_FALSE(o.tick({0.4f, 0}));
    publish::forget_object(o.publisher(), o.world(), o.slot);
    EXPECT_FALSE(bounds::any_suppressed(o.publisher().bounds));
    EXPECT_EQ(o.publisher().bounds.flushed[o.slot].newest_tick, 0u);
}

}
}
