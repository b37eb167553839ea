#include "transport/handshake/noise.h"
#include "base/assert.h"
#include <algorithm>
#include <cstring>
#include <sodium.h>

namespace tern::noise {

namespace {

constexpr char protocol_name[] = "Noise_IKpsk2_25519_ChaChaPoly_SHA256";
constexpr unsigned char nonce_zero[12] = {};

// --- The symmetric state, with the names of section 5.2 of the Noise specification. ---

void mix_hash(NoiseHandshake &h, std::span<const uint8_t> data)
{
    crypto_hash_sha256_state state;
    crypto_hash_sha256_init(&state);
    crypto_hash_sha256_update(&state, h._hash, sizeof h._hash);
    crypto_hash_sha256_update(&state, data.data(), data.size());
    crypto_hash_sha256_final(&state, h._hash);
}

struct Derived {
    uint8_t keys[3][32];
};

// HKDF of section 4.3. Always makes three outputs; the first two do not depend on the third.
Derived derive(const uint8_t (&chaining_key)[32], std::span<const uint8_t> input)
{
    uint8_t extracted[32];
    crypto_auth_hmacsha256(extracted, input.data(), input.size(), chaining_key);
    Derived derived;
    uint8_t block[33]; // The previous output and a counter.
    for (uint8_t i = 0; i < 3; i += 1) {
        const size_t before_bytes = i == 0 ? 0 : 32;
        if (i > 0) std::memcpy(block, derived.keys[i - 1], 32);
        block[before_bytes] = static_cast<uint8_t>(i + 1);
        crypto_auth_hmacsha256(derived.keys[i], block, before_bytes + 1, extracted);
    }
    sodium_memzero(extracted, sizeof extracted);
    sodium_memzero(block, sizeof block);
    return derived;
}

void mix_key(NoiseHandshake &h, std::span<const uint8_t> input)
{
    Derived derived = derive(h._chaining_key, input);
    std::memcpy(h._chaining_key, derived.keys[0], 32);
    std::memcpy(h._key, derived.keys[1], 32);
    sodium_memzero(&derived, sizeof derived);
}

void mix_key_and_hash(NoiseHandshake &h, std::span<const uint8_t> input)
{
    Derived derived = derive(h._chaining_key, input);
    std::memcpy(h._chaining_key, derived.keys[0], 32);
    mix_hash(h, derived.keys[1]);
    std::memcpy(h._key, derived.keys[2], 32);
    sodium_memzero(&derived, sizeof derived);
}

void encrypt_and_hash(NoiseHandshake &h, std::span<const uint8_t> plain, std::span<uint8_t> sealed)
{
    crypto_aead_chacha20poly1305_ietf_encrypt(sealed.data(), nullptr, plain.data(), plain.size(),
                                              h._hash, sizeof h._hash, nullptr, nonce_zero, h._key);
    mix_hash(h, sealed);
}

bool decrypt_and_hash(NoiseHandshake &h, std::span<const uint8_t> sealed, std::span<uint8_t> plain)
{
    if (crypto_aead_chacha20poly1305_ietf_decrypt(plain.data(), nullptr, nullptr, sealed.data(),
                                                  sealed.size(), h._hash, sizeof h._hash,
                                                  nonce_zero, h._key) != 0) {
        std::fill(plain.begin(), plain.end(), uint8_t{0});
        return false;
    }
    mix_hash(h, sealed);
    return true;
}

// --- Tokens ---

// Returns false for a remote key of low order, which would give a shared value that everybody
// knows; crypto_scalarmult() detects it (RFC 7748, 6.1).
bool mix_shared(NoiseHandshake &h, const KeyPair &own, const uint8_t (&remote)[32])
{
    uint8_t shared[32];
    const bool is_proper = crypto_scalarmult(shared, own.secret_key, remote) == 0;
    if (is_proper) mix_key(h, shared);
    sodium_memzero(shared, sizeof shared);
    return is_proper;
}

// Token "e". In patterns with a psk, the ephemeral key is also mixed into the key (section 9.2).
void mix_ephemeral(NoiseHandshake &h, std::span<const uint8_t> public_key)
{
    mix_hash(h, public_key);
    mix_key(h, public_key);
}

NoiseHandshake begin(std::span<const uint8_t> prologue, const KeyPair &own,
                     const KeyPair &ephemeral, const uint8_t (&responder_key)[32])
{
    static_assert(sizeof protocol_name - 1 > 32, "a shorter name is padded instead of hashed");
    NoiseHandshake h = {};
    crypto_hash_sha256(h._hash, reinterpret_cast<const unsigned char *>(protocol_name),
                       sizeof protocol_name - 1);
    std::memcpy(h._chaining_key, h._hash, 32);
    h._own = own;
    h._ephemeral = ephemeral;
    mix_hash(h, prologue);
    mix_hash(h, responder_key);
    return h;
}

}

// --- Keys ---

KeyPair make_key_pair()
{
    EntropySource source = {};
    return make_key_pair(source);
}

KeyPair make_key_pair(EntropySource &entropy)
{
    uint8_t secret_key[32];
    entropy::fill(entropy, secret_key);
    const KeyPair keys = key_pair(secret_key);
    sodium_memzero(secret_key, sizeof secret_key);
    return keys;
}

KeyPair key_pair(const uint8_t (&secret_key)[32])
{
    KeyPair keys;
    std::memcpy(keys.secret_key, secret_key, 32);
    crypto_scalarmult_base(keys.public_key, keys.secret_key);
    return keys;
}

// --- A handshake ---

NoiseHandshake initiate(std::span<const uint8_t> prologue, const KeyPair &own,
                        const KeyPair &ephemeral, const uint8_t (&remote_key)[32])
{
    NoiseHandshake h = begin(prologue, own, ephemeral, remote_key);
    std::memcpy(h._remote_key, remote_key, 32);
    h._is_initiator = true;
    return h;
}

NoiseHandshake respond(std::span<const uint8_t> prologue, const KeyPair &own,
                       const KeyPair &ephemeral)
{
    return begin(prologue, own, ephemeral, own.public_key);
}

void wipe(NoiseHandshake &h)
{
    sodium_memzero(&h, sizeof h);
}

// --- First message: e 32, encrypted static key 48, encrypted payload ---

bool write_first(NoiseHandshake &h, std::span<const uint8_t> payload, std::span<uint8_t> message)
{
    TERN_ASSERT(h._is_initiator, "the responder does not write the first message");
    TERN_ASSERT(message.size() == first_bytes + payload.size(), "%zu bytes", message.size());
    std::memcpy(message.data(), h._ephemeral.public_key, 32);
    mix_ephemeral(h, h._ephemeral.public_key);
    if (!mix_shared(h, h._ephemeral, h._remote_key)) return false; // es
    encrypt_and_hash(h, h._own.public_key, message.subspan(32, 48));
    if (!mix_shared(h, h._own, h._remote_key)) return false; // ss
    encrypt_and_hash(h, payload, message.subspan(80));
    return true;
}

bool read_first(NoiseHandshake &h, std::span<const uint8_t> message, std::span<uint8_t> payload)
{
    TERN_ASSERT(!h._is_initiator, "the initiator does not read the first message");
    TERN_ASSERT(message.size() == first_bytes + payload.size(), "%zu bytes", message.size());
    std::fill(payload.begin(), payload.end(), uint8_t{0});
    std::memcpy(h._remote_ephemeral, message.data(), 32);
    mix_ephemeral(h, h._remote_ephemeral);
    if (!mix_shared(h, h._own, h._remote_ephemeral)) return false; // es
    if (!decrypt_and_hash(h, message.subspan(32, 48), h._remote_key)) return false;
    if (!mix_shared(h, h._own, h._remote_key)) return false; // ss
    return decrypt_and_hash(h, message.subspan(80), payload);
}

// --- Second message: e 32, encrypted payload ---

bool write_second(NoiseHandshake &h, const uint8_t (&secret)[32], std::span<const uint8_t> payload,
                  std::span<uint8_t> message)
{
    TERN_ASSERT(!h._is_initiator, "the initiator does not write the second message");
    TERN_ASSERT(message.size() == second_bytes + payload.size(), "%zu bytes", message.size());
    std::memcpy(message.data(), h._ephemeral.public_key, 32);
    mix_ephemeral(h, h._ephemeral.public_key);
    if (!mix_shared(h, h._ephemeral, h._remote_ephemeral)) return false; // ee
    if (!mix_shared(h, h._ephemeral, h._remote_key)) return false;       // se
    mix_key_and_hash(h, secret);
    encrypt_and_hash(h, payload, message.subspan(32));
    return true;
}

bool read_second(NoiseHandshake &h, const uint8_t (&secret)[32], std::span<const uint8_t> message,
                 std::span<uint8_t> payload)
{
    TERN_ASSERT(h._is_initiator, "the responder does not read the second message");
    TERN_ASSERT(message.size() == second_bytes + payload.size(), "%zu bytes", message.size());
    std::fill(payload.begin(), payload.end(), uint8_t{0});
    std::memcpy(h._remote_ephemeral, message.data(), 32);
    mix_ephemeral(h, h._remote_ephemeral);
    if (!mix_shared(h, h._ephemeral, h._remote_ephemeral)) return false; // ee
    if (!mix_shared(h, h._own, h._remote_ephemeral)) return false;       // se
    mix_key_and_hash(h, secret);
    return decrypt_and_hash(h, message.subspan(32), payload);
}

// --- Results ---

DataKeys split(const NoiseHandshake &h)
{
    Derived derived = derive(h._chaining_key, {});
    DataKeys keys = {};
    std::memcpy(keys.send, derived.keys[h._is_initiator ? 0 : 1], 32);
    std::memcpy(keys.receive, derived.keys[h._is_initiator ? 1 : 0], 32);
    sodium_memzero(&derived, sizeof derived);
    return keys;
}

const uint8_t (&remote_key(const NoiseHandshake &h))[32]
{
    return h._remote_key;
}

const uint8_t (&handshake_hash(const NoiseHandshake &h))[32]
{
    return h._hash;
}

}
