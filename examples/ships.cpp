// A game of ships without a server, in which each player steers one ship. The first player prints
// an invite; the others pass it on the command line.
//
//     example_ships [--seconds <n>] [--address <ip:port>] [<invite>]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <tern/calls.hpp>
#include <tern/invites.hpp>
#include <tern/io.hpp>
#include <tern/tern.hpp>
using namespace tern;

struct Ship {
    float position[2];
    float heading; // Radians.
    int32_t health;
};
TERN_FIELDS(Ship, field(position, range(-1000, 1000), step(0.01)),
            field(heading, range(0, 6.3), step(0.01)), field(health, range(0, 100)));
struct Chat {
    char text[64];
};
TERN_FIELDS(Chat, text);

const Type types[] = {
    make_type<Ship>("ship",
                    {.objects_max = 64, .orphan = Orphan::destroy, .claim = ClaimPolicy::never}),
    make_type<Chat>("chat")};

struct Arguments {
    double seconds = 0; // How long to play; 0: until the process is ended.
    const char *address = nullptr;
    const char *invite = nullptr;
};

static Arguments read_arguments(int argc, char **argv)
{
    Arguments arguments;
    for (int i = 1; i < argc; ++i) {
        const bool has_value = i + 1 < argc;
        if (std::strcmp(argv[i], "--seconds") == 0 && has_value)
            arguments.seconds = std::atof(argv[++i]);
        else if (std::strcmp(argv[i], "--address") == 0 && has_value)
            arguments.address = argv[++i];
        else
            arguments.invite = argv[i];
    }
    return arguments;
}

// Starts a session, or joins the one of the invite. False if an argument is invalid.
static bool enter(Session *session, const Socket *socket, const Arguments &arguments)
{
    if (arguments.invite) {
        const ParsedInvite parsed = parse_invite(arguments.invite);
        if (parsed.error)
            std::fprintf(stderr, "this is no invite: %s\n", parsed.error);
        else
            join(session, parsed.invite);
        return !parsed.error;
    }
    Address address = loopback(socket->local_address().port);
    if (arguments.address) {
        const ParsedAddress parsed = parse_address(arguments.address);
        if (parsed.error) std::fprintf(stderr, "this is no address: %s\n", parsed.error);
        if (parsed.error) return false;
        address = parsed.address;
    }
    start(session);
    std::printf("invite: %s\n", to_text(make_invite(session, {&address, 1})).text);
    std::fflush(stdout);
    return true;
}

static void hear(Session *session, const Event &event)
{
    const auto peer = static_cast<unsigned>(peer_of(event));
    if (event.kind == EventKind::peer_joined) {
        std::printf("peer %u has come\n", peer);
        call(session, event.newcomer.peer, Chat{"welcome aboard"});
    }
    if (event.kind == EventKind::peer_left) std::printf("peer %u has gone\n", peer);
    if (const Chat *chat = find_arguments<Chat>(session, event))
        std::printf("peer %u says: %s\n", peer, chat->text);
}

static void steer(Session *session, Object<Ship> mine)
{
    Ship ship = get(session, mine);
    ship.heading = std::fmod(ship.heading + 0.02f, 6.28f);
    ship.position[0] += std::cos(ship.heading);
    ship.position[1] += std::sin(ship.heading);
    set(session, mine, ship);
}

static void print_ships(const Session *session)
{
    for (const Ship &ship : object_values<Ship>(session))
        std::printf("(%.1f %.1f) ", double{ship.position[0]}, double{ship.position[1]});
    std::printf("\n");
    std::fflush(stdout);
}

int main(int argc, char **argv)
{
    const Arguments given = read_arguments(argc, argv);
    const MadeSocket made = make_udp_socket(0);
    if (!made.socket) {
        std::fprintf(stderr, "no socket: %s\n", to_text(made.error));
        return 1;
    }
    Config config = {};
    config.types = types;
    Session *session = make_session(config);
    if (!enter(session, made.socket, given)) return 2;

    Object<Ship> mine;
    const uint64_t begun_us = clock_us();
    for (uint64_t tick = 0; session_state(session) != State::left; ++tick) {
        const uint64_t now_us = clock_us();
        for (const Event &event : receive(session, made.socket->receive(), now_us))
            hear(session, event);
        const State present = session_state(session);
        if (present == State::open && !mine) mine = create(session, Ship{{0, 0}, 0, 100});
        if (present == State::open && mine) steer(session, mine);
        if (tick % 60 == 0) print_ships(session);
        const bool over =
            given.seconds > 0 && static_cast<double>(now_us - begun_us) >= given.seconds * 1e6;
        if (over && (present == State::open || present == State::cut_off)) leave(session);
        made.socket->send(send(session, clock_us()));
        // The session has failed, or joining takes too long. state_text() below gives the reason.
        if (present > State::left || (over && present == State::joining)) break;
        sleep_us(16'000);
    }
    const bool well = session_state(session) == State::left;
    std::printf("%s\n", state_text(session));
    destroy_session(session);
    destroy_socket(made.socket);
    return well ? 0 : 1;
}
