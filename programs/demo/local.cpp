#include "local.h"
#include "world.h"
#include <cstdio>

namespace demo::local {

static constexpr uint64_t search_us_max = 5'000'000;
static constexpr uint64_t look_interval_us = 20'000;

// Who is on ENet cannot play with who is not.
static const char *game_name(const Options &options)
{
    return options.socket == SocketKind::enet ? "tern-demo enet" : "tern-demo";
}

MadeLocal make_local(const Options &options, const Peer &peer)
{
    MadeLocal made = {};
    if (options.announce.empty()) return made;
    const MadeSocket socket = make_discovery_socket(discovery_port);
    if (!socket.socket) {
        made.error =
            "--announce: port " + std::to_string(discovery_port) + ": " + to_text(socket.error);
        return made;
    }
    Announcement announcement = {};
    announcement.game = game_name(options);
    announcement.name = options.announce.c_str();
    announcement.address = peer.socket->local_address();
    announcement.open = true;
    made.local = {socket.socket, make_announcer(announcement)};
    return made;
}

void destroy_local(Local &local)
{
    destroy_announcer(local.announcer);
    if (local.socket) destroy_socket(local.socket);
    local = {};
}

void tick(Local &local, const Peer &peer)
{
    if (!local.socket) return;
    const std::span<const Datagram> queries = local.socket->receive();
    local.socket->send(announce(local.announcer, peer.session, queries, clock_us()));
}

// The first of those that can be joined; null: there is none yet.
static const FoundSession *joinable(std::span<const FoundSession> sessions)
{
    for (const FoundSession &session : sessions)
        if (session.fit == Fit::fits && session.open) return &session;
    return nullptr;
}

static std::string why_none(std::span<const FoundSession> sessions)
{
    std::string why = "--find: no session to join on the local network";
    for (const FoundSession &session : sessions)
        why += "; one with " + std::to_string(session.players) +
               " players: " + (session.fit == Fit::fits ? "only by invite" : to_text(session.fit));
    return why;
}

FoundInvite search(const Options &options, const PeerSetup &setup)
{
    const MadeSocket made = make_discovery_socket(0);
    if (!made.socket) return {{}, std::string("--find: ") + to_text(made.error)};
    Config config = {};
    config.types = types;
    config.peers_max = setup.peers_max;
    config.quorum = setup.survivors ? Quorum::survivors : Quorum::majority;
    FinderConfig finder_config = {};
    finder_config.game = game_name(options);
    finder_config.config = &config;
    Finder *finder = make_finder(finder_config);
    const FoundSession *session = nullptr;
    for (const uint64_t end_us = clock_us() + search_us_max; !session && clock_us() < end_us;) {
        made.socket->send(find(finder, made.socket->receive(), clock_us()));
        session = joinable(found_sessions(finder));
        sleep_us(look_interval_us);
    }
    FoundInvite result = {};
    if (session) {
        result.invite = session->invite;
        std::printf("Found a session with %u players at %s\n", session->players,
                    to_text(session->invite.addresses[0]).text);
    } else {
        result.error = why_none(found_sessions(finder));
    }
    destroy_finder(finder);
    destroy_socket(made.socket);
    return result;
}

}
