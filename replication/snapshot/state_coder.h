// One object's fields as arithmetic code: differences to what its history lets expect, in contexts
// that follow from the type table and the history alone, with chances that were trained once and
// are the same for all. Nothing is learned on the way, so that a packet that is lost takes nothing
// with it but its own states. Format: docs/decisions.md, "Coded states".
//
// Each object is a run of decisions in the one arithmetic code of its packet.
#pragma once
#include "replication/sampling/motion.h"
#include "replication/snapshot/range_coder.h"

namespace tern {

// What both sides know of an object: `at[0]` is the baseline. Words of its layout each.
struct History { // Open.
    Horizon horizon;
    const uint32_t *at[history_max]; // As many as the horizon has ages.
};

namespace state_coder {

// Appends the fields of `mask`, which are not none but where the layout repeats. False: it does not
// fit, and nothing was appended. At most coded_bytes_max.
bool write(RangeEncoder &e, const StateLayout &layout, const History &history, uint64_t mask,
           const uint32_t *words);

// Any bytes: `words` are within their layout in any case, those outside of the mask the baseline's.
// What the words must be besides, state_layout::from_words() knows. 0: the stream is
// malformed, or, where the layout repeats and it has not failed, they are the baseline's.
uint64_t read(RangeDecoder &d, const StateLayout &layout, const History &history, uint32_t *words);

// Whether the next object of a list that both sides know is there. `before`: bit 0 whether the one
// before it was, bit 1 the one before that.
void write_presence(RangeEncoder &e, const StateLayout &layout, const History &history,
                    unsigned before, bool present);
bool read_presence(RangeDecoder &d, const StateLayout &layout, const History &history,
                   unsigned before);

}
}
