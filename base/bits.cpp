#include "base/bits.h"
#include "base/assert.h"
#include <algorithm>
#include <bit>
#include <cstring>

namespace tern::bits {

void write_bytewise(BitWriter &w, uint64_t value, unsigned bit_count)
{
    TERN_ASSERT(bit_count <= 64, "%u bits", bit_count);
    if (w._overflow || w._bit_count + bit_count > w._buffer.size() * 8) {
        w._overflow = true;
        return;
    }
    while (bit_count > 0) {
        const size_t at = w._bit_count / 8;
        const unsigned used = w._bit_count % 8;
        const unsigned now = std::min(8 - used, bit_count);
        const uint64_t part = value & ((1ull << now) - 1);
        const uint8_t kept = used == 0 ? uint8_t{0} : std::to_integer<uint8_t>(w._buffer[at]);
        w._buffer[at] = static_cast<std::byte>(kept | part << used);
        value >>= now;
        bit_count -= now;
        w._bit_count += now;
    }
}

void write_long_varint(BitWriter &w, uint64_t value)
{
    while (value >= 128) {
        write(w, (value & 127) | 128, 8);
        value >>= 7;
    }
    write(w, value, 8);
}

static uint64_t low_bits(uint64_t word, size_t bit_count) // bit_count below 64.
{
    return word & ((1ull << bit_count) - 1);
}

// Writes up to `words` words, and returns how many. Stops while there is room for one more word
// behind, because the last store writes a whole word, too.
static size_t write_words(BitWriter &w, const std::byte *from, size_t words)
{
    const size_t at = w._bit_count / 8;
    const size_t used = w._bit_count % 8;
    if (w._overflow || at + 16 > w._buffer.size()) return 0;
    words = std::min(words, (w._buffer.size() - at - 8) / 8);
    std::byte *to = &w._buffer[at];
    uint64_t kept = low_bits(load_word(to), used);
    for (size_t i = 0; i < words; ++i, from += 8, to += 8) {
        const uint64_t word = load_word(from);
        store_word(to, kept | word << used);
        kept = word >> 1 >> (63 - used);
    }
    store_word(to, kept);
    w._bit_count += words * 64;
    return words;
}

void write_bytes(BitWriter &w, std::span<const std::byte> bytes)
{
    if (w._bit_count % 8 == 0 && !w._overflow && !bytes.empty() &&
        w._bit_count / 8 + bytes.size() <= w._buffer.size()) {
        std::memcpy(w._buffer.data() + w._bit_count / 8, bytes.data(), bytes.size());
        w._bit_count += bytes.size() * 8;
        return;
    }
    bytes = bytes.subspan(8 * write_words(w, bytes.data(), bytes.size() / 8));
    // Seven bytes at any bit position lie within eight bytes, so write() takes its fast path.
    for (; bytes.size() >= 8; bytes = bytes.subspan(7))
        write(w, load_word(bytes.data()) & ((1ull << 56) - 1), 56);
    for (std::byte b : bytes)
        write(w, std::to_integer<uint64_t>(b), 8);
}

void write_bits(BitWriter &w, const std::byte *from, size_t first, size_t bit_count)
{
    from += first / 8;
    const size_t odd = std::min((8 - first % 8) % 8, bit_count);
    if (odd > 0) {
        const uint64_t bits = low_bits(std::to_integer<uint64_t>(*from) >> first % 8, odd);
        write(w, bits, static_cast<unsigned>(odd));
        bit_count -= odd;
        from += 1;
    }
    const size_t words = write_words(w, from, bit_count / 64);
    from += words * 8;
    bit_count -= words * 64;
    for (; bit_count >= 56; bit_count -= 56, from += 7)
        write(w, low_bits(load_word(from), 56), 56);
    write(w, low_bits(load_word(from), bit_count), static_cast<unsigned>(bit_count));
}

void rewind(BitWriter &w, size_t bit_count)
{
    TERN_ASSERT(bit_count <= w._bit_count, "%zu of %zu", bit_count, w._bit_count);
    w._bit_count = bit_count;
    w._overflow = false;
    if (bit_count % 8 != 0) {
        const auto mask = static_cast<std::byte>((1u << bit_count % 8) - 1);
        w._buffer[bit_count / 8] &= mask;
    }
}

uint64_t read_bytewise(BitReader &r, unsigned bit_count)
{
    TERN_ASSERT(bit_count <= 64, "%u bits", bit_count);
    if (r._failed || r._bit_count + bit_count > r._buffer.size() * 8) {
        r._failed = true;
        return 0;
    }
    uint64_t value = 0;
    unsigned have = 0;
    while (have < bit_count) {
        const size_t at = r._bit_count / 8;
        const unsigned used = r._bit_count % 8;
        const unsigned now = std::min(8 - used, bit_count - have);
        const uint64_t part =
            (std::to_integer<uint64_t>(r._buffer[at]) >> used) & ((1ull << now) - 1);
        value |= part << have;
        have += now;
        r._bit_count += now;
    }
    return value;
}

uint64_t read_long_varint(BitReader &r, uint64_t first)
{
    uint64_t value = first & 127;
    for (unsigned shift = 7; shift < 64; shift += 7) {
        const uint64_t part = read(r, 8);
        const uint64_t low = part & 127;
        if (shift == 63 && low > 1) break; // The value exceeds 64 bits.
        value |= low << shift;
        if (part & 128) continue;
        if (low == 0) break; // Not canonical: a shorter encoding exists.
        return r._failed ? 0 : value;
    }
    r._failed = true;
    return 0;
}

void read_bytes(BitReader &r, std::span<std::byte> bytes)
{
    if (r._failed || r._bit_count + bytes.size() * 8 > r._buffer.size() * 8) {
        r._failed = true;
        std::fill(bytes.begin(), bytes.end(), std::byte{0});
        return;
    }
    if (r._bit_count % 8 == 0 && !bytes.empty()) {
        std::memcpy(bytes.data(), r._buffer.data() + r._bit_count / 8, bytes.size());
        r._bit_count += bytes.size() * 8;
        return;
    }
    // Stores eight bytes, of which the last one is overwritten next.
    for (; bytes.size() >= 8; bytes = bytes.subspan(7))
        store_word(bytes.data(), read(r, 56));
    for (std::byte &b : bytes)
        b = static_cast<std::byte>(read(r, 8));
}

bool complete(const BitReader &r)
{
    return (r._bit_count + 7) / 8 == r._buffer.size() && only_zeros_left(r);
}

bool only_zeros_left(const BitReader &r)
{
    if (r._failed) return false;
    BitReader rest = r;
    const size_t whole = (r._bit_count + 7) / 8;
    if (read(rest, static_cast<unsigned>(whole * 8 - r._bit_count)) != 0) return false;
    const auto is_zero = [](std::byte b) { return b == std::byte{0}; };
    const std::span<const std::byte> left = r._buffer.subspan(whole);
    return std::all_of(left.begin(), left.end(), is_zero);
}

}
