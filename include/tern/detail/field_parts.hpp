// How TERN_FIELDS (fields.hpp) makes a table of Field from the members of a struct.
#pragma once
#include "tern/types.hpp"
#include <array>
#include <limits>
#include <type_traits>

namespace tern {

// What field() adds to a member, beside its type.
namespace field_options {

struct Range {
    double min, max;
};
struct Step {
    double step;
};
struct Bound {
    double bound;
};
struct As {
    FieldKind kind;
};

constexpr Range range(double min, double max) // Field::min and Field::max
{
    return {min, max};
}
constexpr Step step(double step) // Field::step
{
    return {step};
}
constexpr Bound bound(double bound) // Field::bound
{
    return {bound};
}
constexpr As as_quaternion() // float[4] as FieldKind::quaternion.
{
    return {FieldKind::quaternion};
}
constexpr As as_values() // uint8_t[n] as FieldKind::values.
{
    return {FieldKind::values};
}

}

// A wrong option is a call of one of these where only constants may be, and the compiler prints its
// name.
namespace field_mistakes {

void the_min_of_a_range_must_be_below_its_max();
void a_range_must_fit_the_type_of_the_member();
void the_range_of_an_integer_must_be_whole();
void only_integers_and_float_have_a_range();
void a_step_comes_after_the_range_of_a_float_or_with_a_quaternion();
void a_step_must_be_above_0_and_fit_the_range();
void only_float_and_quaternion_have_a_bound();
void a_bound_must_be_above_0();
void only_float_4_can_be_a_quaternion();
void only_uint8_t_arrays_can_be_values();

}

namespace field_parts {

template <class Member> struct Elements {
    using Type = Member;
    static constexpr size_t count = 1;
    static constexpr bool is_array = false;
};
template <class Element, size_t size> struct Elements<Element[size]> {
    using Type = Element;
    static constexpr size_t count = size;
    static constexpr bool is_array = true;
};
template <class Element, size_t size>
struct Elements<std::array<Element, size>> : Elements<Element[size]> {
};

template <class> inline constexpr bool never = false;
template <class> inline constexpr bool is_object = false;
template <> inline constexpr bool is_object<ObjectId> = true;
template <class T> inline constexpr bool is_object<Object<T>> = true;

template <class Integer> constexpr FieldKind integer_kind()
{
    constexpr bool is_signed = std::is_signed_v<Integer>;
    switch (sizeof(Integer)) {
    case 1: return is_signed ? FieldKind::int8 : FieldKind::uint8;
    case 2: return is_signed ? FieldKind::int16 : FieldKind::uint16;
    case 4: return is_signed ? FieldKind::int32 : FieldKind::uint32;
    default: return is_signed ? FieldKind::int64 : FieldKind::uint64;
    }
}

template <class Element, bool is_array> constexpr FieldKind kind()
{
    if constexpr (std::is_same_v<Element, bool>) {
        return FieldKind::boolean;
    } else if constexpr (std::is_same_v<Element, float>) {
        return FieldKind::float32;
    } else if constexpr (std::is_same_v<Element, PeerId>) {
        return FieldKind::peer;
    } else if constexpr (is_object<Element>) {
        return FieldKind::object;
    } else if constexpr (std::is_same_v<Element, char>) {
        static_assert(is_array, "tern: one char is no field: int8_t is a number, char[n] a text");
        return FieldKind::text;
    } else if constexpr (is_array &&
                         (std::is_same_v<Element, uint8_t> || std::is_same_v<Element, std::byte>)) {
        return FieldKind::bytes;
    } else if constexpr (std::is_enum_v<Element>) {
        return integer_kind<std::underlying_type_t<Element>>();
    } else if constexpr (std::is_integral_v<Element>) {
        return integer_kind<Element>();
    } else if constexpr (std::is_const_v<Element>) {
        static_assert(never<Element>, "tern: a const member is no field: peers receive its value");
    } else if constexpr (std::is_floating_point_v<Element>) {
        static_assert(never<Element>, "tern: a double is no field: use float");
    } else if constexpr (std::is_pointer_v<Element>) {
        static_assert(never<Element>,
                      "tern: a pointer is no field: use Object<> for an object, char[n] for text");
    } else if constexpr (std::is_class_v<Element>) {
        static_assert(never<Element>, "tern: a struct or class is no field: use float[3] for a "
                                      "vector, char[n] for a std::string");
    } else {
        static_assert(never<Element>,
                      "tern: no field has this type: use bool, integers, float, "
                      "enums, PeerId, ObjectId, Object<>, or arrays of one of these");
    }
}

template <class Element, bool is_enum = std::is_enum_v<Element>> struct Integer {
    using Type = Element;
};
template <class Element> struct Integer<Element, true> {
    using Type = std::underlying_type_t<Element>;
};

template <class Integer> constexpr bool holds(double value)
{
    using Limits = std::numeric_limits<Integer>;
    return value >= static_cast<double>(Limits::min()) &&
           value <= static_cast<double>(Limits::max());
}

constexpr bool is_integer(FieldKind kind)
{
    return kind >= FieldKind::int8 && kind <= FieldKind::uint64;
}

constexpr bool is_whole(double value) // Only of a value that an integer of 64 bits holds.
{
    return value < 0 ? static_cast<double>(static_cast<int64_t>(value)) == value
                     : static_cast<double>(static_cast<uint64_t>(value)) == value;
}

template <class Element> constexpr void apply(Field &field, field_options::As as)
{
    const bool is_bytes = std::is_same_v<Element, uint8_t> && field.kind == FieldKind::bytes;
    if (as.kind == FieldKind::quaternion && (field.kind != FieldKind::float32 || field.count != 4))
        field_mistakes::only_float_4_can_be_a_quaternion();
    if (as.kind == FieldKind::values && !is_bytes)
        field_mistakes::only_uint8_t_arrays_can_be_values();
    field.kind = as.kind;
    if (as.kind == FieldKind::quaternion) field.count = 1; // An element is four floats.
}

template <class Element> constexpr void apply(Field &field, field_options::Range range)
{
    if (field.kind == FieldKind::bytes && std::is_same_v<Element, uint8_t>)
        field.kind = FieldKind::uint8; // Numbers, since bytes have no range.
    if (!is_integer(field.kind) && field.kind != FieldKind::float32)
        field_mistakes::only_integers_and_float_have_a_range();
    if (!(range.min < range.max)) field_mistakes::the_min_of_a_range_must_be_below_its_max();
    if constexpr (std::is_integral_v<Element> || std::is_enum_v<Element>) {
        using Whole = typename Integer<Element>::Type;
        if (!holds<Whole>(range.min) || !holds<Whole>(range.max))
            field_mistakes::a_range_must_fit_the_type_of_the_member();
        if (!is_whole(range.min) || !is_whole(range.max))
            field_mistakes::the_range_of_an_integer_must_be_whole();
    }
    field.min = range.min;
    field.max = range.max;
}

// The step of a float must come after its range.
template <class Element> constexpr void apply(Field &field, field_options::Step step)
{
    const bool has_range = field.kind == FieldKind::float32 && field.min < field.max;
    if (!has_range && field.kind != FieldKind::quaternion)
        field_mistakes::a_step_comes_after_the_range_of_a_float_or_with_a_quaternion();
    if (!(step.step > 0) || (has_range && step.step > field.max - field.min))
        field_mistakes::a_step_must_be_above_0_and_fit_the_range();
    field.step = step.step;
}

template <class Element> constexpr void apply(Field &field, field_options::Bound bound)
{
    if (field.kind != FieldKind::float32 && field.kind != FieldKind::quaternion)
        field_mistakes::only_float_and_quaternion_have_a_bound();
    if (!(bound.bound > 0)) field_mistakes::a_bound_must_be_above_0();
    field.bound = bound.bound;
}

template <class Member, class... Options>
constexpr Field make(const char *name, size_t offset_bytes, Options... options)
{
    using Part = Elements<Member>;
    Field field = {};
    field.name = name;
    field.kind = kind<typename Part::Type, Part::is_array>();
    field.offset_bytes = static_cast<uint16_t>(offset_bytes);
    field.count = static_cast<uint16_t>(Part::count);
    (apply<typename Part::Type>(field, options), ...);
    return field;
}

template <class... Fields> constexpr auto list(Fields... fields)
{
    static_assert(sizeof...(fields) > 0, "tern: TERN_FIELDS takes the struct and its members");
    return std::array<Field, sizeof...(fields)>{fields...};
}

template <class Struct> constexpr auto table()
{
    constexpr const Struct *of = nullptr;
    constexpr bool has_fields = requires { tern_fields(of); };
    static_assert(has_fields, "tern: this struct has no TERN_FIELDS in its namespace");
    if constexpr (has_fields)
        return tern_fields(of);
    else
        return std::array<Field, 0>{};
}

}

}

// --- What TERN_FIELDS consists of ---
#define TERN_FIELD_OF(x) TERN_FIELD_JOIN(TERN_FIELD_, TERN_FIELD_HAS_OPTIONS(x))(x)
#define TERN_FIELD_0(member)                                                                       \
    ::tern::field_parts::make<decltype(TernStruct::member)>(#member, offsetof(TernStruct, member))
#define TERN_FIELD_1(x) TERN_FIELD_ARGUMENTS_##x
#define TERN_FIELD_ARGUMENTS_field(member, ...)                                                    \
    ::tern::field_parts::make<decltype(TernStruct::member)>(                                       \
        #member, offsetof(TernStruct, member) __VA_OPT__(, ) __VA_ARGS__)
// 1 for field(...), 0 for a name.
#define TERN_FIELD_HAS_OPTIONS(x) TERN_FIELD_SECOND(TERN_FIELD_PROBE_##x, 0, 0)
#define TERN_FIELD_PROBE_field(...) 0, 1
#define TERN_FIELD_SECOND(...) TERN_FIELD_SECOND_OF(__VA_ARGS__)
#define TERN_FIELD_SECOND_OF(first, second, ...) second
#define TERN_FIELD_JOIN(a, b) TERN_FIELD_JOINED(a, b)
#define TERN_FIELD_JOINED(a, b) a##b
// Applies TERN_FIELD_OF to each argument; a macro cannot name itself.
#define TERN_FIELD_EACH(x, ...)                                                                    \
    TERN_FIELD_OF(x) __VA_OPT__(, TERN_FIELD_EACH_AGAIN TERN_FIELD_PARENTHESES(__VA_ARGS__))
#define TERN_FIELD_EACH_AGAIN() TERN_FIELD_EACH
#define TERN_FIELD_PARENTHESES ()
#define TERN_FIELD_EXPAND(...)                                                                     \
    TERN_FIELD_EXPAND_4(TERN_FIELD_EXPAND_4(TERN_FIELD_EXPAND_4(TERN_FIELD_EXPAND_4(__VA_ARGS__))))
#define TERN_FIELD_EXPAND_4(...)                                                                   \
    TERN_FIELD_EXPAND_1(TERN_FIELD_EXPAND_1(TERN_FIELD_EXPAND_1(TERN_FIELD_EXPAND_1(__VA_ARGS__))))
#define TERN_FIELD_EXPAND_1(...) TERN_FIELD_EXPAND_0(TERN_FIELD_EXPAND_0(__VA_ARGS__))
#define TERN_FIELD_EXPAND_0(...) TERN_FIELD_ONCE(TERN_FIELD_ONCE(TERN_FIELD_ONCE(__VA_ARGS__)))
#define TERN_FIELD_ONCE(...) __VA_ARGS__
