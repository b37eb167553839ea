#include "replication/publish.h"
#include "base/mutant.h"
#include "replication/type_checks.h"
#include "replication/update_codec.h"
#include <algorithm>
#include <bit>
#include <cstring>

namespace tern::publish {

static_assert(std::has_unique_object_representations_v<Published>);
static_assert(std::has_unique_object_representations_v<Interest>);
static_assert(std::has_unique_object_representations_v<SentUpdates>);
static_assert(std::has_unique_object_representations_v<SentObject>);
static_assert(std::has_unique_object_representations_v<PeerRing>);

static uint32_t words(uint32_t slot_count)
{
    return (slot_count + 63) / 64;
}

void place(flat::Builder &builder, Publisher &p, const TypeTable &types, uint32_t slot_count,
           uint32_t peer_count, uint32_t packets_max, uint32_t objects_max)
{
    p.slot_count = slot_count;
    p.peer_count = p.peers_used = peer_count;
    p.packets_max = packets_max;
    p.objects_max = objects_max;
    const size_t published = size_t{peer_count} * slot_count;
    const size_t due = size_t{peer_count} * words(slot_count);
    const size_t packets = size_t{peer_count} * packets_max;
    const size_t objects = size_t{peer_count} * objects_max;
    flat::place(builder, p.published, published, published);
    flat::place(builder, p.interests, published, published);
    flat::place(builder, p.due, due, due);
    flat::place(builder, p.rings, peer_count, peer_count);
    flat::place(builder, p.sent_packets, packets, packets);
    flat::place(builder, p.sent_objects, objects, objects);
    snapshots::place(builder, p.snapshots, types, slot_count, peer_count);
    bounds::place(builder, p.bounds, types, slot_count);
}

void place(flat::Builder &builder, Turns &turns, uint32_t slot_count)
{
    flat::place(builder, turns.order, slot_count);
}

static Published &published_at(Publisher &p, uint32_t peer, Slot slot)
{
    return p.published[size_t{peer} * p.slot_count + slot];
}

static Interest &interest_at(Publisher &p, uint32_t peer, Slot slot)
{
    return p.interests[size_t{peer} * p.slot_count + slot];
}

static uint64_t &due_word(Publisher &p, uint32_t peer, Slot slot)
{
    return p.due[size_t{peer} * words(p.slot_count) + slot / 64];
}

static void set_due(Publisher &p, uint32_t peer, Slot slot)
{
    uint64_t &word = due_word(p, peer, slot);
    p.rings[peer].due_count += (word >> slot % 64 & 1) == 0;
    word |= uint64_t{1} << slot % 64;
}

static void clear_due(Publisher &p, uint32_t peer, Slot slot)
{
    uint64_t &word = due_word(p, peer, slot);
    p.rings[peer].due_count -= (word >> slot % 64 & 1) != 0;
    word &= ~(uint64_t{1} << slot % 64);
}

// The first slot from `from` on that is due; slot_count if none.
static Slot next_due(const Publisher &p, uint32_t peer, Slot from)
{
    const size_t first_word = size_t{peer} * words(p.slot_count);
    for (uint32_t i = from / 64; i < words(p.slot_count); ++i) {
        uint64_t word = p.due[first_word + i];
        if (i == from / 64) word &= ~uint64_t{0} << from % 64;
        if (word != 0) return i * 64 + static_cast<uint32_t>(std::countr_zero(word));
    }
    return p.slot_count;
}

static bool is_own(const Publisher &p, const Object &object)
{
    return p.ticks == Ticks::one || static_cast<uint32_t>(object.owner) == p.self;
}

// --- What is due ---

// Of a mutant: truths that changed again while their change is in flight, and so are back at the
// value that the peer has acked.
static uint64_t returned(const World &world, const TypeTable &types, Slot slot,
                         const Published &published)
{
    if (published.sent_tick <= published.acked_tick) return 0;
    uint64_t mask = 0;
    uint32_t i = 0;
    for (const Field &field : types.types[world.slots[slot].type].fields) {
        const bool again = world::field_tick(world, slot, i) > published.sent_tick;
        if (field.kind == FieldKind::boolean && again) mask |= uint64_t{1} << i;
        i += 1;
    }
    return mask;
}

// The fields that changed after all that the peer has acked.
static uint64_t needed(const World &world, const TypeTable &types, Slot slot,
                       const Published &published)
{
    if (published.acked_tick == 0 && !TERN_MUTANT(update_before_the_ack)) return 0;
    const uint32_t known = TERN_MUTANT(only_what_is_not_in_flight)
                               ? std::max(published.acked_tick, published.sent_tick)
                               : published.acked_tick;
    const auto fields = static_cast<uint32_t>(types.types[world.slots[slot].type].fields.size());
    const uint32_t *ticks = world.field_ticks.begin() + size_t{slot} * types.fields_count_max;
    uint64_t mask = 0;
    for (uint32_t i = 0; i < fields; ++i)
        mask |= uint64_t{ticks[i] > known} << i;
    if (TERN_MUTANT(values_compared)) mask &= ~returned(world, types, slot, published);
    return mask;
}

// Whether anything is to be told to the peer.
static bool is_wanted(Publisher &p, const World &world, const TypeTable &types, uint32_t peer,
                      Slot slot)
{
    const Published &published = published_at(p, peer, slot);
    if (p.rings[peer].interests == 0) return needed(world, types, slot, published) != 0;
    if (published.acked_tick == 0) return false;
    const Interest &interest = interest_at(p, peer, slot);
    if (sight_due(interest)) return true;
    return !interest.hidden && needed(world, types, slot, published) != 0;
}

void changed(Publisher &p, Slot slot)
{
    for (uint32_t peer = 0; peer < p.peers_used; ++peer) {
        if (p.rings[peer].interests != 0 && interest_at(p, peer, slot).hidden) continue;
        if (published_at(p, peer, slot).acked_tick != 0 || TERN_MUTANT(update_before_the_ack))
            set_due(p, peer, slot);
    }
    snapshots::changed(p.snapshots, slot);
}

void announced(Publisher &p, const World &world, const TypeTable &types, uint32_t peer, Slot slot,
               uint32_t tick)
{
    TERN_ASSERT(tick > 0 && (tick <= world.tick || p.ticks == Ticks::each), "tick %u at %u", tick,
                world.tick);
    Published &published = published_at(p, peer, slot);
    published.acked_tick = std::max(published.acked_tick, tick);
    if (is_wanted(p, world, types, peer, slot)) set_due(p, peer, slot);
}

void set_priority(Publisher &p, const World &world, uint32_t peer, Slot slot, uint16_t priority)
{
    Interest &interest = interest_at(p, peer, slot);
    const bool hidden = priority == 0;
    p.rings[peer].interests = 1;
    if (!hidden) interest.priority = priority;
    if (interest.hidden == hidden) return;
    interest.hidden = hidden;
    interest.sight_tick = world.tick;
    interest.sight_told = false;
    const bool said = hidden || !TERN_MUTANT(shown_again_unsaid);
    if (published_at(p, peer, slot).acked_tick != 0 && said) set_due(p, peer, slot);
}

void forget_object(Publisher &p, Slot slot)
{
    for (uint32_t peer = 0; peer < p.peers_used; ++peer) {
        published_at(p, peer, slot) = {};
        if (p.rings[peer].interests != 0) interest_at(p, peer, slot) = {};
        clear_due(p, peer, slot);
    }
    snapshots::forget_object(p.snapshots, slot);
    bounds::forget_object(p.bounds, slot);
}

bool has_due(const Publisher &p, uint32_t peer)
{
    return p.rings[peer].due_count > 0;
}

bool is_due(const Publisher &p, uint32_t peer, Slot slot)
{
    const uint64_t word = p.due[size_t{peer} * words(p.slot_count) + slot / 64];
    return (word >> slot % 64 & 1) != 0;
}

// --- What was sent ---

// As place % max, for a place that is less than twice around the ring.
static uint32_t in_ring(uint32_t place, uint32_t max)
{
    return place < max ? place : place - max;
}

static SentUpdates &packet_at(Publisher &p, uint32_t peer, uint32_t i)
{
    const uint32_t place = in_ring(p.rings[peer].packet_first + i, p.packets_max);
    return p.sent_packets[size_t{peer} * p.packets_max + place];
}

static SentObject &object_at(Publisher &p, uint32_t peer, uint32_t place)
{
    return p.sent_objects[size_t{peer} * p.objects_max + in_ring(place, p.objects_max)];
}

static void remember_object(Publisher &p, uint32_t peer, const Object &object, Slot slot,
                            uint32_t tick)
{
    PeerRing &ring = p.rings[peer];
    SentObject &sent = object_at(p, peer, ring.object_first + ring.object_count);
    sent = {object.id, object.stamp, slot, tick};
    ring.object_count += 1;
}

static void remember_packet(Publisher &p, uint32_t peer, uint64_t packet, uint32_t tick,
                            uint32_t object_count, uint32_t snapshot)
{
    PeerRing &ring = p.rings[peer];
    TERN_ASSERT(ring.packet_count == 0 ||
                    packet >= packet_at(p, peer, ring.packet_count - 1).packet,
                "packet %llu is not a new one", static_cast<unsigned long long>(packet));
    const uint32_t first =
        in_ring(ring.object_first + ring.object_count - object_count, p.objects_max);
    packet_at(p, peer, ring.packet_count) = {packet, tick, first, object_count, snapshot};
    ring.packet_count += 1;
}

// Packets whose fate is known leave the ring in order.
static void forget_told(Publisher &p, uint32_t peer)
{
    PeerRing &ring = p.rings[peer];
    while (ring.packet_count > 0 && packet_at(p, peer, 0).tick == 0) {
        SentUpdates &sent = packet_at(p, peer, 0);
        for (uint32_t i = 0; i < sent.count; ++i)
            object_at(p, peer, sent.first + i) = {};
        ring.object_first = in_ring(ring.object_first + sent.count, p.objects_max);
        ring.object_count -= sent.count;
        sent = {};
        ring.packet_first = in_ring(ring.packet_first + 1, p.packets_max);
        ring.packet_count -= 1;
    }
    if (ring.packet_count > 0) return;
    ring.packet_first = 0; // So that equal states are equal bytes.
    ring.object_first = 0;
}

void forget_peer(Publisher &p, uint32_t peer)
{
    TERN_ASSERT(peer < p.peer_count, "peer %u of %u", peer, p.peer_count);
    flat::zero(p.published, size_t{peer} * p.slot_count, p.slot_count);
    if (p.rings[peer].interests != 0)
        flat::zero(p.interests, size_t{peer} * p.slot_count, p.slot_count);
    flat::zero(p.due, size_t{peer} * words(p.slot_count), words(p.slot_count));
    for (uint32_t i = 0; i < p.rings[peer].packet_count; ++i)
        packet_at(p, peer, i).tick = 0;
    forget_told(p, peer);
    p.rings[peer] = {};
    snapshots::forget_peer(p.snapshots, peer);
}

void forget_interests(Publisher &p)
{
    for (uint32_t peer = 0; peer < p.peer_count; ++peer) {
        if (p.rings[peer].interests == 0) continue;
        flat::zero(p.interests, size_t{peer} * p.slot_count, p.slot_count);
        p.rings[peer].interests = 0;
    }
}

// --- Writing ---

// Objects that did not fit, after which no smaller one is looked for.
static constexpr uint32_t misfits_max = 4;

// What an object that did not fit may leave of a packet, for zeros to fill.
static constexpr size_t fill_bytes_max = 32;

enum class Added : uint8_t { yes, nothing, no_room };

static void charge(Charges &charges, const World &world, const TypeTable &types, Slot slot,
                   uint64_t mask, size_t bit_count)
{
    const TypeId type = world.slots[slot].type;
    if (!charges::add_like_before(charges, types, type, mask, bit_count))
        charges::add_fields(charges, types, type, mask, world::value(world, types, slot));
}

// Those of predicted types; but whether it is hidden is an UPDATE's to say.
static bool is_for_snapshots(Publisher &p, const SnapshotScratch &scratch, uint32_t peer, Slot slot)
{
    if (!snapshots::takes(p.snapshots, slot)) return false;
    if (std::ranges::find(scratch.stray.all(), slot) != scratch.stray.all().end()) return false;
    return p.rings[peer].interests == 0 || !sight_due(interest_at(p, peer, slot));
}

static Added add_slot(Publisher &p, const World &world, CodeCache &codes, const TypeTable &types,
                      uint32_t peer, Slot slot, UpdateWriter &w, Charges *charges)
{
    const Object &object = world.slots[slot];
    Published &published = published_at(p, peer, slot);
    const bool has_interests = p.rings[peer].interests != 0;
    const Interest interest = has_interests ? interest_at(p, peer, slot) : Interest{};
    const bool alive = object.life == Life::alive;
    uint64_t mask = alive && !interest.hidden ? needed(world, types, slot, published) : 0;
    const bool says_sight = alive && sight_due(interest);
    if (mask == 0 && !says_sight) {
        clear_due(p, peer, slot);
        return Added::nothing;
    }
    if (mask == 0 && !interest.hidden) mask = 1; // That it is told is the message.
    const bool own = is_own(p, object) || TERN_MUTANT(older_value_told);
    const uint32_t tick = own ? world.tick : object.tick;
    // A second one at this tick would not be newer there. It stays due. Another's value is the same
    // as long as its tick is: it is said again only when it was lost.
    if (own && published.sent_tick == tick) return Added::nothing;
    if (p.rings[peer].object_count == p.objects_max) return Added::no_room;
    const size_t begin = update_codec::bit_count(w);
    const CodedFields coded =
        mask != 0 ? code_cache::fields(codes, world, types, slot, mask) : CodedFields{};
    if (!update_codec::add(w, object, coded, tick)) return Added::no_room;
    if (charges) charge(*charges, world, types, slot, mask, update_codec::bit_count(w) - begin);
    remember_object(p, peer, object, slot, tick);
    published.sent_tick = tick;
    if (has_interests) interest_at(p, peer, slot).sent_at = world.tick;
    clear_due(p, peer, slot);
    return Added::yes;
}

static void make_order(const Publisher &p, Turns &turns, uint32_t tick, uint32_t peer)
{
    flat::clear(turns.order);
    turns.peer = peer;
    turns.tick = tick;
    turns.next = 0;
    const Interest *interests = p.interests.begin() + size_t{peer} * p.slot_count;
    for (Slot slot = next_due(p, peer, 0); slot < p.slot_count;
         slot = next_due(p, peer, slot + 1)) {
        const uint64_t waited = urgency(interests[slot], tick);
        if (waited >= priority_one || sight_due(interests[slot]))
            flat::push(turns.order, {waited, slot});
    }
    std::sort(turns.order.begin(), turns.order.end(), [](const Turn &a, const Turn &b) {
        return a.urgency != b.urgency ? a.urgency > b.urgency : a.slot < b.slot;
    });
}

// What is told next to a peer: in turn around the slots, or by the game's priorities.
struct Choice {
    Turns *turns; // nullptr: around the slots.
    uint32_t left;
    uint32_t next; // Slot, or place in turns->order.
};

static Choice choice(const Publisher &p, Turns &turns, uint32_t tick, uint32_t peer)
{
    const PeerRing &ring = p.rings[peer];
    if (ring.interests == 0) return {nullptr, ring.due_count, ring.cursor};
    if (turns.tick != tick || turns.peer != peer) make_order(p, turns, tick, peer);
    return {&turns, turns.order.count - turns.next, turns.next};
}

// no_slot: it is not due any more.
static Slot choose(const Publisher &p, uint32_t peer, Choice &c)
{
    c.left -= 1;
    if (c.turns) {
        const Slot slot = c.turns->order[c.next++].slot;
        return is_due(p, peer, slot) ? slot : no_slot;
    }
    Slot slot = next_due(p, peer, c.next);
    if (slot == p.slot_count) slot = next_due(p, peer, 0);
    c.next = slot + 1;
    return slot;
}

// The slot just chosen had no room: it is the first in the next packet.
static void begin_there_next(PeerRing &ring, const Choice &c)
{
    if (c.turns)
        c.turns->next = c.next - 1;
    else
        ring.cursor = c.next - 1;
}

// Datagrams of one size are cheaper: the system takes several as one.
static size_t fill(std::span<std::byte> buffer, size_t size_bytes)
{
    const std::span<std::byte> left = buffer.subspan(size_bytes);
    if (size_bytes == 0 || left.size() > fill_bytes_max) return size_bytes;
    std::ranges::fill(left, std::byte{0});
    return buffer.size();
}

size_t write(Publisher &p, const World &world, CodeCache &codes, Turns &turns,
             const SnapshotScratch &scratch, const TypeTable &types, uint32_t peer, uint64_t packet,
             std::span<std::byte> buffer, Charges *charges)
{
    TERN_ASSERT(peer < p.peer_count && world.tick > 0, "peer %u of %u, tick %u", peer, p.peer_count,
                world.tick);
    PeerRing &ring = p.rings[peer];
    if (ring.packet_count == p.packets_max) return 0;
    UpdateWriter w = update_codec::writer(buffer, static_cast<PeerId>(p.self), world.tick, p.ticks);
    const size_t head_bits = update_codec::bit_count(w);
    uint32_t count = 0;
    uint32_t misfits = 0;
    Choice c = choice(p, turns, world.tick, peer);
    while (c.left > 0) { // Each once.
        const Slot slot = choose(p, peer, c);
        if (slot == no_slot || is_for_snapshots(p, scratch, peer, slot)) continue;
        const Added added = add_slot(p, world, codes, types, peer, slot, w, charges);
        if (added == Added::yes) count += 1;
        if (added != Added::no_room) continue;
        if (misfits == 0) begin_there_next(ring, c);
        misfits += 1;
        if (misfits == misfits_max || ring.object_count == p.objects_max) break;
    }
    if (count > 0) remember_packet(p, peer, packet, world.tick, count, 0);
    const size_t objects_end = update_codec::bit_count(w);
    size_t size_bytes = update_codec::finish(w);
    if (misfits > 0) size_bytes = fill(buffer, size_bytes);
    if (charges && count > 0) {
        const size_t end_bits = update_codec::bit_count(w) - objects_end;
        charges::add(*charges, TrafficKind::update, static_cast<int64_t>(head_bits + end_bits), 1);
        const size_t padding_bits = size_bytes * 8 - update_codec::bit_count(w);
        charges::add(*charges, TrafficKind::padding, static_cast<int64_t>(padding_bits), 1);
    }
    return size_bytes;
}

static void charge_snapshot(Charges &charges, const World &world, const TypeTable &types,
                            const SnapshotScratch &scratch, size_t size_bytes)
{
    size_t bits = 0;
    for (uint32_t i = 0; i < scratch.told.count; ++i) {
        const TypeId type = world.slots[scratch.told[i]].type;
        charges::add_coded(charges, types, TrafficKind::snapshot, type, nullptr,
                           scratch.told_bits[i]);
        bits += scratch.told_bits[i];
    }
    charges::add(charges, TrafficKind::snapshot, static_cast<int64_t>(size_bytes * 8 - bits), 1);
}

size_t write_snapshot(Publisher &p, const World &world, SnapshotScratch &scratch,
                      const TypeTable &types, uint32_t peer, uint64_t packet,
                      std::span<std::byte> buffer, Charges *charges)
{
    PeerRing &ring = p.rings[peer];
    if (ring.packet_count == p.packets_max) return 0;
    const size_t first = size_t{peer} * p.slot_count;
    SnapshotWish wish = {};
    wish.published = {p.published.begin() + first, p.slot_count};
    wish.due = {p.due.begin() + size_t{peer} * words(p.slot_count), words(p.slot_count)};
    if (ring.interests != 0) wish.interests = {p.interests.begin() + first, p.slot_count};
    wish.told_max = p.objects_max - ring.object_count;
    const size_t size = snapshots::write(p.snapshots, scratch, world, peer, wish, buffer);
    // What its lineage tells is as good as sent: if that is lost, it is due again.
    for (const Slot slot : scratch.same.all())
        clear_due(p, peer, slot);
    if (size == 0) return 0;
    for (const Slot slot : scratch.told.all()) {
        const Object &object = world.slots[slot];
        remember_object(p, peer, object, slot, world.tick);
        published_at(p, peer, slot).sent_tick = world.tick;
        if (ring.interests != 0) interest_at(p, peer, slot).sent_at = world.tick;
        clear_due(p, peer, slot);
    }
    if (charges) charge_snapshot(*charges, world, types, scratch, size);
    remember_packet(p, peer, packet, world.tick, scratch.told.count,
                    snapshots::last_number(p.snapshots, peer));
    return size;
}

// Sent at a tick before it was hidden or shown again, it may have come too late to count.
static void settle_arrived(Publisher &p, uint32_t peer, const SentObject &was, uint32_t sent_at)
{
    Published &published = published_at(p, peer, was.slot);
    if (p.rings[peer].interests != 0) {
        Interest &interest = interest_at(p, peer, was.slot);
        if (sent_at < interest.sight_tick) return;
        if (interest.sight_tick != 0) interest.sight_told = true;
        if (interest.hidden) return;
    }
    published.acked_tick = std::max(published.acked_tick, was.tick);
}

// What has arrived, or been lost, of the objects of one packet.
static void settle(Publisher &p, const World &world, const TypeTable &types, uint32_t peer,
                   const SentUpdates &sent, bool arrived)
{
    for (uint32_t i = 0; i < sent.count; ++i) {
        const SentObject &was = object_at(p, peer, sent.first + i);
        const Object &object = world.slots[was.slot];
        Published &published = published_at(p, peer, was.slot);
        if (object.life != Life::alive || object.id != was.id || object.stamp != was.stamp ||
            (published.acked_tick == 0 && !TERN_MUTANT(update_before_the_ack)))
            continue;
        if (arrived) {
            settle_arrived(p, peer, was, sent.tick);
            continue;
        }
        if (TERN_MUTANT(only_what_is_not_in_flight)) published.sent_tick = published.acked_tick;
        const bool newer = was.tick > published.acked_tick || p.rings[peer].interests != 0;
        if (newer && is_wanted(p, world, types, peer, was.slot)) set_due(p, peer, was.slot);
    }
}

// Snapshots of which is known now what they were good for.
static void settle_snapshots(Publisher &p, const World &world, const TypeTable &types,
                             uint32_t peer)
{
    for (uint32_t i = 0; i < p.rings[peer].packet_count; ++i) {
        SentUpdates &sent = packet_at(p, peer, i);
        if (sent.tick == 0 || sent.snapshot == 0) continue;
        const SnapshotFate fate = snapshots::fate_of(p.snapshots, peer, sent.snapshot);
        if (fate == SnapshotFate::in_flight || fate == SnapshotFate::arrived) continue;
        settle(p, world, types, peer, sent, fate == SnapshotFate::usable);
        sent.tick = 0;
    }
}

void fate(Publisher &p, const World &world, const TypeTable &types, uint32_t peer, uint64_t packet,
          bool arrived)
{
    TERN_ASSERT(peer < p.peer_count, "peer %u of %u", peer, p.peer_count);
    uint32_t first = 0;
    uint32_t count = p.rings[peer].packet_count;
    bool told_of_snapshot = false;
    while (count > 0) { // The first that is not before `packet`.
        const uint32_t half = count / 2;
        const bool before = packet_at(p, peer, first + half).packet < packet;
        first = before ? first + half + 1 : first;
        count = before ? count - half - 1 : half;
    }
    for (; first < p.rings[peer].packet_count; ++first) {
        SentUpdates &sent = packet_at(p, peer, first);
        if (sent.packet != packet) break;
        if (sent.snapshot != 0) {
            snapshots::fate(p.snapshots, peer, sent.snapshot, arrived);
            told_of_snapshot = true;
            continue;
        }
        if (sent.tick != 0) settle(p, world, types, peer, sent, arrived);
        sent.tick = 0;
    }
    if (told_of_snapshot) settle_snapshots(p, world, types, peer);
    forget_told(p, peer);
}

void lose_all(Publisher &p, const World &world, const TypeTable &types, uint32_t peer)
{
    TERN_ASSERT(peer < p.peer_count, "peer %u of %u", peer, p.peer_count);
    for (uint32_t i = 0; i < p.rings[peer].packet_count; ++i) {
        SentUpdates &sent = packet_at(p, peer, i);
        if (sent.tick != 0) settle(p, world, types, peer, sent, false);
        sent.tick = 0;
    }
    snapshots::lose_all(p.snapshots, peer);
    forget_told(p, peer);
}

}
