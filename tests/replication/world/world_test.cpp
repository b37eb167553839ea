#include "base/random.h"
#include "replication/world/world.h"
#include "tests/replication/block.h"
#include <gtest/gtest.h>
#include <map>

namespace tern {

struct Cube {
    uint32_t colour;
    float x;
};

struct Door {
    bool open;
};

static const Field cube_fields[] = {{"colour", FieldKind::uint32, offsetof(Cube, colour)},
                                    {"x", FieldKind::float32, offsetof(Cube, x), 1, -10, 10, 0.5}};
static const Field door_fields[] = {{"open", FieldKind::boolean, offsetof(Door, open)}};
static const Type types[] = {{"Cube", sizeof(Cube), cube_fields, 20},
                             {"Call", sizeof(Door), door_fields},
                             {"Door", sizeof(Door), door_fields, 4}};
static const TypeTable table = type_table::make(types);

static ObjectId id(uint32_t serial)
{
    return object_id::make(PeerId{3}, serial);
}

static ObjectSlot add_cube(Block &block, uint32_t serial, uint32_t colour)
{
    const ObjectSlot slot = world::add(block.world(), table, id(serial), 0);
    const Cube cube = {colour, 0};
    world::write(block.world(), table, slot, &cube);
    return slot;
}

static uint32_t colour(const Block &block, ObjectSlot slot)
{
    return static_cast<const Cube *>(world::value(block.world(), table, slot))->colour;
}

TEST(World, ACopyOfTheBlockIsTheSameWorld)
{
    Block block = make_block(table);
    const ObjectSlot slot = add_cube(block, 1, 77);
    Block copy = block;
    world::check(copy.world());
    EXPECT_EQ(world::find_alive(copy.world(), id(1)), slot);
    EXPECT_EQ(colour(copy, slot), 77u);
    EXPECT_EQ(world::digest(copy.world(), table), world::digest(block.world(), table));
    add_cube(copy, 2, 5);
    EXPECT_EQ(world::find(block.world(), id(2)), no_slot);
}

TEST(World, WriteRoundsAndStampsWhatChanged)
{
    Block block = make_block(table);
    const ObjectSlot slot = add_cube(block, 1, 77);
    World &world = block.world();
    world.tick = 9;
    const Cube moved = {77, 1.3f};
    EXPECT_EQ(world::write(world, table, slot, &moved), 2u);
    EXPECT_EQ(static_cast<Cube *>(world::value(world, table, slot))->x, 1.5f);
    EXPECT_EQ(world::field_tick(world, slot, 0), 1u);
    EXPECT_EQ(world::field_tick(world, slot, 1), 9u);
    EXPECT_EQ(world::changed_tick(world, table, slot), 9u);
    EXPECT_EQ(world.slots[slot].tick, 9u);
    world.tick = 10; // Rounds to the value that is already there.
    EXPECT_EQ(world::write(world, table, slot, &moved), 0u);
    EXPECT_EQ(world.slots[slot].tick, 9u);
}

TEST(World, AMarkedObjectStaysInItsPlaceUntilTheSweep)
{
    Block block = make_block(table);
    World &world = block.world();
    const ObjectSlot first = add_cube(block, 1, 11);
    const ObjectSlot second = add_cube(block, 2, 22);
    world::destroy_in_place(world, first);
    world::check(world);
    EXPECT_EQ(world.packed[0].count, 2u);
    EXPECT_EQ(world.ids[world.packed[0].first], id(1));
    EXPECT_EQ(world::find_alive(world, id(1)), no_slot);
    EXPECT_EQ(world::find(world, id(1)), first);
    EXPECT_TRUE(dead::contains(world.dead, id(1)));
    EXPECT_EQ(colour(block, first), 11u);
    world::sweep(world, table);
    world::check(world);
    EXPECT_EQ(world::find(world, id(1)), no_slot);
    EXPECT_EQ(world.packed[0].count, 1u);
    EXPECT_EQ(world.ids[world.packed[0].first], id(2));
    EXPECT_EQ(colour(block, second), 22u);
}

TEST(World, ABuriedObjectLiesBehindTheLivingAndNewOnesGoBetween)
{
    Block block = make_block(table);
    World &world = block.world();
    const ObjectSlot first = add_cube(block, 1, 11);
    const ObjectSlot second = add_cube(block, 2, 22);
    const ObjectSlot third = add_cube(block, 3, 33);
    world::destroy_and_move(world, table, first);
    world::destroy_and_move(world, table, second);
    const ObjectSlot fourth = add_cube(block, 4, 44);
    world::check(world);
    EXPECT_EQ(world.packed[0].count, 2u);
    EXPECT_EQ(colour(block, first), 11u);
    EXPECT_EQ(colour(block, second), 22u);
    EXPECT_EQ(colour(block, third), 33u);
    EXPECT_EQ(colour(block, fourth), 44u);
    world::sweep(world, table);
    world::check(world);
    EXPECT_EQ(colour(block, third), 33u);
    EXPECT_EQ(colour(block, fourth), 44u);
}

TEST(World, WhatLiesNearIsFoundAsWellAsWhatDoesNot)
{
    Block block = make_block(table);
    World &world = block.world();
    for (const uint32_t serial : {1u, 2u, 3u, 7u, 8u, 5u})
        add_cube(block, serial, serial);
    const ObjectSlot slots = world.slots.count;
    for (ObjectSlot from = 0; from <= slots; ++from)
        for (uint32_t serial = 0; serial < 12; ++serial)
            EXPECT_EQ(world::find_near(world, from < slots ? from : no_slot, id(serial)),
                      world::find(world, id(serial)))
                << "from " << from << " to " << serial;
    for (const ObjectId none : {ObjectId::none, object_id::make(PeerId{4}, 2)})
        for (ObjectSlot from = 0; from < slots; ++from)
            EXPECT_EQ(world::find_near(world, from, none), no_slot);
}

TEST(World, WithoutRoomForTheDeadTheGapsOfOneCreatorClose)
{
    Block block = make_block(table, {1, 16, 64, 7});
    World &world = block.world();
    const auto bury = [&](uint16_t creator, uint32_t serial) {
        const auto id =
            static_cast<uint64_t>(object_id::make(static_cast<PeerId>(creator), serial));
        world::add_tombstones(world, {id, id});
    };
    add_cube(block, 6, 11); // Creator 3 keeps it alive between 5 and 7.
    for (const uint32_t serial : {1u, 3u, 5u, 7u})
        bury(3, serial);
    for (const uint32_t serial : {1u, 3u, 5u})
        bury(2, serial);
    ASSERT_TRUE(flat::full(world.dead));
    bury(4, 9); // Creator 3 has as many gaps as 2, without the one in which 6 lives.
    const auto range = [&](uint16_t creator, uint32_t first, uint32_t last) {
        return std::pair(static_cast<uint64_t>(object_id::make(PeerId{creator}, first)),
                         static_cast<uint64_t>(object_id::make(PeerId{creator}, last)));
    };
    std::vector<std::pair<uint64_t, uint64_t>> ranges;
    for (const DeadRange &each : world.dead.all())
        ranges.emplace_back(each.first, each.last);
    EXPECT_EQ(ranges, (std::vector{range(2, 1, 5), range(3, 1, 1), range(3, 3, 3), range(3, 5, 5),
                                   range(3, 7, 7), range(4, 9, 9)}));
    EXPECT_NE(world::find_alive(world, id(6)), no_slot);
    world::check(world);
    bury(4, 11);
    bury(5, 1); // Now creator 3 has the most gaps. Nothing lives in two of them.
    ranges.clear();
    for (const DeadRange &each : world.dead.all())
        ranges.emplace_back(each.first, each.last);
    EXPECT_EQ(ranges, (std::vector{range(2, 1, 5), range(3, 1, 5), range(3, 7, 7), range(4, 9, 9),
                                   range(4, 11, 11), range(5, 1, 1)}));
}

TEST(World, TheDigestDoesNotDependOnWhereObjectsLie)
{
    Block a = make_block(table);
    Block b = make_block(table);
    for (uint32_t serial = 1; serial <= 9; ++serial)
        add_cube(a, serial, serial * 5);
    for (uint32_t serial = 9; serial > 0; --serial)
        add_cube(b, serial, serial * 5);
    world::destroy_in_place(a.world(), world::find(a.world(), id(4)));
    world::destroy_and_move(b.world(), table, world::find(b.world(), id(4)));
    EXPECT_EQ(world::digest(a.world(), table), world::digest(b.world(), table));
    const ObjectSlot slot = world::find(b.world(), id(7));
    for (int what = 0; what < 4; ++what) {
        Block changed = b;
        KnownObject &object = changed.world().slots[slot];
        const Cube other = {1, 1};
        if (what == 0) object.stamp += 1;
        if (what == 1) object.owner = PeerId{8};
        if (what == 2) world::write(changed.world(), table, slot, &other);
        if (what == 3) world::destroy_in_place(changed.world(), slot);
        EXPECT_NE(world::digest(a.world(), table), world::digest(changed.world(), table)) << what;
    }
}

struct Ship {
    float turn[4];
    int16_t cell[3];
    uint64_t score;
    char name[5];
};

// The value was found on a little-endian machine.
TEST(World, TheDigestIsThatOfMachinesOfEitherByteOrder)
{
    const Field fields[] = {{"turn", FieldKind::quaternion, offsetof(Ship, turn)},
                            {"cell", FieldKind::int16, offsetof(Ship, cell), 3},
                            {"score", FieldKind::uint64, offsetof(Ship, score)},
                            {"name", FieldKind::text, offsetof(Ship, name), 5}};
    const Type ships[] = {{"ship", sizeof(Ship), fields, 4}};
    const TypeTable ship_table = type_table::make(ships);
    Block block = make_block(ship_table);
    const ObjectSlot slot = world::add(block.world(), ship_table, id(1), 0);
    const Ship ship = {{0.5f, -0.5f, 0.5f, 0.5f}, {1, -2, 300}, 0x0123456789abcdef, "tern"};
    world::write(block.world(), ship_table, slot, &ship);
    EXPECT_EQ(world::digest(block.world(), ship_table), 0x4cd2a0b37811e30du);
}

TEST(World, WhatIsFreedIsZero)
{
    Block block = make_block(table);
    World &world = block.world();
    for (uint32_t serial = 1; serial <= 20; ++serial)
        add_cube(block, serial, 0xffffffff);
    for (uint32_t serial = 1; serial <= 20; ++serial) {
        const ObjectSlot slot = world::find(world, id(serial));
        if (serial % 2 == 0)
            world::destroy_in_place(world, slot);
        else
            world::destroy_and_move(world, table, slot);
    }
    world::sweep(world, table);
    world::check(world);
    for (std::byte b : world.values.all())
        ASSERT_EQ(b, std::byte{0});
    for (uint32_t tick : world.field_ticks.all())
        ASSERT_EQ(tick, 0u);
    for (ObjectSlot entry : world.lookup.all())
        ASSERT_EQ(entry, 0u);
    for (const KnownObject &object : world.slots.all())
        ASSERT_EQ(object.life, Life::none);
}

// --- Comparison with a std::map ---

struct Model {
    std::map<ObjectId, uint32_t> alive;
    std::map<ObjectId, uint32_t> dead; // Objects destroyed in this tick.
};

static void play(Block &block, Model &model, Random &random, uint32_t &serial)
{
    World &world = block.world();
    const uint64_t what = random::below(random, 10);
    if (what < 4) {
        const TypeId type = random::chance(random, 0.2) ? 2 : 0;
        if (!world::room(world, type)) return;
        serial += static_cast<uint32_t>(1 + random::below(random, 3));
        const ObjectSlot slot = world::add(world, table, id(serial), type);
        model.alive[id(serial)] = 0;
        if (type != 0) return;
        const auto colour = static_cast<uint32_t>(random::next(random));
        const Cube cube = {colour, 0};
        world::write(world, table, slot, &cube);
        model.alive[id(serial)] = colour;
    } else if (what < 9 && !model.alive.empty()) {
        auto one = model.alive.begin();
        std::advance(one, static_cast<ptrdiff_t>(random::below(random, model.alive.size())));
        const ObjectSlot slot = world::find_alive(world, one->first);
        ASSERT_NE(slot, no_slot);
        if (what < 6)
            world::destroy_in_place(world, slot);
        else
            world::destroy_and_move(world, table, slot);
        model.dead.insert(*one);
        model.alive.erase(one);
    } else {
        world::sweep(world, table);
        model.dead.clear();
    }
}

static void expect_same(const Block &block, const Model &model)
{
    const World &world = block.world();
    world::check(world);
    ASSERT_EQ(world.alive, model.alive.size());
    for (const auto *part : {&model.alive, &model.dead}) {
        for (const auto &[object, colour_wanted] : *part) {
            const ObjectSlot slot = world::find(world, object);
            ASSERT_NE(slot, no_slot);
            ASSERT_EQ(world::find_alive(world, object) == slot, part == &model.alive);
            ASSERT_EQ(dead::contains(world.dead, object), part == &model.dead);
            if (world.slots[slot].type == 0) {
                ASSERT_EQ(colour(block, slot), colour_wanted);
            }
        }
    }
    uint32_t used = 0;
    for (const Packed &packed : world.packed)
        used += packed.count + packed.dying;
    ASSERT_EQ(used, model.alive.size() + model.dead.size());
}

TEST(World, AgreesWithAMapThroughRandomLives)
{
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        SCOPED_TRACE(seed);
        Random random = random::from_seed(seed);
        Block block = make_block(table, {1, 16, 64, 2000});
        Model model;
        uint32_t serial = 0;
        for (int step = 0; step < 400; ++step) {
            play(block, model, random, serial);
            expect_same(block, model);
            if (::testing::Test::HasFatalFailure()) return;
        }
    }
}

TEST(WorldDeathTest, NoIdIsAddedTwice)
{
    Block block = make_block(table);
    add_cube(block, 1, 11);
    EXPECT_DEATH(add_cube(block, 1, 11), "object 300000001 is there");
}

}
