// The game of docs/use/tutorial.md: players walk in circles and take a ball from each other.
//
//     example_tutorial [<invite>]
#include <cmath>
#include <csignal>
#include <cstdio>
#include <tern/calls.hpp>
#include <tern/invites.hpp>
#include <tern/io.hpp>
#include <tern/prediction.hpp>
#include <tern/tern.hpp>
using namespace tern;

struct Player {
    float position[2]; // Metres.
};
// An error of 5 cm is not worth an update.
TERN_FIELDS(Player, field(position, range(-100, 100), step(0.01), bound(0.05)));
struct Ball {
    float position[2];
};
TERN_FIELDS(Ball, field(position, range(-100, 100), step(0.01)));
struct Shout {
    char text[32];
};
TERN_FIELDS(Shout, text);

const Type types[] = {
    make_type<Player>("player",
                      {.objects_max = 64, .orphan = Orphan::destroy, .claim = ClaimPolicy::never}),
    make_type<Ball>("ball", {.objects_max = 1,
                             .orphan = Orphan::to_host,
                             .claim = ClaimPolicy::always,
                             .claim_cooldown_ms = 2000}),
    make_type<Shout>("shout"),
};

// Moves the player in a circle, each at another speed so that they meet.
static void walk(Session *session, Object<Player> mine, int tick)
{
    const float speed = 0.01f * static_cast<float>(local_peer(session));
    const float angle = speed * static_cast<float>(tick);
    set(session, mine, Player{{5 * std::cos(angle), 5 * std::sin(angle)}});
}

static void print_players(const Session *session, uint64_t now_us)
{
    for (const Object<Player> id : object_ids<Player>(session)) {
        Player player = {};
        sample(session, id, now_us - 100'000, player); // The position a tenth of a second ago.
        std::printf("player %u at (%.2f %.2f)  ", static_cast<unsigned>(object_owner(session, id)),
                    player.position[0], player.position[1]);
    }
    std::puts("");
}

// The owner carries the ball; another player that comes near claims it.
static void play_ball(Session *session, Object<Player> mine)
{
    if (object_ids<Ball>(session).empty()) {
        if (host_peer(session) == local_peer(session)) create(session, Ball{});
        return;
    }
    const Object<Ball> ball = object_ids<Ball>(session)[0];
    const Player &player = get(session, mine);
    if (object_owner(session, ball) == local_peer(session)) {
        set(session, ball, Ball{{player.position[0], player.position[1]}});
        return;
    }
    const float *at = get(session, ball).position;
    if (std::hypot(at[0] - player.position[0], at[1] - player.position[1]) < 2)
        claim(session, ball);
}

// Asks for the ball: a call to the peer that owns it at present.
static void shout(Session *session)
{
    for (const Object<Ball> ball : object_ids<Ball>(session))
        if (object_owner(session, ball) != local_peer(session))
            call_owner(session, ball, Shout{"over here!"});
}

// Starts a session and prints its invite, or joins the session of the given invite.
static bool enter(Session *session, const Socket *socket, const char *invite_text)
{
    if (!invite_text) {
        start(session);
        const Address address = loopback(socket->local_address().port);
        std::printf("invite: %s\n", to_text(make_invite(session, {&address, 1})).text);
        return true;
    }
    const ParsedInvite parsed = parse_invite(invite_text);
    if (parsed.error) std::printf("this is not an invite: %s\n", parsed.error);
    if (!parsed.error) join(session, parsed.invite);
    return !parsed.error;
}

static void report(const Session *session, const Event &event)
{
    const auto peer = static_cast<unsigned>(peer_of(event));
    switch (event.kind) {
    case EventKind::peer_joined: std::printf("player %u has joined\n", peer); break;
    case EventKind::peer_left: std::printf("player %u has left\n", peer); break;
    case EventKind::owner_changed:
        if (find_object<Ball>(session, event.owner.object))
            std::printf("player %u has the ball\n", peer);
        break;
    case EventKind::call:
        if (const Shout *heard = find_arguments<Shout>(session, event))
            std::printf("player %u shouts: %s\n", peer, heard->text);
        break;
    case EventKind::host_changed: std::printf("player %u is the host now\n", peer); break;
    default: break;
    }
}

static volatile std::sig_atomic_t interrupted = 0; // Ctrl-C sets it.

int main(int argc, char **argv)
{
    std::signal(SIGINT, [](int) { interrupted = 1; });
    const MadeSocket made = make_udp_socket(0); // Any free port.
    if (!made.socket) return 1;
    Session *session = make_session({.types = types, .timeout_ms = 3000});
    if (!enter(session, made.socket, argc > 1 ? argv[1] : nullptr)) return 1;

    Object<Player> mine;
    for (int tick = 0; session_state(session) <= State::leaving; ++tick) {
        const uint64_t now_us = clock_us();
        for (const Event &event : receive(session, made.socket->receive(), now_us))
            report(session, event);
        if (session_state(session) == State::open) {
            if (!mine) mine = create(session, Player{});
            walk(session, mine, tick);
            play_ball(session, mine);
            if (tick % 180 == 0) shout(session);
            if (tick % 60 == 0) print_players(session, now_us);
        }
        if (interrupted && session_state(session) < State::leaving) leave(session);
        made.socket->send(send(session, now_us));
        std::fflush(stdout);
        sleep_us(16'667);
    }
    std::puts(state_text(session)); // Why the session has ended, and what to do.
    destroy_session(session);
    destroy_socket(made.socket);
}
