// The tables that bench/train/ produces. A running program never changes them.
#pragma once
#include "replication/sampling/motion.h"
#include "replication/snapshot/range_coder.h"

namespace tern {

inline constexpr unsigned energy_classes = 48; // Three for each factor of two.
inline constexpr unsigned activities = 8;

// For one kind of element: 0 numbers, 1 components of rotations.
struct ElementProbabilities {
    range_coder::Starts bucket[energy_classes];
    // The highest bit below the bucket, indexed by bucket.
    Probability low_bit[range_coder::symbols_count];
    // Indexed by energy class, direction of motion, and the fraction that rounding removed.
    Probability sign[8][3][4];
};

struct CoderProbabilities {
    ElementProbabilities element[2];
    // Indexed by shape, activity, and whether it is the first field or an earlier one changed.
    Probability changed[4][activities][3];
    Probability flag[2];  // That an element changed, in a field of one element, of more.
    Probability raw_word; // That a word changed.
    // Indexed by how close the two largest components are, and by the expected error.
    Probability other_omitted[8][8];
    Probability second_omitted[8];
    // Indexed by age, activity, and the two decisions before.
    Probability present[age_classes][activities][4];
};

extern const CoderProbabilities trained_probabilities;
// How much an error that was larger than expected raises the expected error of the next field, both
// as logarithms; in 1/256, by kind of element.
extern const int16_t trained_surprise[2];

}
