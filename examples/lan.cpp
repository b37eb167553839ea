// Players on one local network who need neither addresses nor invites: the first one starts a
// session and announces it, the others find it and join. Each player rolls a die every second.
//
//     example_lan [--seconds <n>] [<name>]
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <tern/discovery.hpp>
#include <tern/tern.hpp>
using namespace tern;

struct Die {
    int32_t eyes;
};
TERN_FIELDS(Die, field(eyes, range(1, 6)));
const Type types[] = {make_type<Die>(
    "die", {.objects_max = 16, .orphan = Orphan::destroy, .claim = ClaimPolicy::never})};

struct Arguments {
    double seconds = 0; // How long to play; 0: until the process is ended.
    const char *name = "somebody";
};

static Arguments read_arguments(int argc, char **argv)
{
    Arguments arguments;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--seconds") == 0 && i + 1 < argc)
            arguments.seconds = std::atof(argv[++i]);
        else
            arguments.name = argv[i];
    }
    return arguments;
}

// Joins the first session that it finds within two seconds; if there is none, starts one.
static void enter(Session *session, const Config &config)
{
    const MadeSocket made = make_discovery_socket(0);
    FinderConfig finder_config = {};
    finder_config.game = "tern dice";
    finder_config.config = &config;
    Finder *finder = make_finder(finder_config);
    const uint64_t end_us = clock_us() + 2'000'000;
    while (made.socket && session_state(session) == State::idle && clock_us() < end_us) {
        made.socket->send(find(finder, made.socket->receive(), clock_us()));
        for (const FoundSession &one : found_sessions(finder)) {
            if (session_state(session) != State::idle) break;
            if (one.fit == Fit::fits && one.open) join(session, one.invite);
        }
        sleep_us(10'000);
    }
    destroy_finder(finder);
    if (made.socket) destroy_socket(made.socket);
    if (session_state(session) == State::idle) start(session);
}

static void print_dice(const Session *session)
{
    for (const Object<Die> die : object_ids<Die>(session))
        std::printf("peer %u: %d  ", static_cast<unsigned>(object_owner(session, die)),
                    get(session, die).eyes);
    std::printf("\n");
    std::fflush(stdout);
}

int main(int argc, char **argv)
{
    const Arguments given = read_arguments(argc, argv);
    const MadeSocket game = make_udp_socket(0);
    // Every member announces the session, so that it can be found as long as any member is left.
    const MadeSocket lan = make_discovery_socket(discovery_port);
    if (!game.socket || !lan.socket) {
        std::fprintf(stderr, "no socket: %s\n", to_text(game.socket ? lan.error : game.error));
        return 1;
    }
    Config config = {};
    config.types = types;
    config.name = given.name;
    Session *session = make_session(config);
    enter(session, config);
    Announcement announcement = {};
    announcement.game = "tern dice";
    announcement.name = given.name;
    announcement.address = game.socket->local_address();
    announcement.open = true;
    Announcer *announcer = make_announcer(announcement);

    Object<Die> mine;
    const uint64_t begun_us = clock_us();
    for (uint64_t tick = 0; session_state(session) <= State::leaving; ++tick) {
        const uint64_t now_us = clock_us();
        receive(session, game.socket->receive(), now_us);
        lan.socket->send(announce(announcer, session, lan.socket->receive(), now_us));
        if (session_state(session) == State::open && tick % 60 == 0) {
            const Die rolled = {static_cast<int32_t>(1 + now_us / 16 % 6)};
            if (!mine) mine = create(session, rolled);
            if (mine) set(session, mine, rolled);
            print_dice(session);
        }
        const bool over =
            given.seconds > 0 && static_cast<double>(now_us - begun_us) >= given.seconds * 1e6;
        if (over && session_state(session) <= State::cut_off) leave(session);
        game.socket->send(send(session, clock_us()));
        sleep_us(16'000);
    }
    const bool well = session_state(session) == State::left;
    std::printf("%s\n", state_text(session));
    destroy_announcer(announcer);
    destroy_session(session);
    destroy_socket(lan.socket);
    destroy_socket(game.socket);
    return well ? 0 : 1;
}
