#include "replication/update/publish.h"
#include "replication/update/update_codec.h"
#include "tern/limits.hpp"
#include "tests/replication/block.h"
#include "tests/replication/update_room.h"
#include <gtest/gtest.h>
#include <map>
#include <set>

namespace tern {

struct Cube {
    uint16_t x, y;
    uint8_t load[100];
};

static const Field cube_fields[] = {{"x", FieldKind::uint16, offsetof(Cube, x)},
                                    {"y", FieldKind::uint16, offsetof(Cube, y)},
                                    {"load", FieldKind::bytes, offsetof(Cube, load), 100}};
static const Type types[] = {{"Cube", sizeof(Cube), cube_fields, 200}};
static const TypeTable table = type_table::make(types);
static const PeerId owner = PeerId{1};

static ObjectId id(uint32_t serial)
{
    return object_id::make(owner, serial);
}

struct Publish : ::testing::Test {
    Block block = make_block(table, {2, 4, 40, 64});
    Block there = make_block(table, {2, 4, 40, 64});
    World &world = block.world();
    Publisher &publisher = block.publisher();
    std::byte buffer[1200];
    uint32_t coded_tick = 0;

    // Adds an object to both sides, with its announcement acked by both peers.
    ObjectSlot add(uint32_t serial)
    {
        for (Block *side : {&there, &block}) {
            const ObjectSlot added = world::add(side->world(), table, id(serial), 0);
            side->world().slots[added].owner = owner;
            side->world().slots[added].tick = world.tick;
        }
        const ObjectSlot slot = world::find(world, id(serial));
        publish::announced({publisher, world, table, 0}, slot, world.tick);
        publish::announced({publisher, world, table, 1}, slot, world.tick);
        return slot;
    }

    // Adds the objects 1 to `count`.
    void add_all(uint32_t count)
    {
        for (uint32_t serial = 1; serial <= count; ++serial)
            add(serial);
    }

    // Adds the object 1, and sets its x to 7 in the tick `at`.
    ObjectSlot add_changed(uint32_t at = 2)
    {
        const ObjectSlot slot = add(1);
        world.tick = at;
        set(slot, {7, 0, {}});
        return slot;
    }

    void set_all(uint32_t count, const Cube &cube)
    {
        for (uint32_t serial = 1; serial <= count; ++serial)
            set(world::find(world, id(serial)), cube);
    }

    void set(ObjectSlot slot, Cube cube) { world::write(world, table, slot, &cube); }

    std::span<const std::byte> write(uint64_t packet, uint32_t peer = 0, size_t size = 1200)
    {
        if (coded_tick != world.tick) encode_cache::begin(block.cache());
        publish::begin(publisher, world, table, owner);
        coded_tick = world.tick;
        return {buffer, publish::write({publisher, world, table, peer}, block.scratch(), packet,
                                       {buffer, size})};
    }

    std::vector<std::byte> copy_of_written(uint64_t packet)
    {
        const std::span<const std::byte> message = write(packet);
        return {message.begin(), message.end()};
    }

    void on_packet_outcome(uint64_t packet, bool arrived, uint32_t peer = 0)
    {
        publish::on_packet_outcome({publisher, world, table, peer}, packet, arrived);
    }

    bool due(uint32_t peer = 0) const { return publish::has_due(publisher, world, peer); }

    AppliedUpdate apply(std::span<const std::byte> message, PeerId from = owner)
    {
        UpdateReader r = publish::reader(table, PeerId::none, message);
        Update update;
        std::byte values[struct_bytes_max];
        AppliedUpdate applied = {};
        while (publish::next(r, update, values))
            applied = publish::apply(there.world(), table, from,
                                     world::find(there.world(), update.object), update);
        EXPECT_FALSE(publish::malformed(r));
        return applied;
    }

    Cube value_there(uint32_t serial)
    {
        return *static_cast<const Cube *>(
            world::value(there.world(), table, world::find(there.world(), id(serial))));
    }

    std::set<ObjectId> objects(std::span<const std::byte> message)
    {
        UpdateReader r = publish::reader(table, PeerId::none, message);
        Update update;
        std::byte values[struct_bytes_max];
        std::set<ObjectId> result;
        while (publish::next(r, update, values))
            result.insert(update.object);
        return result;
    }
};

TEST_F(Publish, NothingIsDueInAnIdleWorld)
{
    add(1);
    EXPECT_FALSE(due());
    EXPECT_TRUE(write(1).empty());
}

TEST_F(Publish, AChangeGoesToEachPeerOnce)
{
    add_changed();
    EXPECT_TRUE(due(0));
    EXPECT_TRUE(due(1));
    const AppliedUpdate applied = apply(write(1));
    EXPECT_EQ(applied.result, Applied::changed);
    EXPECT_EQ(applied.changed_fields, 1u);
    EXPECT_EQ(value_there(1).x, 7);
    EXPECT_FALSE(due(0));
    EXPECT_TRUE(due(1));
    world.tick = 3;
    EXPECT_TRUE(write(2).empty());
}

TEST_F(Publish, WhatIsCodedForOnePeerIsCopiedForAnotherOnlyIfItNeedsTheSame)
{
    const auto fields_of = [](std::span<const std::byte> message) {
        UpdateReader r = publish::reader(table, PeerId::none, message);
        Update update = {};
        std::byte values[struct_bytes_max];
        return publish::next(r, update, values) ? update.mask : 0;
    };
    const ObjectSlot slot = add_changed();
    const std::vector<std::byte> to_one = copy_of_written(1);
    const std::span<const std::byte> to_other = write(1, 1);
    EXPECT_TRUE(std::equal(to_one.begin(), to_one.end(), to_other.begin(), to_other.end()));
    on_packet_outcome(1, true, 0);
    world.tick = 3;
    set(slot, {7, 9, {}});
    EXPECT_EQ(fields_of(write(2, 0)), 2u); // Only y.
    EXPECT_EQ(fields_of(write(2, 1)), 3u); // x as well, which this peer has not acked.
    on_packet_outcome(2, true, 0);
    on_packet_outcome(2, true, 1);
    world.tick = 4;
    set(slot, {8, 9, {}});
    apply(write(3, 0));
    EXPECT_EQ(value_there(1).x, 8);
    world.tick = 5;
    set(slot, {9, 9, {}}); // Another value for x.
    apply(write(4, 0));
    EXPECT_EQ(value_there(1).x, 9);
}

TEST_F(Publish, APeerThatHasNotAckedTheAnnouncementGetsNoUpdate)
{
    const ObjectSlot slot = world::add(world, table, id(1), 0);
    set(slot, {7, 0, {}});
    EXPECT_FALSE(due());
    world.tick = 5;
    set(slot, {7, 9, {}});
    EXPECT_FALSE(due());
    // The announcement carried the state of tick 1; y changed later.
    publish::announced({publisher, world, table, 0}, slot, 1);
    EXPECT_TRUE(due());
    world.tick = 6;
    EXPECT_FALSE(write(1).empty());
}

TEST_F(Publish, AnAnnouncementOfTheNewestValueLeavesNothingDue)
{
    const ObjectSlot slot = world::add(world, table, id(1), 0);
    world.tick = 5;
    set(slot, {7, 0, {}});
    publish::begin(publisher, world, table, owner); // The send() that announces the object.
    publish::announced({publisher, world, table, 0}, slot, 5);
    EXPECT_FALSE(due());
}

TEST_F(Publish, AnUpdateCarriesAllThatIsNotAckedWhateverIsInFlight)
{
    const ObjectSlot slot = add_changed();
    write(1);
    world.tick = 3;
    set(slot, {7, 8, {}});
    EXPECT_EQ(apply(write(2)).changed_fields, 3u); // Packet 1 has not been acked.
    on_packet_outcome(2, true);
    EXPECT_FALSE(due());
    on_packet_outcome(1, false);
    EXPECT_FALSE(due()); // The fields of packet 1 arrived with packet 2.
}

TEST_F(Publish, AnAckOfAnOlderUpdateTakesNothingBack)
{
    const ObjectSlot slot = add(1);
    for (uint64_t packet = 1; packet <= 2; ++packet) {
        world.tick += 1;
        set(slot, {static_cast<uint16_t>(packet), 0, {}});
        write(packet);
    }
    on_packet_outcome(2, true);
    on_packet_outcome(1, true);
    EXPECT_EQ(publisher.acked_states[slot].acked_tick, 3u);
}

TEST_F(Publish, ALostUpdateIsDueAgainUntilANewerOneIsAcked)
{
    add_changed();
    write(1);
    on_packet_outcome(1, false);
    EXPECT_TRUE(due());
    world.tick = 3;
    EXPECT_EQ(apply(write(2)).changed_fields, 1u);
    on_packet_outcome(2, true);
    world.tick = 4;
    EXPECT_TRUE(write(3).empty());
}

TEST_F(Publish, AllInFlightCountsAsLostWhenAConnectionIsNew)
{
    const ObjectSlot first = add(1);
    const ObjectSlot second = add(2);
    world.tick = 2;
    set(first, {7, 0, {}});
    write(1);
    world.tick = 3;
    set(second, {8, 0, {}});
    write(2);
    on_packet_outcome(1, true);
    publish::lose_all({publisher, world, table, 0});
    world.tick = 4;
    // Packet numbers restart after lose_all().
    EXPECT_EQ(objects(write(1)), std::set<ObjectId>{id(2)});
}

TEST_F(Publish, FatesMayComeInAnyOrderAndFreeTheRing)
{
    const ObjectSlot slot = add(1);
    for (uint64_t packet = 1; packet <= 4; ++packet) {
        world.tick += 1;
        set(slot, {static_cast<uint16_t>(packet), 0, {}});
        EXPECT_FALSE(write(packet).empty());
    }
    world.tick += 1;
    set(slot, {99, 0, {}});
    EXPECT_TRUE(write(5).empty()); // Four packets are in flight, the maximum here.
    EXPECT_TRUE(due());
    on_packet_outcome(3, true);
    on_packet_outcome(2, false);
    EXPECT_TRUE(write(6).empty()); // The oldest packet still occupies the ring.
    on_packet_outcome(1, true);
    EXPECT_FALSE(write(7).empty());
    on_packet_outcome(4, true);
    on_packet_outcome(7, true);
    EXPECT_FALSE(due());
    const PeerRing &ring = publisher.rings[0];
    EXPECT_EQ(ring.packet_count + ring.run_count + ring.packet_first + ring.run_first, 0u);
    for (const SentRun &sent : publisher.sent_runs.all())
        EXPECT_EQ(sent.id, ObjectId::none);
    for (const SentUpdates &sent : publisher.sent_packets.all())
        EXPECT_EQ(sent.packet, 0u);
}

TEST_F(Publish, NeighboursTakeOnePlaceInTheRing)
{
    add_all(60);
    world.tick = 2;
    set_all(60, {5, 0, {}});
    EXPECT_EQ(objects(write(1)).size(), 60u);
    EXPECT_EQ(publisher.rings[0].run_count, 1u);
    on_packet_outcome(1, false);
    world.tick = 3;
    EXPECT_EQ(objects(write(2)).size(), 60u);
    on_packet_outcome(2, true);
    EXPECT_FALSE(due());
    EXPECT_EQ(publisher.rings[0].run_count, 0u);
}

TEST_F(Publish, AFullRingEndsTheMessage)
{
    add_all(120);
    world.tick = 2;
    for (uint32_t serial = 1; serial <= 120; serial += 2) // Changes no two neighbours.
        set(world::find(world, id(serial)), {5, 0, {}});
    EXPECT_EQ(objects(write(1)).size(), 40u);
    EXPECT_TRUE(write(2).empty());
    on_packet_outcome(1, true);
    EXPECT_EQ(objects(write(3)).size(), 20u);
    EXPECT_FALSE(due());
}

TEST_F(Publish, AllGetTheirTurnWhenPacketsAreSmall)
{
    add_all(12);
    std::map<ObjectId, int> send_order;
    for (uint64_t packet = 1; packet <= 30; ++packet) {
        world.tick += 1;
        Cube cube = {};
        cube.load[0] = static_cast<uint8_t>(packet);
        set_all(12, cube);
        for (ObjectId object : objects(write(packet, 0, 230)))
            send_order[object] += 1;
        on_packet_outcome(packet, true);
    }
    ASSERT_EQ(send_order.size(), 12u);
    for (const auto &[object, count] : send_order)
        EXPECT_EQ(count, 5); // 30 packets carry two objects each.
}

TEST_F(Publish, AMessageThatIsFullIsFilledToItsEnd)
{
    add_all(12);
    size_t all = 0;
    for (size_t size = 1200; size > 20; size = size == 1200 ? all + 3 : size - 1) {
        world.tick += 1;
        set_all(12, {static_cast<uint16_t>(world.tick), 0, {}});
        const std::span<const std::byte> message = write(world.tick, 0, size);
        if (size == 1200) all = message.size();
        EXPECT_EQ(message.size(), std::min(size, all));
        EXPECT_TRUE(is_accepted(there.world(), table, PeerId::none, message));
        on_packet_outcome(world.tick, true);
    }
    EXPECT_GT(all, 30u);
    world.tick += 1;
    Cube large = {};
    large.load[0] = static_cast<uint8_t>(world.tick);
    set_all(2, large);
    const size_t one = write(world.tick, 0, 200).size(); // There is no room for the second object.
    EXPECT_GT(one, 100u);
    EXPECT_LT(one, 200u - 32u);
}

TEST_F(Publish, AnObjectThatDoesNotFitLetsSmallerOnesPass)
{
    const ObjectSlot first = add(1);
    const ObjectSlot second = add(2);
    world.tick = 2;
    Cube large = {};
    large.load[0] = 1;
    set(first, large);
    set(second, {1, 0, {}});
    EXPECT_EQ(objects(write(1, 0, 50)), std::set<ObjectId>{id(2)});
    EXPECT_EQ(objects(write(2, 0, 150)), std::set<ObjectId>{id(1)});
    EXPECT_TRUE(write(3, 0, 3).empty());
}

TEST_F(Publish, OneTickSendsAtMostOneUpdateOfAnObject)
{
    add_changed();
    EXPECT_FALSE(write(1).empty());
    on_packet_outcome(1, false);
    EXPECT_TRUE(write(2).empty()); // Receivers only accept updates with a newer tick.
    EXPECT_TRUE(due());
    world.tick = 3;
    EXPECT_FALSE(write(3).empty());
}

// --- Outcomes of packets about objects or peers that are gone ---

TEST_F(Publish, TheFateOfAnotherTenureChangesNothing)
{
    const ObjectSlot slot = add_changed(50);
    write(1);
    publish::forget_object(publisher, world, slot);
    // The object has changed owner twice and is back; its announcement is of tick 40.
    world.slots[slot].stamp = 8;
    publish::announced({publisher, world, table, 0}, slot, 40);
    world.tick = 51;
    set(slot, {7, 9, {}});
    write(2);
    on_packet_outcome(1, true);
    EXPECT_EQ(publisher.acked_states[slot].acked_tick, 40u);
    on_packet_outcome(2, true);
    EXPECT_EQ(publisher.acked_states[slot].acked_tick, 51u);
}

TEST_F(Publish, TheFateOfADeadObjectIsNotThatOfWhoGotItsSlot)
{
    const ObjectSlot slot = add_changed(50);
    write(1);
    world::destroy_and_move(world, table, slot);
    publish::forget_object(publisher, world, slot);
    world::sweep(world, table);
    const ObjectSlot again = world::add(world, table, id(2), 0);
    ASSERT_EQ(again, slot);
    publish::announced({publisher, world, table, 0}, slot, 3);
    on_packet_outcome(1, true);
    EXPECT_EQ(publisher.acked_states[slot].acked_tick, 3u);
}

TEST_F(Publish, AForgottenPeerStartsFromNothing)
{
    const ObjectSlot slot = add(1);
    const Publisher &p = publisher;
    world.tick = 2;
    set(slot, {7, 0, {}});
    write(1);
    write(1, 1);
    on_packet_outcome(1, false);
    publish::forget_peer(publisher, 0);
    EXPECT_FALSE(due(0));
    EXPECT_EQ(p.rings[0].packet_count, 0u);
    on_packet_outcome(1, true); // The packet is not known any more.
    world.tick = 3;
    set(slot, {8, 0, {}});
    EXPECT_FALSE(due(0));
    EXPECT_TRUE(due(1));
}

// --- The receiver ---

TEST_F(Publish, AnUpdateThatIsNotNewerIsIgnored)
{
    add_changed();
    const std::vector<std::byte> message = copy_of_written(1);
    EXPECT_EQ(apply(message).result, Applied::changed);
    EXPECT_EQ(apply(message).result, Applied::unchanged);
    there.world().slots[world::find(there.world(), id(1))].tick = 1;
    // Has a newer tick, and the values that are already there.
    const AppliedUpdate same = apply(message);
    EXPECT_EQ(same.result, Applied::repeated);
    EXPECT_EQ(there.world().slots[same.slot].tick, 2u);
}

TEST_F(Publish, UpdatesOfOtherTenuresOfStrangersAndOfTheDeadAreNotApplied)
{
    add_changed();
    const std::vector<std::byte> message = copy_of_written(1);
    const ObjectSlot slot_there = world::find(there.world(), id(1));
    KnownObject &object = there.world().slots[slot_there];
    EXPECT_EQ(apply(message, PeerId{2}).result, Applied::forged);
    object.stamp = 4;
    EXPECT_EQ(apply(message).result, Applied::unchanged);
    EXPECT_EQ(apply(message, PeerId{2}).result, Applied::unchanged);
    object.stamp = 0;
    EXPECT_EQ(value_there(1).x, 0);
    world::destroy_and_move(there.world(), table, slot_there);
    EXPECT_EQ(apply(message).result, Applied::unchanged);
    EXPECT_EQ(value_there(1).x, 0);
    world::sweep(there.world(), table);
    EXPECT_EQ(apply(message).slot, no_slot);
    EXPECT_TRUE(is_accepted(there.world(), table, PeerId::none,
                            message)); // The message itself is valid.
}

// A hostile creator can show each member another type, so that the next owner sends another one
// than is known here.
TEST_F(Publish, OfATenureThatIsNotKnownAnotherTypeIsNoBreach)
{
    add_changed();
    const ObjectSlot slot_there = world::find(there.world(), id(1));
    const std::span<const std::byte> message = write(2);
    KnownObject &object = there.world().slots[slot_there];
    object.type = 1;
    EXPECT_FALSE(is_accepted(there.world(), table, PeerId::none, message));
    object.stamp = 4;
    EXPECT_TRUE(is_accepted(there.world(), table, PeerId::none, message));
}

}
