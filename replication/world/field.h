// One field of a game struct: as it lies in memory, and as it travels. Write and read of each kind
// side by side; format: docs/wire_format.md, "Values".
#pragma once
#include "base/bits.h"
#include "replication/world/quaternion.h"
#include "tern/types.h"

namespace tern {

// Which codes write() writes.
enum class Codes : uint8_t {
    any,       // All that its bits hold.
    up_to_max, // 0 to code_max.
    by_value   // It takes decoding and encoding to know.
};

// All that follows from a Field, worked out once: reading and writing values is the hottest loop.
// Elements of all kinds but text, bytes and values travel as codes of a fixed number of bits.
struct FieldCode {
    FieldKind kind; // An exact quaternion counts as four floats.
    Codes codes;
    bool has_range;
    uint8_t bits;          // Of an element; text: of its length.
    uint8_t element_bytes; // In the struct; text, bytes, values: 1.
    uint16_t count;        // Elements.
    uint16_t offset_bytes;
    uint64_t code_max; // Integers; floats with a step.
    uint64_t low;      // Integers: the one with code 0.
    float float_min;   // Exact floats with a range.
    float float_max;
    double min, step;      // Floats with a step.
    quaternion::Grid grid; // Quaternions with a step.
};

namespace field {

bool has_range(const Field &field);
bool is_integer(FieldKind kind);
size_t element_bytes(FieldKind kind);     // Of one in the struct; text, bytes, values: 1.
size_t size_bytes(const Field &field);    // All elements, in the struct.
uint32_t bits_max(const Field &field);    // All elements, as they travel.
uint64_t float_steps(const Field &field); // float32 with a step: the largest number of steps.

FieldCode code(const Field &field);
inline size_t size_bytes(const FieldCode &f)
{
    return size_t{f.element_bytes} * f.count;
}

// One element of any kind but text, bytes and values, as the number that travels.
uint64_t encode(const FieldCode &f, const std::byte *from);
// Of any code. False: encode() would not make it of what is stored.
bool decode(const FieldCode &f, uint64_t code, std::byte *to);

// `to` and `from` may be the same place. Any alignment.
void normalise(const FieldCode &f, std::byte *to, const std::byte *from);
// Writes the same for a value and its normalised form.
void write(BitWriter &w, const FieldCode &f, const std::byte *from);
// Fails the reader for what write() would never write; then what is stored means nothing.
void read(BitReader &r, const FieldCode &f, std::byte *to);
// How many bits write() takes. `from` only of text and values.
size_t bit_count(const FieldCode &f, const std::byte *from);
void skip(BitReader &r, const FieldCode &f); // What write() wrote, or check() holds good.
// As read(), but only looks.
void check(BitReader &r, const FieldCode &f);

}
}
