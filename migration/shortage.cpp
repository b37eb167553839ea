#include "migration/breaches.h"
#include "migration/leases.h"
#include "migration/messages.h"
#include "migration/objects.h"
#include "tern/diagnostics.hpp"
#include <algorithm>

namespace tern::shortage {

// Entries of one answer: it fits into any packet.
static constexpr uint32_t entries_max = 64;

// Another type has to wait until the answers about this one have come. A newcomer may still learn
// of objects whose deaths the members that were in have acked, so it can charge nobody.
void begin(Replica &r, TypeId type)
{
    Shortage &shortage = r.shortage;
    if (r.rules.topology == Topology::star || r.phase != Phase::in || shortage.lasts) return;
    shortage.type = type;
    shortage.lasts = true;
    shortage.number += 1;
    shortage.next = PeerId{1};
    for (MemberSlot member = 0; member < r.members.count; ++member)
        shortage.least_alive[member] = lease_of(r, member, type).alive;
}

void died(Replica &r, MemberSlot creator, TypeId type)
{
    if (!r.shortage.lasts || r.shortage.type != type) return;
    r.shortage.least_alive[creator] =
        std::min(r.shortage.least_alive[creator], lease_of(r, creator, type).alive);
}

void forget(Replica &r, MemberSlot member)
{
    r.shortage.least_alive[member] = 0;
}

bool is_full(const Replica &r, MemberSlot member, TypeId type)
{
    const Lease &lease = lease_of(r, member, type);
    return lease.is_exceeded && lease.alive >= lease.places;
}

// Destroys so many objects that nobody else has been granted. The peer that has created them shows
// each member what it likes, so nobody else relies on them.
static void destroy_excess(Replica &r, PeerId creator, TypeId type, uint32_t count)
{
    for (ObjectSlot slot = r.world.slots.count; slot > 0 && count > 0; --slot) {
        const KnownObject &object = r.world.slots[slot - 1];
        const bool is_own = object_id::creator(object.id) == creator && object.owner == creator;
        if (!is_own || object.type != type || object.life != Life::alive) continue;
        replica_objects::destroy_reported(r, object.id);
        count -= 1;
    }
}

// An honest member has at no time more objects alive here than its lease at the host has places
// (leases.h). The host answered some time after this peer had asked for the first time, so the
// least number since then can be compared.
static void compare(Replica &r, MemberSlot member, uint32_t places)
{
    const Shortage &shortage = r.shortage;
    if (r.members[member].fenced || shortage.least_alive[member] <= places) return;
    Lease &lease = lease_of(r, member, shortage.type);
    lease.is_exceeded = true;
    lease.places = places;
    const uint32_t excess = shortage.least_alive[member] - places;
    breaches::found(r, member, Breach::over_quota);
    destroy_excess(r, r.members[member].id, shortage.type, excess);
}

}

namespace tern::replica {

bool asks_for_leases(const Replica &r)
{
    const PeerId to = host(r);
    return r.shortage.lasts && to != PeerId::none && to != r.self;
}

void write_lease_question(BitWriter &w, const Replica &r)
{
    bits::write_varint(w, r.shortage.number);
    bits::write_varint(w, r.shortage.type);
    bits::write(w, static_cast<uint64_t>(r.shortage.next), 16);
}

bool read_lease_question(BitReader &reader, const Replica &r, LeaseQuestion &question)
{
    const uint64_t number = bits::read_varint(reader), type = bits::read_varint(reader);
    question.first = static_cast<PeerId>(bits::read(reader, 16));
    if (number > UINT32_MAX || type >= r.room.places.count) bits::fail(reader);
    question.number = static_cast<uint32_t>(number);
    question.type = static_cast<TypeId>(type);
    return bits::complete(reader);
}

void write_leases(BitWriter &w, const Replica &r, const LeaseQuestion &question)
{
    bits::write_varint(w, question.number);
    uint32_t count = 0;
    for (const uint16_t slot : r.order.all()) {
        const Member &member = r.members[slot];
        if (member.id < question.first || member.id == r.self || member.fenced) continue;
        if (count == shortage::entries_max) break;
        bits::write_bool(w, true);
        messages::write_peer(w, member.id);
        bits::write_varint(w, lease_of(r, slot, question.type).places);
        count += 1;
    }
    bits::write_bool(w, false);
}

// The entries of an answer.
struct LeaseEntries {
    PeerId peers[shortage::entries_max]; // They ascend.
    uint32_t places[shortage::entries_max];
    uint32_t count;
};

static void read_entries(BitReader &reader, LeaseEntries &entries)
{
    entries.count = 0;
    PeerId last = PeerId::none;
    while (bits::read_bool(reader)) {
        const PeerId peer = messages::read_peer(reader);
        const uint64_t places = bits::read_varint(reader);
        if (places > UINT32_MAX || peer <= last || entries.count == shortage::entries_max)
            return bits::fail(reader);
        last = peer;
        entries.peers[entries.count] = peer;
        entries.places[entries.count++] = static_cast<uint32_t>(places);
    }
}

Verdict receive_leases(Replica &r, PeerId from, BitReader reader)
{
    const uint64_t number = bits::read_varint(reader);
    LeaseEntries entries;
    read_entries(reader, entries);
    if (!bits::complete(reader) || number > UINT32_MAX) return Verdict::malformed;
    Shortage &shortage = r.shortage;
    if (!asks_for_leases(r) || from != host(r) || number != shortage.number)
        return Verdict::ignored;
    const PeerId last = entries.count == 0 ? PeerId::everyone : entries.peers[entries.count - 1];
    if (last < shortage.next) return Verdict::ignored; // The answer to an earlier part.
    for (uint32_t i = 0; i < entries.count; ++i) {
        const MemberSlot member = find_member(r, entries.peers[i]);
        if (member != no_member && entries.peers[i] != r.self)
            shortage::compare(r, member, entries.places[i]);
    }
    shortage.next = static_cast<PeerId>(static_cast<uint16_t>(last) + 1);
    shortage.lasts = entries.count == shortage::entries_max;
    return Verdict::ok;
}

}
