// The public functions on objects: check the arguments, record the call, and pass it to the
// replica.
#include "migration/places.h"
#include "session/misuse.h"
#include "session/optimistic.h"
#include "session/recording/recording.h"
#include "session/session.h"
#include "tern/limits.hpp"
#include "tern/many.h"
#include <algorithm>
#include <cstring>

using namespace tern;

// --- Objects ---

// Whether there can be objects of the type.
static bool has_objects(const misuse::Entry &entry, TypeId type)
{
    if (!entry || !misuse::is_in(entry) || !misuse::has_type(entry, type)) return false;
    const Type &known = entry.session->types.types[type];
    if (known.objects_max > 0) return true;
    return misuse::report(entry, "Set objects_max of the type, or call() it.",
                          "Type %s is for calls only: its objects_max is 0.", known.name);
}

static tern_result create_one(Session &s, const misuse::Entry &entry, TypeId type,
                              const void *value, tern_object &object)
{
    if (!misuse::is_value(entry, type, value, s.types.types[type].size_bytes)) return TERN_MISUSE;
    if (s.state == State::cut_off) return TERN_CUT_OFF;
    session::record_value(s, session::about(RecordKind::create, ObjectId::none), type, value);
    object = static_cast<tern_object>(replica::create(*s.replica, type, value));
    return object == TERN_NO_OBJECT ? TERN_NO_ROOM : TERN_OK;
}

tern_result tern_create(tern_session *session, tern_type_id type, const void *value,
                        size_t size_bytes, tern_object *object)
{
    tern_object created = TERN_NO_OBJECT;
    if (object) *object = created;
    const misuse::Entry entry = misuse::change(session, "create");
    if (!has_objects(entry, type) || !misuse::has_size(entry, type, size_bytes)) return TERN_MISUSE;
    const tern_result result = create_one(*session, entry, type, value, created);
    if (object) *object = created;
    return result;
}

uint32_t tern_creations_left(const tern_session *session, tern_type_id type)
{
    const misuse::Entry entry(session, "creations_left");
    if (!entry || !misuse::has_type(entry, type)) return 0;
    return session->state == State::cut_off ? 0 : places::left(*session->replica, type);
}

// Checks what the functions need that only the owner may call. `slot`: that of the object.
static tern_result begin_own(const misuse::Entry &entry, ObjectSlot &slot)
{
    if (!entry || !misuse::is_in(entry)) return TERN_MISUSE;
    slot = misuse::find_own(entry);
    if (slot == no_slot) return TERN_MISUSE;
    return entry.session->state == State::cut_off ? TERN_CUT_OFF : TERN_OK;
}

static tern_result destroy_one(const misuse::Entry &entry, Session &s)
{
    ObjectSlot slot = no_slot;
    const tern_result result = begin_own(entry, slot);
    if (result != TERN_OK) return result;
    session::record(s, session::about(RecordKind::destroy, entry.object));
    replica::destroy(*s.replica, slot);
    return TERN_OK;
}

tern_result tern_destroy(tern_session *session, tern_object object)
{
    const misuse::Entry entry = misuse::change(session, "destroy", ObjectId{object});
    return entry ? destroy_one(entry, *session) : TERN_MISUSE;
}

tern_type_id tern_find_type(const tern_session *session, const tern_field *fields)
{
    const misuse::Entry entry(session, "find_type");
    if (!entry) return no_type;
    const auto &given = session->given_fields;
    const auto found = std::find(given.begin(), given.end(), to_cpp(fields));
    return found == given.end() ? no_type : static_cast<TypeId>(found - given.begin());
}

bool tern_exists(const tern_session *session, tern_object object)
{
    const misuse::Entry entry(session, "exists", ObjectId{object});
    return entry && world::find_alive(session->replica->world, ObjectId{object}) != no_slot;
}

const void *tern_find_value(const tern_session *session, tern_object object, tern_type_id *type)
{
    if (type) *type = no_type;
    const misuse::Entry entry(session, "find_value", ObjectId{object});
    const ObjectSlot slot =
        entry ? world::find(session->replica->world, ObjectId{object}) : no_slot;
    if (slot == no_slot) return nullptr;
    if (type) *type = session->replica->world.slots[slot].type;
    return session::shown_value(*session, slot);
}

// The object of a call that reads it. Null: reported.
static const KnownObject *find_object(const misuse::Entry &entry)
{
    const ObjectSlot slot = entry ? misuse::find(entry) : no_slot;
    return slot == no_slot ? nullptr : &entry.session->replica->world.slots[slot];
}

tern_type_id tern_object_type(const tern_session *session, tern_object object)
{
    const KnownObject *found = find_object({session, "object_type", ObjectId{object}});
    return found ? found->type : no_type;
}

tern_peer tern_object_owner(const tern_session *session, tern_object object)
{
    const KnownObject *found = find_object({session, "object_owner", ObjectId{object}});
    return found ? static_cast<tern_peer>(found->owner) : TERN_NO_PEER;
}

uint64_t tern_object_stamp(const tern_session *session, tern_object object)
{
    const KnownObject *found = find_object({session, "object_stamp", ObjectId{object}});
    return found ? found->stamp : 0;
}

const void *tern_get(const tern_session *session, tern_object object, size_t size_bytes)
{
    const misuse::Entry entry(session, "get", ObjectId{object});
    const ObjectSlot slot = entry ? misuse::find(entry) : no_slot;
    if (slot == no_slot) return nullptr;
    const World &world = session->replica->world;
    if (!misuse::has_size(entry, world.slots[slot].type, size_bytes)) return nullptr;
    return session::shown_value(*session, slot);
}

// The object of a set(). no_slot: reported, because it is not there, or not ours.
static ObjectSlot find_settable(Session &s, const misuse::Entry &entry)
{
    const Replica &r = *s.replica;
    ObjectSlot slot = world::find_near(r.world, s.set_slot, entry.object);
    if (slot == no_slot) slot = misuse::find(entry); // Reports it.
    if (slot == no_slot) return no_slot;
    s.set_slot = slot;
    const KnownObject &found = r.world.slots[slot];
    const bool is_ours = found.owner == r.self ||
                         (s.claims.counts[found.type] > 0 && session::is_optimistic(s, slot));
    return is_ours && found.life == Life::alive ? slot : misuse::find_own(entry);
}

// `normal`: what type_table::normalise() has made of the value.
static void store(Session &s, ObjectSlot slot, const std::byte *normal)
{
    const KnownObject &found = s.replica->world.slots[slot];
    if (record::is_on(s.records.recorder))
        session::record_value(s, session::about(RecordKind::set, found.id), found.type, normal);
    if (s.claims.counts[found.type] > 0 && session::set_optimistic(s, slot, normal)) return;
    world::write_normal(s.replica->world, s.types, slot, normal);
}

tern_result tern_set(tern_session *session, tern_object object, const void *value,
                     size_t size_bytes)
{
    const misuse::Entry entry = misuse::change(session, "set", ObjectId{object});
    if (!entry || !misuse::is_in(entry)) return TERN_MISUSE;
    const ObjectSlot slot = find_settable(*session, entry);
    if (slot == no_slot) return TERN_MISUSE;
    const TypeId type = session->replica->world.slots[slot].type;
    if (!misuse::is_value(entry, type, value, size_bytes)) return TERN_MISUSE;
    if (session->state == State::cut_off) return TERN_CUT_OFF;
    std::byte normal[struct_bytes_max];
    type_table::normalise(session->types, type, value, normal);
    store(*session, slot, normal);
    return TERN_OK;
}

bool tern_may_set(const tern_session *session, tern_object object)
{
    const misuse::Entry entry(session, "may_set", ObjectId{object});
    if (!entry) return false;
    const ObjectSlot slot = world::find_alive(session->replica->world, ObjectId{object});
    if (slot == no_slot || session->state != State::open) return false;
    return session->replica->world.slots[slot].owner == session->replica->self ||
           session::is_optimistic(*session, slot);
}

size_t tern_object_ids(const tern_session *session, tern_type_id type, const tern_object **objects)
{
    if (objects) *objects = nullptr;
    const misuse::Entry entry(session, "object_ids");
    if (!entry || !misuse::has_type(entry, type)) return 0;
    const World &world = session->replica->world;
    if (objects) *objects = to_c(world.ids.begin() + world.packed[type].first);
    return world.packed[type].count;
}

const void *tern_object_values(const tern_session *session, tern_type_id type, size_t size_bytes)
{
    const misuse::Entry entry(session, "object_values");
    if (!entry || !misuse::has_size(entry, type, size_bytes)) return nullptr;
    return session::shown_values(*session, type);
}

static tern_result claim_one(Session &s, const misuse::Entry &entry, tern_claim_mode mode)
{
    if (!misuse::is_object(entry)) return TERN_MISUSE;
    const ObjectId object = entry.object;
    const ObjectSlot slot = world::find_alive(s.replica->world, object);
    const bool optimistic = mode == TERN_CLAIM_OPTIMISTIC;
    if (s.state == State::cut_off) return TERN_CUT_OFF;
    session::record(
        s, session::about(optimistic ? RecordKind::claim_optimistic : RecordKind::claim, object));
    const bool is_ours = slot != no_slot && s.replica->world.slots[slot].owner == s.replica->self;
    if (is_ours) return TERN_OK;
    if (!replica::claim(*s.replica, object)) return TERN_NO_ROOM;
    if (optimistic && slot != no_slot) session::begin_optimistic(s, slot);
    return TERN_OK;
}

tern_result tern_claim(tern_session *session, tern_object object, tern_claim_mode mode)
{
    const misuse::Entry entry = misuse::change(session, "claim", ObjectId{object});
    if (!entry || !misuse::is_in(entry)) return TERN_MISUSE;
    return claim_one(*session, entry, mode);
}

bool tern_is_claiming(const tern_session *session, tern_object object)
{
    if (!misuse::Entry(session, "is_claiming", ObjectId{object})) return false;
    const std::span<const Claim> claims = session->replica->claims.all();
    const auto is_of = [&](const Claim &claim) { return claim.object == ObjectId{object}; };
    return std::any_of(claims.begin(), claims.end(), is_of);
}

tern_result tern_release_ownership(tern_session *session, tern_object object)
{
    const misuse::Entry entry = misuse::change(session, "release_ownership", ObjectId{object});
    ObjectSlot slot = no_slot;
    const tern_result result = begin_own(entry, slot);
    if (result != TERN_OK) return result;
    session::record(*session, session::about(RecordKind::release, ObjectId{object}));
    replica::release_ownership(*session->replica, slot);
    return TERN_OK;
}

tern_result tern_lock(tern_session *session, tern_object object, bool locked)
{
    const misuse::Entry entry = misuse::change(session, "lock", ObjectId{object});
    ObjectSlot slot = no_slot;
    const tern_result result = begin_own(entry, slot);
    if (result != TERN_OK) return result;
    session::record(
        *session, session::about(locked ? RecordKind::lock : RecordKind::unlock, ObjectId{object}));
    replica::lock(*session->replica, slot, locked);
    return TERN_OK;
}

// Checks what the functions need that only the host may call.
static tern_result begin_as_host(const misuse::Entry &entry)
{
    if (!entry || !misuse::is_host(entry)) return TERN_MISUSE;
    return entry.session->state == State::cut_off ? TERN_CUT_OFF : TERN_OK;
}

tern_result tern_migrate(tern_session *session, tern_object object, tern_peer to)
{
    const misuse::Entry entry = misuse::change(session, "migrate", ObjectId{object});
    const tern_result result = begin_as_host(entry);
    if (result != TERN_OK) return result;
    session::record(*session, session::about(RecordKind::migrate, ObjectId{object}, PeerId{to}));
    const bool is_done = replica::migrate(*session->replica, ObjectId{object}, PeerId{to});
    return is_done ? TERN_OK : TERN_GONE;
}

tern_result tern_refuse_claim(tern_session *session, tern_object object, tern_peer claimer)
{
    const misuse::Entry entry = misuse::change(session, "refuse_claim", ObjectId{object});
    const tern_result result = begin_as_host(entry);
    if (result != TERN_OK) return result;
    const ObjectId id{object};
    session::record(*session, session::about(RecordKind::refuse_claim, id, PeerId{claimer}));
    if (!object_id::is_possible(id)) return TERN_GONE;
    replica::refuse_claim(*session->replica, id, PeerId{claimer}, ClaimRefusal::by_game);
    return TERN_OK;
}

tern_result tern_balance(tern_session *session, tern_type_id type)
{
    const misuse::Entry entry = misuse::change(session, "balance");
    if (!entry || !misuse::is_host(entry) || !misuse::has_type(entry, type)) return TERN_MISUSE;
    if (session->state == State::cut_off) return TERN_CUT_OFF;
    Record line = session::about(RecordKind::balance, ObjectId::none);
    line.type = type;
    session::record(*session, line);
    replica::balance(*session->replica, type);
    return TERN_OK;
}

// --- Many objects ---

// Whether there is one struct of the type for each object.
static bool has_all(const misuse::Entry &entry, TypeId type, size_t count, const void *values,
                    size_t values_bytes)
{
    const size_t size_bytes = entry.session->types.types[type].size_bytes;
    if (values_bytes == count * size_bytes) return misuse::is_given(entry, "values", values, count);
    return misuse::report(entry, "Pass one struct for each object, without gaps.",
                          "There are %zu bytes for %zu objects of %zu bytes.", values_bytes, count,
                          size_bytes);
}

size_t tern_create_many(tern_session *session, tern_type_id type, const void *values,
                        size_t values_bytes, tern_object *created, size_t count)
{
    if (created) std::fill_n(created, count, tern_object{TERN_NO_OBJECT});
    const misuse::Entry entry = misuse::change(session, "create_many");
    if (!has_objects(entry, type) || !has_all(entry, type, count, values, values_bytes) ||
        !misuse::is_given(entry, "created", created, count))
        return 0;
    const auto *value = static_cast<const std::byte *>(values);
    for (size_t i = 0; i < count; ++i, value += values_bytes / count)
        if (create_one(*session, entry, type, value, created[i]) != TERN_OK) return i;
    return count;
}

// A part at a time, so that it stays in the cache.
static constexpr size_t part_bytes = 4 * struct_bytes_max;

// The values take part_bytes at most. Returns how many objects it could set.
static size_t set_part(Session &s, misuse::Entry &entry, TypeId type,
                       std::span<const ObjectId> objects, const std::byte *values)
{
    std::byte normal[part_bytes];
    const size_t size_bytes = s.types.types[type].size_bytes;
    const bool any_nan = type_table::normalise(s.types, type, values, objects.size(), normal);
    size_t count = 0;
    for (size_t i = 0; i < objects.size(); ++i) {
        entry.turn_to(objects[i]);
        const ObjectSlot slot = find_settable(s, entry);
        if (slot == no_slot) continue;
        if (!misuse::is_type(entry, s.replica->world.slots[slot].type, type)) continue;
        if (any_nan && !misuse::is_value(entry, type, values + i * size_bytes, size_bytes))
            continue;
        store(s, slot, normal + i * size_bytes);
        count += 1;
    }
    return count;
}

size_t tern_set_many(tern_session *session, tern_type_id type, const tern_object *objects,
                     size_t count, const void *values, size_t values_bytes)
{
    misuse::Entry entry = misuse::change(session, "set_many");
    if (!has_objects(entry, type) || !has_all(entry, type, count, values, values_bytes) ||
        !misuse::is_given(entry, "objects", objects, count))
        return 0;
    if (session->state == State::cut_off) return 0;
    const size_t size_bytes = session->types.types[type].size_bytes;
    const std::span<const ObjectId> ids(to_cpp(objects), count);
    const auto *bytes = static_cast<const std::byte *>(values);
    const size_t part = part_bytes / size_bytes;
    size_t set = 0;
    for (size_t first = 0; first < count; first += part) {
        const std::span<const ObjectId> some = ids.subspan(first, std::min(part, count - first));
        set += set_part(*session, entry, type, some, bytes + first * size_bytes);
    }
    return set;
}

size_t tern_get_many(const tern_session *session, tern_type_id type, const tern_object *objects,
                     size_t count, void *values, size_t values_bytes)
{
    if (values && values_bytes > 0) std::memset(values, 0, values_bytes);
    misuse::Entry entry(session, "get_many");
    if (!entry || !misuse::has_type(entry, type)) return 0;
    if (!has_all(entry, type, count, values, values_bytes) ||
        !misuse::is_given(entry, "objects", objects, count))
        return 0;
    const size_t size_bytes = session->types.types[type].size_bytes;
    auto *bytes = static_cast<std::byte *>(values);
    const World &world = session->replica->world;
    size_t found = 0;
    for (size_t i = 0; i < count; ++i) {
        entry.turn_to(ObjectId{objects[i]});
        const ObjectSlot slot = misuse::find(entry);
        if (slot == no_slot) continue;
        if (!misuse::is_type(entry, world.slots[slot].type, type)) continue;
        std::memcpy(bytes + i * size_bytes, session::shown_value(*session, slot), size_bytes);
        found += 1;
    }
    return found;
}

size_t tern_destroy_many(tern_session *session, const tern_object *objects, size_t count)
{
    misuse::Entry entry = misuse::change(session, "destroy_many");
    if (!entry || !misuse::is_in(entry)) return 0;
    if (!misuse::is_given(entry, "objects", objects, count)) return 0;
    const auto is_done = [&](tern_object object) {
        entry.turn_to(ObjectId{object});
        return destroy_one(entry, *session) == TERN_OK;
    };
    return static_cast<size_t>(std::count_if(objects, objects + count, is_done));
}

size_t tern_claim_many(tern_session *session, const tern_object *objects, size_t count,
                       tern_claim_mode mode)
{
    misuse::Entry entry = misuse::change(session, "claim_many");
    if (!entry || !misuse::is_in(entry)) return 0;
    if (!misuse::is_given(entry, "objects", objects, count)) return 0;
    const auto is_done = [&](tern_object object) {
        entry.turn_to(ObjectId{object});
        return claim_one(*session, entry, mode) == TERN_OK;
    };
    return static_cast<size_t>(std::count_if(objects, objects + count, is_done));
}

uint64_t tern_world_digest(const tern_session *session)
{
    const misuse::Entry entry(session, "world_digest");
    return entry ? world::digest(session->replica->world, session->types) : 0;
}

// The slot of the living object of this type whose value the event has brought; else no_slot.
static ObjectSlot changed_by(const World &world, const Event &event, tern_type_id type)
{
    const bool came = event.kind == EventKind::object_created ||
                      event.kind == EventKind::object_changed ||
                      (event.kind == EventKind::owner_changed && event.owner.changed_fields != 0);
    const ObjectSlot slot = came ? world::find_alive(world, object_of(event)) : no_slot;
    return slot != no_slot && world.slots[slot].type == type ? slot : no_slot;
}

size_t tern_changed_objects(const tern_session *session, tern_type_id type, tern_object *objects,
                            size_t count)
{
    const misuse::Entry entry(session, "changed_objects");
    if (!entry || !misuse::has_type(entry, type)) return 0;
    if (!misuse::is_given(entry, "objects", objects, count)) return 0;
    const World &world = session->replica->world;
    const std::span events(session->events.all, session->events.count);
    uint64_t *marks = session->events.marks;
    size_t found = 0;
    for (const Event &event : events) {
        const ObjectSlot slot = changed_by(world, event, type);
        const uint64_t bit = uint64_t{1} << slot % 64;
        if (slot == no_slot || marks[slot / 64] & bit) continue;
        marks[slot / 64] |= bit;
        if (found < count) objects[found] = to_c(world.slots[slot].id);
        found += 1;
    }
    for (const Event &event : events)
        if (const ObjectSlot slot = changed_by(world, event, type); slot != no_slot)
            marks[slot / 64] = 0;
    return found;
}
