#include "migration/places.h"
#include "base/probing.h"
#include "migration/deaths.h"
#include "migration/leases.h"
#include "migration/message_queue.h"
#include "migration/queue_entries.h"
#include <algorithm>

namespace tern::places {

// --- Creations of this peer ---

void set_up(Replica &r)
{
    uint32_t first = 0;
    for (size_t type = 0; type < r.room.places.count; ++type) {
        Places &places = r.room.places[type];
        const uint32_t count = r.types->types[type].objects_max;
        places.first = first;
        places.unused = count;
        for (uint32_t i = 0; i < count; ++i) // The lowest numbers are used first.
            r.room.numbers[first + i] = count - 1 - i;
        first += count;
    }
}

uint32_t left(const Replica &r, TypeId type)
{
    if (r.phase != Phase::in) return 0;
    const Places &places = r.room.places[type];
    const uint32_t free = places.held - std::min(places.held, places.used);
    return free + places.unacked + places.awaited;
}

bool take(Replica &r, TypeId type, uint32_t &number)
{
    Places &places = r.room.places[type];
    if (left(r, type) == 0) return false;
    number = r.room.numbers[places.first + places.unused - 1];
    places.unused -= 1;
    if (places.unacked > 0)
        places.unacked -= 1;
    else if (places.awaited > 0)
        places.awaited -= 1;
    else
        places.used += 1;
    return true;
}

static void leave_own(Replica &r, const KnownObject &object)
{
    Places &places = r.room.places[object.type];
    r.room.numbers[places.first + places.unused] = object.place;
    places.unused += 1;
    places.unacked += 1;
}

// --- Deaths that not all have acked ---

void messages_pulled(Replica &r, MemberSlot member)
{
    MemberQueue &queue = r.outbox.queues[member];
    if (queue.deaths != AckedDeaths::queued) return;
    for (const Control control : {Control::deaths, Control::dead})
        if (queue_entries::waiting(r, member, queue_entries::of(control)) != 0) return;
    queue.deaths = AckedDeaths::sent;
    queue.deaths_message = queue.message_count;
}

// In a star nobody waits for acks: all that a member knows comes to it in one stream, in which
// deaths go first.
static void begin_round(Replica &r)
{
    r.duties.deaths_unacked = false;
    r.duties.deaths_awaited = true;
    for (Places &places : r.room.places.all()) {
        places.awaited = places.unacked;
        places.departed_awaited = places.departed_unacked;
        places.unacked = places.departed_unacked = 0;
    }
    if (r.rules.topology == Topology::star) return;
    for (const uint16_t member : r.order.all()) {
        if (!message_queue::takes_objects(r, member)) continue;
        r.outbox.queues[member].deaths = AckedDeaths::queued;
        messages_pulled(r, member);
    }
}

// Whether every member has acked what was owed when the round began.
static bool is_round_over(Replica &r)
{
    bool over = true;
    for (const uint16_t member : r.order.all()) {
        MemberQueue &queue = r.outbox.queues[member];
        if (queue.deaths == AckedDeaths::sent && queue.acked_count >= queue.deaths_message) {
            queue.deaths = AckedDeaths::all;
            queue.deaths_message = 0;
        }
        over = over && queue.deaths == AckedDeaths::all;
    }
    return over;
}

static void end_round(Replica &r)
{
    for (Places &places : r.room.places.all()) {
        const uint32_t freed = places.awaited + places.departed_awaited;
        // A hostile member can make objects known whose creator has never had a place for them.
        places.used -= std::min(places.used, freed);
        places.awaited = places.departed_awaited = 0;
    }
    r.duties.deaths_awaited = false;
}

void settle(Replica &r)
{
    if (r.duties.deaths_awaited && is_round_over(r)) end_round(r);
    if (r.duties.deaths_awaited || !r.duties.deaths_unacked) return;
    begin_round(r);
    if (is_round_over(r)) end_round(r);
}

void rewind(Replica &r, MemberSlot member)
{
    MemberQueue &queue = r.outbox.queues[member];
    if (queue.deaths == AckedDeaths::sent) queue.deaths = AckedDeaths::queued;
    queue.deaths_message = 0;
    messages_pulled(r, member);
}

// --- Objects of all peers ---

static uint64_t key(PeerId creator, TypeId type, uint32_t number)
{
    return static_cast<uint64_t>(creator) << 48 | uint64_t{type} << 32 | number;
}

static uint64_t key_of(const Replica &r, ObjectSlot slot)
{
    const KnownObject &object = r.world.slots[slot];
    return key(object_id::creator(object.id), object.type, object.place);
}

static uint32_t find(const Replica &r, uint64_t wanted)
{
    return probing::find(r.room.occupants, wanted,
                         [&](ObjectSlot slot) { return key_of(r, slot) == wanted; });
}

ObjectSlot occupant(const Replica &r, PeerId creator, TypeId type, uint32_t number)
{
    const uint32_t entry = r.room.occupants[find(r, key(creator, type, number))];
    return entry == 0 ? no_slot : entry - 1;
}

static void take_place(Replica &r, ObjectSlot slot, uint32_t number)
{
    r.world.slots[slot].place = number;
    const uint32_t at = find(r, key_of(r, slot));
    TERN_ASSERT(r.room.occupants[at] == 0, "place %u", number);
    r.room.occupants[at] = slot + 1;
}

static void leave_place(Replica &r, ObjectSlot slot)
{
    const uint32_t at = find(r, key_of(r, slot));
    TERN_ASSERT(r.room.occupants[at] == slot + 1, "place %u", r.world.slots[slot].place);
    probing::remove(r.room.occupants, at, [&](ObjectSlot other) { return key_of(r, other); });
}

void move_over(Replica &r, ObjectSlot slot, uint32_t number)
{
    leave_place(r, slot);
    take_place(r, slot, number);
}

void move_in(Replica &r, ObjectSlot slot, uint32_t number)
{
    take_place(r, slot, number);
    leases::came_alive(r, r.world.slots[slot]);
}

// Whether the object uses a place of this peer's lease: one that it has created or, on the host,
// one whose creator has departed, once leases::end_departure() has counted it.
static bool uses_own_lease(const Replica &r, PeerId creator)
{
    if (creator == r.self) return true;
    const bool departs = r.duties.collecting && replica::find_member(r, creator) != no_member;
    return r.duties.counts_departed && replica::host(r) == r.self &&
           !replica::is_member(r, creator) && !departs;
}

void died(Replica &r, ObjectSlot slot)
{
    const KnownObject &object = r.world.slots[slot];
    const PeerId creator = object_id::creator(object.id);
    leave_place(r, slot);
    leases::died(r, object);
    if (!uses_own_lease(r, creator)) return;
    if (creator == r.self)
        leave_own(r, object);
    else
        r.room.places[object.type].departed_unacked += 1;
    r.duties.deaths_unacked = true;
    if (r.rules.topology == Topology::star) return;
    const auto id = static_cast<uint64_t>(object.id);
    for (const uint16_t member : r.order.all())
        deaths::owe(r, member, {id, id});
}

}
