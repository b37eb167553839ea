// What was trained (bench/train/), and nothing that is decided in a running program.
#pragma once
#include "replication/sampling/motion.h"
#include "replication/snapshot/range_coder.h"

namespace tern {

inline constexpr unsigned energy_classes = 48; // Three to a factor of two.
inline constexpr unsigned activities = 8;

// Of one kind of element: 0 numbers, 1 parts of rotations.
struct ElementChances {
    range_coder::Starts bucket[energy_classes];
    Chance low_bit[range_coder::symbols_count]; // The highest bit below the bucket.
    Chance sign[8][3][4]; // By class, direction of motion, and what rounding took away.
};

struct CoderChances {
    ElementChances element[2];
    Chance changed[4][activities][3]; // By shape, how it moves, and changed fields before it.
    Chance flag[2];                   // That one differs: of one, of many.
    Chance raw_word;                  // That one differs.
    Chance other_omitted[8][8];       // By how near two are, by class.
    Chance second_omitted[8];
    Chance present[age_classes][activities][4]; // By how it moves, and by those before it.
};

extern const CoderChances trained_chances;
// By how much an error that was larger than expected, as a logarithm, lets more expect of the next
// field: in 1/256.
extern const int16_t trained_surprise[2];

}
