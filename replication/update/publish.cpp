#include "replication/update/publish_rings.h"

namespace tern::publish {

static_assert(std::has_unique_object_representations_v<AckedState>);
static_assert(std::has_unique_object_representations_v<Interest>);
static_assert(std::has_unique_object_representations_v<SentUpdates>);
static_assert(std::has_unique_object_representations_v<SentRun>);
static_assert(std::has_unique_object_representations_v<PeerRing>);

void place(flat::Builder &builder, Publisher &p, const TypeTable &types,
           const PublishLimits &limits)
{
    p.slot_count = limits.slots;
    p.peer_count = p.peers_used = limits.peers;
    p.packets_max = limits.packets_max;
    p.runs_max = limits.runs_max;
    const size_t acked_state = size_t{limits.peers} * limits.slots;
    const size_t due = size_t{limits.peers} * words(limits.slots);
    const size_t packets = size_t{limits.peers} * limits.packets_max;
    const size_t runs = size_t{limits.peers} * limits.runs_max;
    flat::place(builder, p.acked_states, acked_state, acked_state);
    flat::place(builder, p.interests, acked_state, acked_state);
    flat::place(builder, p.due, due, due);
    flat::place(builder, p.visible, due, due);
    flat::place(builder, p.rings, limits.peers, limits.peers);
    flat::place(builder, p.sent_packets, packets, packets);
    flat::place(builder, p.sent_runs, runs, runs);
    snapshots::place(builder, p.snapshots, types, limits.slots, limits.peers);
    bounds::place(builder, p.bounds, types, limits.slots);
}

void place(flat::Builder &builder, SendOrder &send_order, uint32_t slot_count)
{
    flat::place(builder, send_order.order, slot_count);
}

// --- What is due ---

uint64_t needed(const World &world, const TypeTable &types, ObjectSlot slot,
                const AckedState &acked_state)
{
    if (acked_state.acked_tick == 0) return 0;
    const uint32_t known = acked_state.acked_tick;
    const auto fields = static_cast<uint32_t>(types.types[world.slots[slot].type].fields.size());
    const uint32_t *ticks = world.field_ticks.begin() + size_t{slot} * types.fields_count_max;
    uint64_t mask = 0;
    for (uint32_t i = 0; i < fields; ++i)
        mask |= uint64_t{ticks[i] > known} << i;
    return mask;
}

// Whether the peer needs an UPDATE of the object.
static bool is_wanted(const PublishTo &to, ObjectSlot slot)
{
    const AckedState &acked_state = acked_state_at(to.p, to.peer, slot);
    const bool is_needed = needed(to.world, to.types, slot, acked_state) != 0;
    if (to.p.rings[to.peer].interests == 0) return is_needed;
    if (acked_state.acked_tick == 0) return false;
    const Interest &interest = interest_at(to.p, to.peer, slot);
    return visibility_due(interest) || (!interest.hidden && is_needed);
}

static void set_visible(Publisher &p, uint32_t peer, ObjectSlot slot)
{
    const bool hidden = p.rings[peer].interests != 0 && interest_at(p, peer, slot).hidden;
    const uint64_t bit = uint64_t{1} << slot % 64;
    uint64_t &word = p.visible[size_t{peer} * words(p.slot_count) + slot / 64];
    word &= ~bit;
    if (acked_state_at(p, peer, slot).acked_tick != 0 && !hidden) word |= bit;
}

// The slots of one word whose change since the last begin() is due to the peer, as bits.
static uint64_t changed_for(const Publisher &p, const World &world, uint32_t peer, uint32_t word)
{
    const uint64_t seen = p.visible[size_t{peer} * words(p.slot_count) + word];
    return world.changed[word] & seen;
}

// std::popcount() is a function call unless the compiler may assume the processor's instruction.
static uint32_t count_bits(uint64_t word)
{
    word -= word >> 1 & 0x5555555555555555;
    word = (word & 0x3333333333333333) + (word >> 2 & 0x3333333333333333);
    word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0f;
    return static_cast<uint32_t>(word * 0x0101010101010101 >> 56);
}

// The parameter of the gaps' code for serials that lie as far apart as the changed slots. It is the
// same for all peers, so that what was written for one can be copied for another.
static uint8_t gap_bits(uint32_t changed_count, ObjectSlot first, ObjectSlot last)
{
    const uint32_t distance = changed_count < 2 ? 0 : (last - first) / (changed_count - 1);
    return static_cast<uint8_t>(std::min(bits::width(distance / 2), gap_bits_max));
}

// Makes the changes of up to 64 words due, and forgets them. Returns how many there are.
static uint32_t make_due(Publisher &p, World &world, uint32_t first_word,
                         const NonzeroWords &changed)
{
    uint32_t count = 0;
    for (uint32_t peer = 0; peer < p.peers_used; ++peer) {
        const size_t first = size_t{peer} * words(p.slot_count) + first_word;
        uint32_t more_count = 0;
        for (uint32_t i = 0; i < changed.count; ++i) {
            uint64_t &due = p.due[first + changed.places[i]];
            const uint64_t more =
                changed_for(p, world, peer, first_word + changed.places[i]) & ~due;
            more_count += count_bits(more);
            due |= more;
        }
        p.rings[peer].due_count += more_count;
    }
    for (uint32_t i = 0; i < changed.count; ++i) {
        uint64_t &word = world.changed[first_word + changed.places[i]];
        count += count_bits(word);
        word = 0;
    }
    return count;
}

void began(Publisher &p, const World &world, const TypeTable &types, ObjectSlot slot)
{
    bounds::began(p.bounds, world, types, slot);
}

void begin(Publisher &p, World &world, const TypeTable &types, PeerId self)
{
    snapshots::begin(p.snapshots, world, types, self, world.changed.all());
    const uint32_t changed_count = world.changed_count;
    ObjectSlot first = no_slot, last = 0;
    for (uint32_t word = 0; world.changed_count > 0; word += 64) {
        const uint32_t word_count = std::min(world.changed.count - word, 64u);
        const NonzeroWords changed = nonzero_words(world.changed.all().subspan(word, word_count));
        if (changed.count == 0) continue;
        const uint32_t lowest = word + changed.places[0];
        const uint32_t highest = word + changed.places[changed.count - 1];
        if (first == no_slot)
            first = lowest * 64 + static_cast<uint32_t>(std::countr_zero(world.changed[lowest]));
        last = highest * 64 + 63 - static_cast<uint32_t>(std::countl_zero(world.changed[highest]));
        world.changed_count -= make_due(p, world, word, changed);
    }
    p.gap_bits = gap_bits(changed_count, first, last);
}

void announced(const PublishTo &to, ObjectSlot slot, uint32_t tick)
{
    TERN_ASSERT(tick > 0 && (tick <= to.world.tick || to.p.ticks == Ticks::each), "tick %u at %u",
                tick, to.world.tick);
    AckedState &acked_state = acked_state_at(to.p, to.peer, slot);
    acked_state.acked_tick = std::max(acked_state.acked_tick, tick);
    set_visible(to.p, to.peer, slot);
    if (is_wanted(to, slot)) set_due(to.p, to.peer, slot);
}

void set_priority(Publisher &p, const World &world, uint32_t peer, ObjectSlot slot,
                  uint16_t priority)
{
    Interest &interest = interest_at(p, peer, slot);
    const bool hidden = priority == 0;
    p.rings[peer].interests = 1;
    if (!hidden) interest.priority = priority;
    if (interest.hidden == hidden) return;
    interest.hidden = hidden;
    interest.visibility_tick = world.tick;
    interest.visibility_acked = false;
    set_visible(p, peer, slot);
    if (acked_state_at(p, peer, slot).acked_tick != 0) set_due(p, peer, slot);
}

void forget_object(Publisher &p, World &world, ObjectSlot slot)
{
    for (uint32_t peer = 0; peer < p.peers_used; ++peer) {
        acked_state_at(p, peer, slot) = {};
        if (p.rings[peer].interests != 0) interest_at(p, peer, slot) = {};
        set_visible(p, peer, slot);
        clear_due(p, peer, slot);
    }
    world::set_changed(world, slot, false);
    snapshots::forget_object(p.snapshots, slot);
    bounds::forget_object(p.bounds, slot);
}

bool has_due(const Publisher &p, const World &world, uint32_t peer)
{
    bool due = p.rings[peer].due_count > 0;
    for (uint32_t word = 0; world.changed_count > 0 && !due && word < words(p.slot_count); ++word)
        due = changed_for(p, world, peer, word) != 0;
    return due;
}

bool is_due(const Publisher &p, const World &world, uint32_t peer, ObjectSlot slot)
{
    const uint64_t due = p.due[size_t{peer} * words(p.slot_count) + slot / 64];
    return ((due | changed_for(p, world, peer, slot / 64)) >> slot % 64 & 1) != 0;
}

uint64_t due_to_any(const Publisher &p, const World &world, uint32_t word)
{
    uint64_t due = 0;
    for (uint32_t peer = 0; peer < p.peers_used; ++peer)
        due |= p.due[size_t{peer} * words(p.slot_count) + word] | changed_for(p, world, peer, word);
    return due;
}

// Removes packets from the front of the ring as long as their outcome is known.
static void forget_acked(Publisher &p, uint32_t peer)
{
    PeerRing &ring = p.rings[peer];
    while (ring.packet_count > 0 && packet_at(p, peer, 0).tick == 0) {
        SentUpdates &sent = packet_at(p, peer, 0);
        for (uint32_t i = 0; i < sent.count; ++i)
            run_at(p, peer, sent.first + i) = {};
        ring.run_first = in_ring(ring.run_first + sent.count, p.runs_max);
        ring.run_count -= sent.count;
        sent = {};
        ring.packet_first = in_ring(ring.packet_first + 1, p.packets_max);
        ring.packet_count -= 1;
    }
    if (ring.packet_count > 0) return;
    ring.packet_first = 0; // Equal states must be equal bytes.
    ring.run_first = 0;
}

void forget_peer(Publisher &p, uint32_t peer)
{
    TERN_ASSERT(peer < p.peer_count, "peer %u of %u", peer, p.peer_count);
    flat::zero(p.acked_states, size_t{peer} * p.slot_count, p.slot_count);
    if (p.rings[peer].interests != 0)
        flat::zero(p.interests, size_t{peer} * p.slot_count, p.slot_count);
    flat::zero(p.due, size_t{peer} * words(p.slot_count), words(p.slot_count));
    flat::zero(p.visible, size_t{peer} * words(p.slot_count), words(p.slot_count));
    for (uint32_t i = 0; i < p.rings[peer].packet_count; ++i)
        packet_at(p, peer, i).tick = 0;
    forget_acked(p, peer);
    p.rings[peer] = {};
    snapshots::forget_peer(p.snapshots, peer);
}

void forget_interests(Publisher &p)
{
    for (uint32_t peer = 0; peer < p.peer_count; ++peer) {
        if (p.rings[peer].interests == 0) continue;
        flat::zero(p.interests, size_t{peer} * p.slot_count, p.slot_count);
        p.rings[peer].interests = 0;
        for (ObjectSlot slot = 0; slot < p.slot_count; ++slot)
            set_visible(p, peer, slot);
    }
}

// --- Outcomes ---

// An UPDATE that was sent before the object was hidden or shown may have been ignored by the
// receiver, so its ack does not count. Returns whether the acked tick may rise.
static bool settle_visibility(Interest &interest, uint32_t sent_at)
{
    if (sent_at < interest.visibility_tick) return false;
    if (interest.visibility_tick != 0) interest.visibility_acked = true;
    return !interest.hidden;
}

static void settle_lost(const PublishTo &to, ObjectSlot slot, uint32_t tick)
{
    AckedState &acked_state = acked_state_at(to.p, to.peer, slot);
    const bool newer = tick > acked_state.acked_tick || to.p.rings[to.peer].interests != 0;
    if (newer && is_wanted(to, slot)) set_due(to.p, to.peer, slot);
}

static void settle_run(const PublishTo &to, const SentRun &run, uint32_t sent_at, bool acked)
{
    const bool has_interests = to.p.rings[to.peer].interests != 0;
    AckedState *acked_state = &acked_state_at(to.p, to.peer, run.slot);
    const KnownObject *object = &to.world.slots[run.slot];
    for (uint32_t i = 0; i < run.count; ++i, ++acked_state, ++object) {
        if (object->life != Life::alive || object->id != id_in(run, i) ||
            object->stamp != run.stamp)
            continue;
        if (acked_state->acked_tick == 0) continue;
        if (!acked)
            settle_lost(to, run.slot + i, run.tick);
        else if (!has_interests ||
                 settle_visibility(interest_at(to.p, to.peer, run.slot + i), sent_at))
            acked_state->acked_tick = std::max(acked_state->acked_tick, run.tick);
    }
}

// Applies the outcome of one message to its objects.
static void settle(const PublishTo &to, const SentUpdates &sent, bool acked)
{
    for (uint32_t i = 0; i < sent.count; ++i)
        settle_run(to, run_at(to.p, to.peer, sent.first + i), sent.tick, acked);
}

// Applies the outcomes of snapshots that are known now to count or not to count.
static void settle_snapshots(const PublishTo &to)
{
    for (uint32_t i = 0; i < to.p.rings[to.peer].packet_count; ++i) {
        SentUpdates &sent = packet_at(to.p, to.peer, i);
        if (sent.tick == 0 || sent.snapshot.number == 0) continue;
        const DecodeState decode_state =
            snapshots::decode_state_of(to.p.snapshots, to.peer, sent.snapshot);
        if (decode_state == DecodeState::in_flight || decode_state == DecodeState::arrived)
            continue;
        settle(to, sent, decode_state == DecodeState::usable);
        sent.tick = 0;
    }
}

// The first entry of the ring at or after the packet.
static uint32_t find_packet(Publisher &p, uint32_t peer, uint64_t packet)
{
    uint32_t first = 0, count = p.rings[peer].packet_count;
    while (count > 0) {
        const uint32_t half = count / 2;
        const bool before = packet_at(p, peer, first + half).packet < packet;
        first = before ? first + half + 1 : first;
        count = before ? count - half - 1 : half;
    }
    return first;
}

void on_packet_outcome(const PublishTo &to, uint64_t packet, bool acked)
{
    Publisher &p = to.p;
    TERN_ASSERT(to.peer < p.peer_count, "peer %u of %u", to.peer, p.peer_count);
    bool carried_by_snapshot = false;
    for (uint32_t i = find_packet(p, to.peer, packet); i < p.rings[to.peer].packet_count; ++i) {
        SentUpdates &sent = packet_at(p, to.peer, i);
        if (sent.packet != packet) break;
        if (sent.snapshot.number != 0) {
            snapshots::on_packet_outcome(p.snapshots, to.peer, sent.snapshot, acked);
            carried_by_snapshot = true;
            continue;
        }
        if (sent.tick != 0) settle(to, sent, acked);
        sent.tick = 0;
    }
    if (carried_by_snapshot) settle_snapshots(to);
    forget_acked(p, to.peer);
}

void lose_all(const PublishTo &to)
{
    TERN_ASSERT(to.peer < to.p.peer_count, "peer %u of %u", to.peer, to.p.peer_count);
    for (uint32_t i = 0; i < to.p.rings[to.peer].packet_count; ++i) {
        SentUpdates &sent = packet_at(to.p, to.peer, i);
        if (sent.tick != 0) settle(to, sent, false);
        sent.tick = 0;
    }
    snapshots::lose_all(to.p.snapshots, to.peer);
    forget_acked(to.p, to.peer);
}

}
