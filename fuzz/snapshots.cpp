// Sends snapshots between two peers, some lost, reordered or altered, and arbitrary bytes as
// snapshots. Nothing that is read lies outside its type. As long as no altered snapshot was
// accepted, each snapshot yields the values that its sender had.
#include "fuzz/support/input.h"
#include "fuzz/support/kinds.h"
#include "fuzz/targets.h"
#include "replication/update/publish.h"
#include "tests/replication/block.h"
#include <array>
#include <cstring>

namespace tern::fuzz {

namespace {

constexpr size_t types_count = 4; // The fifth has no fields.
// Objects with entries in two groups need more than 64.
constexpr uint32_t objects_count = 72, ticks_kept = 64, flying_max = 16;
constexpr PeerId owner = PeerId{1};
constexpr size_t value_bytes = 128;

const TypeTable &predicted_kinds()
{
    static const auto types = [] {
        std::array<Type, types_count> made;
        for (size_t i = 0; i < types_count; ++i) {
            made[i] = every_kind_types[i];
            made[i].predicted = true;
            made[i].objects_max = objects_count / types_count;
        }
        return made;
    }();
    static const TypeTable table = type_table::make(types);
    return table;
}

struct Flying {
    uint64_t packet;
    size_t size_bytes;
    std::byte bytes[1200];
};

struct Pair {
    Block from, to;
    std::byte past[objects_count][ticks_kept][value_bytes];
    Flying flying[flying_max];
    uint32_t flying_count;
    uint64_t packet;
    bool is_true; // No altered message has been accepted.
};

void add(Pair &p, uint32_t i)
{
    const TypeTable &types = predicted_kinds();
    const ObjectId id = object_id::make(owner, i + 1);
    for (Block *side : {&p.from, &p.to}) {
        const ObjectSlot slot =
            world::add(side->world(), types, id, static_cast<TypeId>(i % types_count));
        side->world().slots[slot].owner = owner;
        side->world().slots[slot].tick = 1;
    }
    publish::announced({p.from.publisher(), p.from.world(), types, 0}, i, 1);
    alignas(16) constexpr std::byte zeros[value_bytes] = {};
    world::write(p.from.world(), types, i, zeros);
    world::set_changed(p.from.world(), i, true); // Each has an entry from the first tick on.
}

void change(Pair &p, Input &in)
{
    const TypeTable &types = predicted_kinds();
    const ObjectSlot slot = input::u8(in) % objects_count;
    alignas(16) std::byte value[value_bytes];
    const size_t size = types.types[slot % types_count].size_bytes;
    std::memcpy(value, world::value(p.from.world(), types, slot), size);
    for (unsigned changes = 1 + input::u8(in) % 4; changes > 0; --changes) {
        const size_t at = input::u8(in) % size;
        value[at] = static_cast<std::byte>(std::to_integer<unsigned>(value[at]) + input::u8(in));
    }
    world::write(p.from.world(), types, slot, value);
}

void send(Pair &p, Input &in)
{
    const TypeTable &types = predicted_kinds();
    World &world = p.from.world();
    for (ObjectSlot slot = 0; slot < objects_count; ++slot)
        std::memcpy(p.past[slot][world.tick % ticks_kept], world::value(world, types, slot),
                    types.types[slot % types_count].size_bytes);
    publish::begin(p.from.publisher(), world, types, owner);
    snapshots::begin(p.from.snapshots());
    const size_t room = 64 + 4 * size_t{input::u8(in)};
    if (p.flying_count < flying_max) {
        Flying &f = p.flying[p.flying_count];
        f.packet = ++p.packet;
        f.size_bytes =
            publish::write_snapshot({p.from.publisher(), world, types, 0}, p.from.scratch(),
                                    f.packet, std::span(f.bytes).first(room));
        p.flying_count += f.size_bytes > 0;
    }
    world.tick += 1 + input::u8(in) % 3;
    p.to.world().tick = world.tick;
}

void apply(Pair &p)
{
    const TypeTable &types = predicted_kinds();
    const SnapshotScratch &scratch = p.to.snapshots();
    for (uint32_t i = 0; i < scratch.read_entries.count; ++i) {
        World &world = p.to.world();
        const ObjectSlot slot = world::find(world, scratch.read_entries[i].id);
        const AppliedUpdate applied = publish::apply_carried(world, types, owner, slot,
                                                             snapshots::carried_object(scratch, i));
        if (applied.result != Applied::changed || !p.is_true) continue;
        TERN_ASSERT(std::memcmp(world::value(world, types, slot),
                                p.past[slot][scratch.read.tick % ticks_kept],
                                types.types[slot % types_count].size_bytes) == 0,
                    "object %u is not what it was at tick %u", slot, scratch.read.tick);
    }
}

// Returns whether the packet counts as acked.
bool hear(Pair &p, std::span<const std::byte> message, bool is_true)
{
    Snapshots &s = p.to.publisher().snapshots;
    SnapshotScratch &scratch = p.to.snapshots();
    const SnapshotCheck check = snapshots::check(s, scratch, predicted_kinds(), 0, message);
    TERN_ASSERT(check != SnapshotCheck::malformed || !is_true || !p.is_true, "a true one");
    if (check == SnapshotCheck::malformed || check == SnapshotCheck::refused) return false;
    p.is_true = p.is_true && is_true;
    if (snapshots::receive(s, scratch, 0)) apply(p);
    return true;
}

void deliver(Pair &p, Input &in)
{
    if (p.flying_count == 0) return;
    const uint32_t which = input::u8(in) % p.flying_count;
    const uint8_t how = input::u8(in) % 8;
    Flying f = p.flying[which];
    p.flying_count -= 1;
    p.flying[which] = p.flying[p.flying_count];
    const std::span<std::byte> message(f.bytes, f.size_bytes);
    bool arrived = false;
    if (how == 7) message[input::u8(in) % message.size()] ^= static_cast<std::byte>(input::u8(in));
    if (how != 6) arrived = hear(p, message, how != 7);
    publish::on_packet_outcome({p.from.publisher(), p.from.world(), predicted_kinds(), 0}, f.packet,
                               arrived);
}

}

void fuzz_snapshots(std::span<const uint8_t> data)
{
    static Pair p;
    p = {};
    p.from = make_block(predicted_kinds(), {1, 32, 256, 16});
    p.to = make_block(predicted_kinds(), {1, 32, 256, 16});
    p.is_true = true;
    for (uint32_t i = 0; i < objects_count; ++i)
        add(p, i);
    p.from.world().tick = 2;
    Input in = {data};
    while (!input::empty(in)) {
        const uint8_t what = input::u8(in);
        if (what % 4 == 0) change(p, in);
        if (what % 4 == 1) send(p, in);
        if (what % 4 == 2) deliver(p, in);
        if (what == 3 || what == 7) hear(p, std::as_bytes(input::bytes(in, input::u8(in))), false);
    }
}

}
