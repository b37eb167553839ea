// A host that plays with one guest, which may be written in any language (bindings/). The guest
// takes the ball, throws it to (3, 4) and cheers; the host answers, and ends when the guest leaves.
//
//     example_meet        prints an invite
#include <cstdio>
#include <tern/calls.hpp>
#include <tern/invites.hpp>
#include <tern/io.hpp>
#include <tern/tern.hpp>
using namespace tern;

struct Ball {
    float x, y;
    uint16_t touches;
};
TERN_FIELDS(Ball, field(x, range(-100, 100), step(0.01)), field(y, range(-100, 100), step(0.01)),
            touches);
struct Cheer { // A call that the guest makes.
    char words[32];
};
TERN_FIELDS(Cheer, words);
struct Thanks { // The host's reply.
    int32_t touches;
};
TERN_FIELDS(Thanks, touches);

const Type types[] = {make_type<Ball>("ball", {.objects_max = 10}), make_type<Cheer>("cheer"),
                      make_type<Thanks>("thanks")};
constexpr uint64_t patience_us = 60'000'000;

// Whether the caller has done what it should before it cheers.
static bool is_well_thrown(const Session *session, Object<Ball> ball, PeerId by)
{
    const Ball &now = get(session, ball);
    return object_owner(session, ball) == by && now.x == 3 && now.y == 4 && now.touches == 1;
}

// Returns the exit status.
static int play(Session *session, Socket *socket)
{
    const Object<Ball> ball = create(session, Ball{});
    bool cheered = false;
    const uint64_t end_us = clock_us() + patience_us;
    for (uint64_t now_us = clock_us(); now_us < end_us; now_us = clock_us()) {
        for (const Event &event : receive(session, socket->receive(), now_us)) {
            if (event.kind == EventKind::peer_joined)
                std::printf("%s has come\n", event.newcomer.name);
            if (const Cheer *cheer = find_arguments<Cheer>(session, event)) {
                cheered = is_well_thrown(session, ball, event.call.peer);
                std::printf("\"%s\" %s\n", cheer->words, cheered ? "indeed" : "for nothing");
                reply(session, event.call, Thanks{get(session, ball).touches});
            }
            if (event.kind == EventKind::peer_left) return cheered ? 0 : 1;
        }
        socket->send(send(session, now_us));
        sleep_us(5'000);
    }
    std::fprintf(stderr, "nobody has come and gone within a minute\n");
    return 1;
}

int main()
{
    const MadeSocket made = make_udp_socket(0);
    if (!made.socket) {
        std::fprintf(stderr, "no socket: %s\n", to_text(made.error));
        return 1;
    }
    Session *session = make_session({.types = types, .name = "host"});
    start(session);
    const Address address = loopback(made.socket->local_address().port);
    std::printf("invite: %s\n", to_text(make_invite(session, {&address, 1})).text);
    std::fflush(stdout);
    const int status = play(session, made.socket);
    std::printf("%s\n", status == 0 ? "well played" : "not played to the end");
    destroy_session(session);
    destroy_socket(made.socket);
    return status;
}
