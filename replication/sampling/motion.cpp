#include "replication/sampling/motion.h"
#include "base/assert.h"
#include <algorithm>
#include <bit>

namespace tern::motion {

static constexpr uint32_t ticks_max = 64;

static uint32_t saturated(int64_t value)
{
    const auto size = static_cast<uint64_t>(value < 0 ? -value : value);
    return static_cast<uint32_t>(std::min<uint64_t>(size, far));
}

// --- Ages ---

static uint32_t age_class(uint32_t age)
{
    static constexpr uint32_t firsts[age_classes] = {1, 2, 3, 4, 6, 8, 12, 18};
    uint32_t found = 0;
    while (found + 1 < age_classes && firsts[found + 1] <= age)
        ++found;
    return found;
}

static uint32_t gap_class(uint32_t gap)
{
    return gap <= 2 ? gap : gap <= 4 ? 3 : 4; // 0 means that there is no older state.
}

Horizon horizon(std::span<const uint32_t> ages, const WeightTable &table)
{
    TERN_ASSERT(!ages.empty() && ages.size() <= history_max && ages[0] > 0, "%zu ages",
                ages.size());
    Horizon h = {};
    h.state_count = static_cast<uint32_t>(ages.size());
    uint32_t gap = 0;
    for (size_t i = 1; i < ages.size(); ++i) {
        TERN_ASSERT(ages[i] > ages[i - 1], "age %u after %u", ages[i], ages[i - 1]);
        gap = std::min(ages[i] - ages[0], ticks_max);
        h.reach[i - 1] = static_cast<int32_t>(std::min(ages[0], ticks_max) * 256 / gap);
    }
    gap = ages.size() > 1 ? std::min(ages[1] - ages[0], ticks_max) : 0;
    h.weights = table[gap_class(gap)][age_class(ages[0])];
    h.age_class = age_class(ages[0]);
    return h;
}

// --- Numbers ---

// A missing older state predicts the same move as the state before it; without any older state no
// move is predicted.
NumberMoves number_moves(const Horizon &h, const uint32_t *const (&at)[history_max],
                         uint32_t element)
{
    NumberMoves m = {};
    const int64_t base = at[0][element];
    for (uint32_t k = 1; k < history_max; ++k) {
        if (k < h.state_count)
            m.at[k - 1] = (base - int64_t{at[k][element]}) * h.reach[k - 1];
        else if (k > 1)
            m.at[k - 1] = m.at[k - 2];
    }
    return m;
}

NumberMotion numbers(const Horizon &h, const uint32_t *const (&at)[history_max], uint32_t count)
{
    NumberMotion m = {};
    const int16_t *predict = h.weights[0].predict;
    for (uint32_t i = 0; i < count; ++i) {
        const NumberMoves moves = number_moves(h, at, i);
        const int64_t move =
            moves.at[0] * predict[0] + moves.at[1] * predict[1] + moves.at[2] * predict[2];
        m.expected[i] = int64_t{at[0][i]} * 256 + (move >> 8);
        m.speed[i] = saturated(moves.at[0]);
        m.bend[i] = saturated(moves.at[0] - moves.at[1]);
        m.old_bend[i] = saturated(moves.at[1] - moves.at[2]);
        m.speed_sum = std::min(m.speed_sum + m.speed[i], far);
        m.bend_sum = std::min(m.bend_sum + m.bend[i], far);
        m.old_bend_sum = std::min(m.old_bend_sum + m.old_bend[i], far);
    }
    return m;
}

// --- Rotations ---

static constexpr int64_t one = 1 << 30;

static int64_t times(int64_t a, int64_t b)
{
    return (a * b) >> 30;
}

static int64_t dot(const Point &a, const Point &b)
{
    return (a.at[0] * b.at[0] + a.at[1] * b.at[1] + a.at[2] * b.at[2] + a.at[3] * b.at[3]) >> 30;
}

// 1 / sqrt((i + 0.5) / 128) with 30 fractional bits, for i of 32 to 127.
struct RootTable {
    uint32_t at[128];
};
static constexpr RootTable make_root_table()
{
    RootTable table = {};
    for (uint64_t i = 32; i < 128; ++i) {
        const uint64_t square = (uint64_t{1} << 62) / (2 * i + 1) * 64;
        uint64_t root = 0;
        for (uint64_t bit = uint64_t{1} << 31; bit > 0; bit >>= 1)
            if ((root + bit) * (root + bit) <= square) root += bit;
        table.at[i] = static_cast<uint32_t>(root);
    }
    return table;
}
static constexpr RootTable root_table = make_root_table();

// The root, with 30 fractional bits, of a number with 60. The result is exact to 2^-26; numbers
// below 1/64 count as 1/64.
static int64_t square_root(int64_t square)
{
    auto number = static_cast<uint64_t>(std::clamp<int64_t>(square >> 28, 1 << 26, UINT32_MAX));
    const int shift = std::countl_zero(static_cast<uint32_t>(number)) & ~1;
    number <<= shift;
    uint64_t inverse = root_table.at[number >> 25];
    for (int i = 0; i < 2; ++i) {
        const uint64_t near_one = (number * ((inverse * inverse) >> 30)) >> 32;
        inverse = (inverse * (3u * uint64_t{one} - near_one)) >> 31;
    }
    return static_cast<int64_t>(((number * inverse) >> 32) >> (shift / 2));
}

Point point(const LayoutField &field, const uint32_t *words)
{
    Point p = {};
    int64_t rest = one * one;
    const uint32_t omitted = words[0];
    for (uint32_t i = 0; i < 3; ++i) {
        const int64_t half_steps = 2 * int64_t{words[1 + i]} - int64_t{field.max};
        const int64_t component = (half_steps * field.half_step) >> 16;
        p.at[i < omitted ? i : i + 1] = component;
        rest -= component * component;
    }
    p.at[omitted] = square_root(rest);
    return p;
}

Point tangent(const Point &base, const Point &older)
{
    const int64_t cosine = dot(base, older);
    Point t = {};
    int64_t square = 0;
    for (int i = 0; i < 4; ++i) {
        t.at[i] = times(base.at[i], cosine < 0 ? -cosine : cosine) -
                  (cosine < 0 ? -older.at[i] : older.at[i]);
        square += times(t.at[i], t.at[i]);
    }
    // asin(x) / x
    const int64_t arc =
        one + times(square, one / 6 + times(square, one * 3 / 40 + times(square, one * 15 / 336)));
    for (int64_t &part : t.at)
        part = times(part, arc);
    return t;
}

// Moves by the tangent's length as an angle; sine and cosine are Taylor series.
Point moved(const Point &base, Point t)
{
    static constexpr int64_t square_max = one * 12 / 5;
    int64_t square = dot(t, t);
    while (square > square_max) {
        for (int64_t &part : t.at)
            part >>= 1;
        square = dot(t, t);
    }
    const int64_t cosine =
        one - times(square, one / 2 - times(square, one / 24 - times(square, one / 720)));
    const int64_t sine =
        one - times(square, one / 6 - times(square, one / 120 - times(square, one / 5040)));
    Point p = {};
    for (int i = 0; i < 4; ++i)
        p.at[i] = times(base.at[i], cosine) + times(t.at[i], sine);
    return p;
}

// Keeps the product in length() within 64 bits.
static constexpr int64_t tangent_max = int64_t{1} << 31;
// The largest part of an extrapolated tangent.
static constexpr int64_t turn_max = one * 5 / 4;

static uint32_t length(const LayoutField &field, const Point &t)
{
    int64_t sum = 0;
    for (int64_t part : t.at)
        sum += part < 0 ? -part : part;
    return saturated((std::min(sum, tangent_max) * field.per_one) >> 30);
}

static Point difference(const Point &a, const Point &b)
{
    Point d = {};
    for (int i = 0; i < 4; ++i)
        d.at[i] = a.at[i] - b.at[i];
    return d;
}

RotationMoves rotation_moves(const Horizon &h, const LayoutField &field,
                             const uint32_t *const (&at)[history_max])
{
    RotationMoves moves = {};
    moves.base = point(field, at[0]);
    for (uint32_t k = 1; k < history_max; ++k) {
        Point &move = moves.at[k - 1];
        if (k < h.state_count) {
            move = tangent(moves.base, point(field, at[k]));
            for (int64_t &part : move.at)
                part = (part * h.reach[k - 1]) >> 8;
        } else if (k > 1) {
            move = moves.at[k - 2];
        }
    }
    return moves;
}

RotationMotion rotation(const Horizon &h, const LayoutField &field,
                        const uint32_t *const (&at)[history_max])
{
    const int16_t *predict = h.weights[1].predict;
    const RotationMoves moves = rotation_moves(h, field, at);
    Point sum = {};
    for (int i = 0; i < 4; ++i) {
        int64_t part = 0;
        for (size_t k = 0; k + 1 < history_max; ++k)
            part += moves.at[k].at[i] * predict[k];
        sum.at[i] = std::clamp(part >> 8, -turn_max, turn_max);
    }
    const Point expected = moved(moves.base, sum);
    RotationMotion m = {};
    for (int i = 0; i < 4; ++i)
        m.expected[i] = static_cast<int32_t>(std::clamp(expected.at[i], -one, one));
    m.speed = length(field, moves.at[0]);
    m.bend = length(field, difference(moves.at[0], moves.at[1]));
    m.old_bend = length(field, difference(moves.at[1], moves.at[2]));
    return m;
}

}
