// The public functions on objects: check the arguments, record the call, and pass it to the
// replica.
#include "migration/places.h"
#include "session/misuse.h"
#include "session/optimistic.h"
#include "session/recording/recording.h"
#include "session/session.h"
#include <algorithm>
#include <cstring>

namespace tern {

// --- Objects ---

ObjectId create(Session *session, TypeId type, const void *value, size_t size_bytes)
{
    const misuse::Entry entry = misuse::change(session, "create");
    if (!entry || !misuse::is_in(entry) || !misuse::is_value(entry, type, value, size_bytes))
        return ObjectId::none;
    if (session->types.types[type].objects_max == 0) {
        misuse::report(entry, ObjectId::none, "Set Type::objects_max, or call() it.",
                       "Type %s is for calls only: its objects_max is 0.",
                       session->types.types[type].name);
        return ObjectId::none;
    }
    if (session->state == State::cut_off) return ObjectId::none;
    session::record_value(*session, session::about(RecordKind::create, ObjectId::none), type,
                          value);
    return replica::create(*session->replica, type, value);
}

uint32_t creations_left(const Session *session, TypeId type)
{
    const misuse::Entry entry(session, "creations_left");
    if (!entry || !misuse::has_type(entry, type)) return 0;
    return session->state == State::cut_off ? 0 : places::left(*session->replica, type);
}

// Checks what the functions need that only the owner may call. no_slot: reported.
static ObjectSlot begin_own(const misuse::Entry &entry, ObjectId object)
{
    return entry && misuse::is_in(entry) ? misuse::find_own(entry, object) : no_slot;
}

bool destroy(Session *session, ObjectId object)
{
    const misuse::Entry entry = misuse::change(session, "destroy");
    const ObjectSlot slot = begin_own(entry, object);
    if (slot == no_slot || session->state == State::cut_off) return false;
    session::record(*session, session::about(RecordKind::destroy, object));
    replica::destroy(*session->replica, slot);
    return true;
}

bool exists(const Session *session, ObjectId object)
{
    const misuse::Entry entry(session, "exists");
    return entry && world::find_alive(session->replica->world, object) != no_slot;
}

bool can_read(const Session *session, ObjectId object)
{
    const misuse::Entry entry(session, "can_read");
    return entry && world::find(session->replica->world, object) != no_slot;
}

// The object of a call that reads it. Null: reported.
static const Object *find_object(const misuse::Entry &entry, ObjectId object)
{
    const ObjectSlot slot = entry ? misuse::find(entry, object) : no_slot;
    return slot == no_slot ? nullptr : &entry.session->replica->world.slots[slot];
}

TypeId object_type(const Session *session, ObjectId object)
{
    const Object *found = find_object({session, "object_type"}, object);
    return found ? found->type : no_type;
}

PeerId object_owner(const Session *session, ObjectId object)
{
    const Object *found = find_object({session, "object_owner"}, object);
    return found ? found->owner : PeerId::none;
}

uint64_t object_stamp(const Session *session, ObjectId object)
{
    const Object *found = find_object({session, "object_stamp"}, object);
    return found ? found->stamp : 0;
}

const void *get(const Session *session, ObjectId object, size_t size_bytes)
{
    const misuse::Entry entry(session, "get");
    const ObjectSlot slot = entry ? misuse::find(entry, object) : no_slot;
    if (slot == no_slot) return nullptr;
    const World &world = session->replica->world;
    if (!misuse::has_size(entry, world.slots[slot].type, size_bytes)) return nullptr;
    return world::value(world, session->types, slot);
}

bool set(Session *session, ObjectId object, const void *value, size_t size_bytes)
{
    const misuse::Entry entry = misuse::change(session, "set");
    if (!entry || !misuse::is_in(entry)) return false;
    Replica &r = *session->replica;
    ObjectSlot slot = world::find_near(r.world, session->set_slot, object);
    if (slot == no_slot) slot = misuse::find(entry, object); // Reports it.
    if (slot == no_slot) return false;
    session->set_slot = slot;
    const Object &found = r.world.slots[slot];
    const TypeId type = found.type;
    if (!misuse::is_value(entry, type, value, size_bytes)) return false;
    const bool any_optimistic = session->optimistic_counts[type] > 0;
    const bool is_ours =
        found.owner == r.self || (any_optimistic && session::is_optimistic(*session, slot));
    if (!(is_ours && found.life == Life::alive) && misuse::find_own(entry, object) == no_slot)
        return false;
    if (session->state == State::cut_off) return false;
    if (record::is_on(session->recorder))
        session::record_value(*session, session::about(RecordKind::set, object), type, value);
    if (any_optimistic && session::set_optimistic(*session, slot, value)) return true;
    replica::set(r, slot, value);
    return true;
}

bool may_set(const Session *session, ObjectId object)
{
    const misuse::Entry entry(session, "may_set");
    if (!entry) return false;
    const ObjectSlot slot = world::find_alive(session->replica->world, object);
    if (slot == no_slot || session->state != State::open) return false;
    return session->replica->world.slots[slot].owner == session->replica->self ||
           session::is_optimistic(*session, slot);
}

std::span<const ObjectId> object_ids(const Session *session, TypeId type)
{
    const misuse::Entry entry(session, "object_ids");
    if (!entry || !misuse::has_type(entry, type)) return {};
    const World &world = session->replica->world;
    return {world.ids.begin() + world.packed[type].first, world.packed[type].count};
}

const void *object_values(const Session *session, TypeId type, size_t size_bytes)
{
    const misuse::Entry entry(session, "object_values");
    if (!entry || !misuse::has_size(entry, type, size_bytes)) return nullptr;
    const World &world = session->replica->world;
    return world.values.begin() + world.packed[type].value_first_bytes;
}

bool claim(Session *session, ObjectId object, ClaimMode mode)
{
    const misuse::Entry entry = misuse::change(session, "claim");
    if (!entry || !misuse::is_in(entry)) return false;
    const ObjectSlot slot = world::find_alive(session->replica->world, object);
    const bool optimistic = mode == ClaimMode::optimistic;
    if (session->state == State::cut_off) return false;
    session::record(
        *session,
        session::about(optimistic ? RecordKind::claim_optimistic : RecordKind::claim, object));
    const bool is_ours =
        slot != no_slot && session->replica->world.slots[slot].owner == session->replica->self;
    if (is_ours) return true;
    if (!replica::claim(*session->replica, object)) return false;
    if (optimistic && slot != no_slot) session::begin_optimistic(*session, slot);
    return true;
}

bool is_claiming(const Session *session, ObjectId object)
{
    if (!misuse::Entry(session, "is_claiming")) return false;
    const std::span<const Claim> claims = session->replica->claims.all();
    return std::ranges::any_of(claims, [&](const Claim &claim) { return claim.object == object; });
}

bool release_ownership(Session *session, ObjectId object)
{
    const misuse::Entry entry = misuse::change(session, "release_ownership");
    const ObjectSlot slot = begin_own(entry, object);
    if (slot == no_slot || session->state == State::cut_off) return false;
    session::record(*session, session::about(RecordKind::release, object));
    replica::release_ownership(*session->replica, slot);
    return true;
}

bool lock(Session *session, ObjectId object, bool locked)
{
    const misuse::Entry entry = misuse::change(session, "lock");
    const ObjectSlot slot = begin_own(entry, object);
    if (slot == no_slot || session->state == State::cut_off) return false;
    session::record(*session,
                    session::about(locked ? RecordKind::lock : RecordKind::unlock, object));
    replica::lock(*session->replica, slot, locked);
    return true;
}

bool migrate(Session *session, ObjectId object, PeerId to)
{
    const misuse::Entry entry = misuse::change(session, "migrate");
    if (!entry || !misuse::is_host(entry) || session->state == State::cut_off) return false;
    session::record(*session, session::about(RecordKind::migrate, object, to));
    return replica::migrate(*session->replica, object, to);
}

bool refuse_claim(Session *session, ObjectId object, PeerId claimer)
{
    const misuse::Entry entry = misuse::change(session, "refuse_claim");
    if (!entry || !misuse::is_host(entry) || session->state == State::cut_off) return false;
    session::record(*session, session::about(RecordKind::refuse_claim, object, claimer));
    if (!object_id::is_possible(object)) return false;
    replica::refuse_claim(*session->replica, object, claimer, ClaimRefusal::by_game);
    return true;
}

bool balance(Session *session, TypeId type)
{
    const misuse::Entry entry = misuse::change(session, "balance");
    if (!entry || !misuse::is_host(entry) || !misuse::has_type(entry, type)) return false;
    if (session->state == State::cut_off) return false;
    Record line = session::about(RecordKind::balance, ObjectId::none);
    line.type = type;
    session::record(*session, line);
    replica::balance(*session->replica, type);
    return true;
}

uint64_t world_digest(const Session *session)
{
    const misuse::Entry entry(session, "world_digest");
    return entry ? session::replicated_digest(*session) : 0;
}

}
