// The block of memory, packets with UPDATEs and snapshots, and the steps of a tick.
#include "migration/replica.h"
#include "base/hash.h"
#include "migration/departures.h"
#include "migration/event_log.h"
#include "migration/grants.h"
#include "migration/leases.h"
#include "migration/objects.h"
#include "migration/places.h"
#include "migration/queue_entries.h"
#include "migration/relay.h"
#include "migration/views.h"
#include "migration/work.h"
#include "tern/limits.hpp"
#include <algorithm>
#include <bit>
#include <cstring>

namespace tern::replica {

// --- The block ---

static uint32_t claims_max(uint32_t slots)
{
    return slots + 64;
}

static void place_queues(flat::Builder &b, Replica &r, uint32_t slots, const ReplicaLimits &limits)
{
    const size_t members = limits.peers_max;
    const auto place = [&](auto &array, size_t each) {
        flat::place(b, array, members * each, members * each);
    };
    place(r.outbox.queues, 1);
    place(r.outbox.entries, control_count + slots);
    place(r.outbox.unacked, limits.unacked_max);
    // A creator has at most one range of dead ids before each of its living objects, and one after
    // the last. A member that is owed more ranges than owed_max gets all of them anew.
    place(r.outbox.owed, std::min(slots + 1, owed_max));
    place(r.outbox.refusals, claims_max(slots));
    flat::place(b, r.outbox.proofs, slots, slots);
    place(r.outbox.proof_marks, slots);
}

static void place_parts(flat::Builder &b, Replica &r, const TypeTable &types,
                        const ReplicaLimits &limits)
{
    world::place(b, r.world, types, limits.dead_max);
    // While the size is measured, r is a stand-in without arrays.
    uint32_t slots = 0;
    for (const Type &type : types.types)
        slots += world::capacity(type);
    flat::place(b, r.members, limits.peers_max, limits.peers_max);
    flat::place(b, r.order, limits.peers_max);
    flat::place(b, r.ids, limits.peers_max);
    const size_t pairs = size_t{limits.peers_max} * limits.peers_max;
    flat::place(b, r.reports.query_names, pairs, pairs);
    flat::place(b, r.reports.accusations, pairs, pairs);
    flat::place(b, r.reports.former, former_hosts_max);
    place_queues(b, r, slots, limits);
    const size_t type_count = types.types.size();
    flat::place(b, r.room.places, type_count, type_count);
    flat::place(b, r.room.numbers, types.objects_max, types.objects_max);
    flat::place(b, r.room.occupants, std::bit_ceil(2 * size_t{slots}),
                std::bit_ceil(2 * size_t{slots}));
    flat::place(b, r.room.leases, type_count * limits.peers_max, type_count * limits.peers_max);
    flat::place(b, r.granting.all, limits.grants_max, limits.grants_max);
    flat::place(b, r.granting.free, limits.grants_max);
    flat::place(b, r.granting.waiting, slots, slots);
    flat::place(b, r.granting.pending_owners, slots, slots);
    flat::place(b, r.granting.outstanding, slots, slots);
    flat::place(b, r.rights.survived_ticks, slots, slots);
    flat::place(b, r.rights.owner_requests, slots, slots);
    flat::place(b, r.rights.locks, slots, slots);
    flat::place(b, r.granting.granted_us, slots, slots);
    flat::place(b, r.claims, claims_max(slots));
    flat::place(b, r.asked, 2 * size_t{slots} + 64);
    publish::place(b, r.publisher, types,
                   {slots, limits.peers_max, limits.packets_max, limits.updates_max});
    if (b.block) r.sizes.state_bytes = b.used_bytes - offsetof(Replica, session);
    flat::place(b, r.world.received, types.types.size(), types.types.size());
    const size_t values_bytes = grant_objects_max * types.size_bytes_max;
    flat::place(b, r.arrived.values, values_bytes, values_bytes);
    flat::place(b, r.arrived.members, limits.peers_max, limits.peers_max);
    flat::place(b, r.scratch, limits.send_parts, limits.send_parts);
    for (uint32_t part = 0; part < limits.send_parts; ++part) {
        SendScratch stand_in = {};
        SendScratch &scratch = b.block ? r.scratch[part] : stand_in;
        encode_cache::place(b, scratch.cache, types);
        snapshots::place(b, scratch.snapshots, types);
        publish::place(b, scratch.send_order, slots);
    }
    state_history::place(b, r.state_history, types, slots, limits.peers_max);
    flat::place(b, r.log.events, 5 * (size_t{slots} + limits.peers_max) + 1024);
    flat::place(b, r.log.changed, slots, slots);
    flat::place(b, r.log.visibility, slots, slots);
    flat::place(b, r.claim_rates, type_count * limits.peers_max, type_count * limits.peers_max);
    flat::place(b, r.shortage.least_alive, limits.peers_max, limits.peers_max);
}

ReplicaSizes sizes(const TypeTable &types, const ReplicaLimits &limits)
{
    flat::Builder builder = {nullptr, sizeof(Replica)};
    Replica stand_in = {};
    place_parts(builder, stand_in, types, limits);
    return {builder.used_bytes, stand_in.world.values.capacity, stand_in.world.slots.capacity,
            stand_in.log.events.capacity};
}

size_t size_bytes(const TypeTable &types, const ReplicaLimits &limits)
{
    return sizes(types, limits).block_bytes;
}

Replica *place(void *memory, const TypeTable &types, const ReplicaLimits &limits)
{
    TERN_ASSERT(limits.peers_max <= members_max, "peers_max %u", limits.peers_max);
    TERN_ASSERT(limits.unacked_max >= grant_objects_max, "unacked_max %u", limits.unacked_max);
    TERN_ASSERT(limits.send_parts > 0 && limits.send_parts <= send_parts_max, "%u parts",
                limits.send_parts);
    auto *r = static_cast<Replica *>(memory);
    r->types = &types;
    flat::Builder builder = {static_cast<std::byte *>(memory), sizeof(Replica)};
    place_parts(builder, *r, types, limits);
    r->sizes.block_bytes = builder.used_bytes;
    for (uint32_t i = r->granting.all.capacity; i > 0; --i)
        flat::push(r->granting.free, i - 1);
    places::set_up(*r);
    r->world.tick = 1;
    r->rules.quorum = limits.quorum;
    r->rules.reserved_peer_ids = limits.reserved_peer_ids;
    r->rules.topology = limits.topology;
    return r;
}

void clear(Replica &r)
{
    static constexpr std::byte zeros[4096] = {};
    auto *at = reinterpret_cast<std::byte *>(&r);
    for (size_t left = r.sizes.block_bytes; left > 0;) {
        const size_t size = std::min(left, sizeof zeros);
        if (std::memcmp(at, zeros, size) != 0) std::memset(at, 0, size);
        at += size;
        left -= size;
    }
}

uint64_t state_hash(const Replica &r)
{
    const auto *bytes = reinterpret_cast<const std::byte *>(&r);
    return hash::add(hash::start, {bytes + offsetof(Replica, session), r.sizes.state_bytes});
}

// --- UPDATEs ---

// The owner in whose name a member sends an object's values: its own, or, from the host of a star,
// that of any owner but us.
static PeerId speaks_for(const Replica &r, PeerId from, ObjectSlot slot)
{
    if (r.rules.topology == Topology::mesh || from != successor(r)) return from;
    if (slot == no_slot || r.world.slots[slot].owner == r.self) return from;
    return r.world.slots[slot].owner;
}

static void note_applied(Replica &r, const AppliedUpdate &applied, Verdict &verdict)
{
    if (applied.result == Applied::changed) {
        event_log::changed(r, applied.slot, applied.changed_fields);
        relay::changed(r, applied.slot, applied.changed_fields);
    }
    event_log::visibility_changed(r, applied.slot, applied.visibility);
    if (applied.result <= Applied::repeated) replica_objects::push_state_history(r, applied.slot);
    if (applied.result == Applied::repeated) relay::repeated(r, applied.slot);
    if (applied.result == Applied::forged) verdict = Verdict::forged;
}

Verdict receive_updates(Replica &r, PeerId from, const ReadUpdates &read)
{
    if (r.fault != Fault::none) return Verdict::ignored;
    if (!is_member(r, from)) return Verdict::ignored;
    if (!exchanges_objects_with(r, from)) return Verdict::ignored;
    work::messages(r, read.message_count, read.message_bytes);
    Verdict verdict = Verdict::ok;
    ObjectSlot slot = no_slot;
    for (const Update &update : read.parts.first(read.count)) {
        r.update_object = update.object;
        slot = world::find_near(r.world, slot, update.object);
        const PeerId owner = speaks_for(r, from, slot);
        note_applied(r, publish::apply(r.world, *r.types, owner, slot, update), verdict);
    }
    r.update_object = ObjectId::none;
    return verdict;
}

SnapshotCheck check_snapshot(Replica &r, PeerId from, std::span<const std::byte> message)
{
    const MemberSlot member = find_member(r, from);
    if (member == no_member || r.members[member].fenced) return SnapshotCheck::refused;
    return snapshots::check(r.publisher.snapshots, r.scratch[0].snapshots, *r.types, member,
                            message);
}

Verdict receive_snapshot(Replica &r, PeerId from)
{
    SnapshotScratch &scratch = r.scratch[0].snapshots;
    if (!snapshots::receive(r.publisher.snapshots, scratch, find_member(r, from)))
        return Verdict::ok;
    if (r.fault != Fault::none || !exchanges_objects_with(r, from)) return Verdict::ignored;
    work::message(r, scratch.read.message_bytes);
    Verdict verdict = Verdict::ok;
    ObjectSlot slot = no_slot;
    for (uint32_t i = 0; i < scratch.read_entries.count; ++i) {
        r.update_object = scratch.read_entries[i].id;
        slot = world::find_near(r.world, slot, r.update_object);
        const CarriedObject carried = snapshots::carried_object(scratch, i);
        note_applied(r, publish::apply_carried(r.world, *r.types, from, slot, carried), verdict);
    }
    r.update_object = ObjectId::none;
    return verdict;
}

bool has_news(const Replica &r, MemberSlot slot)
{
    return publish::has_due(r.publisher, r.world, slot) || queue_entries::first(r, slot) != 0;
}

bool has_updates(const Replica &r, PeerId to)
{
    const MemberSlot member = find_member(r, to);
    return member != no_member && publish::has_due(r.publisher, r.world, member);
}

static PublishTo publish_to(Replica &r, MemberSlot member)
{
    return {r.publisher, r.world, *r.types, member};
}

// Most ticks of most peers write nothing, and leave the caches alone.
static SendScratch &scratch_of(Replica &r, uint32_t part)
{
    SendScratch &scratch = r.scratch[part];
    if (scratch.is_begun) return scratch;
    scratch.is_begun = true;
    if (part == 0) scratch.charges = r.charges;
    encode_cache::begin(scratch.cache);
    snapshots::begin(scratch.snapshots);
    scratch.send_order.tick = 0;
    return scratch;
}

size_t write_updates(Replica &r, PeerId to, uint64_t packet, std::span<std::byte> buffer,
                     uint32_t part)
{
    return publish::write(publish_to(r, find_member(r, to)), scratch_of(r, part), packet, buffer);
}

size_t write_snapshot(Replica &r, PeerId to, uint64_t packet, std::span<std::byte> buffer,
                      uint32_t part)
{
    return publish::write_snapshot(publish_to(r, find_member(r, to)), scratch_of(r, part), packet,
                                   buffer);
}

void on_packet_outcome(Replica &r, PeerId to, uint64_t packet, bool acked)
{
    const MemberSlot member = find_member(r, to);
    if (member == no_member || r.members[member].fenced) return;
    publish::on_packet_outcome(publish_to(r, member), packet, acked);
}

bool set_priority(Replica &r, ObjectSlot slot, PeerId peer, uint16_t priority)
{
    const MemberSlot member = is_member(r, peer) ? find_member(r, peer) : no_member;
    const PeerId owner = r.world.slots[slot].owner;
    const bool sends = r.rules.topology == Topology::star ? relays(r) : owner == r.self;
    if (member == no_member || peer == r.self || peer == owner || !sends) return false;
    publish::set_priority(r.publisher, r.world, member, slot, priority);
    return true;
}

// --- Time ---

void begin_receive(Replica &r, uint64_t now_us)
{
    r.now_us = now_us;
    r.work_ns = 0;
    event_log::clear(r);
    world::sweep(r.world, *r.types);
}

void end_receive(Replica &r)
{
    if (r.phase != Phase::in || r.fault != Fault::none) return;
    departures::settle(r);
    places::settle(r);
    leases::settle(r);
    if (host(r) != r.self) return;
    views::finish_world_syncs(r);
    views::give_votes(r);
    replica_objects::settle_claims(r);
    grants::settle(r, grants::Taking::to_all);
}

void begin_send(Replica &r)
{
    if (r.phase == Phase::in && r.fault == Fault::none && host(r) == r.self)
        grants::settle(r, grants::Taking::to_others);
    bounds::flush(r.publisher, r.world, *r.types, r.self);
    publish::begin(r.publisher, r.world, *r.types, r.self);
    for (SendScratch &part : r.scratch.all())
        part.is_begun = false;
}

void end_send(Replica &r)
{
    if (r.world.tick < UINT32_MAX)
        r.world.tick += 1;
    else if (r.fault == Fault::none)
        r.fault = Fault::counter_full; // No later value could have a newer tick.
}

bool events_room(const Replica &r)
{
    return r.log.events.capacity - r.log.events.count >=
           3 * (r.log.changed.count + r.members.count) + 64;
}

}
