#include "migration/message_writing.h"
#include "migration/breaches.h"
#include "migration/deaths.h"
#include "migration/departures.h"
#include "migration/grants.h"
#include "migration/leases.h"
#include "migration/messages.h"
#include "migration/queue_entries.h"
#include "migration/relay.h"
#include "migration/replica.h"
#include "migration/views.h"
#include <algorithm>

namespace tern::message_writing {

// The message that is being written to one member.
struct Writing {
    BitWriter &w;
    Replica &r;
    MemberSlot to;
    MemberQueue &queue;
};

// Notes that the message is about this, which is in flight from now on.
static void note(const Writing &m, UnackedEntry entry)
{
    const std::span<UnackedEntry> ring = of_member(m.r.outbox.unacked, m.r, m.to);
    TERN_ASSERT(m.queue.unacked_count < ring.size(), "%zu messages in flight", ring.size());
    entry.message = m.queue.message_count + 1;
    ring[(m.queue.unacked_first + m.queue.unacked_count) % ring.size()] = entry;
    m.queue.unacked_count += 1;
}

static UnackedEntry about(MessageKind kind, uint64_t object = 0)
{
    UnackedEntry entry = {};
    entry.kind = kind;
    entry.object = object;
    return entry;
}

static void drop(const Writing &m, ObjectSlot slot, Waiting waiting)
{
    queue_entries::remove(m.r, m.to, queue_entries::of(slot), waiting);
}

static bool waits(const Writing &m, ObjectSlot slot, Waiting waiting)
{
    return (queue_entries::waiting(m.r, m.to, queue_entries::of(slot)) & waiting) != 0;
}

// --- Objects ---

static void note_state(const Writing &m, MessageKind kind, ObjectSlot slot, uint32_t tick)
{
    UnackedEntry entry = about(kind, static_cast<uint64_t>(m.r.world.slots[slot].id));
    entry.stamp = m.r.world.slots[slot].stamp;
    entry.tick = tick;
    note(m, entry);
}

static void write_create(const Writing &m, ObjectSlot slot)
{
    drop(m, slot, waiting_state);
    messages::write_kind(m.w, MessageKind::create);
    bits::write_varint(m.w, object_id::serial(m.r.world.slots[slot].id));
    bits::write_varint(m.w, m.r.world.slots[slot].place);
    messages::write_state(m.w, m.r, TrafficKind::create, slot, m.r.world.tick);
    note_state(m, MessageKind::create, slot, m.r.world.tick);
}

// Takes along all objects of the grant whose announcements wait.
static void write_migrate(const Writing &m, ObjectSlot first)
{
    const Grant &grant = m.r.granting.all[m.r.world.slots[first].grant - 1];
    uint32_t present = 0;
    for (uint16_t i = 0; i < grant.object_count; ++i) {
        const ObjectSlot slot = grants::own_slot(m.r, grant, i);
        if (slot != no_slot && waits(m, slot, waiting_state)) present |= 1u << i;
    }
    messages::write_kind(m.w, MessageKind::migrate);
    messages::write_grant(m.w, grant);
    bits::write(m.w, present, grant.object_count);
    for (uint16_t i = 0; i < grant.object_count; ++i) {
        if ((present >> i & 1) == 0) continue;
        const ObjectSlot slot = grants::own_slot(m.r, grant, i);
        drop(m, slot, waiting_state);
        bits::write(m.w, m.r.rights.survived_ticks[slot], 32);
        messages::write_state(m.w, m.r, TrafficKind::migrate, slot, m.r.world.tick);
        note_state(m, MessageKind::migrate, slot, m.r.world.tick);
    }
}

static void write_relay(const Writing &m, ObjectSlot slot)
{
    drop(m, slot, waiting_state);
    if (m.r.world.slots[slot].owner == m.r.members[m.to].id) return;
    note_state(m, MessageKind::relay, slot, relay::write(m.w, m.r, slot));
}

static void write_state(const Writing &m, ObjectSlot slot)
{
    const KnownObject &object = m.r.world.slots[slot];
    if (replica::relays(m.r)) return write_relay(m, slot);
    if (object.owner != m.r.self) return drop(m, slot, waiting_state); // The owner announces it.
    if (object.stamp == 0) return write_create(m, slot);
    write_migrate(m, slot);
}

// Takes along all objects of the grant that still wait for it.
static void write_grant(const Writing &m, ObjectSlot first)
{
    const uint32_t index = m.r.granting.waiting[first];
    const Grant &grant = m.r.granting.all[index - 1];
    ObjectSlot slots[grant_objects_max];
    uint32_t present = 0;
    for (uint16_t i = 0; i < grant.object_count; ++i) {
        slots[i] = world::find_alive(m.r.world, grant.objects[i]);
        if (slots[i] != no_slot && m.r.granting.waiting[slots[i]] == index) present |= 1u << i;
    }
    messages::write_kind(m.w, MessageKind::grant);
    messages::write_grant(m.w, grant);
    bits::write(m.w, present, grant.object_count);
    UnackedEntry entry = about(MessageKind::grant);
    entry.token = index;
    note(m, entry);
    m.queue.grants_unacked += 1;
    // The entry counts. The references of the objects end below.
    m.r.granting.all[index - 1].references += 1;
    for (uint16_t i = 0; i < grant.object_count; ++i) {
        if ((present >> i & 1) == 0) continue;
        const KnownObject &object = m.r.world.slots[slots[i]];
        messages::write_stamp(m.w, object.stamp);
        messages::write_state(m.w, m.r, TrafficKind::grant, slots[i],
                              grants::value_tick(m.r, object));
        drop(m, slots[i], waiting_grant);
        m.r.granting.waiting[slots[i]] = 0;
        grants::unreference(m.r, index);
    }
}

static void write_owner_request(const Writing &m, ObjectSlot slot, Waiting waiting)
{
    drop(m, slot, waiting);
    if (m.r.world.slots[slot].owner != m.r.self) return;
    const bool locked = (m.r.rights.owner_requests[slot] & request_lock) != 0;
    MessageKind kind = locked ? MessageKind::lock : MessageKind::unlock;
    if (waiting == waiting_release) kind = MessageKind::release;
    messages::write_kind(m.w, kind);
    messages::write_object_id(m.w, m.r.world.slots[slot].id);
    note(m, about(kind, static_cast<uint64_t>(m.r.world.slots[slot].id)));
}

// Requests about the object come last, because the host must know it.
static void write_object(const Writing &m, ObjectSlot slot)
{
    if (waits(m, slot, waiting_grant)) return write_grant(m, slot);
    if (waits(m, slot, waiting_state)) return write_state(m, slot);
    for (const Waiting waiting : {waiting_lock, waiting_release})
        if (waits(m, slot, waiting)) return write_owner_request(m, slot, waiting);
}

// --- Controls. Each function returns whether nothing is left to send for the control. ---

static bool write_owed(const Writing &m)
{
    const std::span<const DeadRange> owed = deaths::owed(m.r, m.to);
    const auto count = static_cast<uint32_t>(std::min(owed.size(), grant_objects_max));
    messages::write_kind(m.w, MessageKind::dead);
    for (const DeadRange &range : owed.first(count)) {
        bits::write_bool(m.w, true);
        messages::write_range(m.w, range);
        UnackedEntry entry = about(MessageKind::dead, range.first);
        entry.stamp = range.last;
        note(m, entry);
    }
    bits::write_bool(m.w, false);
    deaths::take_owed(m.r, m.to, count);
    return m.queue.owed_count == 0 && m.queue.proofs_waiting == 0;
}

static bool write_deaths(const Writing &m)
{
    if (m.queue.owed_count > 0) return write_owed(m);
    const uint32_t proof = deaths::take_proof(m.r, m.to);
    if (proof == m.r.outbox.proofs.count) return true;
    const uint64_t object = m.r.outbox.proofs[proof].object;
    messages::write_kind(m.w, MessageKind::destroy);
    messages::write_object_id(m.w, static_cast<ObjectId>(object));
    messages::write_grant(m.w, m.r.granting.all[m.r.outbox.proofs[proof].grant - 1]);
    UnackedEntry entry = about(MessageKind::destroy, object);
    entry.token = proof;
    note(m, entry);
    return m.queue.proofs_waiting == 0;
}

// Writes as many ranges as fit, from the id `next` on, and sets it to where the next message
// begins; 0: this was the last one.
static void write_dead(BitWriter &w, const Replica &r, uint64_t &next)
{
    const Dead &dead = r.world.dead;
    const auto is_own = [&](const DeadRange &range) {
        return object_id::creator(static_cast<ObjectId>(range.first)) == r.self;
    };
    const DeadRange *range =
        std::lower_bound(dead.begin(), dead.end(), next,
                         [](const DeadRange &before, uint64_t from) { return before.last < from; });
    next = 0;
    if (range == dead.end()) return;
    messages::write_kind(w, MessageKind::dead);
    const bool own = is_own(*range);
    for (size_t count = 0; range != dead.end(); ++range, ++count) {
        // From others than the host, members accept only messages with ids of the sender.
        if (is_own(*range) != own || count == dead_ranges_max) {
            next = range->first;
            break;
        }
        const size_t before = bits::bit_count(w);
        bits::write_bool(w, true);
        messages::write_range(w, *range);
        bits::write_bool(w, false);
        if (bits::overflow(w)) {
            bits::rewind(w, before);
            next = range->first;
            break;
        }
        bits::rewind(w, bits::bit_count(w) - 1);
    }
    bits::write_bool(w, false);
}

static bool write_all_dead(const Writing &m)
{
    write_dead(m.w, m.r, m.queue.dead_next);
    if (m.queue.dead_next != 0) return false;
    if (bits::bit_count(m.w) > 0) note(m, about(MessageKind::dead));
    return true;
}

static void write_report_object(const Writing &m, const KnownObject &object, ObjectSlot slot)
{
    messages::write_kind(m.w, MessageKind::report_object);
    bits::write(m.w, m.queue.report_token, 32);
    messages::write_object_id(m.w, object.id);
    messages::write_stamp(m.w, object.stamp);
    messages::write_peer(m.w, object.owner);
    bits::write_varint(m.w, object.place);
    messages::write_state(m.w, m.r, TrafficKind::report, slot, object.tick);
}

static bool write_report(const Writing &m)
{
    const uint32_t slots = m.r.world.slots.count;
    uint32_t &next = m.queue.report_next;
    if (!departures::has_news(m.r, m.to)) next = slots + 1;
    while (next < slots) {
        const ObjectSlot slot = next++;
        const KnownObject &object = m.r.world.slots[slot];
        const bool owned = replica::is_member(m.r, object.owner);
        if (object.life != Life::alive || owned) continue;
        write_report_object(m, object, slot);
        return false;
    }
    if (next == slots) {
        write_dead(m.w, m.r, m.queue.report_dead_next);
        if (m.queue.report_dead_next == 0) next += 1;
        if (bits::bit_count(m.w) > 0) return false;
    }
    departures::write_report(m.w, m.r, m.queue.report_token);
    UnackedEntry entry = about(MessageKind::report);
    entry.token = m.queue.report_token;
    note(m, entry);
    return true;
}

static bool write_query(const Writing &m)
{
    departures::write_query(m.w, m.r);
    UnackedEntry entry = about(MessageKind::query);
    entry.token = m.r.term.query_token;
    note(m, entry);
    return true;
}

static bool write_view(const Writing &m, MessageKind kind)
{
    views::write(m.w, m.r, m.to, kind);
    UnackedEntry entry = about(kind);
    entry.token = m.r.term.view;
    note(m, entry);
    return true;
}

// The list of claims is this peer's own; each is asked once for each host.
static bool write_claims(const Writing &m)
{
    if (replica::host(m.r) != m.r.members[m.to].id) return true;
    for (Claim &claim : m.r.claims.all()) {
        if (claim.asked) continue;
        claim.asked = true;
        messages::write_kind(m.w, MessageKind::claim);
        messages::write_object_id(m.w, claim.object);
        note(m, about(MessageKind::claim, static_cast<uint64_t>(claim.object)));
        return false;
    }
    return true;
}

static bool write_refusals(const Writing &m)
{
    WaitingRefusal *refusals = of_member(m.r.outbox.refusals, m.r, m.to).data();
    uint32_t &count = m.queue.refusal_count;
    if (count == 0) return true;
    messages::write_kind(m.w, MessageKind::claim_refused);
    messages::write_object_id(m.w, static_cast<ObjectId>(refusals[0].object));
    bits::write(m.w, refusals[0].reason, 8);
    UnackedEntry entry = about(MessageKind::claim_refused, refusals[0].object);
    entry.detail = static_cast<uint8_t>(refusals[0].reason);
    note(m, entry);
    std::move(refusals + 1, refusals + count, refusals);
    count -= 1;
    refusals[count] = {};
    return count == 0;
}

static bool write_dead_wanted(const Writing &m)
{
    if (replica::host(m.r) != m.r.members[m.to].id) return true;
    for (MemberSlot member = 0; member < m.r.members.count; ++member) {
        if (!m.r.outbox.queues[member].misses_dead) continue;
        m.r.outbox.queues[member].misses_dead = false;
        messages::write_kind(m.w, MessageKind::dead_wanted);
        messages::write_peer(m.w, m.r.members[member].id);
        UnackedEntry entry = about(MessageKind::dead_wanted);
        entry.peer = m.r.members[member].id;
        note(m, entry);
        return false;
    }
    return true;
}

static bool write_lease(const Writing &m)
{
    const bool to_host = replica::host(m.r) == m.r.members[m.to].id;
    if (!to_host && !replica::is_host(m.r)) return true;
    leases::LeasedTypes types;
    const uint32_t count = leases::write(m.w, m.r, m.to, types);
    for (uint32_t i = 0; i < count; ++i) {
        UnackedEntry entry = about(MessageKind::lease);
        entry.token = types[i];
        note(m, entry);
    }
    return count == 0;
}

static bool write_accusations(const Writing &m)
{
    if (replica::host(m.r) != m.r.members[m.to].id) return true;
    UnackedEntry entry = about(MessageKind::accuse);
    entry.peer = breaches::write_accuse(m.w, m.r);
    if (entry.peer != PeerId::none) note(m, entry);
    return entry.peer == PeerId::none;
}

static bool write_equivocations(const Writing &m)
{
    if (!breaches::write_equivocation(m.w, m.r, m.to)) return true;
    note(m, about(MessageKind::equivocation));
    return false;
}

static bool write_plain(const Writing &m, MessageKind kind)
{
    messages::write_kind(m.w, kind);
    note(m, about(kind));
    return true;
}

static bool write_control(const Writing &m, Control control)
{
    switch (control) {
    case Control::welcome: return write_view(m, MessageKind::welcome);
    case Control::view: return write_view(m, MessageKind::view);
    case Control::deaths: return write_deaths(m);
    case Control::query: return !m.r.duties.collecting || write_query(m);
    case Control::dead: return write_all_dead(m);
    case Control::report: return write_report(m);
    case Control::synced: return write_plain(m, MessageKind::synced);
    case Control::caught_up: return write_plain(m, MessageKind::caught_up);
    case Control::claims: return write_claims(m);
    case Control::refusals: return write_refusals(m);
    case Control::dead_wanted: return write_dead_wanted(m);
    case Control::lease: return write_lease(m);
    case Control::accusations: return write_accusations(m);
    case Control::equivocations: return write_equivocations(m);
    case Control::none: break;
    }
    TERN_ASSERT(false, "control %u", static_cast<unsigned>(control));
    return true;
}

// The clients of a star follow its next host when they receive its QUERY. Until then they let all
// that it sends about objects wait, so the QUERY goes first.
static uint32_t next_entry(const Replica &r, MemberSlot to)
{
    const uint32_t query = queue_entries::of(Control::query);
    const bool succeeds = r.rules.topology == Topology::star && r.view_host != r.self;
    if (succeeds && queue_entries::waiting(r, to, query) != 0) return query;
    return queue_entries::first(r, to);
}

void write_first(BitWriter &w, Replica &r, MemberSlot to)
{
    const Writing m = {w, r, to, r.outbox.queues[to]};
    const uint32_t entry = next_entry(r, to);
    if (!queue_entries::is_control(entry)) return write_object(m, queue_entries::slot_of(entry));
    if (write_control(m, static_cast<Control>(entry))) queue_entries::remove(r, to, entry, 1);
}

}
