// An owner and two receivers over a network with faults. Each snapshot must match the owner's state
// at its tick, and in the end all worlds must be equal.
#include "base/random.h"
#include "replication/update/publish.h"
#include "tests/replication/block.h"
#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <map>

namespace tern {
namespace {

struct Body {
    float place[3];
    float turn[4];
    int32_t health;
    bool awake;
};
struct Door {
    uint8_t angle;
    char name[12];
};

const Field body_fields[] = {{"place", FieldKind::float32, offsetof(Body, place), 3, -50, 50, 0.01},
                             {"turn", FieldKind::quaternion, offsetof(Body, turn), 1, 0, 0, 0.002},
                             {"health", FieldKind::int32, offsetof(Body, health)},
                             {"awake", FieldKind::boolean, offsetof(Body, awake)}};
const Field bounded_fields[] = {
    {"place", FieldKind::float32, offsetof(Body, place), 3, -50, 50, 0.01, 2},
    {"turn", FieldKind::quaternion, offsetof(Body, turn), 1, 0, 0, 0.002, 0.5},
    {"health", FieldKind::int32, offsetof(Body, health)},
    {"awake", FieldKind::boolean, offsetof(Body, awake)}};
const Field door_fields[] = {{"angle", FieldKind::uint8, offsetof(Door, angle)},
                             {"name", FieldKind::text, offsetof(Door, name), 12}};
constexpr Type predicted(const char *name, uint16_t size, std::span<const Field> fields)
{
    Type type = {name, size, fields, 40};
    type.predicted = true;
    return type;
}
const Type types[] = {predicted("Body", sizeof(Body), body_fields),
                      {"Plain", sizeof(Door), door_fields, 8},
                      predicted("Door", sizeof(Door), door_fields),
                      predicted("Bounded", sizeof(Body), bounded_fields),
                      {"BoundedPlain", sizeof(Body), bounded_fields, 8}};
const TypeTable table = type_table::make(types);
// The types without error bounds, which changes the interleaving of baselines.
const Type exact_types[] = {types[0],
                            types[1],
                            types[2],
                            predicted("Exact", sizeof(Body), body_fields),
                            {"ExactPlain", sizeof(Body), body_fields, 8}};
const TypeTable exact_table = type_table::make(exact_types);
// So few objects that the numbers of former ones are soon given again.
constexpr Type scarce(Type type)
{
    type.objects_max = 2;
    return type;
}
const Type scarce_types[] = {scarce(types[0]), scarce(types[1]), scarce(types[2]), scarce(types[3]),
                             scarce(types[4])};
const TypeTable scarce_table = type_table::make(scarce_types);
constexpr PeerId owner = PeerId{1};
constexpr uint32_t peers = 2;
constexpr TypeId of_serial[] = {0, 3, 2, 0, 1, 3, 4};

using Value = std::vector<std::byte>;

struct Message {
    std::vector<std::byte> bytes;
    uint64_t packet;
    uint32_t peer;
    uint32_t arrives; // The tick at which it arrives.
    bool is_snapshot, lost;
    std::vector<uint16_t> carried_bits = {};
};

struct Faults {
    double lost = 0.1;
    uint32_t delay_max = 8;
    double reported_lost = 0.02; // Probability of an arrived message being reported as lost.
    size_t buffer_bytes = 500;
};

struct Net {
    const TypeTable &kinds = table;
    Random random = {};
    Faults faults = {};
    Block owner_block = make_block(kinds, {peers, 256, 2000, 256});
    Block there[peers] = {make_block(kinds, {1, 8, 64, 256}), make_block(kinds, {1, 8, 64, 256})};
    // The outcomes of `arrived` are on their way to the owner.
    std::vector<Message> flying = {}, arrived = {};
    std::map<ObjectId, std::map<uint32_t, Value>> past = {};
    uint64_t packet[peers] = {};
    uint32_t serial = 0;
    uint32_t carried = 0, useless = 0, refused = 0; // SnapshotCheck results at the receivers.
    uint32_t held_back = 0;
    uint8_t values_of_doors = 0; // Number of values of a door's angle; 0: no limit.

    World &world() { return owner_block.world(); }
    Publisher &publisher() { return owner_block.publisher(); }

    Value value_of(const World &of, ObjectSlot slot)
    {
        const auto *at = static_cast<const std::byte *>(world::value(of, kinds, slot));
        return {at, at + kinds.types[of.slots[slot].type].size_bytes};
    }

    // Creates an object that all peers have at once, as if its CREATE were acked.
    void add()
    {
        serial += 1;
        const ObjectId id = object_id::make(owner, serial);
        const TypeId type = of_serial[serial % std::size(of_serial)];
        if (!world::room(world(), type)) return;
        const ObjectSlot slot = world::add(world(), kinds, id, type);
        world().slots[slot].owner = owner;
        publish::began(publisher(), world(), kinds, slot);
        set(slot);
        for (Block &side : there) {
            const ObjectSlot added = world::add(side.world(), kinds, id, type);
            KnownObject &object = side.world().slots[added];
            object.owner = owner;
            object.tick = world().tick;
            std::memcpy(world::value(side.world(), kinds, added),
                        world::value(world(), kinds, slot), kinds.types[type].size_bytes);
        }
        for (uint32_t peer = 0; peer < peers; ++peer)
            publish::announced({publisher(), world(), kinds, peer}, slot, world().tick);
    }

    void remove(ObjectSlot slot)
    {
        const ObjectId id = world().slots[slot].id;
        past.erase(id);
        world::destroy_and_move(world(), kinds, slot);
        publish::forget_object(publisher(), world(), slot);
        world::sweep(world(), kinds);
        for (Block &side : there) {
            world::destroy_and_move(side.world(), kinds, world::find(side.world(), id));
            world::sweep(side.world(), kinds);
        }
    }

    void set(ObjectSlot slot)
    {
        Value value = value_of(world(), slot);
        if (kinds.types[world().slots[slot].type].size_bytes == sizeof(Body)) {
            Body body;
            std::memcpy(&body, value.data(), sizeof body);
            for (float &x : body.place)
                x += static_cast<float>(random::unit(random) - 0.45);
            for (float &x : body.turn)
                x += static_cast<float>(random::unit(random)) * 0.1f;
            if (random::chance(random, 0.1))
                body.health = static_cast<int32_t>(random::next(random));
            if (random::chance(random, 0.1)) body.awake = !body.awake;
            std::memcpy(value.data(), &body, sizeof body);
        } else {
            Door door;
            std::memcpy(&door, value.data(), sizeof door);
            door.angle = static_cast<uint8_t>(door.angle + random::below(random, 3));
            if (values_of_doors > 0) door.angle %= values_of_doors;
            if (random::chance(random, 0.2)) door.name[0] = random::chance(random, 0.5) ? 'a' : 'b';
            std::memcpy(value.data(), &door, sizeof door);
        }
        world::write(world(), kinds, slot, value.data());
    }

    void change(double share)
    {
        for (ObjectSlot slot = 0; slot < world().slots.count; ++slot)
            if (world().slots[slot].life == Life::alive && random::chance(random, share)) set(slot);
        for (ObjectSlot slot = 0; slot < world().slots.count; ++slot)
            if (world().slots[slot].life == Life::alive)
                past[world().slots[slot].id][world().tick] = value_of(world(), slot);
    }

    void fly(uint32_t peer, bool is_snapshot, std::span<const std::byte> bytes)
    {
        const uint32_t arrives =
            world().tick + 1 + static_cast<uint32_t>(random::below(random, faults.delay_max));
        flying.push_back({{bytes.begin(), bytes.end()},
                          packet[peer],
                          peer,
                          arrives,
                          is_snapshot,
                          random::chance(random, faults.lost)});
    }

    void send()
    {
        SnapshotScratch &scratch = owner_block.snapshots();
        held_back += publisher().bounds.suppressed_count;
        bounds::flush(publisher(), world(), kinds, owner);
        publish::begin(publisher(), world(), kinds, owner);
        encode_cache::begin(owner_block.cache());
        snapshots::begin(scratch);
        std::byte buffer[1200];
        for (uint32_t peer = 0; peer < peers; ++peer)
            for (uint32_t i = 0; i < 3; ++i) {
                const std::span<std::byte> room(buffer, faults.buffer_bytes);
                packet[peer] += 1;
                const size_t size = publish::write_snapshot(
                    {publisher(), world(), kinds, peer}, owner_block.scratch(), packet[peer], room);
                ASSERT_LE(size, room.size());
                if (size > 0) fly(peer, true, room.first(size));
                if (size > 0)
                    flying.back().carried_bits = {scratch.carried_bits.begin(),
                                                  scratch.carried_bits.end()};
                packet[peer] += 1;
                const size_t plain = publish::write({publisher(), world(), kinds, peer},
                                                    owner_block.scratch(), packet[peer], room);
                if (plain > 0) fly(peer, false, room.first(plain));
            }
    }

    // Returns whether the receiver acks the message.
    bool receive(const Message &message)
    {
        Block &side = there[message.peer];
        if (!message.is_snapshot) {
            UpdateReader r = publish::reader(kinds, PeerId::none, message.bytes);
            Update update;
            std::byte values[struct_bytes_max];
            while (publish::next(r, update, values)) {
                const ObjectSlot slot = world::find(side.world(), update.object);
                const Applied applied =
                    publish::apply(side.world(), kinds, owner, slot, update).result;
                if (applied >= Applied::unchanged) continue;
                EXPECT_EQ(value_of(side.world(), slot), past[update.object][update.tick]);
            }
            EXPECT_FALSE(publish::malformed(r));
            return true;
        }
        Snapshots &s = side.publisher().snapshots;
        SnapshotScratch &scratch = side.snapshots();
        const SnapshotCheck check = snapshots::check(s, scratch, kinds, 0, message.bytes);
        EXPECT_NE(check, SnapshotCheck::malformed);
        carried += check == SnapshotCheck::usable;
        useless += check == SnapshotCheck::useless;
        refused += check == SnapshotCheck::refused;
        if (check >= SnapshotCheck::refused) return false;
        if (!snapshots::receive(s, scratch, 0)) return true;
        apply(side, scratch);
        const std::vector<uint16_t> read_bits(scratch.read_bits.begin(), scratch.read_bits.end());
        EXPECT_EQ(read_bits, message.carried_bits); // Both sides charge the same number of bits.
        return true;
    }

    void apply(Block &side, const SnapshotScratch &scratch)
    {
        for (uint32_t i = 0; i < scratch.read_entries.count; ++i) {
            const ObjectId id = scratch.read_entries[i].id;
            const ObjectSlot slot = world::find(side.world(), id);
            const Applied applied = publish::apply_carried(side.world(), kinds, owner, slot,
                                                           snapshots::carried_object(scratch, i))
                                        .result;
            EXPECT_LE(applied, Applied::unchanged);
            if (applied == Applied::unchanged) continue;
            EXPECT_EQ(value_of(side.world(), slot), past[id][scratch.read.tick])
                << scratch.read.tick;
        }
    }

    void deliver()
    {
        const uint32_t now = world().tick;
        std::vector<Message> still;
        for (Message &message : flying) {
            if (message.arrives > now) {
                still.push_back(message);
                continue;
            }
            const bool acked = !message.lost && receive(message);
            message.lost = !acked || random::chance(random, faults.reported_lost);
            message.arrives = now + 1 +
                              static_cast<uint32_t>(random::below(random, faults.delay_max)) +
                              (message.lost ? faults.delay_max : 0);
            arrived.push_back(message);
        }
        flying = still;
        still.clear();
        for (const Message &message : arrived) {
            if (message.arrives > now) {
                still.push_back(message);
                continue;
            }
            publish::on_packet_outcome({publisher(), world(), kinds, message.peer}, message.packet,
                                       !message.lost);
        }
        arrived = still;
    }

    void tick(double share)
    {
        world().tick += 1;
        for (Block &side : there)
            side.world().tick = world().tick;
        deliver();
        change(share);
        send();
        if (share > 0 && random::chance(random, 0.2)) add();
        const auto any = static_cast<ObjectSlot>(random::below(random, world().slots.count));
        if (share > 0 && random::chance(random, 0.1) && world().slots[any].life == Life::alive)
            remove(any);
    }

    void expect_equal()
    {
        for (uint32_t peer = 0; peer < peers; ++peer) {
            EXPECT_EQ(world::digest(there[peer].world(), kinds), world::digest(world(), kinds));
            EXPECT_FALSE(publish::has_due(publisher(), world(), peer));
            EXPECT_FALSE(bounds::any_suppressed(publisher().bounds));
            EXPECT_EQ(publisher().rings[peer].packet_count, 0u);
        }
    }
};

Net of(const TypeTable &kinds)
{
    return {.kinds = kinds};
}

Net run(uint64_t seed, Faults faults, uint32_t ticks = 400)
{
    Net net;
    net.random = random::from_seed(seed);
    net.faults = faults;
    for (uint32_t i = 0; i < 10; ++i)
        net.add();
    for (uint32_t i = 0; i < ticks; ++i)
        net.tick(i % 100 < 60 ? 0.8 : 0.05);
    net.faults.lost = net.faults.reported_lost = 0;
    for (uint32_t i = 0; i < 300; ++i)
        net.tick(0);
    net.expect_equal();
    return net;
}

// The search for listed entries looks at eight of them at once, and depends on this layout.
TEST(Snapshots, ThePresenceOfAnEntryHasItsListedBitsOnTop)
{
    if (std::endian::native != std::endian::little) GTEST_SKIP() << "not used there";
    EXPECT_EQ(std::bit_cast<uint8_t>(EntryPresence{0, 1, presence_listed_max}), 0xe0);
    EXPECT_EQ(std::bit_cast<uint8_t>(EntryPresence{presence_depth_max, 0, 0}), 0x1f);
}

TEST(Snapshots, WhatTheyTellIsWhatWas)
{
    uint32_t carried = 0, useless = 0, held_back = 0;
    for (uint64_t seed = 1; seed <= 30; ++seed) {
        SCOPED_TRACE(seed);
        const Net net = run(seed, {});
        carried += net.carried;
        useless += net.useless;
        held_back += net.held_back;
        if (HasFailure()) return;
    }
    EXPECT_GT(carried, 10000u);
    EXPECT_GT(useless, 500u);
    EXPECT_GT(held_back, 10000u);
}

// A snapshot whose base arrives late is useless, and then the late base is refused. So the owner
// knows that at most one of the two becomes usable.
TEST(Snapshots, ABaseThatComesLateIsNotAcked)
{
    Net net;
    net.random = random::from_seed(1);
    net.faults = {0, 1, 0, 1000};
    net.add();
    for (uint32_t i = 0; i < 40; ++i)
        net.tick(1);
    for (const Message &message : net.arrived)
        publish::on_packet_outcome({net.publisher(), net.world(), table, message.peer},
                                   message.packet, true);
    for (const Message &message : net.flying)
        publish::on_packet_outcome({net.publisher(), net.world(), table, message.peer},
                                   message.packet, net.receive(message));
    net.flying.clear();
    // A loss of 2 % makes two interleaved baselines.
    net.publisher().snapshots.peers[0].loss = loss_one / 50;
    net.world().tick += 1;
    net.change(1);
    net.send();
    net.world().tick += 1;
    net.change(1);
    net.send();
    net.world().tick += 1;
    net.change(1);
    net.send();
    net.world().tick += 1;
    std::vector<Message> sent;
    for (const Message &message : net.flying)
        if (message.is_snapshot && message.peer == 0) sent.push_back(message);
    ASSERT_EQ(sent.size(), 3u); // The third snapshot is built on the first.
    EXPECT_TRUE(net.receive(sent[1]));
    EXPECT_TRUE(net.receive(sent[2])) << "arrived, but of no use";
    EXPECT_EQ(net.useless, 1u);
    EXPECT_FALSE(net.receive(sent[0]));
    EXPECT_EQ(net.refused, 1u);
    Snapshots &s = net.publisher().snapshots;
    const uint32_t last = snapshots::last_message(s, 0).number;
    publish::on_packet_outcome({net.publisher(), net.world(), table, 0}, sent[2].packet, true);
    EXPECT_EQ(snapshots::decode_state_of(s, 0, {last, 1}), DecodeState::arrived);
    publish::on_packet_outcome({net.publisher(), net.world(), table, 0}, sent[0].packet, false);
    EXPECT_EQ(snapshots::decode_state_of(s, 0, {last, 1}), DecodeState::useless);
    EXPECT_TRUE(publish::has_due(net.publisher(), net.world(), 0));
    publish::on_packet_outcome({net.publisher(), net.world(), table, 0}, sent[1].packet, true);
    EXPECT_EQ(snapshots::decode_state_of(s, 0, {last - 1, 1}), DecodeState::usable);
}

// When a value returns to what one baseline already holds, that baseline needs no update, but the
// other one has meanwhile carried another value.
TEST(Snapshots, WhatGoesToAndFroIsToldAsItIsInTheEnd)
{
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        SCOPED_TRACE(seed);
        Net net = of(seed % 2 == 0 ? table : exact_table);
        net.random = random::from_seed(seed);
        net.faults = {0.02, 6, 0, 1000};
        net.values_of_doors = 3;
        const uint32_t count = seed % 4 < 2 ? 10 : 140; // 140 have entries in two groups.
        for (uint32_t i = 0; i < count; ++i)
            net.add();
        for (uint32_t round = 0; round < 20; ++round) {
            const uint64_t ticks = 4 + random::below(net.random, 12);
            for (uint64_t i = 0; i < ticks; ++i)
                net.tick(0.8);
            net.faults.lost = 0;
            for (uint32_t i = 0; i < 60; ++i) // Too short for an UPDATE to repair the value.
                net.tick(0);
            net.expect_equal();
            net.faults.lost = 0.02;
        }
        if (HasFailure()) return;
    }
}

TEST(Snapshots, AReusedNumberHasNothingOfTheFormerObject)
{
    Net net = of(scarce_table);
    net.random = random::from_seed(1);
    net.faults = {0, 1, 0, 1000};
    Snapshots &s = net.publisher().snapshots;
    const auto ticks = [&](uint32_t count, double share) {
        for (uint32_t i = 0; i < count; ++i) {
            net.world().tick += 1;
            for (Block &side : net.there)
                side.world().tick = net.world().tick;
            net.deliver();
            net.change(share);
            net.send();
        }
    };
    for (uint32_t round = 0; round < 60; ++round) {
        for (uint32_t i = 0; i < 7; ++i)
            net.add();
        ticks(6, 1);
        // The kept snapshots stay those of these objects, since nothing is sent meanwhile.
        if (round % 20 == 19) ticks(80, 0);
        for (ObjectSlot slot = 0; slot < net.world().slots.count; ++slot)
            if (net.world().slots[slot].life == Life::alive) net.remove(slot);
        if (round % 20 == 19) ticks(80, 0);
        if (HasFailure()) return;
    }
    EXPECT_EQ(s.entries_used, s.entry_count);
    EXPECT_EQ(net.useless, 0u);
}

// A datagram may be on its way for longer than it takes until the number of an object that has gone
// is given to another.
TEST(Snapshots, ALateOneDoesNotGiveANumberBackToTheFormerObject)
{
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        SCOPED_TRACE(seed);
        Net net = of(scarce_table);
        net.random = random::from_seed(seed);
        net.faults = {0.02, 150, 0, 1000};
        for (uint32_t i = 0; i < 1000; ++i)
            net.tick(0.5);
        EXPECT_GT(net.refused, 0u);
        net.faults.lost = 0;
        // A snapshot that is refused counts as lost after three delays, and its repeat takes two.
        for (uint32_t i = 0; i < 5 * net.faults.delay_max; ++i)
            net.tick(0);
        net.expect_equal();
        if (HasFailure()) return;
    }
}

// It must not do so either if the receiver has learned of the new object first.
TEST(Snapshots, ALateFirstOneDoesNotTakeItsNumberFromTheNextObject)
{
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        SCOPED_TRACE(seed);
        Net net = of(scarce_table);
        net.random = random::from_seed(seed);
        net.faults = {0.3, 150, 0, 1000};
        for (uint32_t i = 0; i < 600; ++i)
            net.tick(0.1);
    }
}

// Sends peer 0 a snapshot in each tick; the owner learns none of their outcomes.
static std::vector<Snapshot> send_on(Net &net, uint32_t ticks)
{
    const Snapshots &s = net.publisher().snapshots;
    std::vector<Snapshot> sent;
    for (uint32_t i = 0; i < ticks; ++i) {
        net.world().tick += 1;
        net.change(1);
        net.send();
        sent.push_back(s.sent[snapshots::last_message(s, 0).number % snapshots_kept]);
    }
    return sent;
}

TEST(Snapshots, TwoTicksInARowGoToEachOfTwoChainsAndABrokenOneGoesOnFromTheOther)
{
    Net net = of(exact_table);
    net.random = random::from_seed(1);
    net.add();
    Snapshots &s = net.publisher().snapshots;
    s.peers[0].loss = loss_one / 100;
    const std::vector<Snapshot> sent = send_on(net, 12);
    for (size_t i = 4; i < sent.size(); ++i) {
        const uint32_t behind = sent[i - 1].number - sent[i - 1].base;
        EXPECT_EQ(sent[i].number - sent[i].base, behind == 1 ? 3u : 1u) << i;
    }
    snapshots::on_packet_outcome(s, 0, {sent[4].number, 1}, false);
    s.peers[0].loss = loss_one / 100;
    for (const Snapshot &snapshot : send_on(net, 6)) {
        EXPECT_LE(snapshot.number - snapshot.base, 3u) << snapshot.number;
        EXPECT_EQ(snapshots::decode_state_of(s, 0, {snapshot.base, 1}), DecodeState::in_flight);
        EXPECT_EQ(snapshots::decode_state_of(s, 0, {snapshot.number, 1}), DecodeState::in_flight);
    }
}

TEST(Snapshots, ABaseBeforeTheFirstIsMalformed)
{
    for (const uint32_t behind : {2u, 3u, 4u, 57u, 63u}) {
        Block block = make_block(table, {1, 8, 64, 256});
        std::byte bytes[8] = {};
        BitWriter w = bits::writer(bytes);
        bits::write(w, 3, 15);
        bits::write(w, behind, 6);
        bits::write(w, 1, 3);
        bits::write(w, 0, 8);
        const SnapshotCheck check = snapshots::check(block.publisher().snapshots, block.snapshots(),
                                                     table, 0, std::span(bytes));
        EXPECT_EQ(check, behind == 2 ? SnapshotCheck::useless : SnapshotCheck::malformed) << behind;
    }
}

TEST(Snapshots, WithoutLossAllAreUsable)
{
    const Net net = run(1, {0, 1, 0, 1000});
    EXPECT_EQ(net.useless, 0u);
    EXPECT_EQ(net.refused, 0u);
}

// Two peers with the same history get the same bytes, and each body is encoded once.
TEST(Snapshots, PeersShareBodies)
{
    Net net;
    net.random = random::from_seed(5);
    net.faults = {.lost = 0, .delay_max = 1, .reported_lost = 0, .buffer_bytes = 450};
    for (uint32_t i = 0; i < 140; ++i)
        net.add();
    for (uint32_t i = 0; i < 3; ++i)
        net.tick(0.9); // The first bodies are cut, because the states are whole.
    uint32_t several = 0;
    for (uint32_t i = 0; i < 60; ++i) {
        net.tick(0.9);
        std::vector<Value> sent[peers];
        for (const Message &message : net.flying)
            if (message.is_snapshot) sent[message.peer].push_back(message.bytes);
        EXPECT_EQ(sent[0], sent[1]) << i;
        EXPECT_EQ(net.owner_block.snapshots().codes.count, sent[0].size()) << i;
        several += sent[0].size() > 1;
    }
    EXPECT_GT(several, 5u);
}

TEST(Snapshots, FewBytesAndLongDelaysDoNoHarm)
{
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        SCOPED_TRACE(seed);
        run(seed, {0.3, 20, 0.1, 60});
        run(seed, {0.02, 3, 0, 120});
        run(seed, {0.05, 40, 0.05, 700});
        if (HasFailure()) return;
    }
}

}
}
