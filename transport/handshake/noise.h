// One side of one handshake Noise_IKpsk2_25519_ChaChaPoly_SHA256 (Noise Protocol Framework,
// revision 34): who speaks first knows the other's static key, both know the secret.
//
//     <- s
//     ...
//     -> e, es, s, ss       write_first, read_first
//     <- e, ee, se, psk     write_second, read_second
//
// A read or write that returns false leaves a handshake that cannot go on: wipe it. Who wants
// another try keeps a copy.
#pragma once
#include "transport/handshake/chance.h"
#include "transport/transport_types.h"

namespace tern {

struct NoiseHandshake { // Closed.
    uint8_t _chaining_key[32];
    uint8_t _hash[32];
    uint8_t _key[32]; // Seals once: in this pattern each sealed part has a key of its own.
    KeyPair _own;
    KeyPair _ephemeral;
    uint8_t _remote_key[32]; // Static. The responder learns it in read_first.
    uint8_t _remote_ephemeral[32];
    bool _is_initiator;
};

namespace noise {

inline constexpr size_t first_bytes = 32 + 32 + 2 * tag_bytes; // Beside the payload.
inline constexpr size_t second_bytes = 32 + tag_bytes;         // The same.

KeyPair make_key_pair(Chance &chance);
KeyPair make_key_pair(); // From the random source.
KeyPair key_pair(const uint8_t (&secret_key)[32]);

// ephemeral: from make_key_pair(), never used before. The prologue must be the same on both sides.
NoiseHandshake initiate(std::span<const uint8_t> prologue, const KeyPair &own,
                        const KeyPair &ephemeral, const uint8_t (&remote_key)[32]);
NoiseHandshake respond(std::span<const uint8_t> prologue, const KeyPair &own,
                       const KeyPair &ephemeral);
void wipe(NoiseHandshake &h);

// message: of first_bytes and the payload's size. False: the remote key is not a proper one.
bool write_first(NoiseHandshake &h, std::span<const uint8_t> payload, std::span<uint8_t> message);
// payload: room for what the message holds beside first_bytes. False: forged, or meant for another
// key or prologue; then the payload is zero.
bool read_first(NoiseHandshake &h, std::span<const uint8_t> message, std::span<uint8_t> payload);
// The same with second_bytes. False in read_second: forged, or written with another secret.
bool write_second(NoiseHandshake &h, const uint8_t (&secret)[32], std::span<const uint8_t> payload,
                  std::span<uint8_t> message);
bool read_second(NoiseHandshake &h, const uint8_t (&secret)[32], std::span<const uint8_t> message,
                 std::span<uint8_t> payload);

// After both messages. The cipher is the caller's to fill in.
DataKeys split(const NoiseHandshake &h);
const uint8_t (&remote_key(const NoiseHandshake &h))[32];
const uint8_t (&handshake_hash(const NoiseHandshake &h))[32];

}
}
