// Where a field is expected to be, told by where it was: in integers, so that all peers expect the
// same to the bit, on every machine.
#pragma once
#include "replication/snapshot/state_layout.h"
#include <algorithm>
#include <iterator>

namespace tern {

inline constexpr size_t history_max = 4;

inline constexpr size_t energy_features = 8;
inline constexpr size_t age_classes = 8, gap_classes = 5;

// Trained. Of how far each older state's motion goes on, and of what the error is made.
struct MotionWeights {
    int16_t predict[history_max - 1];   // In 1/256.
    int16_t energy[2][energy_features]; // Of the first element; of those that follow. 1/256.
};

using WeightTable = MotionWeights[gap_classes][age_classes][2]; // Of numbers, of rotations.
extern const WeightTable trained_weights;                       // coder_tables.cpp

// States of one object, the newest first: the baseline, then older ones. They serve best when they
// lie 1, 2 and 4 steps of one length behind the baseline. How they are weighted depends on their
// ages alone, so that objects of the same ages share it.
struct Horizon {                    // Open.
    const MotionWeights *weights;   // Of numbers; of rotations the next.
    int32_t reach[history_max - 1]; // From the older state over the baseline to now, in 1/256.
    uint32_t state_count;
    uint32_t age_class;
};

// Of a vector or one number.
inline constexpr size_t elements_max = 4;
struct NumberMotion {
    int64_t expected[elements_max]; // In 1/256.
    uint32_t speed[elements_max];   // What it moves from the baseline to now; 1/256.
    uint32_t bend[elements_max], old_bend[elements_max]; // Differences of what the older ones say.
    uint32_t speed_sum, bend_sum, old_bend_sum;
};

struct RotationMotion {
    int32_t expected[4];            // Components, in 2^-30.
    uint32_t speed, bend, old_bend; // In 1/256 half steps.
};

namespace motion {

// Of ages in ticks, the baseline's first, rising from 1. 1 to history_max of them.
Horizon horizon(std::span<const uint32_t> ages, const WeightTable &table = trained_weights);

// `at[i]`: the word of the first element in the i-th state. 1 to elements_max elements.
NumberMotion numbers(const Horizon &h, const uint32_t *const (&at)[history_max], uint32_t count);
// `at[i]`: the four words.
RotationMotion rotation(const Horizon &h, const LayoutField &field,
                        const uint32_t *const (&at)[history_max]);

// The error that is to be expected of the next element of a field, in 1/16 step: 1 or more.
// `before_sum`: of the errors of the elements before it, in steps; at most 3 of them.
using Features = uint32_t[energy_features - 2];
inline uint32_t energy(const MotionWeights &weights, const Features &features, uint32_t before_sum,
                       uint32_t before_count);
inline void features(const NumberMotion &m, uint32_t element, Features &to);
inline void features(const RotationMotion &m, Features &to);

// --- What is expected is made of this; training looks into it ---

// What each older state, gone on with, adds to the baseline: in 1/256.
struct NumberMoves {
    int64_t at[history_max - 1];
};
NumberMoves number_moves(const Horizon &h, const uint32_t *const (&at)[history_max],
                         uint32_t element);

// Rotations as points on the sphere of unit quaternions: steady turning goes along a great circle
// of it. Numbers of 2^-30.
struct Point {
    int64_t at[4];
};
struct RotationMoves {
    Point base;
    Point at[history_max - 1]; // Tangents at the base; so long as the angle.
};
Point point(const LayoutField &field, const uint32_t *words);
Point tangent(const Point &base, const Point &older); // From older over base to as far beyond.
Point moved(const Point &base, Point tangent);
RotationMoves rotation_moves(const Horizon &h, const LayoutField &field,
                             const uint32_t *const (&at)[history_max]);

// --- Inline ---

inline constexpr uint32_t far = 1u << 30; // Nothing is told apart beyond.

inline void features(const NumberMotion &m, uint32_t element, Features &to)
{
    to[0] = m.speed[element];
    to[1] = m.bend[element];
    to[2] = m.old_bend[element];
    to[3] = m.speed_sum;
    to[4] = m.bend_sum;
    to[5] = m.old_bend_sum;
}

inline void features(const RotationMotion &m, Features &to)
{
    to[0] = m.speed;
    to[1] = m.bend;
    to[2] = m.old_bend;
    to[3] = to[4] = to[5] = 0;
}

inline uint32_t energy(const MotionWeights &weights, const Features &features, uint32_t before_sum,
                       uint32_t before_count)
{
    constexpr int64_t sixths[] = {0, 6, 3, 2}; // Of one element.
    const int16_t *w = weights.energy[before_count > 0 ? 1 : 0];
    int64_t sum = 0;
    for (size_t i = 0; i < std::size(features); ++i)
        sum += w[1 + i] * int64_t{features[i]};
    sum = (sum >> 8) + w[0] + w[energy_features - 1] * (before_sum * sixths[before_count]) / 6;
    return static_cast<uint32_t>(std::clamp<int64_t>(sum >> 4, 1, far));
}

}
}
