#include "common/command_line.h"
#include "peer.h"
#include "tern/diagnostics.hpp"
#include "tern/discovery.hpp"
#include "tern/invites.hpp"

namespace demo {

// --- Each of these returns a description of the error, or an empty text ---

static std::string host_session(const Peer &peer, const Options &options)
{
    start(peer.session);
    Invite invite = peer::local_invite(peer, options);
    if (!options.address.empty()) {
        const ParsedAddress parsed = parse_address(options.address.c_str());
        if (parsed.error)
            return "--address: \"" + options.address + "\" is no address: " + parsed.error +
                   "; expected one like 192.0.2.1:7777";
        invite.addresses[0] = parsed.address;
    }
    std::printf("Others join with\n\n  tern-demo --socket %s --topology %s --join %s\n\n",
                options.socket.c_str(), options.topology.c_str(), to_text(invite).text);
    if (options.address.empty() && options.announce.empty())
        std::printf("from this machine only; --address makes an invite for others.\n");
    return "";
}

// A peer on ENet cannot play with peers on UDP.
static const char *game_name(const Options &options)
{
    return options.socket == "enet" ? "tern-demo enet" : "tern-demo";
}

static std::string join_found(const Peer &peer, const Options &options)
{
    const MadeSocket made = make_discovery_socket(0);
    if (!made.socket) return std::string("--find: ") + to_text(made.error);
    Finder *finder =
        make_finder({.game = game_name(options), .config = &session_config(peer.session)});
    std::string wrong;
    const uint64_t end_us = clock_us() + 5'000'000;
    while (session_state(peer.session) == State::idle && clock_us() < end_us) {
        made.socket->send(find(finder, made.socket->receive(), clock_us()));
        wrong = "--find: no session to join on the local network";
        for (const FoundSession &session : found_sessions(finder)) {
            if (session.fit == Fit::fits && session.open) {
                std::printf("Found a session with %u players at %s\n", session.players,
                            to_text(session.invite.addresses[0]).text);
                join(peer.session, session.invite);
                wrong = "";
                break;
            }
            wrong += "; one with " + std::to_string(session.players) + " players: " +
                     (session.fit == Fit::fits ? "only by invite" : to_text(session.fit));
        }
        sleep_us(20'000);
    }
    destroy_finder(finder);
    destroy_socket(made.socket);
    return wrong;
}

static std::string enter(const Peer &peer, const Options &options)
{
    if (options.port >= 0) return host_session(peer, options);
    if (options.find) return join_found(peer, options);
    const ParsedInvite parsed = parse_invite(options.invite.c_str());
    if (parsed.error) return "--join: \"" + options.invite + "\" is no invite: " + parsed.error;
    join(peer.session, parsed.invite);
    return "";
}

// --- The loop ---

// Plays until the session is over. The socket of the discovery may be null.
static void play_alone(Peer &peer, const Options &options, Socket *discovery)
{
    Announcer *announcer = make_announcer({.game = game_name(options),
                                           .name = options.announce.c_str(),
                                           .address = peer.socket->local_address(),
                                           .open = true});
    const uint64_t begun_us = clock_us(), play_us = options.seconds * uint64_t{1'000'000};
    uint64_t next_us = begun_us, shown_us = begun_us;
    while (session_state(peer.session) < State::left) {
        const uint64_t now_us = clock_us();
        const bool is_time_over = play_us > 0 && now_us - begun_us >= play_us;
        const bool is_leaving = session_state(peer.session) == State::leaving;
        if ((command_line::ended() || is_time_over) && !is_leaving) leave(peer.session);
        peer::tick(peer, true);
        if (discovery)
            discovery->send(announce(announcer, peer.session, discovery->receive(), now_us));
        if (now_us - shown_us >= 1'000'000) {
            std::printf("demo: %s\n", peer::text(peer::progress(peer)).c_str());
            shown_us = now_us;
        }
        peer::wait(next_us, options.hz);
    }
    std::printf("demo: %s\n", state_text(peer.session));
    destroy_announcer(announcer);
}

int run_alone(const Options &options)
{
    Config config = peer::make_config(options);
    config.name = options.port >= 0 ? "host" : "guest";
    config.peers_max = 16;
    config.timeout_ms = 5000;
    // A seed from the clock, so that guests on several machines do not play alike.
    const auto chance = static_cast<uint32_t>(clock_us() % 1'000'000);
    Peer peer = {};
    MadeSocket discovery = {};
    std::string wrong = peer::open(peer, options, config, options.port >= 0 ? 0 : 1 + chance);
    int status = wrong.empty() && !options.find ? 2 : 1; // To find no session is no mistake.
    if (wrong.empty()) wrong = enter(peer, options);
    if (wrong.empty() && !options.announce.empty()) {
        discovery = make_discovery_socket(discovery_port);
        if (!discovery.socket) wrong = std::string("--announce: ") + to_text(discovery.error);
    }
    if (wrong.empty()) {
        command_line::heed_signals();
        play_alone(peer, options, discovery.socket);
        status = session_state(peer.session) == State::left ? 0 : 1;
    } else {
        std::fprintf(stderr, "tern-demo: %s\n", wrong.c_str());
    }
    destroy_socket(discovery.socket);
    peer::close(peer);
    return status;
}

}
