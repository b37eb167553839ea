#include "bench/pairs/star.h"
#include "tern/diagnostics.hpp"

using namespace tern;

namespace bench::star {

Star make(std::span<const Type> types, std::span<Socket *const> sockets,
          uint32_t send_bytes_per_second_max, const Parallel &parallel)
{
    Config config;
    config.types = types;
    config.topology = Topology::star;
    config.peers_max = static_cast<uint16_t>(sockets.size());
    config.send_bytes_per_second_max = send_bytes_per_second_max;
    config.timeout_ms = 60'000;
    config.join_timeout_ms = 120'000;
    Star made = {{}, {sockets.begin(), sockets.end()}, star_tick_us};
    for (size_t i = 0; i < sockets.size(); ++i) {
        config.parallel = i == 0 ? parallel : Parallel{};
        made.sessions.push_back(make_session(config));
    }
    start(made.sessions[0]);
    return made;
}

void destroy(Star &star)
{
    for (Session *session : star.sessions)
        destroy_session(session);
    star = {};
}

void join(Star &star, size_t client)
{
    const Address at = loopback(star.sockets[0]->local_address().port);
    tern::join(star.sessions[client], make_invite(star.sessions[0], {&at, 1}));
}

std::span<const Event> receive(Star &star, size_t i)
{
    return tern::receive(star.sessions[i], star.sockets[i]->receive(), star.now_us);
}

void send(Star &star, size_t i)
{
    star.sockets[i]->send(tern::send(star.sessions[i], star.now_us));
}

void clients_tick(Star &star)
{
    for (size_t i = 1; i < star.sessions.size(); ++i) {
        if (session_state(star.sessions[i]) == State::idle) continue;
        receive(star, i);
        send(star, i);
    }
}

void host_tick(Star &star)
{
    receive(star, 0);
    send(star, 0);
}

bool is_open(const Star &star, size_t i)
{
    return session_state(star.sessions[i]) == State::open;
}

bool is_equal(const Star &star)
{
    for (const Session *session : star.sessions)
        if (world_digest(session) != world_digest(star.sessions[0])) return false;
    return true;
}

}
