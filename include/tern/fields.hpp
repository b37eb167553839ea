// Declares the fields of a game struct beside it, checked by the compiler:
//
//     struct Ship {
//         float position[3], rotation[4];
//         uint8_t health;
//         char name[16];
//     };
//     TERN_FIELDS(Ship, field(position, range(-500, 500), step(0.01)),
//                 field(rotation, as_quaternion(), step(0.002)), health, name);
//     const tern::Type types[] = {tern::make_type<Ship>("ship", {.objects_max = 64})};
//
// Kind, offset and count of a field follow from the member. A table of Field
// (field_table.hpp) is for types that are known at run time only, such as those of scripts.
#pragma once
#include "tern/detail/field_parts.hpp"
#include "tern/limits.hpp"

// The struct and the names of at most 64 of its members (fields_max), in the order in which peers
// exchange them; one at least. Stands in the namespace of the struct, after it. Members that are
// not named are not sent, and are 0 in what get() gives. field(member, option...) adds options in
// this order: range(min, max), step(size), bound(error), as_quaternion(), as_values(); they set the
// members of Field. An enum without a range takes any value of its type. A member is bool, an
// integer, an enum, float, PeerId, ObjectId, Object<>, or an array of one of these; char[n] is
// text, and uint8_t[n] bytes, or numbers if it has a range. A struct in the struct is no field:
// write its numbers as an array, float[3] for a vector.
#define TERN_FIELDS(Struct, ...)                                                                   \
    constexpr auto tern_fields([[maybe_unused]] const Struct *of)                                  \
    {                                                                                              \
        using ::tern::field_options::range, ::tern::field_options::step;                           \
        using ::tern::field_options::bound, ::tern::field_options::as_quaternion;                  \
        using ::tern::field_options::as_values;                                                    \
        using TernStruct = Struct;                                                                 \
        return ::tern::field_parts::list(                                                          \
            __VA_OPT__(TERN_FIELD_EXPAND(TERN_FIELD_EACH(__VA_ARGS__))));                          \
    }                                                                                              \
    static_assert(::tern::fields_of<Struct>.size() <= ::tern::fields_max,                          \
                  "tern: a struct has at most 64 fields")

namespace tern {

// The fields that TERN_FIELDS has declared for this struct.
template <class Struct> inline constexpr auto fields_of = field_parts::table<Struct>();

// A Type of a struct with TERN_FIELDS. `type` has its other settings: {.objects_max = 64}.
template <class Struct> constexpr Type make_type(const char *name, Type type = {})
{
    static_assert(std::is_trivially_copyable_v<Struct> && std::is_standard_layout_v<Struct>,
                  "tern: a game struct is trivially copyable and has a standard layout");
    static_assert(sizeof(Struct) <= struct_bytes_max, "tern: a game struct has at most 4096 bytes");
    type.name = name;
    type.size_bytes = sizeof(Struct);
    type.fields = fields_of<Struct>;
    return type;
}

}
