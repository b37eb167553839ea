// Memory for ReadUpdates, for code that has no session.
#pragma once
#include "migration/replica.h"
#include <vector>

namespace tern {

struct UpdateRoom {
    explicit UpdateRoom(const TypeTable &types)
    {
        const ReadRoom room = publish::read_room(types);
        parts.resize(room.parts);
        values.resize(room.value_bytes);
        read.parts = parts;
        read.values = values;
    }
    UpdateRoom(const UpdateRoom &) = delete;

    std::vector<Update> parts;
    std::vector<std::byte> values;
    ReadUpdates read = {};
};

// Whether a session would accept the message.
inline bool is_accepted(const World &world, const TypeTable &types, PeerId sender,
                        std::span<const std::byte> message)
{
    UpdateRoom room(types);
    return publish::read(room.read, world, types, sender, message);
}

// A packet with this message alone.
inline Verdict receive_updates(Replica &r, PeerId from, std::span<const std::byte> message)
{
    UpdateRoom room(*r.types);
    if (!publish::read(room.read, r.world, *r.types, from, message)) return Verdict::malformed;
    return replica::receive_updates(r, from, room.read);
}

}
