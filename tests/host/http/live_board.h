// A room of a host with clients, over the simulated network in virtual time, and its board: what
// the status of a dedicated host is made of, without a process.
#pragma once
#include "host/http/board.h"
#include "host/watch.h"
#include <cstdlib>
#include <string>
#include <tern/sim.hpp>
#include <tern/tern.hpp>
#include <vector>

namespace dedicated::test {

struct Crate {
    float position[2];
};
struct Shout {
    char text[16];
};
inline const tern::Field crate_fields[] = {
    {"position", tern::FieldKind::float32, offsetof(Crate, position), 2, -100, 100, 0.01}};
inline const tern::Field shout_fields[] = {
    {"text", tern::FieldKind::text, offsetof(Shout, text), sizeof(Shout::text)}};
enum : tern::TypeId { crate_type, ghost_type, shout_type };
inline const tern::Type room_types[] = {
    {"crate", sizeof(Crate), crate_fields, 2000},
    {"ghost", sizeof(Crate), crate_fields, 2000, tern::Orphan::destroy},
    {"shout", sizeof(Shout), shout_fields}};

struct Member {
    tern::Session *session = nullptr;
    tern::Socket *socket = nullptr;
    std::vector<tern::Event> events; // Of the last step. Their pointers are void.
};

// members[0] is the host, which is watched.
struct LiveRoom {
    tern::SimNetwork *network;
    tern::Config config = {};
    tern::Address host_address = {};
    std::vector<Member> members;
    uint64_t now_us = 1'000'000;
    Watch watch;

    explicit LiveRoom(uint64_t seed = 1, tern::Impairment impairment = {10, 30, 0, 0},
                      uint16_t peers_max = 16)
    {
        network = tern::make_sim_network({seed, impairment, 65'536});
        tern::advance(network, now_us);
        config.types = room_types;
        config.topology = tern::Topology::star;
        config.timeout_ms = 2000;
        config.peers_max = peers_max;
        add("the host");
    }
    LiveRoom(const LiveRoom &) = delete;
    ~LiveRoom()
    {
        for (const Member &member : members)
            tern::destroy_session(member.session);
        tern::destroy_sim_network(network);
    }

    static tern::Address address_of(size_t i)
    {
        tern::Address address = {};
        address.ip[10] = address.ip[11] = 0xff;
        address.ip[12] = 10;
        address.ip[14] = static_cast<uint8_t>(i / 250);
        address.ip[15] = static_cast<uint8_t>(i % 250 + 1);
        address.port = 7777;
        return address;
    }

    Member &host() { return members[0]; }

    // The first starts the session, the others join it.
    size_t add(const char *name)
    {
        config.name = name;
        Member member;
        const tern::Address address = address_of(members.size());
        member.session = tern::make_session(config);
        member.socket = tern::make_sim_socket(network, address);
        tern::receive(member.session, {}, now_us);
        if (members.empty()) {
            host_address = address;
            tern::start(member.session);
        } else {
            tern::join(member.session, tern::make_invite(host().session, {&host_address, 1}));
        }
        members.push_back(member);
        return members.size() - 1;
    }

    // A tick of everybody; the host's watch is told.
    template <class Play> void step(Play play)
    {
        now_us += 33'333;
        tern::advance(network, now_us);
        for (Member &member : members) {
            const std::span<const tern::Event> events =
                tern::receive(member.session, member.socket->receive(), now_us);
            member.events.assign(events.begin(), events.end());
            if (&member == &host()) watch::note_events(watch, member.session, events, now_us);
            play(member);
            member.socket->send(tern::send(member.session, now_us));
        }
    }
    void step()
    {
        step([](Member &) {});
    }
    void run_seconds(double seconds)
    {
        for (const uint64_t end_us = now_us + static_cast<uint64_t>(seconds * 1e6);
             now_us < end_us;)
            step();
    }
    // False if it does not come to hold within 30 s of virtual time.
    template <class Condition> bool step_until(Condition condition)
    {
        for (int i = 0; i < 900; ++i) {
            if (condition()) return true;
            step();
        }
        return false;
    }
    bool all_open()
    {
        return step_until([&] {
            for (const Member &member : members)
                if (tern::session_state(member.session) != tern::State::open) return false;
            return tern::other_peers(host().session).size() + 1 == members.size();
        });
    }

    RoomStatus status()
    {
        RoomStatus room = watch::status(watch, host().session, room_types, now_us);
        room.name = "main";
        room.topology = "star";
        room.port = 7777;
        room.invite = "tern:secret";
        room.takes_newcomers = true;
        room.peers_max = config.peers_max;
        return room;
    }
};

inline HostStatus host_status(RoomStatus room, uint64_t now_us)
{
    HostStatus status = {};
    status.version = "1.2.3";
    status.name = "test";
    status.now_us = now_us;
    status.started_unix_s = 1'700'000'000;
    status.ready = true;
    status.ticks.hz = 30;
    status.rooms.push_back(std::move(room));
    return status;
}

}
