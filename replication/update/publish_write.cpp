// Writes UPDATE messages and snapshots: chooses which due objects go to a peer, and in which order.
#include "replication/update/publish_rings.h"
#include "replication/update/update_codec.h"

namespace tern::publish {

// Smaller objects are still tried after one that did not fit, until this many did not fit.
static constexpr uint32_t misfits_max = 4;

// If an object did not fit, a rest of at most this many bytes is filled with zeros.
static constexpr size_t fill_bytes_max = 32;

enum class Added : uint8_t { yes, nothing, no_room };

static void charge(Charges &charges, const PublishTo &to, ObjectSlot slot, uint64_t mask,
                   size_t bit_count)
{
    const TypeId type = to.world.slots[slot].type;
    if (!charges::add_like_before(charges, type, mask, bit_count, 1))
        charges::add_fields(charges, type, mask, world::value(to.world, to.types, slot));
}

// Whether the object is left to snapshots. Only an UPDATE can hide or show an object.
static bool is_for_snapshots(Publisher &p, const SnapshotScratch &scratch, uint32_t peer,
                             ObjectSlot slot)
{
    if (!snapshots::takes(p.snapshots, peer, slot)) return false;
    const std::span<const ObjectSlot> stray = scratch.stray.all();
    if (std::find(stray.begin(), stray.end(), slot) != stray.end()) return false;
    return p.rings[peer].interests == 0 || !visibility_due(interest_at(p, peer, slot));
}

static void add_by_urgency(const Publisher &p, SendOrder &send_order, uint32_t tick, uint32_t peer)
{
    const size_t first = size_t{peer} * p.slot_count;
    const Interest *interests = p.interests.begin() + first;
    const AckedState *acked_states = p.acked_states.begin() + first;
    for (ObjectSlot slot = next_due(p, peer, 0); slot < p.slot_count;
         slot = next_due(p, peer, slot + 1)) {
        const uint64_t waited = urgency(interests[slot], acked_states[slot].sent_tick, tick);
        if (waited >= priority_one || visibility_due(interests[slot]))
            flat::push(send_order.order, {waited, slot});
    }
    std::sort(send_order.order.begin(), send_order.order.end(),
              [](const SendOrderEntry &a, const SendOrderEntry &b) {
                  return a.urgency != b.urgency ? a.urgency > b.urgency : a.slot < b.slot;
              });
}

// Adds the due slots from `from` to before `end`.
static void add_by_slot(const Publisher &p, SendOrder &send_order, uint32_t peer, ObjectSlot from,
                        ObjectSlot end)
{
    const uint64_t *due = p.due.begin() + size_t{peer} * words(p.slot_count);
    const uint32_t count_max = p.rings[peer].due_count;
    const uint32_t words_end = words(end);
    uint32_t count = send_order.order.count;
    SendOrderEntry *order = send_order.order.begin();
    for (uint32_t first = from / 64; first < words_end && count < count_max; first += 64) {
        const NonzeroWords some = nonzero_words({due + first, std::min(words_end - first, 64u)});
        for (uint32_t i = 0; i < some.count; ++i) {
            const ObjectSlot begin = (first + some.places[i]) * 64;
            uint64_t word = due[first + some.places[i]];
            if (begin < from) word &= ~uint64_t{0} << from % 64;
            if (end - begin < 64) word &= (uint64_t{1} << end % 64) - 1;
            for (; word != 0; word &= word - 1)
                order[count++] = {0, begin + static_cast<uint32_t>(std::countr_zero(word))};
        }
    }
    send_order.order.count = count;
}

// Lists what is due once for all messages to the peer in a tick.
static void make_order(const Publisher &p, SendOrder &send_order, uint32_t tick, uint32_t peer)
{
    const PeerRing &ring = p.rings[peer];
    const bool same = send_order.tick == tick && send_order.peer == peer;
    if (same && ring.due_count <= send_order.due_count) return;
    send_order.order.count = 0; // Its elements need not be zeroed: it is not hashed.
    send_order.peer = peer;
    send_order.tick = tick;
    send_order.next = 0;
    if (ring.interests != 0) return add_by_urgency(p, send_order, tick, peer);
    add_by_slot(p, send_order, peer, ring.cursor, p.slot_count);
    add_by_slot(p, send_order, peer, 0, ring.cursor);
}

// One message, and everything that is needed to write it.
struct Message {
    const PublishTo &to;
    EncodeCache &cache;
    Charges *charges;
    uint32_t count, runs; // Objects, and the runs of adjacent ones.
    SendOrder &send_order;
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
        const bool like = charges::add_like_before(*m.charges, type, mask, bits, end - i);
        for (; i < end; ++i)
            if (!like)
                charges::add_fields(*m.charges, type, mask,
                                    world::value(m.to.world, m.to.types, objects[i].slot));
    }
}

// Marks as sent the cached objects that follow and whose encoding this peer needs unchanged;
// add_slot() would write the same bits for them. Returns how many.
static uint32_t take_following(Message &m, std::span<const EncodedObject> following,
                               size_t last_bit)
{
    const size_t first = size_t{m.to.peer} * m.to.p.slot_count;
    AckedState *acked_state = m.to.p.acked_states.begin() + first;
    uint64_t *due = m.to.p.due.begin() + size_t{m.to.peer} * words(m.to.p.slot_count);
    PeerRing &ring = m.to.p.rings[m.to.peer];
    SentRun *run = &run_at(m.to.p, m.to.peer, ring.run_first + ring.run_count - 1);
    const std::span<const SendOrderEntry> wanted =
        m.send_order.order.all().subspan(m.send_order.next);
    const size_t count_max = std::min(wanted.size(), following.size());
    uint32_t count = 0;
    for (; count < count_max; ++count) {
        const EncodedObject &object = following[count];
        const ObjectSlot slot = object.slot;
        if (wanted[count].slot != slot || object.adjacency == Adjacency::none ||
            object.end_bits > last_bit)
            break;
        AckedState &was = acked_state[slot];
        const uint64_t bit = uint64_t{1} << slot % 64;
        if ((due[slot / 64] & bit) == 0 || !encode_cache::fits(object, was.acked_tick) ||
            was.sent_tick == m.to.world.tick)
            break;
        was.sent_tick = m.to.world.tick;
        due[slot / 64] &= ~bit;
        if (object.adjacency == Adjacency::same_run) {
            run->count += 1;
        } else {
            remember_object(m.to, slot, object.tick, m.runs);
            run = &run_at(m.to.p, m.to.peer, ring.run_first + ring.run_count - 1);
        }
    }
    m.send_order.next += count;
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
    const size_t most = std::min(updates_per_message_max - m.count,
                                 m.to.p.runs_max - m.to.p.rings[m.to.peer].run_count);
    std::span<const EncodedObject> following = encode_cache::following(m.cache, place);
    following = following.first(std::min(following.size(), most));
    const uint32_t count = take_following(m, following, begin_bits + room_bits);
    if (count == 0) return;
    const EncodedObject &last = following[count - 1];
    update_codec::copy(
        m.w, {encode_cache::bytes(m.cache), begin_bits, count, last, m.to.world.slots[last.slot]});
    if (m.charges) charge_copied(m, following.first(count), begin_bits);
}

// Copies the object's fields if they were encoded in this send, else encodes them.
static bool add_object(Message &m, ObjectSlot slot, uint64_t mask, uint32_t tick, uint32_t place)
{
    const KnownObject &object = m.to.world.slots[slot];
    if (place != encode_cache::none)
        return update_codec::add_coded(m.w, object, encode_cache::at(m.cache, place),
                                       encode_cache::bytes(m.cache), tick);
    const void *value = mask != 0 ? world::value(m.to.world, m.to.types, slot) : nullptr;
    return update_codec::add(m.w, object, mask, value, tick);
}

static Added add_slot(Message &m, ObjectSlot slot)
{
    Publisher &p = m.to.p;
    const KnownObject &object = m.to.world.slots[slot];
    AckedState &acked_state = acked_state_at(p, m.to.peer, slot);
    const bool has_interests = p.rings[m.to.peer].interests != 0;
    const Interest interest = has_interests ? interest_at(p, m.to.peer, slot) : Interest{};
    const bool alive = object.life == Life::alive;
    uint64_t mask =
        alive && !interest.hidden ? needed(m.to.world, m.to.types, slot, acked_state) : 0;
    const bool says_visibility = alive && visibility_due(interest);
    if (mask == 0 && !says_visibility) {
        clear_due(p, m.to.peer, slot);
        return Added::nothing;
    }
    if (mask == 0 && !interest.hidden) mask = 1; // Any field shows the object again.
    const bool own = is_own(p, object);
    const uint32_t tick = own ? m.to.world.tick : object.tick;
    // The receiver would ignore a second UPDATE of the same tick, so the object stays due. Another
    // owner's value is the same while its tick is: sending it again repairs a loss.
    if (own && acked_state.sent_tick == m.to.world.tick) return Added::nothing;
    if (p.rings[m.to.peer].run_count == p.runs_max) return Added::no_room;
    // Which of the objects that go by snapshot also need an UPDATE differs from peer to peer.
    const bool shares = mask != 0 && !snapshots::takes(p.snapshots, m.to.peer, slot);
    const uint32_t place = shares ? encode_cache::find(m.cache, slot, mask) : encode_cache::none;
    const size_t begin = update_codec::bit_count(m.w);
    if (!add_object(m, slot, mask, tick, place)) return Added::no_room;
    const size_t end = update_codec::bit_count(m.w);
    if (m.charges) charge(*m.charges, m.to, slot, mask, end - begin);
    const uint32_t runs_before = m.runs;
    remember_object(m.to, slot, tick, m.runs);
    m.count += 1;
    acked_state.sent_tick = m.to.world.tick;
    clear_due(p, m.to.peer, slot);
    if (!shares) return Added::yes;
    const size_t value_bits = update_codec::value_bits(m.w);
    if (place == encode_cache::none)
        encode_cache::note(m.cache, m.to.world, m.to.types,
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
    std::fill(left.begin(), left.end(), std::byte{0});
    return buffer.size();
}

// Adds what is due until the message is full. Returns how many objects did not fit.
static uint32_t add_due(Message &m, const SnapshotScratch &scratch)
{
    SendOrder &send_order = m.send_order;
    PeerRing &ring = m.to.p.rings[m.to.peer];
    uint32_t misfits = 0, left_from = UINT32_MAX;
    while (send_order.next < send_order.order.count) {
        const uint32_t place = send_order.next++;
        const ObjectSlot slot = send_order.order[place].slot;
        if (!is_due(m.to.p, m.to.world, m.to.peer, slot)) continue;
        const bool is_left = is_for_snapshots(m.to.p, scratch, m.to.peer, slot);
        if (!is_left && add_slot(m, slot) != Added::no_room) continue;
        left_from = std::min(left_from, place); // The next message begins there.
        if (is_left) continue;
        if (misfits == 0 && ring.interests == 0) ring.cursor = slot;
        misfits += 1;
        if (misfits == misfits_max || ring.run_count == m.to.p.runs_max) break;
    }
    send_order.next = std::min(send_order.next, left_from);
    return misfits;
}

size_t write(const PublishTo &to, SendScratch &scratch, uint64_t packet,
             std::span<std::byte> buffer)
{
    Publisher &p = to.p;
    TERN_ASSERT(to.peer < p.peer_count && to.world.tick > 0 && to.world.changed_count == 0,
                "peer %u of %u, tick %u, %u changes", to.peer, p.peer_count, to.world.tick,
                to.world.changed_count);
    PeerRing &ring = p.rings[to.peer];
    if (ring.packet_count == p.packets_max) return 0;
    make_order(p, scratch.send_order, to.world.tick, to.peer);
    const UpdateHead head = {static_cast<PeerId>(p.self), to.world.tick, p.ticks, p.gap_bits};
    Message m = {to,
                 scratch.cache,
                 scratch.charges,
                 0,
                 0,
                 scratch.send_order,
                 update_codec::writer(to.types, buffer, head),
                 buffer.size() * 8 - update_codec::end_bits};
    const size_t head_bits = update_codec::bit_count(m.w);
    const uint32_t misfits = add_due(m, scratch.snapshots);
    scratch.send_order.due_count = ring.due_count;
    if (m.count == 0) return 0;
    remember_packet(to, packet, m.runs, {});
    size_t size_bytes = update_codec::finish(m.w);
    encode_cache::keep(scratch.cache, buffer.first(size_bytes));
    if (misfits > 0) size_bytes = fill(buffer, size_bytes);
    if (m.charges) {
        const size_t around_bits = head_bits + update_codec::end_bits;
        charges::add(*m.charges, TrafficKind::update, static_cast<int64_t>(around_bits), 1);
        const size_t padding_bits = size_bytes * 8 - update_codec::bit_count(m.w);
        charges::add(*m.charges, TrafficKind::padding, static_cast<int64_t>(padding_bits), 1);
    }
    return size_bytes;
}

static void charge_snapshot(Charges &charges, const World &world, const SnapshotScratch &scratch,
                            size_t size_bytes)
{
    size_t bits = 0;
    for (uint32_t i = 0; i < scratch.carried.count; ++i) {
        const TypeId type = world.slots[scratch.carried[i]].type;
        charges::add_coded(charges, TrafficKind::snapshot, type, nullptr, scratch.carried_bits[i]);
        bits += scratch.carried_bits[i];
    }
    charges::add(charges, TrafficKind::snapshot, static_cast<int64_t>(size_bytes * 8 - bits), 1);
}

static SnapshotInputs snapshot_inputs(const PublishTo &to)
{
    const Publisher &p = to.p;
    const PeerRing &ring = p.rings[to.peer];
    const size_t first = size_t{to.peer} * p.slot_count;
    const size_t word_count = words(p.slot_count);
    SnapshotInputs inputs = {};
    inputs.acked_states = {p.acked_states.begin() + first, p.slot_count};
    inputs.due = {p.due.begin() + to.peer * word_count, word_count};
    if (ring.interests != 0) inputs.interests = {p.interests.begin() + first, p.slot_count};
    inputs.carried_max = p.runs_max - ring.run_count;
    inputs.peer = to.peer;
    return inputs;
}

size_t write_snapshot(const PublishTo &to, SendScratch &send, uint64_t packet,
                      std::span<std::byte> buffer)
{
    Publisher &p = to.p;
    SnapshotScratch &scratch = send.snapshots;
    if (p.rings[to.peer].packet_count == p.packets_max) return 0;
    const size_t size =
        snapshots::write(p.snapshots, scratch, to.world, snapshot_inputs(to), buffer);
    // The lineage has sent this state already; if that snapshot is lost, the object becomes due
    // again.
    for (const ObjectSlot slot : scratch.same.all())
        clear_due(p, to.peer, slot);
    if (size == 0) return 0;
    uint32_t runs = 0;
    for (const ObjectSlot slot : scratch.carried.all()) {
        remember_object(to, slot, to.world.tick, runs);
        acked_state_at(p, to.peer, slot).sent_tick = to.world.tick;
        clear_due(p, to.peer, slot);
    }
    if (send.charges) charge_snapshot(*send.charges, to.world, scratch, size);
    remember_packet(to, packet, runs, snapshots::last_message(p.snapshots, to.peer));
    return size;
}

}
