// Predicts a field from its earlier states. The arithmetic is in integers, so that sender and
// receiver of a snapshot predict the same value to the bit on every machine.
#pragma once
#include "replication/snapshot/state_layout.h"
#include <algorithm>
#include <iterator>

namespace tern {

inline constexpr size_t history_max = 4;

inline constexpr size_t energy_features = 8;
inline constexpr size_t age_classes = 8, gap_classes = 5;

// Trained weights: how much each older state's motion counts in the prediction, and how the
// features of the motion add up to the expected error.
struct MotionWeights {
    int16_t predict[history_max - 1]; // In 1/256, by older state.
    // In 1/256; [0] for a field's first element, [1] for the others.
    int16_t energy[2][energy_features];
};

// The last index is 0 for numbers, 1 for rotations.
using WeightTable = MotionWeights[gap_classes][age_classes][2];
extern const WeightTable trained_weights; // Defined in coder_tables.cpp.

// The ages and weights of one object's states, the newest first: the baseline, then older ones.
// Prediction works best when these lie 1, 2 and 4 steps of equal length behind the baseline. A
// horizon depends on the ages alone, so objects with the same ages share one.
struct Horizon {                  // Open.
    const MotionWeights *weights; // weights[0] for numbers, weights[1] for rotations.
    // The baseline's age divided by the distance from the older state to the baseline; in 1/256.
    int32_t reach[history_max - 1];
    uint32_t state_count;
    uint32_t age_class;
};

// Elements that are predicted together: those of a vector, or a single number.
inline constexpr size_t elements_max = 4;
struct NumberMotion {
    int64_t expected[elements_max]; // In 1/256 step.
    // The move from the baseline to now that the newest older state predicts; 1/256 step.
    uint32_t speed[elements_max];
    // Differences between the moves that successive older states predict; 1/256 step.
    uint32_t bend[elements_max], old_bend[elements_max];
    uint32_t speed_sum, bend_sum, old_bend_sum;
};

struct RotationMotion {
    int32_t expected[4];            // Quaternion components with 30 fractional bits.
    uint32_t speed, bend, old_bend; // Like those of NumberMotion; in 1/256 half steps.
};

namespace motion {

// `ages`: in ticks, the baseline's first, each larger than the one before; 1 to history_max of
// them. The first is at least 1.
Horizon horizon(std::span<const uint32_t> ages, const WeightTable &table = trained_weights);

// `at[i]` points to the word of the first element in state i. `count`: 1 to elements_max.
NumberMotion numbers(const Horizon &h, const uint32_t *const (&at)[history_max], uint32_t count);
// `at[i]` points to the four words of the rotation in state i.
RotationMotion rotation(const Horizon &h, const LayoutField &field,
                        const uint32_t *const (&at)[history_max]);

// The expected size of the error of a field's next element, in 1/16 step; at least 1. `before_sum`:
// sum of the errors of the field's `before_count` earlier elements, in steps. At most 3 are
// earlier.
using Features = uint32_t[energy_features - 2];
inline uint32_t energy(const MotionWeights &weights, const Features &features, uint32_t before_sum,
                       uint32_t before_count);
inline void features(const NumberMotion &m, uint32_t element, Features &to);
inline void features(const RotationMotion &m, Features &to);

// --- The parts of a prediction, which the training program uses too ---

// The move from the baseline to now that each older state predicts; in 1/256 step.
struct NumberMoves {
    int64_t at[history_max - 1];
};
NumberMoves number_moves(const Horizon &h, const uint32_t *const (&at)[history_max],
                         uint32_t element);

// A rotation as a point on the sphere of unit quaternions, with 30 fractional bits. Steady turning
// moves along a great circle of that sphere.
struct Point {
    int64_t at[4];
};
struct RotationMoves {
    Point base;
    Point at[history_max - 1]; // Tangents at the base; the length is the angle to move by.
};
Point point(const LayoutField &field, const uint32_t *words);
// The continuation of the arc from `older` to `base` by its own length, as a tangent at `base`.
Point tangent(const Point &base, const Point &older);
Point moved(const Point &base, Point tangent);
RotationMoves rotation_moves(const Horizon &h, const LayoutField &field,
                             const uint32_t *const (&at)[history_max]);

// --- Inline ---

inline constexpr uint32_t far = 1u << 30; // Features and expected errors saturate here.

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
    constexpr int64_t sixths[] = {0, 6, 3, 2}; // 6 / before_count, to take the mean.
    const int16_t *w = weights.energy[before_count > 0 ? 1 : 0];
    int64_t sum = 0;
    for (size_t i = 0; i < std::size(features); ++i)
        sum += w[1 + i] * int64_t{features[i]};
    sum = (sum >> 8) + w[0] + w[energy_features - 1] * (before_sum * sixths[before_count]) / 6;
    return static_cast<uint32_t>(std::clamp<int64_t>(sum >> 4, 1, far));
}

}
}
