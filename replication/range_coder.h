// Arithmetic coding of binary decisions with given chances: carries are propagated, 32 bits of
// range, no division. A stream is whole in itself; format: docs/decisions.md, "Coded states".
//
// Encoder, decoder, tape and counter take the same calls, so that what codes a value is written
// once, as a template over them: each call is given the decision, which the decoder ignores, and
// returns the one that was coded.
#pragma once
#include "base/assert.h"
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tern {

// That a decision is false, of chance_one. Never 0 or chance_one.
using Chance = uint16_t;
inline constexpr unsigned chance_bits = 15;
inline constexpr Chance chance_one = 1u << chance_bits;

// An encoder can be copied, and the copy assigned back takes back what was coded since.
struct RangeEncoder { // Closed.
    std::span<std::byte> _buffer;
    size_t _size;    // Bytes that are final, and one that is always 0 and not stored.
    uint64_t _low;   // 32 bits and a carry.
    uint32_t _range; // At least range_min between decisions.
    uint32_t _held;  // Bytes that a carry may still change: _byte, then 255s.
    uint8_t _byte;
    bool _overflow;
};

struct RangeDecoder { // Closed.
    std::span<const std::byte> _buffer;
    size_t _at; // Bytes taken; behind the end there are zeros.
    uint32_t _code, _range;
    bool _failed;
};

// What was coded, to be coded again into other streams.
inline constexpr size_t tape_symbols_max = 1024;
struct SymbolTape { // Closed.
    uint32_t _count;
    bool _overflow;
    uint32_t _symbols[tape_symbols_max]; // See put().
};

namespace range_coder {

inline RangeEncoder encoder(std::span<std::byte> buffer);
// What finish() would make is at most the buffer.
inline bool fits(const RangeEncoder &e);
inline size_t size_bytes_max(const RangeEncoder &e); // Of what finish() would make.
inline size_t bit_count(const RangeEncoder &e);      // That were coded so far, but for a constant.
inline size_t finish(RangeEncoder &e); // The bytes of the stream; 0 if it does not fit.

inline RangeDecoder decoder(std::span<const std::byte> bytes);
inline size_t bit_count(const RangeDecoder &d); // The same.
inline void fail(RangeDecoder &d);              // For a value that the caller finds wrong.
// Something was wrong, or more was read than is there.
inline bool failed(const RangeDecoder &d);
// Not failed, and no bytes are left that the encoder would not have written.
inline bool complete(const RangeDecoder &d);

inline SymbolTape tape();
inline void play(const SymbolTape &tape,
                 RangeEncoder &e); // Asserts that the tape did not overflow.
inline bool overflow(const SymbolTape &tape);

inline constexpr unsigned bits_max = 8; // Of one call of code_bits().

inline bool code(RangeEncoder &e, bool decision, const Chance &chance);
inline bool code(RangeDecoder &d, bool decision, const Chance &chance);
inline bool code(SymbolTape &tape, bool decision, const Chance &chance);
// One of many: where each begins of chance_one, the first at 0, each behind the one before. What
// 5 decisions in a row would be, at the price of one.
inline constexpr uint32_t symbols_count = 32;
using Starts = Chance[symbols_count];
inline uint32_t code_symbol(RangeEncoder &e, uint32_t symbol, const Starts &starts);
inline uint32_t code_symbol(RangeDecoder &d, uint32_t symbol, const Starts &starts);
inline uint32_t code_symbol(SymbolTape &tape, uint32_t symbol, const Starts &starts);
// 1 to bits_max bits, all values alike.
inline uint32_t code_bits(RangeEncoder &e, uint32_t value, unsigned bit_count);
inline uint32_t code_bits(RangeDecoder &d, uint32_t value, unsigned bit_count);
inline uint32_t code_bits(SymbolTape &tape, uint32_t value, unsigned bit_count);

// --- Inline ---

inline constexpr uint32_t range_min = 1u << 24;
inline constexpr size_t tail_bytes_max = 4; // What finish() writes beyond what is held.

inline RangeEncoder encoder(std::span<std::byte> buffer)
{
    return {buffer, 0, 0, UINT32_MAX, 1, 0, false};
}

inline void put(RangeEncoder &e, uint32_t byte)
{
    // The first is the carry out of the whole stream, which there never is.
    if (e._size > e._buffer.size())
        e._overflow = true;
    else if (e._size > 0)
        e._buffer[e._size - 1] = static_cast<std::byte>(byte);
    e._size += 1;
}

[[gnu::noinline]] inline void shift(RangeEncoder &e)
{
    if (e._low < 0xff000000u || e._low > UINT32_MAX) {
        const auto carry = static_cast<uint32_t>(e._low >> 32);
        put(e, e._byte + carry);
        for (; e._held > 1; --e._held)
            put(e, 255 + carry);
        e._held = 0;
        e._byte = static_cast<uint8_t>(e._low >> 24);
    }
    e._held += 1;
    e._low = (e._low & 0x00ffffff) << 8;
}

[[gnu::always_inline]] inline void renormalise(RangeEncoder &e)
{
    while (e._range < range_min) {
        e._range <<= 8;
        shift(e);
    }
}

[[gnu::always_inline]] inline bool code(RangeEncoder &e, bool decision, const Chance &chance)
{
    const uint32_t bound = (e._range >> chance_bits) * chance;
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

// What lies from `start` to `end` of the range, or to its very end.
[[gnu::always_inline]] inline void narrow(RangeEncoder &e, uint32_t start, uint32_t end)
{
    const uint32_t unit = e._range >> chance_bits;
    e._low += unit * start;
    e._range = end == chance_one ? e._range - unit * start : unit * (end - start);
    renormalise(e);
}

inline uint32_t end_of(const Starts &starts, uint32_t symbol)
{
    return symbol + 1 == symbols_count ? chance_one : starts[symbol + 1];
}

[[gnu::always_inline]] inline uint32_t code_symbol(RangeEncoder &e, uint32_t symbol,
                                                   const Starts &starts)
{
    narrow(e, starts[symbol], end_of(starts, symbol));
    return symbol;
}

inline size_t size_bytes_max(const RangeEncoder &e)
{
    return e._size + e._held + tail_bytes_max - 1;
}

inline bool fits(const RangeEncoder &e)
{
    return !e._overflow && size_bytes_max(e) <= e._buffer.size();
}

// As few bytes as name a number of the range, zeros behind them.
inline size_t bit_count(const RangeEncoder &e)
{
    return (e._size + e._held) * 8 + 32 - static_cast<size_t>(std::bit_width(e._range));
}

inline size_t finish(RangeEncoder &e)
{
    unsigned tail_bytes = 0;
    for (; tail_bytes < tail_bytes_max; ++tail_bytes) {
        const uint64_t below = (uint64_t{1} << (32 - 8 * tail_bytes)) - 1;
        const uint64_t number = (e._low + below) & ~below;
        if (number >= e._low + e._range) continue;
        e._low = number;
        break;
    }
    for (unsigned i = 0; i <= tail_bytes; ++i)
        shift(e);
    return e._overflow ? 0 : e._size - 1;
}

inline uint32_t take(RangeDecoder &d)
{
    const uint32_t byte =
        d._at < d._buffer.size() ? std::to_integer<uint32_t>(d._buffer[d._at]) : 0;
    d._at += 1;
    return byte;
}

inline RangeDecoder decoder(std::span<const std::byte> bytes)
{
    RangeDecoder d = {bytes, 0, 0, UINT32_MAX, false};
    for (int i = 0; i < 4; ++i)
        d._code = d._code << 8 | take(d);
    d._failed = d._code == UINT32_MAX;
    return d;
}

[[gnu::always_inline]] inline void renormalise(RangeDecoder &d)
{
    while (d._range < range_min) {
        d._range <<= 8;
        d._code = d._code << 8 | take(d);
    }
}

[[gnu::always_inline]] inline bool code(RangeDecoder &d, bool, const Chance &chance)
{
    const uint32_t bound = (d._range >> chance_bits) * chance;
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
        const uint32_t bound = d._range << i;
        const bool one = d._code >= bound;
        d._code -= one ? bound : 0;
        value = value << 1 | (one ? 1 : 0);
    }
    d._failed = d._failed || d._code >= d._range; // Of what the shift cut off nothing is written.
    renormalise(d);
    return value;
}

[[gnu::always_inline]] inline uint32_t code_symbol(RangeDecoder &d, uint32_t, const Starts &starts)
{
    const uint32_t unit = d._range >> chance_bits;
    uint32_t symbol = 0;
    for (uint32_t step = symbols_count / 2; step > 0; step /= 2)
        symbol += d._code >= unit * starts[symbol + step] ? step : 0;
    const uint32_t start = starts[symbol], end = end_of(starts, symbol);
    d._code -= unit * start;
    d._range = end == chance_one ? d._range - unit * start : unit * (end - start);
    renormalise(d);
    return symbol;
}

inline size_t bit_count(const RangeDecoder &d)
{
    return d._at * 8 + 32 - static_cast<size_t>(std::bit_width(d._range));
}

inline void fail(RangeDecoder &d)
{
    d._failed = true;
}

inline bool failed(const RangeDecoder &d)
{
    return d._failed || d._at > d._buffer.size() + tail_bytes_max;
}

inline bool complete(const RangeDecoder &d)
{
    return !failed(d) && d._at >= d._buffer.size();
}

// --- A tape ---

inline SymbolTape tape()
{
    SymbolTape made;
    made._count = 0;
    made._overflow = false;
    return made;
}

// From where to where of chance_one, in 15 and 16 bits; or with the highest bit how many bits, in
// the lower 16 their value.
inline void put(SymbolTape &tape, uint32_t symbol)
{
    if (tape._count == tape_symbols_max)
        tape._overflow = true;
    else
        tape._symbols[tape._count++] = symbol;
}

inline bool code(SymbolTape &tape, bool decision, const Chance &chance)
{
    put(tape, decision ? uint32_t{chance} << 16 | chance_one : chance);
    return decision;
}

inline uint32_t code_symbol(SymbolTape &tape, uint32_t symbol, const Starts &starts)
{
    put(tape, uint32_t{starts[symbol]} << 16 | end_of(starts, symbol));
    return symbol;
}

inline uint32_t code_bits(SymbolTape &tape, uint32_t value, unsigned bit_count)
{
    put(tape, 1u << 31 | bit_count << 16 | value);
    return value;
}

inline void play(const SymbolTape &tape, RangeEncoder &e)
{
    TERN_ASSERT(!tape._overflow, "a tape of more than %zu symbols", tape_symbols_max);
    for (uint32_t i = 0; i < tape._count; ++i) {
        const uint32_t symbol = tape._symbols[i];
        if (symbol >> 31 == 0)
            narrow(e, symbol >> 16, symbol & 0xffff);
        else
            code_bits(e, symbol & 0xffff, symbol >> 16 & 15);
    }
}

inline bool overflow(const SymbolTape &tape)
{
    return tape._overflow;
}

}
}
