// A rotation in few bits: the index of one component and the other three rounded to a step
// ("smallest three"). Components are in the order x, y, z, w; the identity is 0, 0, 0, 1.
#pragma once
#include <cstdint>

namespace tern::quaternion {

// Within these a code fits 64 bits, each rounded component survives as a float, and no rounding
// lifts the three beyond length 1.
inline constexpr double step_min = 2e-6, step_max = 0.125;

struct Components {
    float at[4];
};

unsigned bit_count(double step); // Of a code.
// Of any four floats: they are scaled to length 1, of a zero length or not finite they are the
// identity. What decode() made comes back to the same bits.
uint64_t encode(const Components &components, double step);
Components decode(uint64_t code, double step); // Of any code: a foreign one gives some numbers.

}
