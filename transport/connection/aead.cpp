#include "transport/connection/aead.h"
#include "base/assert.h"
#include "transport/little_endian.h"
#include <cstring>
#include <sodium.h>

namespace tern::aead {

static_assert(tag_bytes == crypto_aead_chacha20poly1305_ietf_ABYTES);
static_assert(tag_bytes == crypto_aead_aes256gcm_ABYTES);
static_assert(sizeof(crypto_aead_aes256gcm_state) == sizeof(AeadKey::_round_keys));
static_assert(alignof(crypto_aead_aes256gcm_state) <= alignof(AeadKey));
static_assert(crypto_aead_chacha20poly1305_ietf_NPUBBYTES == crypto_aead_aes256gcm_NPUBBYTES);

namespace {

struct Nonce {
    unsigned char bytes[crypto_aead_chacha20poly1305_ietf_NPUBBYTES];
};

Nonce nonce(uint64_t packet_number)
{
    Nonce nonce{};
    for (size_t i = 0; i < 8; i += 1)
        nonce.bytes[4 + i] = static_cast<unsigned char>(packet_number >> 8 * i);
    return nonce;
}

uint64_t epoch(uint64_t packet_number)
{
    return packet_number >> packets_per_key_bits;
}

crypto_aead_aes256gcm_state &round_keys(AeadKey &key)
{
    return reinterpret_cast<crypto_aead_aes256gcm_state &>(key._round_keys);
}

const crypto_aead_aes256gcm_state &round_keys(const AeadKey &key)
{
    return reinterpret_cast<const crypto_aead_aes256gcm_state &>(key._round_keys);
}

void enter_epoch(AeadKey &key, uint64_t epoch)
{
    key._epoch = epoch;
    std::memcpy(key._present, key._first, sizeof key._present);
    if (epoch > 0) {
        std::byte text[16] = {};
        std::memcpy(text, "tern key", 8);
        little_endian::store64(text + 8, epoch);
        crypto_generichash(key._present, sizeof key._present,
                           reinterpret_cast<const unsigned char *>(text), sizeof text, key._first,
                           sizeof key._first);
    }
    if (key._cipher == Cipher::aes256_gcm)
        crypto_aead_aes256gcm_beforenm(&round_keys(key), key._present);
}

}

bool has_aes256_gcm()
{
    return crypto_aead_aes256gcm_is_available() == 1;
}

AeadKey key(const uint8_t (&bytes)[32], Cipher cipher)
{
    TERN_ASSERT(cipher != Cipher::aes256_gcm || has_aes256_gcm(), "no AES in hardware");
    AeadKey key = {};
    key._cipher = cipher;
    std::memcpy(key._first, bytes, sizeof key._first);
    enter_epoch(key, 0);
    return key;
}

void reach(AeadKey &key, uint64_t packet_number)
{
    if (epoch(packet_number) != key._epoch) enter_epoch(key, epoch(packet_number));
}

void seal(const AeadKey &key, uint64_t packet_number, std::span<std::byte> datagram)
{
    TERN_ASSERT(datagram.size() >= data_header_bytes + tag_bytes, "%zu bytes", datagram.size());
    if (epoch(packet_number) != key._epoch) {
        AeadKey other = key;
        enter_epoch(other, epoch(packet_number));
        seal(other, packet_number, datagram);
        return sodium_memzero(&other, sizeof other);
    }
    auto *at = reinterpret_cast<unsigned char *>(datagram.data());
    unsigned char *content = at + data_header_bytes;
    const size_t size = content_bytes(datagram.size());
    const Nonce unique = nonce(packet_number);
    if (key._cipher == Cipher::aes256_gcm)
        crypto_aead_aes256gcm_encrypt_afternm(content, nullptr, content, size, at,
                                              data_header_bytes, nullptr, unique.bytes,
                                              &round_keys(key));
    else
        crypto_aead_chacha20poly1305_ietf_encrypt(content, nullptr, content, size, at,
                                                  data_header_bytes, nullptr, unique.bytes,
                                                  key._present);
}

bool open(const AeadKey &key, uint64_t packet_number, std::span<const std::byte> datagram,
          std::span<std::byte> scratch)
{
    TERN_ASSERT(datagram.size() >= data_header_bytes + tag_bytes &&
                    content_bytes(datagram.size()) <= scratch.size(),
                "%zu bytes into %zu", datagram.size(), scratch.size());
    if (epoch(packet_number) != key._epoch) {
        AeadKey other = key;
        enter_epoch(other, epoch(packet_number));
        const bool ok = open(other, packet_number, datagram, scratch);
        sodium_memzero(&other, sizeof other);
        return ok;
    }
    const auto *in = reinterpret_cast<const unsigned char *>(datagram.data());
    auto *out = reinterpret_cast<unsigned char *>(scratch.data());
    const unsigned char *sealed = in + data_header_bytes;
    const size_t size = datagram.size() - data_header_bytes;
    const Nonce unique = nonce(packet_number);
    if (key._cipher == Cipher::aes256_gcm)
        return crypto_aead_aes256gcm_decrypt_afternm(out, nullptr, nullptr, sealed, size, in,
                                                     data_header_bytes, unique.bytes,
                                                     &round_keys(key)) == 0;
    return crypto_aead_chacha20poly1305_ietf_decrypt(out, nullptr, nullptr, sealed, size, in,
                                                     data_header_bytes, unique.bytes,
                                                     key._present) == 0;
}

}
