#include "migration/objects.h"
#include "migration/breaches.h"
#include "migration/deaths.h"
#include "migration/departures.h"
#include "migration/event_log.h"
#include "migration/grants.h"
#include "migration/leases.h"
#include "migration/message_queue.h"
#include "migration/places.h"
#include "migration/relay.h"
#include "migration/views.h"
#include "migration/work.h"
#include <algorithm>
#include <cstring>
#include <span>

namespace tern::replica_objects {

// --- The convergence rule ---

void push_state_history(Replica &r, ObjectSlot slot)
{
    if (!state_history::keeps(r.state_history, r.world.slots[slot].type)) return;
    const MemberSlot owner = replica::find_member(r, r.world.slots[slot].owner);
    if (owner != no_member)
        state_history::push(r.state_history, r.world, *r.types, {slot, owner, r.now_us});
}

static void join_known(Replica &r, ObjectSlot slot, const TenureInfo &tenure,
                       const ObjectState &state)
{
    KnownObject &object = r.world.slots[slot];
    const bool newer_tenure = tenure.stamp > object.stamp;
    const bool newer_value = tenure.stamp == object.stamp && tenure.owner == object.owner &&
                             object.owner != r.self && state.tick > object.tick;
    if (!newer_tenure && !newer_value) return;
    const PeerId previous = object.owner;
    uint32_t lost_ticks = 0;
    if (previous == r.self) {
        // A value that was sent again unchanged is no write. The last write is at most the object's
        // tick.
        const uint32_t changed =
            std::min(world::changed_tick(r.world, *r.types, slot), object.tick);
        if (changed > tenure.survived_tick) lost_ticks = changed - tenure.survived_tick;
        grants::give_away(r, slot);
    }
    if (newer_tenure) event_log::show(r, slot); // While the former owner is the owner.
    void *value = world::value(r.world, *r.types, slot);
    const uint64_t fields = type_table::difference(*r.types, object.type, value, state.value);
    std::memcpy(value, state.value, r.types->types[object.type].size_bytes);
    object.stamp = tenure.stamp;
    object.owner = tenure.owner;
    object.tick = state.tick;
    grants::forget_outstanding(r, slot, tenure.stamp);
    push_state_history(r, slot);
    if (!newer_tenure) {
        relay::changed(r, slot, fields);
        return event_log::changed(r, slot, fields);
    }
    relay::began(r, slot, tenure.survived_tick);
    r.rights.locks[slot] = 0;
    r.term.migrations += 1;
    event_log::owner_changed(r, slot, previous, fields, lost_ticks);
}

bool clear_place(Replica &r, ObjectId id, TypeId type, uint32_t place)
{
    const ObjectSlot slot = places::occupant(r, object_id::creator(id), type, place);
    if (slot == no_slot) return true;
    const ObjectId other = r.world.slots[slot].id;
    const bool is_newer = object_id::serial(id) > object_id::serial(other);
    const auto dead = static_cast<uint64_t>(is_newer ? other : id);
    destroy_reported(r, static_cast<ObjectId>(dead));
    relay::died(r, {dead, dead}, PeerId::none);
    return is_newer;
}

bool takes_place(Replica &r, ObjectSlot slot, Stamp stamp, TypeId type, uint32_t place)
{
    const KnownObject &object = r.world.slots[slot];
    if (!views::differs(r, object.id, type, place)) return true;
    const bool is_own = object_id::creator(object.id) == r.self;
    if (is_own || object.type != type || stamp <= object.stamp) return false;
    if (!clear_place(r, object.id, type, place)) return false;
    places::move_over(r, slot, place);
    return true;
}

// A grant of a new host may be the first sign of it, because its VIEW comes after its grants.
static void note_new_host(Replica &r, Stamp stamp)
{
    const PeerId host = stamps::parts(stamp).host;
    if (stamp != 0 && r.phase == Phase::in && host == replica::successor(r))
        event_log::host(r, host);
}

void note_given(Replica &r, ObjectId object)
{
    const MemberSlot slot = replica::find_member(r, object_id::creator(object));
    if (slot == no_member) return;
    uint32_t &newest = r.members[slot].newest_serial;
    newest = std::max(newest, object_id::serial(object));
}

// How many peers may have joined that this peer has not learned of.
static constexpr uint16_t later_peers_max = 256;

// A host that stays has given all PeerIds and knows nearly all objects. The next one may learn of
// peers and objects by reports, and of reports that the last one believed.
bool may_have_given(const Replica &r, ObjectId object)
{
    const bool host_stays = r.view_host == r.self;
    const auto creator = static_cast<uint16_t>(object_id::creator(object));
    if (creator > r.term.last_peer)
        return !host_stays && creator - r.term.last_peer <= later_peers_max;
    const MemberSlot slot = replica::find_member(r, object_id::creator(object));
    if (slot == no_member || r.members[slot].fenced) return true; // It has gone.
    const uint64_t after = uint64_t{reported_serials_max} * (host_stays ? 1 : 2);
    return object_id::serial(object) <= r.members[slot].newest_serial + after;
}

void join(Replica &r, const TenureInfo &tenure, const ObjectState &state, Source source)
{
    const uint16_t number = stamps::parts(tenure.stamp).term_number;
    if (number > r.term.number_max) r.term.number_max = number;
    note_new_host(r, tenure.stamp);
    if (dead::contains(r.world.dead, tenure.id)) return;
    const ObjectSlot known = world::find_alive(r.world, tenure.id);
    if (known != no_slot) {
        if (takes_place(r, known, tenure.stamp, state.type, tenure.place))
            join_known(r, known, tenure, state);
        return;
    }
    if (!clear_place(r, tenure.id, state.type, tenure.place)) return;
    if (source == Source::message) note_given(r, tenure.id);
    const ObjectSlot slot = world::add(r.world, *r.types, tenure.id, state.type);
    places::move_in(r, slot, tenure.place);
    KnownObject &object = r.world.slots[slot];
    object.stamp = tenure.stamp;
    object.owner = tenure.owner;
    object.tick = state.tick;
    std::memcpy(world::value(r.world, *r.types, slot), state.value,
                r.types->types[object.type].size_bytes);
    if (tenure.stamp != 0) r.term.migrations += 1;
    push_state_history(r, slot);
    relay::began(r, slot, tenure.survived_tick);
    event_log::created(r, slot);
}

void refuse_claim_to_self(Replica &r, ObjectId object, ClaimRefusal reason)
{
    for (uint32_t i = 0; i < r.claims.count; ++i) {
        if (r.claims[i].object != object) continue;
        flat::erase(r.claims, i);
        event_log::claim(r, EventKind::claim_refused, object, r.self, reason);
        return;
    }
}

// Clears everything that is kept for a living object besides its value.
static void forget_rights(Replica &r, ObjectSlot slot)
{
    for (uint32_t i = r.asked.count; i > 0; --i)
        if (r.asked[i - 1].object == r.world.slots[slot].id) flat::swap_and_pop(r.asked, i - 1);
    grants::forget_pending_owner(r, slot);
    grants::give_away(r, slot);
    message_queue::forget_object(r, slot);
    r.rights.locks[slot] = 0;
    r.granting.granted_us[slot] = 0;
    r.granting.outstanding[slot] = {};
}

static void destroy_here(Replica &r, ObjectSlot slot)
{
    work::dead_range(r);
    world::destroy_and_move(r.world, *r.types, slot);
    event_log::destroyed(r, slot);
    forget_rights(r, slot);
    places::died(r, slot);
    refuse_claim_to_self(r, r.world.slots[slot].id, ClaimRefusal::dead);
}

void destroy_reported(Replica &r, ObjectId object)
{
    const ObjectSlot slot = world::find_alive(r.world, object);
    if (slot != no_slot) return destroy_here(r, slot);
    const auto id = static_cast<uint64_t>(object);
    work::dead_range(r);
    world::add_tombstones(r.world, {id, id});
    refuse_claim_to_self(r, object, ClaimRefusal::dead);
}

// The object is dead here, and still has its grant.
static void announce_death(Replica &r, ObjectSlot slot)
{
    const KnownObject &object = r.world.slots[slot];
    deaths::announce(r, object.id, object.grant);
    places::died(r, slot);
}

void destroy_own(Replica &r, ObjectSlot slot)
{
    world::destroy_and_move(r.world, *r.types, slot);
    announce_death(r, slot);
    event_log::destroyed(r, slot);
    forget_rights(r, slot);
    refuse_claim_to_self(r, r.world.slots[slot].id, ClaimRefusal::dead);
}

void destroy_by_game(Replica &r, ObjectSlot slot)
{
    world::destroy_in_place(r.world, slot);
    announce_death(r, slot);
    forget_rights(r, slot);
}

// --- Messages ---

Verdict receive_create(Replica &r, PeerId from, BitReader reader)
{
    const uint64_t serial = bits::read_varint(reader);
    if (serial == 0 || serial > UINT32_MAX) bits::fail(reader);
    TenureInfo tenure = {};
    tenure.place = messages::read_place(reader);
    ObjectState state;
    messages::read_state(reader, r, state);
    if (!bits::complete(reader)) return Verdict::malformed;
    tenure.id = object_id::make(from, static_cast<uint32_t>(serial));
    tenure.owner = from;
    tenure.survived_tick = state.tick;
    views::NewObjects fresh = {};
    const Verdict fit = views::fits(r, tenure.id, state.type, tenure.place, fresh);
    const bool contradicts = views::differs(r, tenure.id, state.type, tenure.place);
    if (fit == Verdict::malformed || contradicts) return Verdict::malformed;
    const bool is_new = fresh.count > 0;
    if (is_new && !leases::allow(r, from, state.type, tenure.place)) return Verdict::over_quota;
    if (fit == Verdict::ok) join(r, tenure, state, Source::message);
    return fit;
}

// The objects that a MIGRATE brings have been read and checked.
struct MigratedObjects {
    struct {
        TenureInfo tenure;
        ObjectState state;
    } objects[grant_objects_max];
    uint32_t count;
};

// Reads what follows the grant in a MIGRATE.
static Verdict read_migrated(Replica &r, BitReader &reader, const Grant &grant,
                             MigratedObjects &read)
{
    const uint64_t present = bits::read(reader, grant.object_count);
    if (present == 0) bits::fail(reader);
    views::NewObjects fresh = {};
    for (uint16_t i = 0; i < grant.object_count && !bits::failed(reader); ++i) {
        if ((present >> i & 1) == 0) continue;
        auto &[tenure, state] = read.objects[read.count];
        tenure = {grant.objects[i], grant.stamp, grant.owner, grant.places[i], 0};
        tenure.survived_tick = static_cast<uint32_t>(bits::read(reader, 32));
        messages::read_state(reader, r, state, read.count);
        if (bits::failed(reader)) break;
        const Verdict fit = views::fits(r, tenure.id, state.type, tenure.place, fresh);
        if (fit != Verdict::ok) return fit;
        read.count += 1;
    }
    return bits::complete(reader) ? Verdict::ok : Verdict::malformed;
}

Verdict receive_migrate(Replica &r, PeerId from, BitReader reader)
{
    Grant grant;
    messages::read_grant(reader, grant);
    if (bits::failed(reader)) return Verdict::malformed;
    const bool allowed = grant.owner == from && grants::genuine(r, grant);
    if (!allowed) return Verdict::forged;
    if (!breaches::compare(r, grant)) return Verdict::later;
    MigratedObjects read = {};
    const Verdict verdict = read_migrated(r, reader, grant, read);
    if (verdict != Verdict::ok) return verdict;
    for (const auto &[tenure, state] : std::span(read.objects, read.count))
        join(r, tenure, state, Source::message);
    return Verdict::ok;
}

static bool may_destroy(Replica &r, PeerId from, const Grant &grant, ObjectId id)
{
    if (grant.owner != from || !grants::names(grant, id)) return false;
    const ObjectSlot slot = world::find_alive(r.world, id);
    const bool known = slot != no_slot && r.world.slots[slot].stamp == grant.stamp &&
                       r.world.slots[slot].owner == from;
    return known || grants::genuine(r, grant);
}

Verdict receive_destroy(Replica &r, PeerId from, BitReader reader)
{
    const ObjectId id = messages::read_object_id(reader);
    Grant grant = {};
    messages::read_grant(reader, grant);
    if (!bits::complete(reader)) return Verdict::malformed;
    const bool allowed = may_destroy(r, from, grant, id);
    if (!allowed) return Verdict::forged;
    if (!breaches::compare(r, grant)) return Verdict::later;
    const bool known = dead::contains(r.world.dead, id);
    destroy_reported(r, id);
    if (!known) relay::died(r, {static_cast<uint64_t>(id), static_cast<uint64_t>(id)}, from);
    return Verdict::ok;
}

// Whether the sender may announce the deaths of these objects, whoever owned them: the host, and a
// member during its world sync or its report to us.
static bool announces_all(const Replica &r, MemberSlot from)
{
    const PeerId host = replica::successor(r);
    const bool asked = host == r.self && departures::expects_news(r, from);
    const bool syncs = r.phase == Phase::joining && !r.members[from].synced;
    return r.members[from].id == host || asked || syncs;
}

// Destroys all living objects of the range, in whichever way needs fewer steps.
static void destroy_range(Replica &r, const DeadRange &range)
{
    work::slots(r, std::min<uint64_t>(range.last - range.first, r.world.slots.count));
    if (range.last - range.first < r.world.alive) {
        for (uint64_t id = range.first; id <= range.last; ++id) {
            const ObjectSlot slot = world::find_alive(r.world, static_cast<ObjectId>(id));
            if (slot != no_slot) destroy_here(r, slot);
        }
        return;
    }
    for (ObjectSlot slot = 0; slot < r.world.slots.count; ++slot) {
        const auto id = static_cast<uint64_t>(r.world.slots[slot].id);
        const bool alive = r.world.slots[slot].life == Life::alive;
        if (alive && range.first <= id && id <= range.last) destroy_here(r, slot);
    }
}

static void take_dead_range(Replica &r, const DeadRange &range, PeerId from, Source source)
{
    const bool known = dead::contains_all(r.world.dead, range);
    if (known) return;
    const auto last = static_cast<ObjectId>(range.last);
    const bool reported = source == Source::report && object_id::creator(last) != from;
    if (reported && !may_have_given(r, last)) return;
    // A member may know more peers than we do while we join, but only the host knows all.
    const auto creator = static_cast<uint16_t>(object_id::creator(last));
    if (from != replica::successor(r) && creator > r.term.last_peer + later_peers_max) return;
    if (object_id::creator(last) == r.self)
        r.world.serial = std::max(r.world.serial, object_id::serial(last));
    else if (!reported)
        note_given(r, last);
    destroy_range(r, range);
    work::dead_range(r);
    world::add_tombstones(r.world, range);
    relay::died(r, range, from);
}

// Whether this is an object that we have not made yet, and that no host can have believed dead:
// each host goes at most 2 * reported_serials_max beyond what it knows, which the last one may have
// told.
static bool is_far_own(const Replica &r, ObjectId object)
{
    constexpr uint64_t skipped_max = 64 * uint64_t{reported_serials_max};
    if (object_id::creator(object) != r.self) return false;
    const uint32_t newest = r.members[replica::find_member(r, r.self)].newest_serial;
    return object_id::serial(object) > std::max<uint64_t>(newest + skipped_max, r.world.serial);
}

Verdict receive_dead(Replica &r, MemberSlot from, BitReader reader)
{
    const PeerId sender = r.members[from].id;
    DeadRange ranges[dead_ranges_max];
    size_t count = 0;
    bool all_its_own = true, names_far_own = false;
    for (; bits::read_bool(reader); ++count) {
        if (count == dead_ranges_max) return Verdict::malformed;
        ranges[count] = messages::read_range(reader);
        const auto last = static_cast<ObjectId>(ranges[count].last);
        all_its_own = all_its_own && object_id::creator(last) == sender;
        names_far_own = names_far_own || is_far_own(r, last);
    }
    if (!bits::complete(reader)) return Verdict::malformed;
    // Otherwise a new connection has repeated a message that was already applied.
    if (!all_its_own && !announces_all(r, from)) return Verdict::ignored;
    if (names_far_own) return Verdict::malformed;
    const bool is_report = !all_its_own && replica::successor(r) == r.self;
    const Source source = is_report ? Source::report : Source::message;
    for (const DeadRange &range : std::span(ranges, count))
        take_dead_range(r, range, sender, source);
    for (uint32_t i = r.claims.count; i > 0; --i) {
        const ObjectId claimed = r.claims[i - 1].object;
        if (dead::contains(r.world.dead, claimed))
            refuse_claim_to_self(r, claimed, ClaimRefusal::dead);
    }
    return Verdict::ok;
}

// --- Claims ---

static ClaimRefusal refusal(const Replica &r, ObjectSlot slot, ObjectId object)
{
    if (slot == no_slot)
        return dead::contains(r.world.dead, object) ? ClaimRefusal::dead : ClaimRefusal::unknown;
    const ClaimPolicy policy = r.types->types[r.world.slots[slot].type].claim;
    if (policy == ClaimPolicy::never) return ClaimRefusal::policy;
    if (r.rights.locks[slot] != 0) return ClaimRefusal::locked;
    const uint64_t cooldown_us =
        uint64_t{r.types->types[r.world.slots[slot].type].claim_cooldown_ms} * 1000;
    const bool cools =
        r.granting.granted_us[slot] != 0 && r.now_us - r.granting.granted_us[slot] < cooldown_us;
    return cools ? ClaimRefusal::cooldown : ClaimRefusal::none;
}

// Takes one claim from the claimer's rate. False: the rate is used up.
static bool take_claim(Replica &r, PeerId claimer, TypeId type)
{
    const uint32_t per_second = r.types->types[type].claims_per_second_max;
    if (per_second == 0) return true;
    const MemberSlot member = replica::find_member(r, claimer);
    ClaimRate &rate = r.claim_rates[size_t{member} * r.room.places.count + type];
    if (rate.claimer != claimer) rate = {claimer, allowance::make(per_second, per_second)};
    return allowance::take(rate.allowance, r.now_us);
}

// Whether the claimer has all the objects of this type that claims may give it. An object that it
// has been granted is its own from then on, although it may announce that late, or never.
static bool has_its_share(Replica &r, PeerId claimer, ObjectSlot claimed)
{
    const TypeId type = r.world.slots[claimed].type;
    const uint32_t owned_max = r.types->types[type].owned_max;
    if (owned_max == 0) return false;
    work::slots(r, r.world.slots.count);
    uint32_t count = 0;
    for (ObjectSlot slot = 0; slot < r.world.slots.count; ++slot) {
        const KnownObject &object = r.world.slots[slot];
        if (object.life != Life::alive || object.type != type || slot == claimed) continue;
        count += grants::is_intended_for(r, slot, claimer);
    }
    return count >= owned_max;
}

void answer_asked(Replica &r, ObjectId object, PeerId to)
{
    for (uint32_t i = 0; i < r.asked.count;) {
        const AskedClaim asked = r.asked[i];
        if (asked.object != object) {
            ++i;
            continue;
        }
        flat::swap_and_pop(r.asked, i);
        if (asked.claimer == to) continue;
        // This may remove more entries: a peer that claimed twice has two. So begin again.
        replica::refuse_claim(r, object, asked.claimer, ClaimRefusal::overtaken);
        i = 0;
    }
}

static void decide_claim(Replica &r, PeerId claimer, ObjectId object)
{
    const ObjectSlot slot = world::find_alive(r.world, object);
    const ClaimRefusal reason = refusal(r, slot, object);
    if (reason != ClaimRefusal::none) return replica::refuse_claim(r, object, claimer, reason);
    const TypeId type = r.world.slots[slot].type;
    if (!take_claim(r, claimer, type) || has_its_share(r, claimer, slot))
        return replica::refuse_claim(r, object, claimer, ClaimRefusal::quota);
    if (r.types->types[type].claim == ClaimPolicy::always)
        return grants::request_transfer(r, slot, claimer);
    if (flat::full(r.asked)) // The game does not answer fast enough.
        return replica::refuse_claim(r, object, claimer, ClaimRefusal::overtaken);
    flat::push(r.asked, {object, claimer, {}});
    event_log::claim(r, EventKind::claim_asked, object, claimer, ClaimRefusal::none);
}

Verdict receive_claim(Replica &r, PeerId from, BitReader reader)
{
    const ObjectId id = messages::read_object_id(reader);
    if (!bits::complete(reader)) return Verdict::malformed;
    const MemberSlot member = replica::find_member(r, from);
    if (replica::host(r) != r.self || !r.members[member].caught_up) return Verdict::forged;
    decide_claim(r, from, id);
    return Verdict::ok;
}

Verdict receive_claim_refused(Replica &r, PeerId from, BitReader reader)
{
    const ObjectId id = messages::read_object_id(reader);
    const uint64_t reason = bits::read(reader, 8);
    if (reason == 0 || reason > static_cast<uint64_t>(ClaimRefusal::quota)) bits::fail(reader);
    if (!bits::complete(reader)) return Verdict::malformed;
    if (from != replica::successor(r)) return Verdict::forged;
    // A newer VIEW of a new host may wait behind refusals that followed its first one. When we
    // follow this host, we ask it again.
    if (from != replica::host(r)) return Verdict::ignored;
    refuse_claim_to_self(r, id, static_cast<ClaimRefusal>(reason));
    return Verdict::ok;
}

static void take_owner_request(Replica &r, ObjectSlot slot, MessageKind kind)
{
    if (kind == MessageKind::release)
        grants::request_transfer(r, slot, r.self);
    else
        r.rights.locks[slot] = kind == MessageKind::lock;
}

Verdict receive_owner_request(Replica &r, PeerId from, MessageKind kind, BitReader reader)
{
    const ObjectId id = messages::read_object_id(reader);
    if (!bits::complete(reader)) return Verdict::malformed;
    if (replica::host(r) != r.self) return Verdict::forged;
    const ObjectSlot slot = world::find_alive(r.world, id);
    // The object has died, or has another owner by now.
    if (slot == no_slot || r.world.slots[slot].owner != from) return Verdict::ignored;
    take_owner_request(r, slot, kind);
    return Verdict::ok;
}

void send_owner_request(Replica &r, ObjectSlot slot, OwnerRequest request)
{
    if (replica::host(r) != r.self)
        return message_queue::send_owner_request(
            r, slot, request == request_release ? waiting_release : waiting_lock);
    if (request == request_release) return grants::request_transfer(r, slot, r.self);
    r.rights.locks[slot] = (r.rights.owner_requests[slot] & request_lock) != 0;
}

void send_owner_requests(Replica &r)
{
    for (ObjectSlot slot = 0; slot < r.rights.owner_requests.count; ++slot) {
        if ((r.rights.owner_requests[slot] & request_lock) != 0)
            send_owner_request(r, slot, request_lock);
        if ((r.rights.owner_requests[slot] & request_release) != 0)
            send_owner_request(r, slot, request_release);
    }
}

void settle_claims(Replica &r)
{
    for (uint32_t i = 0; i < r.claims.count && r.log.events.capacity - r.log.events.count > 2;) {
        const Claim claim = r.claims[i];
        if (claim.answer != ClaimRefusal::none) {
            refuse_claim_to_self(r, claim.object, claim.answer);
            continue;
        }
        if (!claim.asked) {
            r.claims[i].asked = true;
            decide_claim(r, r.self, claim.object);
            continue; // With the same claim, which may have been refused at once.
        }
        ++i;
    }
}

}
