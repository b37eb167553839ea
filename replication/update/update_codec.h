// The bits of an UPDATE message. Format: docs/wire_format.md, "UPDATE".
#pragma once
#include "replication/update/publish.h"
#include "replication/update/written_cache.h"

namespace tern {

struct UpdateWriter { // Closed.
    BitWriter _writer;
    Ticks _ticks;
    uint32_t _tick; // Of the object before.
    uint64_t _mask; // 0: it was hidden.
    uint32_t _count;
    uint32_t _value_bits; // Of the last object.
    ObjectId _previous_object;
    Stamp _previous_stamp;
    TypeId _previous_type;
};

namespace update_codec {

UpdateWriter writer(std::span<std::byte> buffer, PeerId sender, uint32_t tick,
                    Ticks ticks = Ticks::one);
// An object's fields of `mask`, as of `tick`: with Ticks::one the message's. No mask: that it is
// hidden; then `value` is not read. False, and nothing is written, if it does not fit.
bool add(UpdateWriter &w, const TypeTable &types, const Object &object, uint64_t mask,
         const void *value, uint32_t tick);
// The same object, with fields that another writer has coded in `from`, which goes on for 8 bytes
// behind them.
bool add_coded(UpdateWriter &w, const TypeTable &types, const Object &object,
               const WrittenObject &written, const std::byte *from, uint32_t tick);
// Objects as another writer has added them, behind the same object as here; there must be room.
// Their bits go from `begin_bits` of `from` to the last one's end. With them there are `count`.
void copy(UpdateWriter &w, const std::byte *from, size_t begin_bits, const WrittenObject &last,
          const Object &last_object, uint32_t count);
inline constexpr size_t end_bits = 2;     // What finish() writes.
size_t bit_count(const UpdateWriter &w);  // So far.
size_t value_bits(const UpdateWriter &w); // Of the last object's fields.
// Bytes of the message, which may be followed by zeros; 0 if nothing was added.
size_t finish(UpdateWriter &w);

// The object that the first one of a message is coded relative to.
ObjectId before_first(PeerId sender);
// Reads an object's part of a message up to its values. `as_before`: the message has only a 1 bit
// in place of the head, so the object is the next one of the same creator, with the tenure, type,
// tick and mask of the one before. The reader fails if add() would have coded this otherwise.
void read_head(UpdateReader &r, Update &update, bool as_before);
// Overwrites what it tells of a value of its type. False: it is not as add() writes it, and the
// value means nothing.
bool read_fields(const Update &update, const TypeTable &types, void *value);

}
}
