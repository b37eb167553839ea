// Random draws by number: the n-th draw of a stream depends on the seed, the stream and n alone. So
// the draws for one purpose never shift the draws for another.
#pragma once
#include <cstdint>

namespace tern {

enum class Stream : uint8_t { network, rates, workload, faults, crypto, shape, core, swarm };

struct Dice { // A stream whose numbers are drawn in order. Open.
    uint64_t key;
    uint64_t count; // Draws so far.
};

namespace dice {

// A bijection of 64 bits, in which flipping one bit of the input flips about half of the output:
// the finalizer of SplitMix64.
inline uint64_t mixed(uint64_t value)
{
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
    value = (value ^ value >> 27) * 0x94d049bb133111eb;
    return value ^ value >> 31;
}

inline uint64_t key(uint64_t seed, Stream stream, uint64_t a = 0, uint64_t b = 0)
{
    const uint64_t named = mixed(seed + 0x9e3779b97f4a7c15) ^ static_cast<uint64_t>(stream) << 56;
    return mixed(mixed(named + (a << 32)) + b);
}

inline uint64_t drawn(uint64_t stream_key, uint64_t number)
{
    return mixed(stream_key + number * 0x9e3779b97f4a7c15);
}

// A number from low to high, both included; high - low must be below 2^32. Multiplies the upper
// half of the draw instead of taking a remainder: no loop and no division.
inline uint64_t within(uint64_t draw, uint64_t low, uint64_t high)
{
    return low + ((draw >> 32) * (high - low + 1) >> 32);
}

inline bool per_mille(uint64_t draw, uint64_t count)
{
    return within(draw, 0, 999) < count;
}

inline Dice make(uint64_t seed, Stream stream, uint64_t a = 0, uint64_t b = 0)
{
    return {key(seed, stream, a, b), 0};
}

inline uint64_t next(Dice &dice)
{
    dice.count += 1;
    return drawn(dice.key, dice.count);
}

inline uint64_t within(Dice &dice, uint64_t low, uint64_t high)
{
    return within(next(dice), low, high);
}

inline bool per_mille(Dice &dice, uint64_t count)
{
    return per_mille(next(dice), count);
}

}
}
