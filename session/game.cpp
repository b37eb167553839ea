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

// Whether there can be objects of the type, with structs of this size.
static bool has_objects(const misuse::Entry &entry, TypeId type, size_t size_bytes)
{
    if (!entry || !misuse::is_in(entry) || !misuse::has_size(entry, type, size_bytes)) return false;
    const Type &known = entry.session->types.types[type];
    if (known.objects_max > 0) return true;
    return misuse::report(entry, ObjectId::none, "Set Type::objects_max, or call() it.",
                          "Type %s is for calls only: its objects_max is 0.", known.name);
}

static ObjectId create_one(Session &s, const misuse::Entry &entry, TypeId type, const void *value)
{
    const size_t size_bytes = s.types.types[type].size_bytes;
    if (!misuse::is_value(entry, type, value, size_bytes)) return ObjectId::none;
    if (s.state == State::cut_off) return ObjectId::none;
    session::record_value(s, session::about(RecordKind::create, ObjectId::none), type, value);
    return replica::create(*s.replica, type, value);
}

ObjectId create(Session *session, TypeId type, const void *value, size_t size_bytes)
{
    const misuse::Entry entry = misuse::change(session, "create");
    if (!has_objects(entry, type, size_bytes)) return ObjectId::none;
    return create_one(*session, entry, type, value);
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

static bool destroy_one(Session &s, const misuse::Entry &entry, ObjectId object)
{
    const ObjectSlot slot = misuse::find_own(entry, object);
    if (slot == no_slot || s.state == State::cut_off) return false;
    session::record(s, session::about(RecordKind::destroy, object));
    replica::destroy(*s.replica, slot);
    return true;
}

bool destroy(Session *session, ObjectId object)
{
    const misuse::Entry entry = misuse::change(session, "destroy");
    return entry && misuse::is_in(entry) && destroy_one(*session, entry, object);
}

TypeId find_type(const Session *session, std::span<const Field> fields)
{
    const misuse::Entry entry(session, "find_type");
    if (!entry) return no_type;
    const std::span<const Type> types = session->types.types;
    const auto found = std::ranges::find(types, fields.data(),
                                         [](const Type &type) { return type.fields.data(); });
    return found == types.end() ? no_type : static_cast<TypeId>(found - types.begin());
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
static const KnownObject *find_object(const misuse::Entry &entry, ObjectId object)
{
    const ObjectSlot slot = entry ? misuse::find(entry, object) : no_slot;
    return slot == no_slot ? nullptr : &entry.session->replica->world.slots[slot];
}

TypeId object_type(const Session *session, ObjectId object)
{
    const KnownObject *found = find_object({session, "object_type"}, object);
    return found ? found->type : no_type;
}

PeerId object_owner(const Session *session, ObjectId object)
{
    const KnownObject *found = find_object({session, "object_owner"}, object);
    return found ? found->owner : PeerId::none;
}

uint64_t object_stamp(const Session *session, ObjectId object)
{
    const KnownObject *found = find_object({session, "object_stamp"}, object);
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

// The object of a set(). no_slot: reported, because it is not there, or not ours.
static ObjectSlot find_settable(Session &s, const misuse::Entry &entry, ObjectId object)
{
    const Replica &r = *s.replica;
    ObjectSlot slot = world::find_near(r.world, s.set_slot, object);
    if (slot == no_slot) slot = misuse::find(entry, object); // Reports it.
    if (slot == no_slot) return no_slot;
    s.set_slot = slot;
    const KnownObject &found = r.world.slots[slot];
    const bool is_ours = found.owner == r.self ||
                         (s.optimistic_counts[found.type] > 0 && session::is_optimistic(s, slot));
    return is_ours && found.life == Life::alive ? slot : misuse::find_own(entry, object);
}

// `normal`: what type_table::normalise() has made of the value.
static void store(Session &s, ObjectSlot slot, const std::byte *normal)
{
    const KnownObject &found = s.replica->world.slots[slot];
    if (record::is_on(s.recorder))
        session::record_value(s, session::about(RecordKind::set, found.id), found.type, normal);
    if (s.optimistic_counts[found.type] > 0 && session::set_optimistic(s, slot, normal)) return;
    replica::set_normal(*s.replica, slot, normal);
}

bool set(Session *session, ObjectId object, const void *value, size_t size_bytes)
{
    const misuse::Entry entry = misuse::change(session, "set");
    if (!entry || !misuse::is_in(entry)) return false;
    const ObjectSlot slot = find_settable(*session, entry, object);
    if (slot == no_slot) return false;
    const TypeId type = session->replica->world.slots[slot].type;
    if (!misuse::is_value(entry, type, value, size_bytes)) return false;
    if (session->state == State::cut_off) return false;
    std::byte normal[struct_bytes_max];
    type_table::normalise(session->types, type, value, normal);
    store(*session, slot, normal);
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

static bool claim_one(Session &s, ObjectId object, ClaimMode mode)
{
    const ObjectSlot slot = world::find_alive(s.replica->world, object);
    const bool optimistic = mode == ClaimMode::optimistic;
    if (s.state == State::cut_off) return false;
    session::record(
        s, session::about(optimistic ? RecordKind::claim_optimistic : RecordKind::claim, object));
    const bool is_ours = slot != no_slot && s.replica->world.slots[slot].owner == s.replica->self;
    if (is_ours) return true;
    if (!replica::claim(*s.replica, object)) return false;
    if (optimistic && slot != no_slot) session::begin_optimistic(s, slot);
    return true;
}

bool claim(Session *session, ObjectId object, ClaimMode mode)
{
    const misuse::Entry entry = misuse::change(session, "claim");
    return entry && misuse::is_in(entry) && claim_one(*session, object, mode);
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

// --- Many objects ---

// Whether `bytes` are those of one struct for each object.
static bool has_all(const misuse::Entry &entry, size_t objects, size_t bytes, size_t size_bytes)
{
    if (bytes == objects * size_bytes) return true;
    return misuse::report(entry, ObjectId::none, "Pass one struct for each object, without gaps.",
                          "There are %zu bytes for %zu objects of %zu bytes.", bytes, objects,
                          size_bytes);
}

size_t create_many(Session *session, TypeId type, std::span<const std::byte> values,
                   size_t size_bytes, std::span<ObjectId> created)
{
    std::ranges::fill(created, ObjectId::none);
    const misuse::Entry entry = misuse::change(session, "create_many");
    if (!has_objects(entry, type, size_bytes)) return 0;
    if (!has_all(entry, created.size(), values.size(), size_bytes)) return 0;
    size_t count = 0;
    for (; count < created.size(); ++count) {
        created[count] = create_one(*session, entry, type, values.data() + count * size_bytes);
        if (created[count] == ObjectId::none) break;
    }
    return count;
}

// `normal` has room for all values. Returns how many objects it could set.
static size_t set_part(Session &s, const misuse::Entry &entry, TypeId type,
                       std::span<const ObjectId> objects, const std::byte *values,
                       std::byte *normal)
{
    const size_t size_bytes = s.types.types[type].size_bytes;
    const bool any_nan = type_table::any_nan(s.types, type, values, objects.size());
    type_table::normalise(s.types, type, values, objects.size(), normal);
    size_t count = 0;
    for (size_t i = 0; i < objects.size(); ++i) {
        const ObjectSlot slot = find_settable(s, entry, objects[i]);
        if (slot == no_slot) continue;
        if (!misuse::is_type(entry, objects[i], s.replica->world.slots[slot].type, type)) continue;
        if (any_nan && !misuse::is_value(entry, type, values + i * size_bytes, size_bytes))
            continue;
        store(s, slot, normal + i * size_bytes);
        count += 1;
    }
    return count;
}

size_t set_many(Session *session, TypeId type, std::span<const ObjectId> objects,
                std::span<const std::byte> values, size_t size_bytes)
{
    const misuse::Entry entry = misuse::change(session, "set_many");
    if (!has_objects(entry, type, size_bytes)) return 0;
    if (!has_all(entry, objects.size(), values.size(), size_bytes)) return 0;
    if (session->state == State::cut_off) return 0;
    // A part at a time, so that it stays in the cache.
    std::byte normal[4 * struct_bytes_max];
    const size_t part = sizeof normal / size_bytes;
    size_t count = 0;
    for (size_t first = 0; first < objects.size(); first += part) {
        const std::span<const ObjectId> some =
            objects.subspan(first, std::min(part, objects.size() - first));
        count += set_part(*session, entry, type, some, values.data() + first * size_bytes, normal);
    }
    return count;
}

size_t get_many(const Session *session, TypeId type, std::span<const ObjectId> objects,
                std::span<std::byte> values, size_t size_bytes)
{
    std::ranges::fill(values, std::byte{0});
    const misuse::Entry entry(session, "get_many");
    if (!entry || !misuse::has_size(entry, type, size_bytes)) return 0;
    if (!has_all(entry, objects.size(), values.size(), size_bytes)) return 0;
    const World &world = session->replica->world;
    size_t count = 0;
    for (size_t i = 0; i < objects.size(); ++i) {
        const ObjectSlot slot = misuse::find(entry, objects[i]);
        if (slot == no_slot) continue;
        if (!misuse::is_type(entry, objects[i], world.slots[slot].type, type)) continue;
        std::memcpy(values.data() + i * size_bytes, world::value(world, session->types, slot),
                    size_bytes);
        count += 1;
    }
    return count;
}

size_t destroy_many(Session *session, std::span<const ObjectId> objects)
{
    const misuse::Entry entry = misuse::change(session, "destroy_many");
    if (!entry || !misuse::is_in(entry)) return 0;
    return static_cast<size_t>(std::ranges::count_if(
        objects, [&](ObjectId object) { return destroy_one(*session, entry, object); }));
}

size_t claim_many(Session *session, std::span<const ObjectId> objects, ClaimMode mode)
{
    const misuse::Entry entry = misuse::change(session, "claim_many");
    if (!entry || !misuse::is_in(entry)) return 0;
    return static_cast<size_t>(std::ranges::count_if(
        objects, [&](ObjectId object) { return claim_one(*session, object, mode); }));
}

uint64_t world_digest(const Session *session)
{
    const misuse::Entry entry(session, "world_digest");
    return entry ? session::replicated_digest(*session) : 0;
}

}
