// The public functions on objects: check the arguments, record the call, and pass it to the
// replica.
#include "session/game.h"
#include "migration/places.h"
#include "session/optimistic.h"
#include "session/recording/recording.h"
#include "session/session.h"
#include <algorithm>
#include <cstring>

namespace tern {

void session::check_type(const Session &s, TypeId type, size_t size_bytes)
{
    TERN_ASSERT(type < s.types.types.size(), "type %u of %zu", type, s.types.types.size());
    TERN_ASSERT(s.types.types[type].size_bytes == size_bytes,
                "a value of %zu bytes for type %s of %u", size_bytes, s.types.types[type].name,
                s.types.types[type].size_bytes);
}

void session::check_in(const Session &s)
{
    TERN_ASSERT(is_in(s), "state %u: %s", static_cast<unsigned>(s.state), s.text);
}

static void check_known(ObjectSlot slot, ObjectId object)
{
    TERN_ASSERT(slot != no_slot, "no object %llx is known",
                static_cast<unsigned long long>(object));
}

static ObjectSlot known(const Session *session, ObjectId object)
{
    const ObjectSlot slot = world::find(session->replica->world, object);
    check_known(slot, object);
    return slot;
}

// --- Objects ---

ObjectId create(Session *session, TypeId type, const void *value, size_t size_bytes)
{
    session::check_in(*session);
    session::check_type(*session, type, size_bytes);
    TERN_ASSERT(session->types.types[type].objects_max > 0, "type %s is for calls only",
                session->types.types[type].name);
    if (session->state == State::cut_off) return ObjectId::none;
    session::record_value(*session, session::about(RecordKind::create, ObjectId::none), type,
                          value);
    return replica::create(*session->replica, type, value);
}

uint32_t creations_left(const Session *session, TypeId type)
{
    TERN_ASSERT(type < session->types.types.size(), "type %u of %zu", static_cast<unsigned>(type),
                session->types.types.size());
    return session->state == State::cut_off ? 0 : places::left(*session->replica, type);
}

void destroy(Session *session, ObjectId object)
{
    session::check_in(*session);
    const ObjectSlot slot = known(session, object);
    if (session->state == State::cut_off) return;
    session::record(*session, session::about(RecordKind::destroy, object));
    replica::destroy(*session->replica, slot);
}

bool exists(const Session *session, ObjectId object)
{
    return world::find_alive(session->replica->world, object) != no_slot;
}

bool can_read(const Session *session, ObjectId object)
{
    return world::find(session->replica->world, object) != no_slot;
}

TypeId object_type(const Session *session, ObjectId object)
{
    return session->replica->world.slots[known(session, object)].type;
}

PeerId object_owner(const Session *session, ObjectId object)
{
    return session->replica->world.slots[known(session, object)].owner;
}

uint64_t object_stamp(const Session *session, ObjectId object)
{
    return session->replica->world.slots[known(session, object)].stamp;
}

const void *get(const Session *session, ObjectId object, size_t size_bytes)
{
    const ObjectSlot slot = known(session, object);
    session::check_type(*session, session->replica->world.slots[slot].type, size_bytes);
    return world::value(session->replica->world, session->types, slot);
}

void set(Session *session, ObjectId object, const void *value, size_t size_bytes)
{
    session::check_in(*session);
    const ObjectSlot slot = world::find_near(session->replica->world, session->set_slot, object);
    check_known(slot, object);
    session->set_slot = slot;
    const TypeId type = session->replica->world.slots[slot].type;
    session::check_type(*session, type, size_bytes);
    if (session->state == State::cut_off) return;
    if (record::is_on(session->recorder))
        session::record_value(*session, session::about(RecordKind::set, object), type, value);
    const bool any_optimistic = session->optimistic_counts[type] > 0;
    if (any_optimistic && session::set_optimistic(*session, slot, value)) return;
    replica::set(*session->replica, slot, value);
}

bool may_set(const Session *session, ObjectId object)
{
    const ObjectSlot slot = world::find_alive(session->replica->world, object);
    if (slot == no_slot || session->state != State::open) return false;
    return session->replica->world.slots[slot].owner == session->replica->self ||
           session::is_optimistic(*session, slot);
}

std::span<const ObjectId> object_ids(const Session *session, TypeId type)
{
    TERN_ASSERT(type < session->types.types.size(), "type %u", type);
    const World &world = session->replica->world;
    return {world.ids.begin() + world.packed[type].first, world.packed[type].count};
}

const void *object_values(const Session *session, TypeId type, size_t size_bytes)
{
    session::check_type(*session, type, size_bytes);
    const World &world = session->replica->world;
    return world.values.begin() + world.packed[type].value_first_bytes;
}

bool claim(Session *session, ObjectId object, ClaimMode mode)
{
    session::check_in(*session);
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

static ObjectSlot own(const Session *session, ObjectId object)
{
    const ObjectSlot slot = world::find_alive(session->replica->world, object);
    TERN_ASSERT(slot != no_slot &&
                    session->replica->world.slots[slot].owner == session->replica->self,
                "object %llx is not ours", static_cast<unsigned long long>(object));
    return slot;
}

void release_ownership(Session *session, ObjectId object)
{
    session::check_in(*session);
    const ObjectSlot slot = own(session, object);
    if (session->state == State::cut_off) return;
    session::record(*session, session::about(RecordKind::release, object));
    replica::release_ownership(*session->replica, slot);
}

void lock(Session *session, ObjectId object, bool locked)
{
    session::check_in(*session);
    const ObjectSlot slot = own(session, object);
    if (session->state == State::cut_off) return;
    session::record(*session,
                    session::about(locked ? RecordKind::lock : RecordKind::unlock, object));
    replica::lock(*session->replica, slot, locked);
}

bool migrate(Session *session, ObjectId object, PeerId to)
{
    session::check_in(*session);
    TERN_ASSERT(host_peer(session) == local_peer(session), "only the host migrates; others claim");
    if (session->state == State::cut_off) return false;
    session::record(*session, session::about(RecordKind::migrate, object, to));
    return replica::migrate(*session->replica, object, to);
}

void refuse_claim(Session *session, ObjectId object, PeerId claimer)
{
    session::check_in(*session);
    TERN_ASSERT(host_peer(session) == local_peer(session), "only the host answers claims");
    if (session->state == State::cut_off) return;
    session::record(*session, session::about(RecordKind::refuse_claim, object, claimer));
    if (!object_id::is_possible(object)) return;
    replica::refuse_claim(*session->replica, object, claimer, ClaimRefusal::by_game);
}

void balance(Session *session, TypeId type)
{
    session::check_in(*session);
    TERN_ASSERT(type < session->types.types.size(), "type %u", type);
    TERN_ASSERT(host_peer(session) == local_peer(session), "only the host balances");
    if (session->state == State::cut_off) return;
    Record line = session::about(RecordKind::balance, ObjectId::none);
    line.type = type;
    session::record(*session, line);
    replica::balance(*session->replica, type);
}

uint64_t world_digest(const Session *session)
{
    return session::replicated_digest(*session);
}

}
