// Tables of fields, for types that are known at run time only, such as those of scripts. For all
// others TERN_FIELDS (fields.hpp) makes the table.
#pragma once
#include "tern/twins.hpp"
#include <cstddef>
#include <cstdint>

namespace tern {

enum class FieldKind : uint32_t {
    boolean, // bool
    int8,    // int8_t and so on. With a range: clamped, in as few bits as the range needs.
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
    float32,    // float. With a range clamped; with a range and a step rounded to min + n * step.
    quaternion, // float[4] of length 1. With a step: three components, rounded to its multiples.
    peer,       // PeerId
    object,     // ObjectId. It may name an object that this peer does not know (yet, or any more).
    text,       // char[count], zero-terminated.
    bytes,      // uint8_t[count]
    values      // uint8_t[count] with one dynamic value (values.hpp). A malformed one becomes nil.
};

// Size in the struct of one element of a field of this kind; 1 for text, bytes and values.
constexpr size_t element_bytes(FieldKind kind)
{
    switch (kind) {
    case FieldKind::boolean:
    case FieldKind::int8:
    case FieldKind::uint8:
    case FieldKind::text:
    case FieldKind::bytes:
    case FieldKind::values: return 1;
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
    }
    return 1;
}

// One member of a game struct.
struct Field {
    const char *name; // Unique in its type, not empty, without spaces.
    FieldKind kind;
    uint16_t offset_bytes;   // In the struct; offsetof().
    uint16_t count = 1;      // Array length. For text, bytes and values: capacity in bytes.
    double min = 0, max = 0; // Range of integers and float32. Both 0: that of the kind.
    double step = 0;         // Precision of a float32 with a range or a quaternion. 0: exact.
    double bound = 0;        // Receivers may be off by so much: sample(). 0: every change is sent.
};

TERN_TWINS(Field, tern_field);

}
