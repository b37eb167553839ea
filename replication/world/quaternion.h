// A rotation in few bits: the index of one omitted component, and the other three rounded to a step
// ("smallest three"; docs/wire_format.md, "Values"). The components are x, y, z, w; the identity is
// 0, 0, 0, 1.
#pragma once
#include <cstddef>
#include <cstdint>

namespace tern::quaternion {

// Between these limits a code fits 64 bits, a rounded component is exact enough as a float, and
// rounding never makes the three components longer than 1.
inline constexpr double step_min = 2e-6, step_max = 0.125;

struct Components {
    float at[4];
};

// Everything that follows from a step, computed once.
struct Grid {
    double step, per_step; // per_step: 1 / step.
    int32_t steps_max;     // A component is -steps_max to steps_max steps.
    unsigned part_bits;    // Bits of a rounded component.
};

Grid grid(double step);
// Bits of a code: two for the index of the omitted component, then part_bits for each of the
// others.
unsigned bit_count(const Grid &grid);
uint32_t part_max(const Grid &grid); // The largest part of a code: 2 * steps_max.
// Accepts any four floats: scales them to length 1; a zero length or a component that is not finite
// gives the identity. Rounding is final: encoding what decode() returned changes no bit of the
// components.
uint64_t encode(const Components &components, const Grid &grid);
// Accepts any code.
Components decode(uint64_t code, const Grid &grid);
// Like decode(). False: encode() of these components gives another code.
bool decode_own(uint64_t code, const Grid &grid, Components &components);
Components normalise(const Components &components, const Grid &grid); // decode() of encode().
// Does the same to components that lie stride_bytes apart, with any alignment. Returns whether any
// of them is NaN.
bool normalise(std::byte *to, const std::byte *from, size_t count, size_t stride_bytes,
               const Grid &grid);

}
