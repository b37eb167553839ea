#include "migration/message_queue.h"
#include "migration/breaches.h"
#include "migration/deaths.h"
#include "migration/grants.h"
#include "migration/leases.h"
#include "migration/message_writing.h"
#include "migration/messages.h"
#include "migration/places.h"
#include "migration/queue_entries.h"
#include "migration/relay.h"
#include "migration/replica.h"
#include "migration/views.h"
#include <algorithm>

namespace tern::message_queue {

// The most GRANTs in flight to one member. A further one waits, with what is behind it, so that a
// member that takes none cannot use up the grants.
static constexpr uint32_t grants_unacked_max = 64;

// --- What waits ---

bool takes_objects(const Replica &r, MemberSlot to)
{
    if (to == no_member) return false;
    const Member &member = r.members[to];
    if (member.id == PeerId::none || member.id == r.self || member.fenced) return false;
    return replica::exchanges_objects_with(r, member.id);
}

// What must come behind everything that waits already.
static bool goes_to_the_end(Control control)
{
    return control == Control::view || control == Control::report;
}

// Deaths go before what is created later, or a receiver may have no room for that. WELCOME is
// always the first.
static void prepend_deaths(Replica &r, MemberSlot to, Control control)
{
    const uint32_t welcome = queue_entries::of(Control::welcome);
    const bool joins = queue_entries::waiting(r, to, welcome) != 0;
    queue_entries::prepend(r, to, queue_entries::of(control), 1, joins ? welcome : 0);
}

void push(Replica &r, MemberSlot to, Control control)
{
    if (!takes_objects(r, to)) return;
    const uint32_t entry = queue_entries::of(control);
    if (goes_to_the_end(control)) queue_entries::remove(r, to, entry, 1);
    if (control == Control::dead) {
        r.outbox.queues[to].dead_next = 0; // It begins again.
        return prepend_deaths(r, to, control);
    }
    if (control == Control::report)
        r.outbox.queues[to].report_dead_next = r.outbox.queues[to].report_next = 0;
    if (control == Control::equivocations) r.outbox.queues[to].equivocations_next = 0;
    queue_entries::append(r, to, entry, 1);
}

void append_dead(Replica &r, MemberSlot to)
{
    if (takes_objects(r, to)) queue_entries::append(r, to, queue_entries::of(Control::dead), 1);
}

void push_to_all(Replica &r, Control control)
{
    for (const uint16_t to : r.order.all())
        push(r, to, control);
}

void push_deaths(Replica &r, MemberSlot to)
{
    prepend_deaths(r, to, Control::deaths);
}

void announce_to(Replica &r, MemberSlot to, ObjectSlot slot)
{
    if (takes_objects(r, to)) queue_entries::append(r, to, queue_entries::of(slot), waiting_state);
}

void announce(Replica &r, ObjectSlot slot)
{
    for (const uint16_t to : r.order.all())
        announce_to(r, to, slot);
}

void send_refusal(Replica &r, MemberSlot to, ObjectId object, ClaimRefusal reason)
{
    if (!takes_objects(r, to)) return;
    const std::span<WaitingRefusal> waiting = of_member(r.outbox.refusals, r, to);
    uint32_t &count = r.outbox.queues[to].refusal_count;
    for (const WaitingRefusal &refusal : waiting.first(count))
        if (refusal.object == static_cast<uint64_t>(object)) return; // It was claimed twice.
    if (count == waiting.size()) return; // An honest member has fewer claims open.
    waiting[count].object = static_cast<uint64_t>(object) & ((uint64_t{1} << 48) - 1);
    waiting[count].reason = static_cast<uint8_t>(reason);
    count += 1;
    queue_entries::append(r, to, queue_entries::of(Control::refusals), 1);
}

static void forget_waiting_grant(Replica &r, ObjectSlot slot)
{
    const uint32_t grant = r.granting.waiting[slot];
    if (grant == 0) return;
    const MemberSlot owner = replica::find_member(r, r.granting.all[grant - 1].owner);
    if (owner != no_member) queue_entries::remove(r, owner, queue_entries::of(slot), waiting_grant);
    r.granting.waiting[slot] = 0;
    grants::unreference(r, grant);
}

static void let_grant_wait(Replica &r, MemberSlot to, ObjectSlot slot, uint32_t grant)
{
    r.granting.waiting[slot] = grant;
    r.granting.all[grant - 1].references += 1;
    queue_entries::append(r, to, queue_entries::of(slot), waiting_grant);
}

void send_grant(Replica &r, uint32_t grant)
{
    const Grant granted = r.granting.all[grant - 1];
    const MemberSlot to = replica::find_member(r, granted.owner);
    if (!takes_objects(r, to)) return;
    for (uint16_t i = 0; i < granted.object_count; ++i) {
        const ObjectSlot slot = world::find_alive(r.world, granted.objects[i]);
        if (slot == no_slot) continue;
        if (const uint32_t before = r.granting.waiting[slot]; before != 0) {
            const PeerId loser = r.granting.all[before - 1].owner;
            forget_waiting_grant(r, slot);
            if (loser != granted.owner)
                send_refusal(r, replica::find_member(r, loser), granted.objects[i],
                             ClaimRefusal::overtaken);
        }
        let_grant_wait(r, to, slot, grant);
    }
}

void send_owner_request(Replica &r, ObjectSlot slot, Waiting waiting)
{
    const MemberSlot host = replica::find_member(r, replica::host(r));
    if (takes_objects(r, host)) queue_entries::append(r, host, queue_entries::of(slot), waiting);
}

void withdraw_owner_requests(Replica &r, ObjectSlot slot)
{
    for (const uint16_t member : r.order.all())
        queue_entries::remove(r, member, queue_entries::of(slot), waiting_lock | waiting_release);
}

void forget_object(Replica &r, ObjectSlot slot)
{
    forget_waiting_grant(r, slot);
    for (const uint16_t member : r.order.all())
        queue_entries::remove(r, member, queue_entries::of(slot), 0xff);
}

// --- In flight ---

static UnackedEntry &unacked(Replica &r, MemberSlot member, uint32_t i)
{
    const std::span<UnackedEntry> ring = of_member(r.outbox.unacked, r, member);
    return ring[(r.outbox.queues[member].unacked_first + i) % ring.size()];
}

static const UnackedEntry &unacked(const Replica &r, MemberSlot member, uint32_t i)
{
    const std::span<const UnackedEntry> ring = of_member(r.outbox.unacked, r, member);
    return ring[(r.outbox.queues[member].unacked_first + i) % ring.size()];
}

static void pop_first(Replica &r, MemberSlot member)
{
    MemberQueue &queue = r.outbox.queues[member];
    unacked(r, member, 0) = {};
    queue.unacked_first = static_cast<uint32_t>((queue.unacked_first + 1) %
                                                of_member(r.outbox.unacked, r, member).size());
    queue.unacked_count -= 1;
}

static void free_unacked_grant(Replica &r, MemberSlot member, const UnackedEntry &entry)
{
    r.outbox.queues[member].grants_unacked -= 1;
    grants::unreference(r, entry.token);
}

void clear(Replica &r, MemberSlot to)
{
    while (const uint32_t entry = queue_entries::first(r, to)) {
        const bool grant = (queue_entries::waiting(r, to, entry) & waiting_grant) != 0;
        if (!queue_entries::is_control(entry) && grant)
            forget_waiting_grant(r, queue_entries::slot_of(entry));
        queue_entries::remove(r, to, entry, 0xff);
    }
    for (; r.outbox.queues[to].unacked_count > 0; pop_first(r, to))
        if (unacked(r, to, 0).kind == MessageKind::grant)
            free_unacked_grant(r, to, unacked(r, to, 0));
    deaths::forget_member(r, to);
    std::fill_n(of_member(r.outbox.refusals, r, to).begin(), r.outbox.queues[to].refusal_count,
                WaitingRefusal{});
    r.outbox.queues[to] = {};
}

// The message has arrived. After an announcement the publisher may send UPDATEs of the object.
static void arrived(Replica &r, MemberSlot to, const UnackedEntry &entry)
{
    switch (entry.kind) {
    case MessageKind::welcome:
    case MessageKind::view: return views::arrived(r, to, entry.token);
    case MessageKind::create:
    case MessageKind::migrate:
    case MessageKind::relay: {
        const ObjectSlot slot = world::find_alive(r.world, static_cast<ObjectId>(entry.object));
        if (slot == no_slot || r.world.slots[slot].stamp != entry.stamp) return;
        if (r.world.slots[slot].owner != r.self && !replica::relays(r)) return;
        return publish::announced({r.publisher, r.world, *r.types, to}, slot, entry.tick);
    }
    case MessageKind::destroy: return deaths::proof_acked(r, to, entry.token, entry.object);
    case MessageKind::grant: return free_unacked_grant(r, to, entry);
    default: return;
    }
}

void acked(Replica &r, MemberSlot to, uint32_t count)
{
    MemberQueue &queue = r.outbox.queues[to];
    queue.acked_count = count;
    while (queue.unacked_count > 0 && unacked(r, to, 0).message <= count) {
        arrived(r, to, unacked(r, to, 0));
        pop_first(r, to);
    }
}

// --- Pulling ---

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
static void charge(Replica &r, const BitWriter &w, std::span<const std::byte> message)
{
    if (!r.charges || message.empty()) return;
    const auto kind = static_cast<MessageKind>(message[0]);
    const auto bit_count = static_cast<int64_t>(bits::bit_count(w));
    const auto padded = static_cast<int64_t>(message.size() * 8);
    charges::add(*r.charges, traffic_kind(kind), bit_count, 1);
    charges::add(*r.charges, TrafficKind::padding, padded - bit_count, 1);
}

bool has_message(const Replica &r, MemberSlot to)
{
    const MemberQueue &queue = r.outbox.queues[to];
    const uint32_t entry = queue_entries::first(r, to);
    if (entry == 0) return false;
    const bool is_grant = !queue_entries::is_control(entry) &&
                          (queue_entries::waiting(r, to, entry) & waiting_grant) != 0;
    if (is_grant && queue.grants_unacked == grants_unacked_max) return false;
    return queue.unacked_count + grant_objects_max <= of_member(r.outbox.unacked, r, to).size();
}

size_t pull(Replica &r, MemberSlot to, std::span<std::byte> buffer)
{
    while (has_message(r, to)) {
        BitWriter w = bits::writer(buffer);
        message_writing::write_first(w, r, to);
        TERN_ASSERT(!bits::overflow(w), "a message of more than %zu bytes", buffer.size());
        const size_t size = bits::size_bytes(w);
        charge(r, w, buffer.first(size));
        if (size == 0) continue;
        r.outbox.queues[to].message_count += 1;
        places::messages_pulled(r, to);
        return size;
    }
    places::messages_pulled(r, to);
    return 0;
}

// --- A new connection ---

static void requeue_state(Replica &r, MemberSlot to, ObjectId object)
{
    const ObjectSlot slot = world::find_alive(r.world, object);
    if (slot == no_slot) return;
    if (r.world.slots[slot].owner == r.self || replica::relays(r))
        queue_entries::prepend(r, to, queue_entries::of(slot), waiting_state);
}

static void requeue_owner_request(Replica &r, MemberSlot to, const UnackedEntry &entry)
{
    const ObjectSlot slot = world::find_alive(r.world, static_cast<ObjectId>(entry.object));
    if (slot == no_slot || r.world.slots[slot].owner != r.self) return;
    const Waiting waiting = entry.kind == MessageKind::release ? waiting_release : waiting_lock;
    queue_entries::prepend(r, to, queue_entries::of(slot), waiting);
}

static void requeue_grant(Replica &r, MemberSlot to, uint32_t index)
{
    const Grant &grant = r.granting.all[index - 1];
    for (uint16_t i = grant.object_count; i > 0; --i) {
        const ObjectSlot slot = world::find_alive(r.world, grant.objects[i - 1]);
        if (slot == no_slot) continue;
        if (r.granting.waiting[slot] == 0)
            let_grant_wait(r, to, slot, index);
        else if (r.granting.all[r.granting.waiting[slot] - 1].owner != grant.owner)
            send_refusal(r, to, grant.objects[i - 1], ClaimRefusal::overtaken);
        if ((queue_entries::waiting(r, to, queue_entries::of(slot)) & waiting_grant) != 0)
            queue_entries::prepend(r, to, queue_entries::of(slot), waiting_grant);
    }
}

static void requeue(Replica &r, MemberSlot to, const UnackedEntry &entry)
{
    const auto object = static_cast<ObjectId>(entry.object);
    const auto again = [&](Control control) {
        queue_entries::prepend(r, to, queue_entries::of(control), 1);
    };
    switch (entry.kind) {
    case MessageKind::create:
    case MessageKind::migrate:
    case MessageKind::relay: return requeue_state(r, to, object);
    case MessageKind::lock:
    case MessageKind::unlock:
    case MessageKind::release: return requeue_owner_request(r, to, entry);
    case MessageKind::grant:
        requeue_grant(r, to, entry.token);
        return free_unacked_grant(r, to, entry);
    case MessageKind::claim_refused:
        return send_refusal(r, to, object, static_cast<ClaimRefusal>(entry.detail));
    case MessageKind::claim:
        for (Claim &claim : r.claims.all())
            if (claim.object == object) claim.asked = false;
        return again(Control::claims);
    case MessageKind::dead:
        if (entry.object == 0) return again(Control::dead);
        return deaths::owe(r, to, {entry.object, entry.stamp});
    case MessageKind::dead_wanted:
        if (const MemberSlot member = replica::find_member(r, entry.peer); member != no_member)
            r.outbox.queues[member].misses_dead = true;
        return again(Control::dead_wanted);
    case MessageKind::report:
        if (entry.token == r.outbox.queues[to].report_token) again(Control::report);
        return;
    case MessageKind::welcome: return again(Control::welcome);
    case MessageKind::view: return again(Control::view);
    case MessageKind::query: return again(Control::query);
    case MessageKind::synced: return again(Control::synced);
    case MessageKind::caught_up: return again(Control::caught_up);
    case MessageKind::lease:
        leases::lost(r, to, static_cast<TypeId>(entry.token));
        return again(Control::lease);
    case MessageKind::accuse: breaches::lost(r, entry.peer); return again(Control::accusations);
    case MessageKind::equivocation: return again(Control::equivocations);
    case MessageKind::destroy: // deaths::proofs_lost() does these.
    case MessageKind::report_object:
    case MessageKind::none: return;
    }
}

void rewind(Replica &r, MemberSlot to)
{
    MemberQueue &queue = r.outbox.queues[to];
    queue.message_count = queue.acked_count = 0;
    queue.dead_next = queue.report_dead_next = queue.report_next = queue.equivocations_next = 0;
    while (queue.unacked_count > 0) { // The newest first, so that all keep their order.
        const UnackedEntry entry = unacked(r, to, queue.unacked_count - 1);
        unacked(r, to, queue.unacked_count - 1) = {};
        queue.unacked_count -= 1;
        requeue(r, to, entry);
    }
    queue.unacked_first = 0;
    deaths::proofs_lost(r, to);
    places::rewind(r, to);
    const bool joins = queue_entries::waiting(r, to, queue_entries::of(Control::welcome)) != 0;
    queue.view_said = joins ? 0 : queue.view_floor; // A newcomer may have no view.
}

// --- Questions ---

bool is_empty(const Replica &r, MemberSlot to)
{
    return queue_entries::first(r, to) == 0 && r.outbox.queues[to].unacked_count == 0;
}

uint32_t count(const Replica &r, MemberSlot to)
{
    uint32_t count = r.outbox.queues[to].unacked_count;
    for (uint32_t at = queue_entries::first(r, to); at != 0; at = queue_entries::next(r, to, at))
        count += 1;
    return count;
}

bool is_death_unacked(const Replica &r, MemberSlot to, ObjectId object)
{
    const auto id = static_cast<uint64_t>(object);
    for (uint32_t i = 0; i < r.outbox.queues[to].unacked_count; ++i) {
        const UnackedEntry &entry = unacked(r, to, i);
        if (entry.kind == MessageKind::dead && entry.object <= id && id <= entry.stamp) return true;
    }
    return false;
}

bool is_announcement_unacked(const Replica &r, MemberSlot to, ObjectId object)
{
    for (uint32_t i = 0; i < r.outbox.queues[to].unacked_count; ++i) {
        const UnackedEntry &entry = unacked(r, to, i);
        const bool state = entry.kind == MessageKind::create ||
                           entry.kind == MessageKind::migrate || entry.kind == MessageKind::relay;
        if (state && entry.object == static_cast<uint64_t>(object)) return true;
    }
    return false;
}

}
