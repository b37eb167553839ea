// Writes values and reads them again, and compares the bits with a model of one bool per bit. Then
// reads arbitrary bytes as values; writing these values must give the same bits.
#include "base/bits.h"
#include "fuzz/support/input.h"
#include "fuzz/targets.h"
#include <cstring>

namespace tern::fuzz {

namespace {

constexpr size_t buffer_bytes = 256;
constexpr size_t ops_max = 128;

enum class Kind : uint8_t { number, boolean, varint, bytes };

struct Op {
    Kind kind;
    unsigned width; // number
    uint64_t value; // All kinds but bytes.
    std::span<const uint8_t> bytes;
    size_t end; // Bits written in total after this operation.
};

struct Model { // The bits that a correct writer has written.
    bool bits[buffer_bytes * 8];
    size_t count, capacity;
    bool overflow;
};

void put(Model &m, uint64_t value, unsigned width)
{
    for (unsigned i = 0; i < width; ++i)
        m.bits[m.count + i] = (value >> i & 1) != 0;
    m.count += width;
}

size_t size_bits(const Op &op)
{
    if (op.kind == Kind::number) return op.width;
    if (op.kind == Kind::boolean) return 1;
    if (op.kind == Kind::bytes) return op.bytes.size() * 8;
    size_t size = 8;
    for (uint64_t value = op.value; value >= 128; value >>= 7)
        size += 8;
    return size;
}

// A value that does not fit may be written in part. How much of it is not specified, so the model
// writes nothing.
void put(Model &m, const Op &op)
{
    m.overflow = m.overflow || m.count + size_bits(op) > m.capacity;
    if (m.overflow) return;
    if (op.kind == Kind::number) put(m, op.value, op.width);
    if (op.kind == Kind::boolean) put(m, op.value, 1);
    if (op.kind == Kind::varint) {
        uint64_t value = op.value;
        for (; value >= 128; value >>= 7)
            put(m, (value & 127) | 128, 8);
        put(m, value, 8);
    }
    for (const uint8_t byte : op.bytes)
        put(m, byte, 8);
}

void write(BitWriter &w, const Op &op)
{
    switch (op.kind) {
    case Kind::number: return bits::write(w, op.value, op.width);
    case Kind::boolean: return bits::write_bool(w, op.value != 0);
    case Kind::varint: return bits::write_varint(w, op.value);
    case Kind::bytes: return bits::write_bytes(w, std::as_bytes(op.bytes));
    }
}

Op next_op(Input &in)
{
    const uint8_t what = input::u8(in);
    Op op = {};
    op.kind = static_cast<Kind>(what & 3);
    op.width = what >> 2 & 63;
    if (op.kind == Kind::number && op.width == 63) op.width = 64;
    if (op.kind == Kind::bytes) {
        op.bytes = input::bytes(in, op.width);
    } else if (op.kind == Kind::boolean) {
        op.value = op.width & 1;
    } else {
        const unsigned size = op.kind == Kind::number ? op.width : 1 + op.width;
        for (unsigned i = 0; i < size && i < 64; i += 8)
            op.value |= uint64_t{input::u8(in)} << i;
        if (size < 64) op.value &= (uint64_t{1} << size) - 1;
    }
    return op;
}

void compare(const BitWriter &w, const Model &m)
{
    const size_t count = bits::bit_count(w);
    TERN_ASSERT(bits::overflow(w) == m.overflow, "overflow %d", m.overflow);
    TERN_ASSERT(count == m.count || (m.overflow && count >= m.count && count <= m.capacity),
                "%zu bits, not %zu", count, m.count);
    TERN_ASSERT(bits::size_bytes(w) == (count + 7) / 8, "%zu bytes", bits::size_bytes(w));
}

void compare_all(const Model &m, std::span<const std::byte> buffer)
{
    for (size_t at = 0; at * 8 < m.count; ++at) {
        const size_t here = std::min<size_t>(8, m.count - at * 8);
        unsigned expected = 0;
        for (size_t i = 0; i < here; ++i)
            expected |= (m.bits[at * 8 + i] ? 1u : 0u) << i;
        // The unused bits of the last byte are zero, except after an overflow.
        const unsigned mask = m.overflow ? (1u << here) - 1 : 255;
        TERN_ASSERT((std::to_integer<unsigned>(buffer[at]) & mask) == expected, "byte %zu of %zu",
                    at, buffer.size());
    }
}

void read_back(std::span<const std::byte> written, std::span<const Op> ops)
{
    BitReader r = bits::reader(written);
    for (const Op &op : ops) {
        uint64_t value = 0;
        std::byte bytes[64];
        if (op.kind == Kind::number) value = bits::read(r, op.width);
        if (op.kind == Kind::boolean) value = bits::read_bool(r);
        if (op.kind == Kind::varint) value = bits::read_varint(r);
        if (op.kind == Kind::bytes) bits::read_bytes(r, std::span(bytes).first(op.bytes.size()));
        TERN_ASSERT(value == op.value, "read another value, kind %d", static_cast<int>(op.kind));
        TERN_ASSERT(op.bytes.empty() || std::memcmp(bytes, op.bytes.data(), op.bytes.size()) == 0,
                    "read other bytes, %zu", op.bytes.size());
        TERN_ASSERT(!bits::failed(r) && bits::bit_count(r) == op.end, "read %zu bits, not %zu",
                    bits::bit_count(r), op.end);
    }
    TERN_ASSERT(bits::complete(r), "%zu bytes are not complete", written.size());
}

// Reads arbitrary bytes as the kinds of `ops`; the values that could be read are written in the
// same bits.
void read_any(std::span<const std::byte> raw, std::span<const Op> ops)
{
    std::byte memory[buffer_bytes];
    BitReader r = bits::reader(raw);
    BitWriter w = bits::writer(std::span(memory).first(raw.size()));
    for (const Op &op : ops) {
        Op again = op;
        std::byte bytes[64];
        if (op.kind == Kind::number) again.value = bits::read(r, op.width);
        if (op.kind == Kind::boolean) again.value = bits::read_bool(r);
        if (op.kind == Kind::varint) again.value = bits::read_varint(r);
        if (op.kind == Kind::bytes) bits::read_bytes(r, std::span(bytes).first(op.bytes.size()));
        again.bytes = {reinterpret_cast<const uint8_t *>(bytes), op.bytes.size()};
        if (bits::failed(r)) {
            TERN_ASSERT(bits::read(r, 7) == 0 && !bits::complete(r), "%zu bytes", raw.size());
            return;
        }
        write(w, again);
        TERN_ASSERT(!bits::overflow(w) && bits::bit_count(w) == bits::bit_count(r),
                    "wrote %zu bits, read %zu", bits::bit_count(w), bits::bit_count(r));
    }
    const size_t count = bits::bit_count(r);
    TERN_ASSERT(std::equal(memory, memory + count / 8, raw.begin()), "%zu bits differ", count);
    if (!bits::complete(r)) return;
    TERN_ASSERT(std::equal(memory, memory + raw.size(), raw.begin()), "%zu bits differ", count);
}

}

void fuzz_bits(std::span<const uint8_t> data)
{
    Input in = {data};
    // The buffer ends where the memory ends, so that sanitizers detect an overrun.
    std::byte memory[buffer_bytes];
    const size_t size = input::u8(in);
    const std::span<std::byte> buffer = std::span(memory).last(size);
    static Model model;
    model.count = 0;
    model.capacity = size * 8;
    model.overflow = false;
    BitWriter w = bits::writer(buffer);
    Op ops[ops_max];
    size_t count = 0;
    while (!input::empty(in) && count < ops_max) {
        if (in.rest[0] == 0xff) { // Rewinds the writer by some operations.
            compare_all(model, buffer);
            input::u8(in);
            count = std::min<size_t>(count, input::u8(in));
            model.count = count == 0 ? 0 : ops[count - 1].end;
            model.overflow = false;
            bits::rewind(w, model.count);
            continue;
        }
        ops[count] = next_op(in);
        put(model, ops[count]);
        write(w, ops[count]);
        compare(w, model);
        if (model.overflow) continue; // Nothing more is written until the writer is rewound.
        ops[count].end = model.count;
        count += 1;
    }
    compare_all(model, buffer);
    if (!model.overflow)
        read_back(buffer.first(bits::size_bytes(w)), std::span<const Op>(ops, count));
    read_any(std::as_bytes(data.first(std::min(data.size(), buffer_bytes))),
             std::span<const Op>(ops, count));
}

}
