// The source of keys, nonces and ids: libsodium's random source, or a stream cipher with a seed.
#pragma once
#include <cstdint>
#include <span>

namespace tern {

// All zero: libsodium's random source. Only a session that is recorded or replayed has a seed, and
// anybody who knows the seed knows all keys of that session.
struct EntropySource { // Closed.
    bool _seeded;
    uint8_t _seed[32];
    uint64_t _draws;
};

namespace entropy {

EntropySource
from_seed(const uint8_t (&seed)[32]); // ChaCha20 with the seed as key, a nonce per draw.
void fill(EntropySource &entropy, std::span<uint8_t> bytes);
uint32_t number(EntropySource &entropy);
// Whether a second run could draw the same bytes: there is a seed, or the program has given
// libsodium a random source of its own, as a simulation does. Then the session must also behave the
// same on each machine, and so always use ChaCha20-Poly1305.
bool is_repeatable(const EntropySource &entropy);
void wipe(EntropySource &entropy);

}
}
