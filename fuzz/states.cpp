// Decodes arbitrary bytes as arithmetic code of states: each decoded state lies within its bounds,
// and encoding and decoding it again yields the same state. Encodes arbitrary states against an
// arbitrary history: decoding yields the same state.
#include "fuzz/support/input.h"
#include "fuzz/support/kinds.h"
#include "fuzz/targets.h"
#include "replication/snapshot/state_coder.h"
#include "tern/limits.hpp"
#include <cstring>

namespace tern::fuzz {

namespace {

constexpr size_t words_max = 64;
constexpr size_t types_count = 4; // The fifth has no fields.

struct Scene { // One object, as both sides know it.
    const StateLayout *layout;
    TypeId type;
    uint32_t states[history_max + 1][words_max]; // The history, then the present state.
    History history;
};

const StateLayout &layout_of(TypeId type)
{
    static const StateLayout layouts[types_count] = {
        state_layout::make(every_kind(), 0), state_layout::make(every_kind(), 1),
        state_layout::make(every_kind(), 2), state_layout::make(every_kind(), 3)};
    return layouts[type];
}

// Makes each state from the one before it by changing some bytes.
void make(Scene &s, Input &in)
{
    alignas(16) std::byte value[struct_bytes_max] = {};
    s.type = static_cast<TypeId>(input::u8(in) % types_count);
    s.layout = &layout_of(s.type);
    const size_t size = every_kind().types[s.type].size_bytes;
    const uint32_t count = 1 + input::u8(in) % history_max;
    uint32_t ages[history_max];
    for (uint32_t i = 0; i < count; ++i) {
        ages[i] = (i == 0 ? 0 : ages[i - 1]) + 1 + input::u8(in);
        s.history.at[i] = s.states[i];
    }
    s.history.horizon = motion::horizon(std::span(ages, count));
    for (uint32_t i = 0; i <= count; ++i) {
        for (uint8_t changes = input::u8(in) % 8; changes > 0; --changes)
            value[input::u8(in) % size] = static_cast<std::byte>(input::u8(in));
        type_table::normalise(every_kind(), s.type, value);
        state_layout::to_words(*s.layout, every_kind(), value,
                               i == count ? s.states[history_max] : s.states[i]);
    }
}

void check_bounds(const Scene &s, const uint32_t *words)
{
    for (uint32_t i = 0; i < s.layout->field_count; ++i) {
        const LayoutField &f = s.layout->fields[i];
        if (f.shape == Shape::raw) continue;
        for (uint32_t k = 0; k < f.count; ++k) {
            const bool omitted = f.shape == Shape::rotation && k % 4 == 0;
            const uint32_t most = omitted ? 3 : f.max;
            TERN_ASSERT(words[f.first + k] <= most, "type %u: word %u is %u, above %u", s.type,
                        f.first + k, words[f.first + k], most);
        }
    }
}

void write_and_read(const Scene &s, uint64_t mask, const uint32_t *now)
{
    std::byte bytes[1024];
    uint32_t words[words_max];
    RangeEncoder e = range_coder::encoder(bytes);
    const bool fits = state_coder::write(e, *s.layout, s.history, mask, now);
    TERN_ASSERT(fits, "type %u does not fit", s.type);
    const size_t size = range_coder::finish(e);
    RangeDecoder d = range_coder::decoder(std::span(bytes).first(size));
    const uint64_t read = state_coder::read(d, *s.layout, s.history, words);
    TERN_ASSERT(read == mask && range_coder::complete(d), "type %u: mask %llx as %llx", s.type,
                static_cast<unsigned long long>(mask), static_cast<unsigned long long>(read));
    TERN_ASSERT(std::memcmp(words, now, s.layout->word_count * sizeof *words) == 0,
                "type %u: another state arrived", s.type);
}

// Encodes and decodes the present state. Fields outside the mask keep the value of the last state,
// because the code does not contain them.
void send(const Scene &s, uint64_t wanted)
{
    uint32_t now[words_max];
    std::memcpy(now, s.states[history_max], sizeof now);
    uint64_t mask = wanted & type_table::all_fields(every_kind(), s.type);
    if (mask == 0) mask = type_table::all_fields(every_kind(), s.type);
    for (uint32_t i = 0; i < s.layout->field_count; ++i) {
        const LayoutField &f = s.layout->fields[i];
        if ((mask >> i & 1) == 0)
            std::memcpy(now + f.first, s.history.at[0] + f.first, f.count * sizeof *now);
    }
    write_and_read(s, mask, now);
}

void receive(const Scene &s, std::span<const std::byte> bytes)
{
    uint32_t words[words_max];
    alignas(16) std::byte value[struct_bytes_max] = {}, same[struct_bytes_max];
    RangeDecoder d = range_coder::decoder(bytes);
    for (int object = 0; object < 8; ++object) {
        const uint64_t mask = state_coder::read(d, *s.layout, s.history, words);
        check_bounds(s, words);
        if (mask == 0) return;
        write_and_read(s, mask, words);
        if (!state_layout::from_words(*s.layout, every_kind(), words, mask, value)) return;
        const size_t size = every_kind().types[s.type].size_bytes;
        std::memcpy(same, value, size);
        type_table::normalise(every_kind(), s.type, same);
        TERN_ASSERT(type_table::difference(every_kind(), s.type, same, value, mask) == 0,
                    "type %u: what arrived is not normal", s.type);
    }
}

}

void fuzz_states(std::span<const uint8_t> data)
{
    Input in = {data};
    Scene s = {};
    make(s, in);
    send(s, input::u16(in));
    receive(s, input::all(in));
}

}
