#include "godot_types.h"
#include <algorithm>

namespace tern_godot {

// --- Members of a dictionary ---

Options::Options(const Value &dictionary, std::string what)
    : _dictionary(dictionary), _what(std::move(what))
{
    if (!dictionary.is(GODOT_VARIANT_TYPE_DICTIONARY))
        wrong = _what + ": expected a Dictionary, got " + describe(dictionary);
}

bool Options::find(const char *key, Value &value)
{
    _known.push_back(key);
    if (!wrong.empty() || !_dictionary.has(key)) return false;
    value = _dictionary.get(key);
    return true;
}

void Options::refuse(const char *key, const std::string &expected, const Value &value)
{
    wrong = _what + ": " + key + ": expected " + expected + ", got " + describe(value);
}

void Options::take(const char *key, std::string &text)
{
    Value value;
    if (!find(key, value)) return;
    if (!value.is(GODOT_VARIANT_TYPE_STRING)) return refuse(key, "a String", value);
    text = value.as_text();
}

void Options::take(const char *key, bool &boolean)
{
    Value value;
    if (!find(key, value)) return;
    if (!value.is(GODOT_VARIANT_TYPE_BOOL)) return refuse(key, "true or false", value);
    boolean = value.as_bool();
}

void Options::take(const char *key, double &number)
{
    Value value;
    if (!find(key, value)) return;
    if (!value.is_number()) return refuse(key, "a number", value);
    number = value.as_real();
}

Value Options::take(const char *key)
{
    Value value;
    find(key, value);
    return value;
}

void Options::take_whole(const char *key, int64_t &number, int64_t max)
{
    Value value;
    if (!find(key, value)) return;
    if (!value.is_whole() || value.as_int() < 0 || value.as_int() > max)
        return refuse(key, "a whole number from 0 to " + std::to_string(max), value);
    number = value.as_int();
}

int Options::take_choice(const char *key, std::initializer_list<const char *> names)
{
    Value value;
    if (!find(key, value)) return 0;
    std::string all;
    int number = 0;
    for (const char *name : names) {
        if (value.is(GODOT_VARIANT_TYPE_STRING) && value.as_text() == name) return number;
        all += (number++ == 0 ? "one of " : ", ") + std::string(name);
    }
    refuse(key, all, value);
    return 0;
}

std::string Options::finish()
{
    const Value keys = _dictionary.keys();
    for (size_t i = 0; wrong.empty() && i < keys.size(); ++i) {
        const std::string key = keys.at(i).as_text();
        if (std::find(_known.begin(), _known.end(), key) != _known.end()) continue;
        wrong = _what + ": there is no \"" + key + "\", expected one of ";
        for (const std::string &known : _known)
            wrong += (&known == &_known[0] ? "" : ", ") + known;
    }
    return wrong;
}

// --- Types ---

namespace {

struct KindInfo {
    const char *name;
    uint8_t element_bytes;
};
constexpr KindInfo kinds[] = {{"boolean", 1}, {"int8", 1},    {"int16", 2},       {"int32", 4},
                              {"int64", 8},   {"uint8", 1},   {"uint16", 2},      {"uint32", 4},
                              {"uint64", 8},  {"float32", 4}, {"quaternion", 16}, {"peer", 2},
                              {"object", 8},  {"text", 1},    {"bytes", 1},       {"values", 1}};
constexpr size_t struct_bytes_max = 4096;

std::string make_field(const Value &given, const std::string &what, Types &types, tern_field &field,
                       size_t &size_bytes)
{
    std::string name, kind;
    Options options(given, what);
    options.take("name", name);
    if (!name.empty()) options = Options(given, what + " " + name), options.take("name", name);
    options.take("kind", kind);
    options.take("count", field.count);
    options.take("min", field.min);
    options.take("max", field.max);
    options.take("step", field.step);
    options.take("bound", field.bound);
    if (!options.finish().empty()) return options.wrong;
    const auto *found = std::find_if(std::begin(kinds), std::end(kinds),
                                     [&](const KindInfo &one) { return kind == one.name; });
    if (found == std::end(kinds)) {
        std::string all;
        for (const KindInfo &one : kinds)
            all += (&one == kinds ? "" : ", ") + std::string(one.name);
        return what + " " + name + ": kind: expected one of " + all + ", got \"" + kind + "\"";
    }
    field.kind = static_cast<tern_field_kind>(found - std::begin(kinds));
    const size_t align = field.kind == TERN_QUATERNION ? 4 : element_bytes(field);
    size_bytes = (size_bytes + align - 1) / align * align;
    field.offset_bytes = static_cast<uint16_t>(std::min<size_t>(size_bytes, UINT16_MAX));
    size_bytes += element_bytes(field) * element_count(field);
    field.name = types.texts.emplace_back(name).c_str();
    return "";
}

std::string make_fields(const Value &described, const std::string &what, Types &types,
                        tern_type &type)
{
    if (!described.is(GODOT_VARIANT_TYPE_ARRAY))
        return what + ": fields: expected an Array, got " + describe(described);
    std::vector<tern_field> &fields = types.fields.emplace_back(described.size());
    size_t size_bytes = 0;
    for (size_t i = 0; i < fields.size(); ++i) {
        const std::string wrong =
            make_field(described.at(i), what + ": field", types, fields[i], size_bytes);
        if (!wrong.empty()) return wrong;
    }
    if (size_bytes > struct_bytes_max)
        return what + ": its fields take " + std::to_string(size_bytes) + " bytes, at most " +
               std::to_string(struct_bytes_max);
    type.size_bytes = static_cast<uint32_t>((size_bytes + 7) / 8 * 8);
    type.fields = fields.data();
    type.field_count = fields.size();
    return "";
}

std::string make_type(const Value &given, Types &types, tern_type &type)
{
    std::string name;
    Options options(given, "type");
    options.take("name", name);
    if (!name.empty()) options = Options(given, "type " + name), options.take("name", name);
    const Value fields = options.take("fields");
    options.take("objects_max", type.objects_max);
    options.take("orphan", type.orphan, {"to_host", "destroy", "spread", "ask_game", "hold"});
    options.take("claim", type.claim, {"always", "ask_game", "never"});
    options.take("claim_cooldown_ms", type.claim_cooldown_ms);
    options.take("owned_max", type.owned_max);
    options.take("claims_per_second_max", type.claims_per_second_max);
    options.take("callers", type.callers, {"anybody", "host", "owner"});
    options.take("calls_per_second_max", type.calls_per_second_max);
    options.take("predicted", type.predicted);
    if (!options.finish().empty()) return options.wrong;
    type.name = types.texts.emplace_back(name).c_str();
    return make_fields(fields, "type " + name, types, type);
}

}

std::string make_types(const Value &description, Types &types)
{
    types.types.resize(description.size());
    for (size_t i = 0; i < description.size(); ++i) {
        const std::string wrong = make_type(description.at(i), types, types.types[i]);
        if (!wrong.empty()) return wrong;
    }
    return "";
}

const tern_type *find_type(const Types &types, std::string_view name, tern_type_id *id)
{
    for (size_t i = 0; i < types.types.size(); ++i) {
        if (name != types.types[i].name) continue;
        *id = static_cast<tern_type_id>(i);
        return &types.types[i];
    }
    return nullptr;
}

const tern_field *find_field(const tern_type &type, std::string_view name)
{
    for (size_t i = 0; i < type.field_count; ++i)
        if (name == type.fields[i].name) return &type.fields[i];
    return nullptr;
}

size_t element_bytes(const tern_field &field)
{
    return kinds[field.kind].element_bytes;
}

size_t element_count(const tern_field &field)
{
    return std::max<size_t>(field.count, 1);
}

}
