#include "replication/quaternion.h"
#include "base/bits.h"
#include <bit>
#include <cmath>

namespace tern::quaternion {

// A code as its parts. `omitted` is the component that the others tell.
struct Parts {
    unsigned omitted;
    int64_t steps[3]; // Of the others, in order.
};

// floor(x + 0.5), of what fits an int64: one rule, whatever the floating-point mode.
static int64_t nearest(double x)
{
    const double up = x + 0.5;
    const auto whole = static_cast<int64_t>(up);
    return whole - (static_cast<double>(whole) > up);
}

Grid grid(double step)
{
    Grid grid = {step, nearest(std::sqrt(0.5) / step), 0}; // None but the largest is beyond.
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

static uint64_t pack(const Parts &parts, const Grid &grid)
{
    uint64_t code = parts.omitted;
    unsigned shift = 2;
    for (const int64_t steps : parts.steps) {
        code |= static_cast<uint64_t>(steps + grid.steps_max) << shift;
        shift += grid.part_bits;
    }
    return code;
}

static Parts unpack(uint64_t code, const Grid &grid)
{
    Parts parts{static_cast<unsigned>(code & 3), {}};
    const uint64_t mask = (uint64_t{1} << grid.part_bits) - 1;
    unsigned shift = 2;
    for (int64_t &steps : parts.steps) {
        steps = static_cast<int64_t>(code >> shift & mask) - grid.steps_max;
        shift += grid.part_bits;
    }
    return parts;
}

static double squares(const Parts &parts, const Grid &grid)
{
    double sum = 0;
    for (const int64_t steps : parts.steps) {
        const double value = static_cast<double>(steps) * grid.step;
        sum += value * value;
    }
    return sum;
}

static float omitted_value(double sum_of_squares)
{
    return sum_of_squares < 1 ? static_cast<float>(std::sqrt(1 - sum_of_squares)) : 0.0f;
}

static Components components(const Parts &parts, const Grid &grid)
{
    Components result{};
    unsigned part = 0;
    for (unsigned i = 0; i < 4; ++i) {
        if (i == parts.omitted) continue;
        result.at[i] = static_cast<float>(static_cast<double>(parts.steps[part++]) * grid.step);
    }
    result.at[parts.omitted] = omitted_value(squares(parts, grid));
    return result;
}

// A component rounded to steps, as far as a part goes.
static int64_t rounded(double value, const Grid &grid)
{
    const auto limit = static_cast<double>(grid.steps_max);
    const double steps = value / grid.step;
    return nearest(steps < -limit ? -limit : steps > limit ? limit : steps);
}

// Whether so many steps are this, to the bit.
static bool is_of(int64_t steps, float value, const Grid &grid)
{
    const auto back = static_cast<float>(static_cast<double>(steps) * grid.step);
    return std::bit_cast<uint32_t>(back) == std::bit_cast<uint32_t>(value);
}

static Parts without(const int64_t (&steps)[4], unsigned omitted)
{
    Parts parts{omitted, {}};
    unsigned part = 0;
    for (unsigned i = 0; i < 4; ++i)
        if (i != omitted) parts.steps[part++] = steps[i];
    return parts;
}

// Whether these are what rounding makes, to the bit, and of which parts first. What has been
// rounded must not move again: rounding can make another component the largest, and to omit that
// one would round the rest anew.
struct OnGrid {
    bool found;
    Parts parts;
};

static OnGrid on_grid(const Components &given, const Grid &grid)
{
    int64_t steps[4];
    unsigned off = 0; // Bit i: component i is none that rounding makes.
    for (unsigned i = 0; i < 4; ++i) {
        steps[i] = rounded(static_cast<double>(given.at[i]), grid);
        if (is_of(steps[i], given.at[i], grid)) continue;
        if (off != 0) return {false, {}}; // The second one.
        off = 1u << i;
    }
    for (unsigned omitted = 0; omitted < 4; ++omitted) {
        if ((off & ~(1u << omitted)) != 0) continue;
        const Parts parts = without(steps, omitted);
        const double sum = squares(parts, grid);
        const float told = omitted_value(sum);
        if (sum <= 1 && std::bit_cast<uint32_t>(told) == std::bit_cast<uint32_t>(given.at[omitted]))
            return {true, parts};
    }
    return {false, {}};
}

// 0 if it is no rotation: of a zero length, or not finite.
static double square_of_length(const Components &c)
{
    double sum = 0;
    for (const float component : c.at)
        sum += static_cast<double>(component) * static_cast<double>(component);
    return sum > 0 && std::isfinite(sum) ? sum : 0;
}

// To the parts without its largest component.
static Parts round_off(const Components &wanted, double square, const Grid &grid)
{
    unsigned largest = 0;
    for (unsigned i = 1; i < 4; ++i)
        if (std::fabs(wanted.at[i]) > std::fabs(wanted.at[largest])) largest = i;
    // -q turns like q, so that the omitted one can be taken as positive.
    const double length = wanted.at[largest] < 0 ? -std::sqrt(square) : std::sqrt(square);
    int64_t steps[4];
    for (unsigned i = 0; i < 4; ++i)
        steps[i] = i == largest ? 0 : rounded(static_cast<double>(wanted.at[i]) / length, grid);
    return without(steps, largest);
}

static constexpr Parts identity = {3, {0, 0, 0}};

uint64_t encode(const Components &wanted, const Grid &grid)
{
    const double square = square_of_length(wanted);
    if (square == 0) return pack(identity, grid);
    const OnGrid already = on_grid(wanted, grid);
    if (already.found) return pack(already.parts, grid);
    const Parts parts = round_off(wanted, square, grid);
    const Components made = components(parts, grid);
    // Only where the omitted one is a number of steps as well could another be omitted.
    const float omitted = made.at[parts.omitted];
    if (!is_of(rounded(static_cast<double>(omitted), grid), omitted, grid))
        return pack(parts, grid);
    return pack(on_grid(made, grid).parts, grid);
}

Components normalise(const Components &wanted, const Grid &grid)
{
    const double square = square_of_length(wanted);
    if (square == 0) return components(identity, grid);
    if (on_grid(wanted, grid).found) return wanted;
    return components(round_off(wanted, square, grid), grid);
}

Components decode(uint64_t code, const Grid &grid)
{
    return components(unpack(code, grid), grid);
}

}
