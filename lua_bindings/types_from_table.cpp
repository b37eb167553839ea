// Reads the types of a Config from a Lua table. Checks names; config_problem() checks the rules of
// types and limits.
#include "lua_bindings/binding.h"
#include "tern/limits.hpp"
#include <cfloat>
#include <cstring>
#include <new>

namespace tern::lua {

static const char *const kind_names[] = {
    "boolean", "int8",    "int16",      "int32", "int64",  "uint8", "uint16", "uint32",
    "uint64",  "float32", "quaternion", "peer",  "object", "text",  "bytes",  "values"};
static const char *const orphan_names[] = {"to_host", "destroy", "spread", "ask_game", "hold"};
static const char *const claim_names[] = {"always", "ask_game", "never"};
static const char *const callers_names[] = {"anybody", "host", "owner"};
static const char *const field_keys[] = {"name", "kind", "count", "min", "max", "step", "bound"};
static const char *const type_keys[] = {"name",
                                        "objects_max",
                                        "orphan",
                                        "claim",
                                        "claim_cooldown_ms",
                                        "owned_max",
                                        "claims_per_second_max",
                                        "callers",
                                        "calls_per_second_max",
                                        "predicted",
                                        "fields"};

// Limits for the objects of all types of a script and for the bytes of their values. make_session()
// needs more memory than these, and ends the program if it cannot get it.
static constexpr uint64_t all_objects_max = 64 * 1024;
static constexpr uint64_t all_values_bytes_max = 256 * 1024 * 1024;

// The number of elements of a list that is on the stack.
static int list_length(const Table &t, const char *key, int index, size_t max)
{
    lua_State *L = t.arguments.L;
    const size_t length = raw_length(L, index);
    size_t count = 0;
    lua_pushnil(L);
    while (lua_next(L, index)) {
        lua_pop(L, 1);
        count += 1;
    }
    if (count != length)
        fail(t.arguments, "%s%s: expected a list, {{...}, {...}}, got a table with other keys",
             t.where, key);
    if (length > max)
        fail(t.arguments, "%s%s: expected at most %zu, got %zu", t.where, key, max, length);
    return static_cast<int>(length);
}

// Pushes the list of that name, or an empty one. Returns its length.
static int push_list(const Table &t, const char *key, size_t max)
{
    lua_State *L = t.arguments.L;
    if (!push_option(t, key)) lua_newtable(L);
    if (!lua_istable(L, -1)) refuse_option(t, key, -1, "a list of tables");
    return list_length(t, key, lua_gettop(L), max);
}

static size_t fields_count(const Table &t, int types, int type_count)
{
    lua_State *L = t.arguments.L;
    size_t count = 0;
    for (int i = 1; i <= type_count; ++i) {
        const Table type = element(t, types, "types", i);
        count += static_cast<size_t>(push_list(type, "fields", fields_max));
        lua_pop(L, 2);
    }
    return count;
}

static Field read_field(const Table &t, int holder, size_t &used_bytes)
{
    check_keys(t, words(field_keys));
    Field field = {};
    field.name = kept_text(t, "name", holder, nullptr);
    const int kind = choice_option(t, "kind", -1, words(kind_names));
    if (kind < 0) fail(t.arguments, "%skind: expected one as \"float32\", got nothing", t.where);
    field.kind = static_cast<FieldKind>(kind);
    field.count = static_cast<uint16_t>(whole_option(t, "count", 1, 1, struct_bytes_max));
    field.min = number_option(t, "min", 0, -DBL_MAX, DBL_MAX);
    field.max = number_option(t, "max", 0, -DBL_MAX, DBL_MAX);
    field.step = number_option(t, "step", 0, -DBL_MAX, DBL_MAX);
    field.bound = number_option(t, "bound", 0, -DBL_MAX, DBL_MAX);
    const size_t alignment = number_bytes(field.kind);
    const size_t offset = (used_bytes + alignment - 1) / alignment * alignment;
    used_bytes = offset + field.count * element_bytes(field.kind);
    if (used_bytes > struct_bytes_max)
        fail(t.arguments, "%scount: up to here the fields take %zu bytes, expected at most %zu",
             t.where, used_bytes, struct_bytes_max);
    field.offset_bytes = static_cast<uint16_t>(offset);
    return field;
}

static Type read_type(const Table &t, int holder, std::span<Field> fields)
{
    lua_State *L = t.arguments.L;
    check_keys(t, words(type_keys));
    Type type = {};
    type.name = kept_text(t, "name", holder, nullptr);
    type.objects_max = static_cast<uint32_t>(whole_option(t, "objects_max", 0, 0, all_objects_max));
    type.orphan = static_cast<Orphan>(choice_option(t, "orphan", 0, words(orphan_names)));
    type.claim = static_cast<ClaimPolicy>(choice_option(t, "claim", 0, words(claim_names)));
    type.claim_cooldown_ms =
        static_cast<uint32_t>(whole_option(t, "claim_cooldown_ms", 0, 0, UINT32_MAX));
    type.owned_max = static_cast<uint32_t>(whole_option(t, "owned_max", 0, 0, UINT32_MAX));
    type.claims_per_second_max =
        static_cast<uint16_t>(whole_option(t, "claims_per_second_max", 0, 0, UINT16_MAX));
    type.callers = static_cast<Callers>(choice_option(t, "callers", 0, words(callers_names)));
    type.calls_per_second_max =
        static_cast<uint16_t>(whole_option(t, "calls_per_second_max", 0, 0, UINT16_MAX));
    type.predicted = boolean_option(t, "predicted", false);
    const int count = push_list(t, "fields", fields_max);
    const int list = lua_gettop(L);
    if (static_cast<size_t>(count) > fields.size())
        fail(t.arguments, "%sfields: it has been changed while it was read", t.where);
    size_t used_bytes = 0;
    for (int i = 1; i <= count; ++i) {
        const Table field = element(t, list, "fields", i);
        new (&fields[static_cast<size_t>(i - 1)]) Field(read_field(field, holder, used_bytes));
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    // A multiple of the largest alignment, as in C++, so that values are aligned in an array.
    type.size_bytes = static_cast<uint16_t>(used_bytes == 0 ? 8 : (used_bytes + 7) / 8 * 8);
    if (count > 0) type.fields = fields.first(static_cast<size_t>(count));
    return type;
}

static void check_memory(const Table &t, std::span<const Type> types)
{
    uint64_t objects = 0, bytes = 0;
    for (const Type &type : types) {
        objects += type.objects_max;
        bytes += uint64_t{type.objects_max} * type.size_bytes;
    }
    if (objects > all_objects_max)
        fail(t.arguments, "types: objects_max is %llu in all, expected at most %llu",
             static_cast<unsigned long long>(objects),
             static_cast<unsigned long long>(all_objects_max));
    if (bytes > all_values_bytes_max)
        fail(t.arguments, "types: the values of all objects take %llu bytes, expected at most %llu",
             static_cast<unsigned long long>(bytes),
             static_cast<unsigned long long>(all_values_bytes_max));
}

std::span<const Type> read_types(const Table &t, int holder)
{
    lua_State *L = t.arguments.L;
    const int count = push_list(t, "types", types_max);
    const int list = lua_gettop(L);
    const size_t types_bytes = static_cast<size_t>(count) * sizeof(Type);
    const size_t field_count = fields_count(t, list, count);
    auto *block =
        static_cast<std::byte *>(push_userdata(L, types_bytes + field_count * sizeof(Field)));
    lua_rawseti(L, holder, static_cast<int>(raw_length(L, holder)) + 1);
    auto *first = reinterpret_cast<Type *>(block);
    std::span<Field> fields(reinterpret_cast<Field *>(block + types_bytes), field_count);
    for (int i = 1; i <= count; ++i) {
        const Table type = element(t, list, "types", i);
        new (&first[i - 1]) Type(read_type(type, holder, fields));
        fields = fields.subspan(first[i - 1].fields.size());
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    if (count == 0) return {};
    const std::span<const Type> types(first, static_cast<size_t>(count));
    check_memory(t, types);
    return types;
}

}
