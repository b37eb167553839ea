// Parses one field of a type. type_file.cpp checks it against the rules of tern.
#include "tern/limits.hpp"
#include "type_file_parts.h"

using tern::Field;
using tern::FieldKind;

namespace type_file {

static constexpr std::string_view kind_names[] = {
    "boolean", "int8",    "int16",      "int32", "int64",  "uint8", "uint16", "uint32",
    "uint64",  "float32", "quaternion", "peer",  "object", "text",  "bytes",  "values"};
static constexpr std::string_view keys[] = {"name", "kind", "count", "min", "max", "step", "bound"};

// The error in the given bounds, or "". To tern zeros mean no bounds, so they are errors here.
static const char *range_problem(const std::optional<double> &min, const std::optional<double> &max,
                                 const std::optional<double> &step)
{
    if (min && !max) return "min without max";
    if (max && !min) return "max without min";
    if (min == 0.0 && max == 0.0)
        return "min 0 is not below max 0 (leave both out for the full range)";
    return step == 0.0 ? "step is 0 (leave it out for exact values)" : "";
}

// Reads min, max, step and bound of `table` into `field`; false if there were problems.
static bool parse_range(Reader &reader, const toml::table &table, const std::string &whose,
                        Field &field)
{
    const auto min = number(reader, table, "min", whose);
    const auto max = number(reader, table, "max", whose);
    const auto step = number(reader, table, "step", whose);
    const auto bound = number(reader, table, "bound", whose);
    if (table.contains("bound") != bound.has_value()) return false;
    if (table.contains("min") != min.has_value() || table.contains("max") != max.has_value() ||
        table.contains("step") != step.has_value())
        return false;
    field.min = min.value_or(0);
    field.max = max.value_or(0);
    field.step = step.value_or(0);
    field.bound = bound.value_or(0);
    const std::string problem = range_problem(min, max, step);
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
    parsed.whose = whose;
    parsed.field.kind = static_cast<FieldKind>(*kind);
    parsed.field.count = static_cast<uint16_t>(count.value_or(1));
    if (!parse_range(reader, table, whose, parsed.field) || count_is_wrong) return {};
    return parsed;
}

}
