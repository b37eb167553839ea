// The calls of this peer's game.
#include "migration/grants.h"
#include "migration/leases.h"
#include "migration/loads.h"
#include "migration/message_queue.h"
#include "migration/objects.h"
#include "migration/places.h"
#include "migration/relay.h"
#include "migration/replica.h"

namespace tern::replica {

ObjectId create(Replica &r, TypeId type, const void *value)
{
    TERN_ASSERT(r.phase == Phase::in, "phase %u", static_cast<unsigned>(r.phase));
    const bool room = r.world.packed[type].alive < r.types->types[type].objects_max &&
                      world::room(r.world, type) && r.world.serial < UINT32_MAX;
    uint32_t place = 0;
    const bool taken = room && places::take(r, type, place);
    leases::used(r, type);
    if (!taken) return ObjectId::none;
    r.world.serial += 1;
    const ObjectSlot slot =
        world::add(r.world, *r.types, object_id::make(r.self, r.world.serial), type);
    KnownObject &object = r.world.slots[slot];
    replica_objects::note_given(r, object.id);
    object.owner = r.self;
    object.tick = r.world.tick;
    places::move_in(r, slot, place);
    world::write(r.world, *r.types, slot, value);
    world::set_changed(r.world, slot, false); // Members get this value by the announcement.
    publish::began(r.publisher, r.world, *r.types, slot);
    relay::began(r, slot, 0);
    if (!relays(r)) message_queue::announce(r, slot);
    return object.id;
}

void destroy(Replica &r, ObjectSlot slot)
{
    const KnownObject &object = r.world.slots[slot];
    TERN_ASSERT(object.owner == r.self && object.life == Life::alive, "object %llx",
                static_cast<unsigned long long>(object.id));
    replica_objects::destroy_by_game(r, slot);
}

void set(Replica &r, ObjectSlot slot, const void *value)
{
    const KnownObject &object = r.world.slots[slot];
    TERN_ASSERT(object.owner == r.self && object.life == Life::alive, "object %llx",
                static_cast<unsigned long long>(object.id));
    world::write(r.world, *r.types, slot, value);
}

// The host decides its own claims in end_receive(), because owners may change only there.
bool claim(Replica &r, ObjectId object)
{
    for (const Claim &pending : r.claims.all())
        if (pending.object == object) return true;
    if (flat::full(r.claims) || !object_id::is_possible(object)) return false;
    flat::push(r.claims, {object, false, ClaimRefusal::none});
    // Without a host it is sent once there is one.
    message_queue::push(r, find_member(r, host(r)), Control::claims);
    return true;
}

bool migrate(Replica &r, ObjectId object, PeerId to)
{
    const ObjectSlot slot = world::find_alive(r.world, object);
    const MemberSlot member = find_member(r, to);
    if (slot == no_slot || member == no_member) return false;
    if (r.members[member].fenced || !r.members[member].caught_up) return false;
    grants::request_transfer(r, slot, to);
    return true;
}

void release_ownership(Replica &r, ObjectSlot slot)
{
    if (host(r) == r.self || (r.rights.owner_requests[slot] & request_release) != 0) return;
    r.rights.owner_requests[slot] =
        static_cast<uint8_t>(r.rights.owner_requests[slot] | request_release);
    replica_objects::send_owner_request(r, slot, request_release);
}

void lock(Replica &r, ObjectSlot slot, bool locked)
{
    const bool was = (r.rights.owner_requests[slot] & request_lock) != 0;
    if (was == locked) return;
    r.rights.owner_requests[slot] =
        static_cast<uint8_t>(r.rights.owner_requests[slot] ^ request_lock);
    replica_objects::send_owner_request(r, slot, request_lock);
}

void refuse_claim(Replica &r, ObjectId object, PeerId claimer, ClaimRefusal refusal)
{
    for (uint32_t i = r.asked.count; i > 0; --i)
        if (r.asked[i - 1].object == object && r.asked[i - 1].claimer == claimer)
            flat::swap_and_pop(r.asked, i - 1);
    if (claimer == r.self) {
        for (Claim &claim : r.claims.all())
            if (claim.object == object) claim.answer = refusal;
        return;
    }
    message_queue::send_refusal(r, find_member(r, claimer), object, refusal);
}

void balance(Replica &r, TypeId type)
{
    if (host(r) != r.self || r.duties.collecting) return;
    Loads of_type = loads::count(r, type);
    for (ObjectSlot slot = 0; slot < r.world.slots.count; ++slot) {
        const KnownObject &object = r.world.slots[slot];
        if (object.life != Life::alive || object.type != type || r.rights.locks[slot] != 0)
            continue;
        if (r.granting.pending_owners[slot] != PeerId::none) continue;
        const MemberSlot from = find_member(r, object.owner);
        const MemberSlot to = loads::least(r, of_type);
        if (from == no_member || of_type.counts[from] < of_type.counts[to] + 2) continue;
        of_type.counts[from] -= 1;
        of_type.counts[to] += 1;
        grants::request_transfer(r, slot, r.members[to].id);
    }
}

}
