// One side of a handshake Noise_IKpsk2_25519_ChaChaPoly_SHA256 (Noise Protocol Framework, revision
// 34). The initiator knows the responder's static key beforehand, and both know the session secret
// (the psk).
//
//     <- s
//     ...
//     -> e, es, s, ss       write_first, read_first
//     <- e, ee, se, psk     write_second, read_second
//
// After a read or write that returns false the handshake is unusable: wipe it. To try again with
// another message, keep a copy from before.
#pragma once
#include "transport/handshake/entropy.h"
#include "transport/transport_types.h"

namespace tern {

struct NoiseHandshake { // Closed.
    uint8_t _chaining_key[32];
    uint8_t _hash[32];
    uint8_t _key[32]; // Encrypts once: in this pattern each encrypted part has its own key.
    KeyPair _own;
    KeyPair _ephemeral;
    uint8_t _remote_key[32]; // Static key of the other side. The responder gets it in read_first.
    uint8_t _remote_ephemeral[32];
    bool _is_initiator;
};

namespace noise {

inline constexpr size_t first_bytes = 32 + 32 + 2 * tag_bytes; // Without the payload.
inline constexpr size_t second_bytes = 32 + tag_bytes;         // Without the payload.

KeyPair make_key_pair(EntropySource &entropy);
KeyPair make_key_pair(); // From libsodium's random source.
KeyPair key_pair(const uint8_t (&secret_key)[32]);

// `ephemeral` must be a new pair of make_key_pair(). The prologue must be equal on both sides.
NoiseHandshake initiate(std::span<const uint8_t> prologue, const KeyPair &own,
                        const KeyPair &ephemeral, const uint8_t (&remote_key)[32]);
NoiseHandshake respond(std::span<const uint8_t> prologue, const KeyPair &own,
                       const KeyPair &ephemeral);
void wipe(NoiseHandshake &h);

// `message` must have first_bytes plus the size of the payload. False: the remote key is of low
// order.
bool write_first(NoiseHandshake &h, std::span<const uint8_t> payload, std::span<uint8_t> message);
// `payload` must have the size of the message less first_bytes. False: the message is forged, or
// meant for another key or prologue; then the payload is zero.
bool read_first(NoiseHandshake &h, std::span<const uint8_t> message, std::span<uint8_t> payload);
// Like the two functions above, with second_bytes. read_second also returns false if the message
// was written with another secret.
bool write_second(NoiseHandshake &h, const uint8_t (&secret)[32], std::span<const uint8_t> payload,
                  std::span<uint8_t> message);
bool read_second(NoiseHandshake &h, const uint8_t (&secret)[32], std::span<const uint8_t> message,
                 std::span<uint8_t> payload);

// After both messages: the keys for data packets. The caller sets the cipher.
DataKeys split(const NoiseHandshake &h);
const uint8_t (&remote_key(const NoiseHandshake &h))[32];
const uint8_t (&handshake_hash(const NoiseHandshake &h))[32];

}
}
