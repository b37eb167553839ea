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

// All that follows from a step, worked out once.
struct Grid {
    double step, per_step; // per_step: 1 / step.
    int32_t steps_max;     // Of a rounded component, either way.
    unsigned part_bits;    // Of a rounded component.
};

Grid grid(double step);
unsigned
bit_count(const Grid &grid); // Of a code: two of which is omitted, the others' alike above it.
uint32_t part_max(const Grid &grid); // Of each of the others, which count from 0.
// Of any four floats: they are scaled to length 1, of a zero length or not finite they are the
// identity. What decode() made comes back to the same bits.
uint64_t encode(const Components &components, const Grid &grid);
// Of any code: a foreign one gives some numbers.
Components decode(uint64_t code, const Grid &grid);
// The same. False: it is not what encode() makes of `components`.
bool decode_own(uint64_t code, const Grid &grid, Components &components);
Components normalise(const Components &components, const Grid &grid); // decode() of encode().

}
