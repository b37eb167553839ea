// What was written to one peer in this send, to be copied for the next that needs the same: an
// object's fields, or many objects as they lie one behind the other in a message, heads and all.
// Not state: what is not here is coded, and the bytes are the same.
#pragma once
#include "replication/world/type_table.h"
#include "replication/world/world.h"

namespace tern {

enum class WrittenBehind : uint8_t {
    none,     // The one before is of another message, or was not noted.
    object,   // Written right behind the one before.
    same_run, // And in the SentRun of that one.
};

struct WrittenObject {
    Slot slot;
    uint32_t tick;                 // Of the value.
    uint32_t acked_min, acked_end; // Who has acked a tick of these needs these fields.
    uint32_t end_bits;             // In _bytes. It begins where the one before ends.
    uint16_t value_bits;           // The last of its bits are its fields.
    TypeId type;
    WrittenBehind behind;
    uint64_t mask;
};

struct Noted { // Where an object lies in the message that is being written.
    Slot slot;
    uint32_t tick;
    uint64_t mask;
    size_t begin_bits, end_bits;
    size_t value_bits;
    bool joins; // Of one SentRun with the object before it in the message.
};

// All of it lies behind the struct, which may be among what is state.
struct WrittenCache { // Closed.
    struct Used {
        uint32_t objects, bytes;
        uint32_t kept; // Of the objects: their messages are there.
    };
    Flat<Used> _used; // One.
    Flat<WrittenObject> _objects;
    Flat<uint32_t> _at; // By slot: its place in _objects, if that is of this slot.
    Flat<std::byte> _bytes;
};

namespace written_cache {

void place(flat::Builder &builder, WrittenCache &written, const TypeTable &types);
// What was written is void. From here to the next begin() no value changes, and no object dies or
// gets another tenure.
void begin(WrittenCache &written);

// Only if !find().
void note(WrittenCache &written, const World &world, const TypeTable &types, const Noted &noted);
// The end of the message: what was noted can be found from here on.
void keep(WrittenCache &written, std::span<const std::byte> message);

inline constexpr uint32_t none = UINT32_MAX;
// The place of an object with the fields of `mask`; none: it is not here.
inline uint32_t find(const WrittenCache &written, Slot slot, uint64_t mask);
inline const WrittenObject &at(const WrittenCache &written, uint32_t place);
// Those behind that place, in the order in which they were written.
inline std::span<const WrittenObject> behind(const WrittenCache &written, uint32_t place);
// 8 bytes may be read behind what is there.
inline const std::byte *bytes(const WrittenCache &written);
// Whether a peer that has acked `acked_tick` needs these fields, and no others.
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
