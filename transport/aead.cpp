#include "transport/aead.h"
#include "base/assert.h"
#include "base/mutant.h"
#include "transport/little_endian.h"
#include <cstring>
#include <sodium.h>

namespace tern::aead {

static_assert(tag_bytes == crypto_aead_chacha20poly1305_ietf_ABYTES);

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

// In place of the tag where TERN_STUB_CRYPTO says so: each step is a bijection, so that no change
// of a single word goes unnoticed. Nothing against malice.
uint64_t stub_sum(const uint8_t (&key)[32], uint64_t packet_number,
                  std::span<const std::byte> sealed)
{
    uint64_t sum = packet_number + sealed.size();
    const auto add = [&sum](const std::byte *word) {
        sum = (sum ^ little_endian::load64(word)) * 0x9e3779b97f4a7c15;
        sum ^= sum >> 32;
    };
    add(reinterpret_cast<const std::byte *>(key));
    for (; sealed.size() >= 8; sealed = sealed.subspan(8))
        add(sealed.data());
    std::byte last[8] = {};
    std::memcpy(last, sealed.data(), sealed.size());
    add(last);
    return sum;
}

void stub_seal(const uint8_t (&key)[32], uint64_t packet_number, std::span<std::byte> datagram)
{
    const std::span<std::byte> tag = datagram.last(tag_bytes);
    const uint64_t sum = stub_sum(key, packet_number, datagram.first(datagram.size() - tag_bytes));
    little_endian::store64(tag.data(), sum);
    little_endian::store64(tag.data() + 8, ~sum);
}

bool stub_open(const uint8_t (&key)[32], uint64_t packet_number,
               std::span<const std::byte> datagram, std::span<std::byte> scratch)
{
    const std::span<const std::byte> sealed = datagram.first(datagram.size() - tag_bytes);
    std::byte tag[tag_bytes];
    const uint64_t sum = stub_sum(key, packet_number, sealed);
    little_endian::store64(tag, sum);
    little_endian::store64(tag + 8, ~sum);
    if (std::memcmp(tag, datagram.last(tag_bytes).data(), tag_bytes) != 0) return false;
    const std::span<const std::byte> content = sealed.subspan(data_header_bytes);
    std::memcpy(scratch.data(), content.data(), content.size());
    return true;
}

}

uint64_t nonce_number(uint64_t packet_number)
{
    return TERN_MUTANT(nonce_reset) ? packet_number % 1000 : packet_number;
}

void seal(const uint8_t (&key)[32], uint64_t packet_number, std::span<std::byte> datagram)
{
    TERN_ASSERT(datagram.size() >= data_header_bytes + tag_bytes, "%zu bytes", datagram.size());
    if (TERN_STUB_CRYPTO) return stub_seal(key, packet_number, datagram);
    auto *at = reinterpret_cast<unsigned char *>(datagram.data());
    const Nonce unique = nonce(nonce_number(packet_number));
    crypto_aead_chacha20poly1305_ietf_encrypt(
        at + data_header_bytes, nullptr, at + data_header_bytes, content_bytes(datagram.size()), at,
        data_header_bytes, nullptr, unique.bytes, key);
}

bool open(const uint8_t (&key)[32], uint64_t packet_number, std::span<const std::byte> datagram,
          std::span<std::byte> scratch)
{
    TERN_ASSERT(datagram.size() >= data_header_bytes + tag_bytes &&
                    content_bytes(datagram.size()) <= scratch.size(),
                "%zu bytes into %zu", datagram.size(), scratch.size());
    if (TERN_STUB_CRYPTO) return stub_open(key, packet_number, datagram, scratch);
    const auto *in = reinterpret_cast<const unsigned char *>(datagram.data());
    const Nonce unique = nonce(nonce_number(packet_number));
    return crypto_aead_chacha20poly1305_ietf_decrypt(
               reinterpret_cast<unsigned char *>(scratch.data()), nullptr, nullptr,
               in + data_header_bytes, datagram.size() - data_header_bytes, in, data_header_bytes,
               unique.bytes, key) == 0;
}

}
