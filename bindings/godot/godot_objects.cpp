// Objects: one at a time, all of a type, and who owns them.
#include "godot_session.h"
#include <cstring>
#include <tern/many.h>

namespace tern_godot {

static Value create(Session &s, Arguments a) // (type, fields): the object; 0: it was not made.
{
    tern_type_id id = TERN_NO_TYPE;
    const tern_type *type = type_of(s, a[0], &id);
    if (!type) return Value::integer(0);
    std::vector<uint64_t> bytes = make_struct(*type);
    tern_object object = TERN_NO_OBJECT;
    const std::string wrong = write_struct(*type, a[1], bytes.data());
    if (wrong.empty())
        s.is_done(tern_create(s.session, id, bytes.data(), type->size_bytes, &object));
    else
        s.fail(wrong);
    return Value::integer(static_cast<int64_t>(object));
}

static Value creations_left(Session &s, Arguments a)
{
    tern_type_id id = TERN_NO_TYPE;
    return Value::integer(type_of(s, a[0], &id) ? tern_creations_left(s.session, id) : 0);
}

static Value destroy(Session &s, Arguments a)
{
    return Value::boolean(s.is_done(tern_destroy(s.session, number_of(a[0]))));
}

static Value exists(Session &s, Arguments a)
{
    return Value::boolean(tern_exists(s.session, number_of(a[0])));
}

static Value object_type(Session &s, Arguments a) // Its name; "": no such object is known.
{
    tern_type_id type = TERN_NO_TYPE;
    if (!tern_find_value(s.session, number_of(a[0]), &type)) return Value::text("");
    return Value::text(s.types.types[type].name);
}

static Value get_fields(Session &s, Arguments a) // A dictionary; null: no such object is known.
{
    tern_type_id type = TERN_NO_TYPE;
    const void *bytes = tern_find_value(s.session, number_of(a[0]), &type);
    return bytes ? read_struct(s.types.types[type], bytes) : Value();
}

static Value set_fields(Session &s, Arguments a) // (object, fields): those that it has.
{
    const tern_object object = number_of(a[0]);
    tern_type_id id = TERN_NO_TYPE;
    const void *now = tern_find_value(s.session, object, &id);
    if (!now) {
        s.fail("no such object is known here: ask exists() first");
        return Value::boolean(false);
    }
    const tern_type &type = s.types.types[id];
    std::vector<uint64_t> bytes(type.size_bytes / 8);
    std::memcpy(bytes.data(), now, type.size_bytes);
    const std::string wrong = write_struct(type, a[1], bytes.data());
    if (wrong.empty())
        return Value::boolean(
            s.is_done(tern_set(s.session, object, bytes.data(), type.size_bytes)));
    s.fail(wrong);
    return Value::boolean(false);
}

// The fields as of some milliseconds ago, between two updates or beyond the last one.
static Value sample(Session &s, Arguments a) // (object, ago_ms)
{
    const tern_object object = number_of(a[0]);
    tern_type_id id = TERN_NO_TYPE;
    if (!tern_find_value(s.session, object, &id)) return {};
    const tern_type &type = s.types.types[id];
    std::vector<uint64_t> bytes(type.size_bytes / 8);
    const uint64_t now_us = tern_clock_us(), ago_us = number_of(a[1]) * 1000;
    const uint64_t at_us = ago_us < now_us ? now_us - ago_us : 0;
    if (!s.is_done(tern_sample(s.session, object, at_us, bytes.data(), type.size_bytes))) return {};
    return read_struct(type, bytes.data());
}

// --- Many at once ---

static Value object_ids(Session &s, Arguments a)
{
    Value out = Value::array();
    tern_type_id id = TERN_NO_TYPE;
    if (!type_of(s, a[0], &id)) return out;
    const tern_object *objects = nullptr;
    const size_t count = tern_object_ids(s.session, id, &objects);
    for (size_t i = 0; i < count; ++i)
        out.append(Value::integer(static_cast<int64_t>(objects[i])));
    return out;
}

// The field by its name; null, and noted, if there is none.
static const tern_field *field_of(Session &s, const tern_type &type, const Value &name)
{
    const tern_field *field = find_field(type, name.as_text());
    if (!field) s.fail(std::string(type.name) + " has no field \"" + name.as_text() + "\"");
    return field;
}

// One field of all objects in the order of object_ids(), by one call.
static Value get_all(Session &s, Arguments a) // (type, field)
{
    tern_type_id id = TERN_NO_TYPE;
    const tern_type *type = type_of(s, a[0], &id);
    const tern_field *field = type ? field_of(s, *type, a[1]) : nullptr;
    if (!field) return Value::array();
    const tern_object *objects = nullptr;
    const size_t count = tern_object_ids(s.session, id, &objects);
    const void *structs = tern_object_values(s.session, id, type->size_bytes);
    return read_field_of_all(*type, *field, structs, count);
}

// Sets one field of objects of one type to a value for each. Gives how many were set.
static Value set_many(Session &s, Arguments a) // (objects, field, values)
{
    const Value given = a[0].as_array(), values = a[2].as_array();
    if (given.size() != values.size()) {
        s.fail("expected as many values as objects, got " + std::to_string(values.size()) +
               " values for " + std::to_string(given.size()));
        return Value::integer(0);
    }
    if (given.size() == 0) return Value::integer(0);
    std::vector<tern_object> objects(given.size());
    for (size_t i = 0; i < objects.size(); ++i) {
        const Value object = given.at(i);
        objects[i] = object.is_whole() ? number_of(object) : TERN_NO_OBJECT;
        if (objects[i] != TERN_NO_OBJECT) continue;
        s.fail("expected an object, got " + describe(object) + ", for [" + std::to_string(i) + "]");
        return Value::integer(0);
    }
    tern_type_id id = TERN_NO_TYPE;
    if (!tern_find_value(s.session, objects[0], &id)) {
        s.fail("the first object is not known here: ask exists() first");
        return Value::integer(0);
    }
    const tern_type &type = s.types.types[id];
    const tern_field *field = field_of(s, type, a[1]);
    if (!field) return Value::integer(0);
    std::vector<uint64_t> bytes(objects.size() * type.size_bytes / 8);
    tern_get_many(s.session, id, objects.data(), objects.size(), bytes.data(), bytes.size() * 8);
    for (size_t i = 0; i < objects.size(); ++i) {
        const std::string wrong =
            write_field(*field, values.at(i), bytes.data() + i * type.size_bytes / 8);
        if (wrong.empty()) continue;
        s.fail(std::string(type.name) + "." + wrong + ", for [" + std::to_string(i) + "]");
        return Value::integer(0);
    }
    return Value::integer(static_cast<int64_t>(tern_set_many(
        s.session, id, objects.data(), objects.size(), bytes.data(), bytes.size() * 8)));
}

// --- Owners ---

static Value owner(Session &s, Arguments a)
{
    return Value::integer(tern_object_owner(s.session, number_of(a[0])));
}

static Value may_set(Session &s, Arguments a)
{
    return Value::boolean(tern_may_set(s.session, number_of(a[0])));
}

static Value claim(Session &s, Arguments a) // (object, optimistic)
{
    const bool is_optimistic = !a[1].is_nil() && a[1].as_bool();
    return Value::boolean(s.is_done(tern_claim(
        s.session, number_of(a[0]), is_optimistic ? TERN_CLAIM_OPTIMISTIC : TERN_CLAIM_WAIT)));
}

static Value is_claiming(Session &s, Arguments a)
{
    return Value::boolean(tern_is_claiming(s.session, number_of(a[0])));
}

static Value refuse_claim(Session &s, Arguments a) // (object, claimer)
{
    return Value::boolean(s.is_done(tern_refuse_claim(s.session, number_of(a[0]), peer_of(a[1]))));
}

static Value migrate(Session &s, Arguments a) // (object, to)
{
    return Value::boolean(s.is_done(tern_migrate(s.session, number_of(a[0]), peer_of(a[1]))));
}

static Value release(Session &s, Arguments a)
{
    return Value::boolean(s.is_done(tern_release_ownership(s.session, number_of(a[0]))));
}

static Value lock(Session &s, Arguments a) // (object, locked)
{
    return Value::boolean(
        s.is_done(tern_lock(s.session, number_of(a[0]), a[1].is_nil() || a[1].as_bool())));
}

static Value world_digest(Session &s, Arguments)
{
    return Value::integer(static_cast<int64_t>(tern_world_digest(s.session)));
}

static constexpr Method methods[] = {{"create", "t|d", create},
                                     {"creations_left", "t", creations_left},
                                     {"destroy", "i", destroy},
                                     {"exists", "i", exists},
                                     {"object_type", "i", object_type},
                                     {"get_fields", "i", get_fields},
                                     {"set_fields", "id", set_fields},
                                     {"sample", "ii", sample},
                                     {"object_ids", "t", object_ids},
                                     {"get_all", "ts", get_all},
                                     {"set_many", "vsv", set_many},
                                     {"owner", "i", owner},
                                     {"may_set", "i", may_set},
                                     {"claim", "i|b", claim},
                                     {"is_claiming", "i", is_claiming},
                                     {"refuse_claim", "ii", refuse_claim},
                                     {"migrate", "ii", migrate},
                                     {"release", "i", release},
                                     {"lock", "i|b", lock},
                                     {"world_digest", "", world_digest}};
constinit const std::span<const Method> object_methods = methods;

}
