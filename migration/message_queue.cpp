#include "migration/message_queue.h"
#include "migration/departures.h"
#include "migration/grants.h"
#include "migration/messages.h"
#include "migration/relay.h"
#include "migration/replica.h"
#include "migration/views.h"
#include <algorithm>

namespace tern::message_queue {

static Item &at(Replica &r, MemberSlot member, uint32_t i)
{
    const uint32_t items_max = r.items.capacity / r.rings.capacity;
    return r.items[member * items_max + (r.rings[member].first + i) % items_max];
}

void push(Replica &r, MemberSlot to, const Item &item)
{
    if (to == no_member) return;
    const Member &member = r.members[to];
    ItemRing &ring = r.rings[to];
    if (member.id == PeerId::none || member.id == r.self || member.fenced || ring.overflow) return;
    if (!replica::exchanges_objects_with(r, member.id)) return;
    if (ring.count == r.items.capacity / r.rings.capacity) {
        departures::give_up(r, to);
        return;
    }
    ring.count += 1;
    at(r, to, ring.count - 1) = item;
    if (item.grant != 0) r.grants[item.grant - 1].references += 1;
}

void push_view(Replica &r, const Item &item)
{
    for (MemberSlot to = 0; to < r.members.count; ++to) {
        const ItemRing &ring = r.rings[to];
        const bool queued =
            ring.count > ring.pulled && at(r, to, ring.count - 1).kind == MessageKind::view;
        if (queued)
            at(r, to, ring.count - 1) = item;
        else
            push(r, to, item);
    }
}

void push_to_all(Replica &r, const Item &item)
{
    for (MemberSlot to = 0; to < r.members.count; ++to)
        push(r, to, item);
}

static void pop_first(Replica &r, MemberSlot member)
{
    ItemRing &ring = r.rings[member];
    Item &item = at(r, member, 0);
    if (item.grant != 0) grants::unreference(r, item.grant);
    item = {};
    ring.first = (ring.first + 1) % (r.items.capacity / r.rings.capacity);
    ring.count -= 1;
    if (ring.pulled > 0) ring.pulled -= 1;
}

void clear(Replica &r, MemberSlot to)
{
    while (r.rings[to].count > 0)
        pop_first(r, to);
    r.rings[to] = {};
}

// --- Each kind of item as a message. An item that has become pointless writes nothing. ---

static void write_create(BitWriter &w, Replica &r, Item &item)
{
    const ObjectSlot slot = world::find_alive(r.world, static_cast<ObjectId>(item.object));
    if (slot == no_slot) return;
    const bool first = r.world.slots[slot].owner == r.self && r.world.slots[slot].stamp == 0;
    if (!first) return; // Another item announces it.
    item.tick = r.world.tick;
    messages::write_kind(w, MessageKind::create);
    bits::write_varint(w, object_id::serial(r.world.slots[slot].id));
    messages::write_state(w, r, TrafficKind::create, slot, item.tick);
}

static void write_migrate(BitWriter &w, Replica &r, Item &item)
{
    const Grant &grant = r.grants[item.grant - 1];
    uint32_t present = 0;
    for (uint16_t i = 0; i < grant.object_count; ++i)
        if (grants::own_slot(r, grant, i) != no_slot) present |= 1u << i;
    if (present == 0) return;
    item.tick = r.world.tick;
    messages::write_kind(w, MessageKind::migrate);
    messages::write_grant(w, grant);
    bits::write(w, present, grant.object_count);
    for (uint16_t i = 0; i < grant.object_count; ++i) {
        const ObjectSlot slot = grants::own_slot(r, grant, i);
        if (slot == no_slot) continue;
        bits::write(w, r.survived_ticks[slot], 32);
        messages::write_state(w, r, TrafficKind::migrate, slot, item.tick);
    }
}

static void write_destroy(BitWriter &w, Replica &r, const Item &item)
{
    messages::write_kind(w, MessageKind::destroy);
    messages::write_object_id(w, static_cast<ObjectId>(item.object));
    bits::write_bool(w, item.grant != 0);
    if (item.grant != 0) messages::write_grant(w, r.grants[item.grant - 1]);
}

static void write_grant(BitWriter &w, Replica &r, const Item &item)
{
    const Grant &grant = r.grants[item.grant - 1];
    uint32_t present = 0;
    for (uint16_t i = 0; i < grant.object_count; ++i)
        if (world::find_alive(r.world, grant.objects[i]) != no_slot) present |= 1u << i;
    if (present == 0) return; // All have died, which is announced.
    messages::write_kind(w, MessageKind::grant);
    messages::write_grant(w, grant);
    bits::write(w, present, grant.object_count);
    for (uint16_t i = 0; i < grant.object_count; ++i) {
        const ObjectSlot slot = world::find_alive(r.world, grant.objects[i]);
        if (slot == no_slot) continue;
        messages::write_stamp(w, r.world.slots[slot].stamp);
        messages::write_state(w, r, TrafficKind::grant, slot,
                              grants::value_tick(r, r.world.slots[slot]));
    }
}

// Writes as many ranges as fit, from item.object on, and sets item.object to where the next message
// begins; 0: this was the last one.
static void write_dead(BitWriter &w, Replica &r, Item &item)
{
    const Dead &dead = r.world.dead;
    const DeadRange *range =
        std::lower_bound(dead.begin(), dead.end(), item.object,
                         [](const DeadRange &before, uint64_t from) { return before.last < from; });
    item.object = 0;
    if (range == dead.end()) return;
    messages::write_kind(w, MessageKind::dead);
    for (; range != dead.end(); ++range) {
        const size_t before = bits::bit_count(w);
        bits::write_bool(w, true);
        messages::write_range(w, *range);
        bits::write_bool(w, false);
        if (bits::overflow(w)) {
            bits::rewind(w, before);
            item.object = range->first;
            break;
        }
        bits::rewind(w, bits::bit_count(w) - 1);
    }
    bits::write_bool(w, false);
}

static void write_report_object(BitWriter &w, Replica &r, const Item &item)
{
    const ObjectSlot slot = world::find_alive(r.world, static_cast<ObjectId>(item.object));
    if (slot == no_slot) return;
    const bool owned = replica::is_member(r, r.world.slots[slot].owner);
    if (owned) return;
    const Object &object = r.world.slots[slot];
    messages::write_kind(w, MessageKind::report_object);
    bits::write(w, item.token, 32);
    messages::write_object_id(w, object.id);
    messages::write_stamp(w, object.stamp);
    messages::write_peer(w, object.owner);
    messages::write_state(w, r, TrafficKind::report, slot, object.tick);
}

static TrafficKind traffic_kind(MessageKind kind)
{
    switch (kind) {
    case MessageKind::create: return TrafficKind::create;
    case MessageKind::migrate: return TrafficKind::migrate;
    case MessageKind::destroy: return TrafficKind::destroy;
    case MessageKind::dead: return TrafficKind::dead;
    case MessageKind::grant: return TrafficKind::grant;
    case MessageKind::report_object: return TrafficKind::report;
    case MessageKind::relay: return TrafficKind::relay;
    case MessageKind::claim:
    case MessageKind::release:
    case MessageKind::lock:
    case MessageKind::unlock:
    case MessageKind::claim_refused: return TrafficKind::claim;
    default: return TrafficKind::membership;
    }
}

// Charges a message without its values, which write_state() has charged.
static void charge(Replica &r, MessageKind kind, const BitWriter &w)
{
    if (!r.charges || bits::bit_count(w) == 0) return;
    const auto bit_count = static_cast<int64_t>(bits::bit_count(w));
    const auto padded = static_cast<int64_t>(bits::size_bytes(w) * 8);
    charges::add(*r.charges, traffic_kind(kind), bit_count, 1);
    charges::add(*r.charges, TrafficKind::padding, padded - bit_count, 1);
}

static void write_item(BitWriter &w, Replica &r, MemberSlot to, Item &item)
{
    switch (item.kind) {
    case MessageKind::create: return write_create(w, r, item);
    case MessageKind::migrate: return write_migrate(w, r, item);
    case MessageKind::destroy: return write_destroy(w, r, item);
    case MessageKind::dead: return write_dead(w, r, item);
    case MessageKind::grant: return write_grant(w, r, item);
    case MessageKind::report_object: return write_report_object(w, r, item);
    case MessageKind::welcome:
    case MessageKind::view: return views::write_item(w, r, to, item);
    case MessageKind::query: return departures::write_query(w, r, item);
    case MessageKind::report: return departures::write_report(w, r, item);
    case MessageKind::relay: return relay::write(w, r, to, item);
    case MessageKind::claim:
    case MessageKind::release:
    case MessageKind::lock:
    case MessageKind::unlock:
    case MessageKind::claim_refused:
        messages::write_kind(w, item.kind);
        messages::write_object_id(w, static_cast<ObjectId>(item.object));
        if (item.kind == MessageKind::claim_refused) bits::write(w, item.detail, 8);
        return;
    case MessageKind::complaint:
        messages::write_kind(w, item.kind);
        messages::write_peer(w, item.peer);
        return;
    case MessageKind::synced:
    case MessageKind::caught_up: messages::write_kind(w, item.kind); return;
    case MessageKind::none: break;
    }
    TERN_ASSERT(false, "item kind %u", static_cast<unsigned>(item.kind));
}

// A message has arrived. After an announcement the publisher may send UPDATEs of its objects.
static void announced(Replica &r, MemberSlot to, const Item &item)
{
    const bool view = item.kind == MessageKind::welcome || item.kind == MessageKind::view;
    if (view) return views::arrived(r, to, item);
    if (item.tick == 0) return; // Nothing was sent.
    if (item.kind == MessageKind::relay) return relay::arrived(r, to, item);
    if (item.kind == MessageKind::create) {
        const ObjectSlot slot = world::find_alive(r.world, static_cast<ObjectId>(item.object));
        if (slot == no_slot || r.world.slots[slot].owner != r.self) return;
        if (r.world.slots[slot].stamp != 0) return;
        publish::announced(r.publisher, r.world, *r.types, to, slot, item.tick);
    }
    if (item.kind == MessageKind::migrate) {
        const Grant &grant = r.grants[item.grant - 1];
        for (uint16_t i = 0; i < grant.object_count; ++i) {
            const ObjectSlot slot = grants::own_slot(r, grant, i);
            if (slot != no_slot)
                publish::announced(r.publisher, r.world, *r.types, to, slot, item.tick);
        }
    }
}

// --- Pulling and acks ---

bool is_unacked(const Replica &r, MemberSlot to, MessageKind kind)
{
    const uint32_t items_max = r.items.capacity / r.rings.capacity;
    const ItemRing &ring = r.rings[to];
    for (uint32_t i = 0; i < ring.count; ++i)
        if (r.items[to * items_max + (ring.first + i) % items_max].kind == kind) return true;
    return false;
}

// Removes items from the front that have arrived or for which nothing was sent.
static void pop_acked(Replica &r, MemberSlot member)
{
    ItemRing &ring = r.rings[member];
    while (ring.pulled > 0 && at(r, member, 0).message <= ring.acked_count) {
        announced(r, member, at(r, member, 0));
        pop_first(r, member);
    }
}

size_t pull(Replica &r, MemberSlot to, std::span<std::byte> buffer)
{
    ItemRing &ring = r.rings[to];
    while (ring.count > ring.pulled) {
        Item &item = at(r, to, ring.pulled);
        BitWriter w = bits::writer(buffer);
        write_item(w, r, to, item);
        TERN_ASSERT(!bits::overflow(w), "message kind %u", static_cast<unsigned>(item.kind));
        const size_t size = bits::size_bytes(w);
        charge(r, item.kind, w);
        const bool complete = item.kind != MessageKind::dead || item.object == 0;
        if (size > 0) ring.message_count += 1;
        item.message = ring.message_count;
        if (complete) ring.pulled += 1;
        if (size > 0) return size;
        pop_acked(r, to);
    }
    return 0;
}

void acked(Replica &r, MemberSlot to, uint32_t count)
{
    r.rings[to].acked_count = count;
    pop_acked(r, to);
}

void rewind(Replica &r, MemberSlot to)
{
    ItemRing &ring = r.rings[to];
    ring.view_said = ring.view_floor;
    for (uint32_t i = 0; i < ring.count; ++i) {
        Item &item = at(r, to, i);
        if (item.kind == MessageKind::dead) item.object = 0;
        if (item.kind == MessageKind::welcome) ring.view_said = 0; // The member may have no view.
    }
    ring.pulled = 0;
    ring.message_count = ring.acked_count = 0;
}

}
