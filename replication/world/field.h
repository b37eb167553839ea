// One field of a game struct: in memory, and on the wire. Format: docs/wire_format.md, "Values".
#pragma once
#include "base/bits.h"
#include "replication/world/quaternion.h"
#include "tern/types.hpp"
#include <cmath>
#include <cstring>

namespace tern {

// The codes that write() can produce; read() refuses all others.
enum class Codes : uint8_t {
    any,       // All that fit the bits.
    up_to_max, // 0 to code_max.
    by_value   // Only decoding and encoding again shows it.
};

// Everything that follows from a Field, computed once, because reading and writing values is the
// hottest loop. Elements of all kinds but text, bytes and values travel as codes with a fixed
// number of bits.
struct FieldCode {
    FieldKind kind; // An exact quaternion becomes four floats.
    Codes codes;
    bool has_range;
    uint8_t bits;          // Bits of an element; text: of its length.
    uint8_t element_bytes; // Bytes of an element in the struct; text, bytes, values: 1.
    uint16_t count;        // Number of elements.
    uint16_t offset_bytes;
    uint64_t code_max; // The largest code of integers, and of floats with a step.
    uint64_t low;      // Integers: the value with code 0.
    float float_min;   // For exact floats with a range.
    float float_max;
    double min, step;      // For floats with a step.
    quaternion::Grid grid; // For quaternions with a step.
};

namespace field {

bool has_range(const Field &field);
bool is_integer(FieldKind kind);
// Bytes of an element in the struct; text, bytes, values: 1.
size_t size_bytes(const Field &field);    // Bytes of the field in the struct.
size_t number_bytes(const Field &field);  // Bytes of each number in it; a quaternion has four.
uint32_t bits_max(const Field &field);    // Bits of the field on the wire, at most.
uint64_t float_steps(const Field &field); // float32 with a step: the largest number of steps.

FieldCode code(const Field &field);
inline size_t size_bytes(const FieldCode &f)
{
    return size_t{f.element_bytes} * f.count;
}

// The code of one element of any kind but text, bytes and values.
uint64_t encode(const FieldCode &f, const std::byte *from);
// Accepts any code. False: encode() of the stored element would give another code.
bool decode(const FieldCode &f, uint64_t code, std::byte *to);

// `to` and `from` may be the same place, with any alignment.
void normalise(const FieldCode &f, std::byte *to, const std::byte *from);
// This one does so in `count` structs that lie stride_bytes apart, and returns any_nan().
bool normalise(const FieldCode &f, std::byte *to, const std::byte *from, size_t count,
               size_t stride_bytes);
// A value and its normalised form give the same bits.
void write(BitWriter &w, const FieldCode &f, const std::byte *from);
// Fails the reader for bits that write() never writes; `to` is then undefined.
void read(BitReader &r, const FieldCode &f, std::byte *to);
// Reads the fields of `mask`, and stores them one after another. Returns the bytes that they take,
// at most struct_bytes_max.
size_t read_packed(BitReader &r, std::span<const FieldCode> fields, std::byte *packed,
                   uint64_t mask);
// Stores what read_packed() has read. Returns a mask of the fields that changed.
uint64_t store_packed(std::span<const FieldCode> fields, void *value, const std::byte *packed,
                      uint64_t mask);
// Whether two values are equal that are both normalised. Most fields are a few words, which a call
// of memcmp() would cost more than to compare.
inline bool equal(const FieldCode &f, const std::byte *a, const std::byte *b)
{
    const size_t end = size_bytes(f);
    if (end % 4 != 0 || end > 16) return std::memcmp(a, b, end) == 0;
    uint32_t differs = 0;
    for (size_t at = 0; at < end; at += 4) {
        uint32_t left, right;
        std::memcpy(&left, a + at, sizeof left);
        std::memcpy(&right, b + at, sizeof right);
        differs |= left ^ right;
    }
    return differs == 0;
}
// Whether the bits that write() takes depend on the value.
inline bool is_variable(const FieldCode &f)
{
    return f.kind == FieldKind::text || f.kind == FieldKind::values;
}
// The least number of bits that write() takes. 0: a text that has no room for a letter.
inline size_t bits_min(const FieldCode &f)
{
    if (f.kind == FieldKind::values) return 8; // The byte of nil.
    return f.kind == FieldKind::text ? f.bits : size_t{f.bits} * f.count;
}
// The number of bits that write() takes. `from` is read only for text and values.
size_t bit_count(const FieldCode &f, const std::byte *from);
void skip(BitReader &r, const FieldCode &f); // For bits that write() wrote or read() accepted.

// Whether the float32 or quaternion field of any of these structs has a NaN in it.
inline bool any_nan(const FieldCode &f, const std::byte *from, size_t count, size_t stride_bytes)
{
    if (f.kind != FieldKind::float32 && f.kind != FieldKind::quaternion) return false;
    bool any = false;
    const size_t end = size_bytes(f);
    for (size_t i = 0; i < count; ++i, from += stride_bytes)
        for (size_t at = 0; at < end; at += sizeof(float)) {
            float number;
            std::memcpy(&number, from + at, sizeof number);
            any |= std::isnan(number);
        }
    return any;
}

}
}
