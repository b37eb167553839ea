// docs/use/tutorial.md, steps 4 and 5: several processes play in one session.
//
//     example_tutorial_together [<invite>]
#include <cmath>
#include <cstdio>
#include <tern/invites.hpp>
#include <tern/io.hpp>
#include <tern/tern.hpp>
using namespace tern;

struct Player {
    float position[2]; // Metres.
};
TERN_FIELDS(Player, field(position, range(-100, 100), step(0.01)));

const Type types[] = {
    make_type<Player>("player",
                      {.objects_max = 64, .orphan = Orphan::destroy, .claim = ClaimPolicy::never}),
};

// Moves the player in a circle, each at another speed so that they meet.
static void walk(Session *session, Object<Player> mine, int tick)
{
    const float speed = 0.01f * static_cast<float>(local_peer(session));
    const float angle = speed * static_cast<float>(tick);
    set(session, mine, Player{{5 * std::cos(angle), 5 * std::sin(angle)}});
}

static void print_players(const Session *session)
{
    for (const Object<Player> id : object_ids<Player>(session)) {
        const Player &player = get(session, id);
        std::printf("player %u at (%.2f %.2f)  ", static_cast<unsigned>(object_owner(session, id)),
                    player.position[0], player.position[1]);
    }
    std::puts("");
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

static void report(const Event &event)
{
    const auto peer = static_cast<unsigned>(peer_of(event));
    switch (event.kind) {
    case EventKind::peer_joined: std::printf("player %u has joined\n", peer); break;
    case EventKind::peer_left: std::printf("player %u has left\n", peer); break;
    default: break;
    }
}

int main(int argc, char **argv)
{
    const MadeSocket made = make_udp_socket(0); // Any free port.
    if (!made.socket) return 1;
    Session *session = make_session({.types = types});
    if (!enter(session, made.socket, argc > 1 ? argv[1] : nullptr)) return 1;

    Object<Player> mine;
    for (int tick = 0; session_state(session) <= State::leaving; ++tick) {
        const uint64_t now_us = clock_us();
        for (const Event &event : receive(session, made.socket->receive(), now_us))
            report(event);
        if (session_state(session) == State::open) {
            if (!mine) mine = create(session, Player{});
            walk(session, mine, tick);
            if (tick % 60 == 0) print_players(session);
        }
        made.socket->send(send(session, now_us));
        std::fflush(stdout);
        sleep_us(16'667);
    }
    std::puts(state_text(session)); // Why the session has ended, and what to do.
    destroy_session(session);
    destroy_socket(made.socket);
}
