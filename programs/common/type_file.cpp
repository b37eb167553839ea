#include "type_file.h"
#include "suggestion.h"
#include "type_file_parts.h"
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <tern/diagnostics.hpp>
#include <tern/limits.hpp>
#include <tern/tern.hpp>

using tern::Type;

namespace type_file {

static constexpr std::string_view type_keys[] = {
    "name",      "objects_max",           "orphan",    "claim",    "claim_cooldown_ms",
    "owned_max", "claims_per_second_max", "predicted", "at_start", "field",
    "fields"};
static constexpr std::string_view object_keys[] = {
    "orphan",    "claim",   "claim_cooldown_ms", "owned_max", "claims_per_second_max",
    "predicted", "at_start"};
static constexpr std::string_view orphan_names[] = {"to_host", "destroy", "spread", "ask_game",
                                                    "hold"};
static constexpr std::string_view claim_names[] = {"always", "ask_game", "never"};
static constexpr size_t shown_max = 60;
// tern allows more of both. A file is limited to what fits the memory of a common machine with
// hundreds of peers.
static constexpr uint32_t all_objects_max = 64 * 1024;
static constexpr size_t all_values_bytes_max = 256 * 1024 * 1024;
static constexpr size_t file_bytes_max = 1024 * 1024;

static constexpr std::string_view synthetic_text = R"(
[[type]]
name = "mover"
objects_max = 4096
orphan = "spread"
field = [
    {name = "position", kind = "float32", count = 3, min = -1000, max = 1000, step = 0.01},
    {name = "rotation", kind = "quaternion", step = 0.002},
    {name = "velocity", kind = "float32", count = 3, min = -50, max = 50, step = 0.1},
    {name = "health", kind = "uint8", min = 0, max = 100},
    {name = "awake", kind = "boolean"},
]

[[type]]
name = "item"
objects_max = 1024
at_start = 16
field = [
    {name = "position", kind = "float32", count = 3, min = -1000, max = 1000, step = 0.01},
    {name = "holder", kind = "peer"},
    {name = "target", kind = "object"},
    {name = "count", kind = "uint16", min = 0, max = 999},
    {name = "label", kind = "text", count = 16},
]

[[type]]
name = "shout"
field = [{name = "text", kind = "text", count = 48}, {name = "number", kind = "uint32"}]
)";

// --- Values of a table ---

std::string quoted(std::string_view text)
{
    std::string shown = "\"";
    for (char c : text.substr(0, shown_max))
        shown += static_cast<unsigned char>(c) < ' ' || c == 127 ? '?' : c;
    return shown + (text.size() > shown_max ? "...\"" : "\"");
}

void complain(Reader &reader, const toml::source_region &place, const std::string &text)
{
    std::string where = reader.file;
    if (place.begin)
        where += ":" + std::to_string(place.begin.line) + ":" + std::to_string(place.begin.column);
    // A value may be read more than once: report each problem once.
    for (const Problem &problem : reader.problems)
        if (problem.where == where && problem.text == text) return;
    reader.problems.push_back({where, text});
}

static std::string kind_of(const toml::node &node)
{
    switch (node.type()) {
    case toml::node_type::table: return "a table";
    case toml::node_type::array: return "an array";
    case toml::node_type::string: return quoted(**node.as_string());
    case toml::node_type::integer: return std::to_string(**node.as_integer());
    case toml::node_type::floating_point: {
        char text[32];
        std::snprintf(text, sizeof text, "%.9g", **node.as_floating_point());
        return text;
    }
    case toml::node_type::boolean: return **node.as_boolean() ? "true" : "false";
    default: return "a date or time";
    }
}

static void complain_of(Reader &reader, const toml::node &node, const std::string &whose,
                        std::string_view key, const std::string &expected)
{
    complain(reader, node.source(),
             whose + ": " + std::string(key) + " is " + kind_of(node) + ", expected " + expected);
}

void check_keys(Reader &reader, const toml::table &table, const std::string &whose,
                std::span<const std::string_view> known)
{
    for (const auto &[key, value] : table) {
        if (std::find(known.begin(), known.end(), key.str()) != known.end()) continue;
        complain(reader, key.source(),
                 whose + ": unknown key " + quoted(key.str()) +
                     suggestion::did_you_mean(key.str(), known));
    }
}

std::optional<std::string> word(Reader &reader, const toml::table &table, std::string_view key,
                                const std::string &whose)
{
    const toml::node *node = table.get(key);
    if (!node) return {};
    const auto *text = node->as_string();
    // The rule of tern for names: not empty; no spaces, control characters or zero bytes.
    const bool good =
        text && !(*text)->empty() && std::none_of((*text)->begin(), (*text)->end(), [](char c) {
            return static_cast<unsigned char>(c) <= ' ' || c == 127;
        });
    if (good) return **text;
    complain_of(reader, *node, whose, key, "a string without spaces, not empty");
    return {};
}

std::optional<uint32_t> whole_number(Reader &reader, const toml::table &table, std::string_view key,
                                     const std::string &whose, uint32_t min, uint32_t max)
{
    const toml::node *node = table.get(key);
    if (!node) return {};
    const auto *value = node->as_integer();
    if (value && **value >= int64_t{min} && **value <= int64_t{max})
        return static_cast<uint32_t>(**value);
    complain_of(reader, *node, whose, key,
                "a whole number from " + std::to_string(min) + " to " + std::to_string(max));
    return {};
}

std::optional<double> number(Reader &reader, const toml::table &table, std::string_view key,
                             const std::string &whose)
{
    const toml::node *node = table.get(key);
    if (!node) return {};
    if (const auto *value = node->as_integer()) return static_cast<double>(**value);
    if (const auto *value = node->as_floating_point()) return **value;
    complain_of(reader, *node, whose, key, "a number");
    return {};
}

std::optional<size_t> choice(Reader &reader, const toml::table &table, std::string_view key,
                             const std::string &whose, std::span<const std::string_view> names)
{
    const toml::node *node = table.get(key);
    if (!node) return {};
    const auto *text = node->as_string();
    const auto found = text ? std::find(names.begin(), names.end(), **text) : names.end();
    if (found != names.end()) return static_cast<size_t>(found - names.begin());
    std::string expected = "one of";
    for (std::string_view name : names)
        expected += (name == names.front() ? " " : ", ") + std::string(name);
    if (text) expected += suggestion::did_you_mean(**text, names);
    complain_of(reader, *node, whose, key, expected);
    return {};
}

// --- A type ---

static const toml::array *fields_of(Reader &reader, const toml::table &table,
                                    const std::string &whose)
{
    static const toml::array none;
    const toml::node *field = table.get("field"), *fields = table.get("fields");
    if (field && fields)
        complain(reader, fields->source(), whose + ": both field and fields, expected one of them");
    const toml::node *node = field ? field : fields;
    if (!node) return &none;
    const toml::array *array = node->as_array();
    const bool tables = array && std::all_of(array->begin(), array->end(),
                                             [](const toml::node &n) { return n.is_table(); });
    if (tables) return array;
    complain(reader, node->source(),
             whose + ": its fields are not an array of tables, expected [[type.field]], or fields "
                     "= [{name = \"...\", kind = \"...\"}]");
    return &none;
}

static size_t rounded_up(size_t bytes, size_t alignment)
{
    return (bytes + alignment - 1) / alignment * alignment;
}

// Sets the offsets: fields follow each other, each aligned as in C++. Returns the size of the
// struct.
static size_t lay_out(std::span<tern::Field> fields)
{
    size_t end = 0, largest = 1;
    for (tern::Field &field : fields) {
        const size_t element_bytes = tern::element_bytes(field.kind);
        const bool floats = field.kind == tern::FieldKind::quaternion;
        const size_t alignment = floats ? alignof(float) : element_bytes;
        largest = std::max(largest, alignment);
        end = rounded_up(end, alignment);
        field.offset_bytes = static_cast<uint16_t>(end);
        end += element_bytes * field.count;
    }
    return std::max<size_t>(1, rounded_up(end, largest));
}

// The rule of tern that these types break, or "".
static std::string rule_of_tern(std::span<const Type> types)
{
    tern::Config config = {};
    config.types = types;
    return tern::config_problem(config).text;
}

// The rule of tern that the last of these fields breaks, or "". The others have been checked.
static std::string rule_of_field(std::span<const tern::Field> fields, size_t size_bytes)
{
    if (size_bytes > tern::struct_bytes_max)
        return "up to here the fields take " + std::to_string(size_bytes) + " bytes, at most " +
               std::to_string(tern::struct_bytes_max);
    const Type type = {"t", static_cast<uint16_t>(size_bytes), fields};
    const std::string rule = rule_of_tern({&type, 1});
    const size_t names = rule.find(": "); // The names before it contain no space.
    return names == std::string::npos ? rule : rule.substr(names + 2);
}

// Parses the fields of `type`; `out` owns them.
static void parse_fields(Reader &reader, const toml::table &table, const std::string &whose,
                         Type &type, TypeTable &out)
{
    const toml::array &array = *fields_of(reader, table, whose);
    std::vector<tern::Field> &fields = out.fields.emplace_back();
    type.size_bytes = static_cast<uint16_t>(lay_out(fields));
    for (const toml::node &node : array) {
        const auto parsed = parse_field(reader, *node.as_table(), whose);
        if (!parsed) continue;
        fields.push_back(parsed->field);
        fields.back().name = out.names.emplace_back(parsed->name).c_str();
        const size_t size_bytes = lay_out(fields);
        const std::string rule = rule_of_field(fields, size_bytes);
        if (rule.empty()) {
            type.size_bytes = static_cast<uint16_t>(size_bytes);
            continue;
        }
        complain(reader, node.source(), parsed->whose + ": " + rule);
        fields.pop_back();
    }
    if (!fields.empty()) type.fields = fields;
}

static std::optional<bool> truth(Reader &reader, const toml::table &table, std::string_view key,
                                 const std::string &whose)
{
    const toml::node *node = table.get(key);
    if (!node) return std::nullopt;
    if (node->is_boolean()) return **node->as_boolean();
    complain_of(reader, *node, whose, key, "true or false");
    return std::nullopt;
}

// Parses the keys that only types of objects have.
static void parse_policies(Reader &reader, const toml::table &table, const std::string &whose,
                           Type &type, TypeTable &out)
{
    if (const auto index = choice(reader, table, "orphan", whose, orphan_names))
        type.orphan = static_cast<tern::Orphan>(*index);
    if (const auto index = choice(reader, table, "claim", whose, claim_names))
        type.claim = static_cast<tern::ClaimPolicy>(*index);
    type.claim_cooldown_ms =
        whole_number(reader, table, "claim_cooldown_ms", whose, 0, UINT32_MAX).value_or(0);
    type.owned_max = whole_number(reader, table, "owned_max", whose, 0, UINT32_MAX).value_or(0);
    type.claims_per_second_max = static_cast<uint16_t>(
        whole_number(reader, table, "claims_per_second_max", whose, 0, UINT16_MAX).value_or(0));
    type.predicted = truth(reader, table, "predicted", whose).value_or(false);
    const uint32_t at_start_max = type.objects_max > 0 ? type.objects_max : UINT32_MAX;
    out.at_start.push_back(
        whole_number(reader, table, "at_start", whose, 0, at_start_max).value_or(0));
    const toml::node *objects = table.get("objects_max");
    if (type.objects_max > 0 ||
        (objects && !(objects->is_integer() && **objects->as_integer() == 0)))
        return;
    for (std::string_view key : object_keys)
        if (table.contains(key))
            complain(reader, table.get(key)->source(),
                     whose + ": " + std::string(key) +
                         " is for objects, but objects_max is 0: the type is for calls only");
}

static void parse_type(Reader &reader, const toml::table &table, TypeTable &out)
{
    const auto name = word(reader, table, "name", "type");
    const std::string whose = "type" + (name ? " " + quoted(*name) : "");
    check_keys(reader, table, whose, type_keys);
    if (!table.contains("name")) complain(reader, table.source(), "type: name is missing");
    Type type = {};
    type.objects_max =
        whole_number(reader, table, "objects_max", whose, 0, all_objects_max).value_or(0);
    parse_policies(reader, table, whose, type, out);
    parse_fields(reader, table, whose, type, out);
    type.name = out.names.emplace_back(name.value_or("")).c_str();
    out.types.push_back(type);
}

// --- The whole table ---

// Checks limits over all types. Each type by itself has been checked.
static void check_whole(Reader &reader, const toml::node &node, const TypeTable &table)
{
    size_t objects = 0, values_bytes = 0;
    for (const Type &type : table.types) {
        objects += type.objects_max;
        values_bytes += size_t{type.objects_max} * type.size_bytes;
    }
    const auto check = [&](const char *what, size_t is, size_t most) {
        if (is > most)
            complain(reader, node.source(),
                     std::string(what) + std::to_string(is) + ", at most " + std::to_string(most));
    };
    check("objects_max of all types together is ", objects, all_objects_max);
    check("the bytes of all objects together are ", values_bytes, all_values_bytes_max);
    const std::string rule = rule_of_tern(table.types);
    if (!rule.empty()) complain(reader, node.source(), rule);
}

Read read(const toml::table &root, const std::string &file)
{
    const toml::node *node = root.get("type");
    if (!node) return {synthetic(), {}};
    Read result;
    Reader reader = {file, result.problems};
    auto table = std::make_shared<TypeTable>();
    const toml::array *array = node->as_array();
    const bool tables =
        array && !array->empty() &&
        std::all_of(array->begin(), array->end(), [](const toml::node &n) { return n.is_table(); });
    if (!tables)
        complain(reader, node->source(), "type is not an array of tables, expected [[type]]");
    else if (array->size() > tern::types_max)
        complain(reader, node->source(),
                 std::to_string(array->size()) + " types, at most " +
                     std::to_string(tern::types_max));
    else
        for (const toml::node &type : *array)
            parse_type(reader, *type.as_table(), *table);
    if (result.problems.empty()) check_whole(reader, *node, *table);
    if (result.problems.empty()) result.table = std::move(table);
    return result;
}

Read read_text(std::string_view text, const std::string &path)
{
    Read result;
    Reader reader = {path, result.problems};
    try {
        const toml::table root = toml::parse(text, path);
        static constexpr std::string_view wanted[] = {"type"};
        for (const auto &[key, value] : root)
            if (!root.contains("type") && !suggestion::did_you_mean(key.str(), wanted).empty())
                complain(reader, key.source(),
                         "unknown key " + quoted(key.str()) +
                             suggestion::did_you_mean(key.str(), wanted));
        if (!result.problems.empty()) return result;
        return read(root, path);
    } catch (const toml::parse_error &error) {
        complain(reader, error.source(), std::string(error.description()));
        return result;
    }
}

Read read_file(const std::string &path)
{
    Read result;
    Reader reader = {path, result.problems};
    std::ifstream in(path, std::ios::binary);
    if (!in) {
        complain(reader, {}, std::string("cannot be opened: ") + std::strerror(errno));
        return result;
    }
    std::string text(file_bytes_max + 1, '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<size_t>(in.gcount()));
    if (in.bad() || text.size() > file_bytes_max) {
        complain(reader, {},
                 "cannot be read, or is larger than " + std::to_string(file_bytes_max) + " bytes");
        return result;
    }
    return read_text(text, path);
}

std::shared_ptr<TypeTable> synthetic()
{
    return read(toml::parse(synthetic_text), "synthetic").table;
}

}
