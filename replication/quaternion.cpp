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

static double nearest(double x)
{
    return std::floor(x +
                      0.5); // Not round() or rint(): one rule, whatever the floating-point mode.
}

// No component but the largest is beyond 1 / sqrt(2).
static int64_t steps_max(double step)
{
    return static_cast<int64_t>(nearest(std::sqrt(0.5) / step));
}

static unsigned part_bits(double step)
{
    return bits::width(2 * static_cast<uint64_t>(steps_max(step)));
}

unsigned bit_count(double step)
{
    return 2 + 3 * part_bits(step);
}

static uint64_t pack(const Parts &parts, double step)
{
    uint64_t code = parts.omitted;
    unsigned shift = 2;
    for (int64_t steps : parts.steps) {
        code |= static_cast<uint64_t>(steps + steps_max(step)) << shift;
        shift += part_bits(step);
    }
    return code;
}

static Parts unpack(uint64_t code, double step)
{
    Parts parts{static_cast<unsigned>(code & 3), {}};
    const uint64_t mask = (uint64_t{1} << part_bits(step)) - 1;
    unsigned shift = 2;
    for (int64_t &steps : parts.steps) {
        steps = static_cast<int64_t>(code >> shift & mask) - steps_max(step);
        shift += part_bits(step);
    }
    return parts;
}

static double squares(const Parts &parts, double step)
{
    double sum = 0;
    for (int64_t steps : parts.steps) {
        const double value = static_cast<double>(steps) * step;
        sum += value * value;
    }
    return sum;
}

static Components components(const Parts &parts, double step)
{
    Components result{};
    unsigned part = 0;
    for (unsigned i = 0; i < 4; ++i) {
        if (i == parts.omitted) continue;
        result.at[i] = static_cast<float>(static_cast<double>(parts.steps[part++]) * step);
    }
    const double sum = squares(parts, step);
    result.at[parts.omitted] = sum < 1 ? static_cast<float>(std::sqrt(1 - sum)) : 0.0f;
    return result;
}

static bool same_bits(const Components &a, const Components &b)
{
    for (unsigned i = 0; i < 4; ++i)
        if (std::bit_cast<uint32_t>(a.at[i]) != std::bit_cast<uint32_t>(b.at[i])) return false;
    return true;
}

// The components but one, rounded to steps.
static Parts rounded(const double (&values)[4], unsigned omitted, double step)
{
    Parts parts{omitted, {}};
    const auto limit = static_cast<double>(steps_max(step));
    unsigned part = 0;
    for (unsigned i = 0; i < 4; ++i) {
        if (i == omitted) continue;
        const double steps = nearest(values[i] / step);
        const double clamped = steps < -limit ? -limit : steps > limit ? limit : steps;
        parts.steps[part++] = static_cast<int64_t>(clamped);
    }
    return parts;
}

struct Doubles {
    double at[4];
};

static Doubles widened(const Components &components)
{
    Doubles result{};
    for (unsigned i = 0; i < 4; ++i)
        result.at[i] = static_cast<double>(components.at[i]);
    return result;
}

// Whether these are what rounding makes, to the bit, and of which parts first. What has been
// rounded must not move again: rounding can make another component the largest, and to omit that
// one would round the rest anew.
struct OnGrid {
    bool found;
    Parts parts;
};

static OnGrid on_grid(const Components &given, double step)
{
    const Doubles values = widened(given);
    for (unsigned omitted = 0; omitted < 4; ++omitted) {
        const Parts parts = rounded(values.at, omitted, step);
        if (squares(parts, step) <= 1 && same_bits(components(parts, step), given))
            return {true, parts};
    }
    return {false, {}};
}

uint64_t encode(const Components &wanted, double step)
{
    Doubles values = widened(wanted);
    double sum = 0;
    for (double value : values.at)
        sum += value * value;
    if (!(sum > 0) || !std::isfinite(sum)) return pack({3, {0, 0, 0}}, step);
    const OnGrid already = on_grid(wanted, step);
    if (already.found) return pack(already.parts, step);
    unsigned largest = 0;
    for (unsigned i = 1; i < 4; ++i)
        if (std::fabs(values.at[i]) > std::fabs(values.at[largest])) largest = i;
    // -q turns like q, so that the omitted one can be taken as positive.
    const double length = values.at[largest] < 0 ? -std::sqrt(sum) : std::sqrt(sum);
    for (double &value : values.at)
        value /= length;
    const Parts parts = rounded(values.at, largest, step);
    return pack(on_grid(components(parts, step), step).parts, step);
}

Components decode(uint64_t code, double step)
{
    return components(unpack(code, step), step);
}

}
