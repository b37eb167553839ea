// One field of a type, with every rule that tern has for one (include/tern/types.h): what is
// accepted here is nothing that make_session() would assert on.
#include "type_file_parts.h"
#include <bit>
#include <cfloat>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>

using tern::Field;
using tern::FieldKind;

namespace type_file {

static constexpr std::string_view kind_names[] = {
    "boolean", "int8",    "int16",      "int32", "int64",  "uint8", "uint16", "uint32",
    "uint64",  "float32", "quaternion", "peer",  "object", "text",  "bytes",  "values"};
static constexpr std::string_view keys[] = {"name", "kind", "count", "min", "max", "step"};
static constexpr double float_steps_max = 4294967295.0;
static constexpr double quaternion_step_min = 2e-6, quaternion_step_max = 0.125;

static bool is_signed(FieldKind kind)
{
    return kind >= FieldKind::int8 && kind <= FieldKind::int64;
}

static bool is_integer(FieldKind kind)
{
    return kind >= FieldKind::int8 && kind <= FieldKind::uint64;
}

size_t element_bytes(FieldKind kind)
{
    switch (kind) {
    case FieldKind::int16:
    case FieldKind::uint16:
    case FieldKind::peer: return 2;
    case FieldKind::int32:
    case FieldKind::uint32:
    case FieldKind::float32: return 4;
    case FieldKind::int64:
    case FieldKind::uint64:
    case FieldKind::object: return 8;
    case FieldKind::quaternion: return 16;
    default: return 1;
    }
}

// Whether a bound of a range can be one of the kind.
static bool holds(FieldKind kind, double value)
{
    if (!is_integer(kind)) return std::fabs(value) <= static_cast<double>(FLT_MAX);
    const int bits = static_cast<int>(element_bytes(kind) * 8);
    const double end = std::ldexp(1.0, is_signed(kind) ? bits - 1 : bits);
    return value >= (is_signed(kind) ? -end : 0.0) && value < end;
}

static uint64_t whole(FieldKind kind, double value)
{
    return is_signed(kind) ? static_cast<uint64_t>(static_cast<int64_t>(value))
                           : static_cast<uint64_t>(value);
}

static std::string text_of(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", value);
    return text;
}

// What is wrong with the range, or "".
static std::string range_problem(const Field &field)
{
    if (!is_integer(field.kind) && field.kind != FieldKind::float32)
        return "a range is for integers and float32 only";
    const std::string range = text_of(field.min) + " to " + text_of(field.max);
    if (!std::isfinite(field.min) || !std::isfinite(field.max))
        return "min and max must be finite, not " + range;
    if (!(field.min < field.max))
        return "min " + text_of(field.min) + " is not below max " + text_of(field.max) +
               " (leave both out for the full range)";
    const std::string kind(kind_names[static_cast<size_t>(field.kind)]);
    if (!holds(field.kind, field.min) || !holds(field.kind, field.max))
        return "the range " + range + " is beyond " + kind;
    if (is_integer(field.kind) &&
        (std::floor(field.min) != field.min || std::floor(field.max) != field.max))
        return "min and max of " + kind + " must be whole numbers, not " + range;
    return "";
}

// The same of the step; the range is right.
static std::string step_problem(const Field &field, bool has_range)
{
    if (field.kind == FieldKind::quaternion) {
        if (field.step >= quaternion_step_min && field.step <= quaternion_step_max) return "";
        return "step " + text_of(field.step) + " of a quaternion is not within " +
               text_of(quaternion_step_min) + " to " + text_of(quaternion_step_max);
    }
    if (field.kind != FieldKind::float32 || !has_range)
        return "a step is for float32 with min and max, and for quaternion only";
    if (!(field.step > 0) || !std::isfinite(field.step))
        return "step " + text_of(field.step) + " is not above 0 (leave it out for exact values)";
    const double steps = (field.max - field.min) / field.step;
    if (!(steps >= 1 && steps + 0.5 < float_steps_max + 1))
        return "min to max are " + text_of(steps) + " steps of " + text_of(field.step) +
               ", expected 1 to 4294967295";
    if (!holds(field.kind, field.max + field.step))
        return "max " + text_of(field.max) + " and a step of " + text_of(field.step) +
               " are beyond float32";
    return "";
}

// As a whole value of it travels (docs/wire_format.md, "Values").
static size_t bits_max(const Field &field, bool has_range)
{
    const size_t count = field.count;
    switch (field.kind) {
    case FieldKind::boolean: return count;
    case FieldKind::object: return count * 48;
    case FieldKind::text: return static_cast<size_t>(std::bit_width(count - 1)) + (count - 1) * 8;
    case FieldKind::quaternion: {
        if (field.step == 0) return count * 128;
        const auto steps = static_cast<uint64_t>(std::floor(std::sqrt(0.5) / field.step + 0.5));
        return count * static_cast<size_t>(2 + 3 * std::bit_width(2 * steps));
    }
    case FieldKind::float32: {
        if (field.step == 0) return count * 32;
        const double steps = std::floor((field.max - field.min) / field.step + 0.5);
        return count * static_cast<size_t>(std::bit_width(static_cast<uint64_t>(steps)));
    }
    default:
        if (!has_range) return count * element_bytes(field.kind) * 8;
        return count * static_cast<size_t>(std::bit_width(whole(field.kind, field.max) -
                                                          whole(field.kind, field.min)));
    }
}

static size_t digits(double number)
{
    char text[32];
    return static_cast<size_t>(std::to_chars(text, text + sizeof text, number + 0.0).ptr - text);
}

size_t description_bytes(const Field &field)
{
    size_t bytes = std::string_view("field  \n").size() + std::strlen(field.name) +
                   kind_names[static_cast<size_t>(field.kind)].size();
    if (field.count != 1)
        bytes += std::string_view(" count ").size() + std::to_string(field.count).size();
    if (field.min != 0 || field.max != 0)
        bytes += std::string_view(" min  max ").size() + digits(field.min) + digits(field.max);
    if (field.step != 0) bytes += std::string_view(" step ").size() + digits(field.step);
    return bytes;
}

// min, max and step of `table` into `field`; false if something was wrong.
static bool parse_range(Reader &reader, const toml::table &table, const std::string &whose,
                        Field &field)
{
    const auto min = number(reader, table, "min", whose);
    const auto max = number(reader, table, "max", whose);
    const auto step = number(reader, table, "step", whose);
    if (table.contains("min") != min.has_value() || table.contains("max") != max.has_value() ||
        table.contains("step") != step.has_value())
        return false;
    field.min = min.value_or(0);
    field.max = max.value_or(0);
    field.step = step.value_or(0);
    std::string problem;
    if (min.has_value() != max.has_value())
        problem = min ? "min without max" : "max without min";
    else if (min)
        problem = range_problem(field);
    if (problem.empty() && step) problem = step_problem(field, min.has_value());
    if (problem.empty()) return true;
    const toml::node *place = table.get(min ? "min" : max ? "max" : "step");
    complain(reader, place->source(), whose + ": " + problem);
    return false;
}

std::optional<ParsedField> parse_field(Reader &reader, const toml::table &table,
                                       const std::string &type)
{
    const auto name = word(reader, table, "name", type + ": field");
    const std::string whose = type + ": field" + (name ? " " + quoted(*name) : "");
    check_keys(reader, table, whose, keys);
    if (!table.contains("name")) complain(reader, table.source(), whose + ": name is missing");
    if (!table.contains("kind"))
        complain(reader, table.source(), whose + ": kind is missing, as \"float32\"");
    const auto kind = choice(reader, table, "kind", whose, kind_names);
    const auto count = whole_number(reader, table, "count", whose, 1,
                                    static_cast<uint32_t>(tern::struct_bytes_max));
    const bool count_is_wrong = table.contains("count") && !count;
    ParsedField parsed = {};
    if (!name || !kind) return {};
    parsed.name = *name;
    parsed.field.kind = static_cast<FieldKind>(*kind);
    parsed.field.count = static_cast<uint16_t>(count.value_or(1));
    if (!parse_range(reader, table, whose, parsed.field) || count_is_wrong) return {};
    parsed.element_bytes = element_bytes(parsed.field.kind);
    parsed.alignment_bytes = parsed.field.kind == FieldKind::quaternion ? 4 : parsed.element_bytes;
    parsed.bits_max = bits_max(parsed.field, table.contains("min"));
    return parsed;
}

}
