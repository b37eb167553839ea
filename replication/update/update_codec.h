// Writes the bits of an UPDATE message. publish.h declares what reads one. Format:
// docs/wire_format.md, "UPDATE".
#pragma once
#include "replication/update/encode_cache.h"
#include "replication/update/publish.h"

namespace tern {

// A message begins with this. gap_bits: the shortest code of a gap between two serials has one bit
// more. It decides how long the message gets, not what it means; see Publisher::gap_bits.
struct UpdateHead {
    PeerId sender;
    uint32_t tick;
    Ticks ticks = Ticks::one;
    uint8_t gap_bits = 0;
};

struct UpdateWriter { // Closed.
    BitWriter _writer;
    const TypeTable *_types;
    Ticks _ticks;
    uint8_t _gap_bits;
    uint32_t _tick; // The tick of the previous object.
    uint64_t _mask; // The mask of the previous object; 0: it was hidden.
    uint32_t _count;
    uint32_t _value_bits; // Bits of the last object's fields.
    ObjectId _previous_object;
    Stamp _previous_stamp;
    TypeId _previous_type;
};

namespace update_codec {

UpdateWriter writer(const TypeTable &types, std::span<std::byte> buffer, const UpdateHead &head);
// Appends an object's fields of `mask` at `tick`, which with Ticks::one is the tick of the message.
// Mask 0 announces that the object is hidden; `value` is then not read. False: it does not fit, and
// nothing was written.
bool add(UpdateWriter &w, const KnownObject &object, uint64_t mask, const void *value,
         uint32_t tick);
// Like add(), with fields that another writer encoded. `from` must be readable for 8 bytes after
// them.
bool add_coded(UpdateWriter &w, const KnownObject &object, const EncodedObject &cache,
               const std::byte *from, uint32_t tick);
// Objects that another writer encoded after the same object as the last one here.
struct EncodedRun {
    const std::byte *from;
    size_t begin_bits; // Their bits begin here, and end with those of `last`.
    uint32_t count;
    const EncodedObject &last;
    const KnownObject &last_object;
};
// Appends them; there must be room.
void copy(UpdateWriter &w, const EncodedRun &run);
inline constexpr size_t end_bits = 3;     // The bits that finish() writes.
size_t bit_count(const UpdateWriter &w);  // Bits written so far.
size_t value_bits(const UpdateWriter &w); // Bits of the last object's fields.
// Returns the size of the message in bytes, after which zeros may follow; 0: no object was added.
size_t finish(UpdateWriter &w);

}
}
