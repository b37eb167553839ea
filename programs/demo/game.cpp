#include "game.h"
#include "tern/calls.hpp"
#include "tern/ownership.hpp"
#include <cstdio>

namespace demo::game {

static constexpr float player_speed = 14; // Per second.

static uint32_t below(Game &game, uint32_t limit)
{
    return static_cast<uint32_t>(game.random() % limit);
}

static float between(Game &game, float min, float max)
{
    return min + (max - min) * static_cast<float>(below(game, 1u << 20)) / float{1u << 20};
}

static void choose_place(Game &game, float (&position)[2])
{
    position[0] = between(game, 1, room_width - 1);
    position[1] = between(game, 1, room_height - 1);
}

static void create_cube(Game &game)
{
    Cube cube = {};
    choose_place(game, cube.position);
    for (float &velocity : cube.velocity)
        velocity = between(game, -12, 12);
    create(game.session, cube);
}

static void create_first(Game &game)
{
    for (; game.first_cubes > 0; --game.first_cubes)
        create_cube(game);
    if (game.player) return;
    Player player = {};
    choose_place(game, player.position);
    choose_place(game, game.goal);
    std::snprintf(player.name, sizeof player.name, "%s",
                  peer_name(game.session, local_peer(game.session)));
    game.player = create(game.session, player);
}

// A random cube that this peer owns, or does not own. For none claim() and migrate() do nothing.
static Object<Cube> any_cube(Game &game, bool mine)
{
    const std::span<const Object<Cube>> cubes = object_ids<Cube>(game.session);
    const uint32_t first = cubes.empty() ? 0 : below(game, static_cast<uint32_t>(cubes.size()));
    for (size_t i = 0; i < cubes.size(); ++i) {
        const Object<Cube> cube = cubes[(first + i) % cubes.size()];
        if (!exists(game.session, cube)) continue;
        if ((object_owner(game.session, cube) == local_peer(game.session)) == mine) return cube;
    }
    return {};
}

static void replace_one(Game &game)
{
    const Object<Cube> cube = any_cube(game, true);
    if (!cube) return;
    destroy(game.session, cube); // The count includes it until the next tick.
    if (object_ids<Cube>(game.session).size() <= game.cubes_max) create_cube(game);
}

static Push walk(Game &game)
{
    if (!exists(game.session, game.player)) return {};
    const Player before = get(game.session, game.player);
    Player player = before;
    physics::walk(player.position, game.goal, player_speed / static_cast<float>(game.hz));
    set(game.session, game.player, player);
    player = get(game.session, game.player); // Rounded to steps of the field.
    const bool stands =
        player.position[0] == before.position[0] && player.position[1] == before.position[1];
    if (stands) choose_place(game, game.goal);
    return {{player.position[0], player.position[1]}, local_peer(game.session)};
}

static void simulate(Game &game, const Push &push)
{
    const std::span<const Object<Cube>> cubes = object_ids<Cube>(game.session);
    const std::span<const Cube> all = object_values<Cube>(game.session);
    game.bodies.resize(cubes.size());
    for (size_t i = 0; i < cubes.size(); ++i)
        game.bodies[i] = {all[i], object_owner(game.session, cubes[i]) == local_peer(game.session)};
    physics::step(game.bodies, push, 1.0f / static_cast<float>(game.hz));
    for (size_t i = 0; i < cubes.size(); ++i)
        if (game.bodies[i].mine) set(game.session, cubes[i], game.bodies[i].cube);
}

void play(Game &game)
{
    Session *session = game.session;
    create_first(game);
    simulate(game, walk(game));
    if (below(game, game.hz / 4) == 0) {
        const ObjectId cube = any_cube(game, false);
        if (cube != ObjectId::none) claim(session, cube);
    }
    const std::span<const PeerId> others = other_peers(session);
    const bool may_migrate = host_peer(session) == local_peer(session) && !others.empty();
    if (may_migrate && below(game, game.hz / 2) == 0)
        migrate(session, any_cube(game, below(game, 2) == 0),
                others[below(game, static_cast<uint32_t>(others.size()))]);
    if (below(game, game.hz) == 0) replace_one(game);
    if (below(game, game.hz) == 0)
        game.cheered += call(session, PeerId::everyone, Cheer{game.cheered + 1});
}

}
