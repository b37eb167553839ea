// Seals and opens data datagrams: an AEAD over the content, the header as associated data, the
// packet number as nonce. Format: docs/wire_format.md, "Data datagrams".
#pragma once
#include "transport/transport_types.h"

namespace tern {

// Of one direction. The key that seals changes with the packet number: once every
// packets_per_key, so that none comes near the limits of AES-256-GCM (RFC 9001, B.1).
inline constexpr unsigned packets_per_key_bits = 26;
inline constexpr uint64_t packets_per_key = 1ull << packets_per_key_bits;

struct AeadKey { // Closed.
    Cipher _cipher;
    uint8_t _first[32];                     // What the handshake left.
    uint8_t _present[32];                   // Of this epoch.
    uint64_t _epoch;                        // Packet number / packets_per_key.
    alignas(16) std::byte _round_keys[512]; // aes256_gcm: libsodium's precomputed state.
};

namespace aead {

bool has_aes256_gcm(); // In hardware, and libsodium has been initialized.
AeadKey key(const uint8_t (&bytes)[32], Cipher cipher = Cipher::chacha20_poly1305);
// Makes the key ready for packets around this number. Others can be sealed and opened, too; it
// only takes longer.
void reach(AeadKey &key, uint64_t packet_number);

// The number that the nonce is made of.
uint64_t nonce_number(uint64_t packet_number);
// Encrypts the content in place, between the header and the last tag_bytes, and fills in those.
// No key may ever seal two datagrams with one number.
void seal(const AeadKey &key, uint64_t packet_number, std::span<std::byte> datagram);
// The content, decrypted into scratch, which has room for it. False: it was not sealed by who has
// the key, with this number; then scratch means nothing.
bool open(const AeadKey &key, uint64_t packet_number, std::span<const std::byte> datagram,
          std::span<std::byte> scratch);
inline constexpr size_t content_bytes(size_t datagram_bytes)
{
    return datagram_bytes - data_header_bytes - tag_bytes;
}

}
}
