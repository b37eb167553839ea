// Replaces libsodium's random source by a seeded one, so that the same bytes make the same run.
// There is one for the process.
#pragma once
#include "base/random.h"
#include <cstdlib>
#include <sodium.h>

namespace tern::fuzz {

inline Random chance = random::from_seed(0);

inline uint32_t chance_uint32()
{
    return static_cast<uint32_t>(random::next(chance));
}

inline void chance_bytes(void *const bytes, const size_t count)
{
    auto *at = static_cast<uint8_t *>(bytes);
    for (size_t i = 0; i < count; ++i)
        at[i] = static_cast<uint8_t>(random::next(chance));
}

inline void seed_chance(uint64_t seed)
{
    // Installed at each call, because the simulation installs a source of its own.
    static randombytes_implementation seeded = {
        [] { return "seeded"; }, chance_uint32, nullptr, nullptr, chance_bytes, nullptr};
    randombytes_set_implementation(&seeded);
    static const int initialized = sodium_init();
    if (initialized < 0) std::abort();
    chance = random::from_seed(seed); // Last, because the initialization draws too.
}

}
