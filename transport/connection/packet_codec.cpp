#include "transport/connection/packet_codec.h"
#include "base/assert.h"
#include "transport/little_endian.h"
#include <algorithm>
#include <cstring>
#include <sodium.h>

namespace tern {

// --- The seal ---

namespace aead {

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

namespace frames {

namespace {

using little_endian::load16;
using little_endian::load32;
using little_endian::store16;
using little_endian::store32;

// First bytes from 32 on are unreliable messages, 32 values for each kind. Other frames are below.
constexpr unsigned first_unreliable = 32, per_unreliable = 32;
// Codes in place of the length: a length field follows; the message extends to the packet's end.
constexpr size_t length_follows = 0, to_the_end = short_unreliable_bytes_max + 1;
static_assert(per_unreliable == to_the_end + 1);

FrameKind kind_of(std::byte first)
{
    const auto value = std::to_integer<unsigned>(first);
    if (value >= first_unreliable)
        return static_cast<FrameKind>(static_cast<unsigned>(FrameKind::snapshot) +
                                      (value - first_unreliable) / per_unreliable);
    return value < static_cast<unsigned>(FrameKind::snapshot) ? static_cast<FrameKind>(value)
                                                              : FrameKind::none;
}

int rank(FrameKind kind)
{
    switch (kind) {
    case FrameKind::none: return 0;
    case FrameKind::ack: return 1;
    case FrameKind::world_chunk:
    case FrameKind::calls_chunk: return 2;
    case FrameKind::ping: return 3;
    case FrameKind::close: return 4;
    case FrameKind::snapshot:
    case FrameKind::updates:
    case FrameKind::call:
    case FrameKind::notice:
    case FrameKind::bridged:
    case FrameKind::challenge:
    case FrameKind::answer: return 5;
    case FrameKind::padding: return 6;
    }
    return 0;
}

bool at_most_once(FrameKind kind)
{
    return !is_chunk(kind) && !is_unreliable(kind);
}

// Takes the next `size_bytes` of the content. Fails and returns none if fewer are left.
std::span<const std::byte> take(FrameReader &r, size_t size_bytes)
{
    if (r._failed || r._rest.size() < size_bytes) {
        r._failed = true;
        return {};
    }
    const std::span<const std::byte> taken = r._rest.first(size_bytes);
    r._rest = r._rest.subspan(size_bytes);
    return taken;
}

void start(std::span<std::byte> to, FrameKind kind, size_t size_bytes)
{
    TERN_ASSERT(to.size() >= size_bytes, "%zu bytes in %zu", size_bytes, to.size());
    to[0] = static_cast<std::byte>(kind);
}

}

// --- ack: largest u32, delay u16, count u8, bitmap ---

size_t write_ack(std::span<std::byte> to, const Ack &ack)
{
    start(to, FrameKind::ack, ack_header_bytes + ack.bitmap_count);
    store32(&to[1], ack.largest_low);
    store16(&to[5], ack.delay_units);
    to[7] = static_cast<std::byte>(ack.bitmap_count);
    std::memcpy(to.data() + ack_header_bytes, ack.bitmap, ack.bitmap_count);
    return ack_header_bytes + ack.bitmap_count;
}

static void read_ack(FrameReader &r, Frame &frame)
{
    const std::span<const std::byte> header = take(r, ack_header_bytes - 1);
    if (r._failed) return;
    frame.low = load32(&header[0]);
    frame.delay_units = load16(&header[4]);
    const auto count = std::to_integer<size_t>(header[6]);
    frame.bytes = take(r, count);
    if (count > ack_bitmap_bytes_max) r._failed = true;
    if (!frame.bytes.empty() && frame.bytes[0] == std::byte{0}) r._failed = true;
}

// --- world_chunk, calls_chunk: offset u32, length u16, bytes ---

size_t write_chunk_header(std::span<std::byte> to, StreamId stream, uint64_t offset,
                          size_t size_bytes)
{
    TERN_ASSERT(size_bytes > 0 && size_bytes <= UINT16_MAX, "%zu bytes", size_bytes);
    start(to, stream == StreamId::world ? FrameKind::world_chunk : FrameKind::calls_chunk,
          chunk_header_bytes + size_bytes);
    store32(&to[1], static_cast<uint32_t>(offset));
    store16(&to[5], static_cast<uint16_t>(size_bytes));
    return chunk_header_bytes;
}

static void read_chunk(FrameReader &r, Frame &frame)
{
    const std::span<const std::byte> header = take(r, chunk_header_bytes - 1);
    if (r._failed) return;
    frame.low = load32(&header[0]);
    frame.bytes = take(r, load16(&header[4]));
    if (frame.bytes.empty()) r._failed = true;
}

// --- ping: nothing ---

size_t write_ping(std::span<std::byte> to)
{
    start(to, FrameKind::ping, ping_bytes);
    return ping_bytes;
}

// --- close: reason u8 ---

size_t write_close(std::span<std::byte> to, CloseReason reason)
{
    TERN_ASSERT(reason != CloseReason::none, "a close has a reason");
    start(to, FrameKind::close, close_bytes);
    to[1] = static_cast<std::byte>(reason);
    return close_bytes;
}

static void read_close(FrameReader &r, Frame &frame)
{
    const std::span<const std::byte> reason = take(r, close_bytes - 1);
    if (r._failed) return;
    const auto value = std::to_integer<uint8_t>(reason[0]);
    if (value == 0 || value > static_cast<uint8_t>(CloseReason::cut_off)) {
        r._failed = true;
        return;
    }
    frame.reason = static_cast<CloseReason>(value);
}

// --- padding: zeros to the end ---

size_t write_padding(std::span<std::byte> to)
{
    start(to, FrameKind::padding, 1);
    std::memset(to.data() + 1, 0, to.size() - 1);
    return to.size();
}

static void read_padding(FrameReader &r, Frame &frame)
{
    frame.bytes = take(r, r._rest.size());
    for (const std::byte byte : frame.bytes)
        if (byte != std::byte{0}) r._failed = true;
}

// --- snapshot, updates, call, notice, bridged, challenge, answer: length u16 (none in the last
// frame, nor below 31 bytes), bytes ---

size_t write_unreliable_header(std::span<std::byte> to, UnreliableKind kind, size_t size_bytes)
{
    TERN_ASSERT(size_bytes > 0 && size_bytes <= UINT16_MAX, "%zu bytes", size_bytes);
    const size_t whole_bytes = unreliable_header_bytes + size_bytes;
    TERN_ASSERT(to.size() >= whole_bytes, "%zu bytes in %zu", whole_bytes, to.size());
    const size_t code = std::min(size_bytes, to_the_end);
    to[0] = static_cast<std::byte>(first_unreliable + per_unreliable * static_cast<unsigned>(kind) +
                                   code);
    return unreliable_header_bytes;
}

size_t put_length(std::span<std::byte> unreliable, size_t frame_bytes)
{
    if (std::to_integer<size_t>(unreliable[0]) % per_unreliable != to_the_end) return 0;
    const size_t size_bytes = frame_bytes - unreliable_header_bytes;
    TERN_ASSERT(unreliable.size() >= frame_bytes + unreliable_length_bytes, "%zu bytes in %zu",
                frame_bytes, unreliable.size());
    unreliable[0] &= ~static_cast<std::byte>(per_unreliable - 1);
    std::byte *length = &unreliable[unreliable_header_bytes];
    std::memmove(length + unreliable_length_bytes, length, size_bytes);
    store16(length, static_cast<uint16_t>(size_bytes));
    return unreliable_length_bytes;
}

static void read_unreliable(FrameReader &r, Frame &frame, std::byte first)
{
    const size_t code = std::to_integer<size_t>(first) % per_unreliable;
    if (code != length_follows && code != to_the_end) {
        frame.bytes = take(r, code);
        return;
    }
    size_t size_bytes = r._rest.size();
    if (code == length_follows) {
        const std::span<const std::byte> length = take(r, unreliable_length_bytes);
        if (r._failed) return;
        size_bytes = load16(&length[0]);
    }
    frame.bytes = take(r, size_bytes);
    const bool ends = r._rest.empty();
    if (size_bytes <= short_unreliable_bytes_max || ends != (code == to_the_end)) r._failed = true;
}

// --- Any frame ---

FrameReader reader(std::span<const std::byte> content)
{
    return {content, FrameKind::none, content.empty()};
}

Frame next(FrameReader &r)
{
    Frame frame{};
    if (r._failed || r._rest.empty()) return frame;
    const std::byte first = take(r, 1)[0];
    const FrameKind kind = kind_of(first);
    const int now = rank(kind);
    const int before = rank(r._last);
    if (now == 0 || now < before || (now == before && at_most_once(kind))) {
        r._failed = true;
        return frame;
    }
    r._last = kind;
    if (kind == FrameKind::ack) read_ack(r, frame);
    if (is_chunk(kind)) read_chunk(r, frame);
    if (kind == FrameKind::close) read_close(r, frame);
    if (kind == FrameKind::padding) read_padding(r, frame);
    if (is_unreliable(kind)) read_unreliable(r, frame, first);
    if (r._failed) return {};
    frame.kind = kind;
    return frame;
}

bool failed(const FrameReader &r)
{
    return r._failed;
}

bool is_chunk(FrameKind kind)
{
    return kind == FrameKind::world_chunk || kind == FrameKind::calls_chunk;
}

bool is_unreliable(FrameKind kind)
{
    return kind >= FrameKind::snapshot && kind <= FrameKind::answer;
}

StreamId stream(FrameKind chunk)
{
    return chunk == FrameKind::world_chunk ? StreamId::world : StreamId::calls;
}

UnreliableKind unreliable_kind(FrameKind unreliable)
{
    return static_cast<UnreliableKind>(static_cast<uint8_t>(unreliable) -
                                       static_cast<uint8_t>(FrameKind::snapshot));
}

}

}
