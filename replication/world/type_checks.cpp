#include "replication/world/type_checks.h"
#include "base/printf_format.h"
#include "replication/world/field.h"
#include "replication/world/quaternion.h"
#include "tern/diagnostics.hpp"
#include "tern/limits.hpp"
#include <cfloat>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace tern::type_checks {

TERN_PRINTF(1, 2) static ConfigProblem said(const char *format, ...)
{
    ConfigProblem problem;
    std::va_list list;
    va_start(list, format);
    std::vsnprintf(problem.text, sizeof problem.text, format, list);
    va_end(list);
    return problem;
}

static bool is(const ConfigProblem &problem)
{
    return problem.text[0] != 0;
}

#define RULE(condition, ...)                                                                       \
    if (!(condition)) return said(__VA_ARGS__)

static bool is_word(const char *name)
{
    if (name == nullptr || *name == 0) return false;
    for (; *name != 0; ++name)
        if (static_cast<unsigned char>(*name) <= ' ' || *name == 127) return false;
    return true;
}

// Whether the value is within the kind's limits.
static bool holds(FieldKind kind, double value)
{
    switch (kind) {
    case FieldKind::int8: return value >= INT8_MIN && value <= INT8_MAX;
    case FieldKind::int16: return value >= INT16_MIN && value <= INT16_MAX;
    case FieldKind::int32: return value >= INT32_MIN && value <= INT32_MAX;
    case FieldKind::int64: return value >= -0x1p63 && value < 0x1p63;
    case FieldKind::uint8: return value >= 0 && value <= UINT8_MAX;
    case FieldKind::uint16: return value >= 0 && value <= UINT16_MAX;
    case FieldKind::uint32: return value >= 0 && value <= UINT32_MAX;
    case FieldKind::uint64: return value >= 0 && value < 0x1p64;
    default: return std::fabs(value) <= static_cast<double>(FLT_MAX);
    }
}

static ConfigProblem check_range(const Type &type, const Field &field)
{
    // False for a NaN, which the rules below refuse.
    if (!field::has_range(field) && field.min == field.max) return {};
    const bool integer = field::is_integer(field.kind);
    RULE(integer || field.kind == FieldKind::float32,
         "type %s, field %s: a range is for integers and float32", type.name, field.name);
    RULE(field.min < field.max, "type %s, field %s: min %g is not below max %g", type.name,
         field.name, field.min, field.max);
    RULE(holds(field.kind, field.min) && holds(field.kind, field.max),
         "type %s, field %s: range %g to %g is beyond its kind", type.name, field.name, field.min,
         field.max);
    RULE(!integer || (std::floor(field.min) == field.min && std::floor(field.max) == field.max),
         "type %s, field %s: range %g to %g of an integer is not whole", type.name, field.name,
         field.min, field.max);
    return {};
}

static ConfigProblem check_step(const Type &type, const Field &field)
{
    if (field.step == 0) return {};
    RULE(field.step > 0 && std::isfinite(field.step), "type %s, field %s: step %g", type.name,
         field.name, field.step);
    if (field.kind == FieldKind::quaternion) {
        RULE(field.step >= quaternion::step_min && field.step <= quaternion::step_max,
             "type %s, field %s: step %g of a quaternion is not in %g to %g", type.name, field.name,
             field.step, quaternion::step_min, quaternion::step_max);
        return {};
    }
    RULE(field.kind == FieldKind::float32 && field::has_range(field),
         "type %s, field %s: a step is for float32 with a range, and for quaternion", type.name,
         field.name);
    const double steps = (field.max - field.min) / field.step;
    RULE(holds(field.kind, field.max + field.step),
         "type %s, field %s: max %g and step %g are beyond float32", type.name, field.name,
         field.max, field.step);
    RULE(steps >= 1 && steps + 0.5 < float_steps_max + 1,
         "type %s, field %s: %g steps of %g are not in 1 to %.0f", type.name, field.name, steps,
         field.step, float_steps_max);
    return {};
}

static ConfigProblem check_bound(const Type &type, const Field &field)
{
    if (field.bound == 0) return {};
    RULE(field.bound > 0 && std::isfinite(field.bound), "type %s, field %s: bound %g", type.name,
         field.name, field.bound);
    RULE(field.kind == FieldKind::float32 || field.kind == FieldKind::quaternion,
         "type %s, field %s: a bound is for float32 and quaternion", type.name, field.name);
    RULE(type.objects_max > 0, "type %s, field %s: a bound, but the type has no objects", type.name,
         field.name);
    return {};
}

static ConfigProblem check_field(const Type &type, const Field &field)
{
    RULE(is_word(field.name), "type %s: field %d: its name is empty or holds a space", type.name,
         static_cast<int>(&field - type.fields.data()));
    RULE(field.kind <= FieldKind::values, "type %s, field %s: kind %d", type.name, field.name,
         static_cast<int>(field.kind));
    RULE(field.count >= 1, "type %s, field %s: count is 0", type.name, field.name);
    RULE(field.kind != FieldKind::text || field.count >= 2,
         "type %s, field %s: a text of count 1 has room for its zero only", type.name, field.name);
    RULE(field.offset_bytes + field::size_bytes(field) <= type.size_bytes,
         "type %s, field %s: bytes %d to %zu of a struct of %d", type.name, field.name,
         field.offset_bytes, field.offset_bytes + field::size_bytes(field), type.size_bytes);
    const ConfigProblem range = check_range(type, field);
    if (is(range)) return range;
    const ConfigProblem step = check_step(type, field);
    return is(step) ? step : check_bound(type, field);
}

static ConfigProblem check_pair(const Type &type, const Field &a, const Field &b)
{
    RULE(std::strcmp(a.name, b.name) != 0, "type %s: two fields are named %s", type.name, a.name);
    RULE(a.offset_bytes + field::size_bytes(a) <= b.offset_bytes ||
             b.offset_bytes + field::size_bytes(b) <= a.offset_bytes,
         "type %s: fields %s (at %d) and %s (at %d) overlap", type.name, a.name, a.offset_bytes,
         b.name, b.offset_bytes);
    return {};
}

static ConfigProblem check_type(const Type &type)
{
    RULE(type.size_bytes >= 1 && type.size_bytes <= struct_bytes_max,
         "type %s: a struct of %d bytes, at most %zu", type.name, type.size_bytes,
         struct_bytes_max);
    RULE(type.fields.size() <= fields_max, "type %s: %zu fields, at most %zu", type.name,
         type.fields.size(), fields_max);
    RULE(type.orphan <= Orphan::hold && type.claim <= ClaimPolicy::never &&
             type.callers <= Callers::owner,
         "type %s: orphan %d, claim %d, callers %d", type.name, static_cast<int>(type.orphan),
         static_cast<int>(type.claim), static_cast<int>(type.callers));
    RULE(!type.predicted || (type.objects_max > 0 && !type.fields.empty()),
         "type %s: predicted, but it has no objects or no fields", type.name);
    size_t bits_max = 0;
    bool names_object = false;
    for (const Field &field : type.fields) {
        const ConfigProblem found = check_field(type, field);
        if (is(found)) return found;
        bits_max += field::bits_max(field);
        names_object = names_object || field.kind == FieldKind::object;
    }
    RULE(type.callers != Callers::owner || names_object,
         "type %s: its callers own an object, and no field is of kind object", type.name);
    RULE(bits_max <= value_bytes_max * 8, "type %s: a value takes %zu bits, at most %zu", type.name,
         bits_max, value_bytes_max * 8);
    for (size_t i = 0; i < type.fields.size(); ++i)
        for (size_t k = 0; k < i; ++k)
            if (const ConfigProblem p = check_pair(type, type.fields[k], type.fields[i]); is(p))
                return p;
    return {};
}

ConfigProblem problem(std::span<const Type> types)
{
    RULE(types.size() <= types_max, "%zu types, at most %zu", types.size(), types_max);
    uint64_t objects = 0;
    for (size_t i = 0; i < types.size(); ++i) {
        RULE(is_word(types[i].name), "type %zu: its name is empty or holds a space", i);
        const ConfigProblem found = check_type(types[i]);
        if (is(found)) return found;
        objects += types[i].objects_max;
        for (size_t k = 0; k < i; ++k)
            RULE(std::strcmp(types[i].name, types[k].name) != 0,
                 "types %zu and %zu are both named %s", k, i, types[i].name);
    }
    // Keeps slots and packed indices, with headroom, within 32 bits.
    RULE(objects <= 1u << 24, "objects_max is %llu in all, at most 16777216",
         static_cast<unsigned long long>(objects));
    return {};
}

}
