#include "scene.h"
#include "sim/world/group.h"
#include "tern/calls.hpp"
#include "tern/untyped.hpp"
#include <cmath>
#include <cstdio>

namespace prof::scene {

namespace {

using namespace tern;

struct Body {
    float position[3];
    float rotation[4];
    int32_t health;
};
struct Player {
    char name[24];
    int32_t score;
};
struct Hit {
    ObjectId target;
    int32_t damage;
};
enum : TypeId { BODY, PLAYER, HIT };

constexpr Field body_fields[] = {
    {"position", FieldKind::float32, offsetof(Body, position), 3, -500, 500, 0.001},
    {"rotation", FieldKind::quaternion, offsetof(Body, rotation), 1, 0, 0, 0.004},
    {"health", FieldKind::int32, offsetof(Body, health), 1, 0, 100}};
constexpr Field player_fields[] = {{"name", FieldKind::text, offsetof(Player, name), 24},
                                   {"score", FieldKind::int32, offsetof(Player, score)}};
constexpr Field hit_fields[] = {{"target", FieldKind::object, offsetof(Hit, target)},
                                {"damage", FieldKind::int32, offsetof(Hit, damage), 1, 0, 100}};

struct Scene {
    SceneOptions options;
    Type types[3];
    Group group;
    uint32_t tick = 0;
};

// Bodies move in circles, each at its own speed.
Body body_at(uint32_t number, double seconds)
{
    const double angle = seconds * (0.3 + number % 7 * 0.1) + number;
    Body body = {};
    body.position[0] = static_cast<float>(40 * std::cos(angle) + number % 100);
    body.position[1] = static_cast<float>(40 * std::sin(angle) - number % 50);
    body.position[2] = static_cast<float>(2 + std::sin(angle * 3));
    body.rotation[2] = static_cast<float>(std::sin(angle / 2));
    body.rotation[3] = static_cast<float>(std::cos(angle / 2));
    body.health = static_cast<int32_t>(100 - static_cast<uint32_t>(seconds) % 60);
    return body;
}

void make_own(const Scene &scene, Session *session, uint32_t place)
{
    Player player = {};
    std::snprintf(player.name, sizeof player.name, "player %u", place + 1);
    create(session, PLAYER, player);
    for (uint32_t number = place; number < scene.options.objects; number += scene.options.peers)
        create(session, BODY, body_at(number, 0));
}

void play_peer(const Scene &scene, Session *session, uint32_t place)
{
    if (session_state(session) != State::open) return;
    if (scene.tick == 0) return make_own(scene, session, place);
    const double seconds =
        static_cast<double>(scene.tick) / static_cast<double>(scene.options.ticks_per_second);
    uint32_t number = place;
    for (const ObjectId object : object_ids(session, BODY)) {
        if (object_owner(session, object) != local_peer(session)) continue;
        if (number % 5 != 0)
            set(session, Object<Body>{object}, body_at(number, seconds)); // One fifth rests.
        number += scene.options.peers;
    }
    const std::span<const ObjectId> bodies = object_ids(session, BODY);
    const bool fires = scene.tick % 20 == place % 20 && !bodies.empty();
    if (!fires) return;
    const Hit hit = {bodies[scene.tick % bodies.size()], static_cast<int32_t>(scene.tick % 100)};
    const auto how = scene.tick % 40 < 20 ? Reliability::reliable : Reliability::unreliable;
    call(session, PeerId::everyone, HIT, hit, how);
    for (const ObjectId object : object_ids(session, PLAYER))
        if (object_owner(session, object) == local_peer(session)) {
            Player player = get(session, Object<Player>{object});
            player.score += 1;
            set(session, Object<Player>{object}, player);
        }
}

void step(Scene &scene, bool plays)
{
    group::receive(scene.group);
    for (uint32_t place = 0; place < scene.group.members.size() && plays; ++place)
        play_peer(scene, scene.group.members[place].session, place);
    scene.tick += plays;
    group::send(scene.group);
}

void make(Scene &scene)
{
    const uint32_t most = 2 * scene.options.objects; // So that each peer's share is enough.
    scene.types[BODY] = {"body", sizeof(Body), body_fields, most};
    scene.types[PLAYER] = {"player", sizeof(Player), player_fields, 2 * scene.options.peers};
    scene.types[HIT] = {"hit", sizeof(Hit), hit_fields};
    GroupOptions options = {};
    options.config.types = scene.types;
    options.config.peers_max = static_cast<uint16_t>(scene.options.peers);
    options.config.topology = scene.options.topology;
    options.config.send_bytes_per_second_max = 16 * 1024 * 1024;
    options.impairment = {20, 40, static_cast<float>(scene.options.loss_percent / 100), 0};
    options.seed = scene.options.seed;
    options.tick_us = 1'000'000 / scene.options.ticks_per_second;
    group::make(scene.group, options);
}

std::string title(const SceneOptions &o)
{
    const char *whose = o.of == SceneOptions::Of::host    ? "its host"
                        : o.of == SceneOptions::Of::guest ? "a guest"
                                                          : "all of it";
    char text[160];
    std::snprintf(text, sizeof text, "%s of %u, %u bodies, %u Hz, %g %% lost: %s",
                  o.topology == Topology::star ? "a star" : "a mesh", o.peers, o.objects,
                  o.ticks_per_second, o.loss_percent, whose);
    return text;
}

}

tern::Profile play(const SceneOptions &options)
{
    Scene scene = {};
    scene.options = options;
    make(scene);
    const uint64_t begin_us = scene.group.now_us;
    while (scene.group.members.size() < options.peers) {
        group::enter(scene.group);
        step(scene, false);
        for (uint32_t i = 0; i < 10 * options.ticks_per_second; ++i)
            if (group::open_count(scene.group) < scene.group.members.size()) step(scene, false);
    }
    for (uint32_t i = 0; i < options.seconds * options.ticks_per_second; ++i)
        step(scene, true);
    Profile profile = {};
    profile.title = title(options);
    profile.seconds = static_cast<double>(scene.group.now_us - begin_us) / 1e6;
    for (size_t place = 0; place < scene.group.members.size(); ++place) {
        const bool is_host = place == 0;
        const bool wanted = options.of == SceneOptions::Of::all ||
                            (options.of == SceneOptions::Of::host && is_host) ||
                            (options.of == SceneOptions::Of::guest && place == 1);
        if (wanted) profile::add(profile, scene.group.members[place].session);
    }
    return profile;
}

}
