#include "migration/grants.h"
#include "base/hash.h"
#include "migration/event_log.h"
#include "migration/message_queue.h"
#include "migration/objects.h"
#include "migration/places.h"
#include "migration/relay.h"
#include "migration/views.h"
#include "migration/work.h"
#include <algorithm>
#include <cstring>
#include <sodium.h>

namespace tern::grants {

// --- The pool ---

uint32_t keep(Replica &r, const Grant &grant)
{
    const uint32_t index = r.granting.free[r.granting.free.count - 1];
    flat::pop(r.granting.free);
    r.granting.all[index] = grant;
    r.granting.all[index].references = 1;
    return index + 1;
}

void unreference(Replica &r, uint32_t grant)
{
    Grant &g = r.granting.all[grant - 1];
    TERN_ASSERT(g.references > 0, "grant %u", grant);
    g.references -= 1;
    if (g.references > 0) return;
    g = {};
    flat::push(r.granting.free, grant - 1);
}

bool room(const Replica &r, uint32_t objects)
{
    return r.granting.free.count >= (objects + grant_objects_max - 1) / grant_objects_max;
}

ObjectSlot own_slot(const Replica &r, const Grant &grant, uint16_t i)
{
    const ObjectSlot slot = world::find_alive(r.world, grant.objects[i]);
    if (slot == no_slot) return no_slot;
    const KnownObject &object = r.world.slots[slot];
    return object.owner == r.self && object.stamp == grant.stamp ? slot : no_slot;
}

bool names(const Grant &grant, ObjectId object)
{
    const ObjectId *end = grant.objects + grant.object_count;
    return std::find(grant.objects, end, object) != end;
}

// --- Signatures ---

static void sign(const Replica &r, Grant &grant)
{
    std::byte buffer[messages::signed_bytes_max];
    const std::span<const std::byte> bytes = messages::signed_bytes(r.session, grant, buffer);
    crypto_sign_detached(grant.signature, nullptr,
                         reinterpret_cast<const unsigned char *>(bytes.data()), bytes.size(),
                         r.signing_secret);
}

static const uint8_t *signing_key(const Replica &r, PeerId host)
{
    const MemberSlot slot = replica::find_member(r, host);
    if (slot != no_member) return r.members[slot].identity.signing_key;
    for (const FormerHost &former : r.reports.former.all())
        if (former.id == host) return former.signing_key;
    return nullptr;
}

bool is_signed(Replica &r, const Grant &grant, const uint8_t *key)
{
    work::signature(r);
    std::byte buffer[messages::signed_bytes_max];
    const std::span<const std::byte> bytes = messages::signed_bytes(r.session, grant, buffer);
    return crypto_sign_verify_detached(grant.signature,
                                       reinterpret_cast<const unsigned char *>(bytes.data()),
                                       bytes.size(), key) == 0;
}

// Hosts follow each other by ascending ids, and a new one grants nothing before all members have
// reported to it and so follow it. So nobody above the successor has been a host.
bool genuine(Replica &r, const Grant &grant)
{
    const StampParts parts = stamps::parts(grant.stamp);
    if (parts.host > replica::successor(r)) return false;
    const uint8_t *key = signing_key(r, parts.host);
    if (key == nullptr) return false;
    // A new term with a number above its host's id would leave too few numbers for later hosts. See
    // views::is_term_before().
    const bool is_next = parts.term_number <= static_cast<uint16_t>(parts.host);
    if (parts.term_number > r.term.number && !is_next) return false;
    return is_signed(r, grant, key);
}

// --- Becoming the owner ---

uint32_t value_tick(const Replica &r, const KnownObject &object)
{
    return object.owner == r.self ? r.world.tick : object.tick;
}

void give_away(Replica &r, ObjectSlot slot)
{
    KnownObject &object = r.world.slots[slot];
    if (object.owner != r.self && !replica::relays(r)) return;
    publish::forget_object(r.publisher, r.world, slot);
    r.rights.survived_ticks[slot] = 0;
    if (r.rights.owner_requests[slot] != 0) message_queue::withdraw_owner_requests(r, slot);
    r.rights.owner_requests[slot] = 0;
    if (object.grant != 0) unreference(r, object.grant);
    object.grant = 0;
}

static void answer_own_claim(Replica &r, ObjectId object)
{
    for (uint32_t i = 0; i < r.claims.count; ++i) {
        if (r.claims[i].object != object) continue;
        flat::erase(r.claims, i);
        event_log::claim(r, EventKind::claim_granted, object, r.self, ClaimRefusal::none);
        return;
    }
}

static void take_over(Replica &r, ObjectSlot slot, uint32_t grant, uint32_t survived_tick,
                      uint64_t changed_fields)
{
    KnownObject &object = r.world.slots[slot];
    const PeerId previous = object.owner;
    give_away(r, slot); // We may have owned it in the tenure before.
    event_log::show(r, slot);
    object.owner = r.self;
    object.stamp = r.granting.all[grant - 1].stamp;
    forget_outstanding(r, slot, object.stamp);
    object.tick = r.world.tick;
    object.grant = grant;
    r.granting.all[grant - 1].references += 1;
    r.rights.survived_ticks[slot] = survived_tick;
    r.rights.locks[slot] = 0;
    for (uint32_t field = 0; field < r.types->types[object.type].fields.size(); ++field)
        world::field_tick(r.world, slot, field) = 0;
    publish::began(r.publisher, r.world, *r.types, slot);
    r.term.migrations += 1;
    event_log::owner_changed(r, slot, previous, changed_fields, 0);
    answer_own_claim(r, object.id);
}

static void announce(Replica &r, uint32_t grant)
{
    const bool relays = replica::relays(r);
    for (uint16_t i = 0; i < r.granting.all[grant - 1].object_count; ++i) {
        const ObjectSlot slot = own_slot(r, r.granting.all[grant - 1], i);
        if (slot == no_slot) continue;
        if (relays)
            relay::began(r, slot, 0);
        else
            message_queue::announce(r, slot);
    }
}

// --- The host ---

void request_transfer(Replica &r, ObjectSlot slot, PeerId to)
{
    const PeerId before = r.granting.pending_owners[slot];
    const ObjectId object = r.world.slots[slot].id;
    if (before == PeerId::none) r.granting.pending_owner_count += 1;
    if (before != PeerId::none && before != to)
        replica::refuse_claim(r, object, before, ClaimRefusal::overtaken);
    replica_objects::answer_asked(r, object, to);
    r.granting.pending_owners[slot] = to;
}

void forget_pending_owner(Replica &r, ObjectSlot slot)
{
    if (r.granting.pending_owners[slot] != PeerId::none) r.granting.pending_owner_count -= 1;
    r.granting.pending_owners[slot] = PeerId::none;
}

bool is_intended_for(const Replica &r, ObjectSlot slot, PeerId peer)
{
    if (r.granting.pending_owners[slot] != PeerId::none)
        return r.granting.pending_owners[slot] == peer;
    const Outstanding &outstanding = r.granting.outstanding[slot];
    bool to_another = outstanding.more != 0;
    for (const OutstandingGrant &grant : outstanding.grants) {
        if (grant.owner == peer) return true;
        to_another = to_another || grant.owner != PeerId::none;
    }
    return !to_another && r.world.slots[slot].owner == peer;
}

static void note_outstanding(Replica &r, ObjectSlot slot, PeerId to)
{
    Outstanding &outstanding = r.granting.outstanding[slot];
    for (auto &grant : outstanding.grants) {
        if (grant.owner != PeerId::none) continue;
        grant.owner = to;
        grant.count = r.term.grant_count;
        return;
    }
    outstanding.more = r.term.grant_count;
}

void forget_outstanding(Replica &r, ObjectSlot slot, Stamp stamp)
{
    Outstanding &outstanding = r.granting.outstanding[slot];
    const auto is_over = [&](uint32_t count) {
        return stamps::make({r.term.number, r.self, count}) <= stamp;
    };
    for (auto &grant : outstanding.grants)
        if (is_over(grant.count)) grant = {};
    if (is_over(outstanding.more)) outstanding.more = 0;
}

bool has_granted(const Replica &r, const TenureInfo &tenure)
{
    const ObjectSlot slot = world::find_alive(r.world, tenure.id);
    if (slot == no_slot) return dead::contains(r.world.dead, tenure.id);
    const Outstanding &outstanding = r.granting.outstanding[slot];
    const uint32_t count = stamps::parts(tenure.stamp).count;
    for (const auto &grant : outstanding.grants)
        if (grant.owner == tenure.owner && grant.count == count) return true;
    return count <= outstanding.more || tenure.stamp <= r.world.slots[slot].stamp;
}

static void grant_to_self(Replica &r, uint32_t index)
{
    const Grant grant =
        r.granting.all[index - 1]; // A copy, because take_over() changes the original.
    for (uint16_t i = 0; i < grant.object_count; ++i) {
        const ObjectSlot slot = world::find_alive(r.world, grant.objects[i]);
        const KnownObject &object = r.world.slots[slot];
        take_over(r, slot, index, value_tick(r, object), 0);
    }
    announce(r, index);
}

// Until a departure ends, its orphans are granted to nobody. Otherwise the host, which has not yet
// received the new owner's MIGRATE, would then grant the object once more, to itself.
static bool pending(const Replica &r, ObjectSlot slot, PeerId to)
{
    if (r.granting.pending_owners[slot] != to) return false;
    return !r.duties.collecting || replica::is_member(r, r.world.slots[slot].owner);
}

bool orphaned(const Replica &r, ObjectSlot slot)
{
    const KnownObject &object = r.world.slots[slot];
    return object.life == Life::alive && !replica::is_member(r, object.owner);
}

enum class Picked : uint8_t { pending, orphaned };

// Makes one grant, of up to grant_objects_max objects. False: no object to grant, or no room.
static bool grant_some(Replica &r, PeerId to, Picked picked)
{
    Grant grant = {};
    for (ObjectSlot slot = 0;
         slot < r.granting.pending_owners.count && grant.object_count < grant_objects_max; ++slot) {
        if (picked == Picked::pending ? !pending(r, slot, to) : !orphaned(r, slot)) continue;
        grant.objects[grant.object_count] = r.world.slots[slot].id;
        grant.places[grant.object_count] = r.world.slots[slot].place;
        grant.object_count += 1;
    }
    if (grant.object_count == 0 || r.granting.free.count == 0) return false;
    const uint32_t events_room = r.log.events.capacity - r.log.events.count;
    if (to == r.self && events_room < 3 * grant_objects_max) return false;
    if (r.term.grant_count == UINT32_MAX) {
        if (r.fault == Fault::none) r.fault = Fault::counter_full;
        return false;
    }
    r.term.grant_count += 1;
    grant.owner = to;
    grant.stamp = stamps::make({r.term.number, r.self, r.term.grant_count});
    sign(r, grant);
    for (uint16_t i = 0; i < grant.object_count; ++i) {
        const ObjectSlot slot = world::find_alive(r.world, grant.objects[i]);
        if (r.granting.pending_owners[slot] == to) forget_pending_owner(r, slot);
        const TypeId type = r.world.slots[slot].type;
        if (r.types->types[type].claim_cooldown_ms > 0) r.granting.granted_us[slot] = r.now_us;
        if (to != r.self) note_outstanding(r, slot, to);
    }
    const uint32_t index = keep(r, grant);
    if (to == r.self)
        grant_to_self(r, index);
    else
        message_queue::send_grant(r, index);
    unreference(r, index);
    return true;
}

void settle(Replica &r, Taking taking)
{
    if (r.granting.pending_owner_count == 0) return;
    for (ObjectSlot slot = 0; slot < r.granting.pending_owners.count; ++slot)
        if (r.granting.pending_owners[slot] != PeerId::none &&
            !replica::is_member(r, r.granting.pending_owners[slot]))
            forget_pending_owner(r, slot);
    for (const Member &member : r.members.all()) {
        if (member.id == PeerId::none || member.fenced) continue;
        if (member.id == r.self && taking == Taking::to_others) continue;
        while (r.granting.pending_owner_count > 0 && grant_some(r, member.id, Picked::pending)) {
        }
    }
}

void adopt_orphans(Replica &r)
{
    while (grant_some(r, r.self, Picked::orphaned)) {
    }
}

// --- A GRANT arrives ---

// An object that a GRANT brings.
struct GrantedObject {
    uint16_t i;     // Its place in Grant::objects.
    Stamp previous; // The tenure of the host's copy.
    ObjectState state;
};

// Takes one object over, and returns true, unless it is dead or already in a later tenure.
static bool take_granted(Replica &r, uint32_t index, const GrantedObject &granted)
{
    const ObjectState &state = granted.state;
    const Stamp previous = granted.previous;
    const ObjectId id = r.granting.all[index - 1].objects[granted.i];
    const uint32_t place = r.granting.all[index - 1].places[granted.i];
    if (dead::contains(r.world.dead, id)) return false;
    const Stamp stamp = r.granting.all[index - 1].stamp;
    ObjectSlot slot = world::find_alive(r.world, id);
    const bool is_new = slot == no_slot;
    // A later tenure may have begun here, or on the host while the GRANT waited in its queue. Then
    // the host's copy belongs to that tenure, and this one must not begin with it.
    const bool overtaken = previous >= stamp;
    if (overtaken || (!is_new && r.world.slots[slot].stamp >= stamp)) {
        replica_objects::refuse_claim_to_self(r, id, ClaimRefusal::overtaken);
        return false;
    }
    if (is_new) {
        if (!replica_objects::clear_place(r, id, state.type, place)) return false;
        slot = world::add(r.world, *r.types, id, state.type);
        places::move_in(r, slot, place);
    }
    if (!replica_objects::takes_place(r, slot, stamp, state.type, place)) {
        replica_objects::refuse_claim_to_self(r, id, ClaimRefusal::overtaken);
        return false;
    }
    KnownObject &object = r.world.slots[slot];
    uint64_t changed = 0;
    uint32_t survived_tick = value_tick(r, object);
    // The tenure begins with the newer value, the host's or ours.
    const bool newer =
        object.stamp < previous || (object.stamp == previous && value_tick(r, object) < state.tick);
    if (is_new || newer) {
        void *value = world::value(r.world, *r.types, slot);
        changed = type_table::difference(*r.types, object.type, value, state.value);
        std::memcpy(value, state.value, r.types->types[object.type].size_bytes);
        object.tick = survived_tick = state.tick;
    }
    if (is_new) {
        object.owner = object_id::creator(id);
        event_log::created(r, slot);
    }
    take_over(r, slot, index, survived_tick, changed);
    return true;
}

// The objects that a GRANT brings have been read and checked.
struct GrantedObjects {
    GrantedObject objects[grant_objects_max];
    uint32_t count;
};

// Reads what follows the grant in a GRANT.
static Verdict read_granted(Replica &r, BitReader &reader, const Grant &grant, GrantedObjects &read)
{
    const uint64_t present = bits::read(reader, grant.object_count);
    if (present == 0) bits::fail(reader);
    views::NewObjects fresh = {};
    for (uint16_t i = 0; i < grant.object_count && !bits::failed(reader); ++i) {
        if ((present >> i & 1) == 0) continue;
        GrantedObject &granted = read.objects[read.count];
        granted.i = i;
        granted.previous = messages::read_stamp(reader);
        messages::read_state(reader, r, granted.state, read.count);
        if (bits::failed(reader)) break;
        const TypeId type = granted.state.type;
        const Verdict fits = views::fits(r, grant.objects[i], type, grant.places[i], fresh);
        if (fits != Verdict::ok) return fits;
        read.count += 1;
    }
    return bits::complete(reader) ? Verdict::ok : Verdict::malformed;
}

Verdict receive_grant(Replica &r, PeerId from, BitReader reader)
{
    Grant grant;
    messages::read_grant(reader, grant);
    if (bits::failed(reader)) return Verdict::malformed;
    if (from != replica::successor(r) || grant.owner != r.self) return Verdict::forged;
    const bool own = stamps::parts(grant.stamp).host == from;
    if (!own || !genuine(r, grant)) return Verdict::forged;
    event_log::host(r, from);
    GrantedObjects read = {};
    const Verdict verdict = read_granted(r, reader, grant, read);
    if (verdict != Verdict::ok) return verdict;
    if (r.granting.free.count == 0) return Verdict::later;
    const uint32_t index = keep(r, grant);
    bool taken = false;
    for (const GrantedObject &granted : std::span(read.objects, read.count))
        taken |= take_granted(r, index, granted);
    if (taken) announce(r, index);
    unreference(r, index);
    return Verdict::ok;
}

}
