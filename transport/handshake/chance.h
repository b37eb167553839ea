// Where keys, nonces and ids come from: libsodium's random source, or a stream under a seed.
#pragma once
#include <cstdint>
#include <span>

namespace tern {

// Zero: the random source. Only a session that is recorded, or played back, has a seed: who knows
// it knows all keys of that session.
struct Chance { // Closed.
    bool _seeded;
    uint8_t _seed[32];
    uint64_t _draws;
};

namespace chance {

Chance from_seed(const uint8_t (&seed)[32]); // ChaCha20 under the seed; each draw has a nonce.
void fill(Chance &chance, std::span<uint8_t> bytes);
uint32_t number(Chance &chance);
// Drawn anew, it could give the same again: seeded, or libsodium draws from what somebody else has
// given it. What is made of it is then to be the same on each machine.
bool is_repeatable(const Chance &chance);
void wipe(Chance &chance);

}
}
