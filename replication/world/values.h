// One dynamic value as it travels, which is as it lies in a field. The functions of tern/values.h
// are defined beside these. Format: docs/wire_format.md, "Dynamic values".
#pragma once
#include "base/bits.h"
#include "tern/values.h"

namespace tern::value {

// Reads over one value. Fails the reader for what ValueWriter would never write, and for what takes
// more than bytes_max.
void check(BitReader &r, size_t bytes_max);
// The value that a field begins with; nil if that is malformed.
std::span<const std::byte> used(std::span<const std::byte> field);

}
