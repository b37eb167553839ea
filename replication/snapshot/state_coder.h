// Codes one object's fields arithmetically: as differences from the prediction by its history, with
// fixed probabilities that were trained once. The contexts depend on the type table and the history
// alone. Nothing is learned while running, so a lost packet loses only its own states. Format:
// docs/decisions.md, "Coded states".
//
// Each object is a sequence of decisions in the one arithmetic code of its packet.
#pragma once
#include "replication/sampling/motion.h"
#include "replication/snapshot/range_coder.h"

namespace tern {

// The states of an object that both sides know, each in the words of its layout; at[0] is the
// baseline.
struct History { // Open.
    Horizon horizon;
    const uint32_t *at[history_max]; // One for each state of the horizon.
};

namespace state_coder {

// Appends the fields of `mask`, which may be 0 only if the layout repeats. False: it does not fit,
// and nothing was appended.
bool write(RangeEncoder &e, const StateLayout &layout, const History &history, uint64_t mask,
           const uint32_t *words);

// Reads any bytes and returns the mask of the fields that were coded. The words are within their
// layout in any case, and those of other fields are the baseline's; state_layout::from_words()
// checks the rest. 0: the stream is malformed, or, all words are the baseline's.
uint64_t read(RangeDecoder &d, const StateLayout &layout, const History &history, uint32_t *words);

// Whether the snapshot carries the next entry of a list that both sides know. `before`: bit 0 is
// the decision for the previous entry, bit 1 for the one before that.
void write_presence(RangeEncoder &e, const StateLayout &layout, const History &history,
                    unsigned before, bool present);
bool read_presence(RangeDecoder &d, const StateLayout &layout, const History &history,
                   unsigned before);

}
}
