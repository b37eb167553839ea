#include "godot_types.h"
#include <algorithm>
#include <cmath>
#include <cstring>

namespace tern_godot {

namespace {

struct KindInfo {
    const char *name;
    size_t element_bytes;
};
constexpr KindInfo kinds[] = {{"boolean", 1}, {"int8", 1},   {"int16", 2},      {"int32", 4},
                              {"int64", 8},   {"uint8", 1},  {"uint16", 2},     {"uint32", 4},
                              {"uint64", 8},  {"float32", 4}, {"quaternion", 16}, {"peer", 2},
                              {"object", 8},  {"text", 1},   {"bytes", 1}};

size_t element_bytes(const tern_field &field)
{
    return kinds[field.kind].element_bytes;
}

size_t alignment(const tern_field &field)
{
    return field.kind == TERN_QUATERNION ? 4 : element_bytes(field);
}

size_t element_count(const tern_field &field)
{
    return std::max<size_t>(field.count, 1);
}

bool is_number(const tern_field &field)
{
    return field.kind < TERN_FLOAT32 || field.kind == TERN_PEER || field.kind == TERN_OBJECT;
}

int64_t load_integer(const tern_field &field, const std::byte *at)
{
    const auto load = [at]<class T>(T value) {
        std::memcpy(&value, at, sizeof value);
        return static_cast<int64_t>(value);
    };
    switch (field.kind) {
    case TERN_INT8: return load(int8_t{});
    case TERN_INT16: return load(int16_t{});
    case TERN_INT32: return load(int32_t{});
    case TERN_UINT16:
    case TERN_PEER: return load(uint16_t{});
    case TERN_UINT32: return load(uint32_t{});
    case TERN_INT64:
    case TERN_UINT64:
    case TERN_OBJECT: return load(int64_t{});
    default: return load(uint8_t{});
    }
}

// The lower bytes of the number, on a machine of either byte order.
void store_integer(const tern_field &field, int64_t number, std::byte *at)
{
    const auto store = [at](auto value) { std::memcpy(at, &value, sizeof value); };
    switch (element_bytes(field)) {
    case 1: return store(static_cast<uint8_t>(number));
    case 2: return store(static_cast<uint16_t>(number));
    case 4: return store(static_cast<uint32_t>(number));
    default: return store(static_cast<uint64_t>(number));
    }
}

template <class Number> bool take(const Value &from, const char *key, Number &to)
{
    if (!from.has(key)) return true;
    const Value value = from.get(key);
    if (!value.is_number()) return false;
    to = static_cast<Number>(value.as_real());
    return true;
}

std::string make_field(const Value &given, Types &types, tern_field &field, size_t &size_bytes)
{
    const std::string name = given.get("name").as_text(), kind = given.get("kind").as_text();
    const auto *found = std::find_if(std::begin(kinds), std::end(kinds),
                                     [&](const KindInfo &one) { return kind == one.name; });
    if (!given.is(GODOT_VARIANT_TYPE_DICTIONARY) || !given.has("name"))
        return "a field is no dictionary with a name and a kind";
    if (found == std::end(kinds)) return "field " + name + ": there is no kind \"" + kind + "\"";
    for (const char *key : {"count", "min", "max", "step", "bound"})
        if (given.has(key) && !given.get(key).is_number())
            return "field " + name + ": " + key + " is no number";
    field.kind = static_cast<tern_field_kind>(found - std::begin(kinds));
    take(given, "count", field.count);
    take(given, "min", field.min);
    take(given, "max", field.max);
    take(given, "step", field.step);
    take(given, "bound", field.bound);
    const size_t align = alignment(field);
    size_bytes = (size_bytes + align - 1) / align * align;
    field.offset_bytes = static_cast<uint16_t>(size_bytes);
    size_bytes += element_bytes(field) * element_count(field);
    field.name = types.texts.emplace_back(name).c_str();
    return "";
}

std::string make_type(const Value &given, Types &types, tern_type &type)
{
    if (!given.is(GODOT_VARIANT_TYPE_DICTIONARY) || !given.has("name"))
        return "a type is no dictionary with a name and fields";
    const std::string name = given.get("name").as_text();
    std::vector<tern_field> &fields = types.fields.emplace_back();
    const Value described = given.get("fields");
    size_t size_bytes = 0;
    for (size_t i = 0; i < described.size(); ++i) {
        const std::string wrong =
            make_field(described.at(i), types, fields.emplace_back(), size_bytes);
        if (!wrong.empty()) return "type " + name + ": " + wrong;
    }
    type.name = types.texts.emplace_back(name).c_str();
    type.size_bytes = static_cast<uint32_t>((size_bytes + 7) / 8 * 8);
    type.fields = fields.data();
    type.field_count = fields.size();
    const bool are_numbers = take(given, "objects_max", type.objects_max) &&
                             take(given, "owned_max", type.owned_max) &&
                             take(given, "claim_cooldown_ms", type.claim_cooldown_ms) &&
                             take(given, "claims_per_second_max", type.claims_per_second_max) &&
                             take(given, "calls_per_second_max", type.calls_per_second_max);
    if (!are_numbers) return "type " + name + ": an option that is a number is none";
    type.predicted = given.get("predicted").as_bool();
    const int orphan = number_of(given.get("orphan"),
                                 {"to_host", "destroy", "spread", "ask_game", "hold"});
    const int claim = number_of(given.get("claim"), {"always", "ask_game", "never"});
    const int callers = number_of(given.get("callers"), {"anybody", "host", "owner"});
    if (orphan < 0 || claim < 0 || callers < 0)
        return "type " + name + ": orphan, claim or callers has a name that it cannot have";
    type.orphan = static_cast<tern_orphan>(orphan);
    type.claim = static_cast<tern_claim_policy>(claim);
    type.callers = static_cast<tern_callers>(callers);
    return "";
}

}

int number_of(const Value &name, std::initializer_list<const char *> names)
{
    if (name.is(GODOT_VARIANT_TYPE_NIL)) return 0;
    const std::string text = name.as_text();
    const auto *found = std::find(names.begin(), names.end(), text);
    return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

std::string make_types(const Value &description, Types &types)
{
    if (!description.is(GODOT_VARIANT_TYPE_ARRAY)) return "the types are no array";
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

Value read_field(const tern_field &field, const void *bytes)
{
    const auto *at = static_cast<const std::byte *>(bytes) + field.offset_bytes;
    const size_t count = element_count(field);
    float floats[4];
    if (field.kind == TERN_TEXT) {
        const auto *text = reinterpret_cast<const char *>(at);
        return Value::text({text, strnlen(text, count)});
    }
    if (field.kind == TERN_BYTES) return Value::bytes(at, count);
    if (field.kind == TERN_QUATERNION && count == 1) {
        std::memcpy(floats, at, sizeof floats);
        return Value::quat(floats);
    }
    if (field.kind == TERN_FLOAT32 && count <= 3) {
        std::memcpy(floats, at, count * sizeof(float));
        if (count == 1) return Value::real(double{floats[0]});
        return count == 2 ? Value::vector2(floats) : Value::vector3(floats);
    }
    Value all = Value::array();
    for (size_t i = 0; i < count; ++i, at += element_bytes(field)) {
        Value one;
        if (field.kind == TERN_BOOLEAN) {
            one = Value::boolean(*at != std::byte{0});
        } else if (is_number(field)) {
            one = Value::integer(load_integer(field, at));
        } else {
            std::memcpy(floats, at, element_bytes(field));
            one = field.kind == TERN_QUATERNION ? Value::quat(floats)
                                                : Value::real(double{floats[0]});
        }
        if (count == 1) return one;
        all.append(one);
    }
    return all;
}

Value read_struct(const tern_type &type, const void *bytes)
{
    Value out = Value::dictionary();
    for (size_t i = 0; i < type.field_count; ++i)
        out.put(type.fields[i].name, read_field(type.fields[i], bytes));
    return out;
}

std::string write_field(const tern_field &field, const Value &value, void *bytes)
{
    auto *at = static_cast<std::byte *>(bytes) + field.offset_bytes;
    const size_t count = element_count(field);
    const std::string name = std::string("field ") + field.name;
    if (field.kind == TERN_TEXT || field.kind == TERN_BYTES) {
        if (!value.is(GODOT_VARIANT_TYPE_STRING)) return name + ": expected a text";
        const std::string text = value.as_text();
        const size_t room = field.kind == TERN_TEXT ? count - 1 : count;
        if (text.size() > room)
            return name + ": the text has " + std::to_string(text.size()) + " bytes, at most " +
                   std::to_string(room);
        std::memset(at, 0, count);
        std::memcpy(at, text.data(), text.size());
        return "";
    }
    if (is_number(field) && count == 1 && value.is_number()) {
        store_integer(field, value.as_int(), at); // All 64 bits, which a double has not.
        return "";
    }
    const size_t numbers = field.kind == TERN_QUATERNION ? 4 * count : count;
    std::vector<double> given(numbers);
    const size_t found = value.numbers(given.data(), numbers);
    if (found != numbers)
        return name + ": expected " + std::to_string(numbers) + " numbers, got " +
               std::to_string(found);
    for (size_t i = 0; i < numbers; ++i) {
        if (is_number(field)) {
            store_integer(field, static_cast<int64_t>(given[i]), at + i * element_bytes(field));
            continue;
        }
        const auto number = static_cast<float>(given[i]);
        std::memcpy(at + i * sizeof number, &number, sizeof number);
    }
    return "";
}

std::string write_struct(const tern_type &type, const Value &values, void *bytes)
{
    if (!values.is(GODOT_VARIANT_TYPE_DICTIONARY))
        return std::string(type.name) + ": expected a dictionary of fields";
    const Value keys = values.keys();
    for (size_t i = 0; i < keys.size(); ++i) {
        const std::string key = keys.at(i).as_text();
        const tern_field *field = find_field(type, key);
        if (!field) return std::string(type.name) + ": there is no field " + key;
        const std::string wrong = write_field(*field, values.get(key.c_str()), bytes);
        if (!wrong.empty()) return std::string(type.name) + ": " + wrong;
    }
    return "";
}

}
