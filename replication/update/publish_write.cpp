// Writes UPDATE messages and snapshots: chooses which due objects go to a peer, and in which order.
#include "replication/update/publish_rings.h"
#include "replication/update/update_codec.h"

namespace tern::publish {

// Smaller objects are still tried after one that did not fit, until this many did not fit.
static constexpr uint32_t misfits_max = 4;

// If an object did not fit, a rest of at most this many bytes is filled with zeros.
static constexpr size_t fill_bytes_max = 32;

enum class Added : uint8_t { yes, nothing, no_room };

static void charge(Charges &charges, const World &world, const TypeTable &types, ObjectSlot slot,
                   uint64_t mask, size_t bit_count)
{
    const TypeId type = world.slots[slot].type;
    if (!charges::add_like_before(charges, types, type, mask, bit_count, 1))
        charges::add_fields(charges, types, type, mask, world::value(world, types, slot));
}

// Whether the object is left to snapshots. Only an UPDATE can hide or show an object.
static bool is_for_snapshots(Publisher &p, const SnapshotScratch &scratch, uint32_t peer,
                             ObjectSlot slot)
{
    if (!snapshots::takes(p.snapshots, peer, slot)) return false;
    if (std::ranges::find(scratch.stray.all(), slot) != scratch.stray.all().end()) return false;
    return p.rings[peer].interests == 0 || !visibility_due(interest_at(p, peer, slot));
}

static void make_order(const Publisher &p, SendOrder &send_order, uint32_t tick, uint32_t peer)
{
    flat::clear(send_order.order);
    send_order.peer = peer;
    send_order.tick = tick;
    send_order.next = 0;
    const Interest *interests = p.interests.begin() + size_t{peer} * p.slot_count;
    for (ObjectSlot slot = next_due(p, peer, 0); slot < p.slot_count;
         slot = next_due(p, peer, slot + 1)) {
        const uint64_t waited = urgency(interests[slot], tick);
        if (waited >= priority_one || visibility_due(interests[slot]))
            flat::push(send_order.order, {waited, slot});
    }
    std::sort(send_order.order.begin(), send_order.order.end(),
              [](const SendOrderEntry &a, const SendOrderEntry &b) {
                  return a.urgency != b.urgency ? a.urgency > b.urgency : a.slot < b.slot;
              });
}

// The order in which objects are taken: around the slots, or by the game's priorities.
struct Choice {
    SendOrder *send_order; // nullptr: around the slots.
    uint32_t left;
    uint32_t next; // A slot, or an index of turns->order.
};

static Choice choice(const Publisher &p, SendOrder &send_order, uint32_t tick, uint32_t peer)
{
    const PeerRing &ring = p.rings[peer];
    if (ring.interests == 0) return {nullptr, ring.due_count, ring.cursor};
    if (send_order.tick != tick || send_order.peer != peer) make_order(p, send_order, tick, peer);
    return {&send_order, send_order.order.count - send_order.next, send_order.next};
}

// no_slot: the object is not due any more.
static ObjectSlot choose(const Publisher &p, uint32_t peer, Choice &c)
{
    c.left -= 1;
    if (c.send_order) {
        const ObjectSlot slot = c.send_order->order[c.next++].slot;
        return is_due(p, peer, slot) ? slot : no_slot;
    }
    ObjectSlot slot = next_due(p, peer, c.next);
    if (slot == p.slot_count) slot = next_due(p, peer, 0);
    c.next = slot + 1;
    return slot;
}

// The slot just chosen had no room, so the next packet begins with it.
static void begin_there_next(PeerRing &ring, const Choice &c)
{
    if (c.send_order)
        c.send_order->next = c.next - 1;
    else
        ring.cursor = c.next - 1;
}

// One message, and everything that is needed to write it.
struct Message {
    Publisher &p;
    const World &world;
    const TypeTable &types;
    EncodeCache &cache;
    Charges *charges;
    uint32_t peer;
    uint32_t count, runs; // Objects, and the runs of adjacent ones.
    Choice choice;
    UpdateWriter w;
    size_t bits_max; // Capacity of the message without its end.
};

static void charge_copied(Message &m, std::span<const EncodedObject> objects, uint32_t begin_bits)
{
    for (size_t i = 0; i < objects.size();) {
        const TypeId type = objects[i].type;
        const uint64_t mask = objects[i].mask;
        size_t end = i + 1;
        while (end < objects.size() && objects[end].type == type && objects[end].mask == mask)
            ++end;
        const uint32_t bits = objects[end - 1].end_bits - begin_bits;
        begin_bits += bits;
        const bool like = charges::add_like_before(*m.charges, m.types, type, mask, bits, end - i);
        for (; i < end; ++i)
            if (!like)
                charges::add_fields(*m.charges, m.types, type, mask,
                                    world::value(m.world, m.types, objects[i].slot));
    }
}

// Acked states of objects that are so many places ahead are loaded meanwhile.
static constexpr size_t loaded_ahead = 6;

// Marks as sent the cached objects that follow and whose encoding this peer needs unchanged;
// add_slot() would write the same bits for them. Returns how many.
static uint32_t take_following(Message &m, std::span<const EncodedObject> following,
                               size_t last_bit)
{
    const size_t first = size_t{m.peer} * m.p.slot_count;
    AckedState *acked_state = m.p.acked_states.begin() + first;
    uint64_t *due = m.p.due.begin() + size_t{m.peer} * words(m.p.slot_count);
    PeerRing &ring = m.p.rings[m.peer];
    SentRun *run = &run_at(m.p, m.peer, ring.run_first + ring.run_count - 1);
    ObjectSlot next = m.choice.next;
    uint32_t count = 0;
    uint32_t word = next / 64; // Index of the word in `due` whose bits are collected in `sent`.
    uint64_t sent = 0;
    for (size_t i = 0; i < following.size(); ++i) {
        const EncodedObject &object = following[i];
        const ObjectSlot slot = object.slot;
        const size_t ahead = std::min(i + loaded_ahead, following.size() - 1);
        flat::prefetch(m.p.acked_states, first + following[ahead].slot);
        if (object.adjacency == Adjacency::none || object.end_bits > last_bit ||
            count == m.choice.left)
            break;
        if (slot != next && next_due(m.p, m.peer, next) != slot) break;
        if (slot / 64 != word) {
            due[word] &= ~sent;
            word = slot / 64;
            sent = 0;
        }
        if ((due[word] >> slot % 64 & 1) == 0) break;
        AckedState &was = acked_state[slot];
        if (!encode_cache::fits(object, was.acked_tick) || was.sent_tick == object.tick) break;
        was.sent_tick = object.tick;
        sent |= uint64_t{1} << slot % 64;
        if (object.adjacency == Adjacency::same_run) {
            run->count += 1;
        } else {
            remember_object(m.p, m.peer, m.world.slots[slot], slot, object.tick, m.runs);
            run = &run_at(m.p, m.peer, ring.run_first + ring.run_count - 1);
        }
        next = slot + 1;
        count += 1;
    }
    if (count > 0) due[word] &= ~sent;
    m.choice.next = next;
    m.choice.left -= count;
    ring.due_count -= count;
    m.count += count;
    return count;
}

// Copies the cached objects after the one that was just written, as far as this peer needs the same
// ones.
static void copy_following(Message &m, uint32_t place)
{
    const uint32_t begin_bits = encode_cache::at(m.cache, place).end_bits;
    const size_t room_bits = m.bits_max - update_codec::bit_count(m.w);
    const size_t most =
        std::min(updates_per_message_max - m.count, m.p.runs_max - m.p.rings[m.peer].run_count);
    std::span<const EncodedObject> following = encode_cache::following(m.cache, place);
    following = following.first(std::min(following.size(), most));
    const uint32_t count = take_following(m, following, begin_bits + room_bits);
    if (count == 0) return;
    const EncodedObject &last = following[count - 1];
    update_codec::copy(m.w, encode_cache::bytes(m.cache), begin_bits, last,
                       m.world.slots[last.slot], m.count);
    if (m.charges) charge_copied(m, following.first(count), begin_bits);
}

// Copies the object's fields if they were encoded in this send, else encodes them.
static bool add_object(Message &m, ObjectSlot slot, uint64_t mask, uint32_t tick, uint32_t place)
{
    const Object &object = m.world.slots[slot];
    if (place != encode_cache::none)
        return update_codec::add_coded(m.w, m.types, object, encode_cache::at(m.cache, place),
                                       encode_cache::bytes(m.cache), tick);
    const void *value = mask != 0 ? world::value(m.world, m.types, slot) : nullptr;
    return update_codec::add(m.w, m.types, object, mask, value, tick);
}

// The objects that change are often far apart in memory, so the next two due ones are loaded while
// this one is encoded.
static void load_ahead(const Message &m)
{
    if (m.choice.send_order) return;
    const ObjectSlot next = next_due(m.p, m.peer, m.choice.next);
    if (next == m.p.slot_count) return;
    world::load_value(m.world, m.types, next);
    const ObjectSlot second = next_due(m.p, m.peer, next + 1);
    if (second == m.p.slot_count) return;
    world::load_slot(m.world, m.types, second);
    flat::prefetch(m.p.acked_states, size_t{m.peer} * m.p.slot_count + second);
    encode_cache::load(m.cache, second);
}

static Added add_slot(Message &m, ObjectSlot slot)
{
    Publisher &p = m.p;
    const Object &object = m.world.slots[slot];
    AckedState &acked_state = acked_state_at(p, m.peer, slot);
    const bool has_interests = p.rings[m.peer].interests != 0;
    const Interest interest = has_interests ? interest_at(p, m.peer, slot) : Interest{};
    const bool alive = object.life == Life::alive;
    uint64_t mask = alive && !interest.hidden ? needed(m.world, m.types, slot, acked_state) : 0;
    const bool says_visibility = alive && visibility_due(interest);
    if (mask == 0 && !says_visibility) {
        clear_due(p, m.peer, slot);
        return Added::nothing;
    }
    if (mask == 0 && !interest.hidden) mask = 1; // Any field shows the object again.
    const bool own = is_own(p, object);
    const uint32_t tick = own ? m.world.tick : object.tick;
    // The receiver would ignore a second UPDATE of the same tick, so the object stays due. Another
    // owner's value is the same while its tick is: sending it again repairs a loss.
    if (own && acked_state.sent_tick == tick) return Added::nothing;
    if (p.rings[m.peer].run_count == p.runs_max) return Added::no_room;
    // Which of the objects that go by snapshot also need an UPDATE differs from peer to peer.
    const bool shares = mask != 0 && !snapshots::takes(p.snapshots, m.peer, slot);
    const uint32_t place = shares ? encode_cache::find(m.cache, slot, mask) : encode_cache::none;
    const size_t begin = update_codec::bit_count(m.w);
    if (!add_object(m, slot, mask, tick, place)) return Added::no_room;
    const size_t end = update_codec::bit_count(m.w);
    if (m.charges) charge(*m.charges, m.world, m.types, slot, mask, end - begin);
    const uint32_t runs_before = m.runs;
    remember_object(p, m.peer, object, slot, tick, m.runs);
    m.count += 1;
    acked_state.sent_tick = tick;
    clear_due(p, m.peer, slot);
    if (has_interests) interest_at(p, m.peer, slot).sent_at = m.world.tick;
    if (!shares) return Added::yes;
    const size_t value_bits = update_codec::value_bits(m.w);
    if (place == encode_cache::none)
        encode_cache::note(m.cache, m.world, m.types,
                           {slot, tick, mask, begin, end, value_bits, m.runs == runs_before});
    else if (!has_interests)
        copy_following(m, place);
    return Added::yes;
}

// Equal sizes let the socket send several datagrams in one system call (UDP GSO).
static size_t fill(std::span<std::byte> buffer, size_t size_bytes)
{
    const std::span<std::byte> left = buffer.subspan(size_bytes);
    if (size_bytes == 0 || left.size() > fill_bytes_max) return size_bytes;
    std::ranges::fill(left, std::byte{0});
    return buffer.size();
}

size_t write(Publisher &p, const World &world, EncodeCache &cache, SendOrder &send_order,
             const SnapshotScratch &scratch, const TypeTable &types, uint32_t peer, uint64_t packet,
             std::span<std::byte> buffer, Charges *charges)
{
    TERN_ASSERT(peer < p.peer_count && world.tick > 0 && p.changed_count == 0,
                "peer %u of %u, tick %u, %u changes", peer, p.peer_count, world.tick,
                p.changed_count);
    PeerRing &ring = p.rings[peer];
    if (ring.packet_count == p.packets_max) return 0;
    Message m = {
        p,
        world,
        types,
        cache,
        charges,
        peer,
        0,
        0,
        choice(p, send_order, world.tick, peer),
        update_codec::writer(buffer, static_cast<PeerId>(p.self), world.tick, p.ticks, p.gap_bits),
        buffer.size() * 8 - update_codec::end_bits};
    const size_t head_bits = update_codec::bit_count(m.w);
    uint32_t misfits = 0;
    while (m.choice.left > 0) { // Visits each due object once.
        const ObjectSlot slot = choose(p, peer, m.choice);
        load_ahead(m);
        if (slot == no_slot || is_for_snapshots(p, scratch, peer, slot)) continue;
        if (add_slot(m, slot) != Added::no_room) continue;
        if (misfits == 0) begin_there_next(ring, m.choice);
        misfits += 1;
        if (misfits == misfits_max || ring.run_count == p.runs_max) break;
    }
    if (m.count == 0) return 0;
    remember_packet(p, peer, packet, world.tick, m.runs, 0);
    size_t size_bytes = update_codec::finish(m.w);
    encode_cache::keep(cache, buffer.first(size_bytes));
    if (misfits > 0) size_bytes = fill(buffer, size_bytes);
    if (charges) {
        const size_t around_bits = head_bits + update_codec::end_bits;
        charges::add(*charges, TrafficKind::update, static_cast<int64_t>(around_bits), 1);
        const size_t padding_bits = size_bytes * 8 - update_codec::bit_count(m.w);
        charges::add(*charges, TrafficKind::padding, static_cast<int64_t>(padding_bits), 1);
    }
    return size_bytes;
}

static void charge_snapshot(Charges &charges, const World &world, const TypeTable &types,
                            const SnapshotScratch &scratch, size_t size_bytes)
{
    size_t bits = 0;
    for (uint32_t i = 0; i < scratch.carried.count; ++i) {
        const TypeId type = world.slots[scratch.carried[i]].type;
        charges::add_coded(charges, types, TrafficKind::snapshot, type, nullptr,
                           scratch.carried_bits[i]);
        bits += scratch.carried_bits[i];
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
    SnapshotInputs inputs = {};
    inputs.acked_states = {p.acked_states.begin() + first, p.slot_count};
    inputs.due = {p.due.begin() + size_t{peer} * words(p.slot_count), words(p.slot_count)};
    if (ring.interests != 0) inputs.interests = {p.interests.begin() + first, p.slot_count};
    inputs.carried_max = p.runs_max - ring.run_count;
    const size_t size = snapshots::write(p.snapshots, scratch, world, peer, inputs, buffer);
    // The lineage has sent this state already; if that snapshot is lost, the object becomes due
    // again.
    for (const ObjectSlot slot : scratch.same.all())
        clear_due(p, peer, slot);
    if (size == 0) return 0;
    uint32_t runs = 0;
    for (const ObjectSlot slot : scratch.carried.all()) {
        const Object &object = world.slots[slot];
        remember_object(p, peer, object, slot, world.tick, runs);
        acked_state_at(p, peer, slot).sent_tick = world.tick;
        if (ring.interests != 0) interest_at(p, peer, slot).sent_at = world.tick;
        clear_due(p, peer, slot);
    }
    if (charges) charge_snapshot(*charges, world, types, scratch, size);
    remember_packet(p, peer, packet, world.tick, runs, snapshots::last_number(p.snapshots, peer));
    return size;
}

}
