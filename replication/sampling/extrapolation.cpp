#include "replication/sampling/extrapolation.h"
#include "replication/sampling/motion.h"
#include <algorithm>

namespace tern::extrapolation {

static constexpr double one = 0x1p30; // Fixed-point scale of motion::Point.

double progress(uint32_t older_tick, uint32_t newest_tick, double tick)
{
    if (newest_tick <= older_tick) return 1;
    const double gap = newest_tick - older_tick;
    double beyond = tick - newest_tick;
    if (beyond > ticks_max) beyond = std::max(0.0, 2 * ticks_max - beyond);
    return std::max(0.0, 1 + beyond / gap);
}

size_t float_count(const Field &field)
{
    return field.kind == FieldKind::quaternion ? 4u * field.count : field.count;
}

// A quaternion without a step may hold any floats, NaN included; a Point holds -1 to 1.
static float inside(float component)
{
    return !(component > -1) ? -1.0f : component < 1 ? component : 1.0f;
}

static motion::Point point(const float *components)
{
    motion::Point p = {};
    for (int i = 0; i < 4; ++i)
        p.at[i] = static_cast<int64_t>(one * static_cast<double>(inside(components[i])));
    return p;
}

// Uses the integer sine of motion.h: whether the owner sends an object must not depend on the
// platform's sin().
static void rotate(const float *older, const float *newest, double beyond, float *to)
{
    static constexpr double turn_max = one * 5 / 4;
    const motion::Point base = point(newest);
    motion::Point t = motion::tangent(base, point(older));
    for (int64_t &part : t.at)
        part = static_cast<int64_t>(
            std::clamp(static_cast<double>(part) * beyond, -turn_max, turn_max));
    const motion::Point moved = motion::moved(base, t);
    for (int i = 0; i < 4; ++i)
        to[i] = static_cast<float>(static_cast<double>(moved.at[i]) / one);
}

void blend(const Field &field, const float *older, const float *newest, double progress, float *to)
{
    const size_t count = float_count(field);
    if (progress == 1) {
        std::copy_n(newest, count, to);
    } else if (field.kind == FieldKind::quaternion) {
        for (size_t i = 0; i < count; i += 4)
            rotate(older + i, newest + i, progress - 1, to + i);
    } else {
        for (size_t i = 0; i < count; ++i) {
            const double from = static_cast<double>(older[i]),
                         over = static_cast<double>(newest[i]);
            to[i] = static_cast<float>(over + (over - from) * (progress - 1));
        }
    }
}

// A rotation turns by twice the angle between its unit quaternions, which is the tangent's length.
static bool is_turned(const float *a, const float *b, double bound)
{
    const motion::Point t = motion::tangent(point(a), point(b));
    double square = 0;
    for (const int64_t part : t.at)
        square += static_cast<double>(part) / one * (static_cast<double>(part) / one);
    return 4 * square > bound * bound;
}

bool is_beyond_bound(const Field &field, const float *a, const float *b)
{
    const size_t count = float_count(field);
    if (field.kind == FieldKind::quaternion) {
        for (size_t i = 0; i < count; i += 4)
            if (is_turned(a + i, b + i, field.bound)) return true;
        return false;
    }
    double square = 0;
    for (size_t i = 0; i < count; ++i) {
        const double apart = static_cast<double>(a[i]) - static_cast<double>(b[i]);
        square += apart * apart;
    }
    // Written so that NaN and infinity count as beyond the bound.
    return !(square <= field.bound * field.bound);
}

}
