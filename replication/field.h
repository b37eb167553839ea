// One field of a game struct: as it lies in memory, and as it travels. Write and read of each kind
// side by side; format: docs/wire_format.md, "Values".
#pragma once
#include "base/bits.h"
#include "tern/types.h"

namespace tern::field {

bool has_range(const Field &field);
bool is_integer(FieldKind kind);
size_t element_bytes(FieldKind kind);     // Of one element in the struct; text and bytes: 1.
size_t size_bytes(const Field &field);    // All elements, in the struct.
uint32_t bits_max(const Field &field);    // All elements, as they travel.
uint64_t float_steps(const Field &field); // float32 with a step: the largest number of steps.

// `to` and `from` may be the same place. Any alignment.
void normalise(const Field &field, std::byte *to, const std::byte *from);
// Writes the same for a value and its normalised form.
void write(BitWriter &w, const Field &field, const std::byte *from);
// Fails the reader for what write() would never write; then what is stored means nothing.
void read(BitReader &r, const Field &field, std::byte *to);

}
