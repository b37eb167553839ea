// How a state is coded, written once as templates over the coder (see range_coder.h). Only for
// state_coder.cpp and for training.
#pragma once
#include "replication/snapshot/coder_tables.h"
#include "replication/snapshot/state_coder.h"
#include <algorithm>
#include <bit>
#include <cstring>

namespace tern::state_coding {

using range_coder::code;
using range_coder::code_bits;
using range_coder::code_symbol;

// --- Logarithms ---

inline constexpr uint8_t sixteenths[] = {0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 15};

// Base 2, in 1/16. `value` is at least 1.
inline int32_t logarithm(uint32_t value)
{
    const int whole = static_cast<int>(std::bit_width(value)) - 1;
    const uint32_t next = whole >= 4 ? value >> (whole - 4) : value << (4 - whole);
    return whole * 16 + int32_t{sixteenths[next & 15]};
}

// --- The state of coding one object ---

struct Progress {
    const History *history;
    const CoderProbabilities *probabilities;
    const int16_t *surprise_weights;
    unsigned activity; // The activity() of the whole object.
    // How much larger the last field's errors were than expected, as a logarithm.
    int32_t surprise;
    bool malformed;
    uint64_t coded; // A mask of the fields of the object that were coded.
};

inline constexpr int32_t surprise_max = 64;

inline void surprise(Progress &p, uint64_t error_sum, uint64_t energy_sum)
{
    // Half a step is added on both sides: a right prediction is off by that much.
    const uint64_t errors = std::min<uint64_t>(error_sum * 16 + 8, UINT32_MAX);
    const uint64_t energies = std::min<uint64_t>(energy_sum + 8, UINT32_MAX);
    p.surprise = std::clamp(logarithm(static_cast<uint32_t>(errors)) -
                                logarithm(static_cast<uint32_t>(energies)),
                            -surprise_max, surprise_max);
}

// --- One element: its difference from the expected value ---

struct Expectation {
    int64_t value;     // In 1/256 step.
    uint32_t energy;   // The expected size of the error, in 1/16 step.
    uint32_t max;      // The largest possible value; the least is 0.
    unsigned kind;     // Index of CoderProbabilities::element.
    int32_t direction; // Sign of the expected move: -1, 0 or 1.
};

struct EnergyClass {
    unsigned at;
    unsigned dropped; // Lowest bits of an error that are coded as random.
};

inline EnergyClass energy_class(const Progress &p, const Expectation &x)
{
    static constexpr int32_t logarithm_max = 16 * 16 - 1;
    int32_t l = logarithm(x.energy) + ((p.surprise * p.surprise_weights[x.kind]) >> 8);
    l = std::max(l, 0);
    unsigned dropped = 0;
    for (; l > logarithm_max; l -= 16)
        ++dropped;
    return {static_cast<unsigned>(l) * 3 / 16, dropped};
}

// Sizes 0, 1, 2 and 3 have a bucket each, then two for each factor of two; the last bucket contains
// all larger sizes.
inline constexpr uint32_t bucket_last = 30;

struct Bucket {
    uint32_t at;
    uint32_t bits; // Bits of the size below its bucket.
};

inline Bucket bucket(uint32_t size)
{
    if (size < 4) return {size, 0};
    const auto width = static_cast<uint32_t>(std::bit_width(size));
    const uint32_t at = 2 * width - 2 + (size >> (width - 2) & 1);
    return at < bucket_last ? Bucket{at, width - 2} : Bucket{bucket_last, 0};
}

template <class Coder>
[[gnu::always_inline]] inline uint32_t code_many_bits(Coder &c, uint32_t value, uint32_t bit_count)
{
    uint32_t coded = 0;
    while (bit_count > 0) {
        const uint32_t now = std::min(bit_count, range_coder::bits_max);
        bit_count -= now;
        coded = coded << now | code_bits(c, value >> bit_count & ((1u << now) - 1), now);
    }
    return coded;
}

template <class Coder>
[[gnu::always_inline]] inline uint32_t
code_size(Coder &c, const ElementProbabilities &probabilities, unsigned energy_at, uint32_t size)
{
    Bucket b = bucket(size);
    b.at = code_symbol(c, b.at, probabilities.bucket[energy_at]);
    if (b.at < 4) return b.at;
    if (b.at >= bucket_last) {
        const auto width = static_cast<uint32_t>(std::bit_width(size));
        const uint32_t bits = code_bits(c, width & 31, 5);
        return code_many_bits(c, size, bits == 0 ? 32 : bits);
    }
    const uint32_t bits = b.at / 2 - 1;
    uint32_t coded = 2 + (b.at & 1);
    coded = coded * 2 + code(c, (size >> (bits - 1) & 1) != 0, probabilities.low_bit[b.at]);
    return coded << (bits - 1) | code_many_bits(c, size & ((1u << (bits - 1)) - 1), bits - 1);
}

template <class Coder>
[[gnu::always_inline]] inline bool code_sign(Coder &c, const ElementProbabilities &probabilities,
                                             const Expectation &x, unsigned energy_at,
                                             bool negative)
{
    const unsigned direction = x.direction < 0 ? 0 : x.direction == 0 ? 1 : 2;
    const auto rounded = static_cast<unsigned>(x.value + 128) >> 6 & 3;
    return code(c, negative, probabilities.sign[energy_at / 6][direction][rounded]);
}

struct Coded {
    uint32_t value; // The element's.
    uint32_t error; // The size of the difference from the expected value.
    bool malformed;
};

template <class Coder>
[[gnu::always_inline]] inline Coded code_element(Coder &c, const Progress &p, const Expectation &x,
                                                 uint32_t value)
{
    const ElementProbabilities &probabilities = p.probabilities->element[x.kind];
    const EnergyClass energy = energy_class(p, x);
    const int64_t expected = std::clamp<int64_t>((x.value + 128) >> 8, 0, x.max);
    const int64_t error = int64_t{value} - expected;
    const auto size = static_cast<uint32_t>(error < 0 ? -error : error);
    const uint64_t upper = code_size(c, probabilities, energy.at, size >> energy.dropped);
    const uint32_t lower = code_many_bits(c, size & ((1u << energy.dropped) - 1), energy.dropped);
    const uint64_t coded_size = upper << energy.dropped | lower;
    if (coded_size == 0) return {static_cast<uint32_t>(expected), 0, false};
    const bool negative = code_sign(c, probabilities, x, energy.at, error < 0);
    const int64_t coded = negative ? expected - static_cast<int64_t>(coded_size)
                                   : expected + static_cast<int64_t>(coded_size);
    if (coded < 0 || coded > int64_t{x.max}) return {static_cast<uint32_t>(expected), 0, true};
    return {static_cast<uint32_t>(coded), static_cast<uint32_t>(coded_size), false};
}

// --- Fields ---

using Places = const uint32_t *[history_max];

inline void places(const History &history, uint32_t word, Places &to)
{
    for (size_t i = 0; i < history_max; ++i)
        to[i] = history.at[i] == nullptr ? nullptr : history.at[i] + word;
}

// Codes a vector together, or a single number.
struct WordRange { // Some of an object's words.
    uint32_t first, count;
};

template <class Coder>
bool code_numbers(Coder &c, Progress &p, const LayoutField &f, WordRange range, uint32_t *words)
{
    const uint32_t first = range.first, count = range.count;
    Places at;
    places(*p.history, first, at);
    const NumberMotion m = motion::numbers(p.history->horizon, at, count);
    uint64_t errors = 0, energies = 0;
    for (uint32_t i = 0; i < count; ++i) {
        motion::Features features;
        motion::features(m, i, features);
        const auto before = static_cast<uint32_t>(std::min<uint64_t>(errors, UINT32_MAX));
        const uint32_t energy = motion::energy(p.history->horizon.weights[0], features, before, i);
        const int64_t moves = m.expected[i] - int64_t{at[0][i]} * 256;
        const Expectation x = {m.expected[i], energy, f.max, 0,
                               moves < -64  ? -1
                               : moves > 64 ? 1
                                            : 0};
        const Coded coded = code_element(c, p, x, words[first + i]);
        words[first + i] = coded.value;
        errors += coded.error;
        energies += energy;
        if (coded.malformed) return false;
    }
    surprise(p, errors, energies);
    return true;
}

// The components in the order of their sizes, the largest first.
struct Order {
    uint8_t at[4];
    uint32_t sizes[4]; // Indexed by component.
};

inline Order order(const int32_t (&components)[4])
{
    Order o = {{0, 1, 2, 3}, {}};
    for (size_t i = 0; i < 4; ++i)
        o.sizes[i] = static_cast<uint32_t>(components[i] < 0 ? -components[i] : components[i]);
    for (int i = 0; i < 2; ++i) // Only the first two places are used.
        for (int k = 3; k > i; --k)
            if (o.sizes[o.at[k]] > o.sizes[o.at[k - 1]]) std::swap(o.at[k], o.at[k - 1]);
    return o;
}

// Usually the component that is expected to be the largest.
template <class Coder>
uint32_t code_omitted(Coder &c, const Progress &p, const LayoutField &f, const RotationMotion &m,
                      uint32_t energy, uint32_t omitted)
{
    const Order o = order(m.expected);
    const uint64_t lead =
        (uint64_t{o.sizes[o.at[0]] - o.sizes[o.at[1]]} * static_cast<uint64_t>(f.per_one)) >>
        30; // In 1/256 half step; divided by 32, in 1/16 step.
    const int32_t near_by = logarithm(static_cast<uint32_t>(lead / 32) + 1) - logarithm(energy);
    const auto near = static_cast<unsigned>(std::clamp(near_by / 12 + 3, 0, 7));
    const auto wide = static_cast<unsigned>(std::min(logarithm(energy) / 24, 7));
    if (!code(c, omitted != o.at[0], p.probabilities->other_omitted[near][wide])) return o.at[0];
    if (!code(c, omitted != o.at[1], p.probabilities->second_omitted[near])) return o.at[1];
    return o.at[2 + code_bits(c, omitted == o.at[3] ? 1 : 0, 1)];
}

template <class Coder>
bool code_rotation(Coder &c, Progress &p, const LayoutField &f, uint32_t first, uint32_t *words)
{
    Places at;
    places(*p.history, first, at);
    const RotationMotion m = motion::rotation(p.history->horizon, f, at);
    motion::Features features;
    motion::features(m, features);
    const MotionWeights &weights = p.history->horizon.weights[1];
    uint32_t energy = motion::energy(weights, features, 0, 0);
    words[first] = code_omitted(c, p, f, m, energy, words[first]);
    const uint32_t omitted = words[first];
    const int64_t sign = m.expected[omitted] < 0 ? -1 : 1;
    uint64_t errors = 0, energies = 0;
    for (uint32_t i = 0, part = 0; i < 4; ++i) {
        if (i == omitted) continue;
        const int64_t half_steps = (sign * m.expected[i] * f.per_one) >> 30;
        const auto before = static_cast<uint32_t>(std::min<uint64_t>(errors, UINT32_MAX));
        if (part > 0) energy = motion::energy(weights, features, before, part);
        const Expectation x = {(half_steps + int64_t{f.max} * 256) / 2, energy, f.max, 1, 0};
        part += 1;
        const Coded coded = code_element(c, p, x, words[first + part]);
        words[first + part] = coded.value;
        errors += coded.error;
        energies += energy;
        if (coded.malformed) return false;
    }
    surprise(p, errors, energies);
    return true;
}

template <class Coder>
void code_flags(Coder &c, const Progress &p, const LayoutField &f, uint32_t *words)
{
    const uint32_t *base = p.history->at[0];
    for (uint32_t i = f.first; i < uint32_t{f.first} + f.count; ++i)
        words[i] =
            base[i] ^ (code(c, words[i] != base[i], p.probabilities->flag[f.count > 1]) ? 1 : 0);
}

template <class Coder>
void code_raw(Coder &c, const Progress &p, const LayoutField &f, uint32_t *words)
{
    const uint32_t *base = p.history->at[0];
    for (uint32_t i = f.first; i < uint32_t{f.first} + f.count; ++i)
        words[i] = code(c, words[i] != base[i], p.probabilities->raw_word)
                       ? code_many_bits(c, words[i], 32)
                       : base[i];
}

template <class Coder> bool code_field(Coder &c, Progress &p, const LayoutField &f, uint32_t *words)
{
    switch (f.shape) {
    case Shape::flag: code_flags(c, p, f, words); return true;
    case Shape::raw: code_raw(c, p, f, words); return true;
    case Shape::rotation:
        for (uint32_t i = 0; i < f.count; i += 4)
            if (!code_rotation(c, p, f, f.first + i, words)) return false;
        return true;
    case Shape::number: break;
    }
    const uint32_t together = f.count <= elements_max ? f.count : 1;
    for (uint32_t i = 0; i < f.count; i += together)
        if (!code_numbers(c, p, f, {f.first + i, together}, words)) return false;
    return true;
}

// --- An object ---

// Two words at a time: a call of std::equal() or memcmp() costs more than most fields.
inline bool same(const uint32_t *a, const uint32_t *b, uint32_t count)
{
    uint32_t i = 0;
    for (; i + 2 <= count; i += 2) {
        uint64_t left, right;
        std::memcpy(&left, a + i, sizeof left);
        std::memcpy(&right, b + i, sizeof right);
        if (left != right) return false;
    }
    return i == count || a[i] == b[i];
}

// How much of the words moved within the history: 0 for none, up to activities - 1; odd if they
// moved between the baseline and the state before it.
inline unsigned activity(const History &history, uint32_t first, uint32_t count)
{
    const uint32_t states = history.horizon.state_count;
    if (states < 2) return 0;
    const uint32_t *base = history.at[0] + first;
    const uint32_t *oldest = history.at[states - 1] + first;
    if (same(base, oldest, count)) return 0; // Most are equal, so this comparison comes first.
    const unsigned moves = same(base, history.at[1] + first, count) ? 0 : 1;
    uint32_t words = 0;
    for (uint32_t i = 0; i < count; ++i)
        words += base[i] != oldest[i] ? 1 : 0;
    return std::min(words * 4 / count, 3u) * 2 + moves;
}

// Whether the field changed. Nothing is coded for the last field if no other has changed and the
// state cannot repeat: then it must have. The changes of flags and raw words follow the activity of
// the whole object better than their own.
template <class Coder>
bool code_changed(Coder &c, const Progress &p, const StateLayout &layout, uint32_t field,
                  bool changed)
{
    const uint64_t before = p.coded;
    if (before == 0 && field + 1 == layout.field_count && !layout.repeats) return true;
    const LayoutField &f = layout.fields[field];
    const unsigned seen = field == 0 ? 0 : before == 0 ? 1 : 2;
    const bool moves = f.shape == Shape::number || f.shape == Shape::rotation;
    const unsigned lately = moves ? activity(*p.history, f.first, f.count) : p.activity;
    return code(c, changed, p.probabilities->changed[static_cast<unsigned>(f.shape)][lately][seen]);
}

// Words of fields outside `mask` stay as they are.
template <class Coder>
uint64_t code_object(Coder &c, Progress &p, const StateLayout &layout, uint64_t mask,
                     uint32_t *words)
{
    p.coded = 0;
    p.activity = activity(*p.history, 0, layout.word_count);
    for (uint32_t i = 0; i < layout.field_count; ++i) {
        if (!code_changed(c, p, layout, i, (mask >> i & 1) != 0)) continue;
        p.coded |= uint64_t{1} << i;
        if (!code_field(c, p, layout.fields[i], words)) {
            p.malformed = true;
            return 0;
        }
    }
    return p.coded;
}

// `before`: see state_coder::write_presence().
inline const Probability &presence_probability(const CoderProbabilities &probabilities,
                                               const StateLayout &layout, const History &history,
                                               unsigned before)
{
    const unsigned lately = activity(history, 0, layout.word_count);
    return probabilities.present[history.horizon.age_class][lately][before & 3];
}

}
