// Encodings cached for one peer are copied for the next. The bytes, and the records of what was
// sent, must equal those of an owner without the cache.
#include "base/random.h"
#include "replication/update/publish.h"
#include "tests/replication/block.h"
#include <gtest/gtest.h>

namespace tern {
namespace {

struct Body {
    uint32_t x, y;
    uint16_t health;
    char name[12];
};

const Field body_fields[] = {{"x", FieldKind::uint32, offsetof(Body, x)},
                             {"y", FieldKind::uint32, offsetof(Body, y)},
                             {"health", FieldKind::uint16, offsetof(Body, health)},
                             {"name", FieldKind::text, offsetof(Body, name), 12}};
const Field door_fields[] = {{"health", FieldKind::uint16, offsetof(Body, health)}};
const Type types[] = {{"body", sizeof(Body), body_fields, 150},
                      {"door", sizeof(Body), door_fields, 30}};
const TypeTable table = type_table::make(types);

constexpr uint32_t peer_count = 4;
constexpr PeerId self = PeerId{1}, other = PeerId{2};

struct Side {
    Block block = make_block(table, {peer_count, 64, 256, 64});
    std::vector<TrafficRow> rows = std::vector<TrafficRow>(charges::row_count(table));
    std::vector<ChargeRun> runs = std::vector<ChargeRun>(charges::run_count(table));
    Charges charges = charges::make(table, rows, runs);
};

// Two owners that do the same. `alone` clears its cache before it writes to each peer.
struct Pair {
    Side sharing, alone;
    Random random;
    uint64_t packet = 0;
    std::vector<uint64_t> in_flight[peer_count];

    Pair(uint64_t seed, Ticks ticks) : random(random::from_seed(seed))
    {
        for (Side *side : {&sharing, &alone}) {
            side->block.publisher().self = static_cast<uint16_t>(self);
            side->block.publisher().ticks = ticks;
        }
        for (uint32_t serial = 1; serial <= 120; ++serial)
            add(serial, ticks == Ticks::each && random::chance(random, 0.4) ? other : self);
    }

    template <class Act> void both(Act act)
    {
        for (Side *side : {&sharing, &alone})
            act(side->block.world(), side->block.publisher());
    }

    void add(uint32_t serial, PeerId owner)
    {
        const auto type = static_cast<TypeId>(random::chance(random, 0.1) ? 1 : 0);
        // Where a serial is left out, neighbouring slots are not consecutive objects.
        const ObjectId id = object_id::make(owner, serial + serial / 40);
        const uint32_t known_by = static_cast<uint32_t>(random::below(random, 16)) | 3;
        both([&](World &world, Publisher &publisher) {
            const ObjectSlot slot = world::add(world, table, id, type);
            world.slots[slot].owner = owner;
            world.slots[slot].tick = 1;
            for (uint32_t peer = 0; peer < peer_count; ++peer)
                if ((known_by >> peer & 1) != 0)
                    publish::announced({publisher, world, table, peer}, slot, 1);
        });
    }

    void change(uint32_t tick)
    {
        const bool all = random::chance(random, 0.5);
        const uint32_t slots = sharing.block.world().slots.count;
        for (ObjectSlot slot = 0; slot < slots; ++slot) {
            if (sharing.block.world().slots[slot].life != Life::alive) continue;
            if (!all && !random::chance(random, 0.3)) continue;
            Body body =
                *static_cast<const Body *>(world::value(sharing.block.world(), table, slot));
            body.x += 1;
            if (random::chance(random, 0.5)) body.y += 1;
            if (random::chance(random, 0.2)) body.health += 1;
            if (random::chance(random, 0.1))
                body.name[0] = static_cast<char>('a' + random::below(random, 20));
            both([&](World &world, Publisher &) {
                world.slots[slot].tick = tick;
                world::write(world, table, slot, &body);
            });
        }
    }

    void hide_some()
    {
        const auto peer = static_cast<uint32_t>(random::below(random, peer_count));
        const auto slot = static_cast<ObjectSlot>(random::below(random, 100));
        const auto priority = static_cast<uint16_t>(256 * random::below(random, 2));
        both([&](World &world, Publisher &publisher) {
            if (world.slots[slot].life == Life::alive)
                publish::set_priority(publisher, world, peer, slot, priority);
        });
    }

    size_t write(Side &side, uint32_t peer, std::span<std::byte> buffer)
    {
        PeerState &state = side.block.peer();
        if (&side == &alone) encode_cache::begin(state.scratch.cache);
        state.scratch.charges = &side.charges;
        const size_t size = publish::write({state.publisher, state.world, table, peer},
                                           state.scratch, packet, buffer);
        state.scratch.charges = nullptr; // Equal states must be equal bytes.
        return size;
    }

    void send(uint32_t peer)
    {
        packet += 1;
        std::byte shared[1200], lone[1200];
        const size_t size_max = 300 + random::below(random, 900);
        const size_t size = write(sharing, peer, std::span(shared).first(size_max));
        ASSERT_EQ(write(alone, peer, std::span(lone).first(size_max)), size);
        ASSERT_EQ(std::memcmp(shared, lone, size), 0);
        if (size > 0) in_flight[peer].push_back(packet);
    }

    void settle(uint32_t peer)
    {
        while (!in_flight[peer].empty() && random::chance(random, 0.7)) {
            const uint64_t told = in_flight[peer].front();
            const bool arrived = random::chance(random, 0.9);
            in_flight[peer].erase(in_flight[peer].begin());
            both([&](World &world, Publisher &publisher) {
                publish::on_packet_outcome({publisher, world, table, peer}, told, arrived);
            });
        }
    }

    void forget_some()
    {
        const auto peer = static_cast<uint32_t>(random::below(random, peer_count));
        const auto gone = static_cast<ObjectSlot>(random::below(random, 100));
        const auto again = static_cast<ObjectSlot>(random::below(random, 100));
        const bool leaves = random::chance(random, 0.1);
        if (leaves) in_flight[peer].clear();
        both([&](World &world, Publisher &publisher) {
            publish::forget_object(publisher, world, gone); // Another peer now owns the object.
            if (leaves) publish::forget_peer(publisher, peer);
            if (world.slots[again].life == Life::alive)
                publish::announced({publisher, world, table, peer}, again, world.tick);
        });
    }

    void tick(uint32_t tick)
    {
        both([&](World &world, Publisher &) { world.tick = tick; });
        forget_some();
        change(tick);
        both([](World &world, Publisher &publisher) {
            publish::begin(publisher, world, table, self);
        });
        encode_cache::begin(sharing.block.cache());
        for (int round = 0; round < 3; ++round)
            for (uint32_t peer = 0; peer < peer_count; ++peer)
                ASSERT_NO_FATAL_FAILURE(send(peer)) << "tick " << tick << " peer " << peer;
        for (uint32_t peer = 0; peer < peer_count; ++peer)
            settle(peer);
    }
};

// Publisher::visible must follow from acked_states and interests.
void expect_visible(Pair &pair)
{
    const Publisher &p = pair.sharing.block.publisher();
    for (uint32_t peer = 0; peer < peer_count; ++peer)
        for (ObjectSlot slot = 0; slot < p.slot_count; ++slot) {
            const size_t at = size_t{peer} * p.slot_count + slot;
            const uint64_t word = p.visible[peer * ((p.slot_count + 63) / 64) + slot / 64];
            ASSERT_EQ((word >> slot % 64 & 1) != 0,
                      p.acked_states[at].acked_tick != 0 && !p.interests[at].hidden)
                << "peer " << peer << " slot " << slot;
        }
}

void expect_same(Pair &pair)
{
    const std::span<const std::byte> a = pair.sharing.block.bytes(), b = pair.alone.block.bytes();
    ASSERT_EQ(a.size(), b.size());
    EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size()), 0);
    const std::span<const TrafficRow> shared = charges::rows(pair.sharing.charges);
    const std::span<const TrafficRow> lone = charges::rows(pair.alone.charges);
    for (size_t i = 0; i < shared.size(); ++i) {
        EXPECT_EQ(shared[i].bits, lone[i].bits) << "row " << i;
        EXPECT_EQ(shared[i].count, lone[i].count) << "row " << i;
    }
}

TEST(EncodeCache, WhatIsCopiedIsWhatWouldHaveBeenWritten)
{
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        Pair pair(seed, seed % 2 == 0 ? Ticks::one : Ticks::each);
        for (uint32_t tick = 2; tick < 30; ++tick) {
            if (seed % 3 == 0) pair.hide_some();
            ASSERT_NO_FATAL_FAILURE(pair.tick(tick)) << "seed " << seed;
        }
        ASSERT_NO_FATAL_FAILURE(expect_same(pair)) << "seed " << seed;
        ASSERT_NO_FATAL_FAILURE(expect_visible(pair)) << "seed " << seed;
    }
}

TEST(EncodeCache, OneCodesForAllThatNeedTheSame)
{
    Side side;
    World &world = side.block.world();
    Publisher &publisher = side.block.publisher();
    publisher.self = static_cast<uint16_t>(self);
    for (uint32_t serial = 1; serial <= 100; ++serial) {
        const ObjectSlot slot = world::add(world, table, object_id::make(self, serial), 0);
        world.slots[slot].owner = self;
        for (uint32_t peer = 0; peer < peer_count; ++peer)
            publish::announced({publisher, world, table, peer}, slot, 1);
    }
    world.tick = 2;
    for (ObjectSlot slot = 0; slot < world.slots.count; ++slot) {
        const Body body = {slot + 1, slot, 7, "x"};
        if (world.slots[slot].life == Life::alive) world::write(world, table, slot, &body);
    }
    publish::begin(publisher, world, table, self);
    PeerState &state = side.block.peer();
    encode_cache::begin(state.scratch.cache);
    std::byte buffer[4000];
    for (uint32_t peer = 0; peer < peer_count; ++peer) {
        EXPECT_GT(publish::write({publisher, world, table, peer}, state.scratch, 1, buffer), 0u);
        EXPECT_EQ(state.scratch.cache._used[0].kept, 100u); // Cached by the first peer's message.
        EXPECT_FALSE(publish::has_due(publisher, world, peer));
    }
}

}
}
