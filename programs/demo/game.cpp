#include "game.h"
#include <algorithm>
#include <cstdio>
#include <limits>

namespace demo::game {

static constexpr float player_speed = 14; // Per second.
static constexpr float claim_reach = 14;  // A player prefers cubes this near.

// --- Chance ---

static uint32_t below(Game &game, uint32_t limit)
{
    return static_cast<uint32_t>(game.random() % limit);
}

static float between(Game &game, float min, float max)
{
    return min + (max - min) * static_cast<float>(below(game, 1u << 20)) / float{1u << 20};
}

static uint32_t soon(Game &game, uint32_t ticks) // Half to one and a half times `ticks`.
{
    return ticks / 2 + below(game, ticks + 1);
}

static void choose_goal(Game &game)
{
    game.goal[0] = between(game, 1, room_width - 1);
    game.goal[1] = between(game, 1, room_height - 1);
}

Game make_game(Session *session, uint32_t first_cubes, uint32_t cubes_max, uint64_t seed,
               uint32_t hz)
{
    Game game = {};
    game.session = session;
    game.first_cubes = first_cubes;
    game.cubes_max = cubes_max;
    game.random.seed(seed);
    game.hz = hz;
    game.ticks_to_claim = game.ticks_to_migrate = game.ticks_to_replace = hz;
    choose_goal(game);
    return game;
}

// --- Creating and destroying ---

static void create_cube(Game &game)
{
    Cube cube = {};
    cube.position[0] = between(game, 1, room_width - 1);
    cube.position[1] = between(game, 1, room_height - 1);
    cube.velocity[0] = between(game, -12, 12);
    cube.velocity[1] = between(game, -12, 12);
    create(game.session, cube_type, cube);
}

static void create_first(Game &game)
{
    for (; game.first_cubes > 0; --game.first_cubes)
        create_cube(game);
    if (game.player != ObjectId::none) return;
    Player player = {};
    player.position[0] = between(game, 1, room_width - 1);
    player.position[1] = between(game, 1, room_height - 1);
    std::snprintf(player.name, sizeof player.name, "%s",
                  peer_name(game.session, local_peer(game.session)));
    game.player = create(game.session, player_type, player);
}

// Of the cubes: one at random that this peer owns, or does not own; none if there is no such.
static ObjectId any_cube(Game &game, bool mine)
{
    const std::span<const ObjectId> cubes = object_ids(game.session, cube_type);
    if (cubes.empty()) return ObjectId::none;
    const uint32_t first = below(game, static_cast<uint32_t>(cubes.size()));
    for (size_t i = 0; i < cubes.size(); ++i) {
        const ObjectId cube = cubes[(first + i) % cubes.size()];
        if (!exists(game.session, cube)) continue;
        if ((object_owner(game.session, cube) == local_peer(game.session)) == mine) return cube;
    }
    return ObjectId::none;
}

static void replace_one(Game &game)
{
    const ObjectId cube = any_cube(game, true);
    if (cube != ObjectId::none) destroy(game.session, cube);
    uint32_t alive = 0;
    for (ObjectId each : object_ids(game.session, cube_type))
        alive += exists(game.session, each);
    if (alive < game.cubes_max) create_cube(game);
}

// --- Changing owners ---

static ObjectId nearest_of_others(const Game &game, const Player &player)
{
    ObjectId nearest = ObjectId::none;
    float best = claim_reach * claim_reach;
    const std::span<const ObjectId> cubes = object_ids(game.session, cube_type);
    const std::span<const Cube> all = object_values<Cube>(game.session, cube_type);
    for (size_t i = 0; i < cubes.size(); ++i) {
        if (!exists(game.session, cubes[i])) continue;
        if (object_owner(game.session, cubes[i]) == local_peer(game.session)) continue;
        const float x = all[i].position[0] - player.position[0];
        const float y = all[i].position[1] - player.position[1];
        if (x * x + y * y >= best) continue;
        best = x * x + y * y;
        nearest = cubes[i];
    }
    return nearest;
}

static void claim_one(Game &game)
{
    if (game.claimed.size() >= claims_max) return;
    ObjectId cube = ObjectId::none;
    if (below(game, 2) == 0 && exists(game.session, game.player))
        cube = nearest_of_others(game, get<Player>(game.session, game.player));
    if (cube == ObjectId::none) cube = any_cube(game, false);
    if (cube == ObjectId::none) return;
    if (std::find(game.claimed.begin(), game.claimed.end(), cube) != game.claimed.end()) return;
    claim(game.session, cube);
    game.claimed.push_back(cube);
}

static void migrate_one(Game &game)
{
    const std::span<const PeerId> others = other_peers(game.session);
    const ObjectId cube = any_cube(game, below(game, 2) == 0);
    if (cube == ObjectId::none || others.empty()) return;
    migrate(game.session, cube, others[below(game, static_cast<uint32_t>(others.size()))]);
}

void take_events(Game &game, std::span<const Event> events)
{
    for (const Event &event : events) {
        const bool answer =
            event.kind == EventKind::claim_granted || event.kind == EventKind::claim_refused;
        if (answer) std::erase(game.claimed, event.object);
        if (event.kind == EventKind::call) game.heard += 1;
    }
}

// --- A tick ---

static Push walk(Game &game)
{
    if (!exists(game.session, game.player)) return {};
    Player player = get<Player>(game.session, game.player);
    if (player.position[0] == game.goal[0] && player.position[1] == game.goal[1]) choose_goal(game);
    const float before[2] = {player.position[0], player.position[1]};
    physics::walk(player.position, game.goal, player_speed / static_cast<float>(game.hz));
    set(game.session, game.player, player);
    const Player &stored = get<Player>(game.session, game.player);
    if (stored.position[0] == before[0] && stored.position[1] == before[1]) choose_goal(game);
    return {{stored.position[0], stored.position[1]}, local_peer(game.session)};
}

static void simulate(Game &game, const Push &push)
{
    const std::span<const ObjectId> cubes = object_ids(game.session, cube_type);
    const std::span<const Cube> all = object_values<Cube>(game.session, cube_type);
    game.bodies.resize(cubes.size());
    for (size_t i = 0; i < cubes.size(); ++i)
        game.bodies[i] = {all[i], object_owner(game.session, cubes[i]) == local_peer(game.session)};
    physics::step(game.bodies, push, 1.0f / static_cast<float>(game.hz));
    for (size_t i = 0; i < cubes.size(); ++i)
        if (game.bodies[i].mine) set(game.session, cubes[i], game.bodies[i].cube);
}

static void cheer(Game &game)
{
    const Cheer next = {game.cheered + 1};
    game.cheered += call(game.session, PeerId::everyone, cheer_type, next);
}

static bool due(Game &game, uint32_t &ticks_left, uint32_t interval_ticks)
{
    if (ticks_left > 0) {
        ticks_left -= 1;
        return false;
    }
    ticks_left = soon(game, interval_ticks);
    return true;
}

void play(Game &game)
{
    create_first(game);
    simulate(game, walk(game));
    if (due(game, game.ticks_to_claim, game.hz / 4)) claim_one(game);
    const bool is_host = host_peer(game.session) == local_peer(game.session);
    if (is_host && due(game, game.ticks_to_migrate, game.hz / 2)) migrate_one(game);
    if (due(game, game.ticks_to_replace, game.hz)) {
        replace_one(game);
        cheer(game);
    }
}

}
