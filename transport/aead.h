// Seals and opens data datagrams: ChaCha20-Poly1305 over the content, the header as associated
// data, the packet number as nonce. Format: docs/wire_format.md, "Data datagrams".
#pragma once
#include "transport/transport_types.h"

namespace tern::aead {

// The number that the nonce is made of.
uint64_t nonce_number(uint64_t packet_number);
// Encrypts the content in place, between the header and the last tag_bytes, and fills in those.
// No key may ever seal two datagrams with one number.
void seal(const uint8_t (&key)[32], uint64_t packet_number, std::span<std::byte> datagram);
// The content, decrypted into scratch, which has room for it. False: it was not sealed by who has
// the key, with this number; then scratch means nothing.
bool open(const uint8_t (&key)[32], uint64_t packet_number, std::span<const std::byte> datagram,
          std::span<std::byte> scratch);
inline constexpr size_t content_bytes(size_t datagram_bytes)
{
    return datagram_bytes - data_header_bytes - tag_bytes;
}

}
