// docs/use/tutorial.md, steps 2 and 3: a session alone, with one object.
#include <cmath>
#include <cstdio>
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

int main()
{
    Session *session = make_session({.types = types});
    start(session);
    const Object<Player> mine = create(session, Player{});
    for (int tick = 0; tick < 180; ++tick) {
        const uint64_t now_us = clock_us();
        receive(session, {}, now_us); // No datagrams have arrived.
        walk(session, mine, tick);
        if (tick % 60 == 0) print_players(session);
        (void)send(session, now_us); // Returns no datagrams, as there are no other peers.
        sleep_us(16'667);
    }
    destroy_session(session);
}
