// The functions for objects. An object is a number; its fields are read and set one at a time.
#include "lua_bindings/binding.h"
#include "tern/diagnostics.hpp"
#include "tern/interest.hpp"
#include "tern/limits.hpp"
#include "tern/ownership.hpp"
#include "tern/prediction.hpp"
#include "tern/untyped.hpp"
#include <cfloat>
#include <cmath>
#include <cstring>

namespace tern::lua {

static void push_object(lua_State *L, ObjectId object)
{
    push_count(L, static_cast<uint64_t>(object));
}

static ObjectId own_object(const Arguments &a, int index, const Session *session)
{
    const ObjectId id = object(a, index, session);
    if (!tern::exists(session, id)) refuse(a, index, "object", "an object that is alive");
    if (tern::object_owner(session, id) != tern::local_peer(session))
        refuse(a, index, "object", "an object of this peer's own (its owner is peer %u)",
               static_cast<unsigned>(tern::object_owner(session, id)));
    return id;
}

// --- Creating and destroying ---

// Sets a field from the table of create(). A field of one Lua value takes that value, others a
// list.
static void take_initial_field(const Arguments &a, int index, const Field &field, void *value)
{
    lua_State *L = a.L;
    const int count = lua_values(field);
    if (count == 1 && (field.kind == FieldKind::values || !lua_istable(L, index)))
        return take_field(a, index, 3, field, value);
    if (!lua_istable(L, index) || raw_length(L, index) != static_cast<size_t>(count))
        refuse_as(a, 3, field.name, index, "a list of %d values", count);
    luaL_checkstack(L, count + 8, "the values of a field");
    const int first = lua_gettop(L) + 1;
    for (int i = 1; i <= count; ++i)
        lua_rawgeti(L, index, i);
    take_field(a, first, 3, field, value);
    lua_settop(L, first - 1);
}

static void take_initial(const Arguments &a, const Type &type, void *value)
{
    lua_State *L = a.L;
    if (!lua_istable(L, 3)) refuse(a, 3, "values", "a table of values by the names of fields");
    lua_settop(L, 3);
    lua_pushnil(L);
    while (lua_next(L, 3)) {
        const Field &field = type.fields[field_index(a, 4, 3, type)];
        take_initial_field(a, 5, field, value);
        lua_settop(L, 4);
    }
}

static int create(lua_State *L)
{
    const Arguments a = {L, "create"};
    Session *s = open_session(a);
    const TypeId id = type_id(a, 2, s);
    const Type &type = session_config(s).types[id];
    if (type.objects_max == 0)
        refuse(a, 2, "type", "a type with objects_max (%s is for calls only)", type.name);
    alignas(16) std::byte value[struct_bytes_max];
    set_defaults(type, value);
    if (is_given(a, 3)) take_initial(a, type, value);
    const ObjectId made = tern::create(s, id, value, type.size_bytes);
    if (made == ObjectId::none)
        lua_pushnil(L);
    else
        push_object(L, made);
    return 1;
}

static int destroy(lua_State *L)
{
    const Arguments a = {L, "destroy"};
    Session *s = open_session(a);
    tern::destroy(s, own_object(a, 2, s));
    return 0;
}

static int exists(lua_State *L)
{
    const Arguments a = {L, "exists"};
    const Session *s = session(a);
    lua_pushboolean(L, tern::exists(s, any_object(a, 2)));
    return 1;
}

static int type(lua_State *L)
{
    const Arguments a = {L, "type"};
    const Session *s = session(a);
    push_whole(L, tern::object_type(s, object(a, 2, s)));
    return 1;
}

static int owner(lua_State *L)
{
    const Arguments a = {L, "owner"};
    const Session *s = session(a);
    push_whole(L, static_cast<int64_t>(tern::object_owner(s, object(a, 2, s))));
    return 1;
}

static int owns(lua_State *L)
{
    const Arguments a = {L, "owns"};
    const Session *s = session(a);
    const ObjectId id = any_object(a, 2);
    lua_pushboolean(L, tern::exists(s, id) && tern::object_owner(s, id) == tern::local_peer(s));
    return 1;
}

static int may_set(lua_State *L)
{
    const Arguments a = {L, "may_set"};
    const Session *s = session(a);
    lua_pushboolean(L, tern::may_set(s, any_object(a, 2)));
    return 1;
}

// Returns text, because a double does not hold 64 bits. The texts sort like the stamps.
static int stamp(lua_State *L)
{
    const Arguments a = {L, "stamp"};
    const Session *s = session(a);
    push_hex(L, tern::object_stamp(s, object(a, 2, s)));
    return 1;
}

// --- Fields ---

static int get(lua_State *L)
{
    const Arguments a = {L, "get"};
    SessionBox &box = live_box(a);
    const FoundValue found = object_value(a, 2, box.session);
    return push_field(L, field(a, 3, box, found.type), found.value);
}

// Arguments: session, object, field, time. nil: the object is not alive here.
static int sample(lua_State *L)
{
    const Arguments a = {L, "sample"};
    SessionBox &box = live_box(a);
    const Session *s = box.session;
    const ObjectId id = any_object(a, 2);
    if (!tern::exists(s, id)) {
        lua_pushnil(L);
        return 1;
    }
    const TypeId type = tern::object_type(s, id);
    const Field &wanted = field(a, 3, box, type);
    uint64_t any_us = 0;
    const uint64_t at_us = time_us(a, 4, any_us);
    alignas(16) std::byte value[struct_bytes_max];
    tern::sample(s, id, at_us, value, session_config(s).types[type].size_bytes);
    return push_field(L, wanted, value);
}

static int set(lua_State *L)
{
    const Arguments a = {L, "set"};
    Session *s = open_session(a);
    const ObjectId id = any_object(a, 2);
    const FoundValue found = object_value(a, 2, s);
    if (!tern::may_set(s, id))
        refuse(a, 2, "object", "an object that this peer owns or has claimed as optimistic");
    const Field &wanted = field(a, 3, session_box(a), found.type);
    const int count = lua_values(wanted);
    if (lua_gettop(L) > 3 + count)
        fail(a, "expected %d values for the field %s, got %d", count, wanted.name,
             lua_gettop(L) - 3);
    const size_t size_bytes = session_config(s).types[found.type].size_bytes;
    alignas(16) std::byte value[struct_bytes_max];
    std::memcpy(value, found.value, size_bytes);
    take_field(a, 4, 4, wanted, value);
    tern::set(s, id, value, size_bytes);
    return 0;
}

// --- All objects of a type. The control variable of the loop is type * 2^32 + number visited ---

int objects_next(lua_State *L)
{
    const Arguments a = {L, "objects"};
    const Session *s = session(a);
    const uint64_t control = whole(a, 2, "control", 0, exact_max);
    const uint64_t type = control >> 32;
    if (type >= session_config(s).types.size()) refuse(a, 2, "control", "what objects() gave");
    const std::span<const ObjectId> all = tern::object_ids(s, static_cast<TypeId>(type));
    for (uint64_t i = control & UINT32_MAX; i < all.size(); ++i) {
        if (!tern::exists(s, all[i])) continue; // Destroyed since the last receive().
        push_whole(L, static_cast<int64_t>(type << 32 | (i + 1)));
        push_object(L, all[i]);
        return 2;
    }
    return 0;
}

static int creations_left(lua_State *L)
{
    const Arguments a = {L, "creations_left"};
    const Session *s = session(a);
    push_whole(L, tern::creations_left(s, type_id(a, 2, s)));
    return 1;
}

static int objects(lua_State *L)
{
    const Arguments a = {L, "objects"};
    const TypeId id = type_id(a, 2, session(a));
    push_anchor(L, anchor_objects_next);
    lua_pushvalue(L, 1);
    push_whole(L, static_cast<int64_t>(id) << 32);
    return 3;
}

// --- All objects of a type at once, into tables. Adding to a table allocates, and a finalizer may
// then destroy objects or the session: all is copied before, a block of objects at a time ---

static constexpr int tables_max = 16; // Bounds the work of one call.

struct Block {
    size_t next; // The position behind the last object that was copied.
    size_t count;
};

// Copies the ids of the objects that are alive, from position `next` on, until `to` is full. A
// count of 0: there are no more.
static Block copy_ids(const Session *s, TypeId type, size_t next, std::span<ObjectId> to)
{
    const std::span<const ObjectId> all = tern::object_ids(s, type);
    Block block = {next, 0};
    for (; block.next < all.size() && block.count < to.size(); ++block.next)
        if (tern::exists(s, all[block.next])) to[block.count++] = all[block.next];
    return block;
}

// Like copy_ids(), for a field of each object.
static Block copy_values(const Session *s, TypeId type, size_t next, size_t offset_bytes,
                         size_t each_bytes, std::span<std::byte> to)
{
    const std::span<const ObjectId> all = tern::object_ids(s, type);
    if (all.empty()) return {};
    const size_t stride_bytes = session_config(s).types[type].size_bytes;
    const auto *values =
        static_cast<const std::byte *>(tern::object_values(s, type, stride_bytes)) + offset_bytes;
    Block block = {next, 0};
    for (; block.next < all.size() && (block.count + 1) * each_bytes <= to.size(); ++block.next) {
        if (!tern::exists(s, all[block.next])) continue;
        std::memcpy(to.data() + block.count * each_bytes, values + block.next * stride_bytes,
                    each_bytes);
        block.count += 1;
    }
    return block;
}

// Removes the elements behind the first `count` from `tables` tables, of which the first is at
// `index`.
static void cut(lua_State *L, int index, int tables, int count)
{
    for (int last = index + tables; index < last; ++index) {
        for (int i = count + 1;; ++i) {
            lua_rawgeti(L, index, i);
            const bool ends = lua_isnil(L, -1);
            lua_pop(L, 1);
            if (ends) break;
            lua_pushnil(L);
            lua_rawseti(L, index, i);
        }
    }
}

static void check_tables(const Arguments &a, int index, int tables, const char *of)
{
    for (int i = index; i < index + tables; ++i)
        if (!lua_istable(a.L, i)) refuse(a, i, "table", "a table for the values of %s", of);
    if (lua_gettop(a.L) >= index + tables)
        fail(a, "expected %d tables for the values of %s, got %d", tables, of,
             lua_gettop(a.L) - index + 1);
}

static int object_ids(lua_State *L)
{
    const Arguments a = {L, "object_ids"};
    const SessionBox &box = live_box(a);
    const TypeId type = type_id(a, 2, box.session);
    check_tables(a, 3, 1, "object_ids");
    ObjectId block[64];
    int filled = 0;
    for (Block copied = {0, 0}; box.session;) {
        copied = copy_ids(box.session, type, copied.next, block);
        if (copied.count == 0) break;
        for (size_t i = 0; i < copied.count; ++i) {
            push_object(L, block[i]);
            lua_rawseti(L, 3, ++filled);
        }
    }
    cut(L, 3, 1, filled);
    push_whole(L, filled);
    return 1;
}

// Arguments: session, type, field, and a table for each value of the field.
static int object_values(lua_State *L)
{
    const Arguments a = {L, "object_values"};
    SessionBox &box = live_box(a);
    const TypeId type = type_id(a, 2, box.session);
    Field wanted = field(a, 3, box, type);
    const int tables = lua_values(wanted);
    if (tables > tables_max)
        refuse(a, 3, "field", "a field of at most %d values (%s has %d)", tables_max, wanted.name,
               tables);
    check_tables(a, 4, tables, wanted.name);
    const size_t offset_bytes = wanted.offset_bytes;
    wanted.offset_bytes = 0; // The field is copied without the rest of the struct.
    const size_t each_bytes = wanted.count * element_bytes(wanted.kind);
    alignas(16) std::byte block[struct_bytes_max];
    int filled = 0;
    for (Block copied = {0, 0}; box.session;) {
        copied = copy_values(box.session, type, copied.next, offset_bytes, each_bytes, block);
        if (copied.count == 0) break;
        for (size_t i = 0; i < copied.count; ++i) {
            push_field(L, wanted, block + i * each_bytes);
            filled += 1;
            for (int table = 3 + tables; table > 3; --table)
                lua_rawseti(L, table, filled);
        }
    }
    cut(L, 4, tables, filled);
    push_whole(L, filled);
    return 1;
}

static int type_id(lua_State *L)
{
    const Arguments a = {L, "type_id"};
    push_whole(L, type_id(a, 2, session(a)));
    return 1;
}

static int field_id(lua_State *L)
{
    const Arguments a = {L, "field_id"};
    const Session *s = session(a);
    const Type &type = session_config(s).types[type_id(a, 2, s)];
    push_whole(L, field_index(a, 3, 3, type) + 1);
    return 1;
}

// --- Owners ---

static const char *const claim_mode_names[] = {"wait", "optimistic"};

static int claim(lua_State *L)
{
    const Arguments a = {L, "claim"};
    Session *s = open_session(a);
    const ObjectId id = any_object(a, 2);
    const int mode = is_given(a, 3) ? choice(a, 3, "mode", words(claim_mode_names)) : 0;
    lua_pushboolean(L, tern::claim(s, id, static_cast<ClaimMode>(mode)));
    return 1;
}

static int release(lua_State *L)
{
    const Arguments a = {L, "release"};
    Session *s = open_session(a);
    tern::release_ownership(s, own_object(a, 2, s));
    return 0;
}

static int lock(lua_State *L)
{
    const Arguments a = {L, "lock"};
    Session *s = open_session(a);
    const ObjectId id = own_object(a, 2, s);
    tern::lock(s, id, boolean(a, 3, "locked"));
    return 0;
}

static int migrate(lua_State *L)
{
    const Arguments a = {L, "migrate"};
    Session *s = host_session(a);
    const ObjectId id = any_object(a, 2);
    lua_pushboolean(L, tern::migrate(s, id, peer(a, 3, "to")));
    return 1;
}

static int refuse_claim(lua_State *L)
{
    const Arguments a = {L, "refuse_claim"};
    Session *s = host_session(a);
    const ObjectId id = any_object(a, 2);
    tern::refuse_claim(s, id, peer(a, 3, "claimer"));
    return 0;
}

static int balance(lua_State *L)
{
    const Arguments a = {L, "balance"};
    Session *s = host_session(a);
    tern::balance(s, type_id(a, 2, s));
    return 0;
}

// --- Interest ---

static double number(const Arguments &a, int index, const char *name)
{
    const double value = lua_type(a.L, index) == LUA_TNUMBER ? lua_tonumber(a.L, index) : NAN;
    if (!(std::abs(value) <= FLT_MAX)) refuse(a, index, name, "a finite number");
    return value;
}

static int set_priority(lua_State *L)
{
    const Arguments a = {L, "set_priority"};
    Session *s = open_session(a);
    const ObjectId id = any_object(a, 2);
    const PeerId to = peer(a, 3, "peer");
    const auto priority = static_cast<float>(number(a, 4, "priority"));
    if (priority < 0) refuse(a, 4, "priority", "0 or more");
    lua_pushboolean(L, tern::set_priority(s, id, to, priority));
    return 1;
}

static int is_hidden(lua_State *L)
{
    const Arguments a = {L, "is_hidden"};
    const Session *s = session(a);
    lua_pushboolean(L, tern::is_hidden(s, any_object(a, 2)));
    return 1;
}

static int set_interest(lua_State *L)
{
    const Arguments a = {L, "set_interest"};
    Session *s = open_session(a);
    const TypeId type = type_id(a, 2, s);
    const Type &described = session_config(s).types[type];
    const size_t index = field_index(a, 3, 3, described);
    const Field &field = described.fields[index];
    if (field.kind != FieldKind::float32 || field.count > 3)
        refuse(a, 3, "field", "a float32 field of 1 to 3 numbers");
    Viewpoint from = {peer(a, 4, "peer"), {}};
    const auto near_distance = static_cast<float>(number(a, 5, "near"));
    const auto far_distance = static_cast<float>(number(a, 6, "far"));
    if (!(near_distance > 0)) refuse(a, 5, "near", "a distance that is more than 0");
    if (far_distance < near_distance) refuse(a, 6, "far", "a distance that is not below near");
    for (int i = 0; i < field.count; ++i)
        from.position[i] = static_cast<float>(number(a, 7 + i, "position"));
    tern::set_interest(s, type, static_cast<uint16_t>(index), {&from, 1}, near_distance,
                       far_distance);
    return 0;
}

const luaL_Reg object_functions[] = {{"create", create},
                                     {"destroy", destroy},
                                     {"exists", exists},
                                     {"type", type},
                                     {"owner", owner},
                                     {"owns", owns},
                                     {"may_set", may_set},
                                     {"stamp", stamp},
                                     {"get", get},
                                     {"sample", sample},
                                     {"set", set},
                                     {"objects", objects},
                                     {"object_ids", object_ids},
                                     {"object_values", object_values},
                                     {"creations_left", creations_left},
                                     {"type_id", type_id},
                                     {"field_id", field_id},
                                     {"claim", claim},
                                     {"release", release},
                                     {"lock", lock},
                                     {"migrate", migrate},
                                     {"refuse_claim", refuse_claim},
                                     {"balance", balance},
                                     {"set_priority", set_priority},
                                     {"is_hidden", is_hidden},
                                     {"set_interest", set_interest},
                                     {nullptr, nullptr}};

}
