// Encode cache: what was encoded for one peer in this send, to be copied for the next peer that
// needs the same: one object's fields, or a row of adjacent objects with their heads. Not part of
// the hashed state: what is missing here is encoded again, to the same bytes.
#pragma once
#include "replication/world/type_table.h"
#include "replication/world/world.h"

namespace tern {

enum class WrittenBehind : uint8_t {
    // The previous object of the cache is not directly before this one in a message.
    none,
    object,   // Directly after the previous one in the message.
    same_run, // Also in the SentRun of the previous one.
};

struct WrittenObject {
    Slot slot;
    uint32_t tick; // The value's tick.
    // A peer needs exactly these fields if its acked tick is at least acked_min and below
    // acked_end.
    uint32_t acked_min, acked_end;
    uint32_t end_bits;   // In _bytes; it begins where the previous one ends.
    uint16_t value_bits; // The fields are the last value_bits bits.
    TypeId type;
    WrittenBehind behind;
    uint64_t mask;
};

struct Noted { // The place of an object in the message that is being written.
    Slot slot;
    uint32_t tick;
    uint64_t mask;
    size_t begin_bits, end_bits;
    size_t value_bits;
    bool joins; // In one SentRun with the object before it in the message.
};

// All data are in the arrays, so the struct itself may lie in hashed memory.
struct WrittenCache { // Closed.
    struct Used {
        uint32_t objects, bytes;
        uint32_t kept; // Objects whose messages are in _bytes.
    };
    Flat<Used> _used; // A single element.
    Flat<WrittenObject> _objects;
    // Indexed by slot: a place in _objects, valid only if that object has this slot.
    Flat<uint32_t> _at;
    Flat<std::byte> _bytes;
};

namespace written_cache {

void place(flat::Builder &builder, WrittenCache &written, const TypeTable &types);
// Empties the cache. Until the next begin(), no value may change, and no object may be destroyed or
// change its tenure.
void begin(WrittenCache &written);

// Call it only if find() returned none.
void note(WrittenCache &written, const World &world, const TypeTable &types, const Noted &noted);
// Ends the message: find() returns its objects from now on.
void keep(WrittenCache &written, std::span<const std::byte> message);

inline constexpr uint32_t none = UINT32_MAX;
// The place of the object if it was encoded with the fields of `mask`; else none.
inline uint32_t find(const WrittenCache &written, Slot slot, uint64_t mask);
inline const WrittenObject &at(const WrittenCache &written, uint32_t place);
// The objects after that place, in the order in which they were written.
inline std::span<const WrittenObject> behind(const WrittenCache &written, uint32_t place);
// The bytes may be read for 8 bytes past the cached ones.
inline const std::byte *bytes(const WrittenCache &written);
// Whether a peer with this acked tick needs exactly these fields.
inline bool fits(const WrittenObject &object, uint32_t acked_tick);

// --- Inline ---

inline bool fits(const WrittenObject &object, uint32_t acked_tick)
{
    return acked_tick >= object.acked_min && acked_tick < object.acked_end;
}

inline uint32_t find(const WrittenCache &written, Slot slot, uint64_t mask)
{
    const uint32_t place = written._at[slot];
    if (place >= written._used[0].kept) return none;
    const WrittenObject &object = written._objects[place];
    return object.slot == slot && object.mask == mask ? place : none;
}

inline const WrittenObject &at(const WrittenCache &written, uint32_t place)
{
    return written._objects[place];
}

inline std::span<const WrittenObject> behind(const WrittenCache &written, uint32_t place)
{
    return written._objects.all().first(written._used[0].kept).subspan(place + 1);
}

inline const std::byte *bytes(const WrittenCache &written)
{
    return written._bytes.begin();
}

}
}
