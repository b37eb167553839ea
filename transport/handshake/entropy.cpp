#include "transport/handshake/entropy.h"
#include "transport/little_endian.h"
#include <cstring>
#include <sodium.h>

namespace tern::entropy {

EntropySource from_seed(const uint8_t (&seed)[32])
{
    EntropySource entropy = {};
    entropy._seeded = true;
    std::memcpy(entropy._seed, seed, sizeof entropy._seed);
    return entropy;
}

void fill(EntropySource &entropy, std::span<uint8_t> bytes)
{
    if (!entropy._seeded) return randombytes_buf(bytes.data(), bytes.size());
    std::byte nonce[crypto_stream_chacha20_NONCEBYTES];
    little_endian::store64(nonce, entropy._draws);
    entropy._draws += 1;
    crypto_stream_chacha20(bytes.data(), bytes.size(), reinterpret_cast<unsigned char *>(nonce),
                           entropy._seed);
}

uint32_t number(EntropySource &entropy)
{
    if (!entropy._seeded) return randombytes_random();
    uint8_t bytes[4];
    fill(entropy, bytes);
    return uint32_t{bytes[0]} | uint32_t{bytes[1]} << 8 | uint32_t{bytes[2]} << 16 |
           uint32_t{bytes[3]} << 24;
}

bool is_repeatable(const EntropySource &entropy)
{
    if (entropy._seeded) return true;
    const char *source = randombytes_implementation_name();
    for (const randombytes_implementation *own :
         {&randombytes_sysrandom_implementation, &randombytes_internal_implementation})
        if (std::strcmp(source, own->implementation_name()) == 0) return false;
    return true;
}

void wipe(EntropySource &entropy)
{
    sodium_memzero(&entropy, sizeof entropy);
}

}
