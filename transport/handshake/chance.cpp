#include "transport/handshake/chance.h"
#include "transport/little_endian.h"
#include <cstring>
#include <sodium.h>

namespace tern::chance {

Chance from_seed(const uint8_t (&seed)[32])
{
    Chance chance = {};
    chance._seeded = true;
    std::memcpy(chance._seed, seed, sizeof chance._seed);
    return chance;
}

void fill(Chance &chance, std::span<uint8_t> bytes)
{
    if (!chance._seeded) return randombytes_buf(bytes.data(), bytes.size());
    std::byte nonce[crypto_stream_chacha20_NONCEBYTES];
    little_endian::store64(nonce, chance._draws);
    chance._draws += 1;
    crypto_stream_chacha20(bytes.data(), bytes.size(), reinterpret_cast<unsigned char *>(nonce),
                           chance._seed);
}

uint32_t number(Chance &chance)
{
    if (!chance._seeded) return randombytes_random();
    uint8_t bytes[4];
    fill(chance, bytes);
    return uint32_t{bytes[0]} | uint32_t{bytes[1]} << 8 | uint32_t{bytes[2]} << 16 |
           uint32_t{bytes[3]} << 24;
}

bool is_repeatable(const Chance &chance)
{
    if (chance._seeded) return true;
    const char *source = randombytes_implementation_name();
    for (const randombytes_implementation *own :
         {&randombytes_sysrandom_implementation, &randombytes_internal_implementation})
        if (std::strcmp(source, own->implementation_name()) == 0) return false;
    return true;
}

void wipe(Chance &chance)
{
    sodium_memzero(&chance, sizeof chance);
}

}
