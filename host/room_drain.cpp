// The drain of a room: it transfers all of its objects to the members, then leaves.
#include "host/room.h"
#include <algorithm>
#include <tern/ownership.hpp>
#include <tern/tern.hpp>
#include <tern/untyped.hpp>

using namespace tern;

namespace dedicated::room {

static constexpr uint64_t give_interval_us = 100'000;

void drain(Room &room, const Log &log)
{
    if (room.phase != RoomPhase::open) return;
    script::stop(room, log);
    room.phase = RoomPhase::giving;
    room.give_us = 0;
    log::write(log, LogLevel::info, "room_draining",
               {{"room", room.options.name},
                {"peers", other_peers(room.session).size()},
                {"objects_owned", owned(room)}});
}

// Whether the object is on its way to a member that is still in the session.
static bool is_given(const Room &room, ObjectId object)
{
    const auto gift = room.gifts.find(static_cast<uint64_t>(object));
    if (gift == room.gifts.end()) return false;
    const std::span<const PeerId> members = other_peers(room.session);
    return gift->second.stamp == object_stamp(room.session, object) &&
           std::binary_search(members.begin(), members.end(), gift->second.to);
}

// Transfers the object to the next member, in turn, that has caught up. False if there is none.
static bool give_one(Room &room, ObjectId object)
{
    const std::span<const PeerId> members = other_peers(room.session);
    for (size_t i = 0; i < members.size(); ++i) {
        const PeerId to = members[(room.next_member + i) % members.size()];
        const uint64_t present = object_stamp(room.session, object);
        if (!migrate(room.session, object, to)) continue;
        room.gifts[static_cast<uint64_t>(object)] = {to, present};
        room.next_member = (room.next_member + i + 1) % members.size();
        return true;
    }
    return false;
}

static void give_all(Room &room)
{
    const bool hosts = is_host(room);
    for (size_t type = 0; type < room.types->types.size(); ++type) {
        if (room.types->types[type].objects_max == 0) continue;
        for (const ObjectId object : object_ids(room.session, static_cast<TypeId>(type))) {
            const bool ours = exists(room.session, object) &&
                              object_owner(room.session, object) == local_peer(room.session);
            if (!ours) continue;
            if (!hosts)
                release_ownership(room.session,
                                  object); // Another peer is the host now and takes it over.
            else if (!is_given(room, object) && !give_one(room, object))
                return;
        }
    }
}

void give(Room &room, const Log &log, uint64_t now_us)
{
    if (session_state(room.session) != State::open) return;
    const bool alone = other_peers(room.session).empty();
    if (alone || owned(room) == 0) {
        if (alone && owned(room) > 0)
            log::write(log, LogLevel::warning, "objects_dropped",
                       {{"room", room.options.name},
                        {"count", owned(room)},
                        {"text", "nobody is there who could take them"}});
        leave(room.session);
        room.phase = RoomPhase::leaving;
        return;
    }
    if (now_us < room.give_us) return;
    room.give_us = now_us + give_interval_us;
    give_all(room);
}

}
