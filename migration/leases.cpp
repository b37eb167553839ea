#include "migration/leases.h"
#include "migration/message_queue.h"
#include "migration/places.h"
#include <algorithm>
#include <span>
#include <utility>

namespace tern::leases {

// While a member waits for places that nobody had, the host looks again each time that this many
// ticks have passed.
static constexpr uint32_t retry_ticks = 16;

static uint32_t type_count(const Replica &r)
{
    return r.room.places.count;
}

// Places that no object has used since all know of its death. Only these may go to others.
static uint32_t free_places(const Places &places)
{
    return places.held - std::min(places.held, places.used);
}

// A peer asks for more places when no more than this many of those that are free now are left.
static uint32_t low_mark(const Places &places)
{
    return free_places(places) / 4;
}

// Begins the lease anew.
static void set_places(Lease &lease, uint32_t places)
{
    const uint32_t alive = lease.alive;
    lease = {};
    lease.alive = alive;
    lease.places = places;
}

static void ask_for_more(Replica &r, Places &places)
{
    if (places.wanted) return;
    places.wanted = true;
    if (replica::is_host(r)) {
        r.duties.leases_due = true;
        return;
    }
    places.waits = true;
    message_queue::push(r, replica::find_member(r, replica::host(r)), Control::lease);
}

void used(Replica &r, TypeId type)
{
    Places &places = r.room.places[type];
    const bool is_low = free_places(places) <= places.low;
    if (is_low && places.held < r.types->types[type].objects_max) ask_for_more(r, places);
}

void start(Replica &r)
{
    for (size_t type = 0; type < type_count(r); ++type)
        r.room.places[type].held = r.types->types[type].objects_max;
    r.duties.counts_departed = true;
}

// --- Creations of members ---

void begin_member(Replica &r, MemberSlot member)
{
    for (const KnownObject &object : r.world.slots.all())
        if (object.life == Life::alive && object_id::creator(object.id) == r.members[member].id)
            lease_of(r, member, object.type).alive += 1;
}

void end_member(Replica &r, MemberSlot member)
{
    for (size_t type = 0; type < type_count(r); ++type)
        lease_of(r, member, type) = {};
    shortage::forget(r, member);
}

void came_alive(Replica &r, const KnownObject &object)
{
    const MemberSlot creator = replica::find_member(r, object_id::creator(object.id));
    if (creator != no_member) lease_of(r, creator, object.type).alive += 1;
}

void died(Replica &r, const KnownObject &object)
{
    const MemberSlot creator = replica::find_member(r, object_id::creator(object.id));
    if (creator == no_member) return;
    lease_of(r, creator, object.type).alive -= 1;
    shortage::died(r, creator, object.type);
}

// A creator uses a place of its lease until the host has acked the death in it. So the host never
// knows more living objects of an honest one than there are places in its lease.
bool allow(const Replica &r, PeerId creator, TypeId type, uint32_t place)
{
    const MemberSlot member = replica::find_member(r, creator);
    if (member == no_member || creator == r.self) return true;
    if (places::occupant(r, creator, type, place) != no_slot) return true; // It dies then.
    if (!replica::is_host(r)) return !shortage::is_full(r, member, type);
    const Lease &lease = lease_of(r, member, type);
    return lease.alive < lease.places;
}

// --- The host shares what is free ---

// The living objects of a type whose creators are no members.
static uint32_t alive_of_others(const Replica &r, size_t type)
{
    uint32_t alive = r.world.packed[type].alive;
    for (const uint16_t member : r.order.all())
        alive -= lease_of(r, member, type).alive;
    return alive;
}

static void send_lease(Replica &r, MemberSlot to, size_t type)
{
    lease_of(r, to, type).waits = true;
    message_queue::push(r, to, Control::lease);
}

static void give(Replica &r, MemberSlot to, size_t type, uint32_t count, bool wants_more)
{
    Lease &lease = lease_of(r, to, type);
    r.room.places[type].held -= count;
    lease.places += count;
    lease.number += 1;
    lease.asked = 0;
    lease.wanted = wants_more;
    send_lease(r, to, type);
}

// The division of the free places of one type. Who has half of an equal share has enough: the host
// does not trouble the others on its behalf. So most joins cost one message and not one round trip
// to each member.
struct Shares {
    uint32_t free[members_max]; // By member slot, as far as the host knows.
    uint32_t equal;             // What each member would have.
    uint32_t goal;              // What those that want more get: an equal share, and at least one.
    uint32_t enough;
    uint32_t missing; // What those that have not enough still miss of their goal.
};

static Shares count_shares(const Replica &r, size_t type)
{
    Shares shares = {};
    uint64_t all = 0;
    uint32_t members = 0;
    for (const uint16_t member : r.order.all()) {
        const Member &m = r.members[member];
        if (m.fenced) continue;
        const Lease &lease = lease_of(r, member, type);
        const uint32_t held = lease.places;
        const uint32_t used = std::min(held, lease.alive);
        shares.free[member] = m.id == r.self ? free_places(r.room.places[type]) : held - used;
        all += shares.free[member];
        members += 1;
    }
    shares.equal = static_cast<uint32_t>(all / members);
    shares.goal = std::max(shares.equal, 1u);
    shares.enough = shares.goal - shares.goal / 2;
    return shares;
}

// Gives from the host's own free places to the members that run low. `again`: somebody has waited
// for some ticks. A member that has enough then asks again when it needs more; before, it may know
// better than the host, because not all have acked a death.
static void give_to_wanting(Replica &r, size_t type, Shares &shares, bool again)
{
    const MemberSlot self = replica::find_member(r, r.self);
    Places &own = r.room.places[type];
    if (shares.free[self] >= shares.enough) own.wanted = false;
    if (own.wanted) shares.missing = shares.goal - shares.free[self];
    for (const uint16_t member : r.order.all()) {
        const Lease &lease = lease_of(r, member, type);
        if (!lease.wanted || r.members[member].fenced) continue;
        if (shares.free[member] >= shares.enough) {
            if (again) give(r, member, type, 0, false);
            continue;
        }
        const uint32_t missing = shares.goal - shares.free[member];
        uint32_t spare = shares.free[self] - std::min(shares.free[self], shares.enough);
        if (own.wanted) spare = 0;
        // A member that has none gets one before the host keeps its half.
        else if (spare == 0 && shares.free[member] == 0 && shares.free[self] > 0)
            spare = 1;
        const uint32_t given = std::min(missing, spare);
        const bool is_short = shares.free[member] + given < shares.enough;
        if (given > 0) give(r, member, type, given, is_short);
        shares.free[self] -= given;
        if (is_short) shares.missing += missing - given;
    }
    own.low = low_mark(own);
}

// Asks those that have more than their share to return what others miss.
static void ask_to_return(Replica &r, size_t type, Shares &shares)
{
    const bool one_each = shares.equal == 0;
    for (const uint16_t member : r.order.all()) {
        Lease &lease = lease_of(r, member, type);
        const Member &m = r.members[member];
        if (shares.missing == 0) return;
        if (m.fenced || m.id == r.self || lease.wanted || lease.asked > 0) continue;
        const uint32_t keeps = one_each ? 0 : shares.equal;
        if (shares.free[member] <= keeps) continue;
        lease.asked = std::min(shares.free[member] - keeps, shares.missing);
        lease.number += 1;
        shares.missing -= lease.asked;
        send_lease(r, member, type);
    }
}

static bool anybody_wants(const Replica &r, size_t type)
{
    bool wants = r.room.places[type].wanted;
    for (const uint16_t member : r.order.all())
        wants = wants || lease_of(r, member, type).wanted;
    return wants;
}

static void share(Replica &r)
{
    const bool again = r.duties.leases_wanted && r.world.tick % retry_ticks == 0;
    if (!r.duties.leases_due && !again) return;
    r.duties.leases_due = r.duties.leases_wanted = false;
    for (size_t type = 0; type < type_count(r); ++type) {
        if (!anybody_wants(r, type)) continue;
        Shares shares = count_shares(r, type);
        give_to_wanting(r, type, shares, again);
        if (shares.missing > 0) ask_to_return(r, type, shares);
        r.duties.leases_wanted = r.duties.leases_wanted || anybody_wants(r, type);
    }
}

void settle(Replica &r)
{
    if (replica::is_host(r)) share(r);
}

// --- Membership ---

void admit(Replica &r, MemberSlot member)
{
    for (size_t type = 0; type < type_count(r); ++type) {
        if (r.types->types[type].objects_max == 0) continue;
        lease_of(r, member, type).wanted = true;
    }
    r.duties.leases_due = true;
    share(r);
}

void begin_report(Replica &r)
{
    for (Places &places : r.room.places.all())
        places.number = 0;
}

void follow_new_host(Replica &r)
{
    for (Places &places : r.room.places.all()) {
        if (!places.wanted) continue;
        places.wanted = false;
        ask_for_more(r, places);
    }
}

// A member may have reported fewer than it uses.
static uint32_t places_of(const Lease &lease)
{
    return std::max(lease.places, lease.alive);
}

// All places but those that the others and this peer hold. A member that has reported more than
// there are leaves none.
static uint32_t free_of_members(const Replica &r, size_t type)
{
    uint64_t held = r.room.places[type].held;
    for (const uint16_t member : r.order.all())
        if (!r.members[member].fenced && r.members[member].id != r.self)
            held += places_of(lease_of(r, member, type));
    const uint32_t all = r.types->types[type].objects_max;
    return static_cast<uint32_t>(all - std::min<uint64_t>(held, all));
}

// Counts the living objects of all creators that depart now. A new host has not counted those of
// any departed member yet.
static uint32_t alive_of_departed(const Replica &r, size_t type)
{
    uint32_t alive = r.duties.counts_departed ? 0 : alive_of_others(r, type);
    for (const uint16_t member : r.order.all())
        if (r.members[member].fenced) alive += lease_of(r, member, type).alive;
    return alive;
}

uint32_t excess_of_departed(const Replica &r, size_t type)
{
    const uint32_t alive = alive_of_departed(r, type), places = free_of_members(r, type);
    return alive - std::min(alive, places);
}

void end_departure(Replica &r)
{
    for (size_t type = 0; type < type_count(r); ++type) {
        if (r.types->types[type].objects_max == 0) continue;
        const uint32_t taken = free_of_members(r, type);
        const uint32_t alive = alive_of_departed(r, type);
        for (const uint16_t member : r.order.all())
            if (r.members[member].fenced) set_places(lease_of(r, member, type), 0);
        Places &own = r.room.places[type];
        const uint32_t used = std::max(taken, alive);
        own.held += taken;
        own.used += used;
        own.departed_unacked += used - alive; // Until all have acked DEAD.
    }
    r.duties.deaths_unacked = r.duties.leases_due = r.duties.counts_departed = true;
}

// --- Messages ---

static bool is_object_type(const Replica &r, uint64_t type)
{
    return type < type_count(r) && r.types->types[type].objects_max > 0;
}

// What a LEASE says of one type.
struct Entry {
    uint64_t type, number, places, asked;
};

static void write_entry(BitWriter &w, const Entry &entry)
{
    bits::write_bool(w, true);
    bits::write_varint(w, entry.type);
    bits::write_varint(w, entry.number);
    bits::write_varint(w, entry.places);
    bits::write_varint(w, entry.asked);
}

static Entry read_entry(const Replica &r, BitReader &reader)
{
    Entry entry = {};
    entry.type = bits::read_varint(reader);
    entry.number = bits::read_varint(reader);
    entry.places = bits::read_varint(reader);
    entry.asked = bits::read_varint(reader);
    const bool possible = is_object_type(r, entry.type) && entry.number <= UINT32_MAX &&
                          entry.places <= r.types->types[entry.type].objects_max;
    // The host asks for some of the places, and a member for more of them or not.
    const uint64_t asked_max = replica::is_host(r) ? 1 : entry.places;
    if (!possible || entry.asked > asked_max) bits::fail(reader);
    return entry;
}

// What the host has to tell the member, or the member the host, about the type. False: nothing.
static bool take_waiting(Replica &r, MemberSlot to, size_t type, Entry &entry)
{
    if (replica::is_host(r)) {
        Lease &lease = lease_of(r, to, type);
        entry = {type, lease.number, lease.places, lease.asked};
        return std::exchange(lease.waits, false);
    }
    Places &places = r.room.places[type];
    entry = {type, places.number, places.held, places.wanted};
    return std::exchange(places.waits, false);
}

uint32_t write(BitWriter &w, Replica &r, MemberSlot to, LeasedTypes &about)
{
    uint32_t count = 0;
    Entry entry;
    for (size_t type = 0; type < type_count(r) && count < grant_objects_max; ++type) {
        if (!take_waiting(r, to, type, entry)) continue;
        if (count == 0) messages::write_kind(w, MessageKind::lease);
        about[count++] = static_cast<TypeId>(type);
        write_entry(w, entry);
    }
    if (count > 0) bits::write_bool(w, false);
    return count;
}

void lost(Replica &r, MemberSlot to, TypeId type)
{
    (replica::is_host(r) ? lease_of(r, to, type).waits : r.room.places[type].waits) = true;
}

// On a member. An earlier LEASE, which a new connection has repeated, changes nothing.
static void take_lease(Replica &r, const Entry &entry)
{
    Places &places = r.room.places[entry.type];
    if (entry.number <= places.number) return;
    places.number = static_cast<uint32_t>(entry.number);
    places.held = static_cast<uint32_t>(entry.places);
    if (entry.asked > 0) {
        places.held -= std::min(static_cast<uint32_t>(entry.asked), free_places(places));
        places.waits = true;
        message_queue::push(r, replica::find_member(r, replica::successor(r)), Control::lease);
    } else {
        places.wanted = false;
    }
    places.low = low_mark(places);
}

// On the host. A LEASE of a member that has crossed a newer one of the host is void. If the host's
// asks for places, the member writes another one; otherwise the member asks again when it runs low.
static void take_kept(Replica &r, MemberSlot from, const Entry &entry)
{
    Lease &lease = lease_of(r, from, entry.type);
    if (entry.number != lease.number || entry.places > lease.places) return;
    if (entry.asked > 0 && !lease.wanted) lease.wanted = r.duties.leases_due = true;
    const auto returned = static_cast<uint32_t>(lease.places - entry.places);
    if (returned == 0 && lease.asked == 0) return;
    lease.places -= returned;
    r.room.places[entry.type].held += returned;
    lease.asked = 0;
    lease.number += 1;
    // Otherwise not all know yet who has died there: the host asks again later.
    if (returned > 0) r.duties.leases_due = true;
    send_lease(r, from, entry.type);
}

// On the host. A member returns free places only, in which the host knows nothing that lives.
static bool returns_what_it_uses(const Replica &r, MemberSlot from, std::span<const Entry> entries)
{
    for (const Entry &entry : entries) {
        const Lease &lease = lease_of(r, from, entry.type);
        if (entry.number == lease.number && entry.places < std::min(lease.places, lease.alive))
            return true;
    }
    return false;
}

Verdict receive(Replica &r, MemberSlot from, BitReader reader)
{
    Entry room[grant_objects_max];
    size_t count = 0;
    for (; bits::read_bool(reader) && !bits::failed(reader); ++count) {
        if (count == grant_objects_max) return Verdict::malformed;
        room[count] = read_entry(r, reader);
    }
    if (!bits::complete(reader)) return Verdict::malformed;
    const std::span<const Entry> entries(room, count);
    const bool host = replica::is_host(r);
    if (!host && r.members[from].id != replica::successor(r)) return Verdict::forged;
    if (host && returns_what_it_uses(r, from, entries)) return Verdict::over_quota;
    for (const Entry &entry : entries) {
        if (host)
            take_kept(r, from, entry);
        else
            take_lease(r, entry);
    }
    return Verdict::ok;
}

void write_held(BitWriter &w, const Replica &r)
{
    for (size_t type = 0; type < type_count(r); ++type)
        if (is_object_type(r, type)) bits::write_varint(w, r.room.places[type].held);
}

void read_held(BitReader &reader, const Replica &r, HeldPlaces &held)
{
    for (size_t type = 0; type < type_count(r); ++type) {
        if (!is_object_type(r, type)) continue;
        const uint64_t places = bits::read_varint(reader);
        if (places > r.types->types[type].objects_max) bits::fail(reader);
        held.of_type[type] = static_cast<uint32_t>(places);
    }
}

void take_held(Replica &r, MemberSlot from, const HeldPlaces &held)
{
    for (size_t type = 0; type < type_count(r); ++type)
        if (is_object_type(r, type)) set_places(lease_of(r, from, type), held.of_type[type]);
}

}
