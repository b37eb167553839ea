// Random values for the fields of any type.
#pragma once
#include <random>
#include <span>
#include <tern/tern.hpp>

namespace bot {

using Random = std::mt19937_64;

uint64_t below(Random &random, uint64_t end); // 0 to end - 1; end above 0.
double share(Random &random);                 // 0 to 1, without 1.

// Sets each field in `mask` (bit i: Type::fields[i]) to a random value within its range. Peers and
// objects are taken from the session. `value` has the type's size_bytes.
void randomise(const tern::Session *session, std::span<const tern::Type> types, tern::TypeId type,
               uint64_t mask, std::span<std::byte> value, Random &random);

}
