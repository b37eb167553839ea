// Encode cache: what was encoded for one peer in this send, to be copied for the next peer that
// needs the same: one object's fields, or a row of adjacent objects with their heads. Not part of
// the hashed state: what is missing here is encoded again, to the same bytes.
#pragma once
#include "replication/world/type_table.h"
#include "replication/world/world.h"

namespace tern {

enum class Adjacency : uint8_t {
    // The previous object of the cache is not directly before this one in a message.
    none,
    object,   // Directly after the previous one in the message.
    same_run, // Also in the SentRun of the previous one.
};

struct EncodedObject {
    ObjectSlot slot;
    uint32_t tick; // The value's tick.
    // A peer needs exactly these fields if its acked tick is at least acked_min and below
    // acked_end.
    uint32_t acked_min, acked_end;
    uint32_t end_bits;   // In _bytes; it begins where the previous one ends.
    uint16_t value_bits; // The fields are the last value_bits bits.
    TypeId type;
    Adjacency adjacency;
    uint64_t mask;
};

struct EncodedSpan { // The place of an object in the message that is being written.
    ObjectSlot slot;
    uint32_t tick;
    uint64_t mask;
    size_t begin_bits, end_bits;
    size_t value_bits;
    bool joins; // In one SentRun with the object before it in the message.
};

// All data are in the arrays, so the struct itself may lie in hashed memory.
struct EncodeCache { // Closed.
    struct Used {
        uint32_t objects, bytes;
        uint32_t kept; // Objects whose messages are in _bytes.
    };
    Flat<Used> _used; // A single element.
    Flat<EncodedObject> _objects;
    // Indexed by slot: a place in _objects, valid only if that object has this slot.
    Flat<uint32_t> _at;
    Flat<std::byte> _bytes;
};

namespace encode_cache {

void place(flat::Builder &builder, EncodeCache &cache, const TypeTable &types);
// Empties the cache. Until the next begin(), no value may change, and no object may be destroyed or
// change its tenure.
void begin(EncodeCache &cache);

// Call it only if find() returned none.
void note(EncodeCache &cache, const World &world, const TypeTable &types, const EncodedSpan &noted);
// Ends the message: find() returns its objects from now on.
void keep(EncodeCache &cache, std::span<const std::byte> message);

inline constexpr uint32_t none = UINT32_MAX;
// The place of the object if it was encoded with the fields of `mask`; else none.
inline uint32_t find(const EncodeCache &cache, ObjectSlot slot, uint64_t mask);
inline const EncodedObject &at(const EncodeCache &cache, uint32_t place);
// The objects after that place, in the order in which they were written.
inline std::span<const EncodedObject> following(const EncodeCache &cache, uint32_t place);
// The bytes may be read for 8 bytes past the cached ones.
inline const std::byte *bytes(const EncodeCache &cache);
// Whether a peer with this acked tick needs exactly these fields.
inline bool fits(const EncodedObject &object, uint32_t acked_tick);

// --- Inline ---

inline bool fits(const EncodedObject &object, uint32_t acked_tick)
{
    return acked_tick >= object.acked_min && acked_tick < object.acked_end;
}

inline uint32_t find(const EncodeCache &cache, ObjectSlot slot, uint64_t mask)
{
    const uint32_t place = cache._at[slot];
    if (place >= cache._used[0].kept) return none;
    const EncodedObject &object = cache._objects[place];
    return object.slot == slot && object.mask == mask ? place : none;
}

inline const EncodedObject &at(const EncodeCache &cache, uint32_t place)
{
    return cache._objects[place];
}

inline std::span<const EncodedObject> following(const EncodeCache &cache, uint32_t place)
{
    return cache._objects.all().first(cache._used[0].kept).subspan(place + 1);
}

inline const std::byte *bytes(const EncodeCache &cache)
{
    return cache._bytes.begin();
}

}
}
