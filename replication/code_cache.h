// What was coded of an object in this send, kept for the next peer that needs the same fields: a
// value is coded once and copied for each. Not state: what is not here is coded again.
#pragma once
#include "replication/written_cache.h"

namespace tern {

// The values of an object's fields as they travel, to be copied into a message. 8 bytes may be read
// behind them. No mask: that it is hidden.
struct CodedFields {
    uint64_t mask;
    const std::byte *bits;
    uint32_t bit_count;
    uint32_t field_count; // Of its type.
};

// All of it lies behind the struct, which may be among what is state.
struct CodeCache {        // Closed.
    Flat<uint32_t> _send; // One: which send it is. What was coded in another is void.
    Flat<uint32_t>
        _first; // By type: where its entries begin, one for each place in World's arrays.
    Flat<uint64_t> _words;
    WrittenCache written; // Open to publish.
};

namespace code_cache {

void place(flat::Builder &builder, CodeCache &cache, const TypeTable &types);
// From here to the next begin() no value changes.
void begin(CodeCache &cache);
// The fields of `mask`, which is not 0, of a living object. Valid until the next call.
CodedFields fields(CodeCache &cache, const World &world, const TypeTable &types, Slot slot,
                   uint64_t mask);

}
}
