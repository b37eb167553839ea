// A seeded random generator for tests, simulation and load; never for keys. xoshiro256** (Blackman
// and Vigna, 2018), seeded by splitmix64.
#pragma once
#include <cstdint>

namespace tern {

struct Random { // Closed.
    uint64_t _state[4];
};

namespace random {

Random from_seed(uint64_t seed);
uint64_t next(Random &random);
uint64_t below(Random &random, uint64_t bound);  // Uniform in 0 to bound - 1. bound > 0.
bool chance(Random &random, double probability); // True with this probability, 0 to 1.
double unit(Random &random);                     // Uniform in 0 (included) to 1 (excluded).

}
}
