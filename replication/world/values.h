// One dynamic value; it has the same form on the wire and in a field. The functions of
// tern/values.h are defined in the same .cpp. Format: docs/wire_format.md, "Dynamic values".
#pragma once
#include "base/bits.h"
#include "tern/values.hpp"

namespace tern::value {

// Reads past one value. Fails the reader for bytes that ValueWriter never writes, and for a value
// of more than `bytes_max` bytes.
void check(BitReader &r, size_t bytes_max);
// The bytes of the value at the start of the field; those of nil if it is malformed.
std::span<const std::byte> used(std::span<const std::byte> field);

}
