#include "sim/explorer/peer_steps.h"
#include "sim/explorer/glances.h"
#include "sim/explorer/peer_oracles.h"
#include "sim/explorer/peer_setup.h"
#include "tern/diagnostics.hpp"
#include <algorithm>
#include <cstring>

namespace tern::peer_steps {

static constexpr uint64_t session = 7;
static constexpr uint32_t wait_ticks = 16;

// --- Blocks ---

static Replica &replica_in(std::vector<uint64_t> &memory)
{
    return *reinterpret_cast<Replica *>(memory.data());
}

static std::span<uint64_t> state(std::vector<uint64_t> &memory)
{
    static_assert(offsetof(Replica, session) % sizeof(uint64_t) == 0);
    const size_t words = (replica_in(memory).sizes.state_bytes + 7) / 8; // Events lie behind it.
    return std::span(memory).subspan(offsetof(Replica, session) / 8, words);
}

static void load(PeerSteps &s, uint32_t number)
{
    const PeerSteps::Block &block = s._blocks[number];
    const std::span<uint64_t> words = state(s._memory);
    std::memcpy(words.data(), s._bases[block.place].data(), words.size_bytes());
    for (size_t i = block.first; i < block.first + block.count; ++i)
        words[s._positions[i]] = s._words[i];
}

// Stores the block in s._memory, if it is new, and returns its number.
static uint32_t keep(PeerSteps &s, PeerPlace place)
{
    const std::span<const uint64_t> words = state(s._memory);
    const std::vector<uint64_t> &base = s._bases[place];
    const size_t first = s._positions.size();
    for (size_t i = 0; i < words.size(); ++i) {
        if (words[i] == base[i]) continue;
        s._positions.push_back(static_cast<uint16_t>(i));
        s._words.push_back(words[i]);
    }
    Key128 key = hash_table::key(std::span(s._words).subspan(first));
    for (size_t i = first; i < s._positions.size(); ++i) {
        const Key128 part = hash_table::part(s._positions[i], place);
        key = {hash_table::mixed(key.low + part.low), hash_table::mixed(key.high + part.high)};
    }
    key.low += place;
    const uint32_t known = hash_table::find(s._block_numbers, key);
    if (known != 0) {
        s._positions.resize(first);
        s._words.resize(first);
        return known;
    }
    TERN_ASSERT(words.size() <= UINT16_MAX && s._blocks.size() < UINT32_MAX, "%zu blocks",
                s._blocks.size());
    PeerSteps::Block block = {key, first, static_cast<uint32_t>(s._positions.size() - first), place,
                              glances::look(s, replica_in(s._memory))};
    s._blocks.push_back(block);
    const auto number = static_cast<uint32_t>(s._blocks.size() - 1);
    hash_table::add(s._block_numbers, key, number);
    return number;
}

// --- Normalising a block ---

// Renumbers messages from the last acked one and moves the queue to the start of its ring: Replica
// uses only differences of these numbers.
static void settle_ring(Replica &r, MemberSlot slot)
{
    MemberQueue &queue = r.outbox.queues[slot];
    const std::span<UnackedEntry> unacked = of_member(r.outbox.unacked, r, slot);
    std::rotate(unacked.begin(), unacked.begin() + queue.unacked_first, unacked.end());
    queue.unacked_first = 0;
    for (uint32_t i = 0; i < queue.unacked_count; ++i)
        unacked[i].message -= queue.acked_count;
    queue.message_count -= queue.acked_count;
    queue.deaths_message -= std::min(queue.deaths_message, queue.acked_count);
    queue.acked_count = 0;
}

// Normalises everything in a block that no later step depends on. Once all grants are free, the
// order of the free list belongs to that: it decides only in which order a world sync sends
// MIGRATEs.
static void settled(Replica &r)
{
    r.term.migrations = 0; // A counter for statistics only.
    for (MemberSlot slot = 0; slot < r.outbox.queues.count; ++slot)
        settle_ring(r, slot);
    if (r.granting.free.count != r.granting.all.count) return;
    for (uint32_t i = 0; i < r.granting.all.count; ++i)
        r.granting.free[i] = r.granting.all.count - 1 - i;
}

// --- Messages ---

static uint32_t keep_message(PeerSteps &s, std::span<const std::byte> bytes)
{
    const Key128 key = hash_table::key(bytes);
    const uint32_t known = hash_table::find(s._message_numbers, key);
    if (known != 0) return known;
    s._messages.push_back({key, s._bytes.size(), static_cast<uint32_t>(bytes.size())});
    s._bytes.insert(s._bytes.end(), bytes.begin(), bytes.end());
    const auto number = static_cast<uint32_t>(s._messages.size() - 1);
    hash_table::add(s._message_numbers, key, number);
    return number;
}

// The next packet number: the lowest above those in flight, so that equal states get equal numbers.
static uint64_t next_packet(const Replica &r, MemberSlot slot)
{
    const PeerRing &ring = r.publisher.rings[slot];
    if (ring.packet_count == 0) return 1;
    const uint32_t packets_max = r.publisher.packets_max;
    const uint32_t last = (ring.packet_first + ring.packet_count - 1) % packets_max;
    return r.publisher.sent_packets[size_t{slot} * packets_max + last].packet + 1;
}

// Writes all queued messages and due UPDATEs, except for peers in `held`. True: there was an
// UPDATE.
static bool pull(PeerSteps &s, Replica &r, unsigned held)
{
    std::byte buffer[4096];
    bool updates = false;
    for (MemberSlot slot = 0; slot < r.members.count; ++slot) {
        const Member &member = r.members[slot];
        if (member.id == PeerId::none || member.id == r.self || member.fenced) continue;
        if ((held >> place_of(member.id) & 1) != 0) continue;
        while (const size_t size = replica::next_message(r, member.id, buffer))
            s._said.push_back(
                {place_of(member.id), false, 0, keep_message(s, std::span(buffer, size))});
        if (!replica::has_updates(r, member.id)) continue;
        const uint64_t packet = next_packet(r, slot);
        const size_t size = replica::write_updates(r, member.id, packet, buffer);
        if (size == 0) continue;
        updates = true;
        s._said.push_back({place_of(member.id), true, static_cast<uint16_t>(packet),
                           keep_message(s, std::span(buffer, size))});
    }
    return updates;
}

// --- Steps ---

static Mark next_mark(const Replica &r, ObjectSlot slot)
{
    Mark mark = {};
    std::memcpy(&mark, world::value(r.world, *r.types, slot), sizeof mark);
    const Stamp stamp = r.world.slots[slot].stamp;
    const bool goes_on = mark.tenure == stamp && mark.writer == r.self;
    const uint32_t write = goes_on ? mark::sequence(mark) + 1 : 1;
    if (!goes_on) mark = {};
    mark.tenure = stamp;
    mark.writer = r.self;
    mark.odd = write % 2 == 1;
    (mark.odd ? mark.odds : mark.evens) = write;
    return mark;
}

static void acked(Replica &r, PeerId from, uint32_t count)
{
    const MemberSlot slot = replica::find_member(r, from);
    if (slot == no_member || r.members[slot].fenced) return;
    replica::messages_acked(r, from, r.outbox.queues[slot].acked_count + count);
}

// Runs an action of the game. The tick counter influences only values and UPDATEs. So it rises, by
// end_send(), only before an action that needs a new tick and after UPDATEs: otherwise equal states
// would differ in their tick.
static void play(Replica &r, const Input &input)
{
    const ObjectId object = object_code::id(input.number);
    const ObjectSlot slot = world::find_alive(r.world, object);
    if (input.kind == InputKind::create) {
        Mark mark = {};
        mark.writer = r.self;
        replica::create(r, 0, &mark);
    } else if (input.kind == InputKind::claim) {
        replica::claim(r, object);
    } else if (input.kind == InputKind::destroy) {
        replica::destroy(r, slot);
    } else if (input.kind == InputKind::lock) {
        replica::lock(r, slot, (r.rights.owner_requests[slot] & request_lock) == 0);
    } else if (input.kind == InputKind::release) {
        replica::release_ownership(r, slot);
    } else if (input.kind == InputKind::hide) {
        const MemberSlot member = replica::find_member(r, peer(input.other));
        const Publisher &p = r.publisher;
        const bool hidden = p.interests[member * p.slot_count + slot].hidden;
        replica::end_send(r);
        replica::set_priority(r, slot, peer(input.other), hidden ? priority_one : 0);
    } else if (input.kind == InputKind::set) {
        replica::end_send(r);
        const Mark mark = next_mark(r, slot);
        replica::set(r, slot, &mark);
    } else {
        for (uint32_t i = 0; i < wait_ticks; ++i) {
            replica::end_send(r);
            replica::begin_receive(r);
        }
    }
}

static Verdict receive_updates(PeerSteps &s, Replica &r, PeerId from,
                               std::span<const std::byte> message)
{
    const ReadRoom room = publish::read_room(*s._types);
    s._updates.resize(room.parts);
    s._update_values.resize(room.value_bytes);
    ReadUpdates read = {s._updates, s._update_values, 0, 0, 0, 0};
    if (!publish::read(read, r.world, *r.types, from, message)) return Verdict::malformed;
    return replica::receive_updates(r, from, read);
}

static Verdict tell(PeerSteps &s, Replica &r, PeerPlace place, const Input &input)
{
    const PeerId other = peer(input.other);
    switch (input.kind) {
    case InputKind::receive:
    case InputKind::forged: return replica::receive(r, other, message(s, input.number));
    case InputKind::welcome:
        return replica::welcome(r, session, keys(place).secret_key, identity(place),
                                message(s, input.number));
    case InputKind::updates: return receive_updates(s, r, other, message(s, input.number));
    case InputKind::acked: acked(r, other, input.number); break;
    case InputKind::gone: replica::peer_gone(r, other); break;
    case InputKind::oust: replica::give_up(r, other); break;
    case InputKind::admit:
        // No id is given twice, but a new host may not know the last ones.
        while (r.term.last_peer < static_cast<uint16_t>(other))
            replica::next_peer_id(r);
        replica::admit(r, other, identity(input.other));
        break;
    case InputKind::arrived: replica::on_packet_outcome(r, other, input.number, true); break;
    case InputKind::lost: replica::on_packet_outcome(r, other, input.number, false); break;
    case InputKind::create:
    case InputKind::claim:
    case InputKind::destroy:
    case InputKind::set:
    case InputKind::lock:
    case InputKind::release:
    case InputKind::hide:
    case InputKind::wait: play(r, input); break;
    }
    return Verdict::ok;
}

// Does about breaches what a session does: session/membership.cpp. Returns a bit for each member
// that it gives up.
static unsigned punish(Replica &r, PeerId other, Verdict verdict)
{
    unsigned given_up = 0;
    if (verdict == Verdict::malformed) replica::accuse(r, other, Breach::malformed);
    if (verdict == Verdict::forged) replica::accuse(r, other, Breach::forged);
    if (verdict == Verdict::over_quota) replica::accuse(r, other, Breach::over_quota);
    for (MemberSlot slot = 0; slot < r.members.count; ++slot) {
        const bool goes = r.members[slot].fenced || r.outbox.queues[slot].removing;
        if (goes || !replica::is_guilty(r, slot)) continue;
        given_up |= 1u << place_of(r.members[slot].id);
        replica::give_up(r, r.members[slot].id);
    }
    return given_up;
}

static MessageKind kind_of(const PeerSteps &s, const Input &input)
{
    const bool heard = input.kind == InputKind::receive || input.kind == InputKind::welcome ||
                       input.kind == InputKind::forged;
    if (!heard) return MessageKind::none;
    return static_cast<MessageKind>(message(s, input.number)[0]);
}

// The GRANT that this step sends to the peer whose claim arrived in it. Empty: there is none.
static Described granted_to_sender(const PeerSteps &s, const Input &input, const PeerStep &step)
{
    for (uint32_t i = step.said_first; i < step.said_first + step.said_count; ++i) {
        const Said &said = s._said[i];
        if (said.updates || said.to != input.other) continue;
        const Described described = replica::describe(peer(said.to), message(s, said.message));
        if (described.kind == MessageKind::grant) return described;
    }
    return {};
}

// The honest members that this step removes on the word of the liar, with a bit for each place. A
// peer that is not the host yet may learn from it whom the last host has removed.
static unsigned removed(const PeerSteps &s, uint32_t before, const PeerStep &step)
{
    const Glance &was = s._blocks[before].glance, &is = s._blocks[step.block].glance;
    return was.in_charge ? was.roster & ~unsigned{is.roster} & ~(1u << s._liar) : 0;
}

static uint32_t check(PeerSteps &s, uint32_t before, const Input &input, const PeerStep &step,
                      unsigned given_up)
{
    const Replica &r = replica_in(s._memory);
    peer_oracles::StepSeen seen = {};
    seen.place = s._blocks[before].place;
    if (seen.place == s._liar) return 0;
    seen.by_liar = input.kind == InputKind::receive && input.other == s._liar;
    if (s._liar != no_peer_place) seen.removed = given_up & ~(1u << s._liar);
    if (seen.by_liar) seen.removed |= removed(s, before, step);
    seen.input = input;
    seen.message = kind_of(s, input);
    seen.verdict = step.verdict;
    seen.changed = step.block != before;
    seen.fault = r.fault;
    seen.phase = r.phase;
    seen.alive = r.world.alive;
    seen.objects_max = r.types->objects_max;
    const uint32_t unacked_max = r.outbox.unacked.capacity / r.outbox.queues.capacity;
    for (const MemberQueue &queue : r.outbox.queues.all())
        seen.overflow |= queue.unacked_count + grant_objects_max > unacked_max;
    if (seen.message == MessageKind::claim) seen.granted = granted_to_sender(s, input, step);
    seen.locked = s._blocks[before].glance.known_locked;
    seen.before = beliefs(s, before);
    seen.after = beliefs(s, step.block);
    const Violation found = peer_oracles::first_violation(seen);
    if (!found) return 0;
    s._violations.push_back(found);
    return static_cast<uint32_t>(s._violations.size());
}

// Runs one input in the production code, and ends the tick.
static PeerStep run(PeerSteps &s, uint32_t block, const Input &input)
{
    load(s, block);
    Replica &r = replica_in(s._memory);
    const PeerPlace place = s._blocks[block].place;
    PeerStep step = {};
    step.said_first = static_cast<uint32_t>(s._said.size());
    step.verdict = tell(s, r, place, input);
    unsigned given_up = 0;
    if (s._liar != no_peer_place && place != s._liar)
        given_up = punish(r, peer(input.other), step.verdict);
    replica::end_receive(r);
    replica::begin_receive(r);
    replica::begin_send(r);
    if (pull(s, r, input.held)) replica::end_send(r);
    step.said_count = static_cast<uint32_t>(s._said.size()) - step.said_first;
    settled(r);
    step.block = keep(s, place);
    step.violation = check(s, block, input, step, given_up);
    return step;
}

PeerStep step(PeerSteps &s, uint32_t block, const Input &input)
{
    const uint64_t kind =
        uint64_t{input.held} << 16 | static_cast<uint64_t>(input.kind) << 8 | input.other;
    const Key128 key = {uint64_t{block} << 32 | input.number, kind};
    const uint32_t known = hash_table::find(s._step_numbers, key);
    if (known != 0) return s._steps[known - 1];
    s._steps.push_back(run(s, block, input));
    hash_table::add(s._step_numbers, key, static_cast<uint32_t>(s._steps.size()));
    return s._steps.back();
}

// --- All steps ---

static void forget(PeerSteps &s)
{
    s._blocks.assign(1, {});
    s._messages.assign(1, {});
    s._positions.clear();
    s._words.clear();
    s._bytes.clear();
    s._beliefs.clear();
    s._steps.clear();
    s._said.clear();
    s._block_numbers = s._message_numbers = s._step_numbers = {};
}

PeerSteps make(uint32_t peers, bool mortal, Quorum quorum, Topology topology, uint32_t objects_max,
               PeerPlace liar)
{
    TERN_ASSERT(peers > 0 && peers <= cluster_peers_max, "%u peers", peers);
    const int sodium = sodium_init();
    TERN_ASSERT(sodium >= 0, "libsodium gave %d", sodium);
    PeerSteps s;
    s._types = &table(mortal, objects_max);
    s._peers = peers;
    s._liar = liar;
    s._memory.resize((replica::size_bytes(*s._types, limits(peers, quorum, topology)) + 7) / 8 + 1);
    replica::place(s._memory.data(), *s._types, limits(peers, quorum, topology));
    const std::span<const uint64_t> words = state(s._memory);
    s._bases.assign(peers, {words.begin(), words.end()});
    forget(s);
    return s;
}

uint32_t first_host(PeerSteps &s)
{
    load(s, outsider(s, 0));
    replica::start(replica_in(s._memory), session, keys(0).secret_key, identity(0));
    return keep(s, 0);
}

uint32_t outsider(PeerSteps &s, PeerPlace place)
{
    const std::span<uint64_t> words = state(s._memory);
    std::memcpy(words.data(), s._bases[place].data(), words.size_bytes());
    return keep(s, place);
}

void begin_with(PeerSteps &s, std::span<uint32_t> blocks)
{
    std::vector<std::vector<uint64_t>> bases = s._bases;
    std::vector<PeerPlace> places;
    for (const uint32_t block : blocks) {
        load(s, block);
        const std::span<const uint64_t> words = state(s._memory);
        places.push_back(s._blocks[block].place);
        bases[places.back()].assign(words.begin(), words.end());
    }
    s._bases.swap(bases);
    forget(s);
    for (size_t i = 0; i < blocks.size(); ++i) {
        const std::span<uint64_t> words = state(s._memory);
        std::memcpy(words.data(), s._bases[places[i]].data(), words.size_bytes());
        blocks[i] = keep(s, places[i]);
    }
}

uint32_t forged_migrate(PeerSteps &s, uint32_t block, ObjectId object)
{
    std::byte buffer[256];
    const PeerId forger = peer(s._blocks[block].place);
    const size_t size = forgery::migrate(buffer, *s._types, *belief(s, block, object), forger);
    return keep_message(s, std::span(buffer, size));
}

uint32_t forged_destroy(PeerSteps &s, uint32_t block, ObjectId object)
{
    std::byte buffer[256];
    const PeerId forger = peer(s._blocks[block].place);
    const size_t size = forgery::destroy(buffer, *belief(s, block, object), forger);
    return keep_message(s, std::span(buffer, size));
}

uint32_t lie(PeerSteps &s, uint32_t block, const Lie &lie)
{
    std::byte buffer[256];
    load(s, block);
    const size_t size = forgery::lie(buffer, replica_in(s._memory), lie);
    return keep_message(s, std::span(buffer, size));
}

const Glance &glance(const PeerSteps &s, uint32_t block)
{
    return s._blocks[block].glance;
}

std::span<const Believed> beliefs(const PeerSteps &s, uint32_t block)
{
    const Glance &seen = s._blocks[block].glance;
    return std::span(s._beliefs).subspan(seen.belief_first, seen.belief_count);
}

const Believed *belief(const PeerSteps &s, uint32_t block, ObjectId object)
{
    for (const Believed &believed : beliefs(s, block))
        if (believed.object == object) return &believed;
    return nullptr;
}

Key128 block_key(const PeerSteps &s, uint32_t block)
{
    return s._blocks[block].key;
}

Key128 message_key(const PeerSteps &s, uint32_t message)
{
    return s._messages[message].key;
}

std::span<const std::byte> message(const PeerSteps &s, uint32_t number)
{
    const PeerSteps::Message &message = s._messages[number];
    return std::span(s._bytes).subspan(message.first, message.size_bytes);
}

std::span<const Said> said(const PeerSteps &s, const PeerStep &step)
{
    return std::span(s._said).subspan(step.said_first, step.said_count);
}

const Violation &violation(const PeerSteps &s, uint32_t number)
{
    return s._violations[number - 1];
}

size_t block_count(const PeerSteps &s)
{
    return s._blocks.size() - 1;
}

size_t step_count(const PeerSteps &s)
{
    return s._steps.size();
}

}
