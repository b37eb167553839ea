#include "base/random.h"
#include "base/assert.h"

namespace tern::random {

static uint64_t rotated_left(uint64_t value, unsigned bit_count)
{
    return value << bit_count | value >> (64 - bit_count);
}

// splitmix64. It spreads a seed of few bits over the whole state, and never leaves it all zero,
// which xoshiro256** does not allow.
static uint64_t split(uint64_t &state)
{
    state += 0x9e3779b97f4a7c15;
    uint64_t mixed = state;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
    return mixed ^ mixed >> 31;
}

Random from_seed(uint64_t seed)
{
    Random random;
    for (uint64_t &word : random._state)
        word = split(seed);
    return random;
}

uint64_t next(Random &random)
{
    uint64_t *state = random._state;
    TERN_SLOW_ASSERT((state[0] | state[1] | state[2] | state[3]) != 0, "not seeded");
    const uint64_t result = rotated_left(state[1] * 5, 7) * 9;
    const uint64_t shifted = state[1] << 17;
    state[2] ^= state[0];
    state[3] ^= state[1];
    state[1] ^= state[2];
    state[0] ^= state[3];
    state[2] ^= shifted;
    state[3] = rotated_left(state[3], 45);
    return result;
}

// Draws again below 2^64 modulo bound. The rest of the range is a multiple of bound, so that all
// results are equally likely.
uint64_t below(Random &random, uint64_t bound)
{
    TERN_ASSERT(bound > 0, "bound is 0");
    const uint64_t biased = (0 - bound) % bound; // 2^64 modulo bound.
    uint64_t drawn = next(random);
    while (drawn < biased)
        drawn = next(random);
    return drawn % bound;
}

bool chance(Random &random, double probability)
{
    return unit(random) < probability;
}

double unit(Random &random)
{
    return static_cast<double>(next(random) >> 11) * 0x1p-53;
}

}
