#include "replication/snapshot/state_coder.h"
#include "replication/snapshot/state_coding.h"
#include <cstring>

namespace tern::state_coder {

static state_coding::Progress progress(const History &history)
{
    return {&history, &trained_probabilities, trained_surprise, 0, 0, false, 0};
}

template <class Coder>
static void write_object(Coder &c, const StateLayout &layout, const History &history, uint64_t mask,
                         const uint32_t *words)
{
    TERN_ASSERT((mask != 0 || layout.repeats) && mask >> 1 >> (layout.field_count - 1) == 0,
                "mask %llx", static_cast<unsigned long long>(mask));
    uint32_t same[state_words_max];
    std::memcpy(same, words, layout.word_count * sizeof *words);
    state_coding::Progress p = progress(history);
    const uint64_t written = state_coding::code_object(c, p, layout, mask, same);
    TERN_ASSERT(written == mask, "mask %llx as %llx", static_cast<unsigned long long>(mask),
                static_cast<unsigned long long>(written));
}

bool write(RangeEncoder &e, const StateLayout &layout, const History &history, uint64_t mask,
           const uint32_t *words)
{
    const RangeEncoder before = e;
    write_object(e, layout, history, mask, words);
    if (range_coder::fits(e)) return true;
    e = before;
    return false;
}

uint64_t read(RangeDecoder &d, const StateLayout &layout, const History &history, uint32_t *words)
{
    std::memcpy(words, history.at[0], layout.word_count * sizeof *words);
    state_coding::Progress p = progress(history);
    const uint64_t mask = state_coding::code_object(d, p, layout, 0, words);
    if (p.malformed || (mask == 0 && !layout.repeats)) range_coder::fail(d);
    return range_coder::failed(d) ? 0 : mask;
}

void write_presence(RangeEncoder &e, const StateLayout &layout, const History &history,
                    unsigned before, bool present)
{
    range_coder::code(
        e, present,
        state_coding::presence_probability(trained_probabilities, layout, history, before));
}

bool read_presence(RangeDecoder &d, const StateLayout &layout, const History &history,
                   unsigned before)
{
    return range_coder::code(
        d, false,
        state_coding::presence_probability(trained_probabilities, layout, history, before));
}

}
