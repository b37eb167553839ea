// What was written to one peer in this send, to be copied for the next that needs the same: objects
// as they lie one behind the other in a message, heads and all. Not state: what is not here is
// written object by object, and the bytes are the same.
#pragma once
#include "replication/type_table.h"
#include "replication/world.h"

namespace tern {

struct WrittenObject {
    Slot slot;
    uint32_t tick;                 // Of the value.
    uint32_t acked_min, acked_end; // Who has acked a tick of these needs these fields.
    uint32_t end_bits;             // In _bytes. It begins where the one before ends.
    TypeId type;
    bool follows; // Written right behind the one before.
    bool joins;   // The SentRun of that one.
    uint8_t zero;
    uint64_t mask;
};

struct Noted { // Where an object lies in the message that is being written.
    Slot slot;
    uint32_t tick;
    uint64_t mask;
    size_t begin_bits, end_bits;
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
// From here to the next begin() no value changes, and no object dies or gets another tenure.
void begin(WrittenCache &written);

// Only if !find().
void note(WrittenCache &written, const World &world, const TypeTable &types, const Noted &noted);
// The end of the message: what was noted can be found from here on.
void keep(WrittenCache &written, std::span<const std::byte> message);

inline constexpr uint32_t none = UINT32_MAX;
// The place of an object as a peer needs it that has acked `acked_tick`; none: it is not here.
inline uint32_t find(const WrittenCache &written, Slot slot, uint32_t acked_tick);
// Those behind that place, in the order in which they were written.
inline std::span<const WrittenObject> behind(const WrittenCache &written, uint32_t place);
inline uint32_t end_bits(const WrittenCache &written, uint32_t place);
inline const std::byte *bytes(const WrittenCache &written);
inline bool fits(const WrittenObject &object, uint32_t acked_tick);

// --- Inline ---

inline bool fits(const WrittenObject &object, uint32_t acked_tick)
{
    return acked_tick >= object.acked_min && acked_tick < object.acked_end;
}

inline uint32_t find(const WrittenCache &written, Slot slot, uint32_t acked_tick)
{
    const uint32_t place = written._at[slot];
    if (place >= written._used[0].kept) return none;
    const WrittenObject &object = written._objects[place];
    return object.slot == slot && fits(object, acked_tick) ? place : none;
}

inline std::span<const WrittenObject> behind(const WrittenCache &written, uint32_t place)
{
    return written._objects.all().first(written._used[0].kept).subspan(place + 1);
}

inline uint32_t end_bits(const WrittenCache &written, uint32_t place)
{
    return written._objects[place].end_bits;
}

inline const std::byte *bytes(const WrittenCache &written)
{
    return written._bytes.begin();
}

}
}
