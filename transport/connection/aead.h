// Seals and opens data datagrams with an AEAD: the header is associated data, the packet number is
// the nonce. Format: docs/wire_format.md, "Data datagrams".
#pragma once
#include "transport/transport_types.h"

namespace tern {

// The key changes once every packets_per_key packet numbers, so that no key comes near the limits
// of AES-256-GCM (RFC 9001, B.1).
inline constexpr unsigned packets_per_key_bits = 26;
inline constexpr uint64_t packets_per_key = 1ull << packets_per_key_bits;

struct AeadKey { // Closed. The key of one direction.
    Cipher _cipher;
    uint8_t _first[32];                     // The key from the handshake.
    uint8_t _present[32];                   // The key of the present epoch.
    uint64_t _epoch;                        // Packet number / packets_per_key.
    alignas(16) std::byte _round_keys[512]; // aes256_gcm: libsodium's precomputed state.
};

namespace aead {

// The hardware has AES instructions. libsodium must be initialized; before, this is false.
bool has_aes256_gcm();
AeadKey key(const uint8_t (&bytes)[32], Cipher cipher = Cipher::chacha20_poly1305);
// Prepares the key for the epoch of this packet number. Packets of other epochs can still be sealed
// and opened, but each derives its key anew.
void reach(AeadKey &key, uint64_t packet_number);

// Encrypts in place what lies between the header and the last tag_bytes, and writes the tag there.
// Never seal two datagrams with the same key and number: that breaks the AEAD.
void seal(const AeadKey &key, uint64_t packet_number, std::span<std::byte> datagram);
// Decrypts the content into scratch, which must have room for it. False if the datagram was not
// sealed with this key and number; the bytes in scratch are then undefined.
bool open(const AeadKey &key, uint64_t packet_number, std::span<const std::byte> datagram,
          std::span<std::byte> scratch);
inline constexpr size_t content_bytes(size_t datagram_bytes)
{
    return datagram_bytes - data_header_bytes - tag_bytes;
}

}
}
