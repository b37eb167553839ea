// The bits of an UPDATE message. Format: docs/wire_format.md, "UPDATE". Its reader is in publish.h.
#pragma once
#include "replication/code_cache.h"
#include "replication/publish.h"

namespace tern {

struct UpdateWriter { // Closed.
    BitWriter _writer;
    Ticks _ticks;
    uint32_t _tick; // Of the object before.
    uint64_t _mask; // 0: it was hidden.
    uint32_t _count;
    ObjectId _previous_object;
    Stamp _previous_stamp;
    TypeId _previous_type;
};

namespace update_codec {

UpdateWriter writer(std::span<std::byte> buffer, PeerId sender, uint32_t tick,
                    Ticks ticks = Ticks::one);
// The values of the fields of `mask`, which is not 0; how many bits. The buffer must hold a whole
// value.
size_t code(const TypeTable &types, TypeId type, const void *value, uint64_t mask,
            std::span<std::byte> buffer);
// As of `tick`: with Ticks::one the message's. False, and nothing is written, if it does not fit.
bool add(UpdateWriter &w, const Object &object, const CodedFields &coded, uint32_t tick);
// Objects as another writer has added them, behind the same object as here; there must be room.
// Their bits go from `begin_bits` of `from` to the last one's end. With them there are `count`.
void copy(UpdateWriter &w, const std::byte *from, size_t begin_bits, const WrittenObject &last,
          const Object &last_object, uint32_t count);
inline constexpr size_t end_bits = 2;    // What finish() writes.
size_t bit_count(const UpdateWriter &w); // So far.
// Bytes of the message, which may be followed by zeros; 0 if nothing was added.
size_t finish(UpdateWriter &w);

// Overwrites what it tells of a value of its type. False: it is not as code() writes it, and the
// value means nothing.
bool read_fields(const Update &update, const TypeTable &types, void *value);

}
}
