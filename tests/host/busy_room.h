// A LiveRoom in which much happens: players join and leave, create, move, claim and destroy
// objects, and shout. The tests of the status page use it.
#pragma once
#include "tern/calls.hpp"
#include "tern/diagnostics.hpp"
#include "tern/untyped.hpp"
#include "tests/host/http/live_board.h"
#include <algorithm>
#include <cmath>
#include <random>

namespace dedicated::test {

inline constexpr const char *hostile_name = "<img src=x onerror=a()>\xe2\x80\xae";

struct BusyRoom {
    LiveRoom room;
    std::mt19937 dice{5};
    size_t objects_each;

    explicit BusyRoom(size_t clients, size_t each = 12)
        : room(3, {15, 45, 0.02f, 0.001f},
               static_cast<uint16_t>(std::max<size_t>(16, clients + 1))),
          objects_each(each)
    {
        static const char *names[] = {"Marlin",  "Sandwich", hostile_name, "Arctic",  "Little",
                                      "Roseate", "Caspian",  "Forster",    "Gull-b.", "Whiskered",
                                      "",        "Fairy",    "Sooty",      "Black"};
        for (size_t i = 0; i < clients; ++i)
            room.add(i < std::size(names) ? names[i] : ("player " + std::to_string(i)).c_str());
    }

    // True `per_second` times a second on average, for players that act five times a second.
    bool chance(double per_second)
    {
        return std::uniform_real_distribution<>(0, 1)(dice) < per_second / 5;
    }
    void play(Member &member)
    {
        tern::Session *const session = member.session;
        const tern::PeerId self = tern::local_peer(session);
        // Each player acts five times a second.
        if (tern::session_state(session) != tern::State::open ||
            (room.now_us / 33'333 + static_cast<uint64_t>(self)) % 6 != 0)
            return;
        size_t owned = 0;
        const auto objects = static_cast<double>(tern::session_stats(session).objects + 1);
        const double claims_per_second = 2 / objects / static_cast<double>(room.members.size());
        // Rates do not depend on the number of objects, so a few change and move each second. Some
        // players claim more often than others.
        const double greed = 0.1 + static_cast<double>(static_cast<unsigned>(self) % 5);
        for (const tern::TypeId type : {crate_type, ghost_type})
            for (const tern::ObjectId object : tern::object_ids(session, type)) {
                if (!tern::exists(session, object)) continue;
                const bool own = tern::object_owner(session, object) == self;
                owned += own;
                const auto angle = static_cast<float>(room.now_us % 7'000'000) / 7e6f * 6.28f;
                if (own && chance(200 / objects))
                    tern::set(session, tern::Object<Crate>{object},
                              Crate{{std::cos(angle), std::sin(angle)}});
                if (own && &member != &room.host() && chance(0.01)) tern::destroy(session, object);
                if (!own && chance(claims_per_second * greed)) tern::claim(session, object);
            }
        if (owned < objects_each / 2 && chance(2))
            tern::create(session, dice() % 3 == 0 ? ghost_type : crate_type, Crate{});
        if (chance(5 / static_cast<double>(room.members.size())))
            tern::call(session, tern::PeerId::everyone, shout_type, Shout{"mine!"},
                       tern::Reliability::reliable);
    }
    void step()
    {
        room.step([this](Member &member) { play(member); });
    }
    // Takes a status each second, as the host's tick loop does.
    HostStatus run_seconds(size_t seconds)
    {
        RoomStatus status;
        for (size_t i = 0; i < seconds; ++i) {
            for (int tick = 0; tick < 30; ++tick)
                step();
            status = room.status();
        }
        HostStatus out = host_status(std::move(status), room.now_us);
        out.ticks.count = room.now_us / 33'333;
        out.ticks.sum_us = out.ticks.count * 2'100;
        out.cpu_us = room.now_us / 12;
        out.resident_bytes = 48'000'000;
        return out;
    }
};

}
