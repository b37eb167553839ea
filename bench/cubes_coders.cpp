#include "bench/cubes_coders.h"
#include "replication/snapshot/state_coding.h"
#include <cstring>

namespace bench {
namespace {

using namespace tern;

constexpr size_t rotation_words = 4, position_first = 4, flag_word = 7;

const uint32_t *base_of(const CubesFrame &f, size_t object)
{
    return cubes_scene::at(*f.scene, f.frame - f.lag, object);
}

uint64_t changed_fields(const StateLayout &layout, const uint32_t *base, const uint32_t *now)
{
    if (state_coding::same(base, now, cube_words)) return 0;
    uint64_t mask = 0;
    for (uint32_t i = 0; i < layout.field_count; ++i) {
        const LayoutField &field = layout.fields[i];
        if (!state_coding::same(base + field.first, now + field.first, field.count))
            mask |= 1ull << i;
    }
    return mask;
}

// --- Plain coders: the same calls write bits or read them ---

struct Bits {
    BitWriter *writer; // Null while bits are read.
    BitReader *reader;
};

uint32_t code(Bits &bits, uint32_t value, unsigned bit_count)
{
    if (bits.writer == nullptr) return static_cast<uint32_t>(bits::read(*bits.reader, bit_count));
    bits::write(*bits.writer, value, bit_count);
    return value;
}

constexpr unsigned word_bits[cube_words] = {2, 9, 9, 9, 15, 15, 13, 1};

template <auto code_frame> size_t write_bits(const CubesFrame &f, std::span<std::byte> to)
{
    BitWriter w = bits::writer(to);
    Bits bits = {&w, nullptr};
    uint32_t words[cube_words];
    code_frame(bits, f, [&](size_t object) {
        std::memcpy(words, cubes_scene::at(*f.scene, f.frame, object), sizeof words);
        return &words[0];
    });
    return bits::overflow(w) ? 0 : bits::size_bytes(w);
}

template <auto code_frame>
bool read_bits(const CubesFrame &f, std::span<const std::byte> from, uint32_t *words)
{
    BitReader r = bits::reader(from);
    Bits bits = {nullptr, &r};
    code_frame(bits, f, [&](size_t object) { return words + object * cube_words; });
    return bits::complete(r);
}

constexpr auto code_quantised = [](Bits &bits, const CubesFrame &f, auto words_of) {
    for (size_t object = 0; object < f.scene->object_count; ++object) {
        const uint32_t *base = base_of(f, object);
        uint32_t *words = words_of(object);
        const auto mask = static_cast<uint32_t>(changed_fields(*f.layout, base, words));
        if (code(bits, mask != 0, 1) == 0) continue;
        const uint32_t fields = code(bits, mask, 3);
        for (uint32_t i = 0; i < f.layout->field_count; ++i)
            for (uint32_t k = 0; (fields >> i & 1) != 0 && k < f.layout->fields[i].count; ++k) {
                uint32_t &word = words[f.layout->fields[i].first + k];
                word = code(bits, word, word_bits[f.layout->fields[i].first + k]);
            }
    }
};

// Codes the difference to `base`. A prefix selects one of three widths, so small differences take
// few bits.
uint32_t code_bucketed(Bits &bits, uint32_t base, uint32_t value, unsigned small, unsigned middle,
                       unsigned large)
{
    const int64_t difference = int64_t{value} - int64_t{base};
    const auto fits = [&](unsigned count) {
        return difference >= -(1ll << (count - 1)) && difference < 1ll << (count - 1);
    };
    const uint32_t form = fits(small) ? 0 : fits(middle) ? 1 : 2;
    uint32_t coded = code(bits, form != 0, 1);
    if (coded != 0) coded += code(bits, form == 2, 1);
    if (coded == 2) return code(bits, value, large);
    const unsigned count = coded == 0 ? small : middle;
    const int64_t half = int64_t{1} << (count - 1);
    return static_cast<uint32_t>(
        base + code(bits, static_cast<uint32_t>(difference + half), count) - half);
}

void code_rotation(Bits &bits, const uint32_t *base, uint32_t *words)
{
    words[0] = code(bits, words[0], 2);
    for (size_t i = 1; i < rotation_words; ++i)
        words[i] = words[0] == base[0] ? code_bucketed(bits, base[i], words[i], 5, 7, 9)
                                       : code(bits, words[i], 9);
}

// Codes the distance to the next changed object; 0 ends the frame. A distance of 1 takes one bit, a
// longer one a prefix and 3, 6 or 10 bits.
uint32_t code_gap(Bits &bits, uint32_t gap)
{
    if (code(bits, gap != 1, 1) == 0) return 1;
    const uint32_t form = gap == 0 ? 2 : gap < 2 + 8 ? 0 : gap < 10 + 64 ? 1 : 2;
    uint32_t coded = code(bits, form != 0, 1);
    if (coded != 0) coded += code(bits, form == 2, 1);
    if (coded == 0) return 2 + code(bits, gap - 2, 3);
    if (coded == 1) return 10 + code(bits, gap - 10, 6);
    return code(bits, gap, 10);
}

constexpr auto code_buckets = [](Bits &bits, const CubesFrame &f, auto words_of) {
    size_t previous = static_cast<size_t>(-1);
    for (size_t next = 0;; previous = next) {
        uint32_t gap = 0;
        for (next = previous + 1; bits.writer != nullptr && next < f.scene->object_count; ++next)
            if (changed_fields(*f.layout, base_of(f, next), words_of(next)) != 0) {
                gap = static_cast<uint32_t>(next - previous);
                break;
            }
        gap = code_gap(bits, gap);
        next = previous + gap;
        if (gap == 0 || next >= f.scene->object_count) return;
        const uint32_t *base = base_of(f, next);
        uint32_t *words = words_of(next);
        const auto mask = static_cast<uint32_t>(changed_fields(*f.layout, base, words));
        const uint32_t fields = code(bits, mask & 3, 2);
        if ((fields & 1) != 0) code_rotation(bits, base, words);
        for (size_t i = position_first; (fields & 2) != 0 && i < flag_word; ++i)
            words[i] = code_bucketed(bits, base[i], words[i], 6, 10, word_bits[i]);
        words[flag_word] = code(bits, words[flag_word], 1);
    }
};

// --- tern ---

// The history of object 0; advance() steps to the next object.
History first_history(const CubesFrame &f)
{
    uint32_t ages[history_max] = {f.lag};
    for (size_t i = 0; i < std::size(cubes_older); ++i)
        ages[1 + i] = f.lag + cubes_older[i];
    History h = {motion::horizon(ages), {}};
    for (size_t i = 0; i < history_max; ++i)
        h.at[i] = cubes_scene::at(*f.scene, f.frame - ages[i], 0);
    return h;
}

void advance(History &h)
{
    for (const uint32_t *&state : h.at)
        state += cube_words;
}

size_t write_states(const CubesFrame &f, std::span<std::byte> to)
{
    RangeEncoder e = range_coder::encoder(to);
    History history = first_history(f);
    const uint32_t *now = cubes_scene::at(*f.scene, f.frame, 0);
    unsigned before = 0;
    for (size_t i = 0; i < f.scene->object_count; ++i, now += cube_words, advance(history)) {
        const uint64_t mask = changed_fields(*f.layout, history.at[0], now);
        state_coder::write_presence(e, *f.layout, history, before, mask != 0);
        before = before << 1 | (mask != 0 ? 1 : 0);
        if (mask != 0 && !state_coder::write(e, *f.layout, history, mask, now)) return 0;
    }
    return range_coder::finish(e);
}

bool read_states(const CubesFrame &f, std::span<const std::byte> from, uint32_t *words)
{
    RangeDecoder d = range_coder::decoder(from);
    History history = first_history(f);
    unsigned before = 0;
    for (size_t i = 0; i < f.scene->object_count; ++i, words += cube_words, advance(history)) {
        const bool present = state_coder::read_presence(d, *f.layout, history, before);
        before = before << 1 | (present ? 1 : 0);
        if (present && state_coder::read(d, *f.layout, history, words) == 0) return false;
    }
    return range_coder::complete(d);
}

}

const CubesCoder quantised_coder = {"flags per field, quantised", write_bits<code_quantised>,
                                    read_bits<code_quantised>};
const CubesCoder bucketed_coder = {"buckets, relative indices", write_bits<code_buckets>,
                                   read_bits<code_buckets>};
const CubesCoder state_coder_of_tern = {"tern, frozen tables", write_states, read_states};

}
