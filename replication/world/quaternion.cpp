#include "replication/world/quaternion.h"
#include "base/bits.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

// No code here branches on the index of the omitted component: that index is unpredictable, and a
// mispredicted branch costs as much as all of the arithmetic.
namespace tern::quaternion {

// The parts of a code; the omitted component follows from the others.
struct Parts {
    unsigned omitted;
    int32_t steps[4]; // 0 for the omitted component.
};

// floor(x + 0.5) for results that fit an int32. The cast truncates in every floating-point mode.
static int32_t nearest(double x)
{
    const double up = x + 0.5;
    const auto whole = static_cast<int32_t>(up);
    return whole - (static_cast<double>(whole) > up ? 1 : 0);
}

Grid grid(double step)
{
    // Only the largest component exceeds sqrt(0.5).
    Grid grid = {step, 1 / step, nearest(std::sqrt(0.5) / step), 0};
    grid.part_bits = bits::width(2 * static_cast<uint64_t>(grid.steps_max));
    return grid;
}

uint32_t part_max(const Grid &grid)
{
    return static_cast<uint32_t>(2 * grid.steps_max);
}

unsigned bit_count(const Grid &grid)
{
    return 2 + 3 * grid.part_bits;
}

static unsigned shift_of(unsigned component, const Parts &parts, const Grid &grid)
{
    return 2 + grid.part_bits * (component - (component > parts.omitted ? 1 : 0));
}

static uint64_t pack(const Parts &parts, const Grid &grid)
{
    uint64_t code = parts.omitted;
    for (unsigned i = 0; i < 4; ++i) {
        const auto part = static_cast<uint64_t>(parts.steps[i] + grid.steps_max);
        code |= (i == parts.omitted ? 0 : part) << shift_of(i, parts, grid);
    }
    return code;
}

static Parts unpack(uint64_t code, const Grid &grid)
{
    Parts parts{static_cast<unsigned>(code & 3), {}};
    const uint64_t mask = (uint64_t{1} << grid.part_bits) - 1;
    for (unsigned i = 0; i < 4; ++i) {
        const uint64_t part = code >> shift_of(i, parts, grid) & mask;
        parts.steps[i] = i == parts.omitted ? 0 : static_cast<int32_t>(part) - grid.steps_max;
    }
    return parts;
}

static double squares(const Parts &parts, const Grid &grid)
{
    double sum = 0;
    for (const int32_t steps : parts.steps) {
        const double value = static_cast<double>(steps) * grid.step;
        sum += value * value;
    }
    return sum;
}

static float omitted_value(double sum_of_squares)
{
    return sum_of_squares < 1 ? static_cast<float>(std::sqrt(1 - sum_of_squares)) : 0.0f;
}

// `sum_of_squares`: squares() of the parts.
static Components components(const Parts &parts, double sum_of_squares, const Grid &grid)
{
    const float omitted = omitted_value(sum_of_squares);
    Components result;
    for (unsigned i = 0; i < 4; ++i) {
        const auto value = static_cast<float>(static_cast<double>(parts.steps[i]) * grid.step);
        result.at[i] = i == parts.omitted ? omitted : value;
    }
    return result;
}

static Components components(const Parts &parts, const Grid &grid)
{
    return components(parts, squares(parts, grid), grid);
}

// The nearest number of steps within the range of a part.
static int32_t rounded(double steps, const Grid &grid)
{
    const auto limit = static_cast<double>(grid.steps_max);
    return nearest(std::min(std::max(steps, -limit), limit));
}

static int32_t nearest_steps(float value, const Grid &grid)
{
    return rounded(static_cast<double>(value) * grid.per_step, grid);
}

// Whether that many steps stand for exactly this float.
static bool is_of(int32_t steps, float value, const Grid &grid)
{
    const auto back = static_cast<float>(static_cast<double>(steps) * grid.step);
    return std::bit_cast<uint32_t>(back) == std::bit_cast<uint32_t>(value);
}

static inline bool is_steps(float value, const Grid &grid)
{
    return is_of(nearest_steps(value, grid), value, grid);
}

static Parts without(const int32_t (&steps)[4], unsigned omitted)
{
    Parts parts{omitted, {}};
    for (unsigned i = 0; i < 4; ++i)
        parts.steps[i] = i == omitted ? 0 : steps[i];
    return parts;
}

// Whether the components are a rounded quaternion, to the bit, and the first omission that gives
// it. A rounded quaternion must not move again: rounding can make another component the largest,
// and omitting that one would round the rest anew.
struct OnGrid {
    bool found;
    Parts parts;
};

// At most one component of a rounded quaternion is no number of steps. So two of them show at once
// that most others were never rounded.
static inline bool may_be_on_grid(const Components &given, const Grid &grid)
{
    return is_steps(given.at[0], grid) || is_steps(given.at[1], grid);
}

static OnGrid on_grid(const Components &given, const Grid &grid)
{
    int32_t steps[4];
    unsigned off = 0; // Bit i: component i is no number of steps.
    for (unsigned i = 0; i < 4; ++i) {
        steps[i] = nearest_steps(given.at[i], grid);
        off |= is_of(steps[i], given.at[i], grid) ? 0 : 1u << i;
    }
    if ((off & (off - 1)) != 0) return {false, {}}; // Two components are off.
    const unsigned first = off == 0 ? 0 : static_cast<unsigned>(std::countr_zero(off));
    const unsigned last = off == 0 ? 3 : first;
    for (unsigned omitted = first; omitted <= last; ++omitted) {
        const Parts parts = without(steps, omitted);
        const double sum = squares(parts, grid);
        const float decoded = omitted_value(sum);
        if (sum <= 1 &&
            std::bit_cast<uint32_t>(decoded) == std::bit_cast<uint32_t>(given.at[omitted]))
            return {true, parts};
    }
    return {false, {}};
}

// 0: this is no rotation, as its length is zero or not finite.
static double square_of_length(const Components &c)
{
    double sum = 0;
    for (const float component : c.at)
        sum += static_cast<double>(component) * static_cast<double>(component);
    return sum > 0 && std::isfinite(sum) ? sum : 0;
}

// The first of equals. Floats without sign bits have the order of their bits.
static unsigned largest_of(const Components &c)
{
    uint64_t most = 0;
    for (unsigned i = 0; i < 4; ++i) {
        const uint64_t size = std::bit_cast<uint32_t>(c.at[i]) & 0x7fffffffu;
        most = std::max(most, size << 2 | (3 - i));
    }
    return 3 - static_cast<unsigned>(most & 3);
}

// Rounds all components but the largest.
static inline Parts round_off(const Components &wanted, double square, const Grid &grid)
{
    const unsigned largest = largest_of(wanted);
    // q and -q are the same rotation, so the omitted component can be made positive.
    const auto sign = static_cast<double>(wanted.at[largest]);
    const double scale = grid.per_step / std::copysign(std::sqrt(square), sign);
    int32_t steps[4];
    for (unsigned i = 0; i < 4; ++i)
        steps[i] = rounded(static_cast<double>(wanted.at[i]) * scale, grid);
    return without(steps, largest);
}

// Another component can be the omitted one only if the omitted value is a number of steps too.
static bool may_omit_another(float omitted, const Grid &grid)
{
    return is_steps(omitted, grid);
}

static constexpr Parts identity = {3, {0, 0, 0, 0}};

uint64_t encode(const Components &wanted, const Grid &grid)
{
    const double square = square_of_length(wanted);
    if (square == 0) return pack(identity, grid);
    if (may_be_on_grid(wanted, grid)) {
        const OnGrid already = on_grid(wanted, grid);
        if (already.found) return pack(already.parts, grid);
    }
    const Parts parts = round_off(wanted, square, grid);
    const Components made = components(parts, grid);
    if (!may_omit_another(made.at[parts.omitted], grid)) return pack(parts, grid);
    return pack(on_grid(made, grid).parts, grid);
}

static inline Components normalised(const Components &wanted, const Grid &grid)
{
    const double square = square_of_length(wanted);
    if (square == 0) return components(identity, grid);
    if (may_be_on_grid(wanted, grid) && on_grid(wanted, grid).found) return wanted;
    return components(round_off(wanted, square, grid), grid);
}

Components normalise(const Components &wanted, const Grid &grid)
{
    return normalised(wanted, grid);
}

bool normalise(std::byte *to, const std::byte *from, size_t count, size_t stride_bytes,
               const Grid &grid)
{
    const Grid own = grid; // Nothing that `to` could be changes it.
    bool any_nan = false;
    for (size_t i = 0; i < count; ++i, from += stride_bytes, to += stride_bytes) {
        Components components;
        std::memcpy(&components, from, sizeof components);
        for (const float component : components.at)
            any_nan |= std::isnan(component);
        components = normalised(components, own);
        std::memcpy(to, &components, sizeof components);
    }
    return any_nan;
}

Components decode(uint64_t code, const Grid &grid)
{
    return components(unpack(code, grid), grid);
}

bool decode_own(uint64_t code, const Grid &grid, Components &result)
{
    const Parts parts = unpack(code, grid);
    const double sum = squares(parts, grid);
    result = components(parts, sum, grid);
    if (may_omit_another(result.at[parts.omitted], grid)) return encode(result, grid) == code;
    // No other omission is possible, and each part is the nearest to its own value.
    bool within = true;
    for (const int32_t steps : parts.steps)
        within &= steps >= -grid.steps_max && steps <= grid.steps_max;
    return within && sum <= 1;
}

}
