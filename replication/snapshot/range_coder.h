// An arithmetic coder for decisions with given probabilities: it propagates carries, has up to 56
// bits of range, grows the range by four bytes at once, and never divides. A stream can be read
// without any other. Format: docs/wire_format.md, "SNAPSHOT".
//
// Encoder, decoder and the counter of bench/train/ have the same functions, so the coding of a
// value is written once, as a template over them: each call takes the decision, which the decoder
// ignores, and returns the decision that was coded.
#pragma once
#include "base/assert.h"
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tern {

// The probability that a decision is false, in 1/probability_one. Never 0 or probability_one.
using Probability = uint16_t;
inline constexpr unsigned probability_bits = 15;
inline constexpr Probability probability_one = 1u << probability_bits;

// May be copied; assigning the copy back undoes what was coded since.
struct RangeEncoder { // Closed.
    std::span<std::byte> _buffer;
    size_t _size;    // Bytes that are final.
    uint64_t _low;   // 56 bits, and a carry above them.
    uint64_t _range; // Between calls at least range_min.
    // Units of 4 bytes that a carry may still change: _unit, then units of ones only.
    uint32_t _held;
    uint32_t _unit;
    bool _overflow;
};

struct RangeDecoder { // Closed.
    std::span<const std::byte> _buffer;
    size_t _at; // Bytes read; past the end of the buffer they are zeros.
    uint64_t _code, _range;
    bool _failed;
};

namespace range_coder {

inline RangeEncoder encoder(std::span<std::byte> buffer);
// Whether finish() would succeed now.
inline bool fits(const RangeEncoder &e);
inline size_t size_bytes_max(const RangeEncoder &e); // An upper bound of finish().
// Bits coded so far, up to a constant: use differences.
inline size_t bit_count(const RangeEncoder &e);
// Returns the size of the stream in bytes; 0 if it does not fit.
inline size_t finish(RangeEncoder &e);

inline RangeDecoder decoder(std::span<const std::byte> bytes);
// Bits read so far, up to a constant: use differences.
inline size_t bit_count(const RangeDecoder &d);
inline void fail(RangeDecoder &d); // The caller found a wrong value.
// fail() was called, a value is impossible, or more was read than there is.
inline bool failed(const RangeDecoder &d);
// Not failed, and no bytes are left that the encoder would not have written.
inline bool complete(const RangeDecoder &d);

inline constexpr unsigned bits_max = 8; // In one call of code_bits().

inline bool code(RangeEncoder &e, bool decision, const Probability &probability);
inline bool code(RangeDecoder &d, bool decision, const Probability &probability);
// One of 32 symbols, at the cost of one decision instead of five. Starts: where each symbol begins,
// in 1/probability_one; the first at 0, in rising order.
inline constexpr uint32_t symbols_count = 32;
using Starts = Probability[symbols_count];
inline uint32_t code_symbol(RangeEncoder &e, uint32_t symbol, const Starts &starts);
inline uint32_t code_symbol(RangeDecoder &d, uint32_t symbol, const Starts &starts);
// 1 to bits_max bits with equal probabilities.
inline uint32_t code_bits(RangeEncoder &e, uint32_t value, unsigned bit_count);
inline uint32_t code_bits(RangeDecoder &d, uint32_t value, unsigned bit_count);

// --- Inline ---

inline constexpr unsigned low_bits = 56, unit_bits = 32;
inline constexpr uint64_t range_first = (uint64_t{1} << low_bits) - 1;
inline constexpr uint64_t range_min = uint64_t{1} << (low_bits - unit_bits);

inline RangeEncoder encoder(std::span<std::byte> buffer)
{
    return {buffer, 0, 0, range_first, 0, 0, false};
}

inline void put(RangeEncoder &e, uint64_t bits, unsigned bit_count)
{
    if (e._size + bit_count / 8 > e._buffer.size()) e._overflow = true;
    for (unsigned left = bit_count; left > 0 && !e._overflow; left -= 8)
        e._buffer[e._size++] = static_cast<std::byte>(bits >> (left - 8) & 255);
}

// The stream as a whole never carries out of its first unit.
inline void put_held(RangeEncoder &e, uint32_t carry)
{
    if (e._held > 0) put(e, uint64_t{e._unit} + carry, unit_bits);
    for (; e._held > 1; --e._held)
        put(e, uint64_t{UINT32_MAX} + carry, unit_bits);
    e._held = 0;
}

[[gnu::noinline]] inline void shift(RangeEncoder &e)
{
    constexpr uint64_t below = range_min - 1, ones = (uint64_t{1} << low_bits) - range_min;
    if (e._low < ones || e._low >> low_bits != 0 || e._held == 0) {
        put_held(e, static_cast<uint32_t>(e._low >> low_bits));
        e._unit = static_cast<uint32_t>(e._low >> (low_bits - unit_bits));
    }
    e._held += 1;
    e._low = (e._low & below) << unit_bits;
}

// One unit is enough: a call narrows the range by 15 bits at most.
[[gnu::always_inline]] inline void renormalise(RangeEncoder &e)
{
    if (e._range >= range_min) return;
    e._range <<= unit_bits;
    shift(e);
}

[[gnu::always_inline]] inline bool code(RangeEncoder &e, bool decision,
                                        const Probability &probability)
{
    const uint64_t bound = (e._range >> probability_bits) * probability;
    e._low += decision ? bound : 0;
    e._range = decision ? e._range - bound : bound;
    renormalise(e);
    return decision;
}

[[gnu::always_inline]] inline uint32_t code_bits(RangeEncoder &e, uint32_t value,
                                                 unsigned bit_count)
{
    TERN_SLOW_ASSERT(bit_count <= bits_max && value >> bit_count == 0, "%u in %u bits", value,
                     bit_count);
    e._range >>= bit_count;
    e._low += uint64_t{value} * e._range;
    renormalise(e);
    return value;
}

// Takes the part of the range from `start` to `end`; if `end` is probability_one, up to the very
// end of the range.
[[gnu::always_inline]] inline void narrow(RangeEncoder &e, uint32_t start, uint32_t end)
{
    const uint64_t unit = e._range >> probability_bits;
    e._low += unit * start;
    e._range = end == probability_one ? e._range - unit * start : unit * (end - start);
    renormalise(e);
}

inline uint32_t end_of(const Starts &starts, uint32_t symbol)
{
    return symbol + 1 == symbols_count ? probability_one : starts[symbol + 1];
}

[[gnu::always_inline]] inline uint32_t code_symbol(RangeEncoder &e, uint32_t symbol,
                                                   const Starts &starts)
{
    narrow(e, starts[symbol], end_of(starts, symbol));
    return symbol;
}

// Bytes after the held units that finish() may need to name a number in the range.
inline size_t tail_bytes(uint64_t range)
{
    return low_bits / 8 - (static_cast<size_t>(std::bit_width(range)) - 1) / 8;
}

inline size_t size_bytes_max(const RangeEncoder &e)
{
    return e._size + e._held * (unit_bits / 8) + tail_bytes(e._range);
}

inline bool fits(const RangeEncoder &e)
{
    return !e._overflow && size_bytes_max(e) <= e._buffer.size();
}

inline size_t bit_count(const RangeEncoder &e)
{
    return e._size * 8 + e._held * unit_bits + low_bits -
           static_cast<size_t>(std::bit_width(e._range));
}

// Writes the fewest bytes that name a number in the range if zeros follow.
inline size_t finish(RangeEncoder &e)
{
    size_t tail = 0;
    uint64_t number = 0;
    for (; tail <= low_bits / 8; ++tail) {
        const uint64_t below = (uint64_t{1} << (low_bits - 8 * tail)) - 1;
        number = (e._low + below) & ~below;
        if (number < e._low + e._range) break;
    }
    put_held(e, static_cast<uint32_t>(number >> low_bits));
    const auto bits = static_cast<unsigned>(tail * 8);
    put(e, (number & ((uint64_t{1} << low_bits) - 1)) >> (low_bits - bits), bits);
    return e._overflow ? 0 : e._size;
}

inline uint64_t take(RangeDecoder &d, unsigned bit_count)
{
    uint64_t bits = 0;
    for (unsigned left = bit_count; left > 0; left -= 8, ++d._at)
        bits = bits << 8 |
               (d._at < d._buffer.size() ? std::to_integer<uint64_t>(d._buffer[d._at]) : 0);
    return bits;
}

inline RangeDecoder decoder(std::span<const std::byte> bytes)
{
    RangeDecoder d = {bytes, 0, 0, range_first, false};
    d._code = take(d, low_bits);
    d._failed = d._code == range_first;
    return d;
}

[[gnu::noinline]] inline void refill(RangeDecoder &d)
{
    d._range <<= unit_bits;
    d._code = d._code << unit_bits | take(d, unit_bits);
}

[[gnu::always_inline]] inline void renormalise(RangeDecoder &d)
{
    if (d._range < range_min) refill(d);
}

[[gnu::always_inline]] inline bool code(RangeDecoder &d, bool, const Probability &probability)
{
    const uint64_t bound = (d._range >> probability_bits) * probability;
    const bool decision = d._code >= bound;
    d._code -= decision ? bound : 0;
    d._range = decision ? d._range - bound : bound;
    renormalise(d);
    return decision;
}

[[gnu::always_inline]] inline uint32_t code_bits(RangeDecoder &d, uint32_t, unsigned bit_count)
{
    d._range >>= bit_count;
    uint32_t value = 0;
    for (unsigned i = bit_count; i-- > 0;) {
        const uint64_t bound = d._range << i;
        const bool one = d._code >= bound;
        d._code -= one ? bound : 0;
        value = value << 1 | (one ? 1 : 0);
    }
    // The encoder writes nothing in the part that the shift cuts off.
    d._failed = d._failed || d._code >= d._range;
    renormalise(d);
    return value;
}

[[gnu::always_inline]] inline uint32_t code_symbol(RangeDecoder &d, uint32_t, const Starts &starts)
{
    const uint64_t unit = d._range >> probability_bits;
    uint32_t symbol = 0;
    for (uint32_t step = symbols_count / 2; step > 0; step /= 2)
        symbol += d._code >= unit * starts[symbol + step] ? step : 0;
    const uint32_t start = starts[symbol], end = end_of(starts, symbol);
    d._code -= unit * start;
    d._range = end == probability_one ? d._range - unit * start : unit * (end - start);
    renormalise(d);
    return symbol;
}

inline size_t bit_count(const RangeDecoder &d)
{
    return d._at * 8 - static_cast<size_t>(std::bit_width(d._range));
}

inline void fail(RangeDecoder &d)
{
    d._failed = true;
}

inline bool failed(const RangeDecoder &d)
{
    return d._failed || d._at > d._buffer.size() + low_bits / 8;
}

inline bool complete(const RangeDecoder &d)
{
    return !failed(d) && d._at - low_bits / 8 + tail_bytes(d._range) >= d._buffer.size();
}

}
}
