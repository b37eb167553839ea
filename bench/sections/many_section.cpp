// Measures the functions for many objects against the same done one by one. One session hosts
// alone, so it sends nothing; it still runs receive() and send() in each tick, unmeasured.
#include "bench/bodies.h"
#include "bench/sections/sections.h"
#include "tern/tern.hpp"
#include "tern/untyped.hpp"
#include <algorithm>
#include <cmath>

namespace bench {
namespace {

constexpr size_t objects_count = 1000;
constexpr uint64_t tick_us = 16'667;

struct Player {
    tern::Session *session;
    uint64_t ticks; // A round plays so many.
    Bodies bodies;  // They move in each tick.
    std::vector<Body> seen;
    uint64_t now_us;
};

Player make_player(Precision precision, uint64_t ticks)
{
    const tern::Type types[] = {bodies::type(precision, objects_count)};
    tern::Config config;
    config.types = types;
    Player player = {tern::make_session(config), ticks, bodies::make(objects_count, 1), {}, 0};
    tern::receive(player.session, {}, player.now_us);
    tern::start(player.session);
    bodies::create(player.bodies, player.session);
    player.seen.resize(objects_count);
    return player;
}

void set_each(Player &player)
{
    bodies::set(player.bodies, player.session);
}

void set_each_in_c(Player &player)
{
    for (size_t i = 0; i < objects_count; ++i)
        tern_set(player.session, static_cast<tern_object>(player.bodies.ids[i]),
                 &player.bodies.values[i], sizeof(Body));
}

void set_together(Player &player)
{
    tern::set_many<Body>(player.session, 0, player.bodies.ids, player.bodies.values);
}

void get_each(Player &player)
{
    for (size_t i = 0; i < objects_count; ++i)
        player.seen[i] = tern::get(player.session, tern::Object<Body>{player.bodies.ids[i]});
}

void get_together(Player &player)
{
    tern::get_many<Body>(player.session, 0, player.bodies.ids, player.seen);
}

bool is_alike(const Body &seen, const Body &body)
{
    float apart = 0, turn = 0;
    for (size_t k = 0; k < 3; ++k)
        apart = std::max(apart, std::fabs(seen.position[k] - body.position[k]));
    for (size_t k = 0; k < 4; ++k)
        turn += seen.rotation[k] * body.rotation[k];
    return apart <= 0.001f && std::fabs(turn) > 0.9999f && seen.health == body.health;
}

bool all_alike(const Player &player)
{
    for (size_t i = 0; i < objects_count; ++i)
        if (!is_alike(player.seen[i], player.bodies.values[i])) return false;
    return true;
}

void nothing(Player &) {}

// Measures the second of three steps in each tick.
template <auto before, auto measured, auto after> Sample run(Player &player)
{
    uint64_t cpu_ns = 0;
    bool wrong = false;
    for (uint64_t t = 0; t < player.ticks; ++t) {
        bodies::move(player.bodies);
        player.now_us += tick_us;
        tern::receive(player.session, {}, player.now_us);
        before(player);
        const uint64_t begin_ns = cpu_clock_ns();
        measured(player);
        cpu_ns += cpu_clock_ns() - begin_ns;
        after(player);
        wrong = wrong || !all_alike(player);
        (void)tern::send(player.session, player.now_us);
    }
    const uint64_t count = player.ticks * objects_count;
    return {{static_cast<double>(cpu_ns) / static_cast<double>(count)}, count, count, wrong};
}

bool measure_with(Precision precision, const char *id, const char *title, const Options &options)
{
    Player player = make_player(precision, options.quick ? 60 : 600);
    const Contender contenders[] = {
        contender<run<nothing, set_each, get_together>>("set(), one by one", player),
        contender<run<nothing, set_each_in_c, get_together>>("tern_set(), one by one", player),
        contender<run<nothing, set_together, get_together>>("set_many()", player),
        contender<run<set_together, get_each, nothing>>("get(), one by one", player),
        contender<run<set_together, get_together, nothing>>("get_many()", player)};
    const Section section = {
        id, title, {{"ns each", 1, true}}, {"3 floats, a quaternion, an int32"}};
    const bool right = measure(section, contenders, options);
    tern::destroy_session(player.session);
    return right;
}

}

bool measure_many(const Options &options)
{
    const bool right = measure_with(Precision::exact, "many_exact",
                                    "many objects: 1,000, exact floats, in one call", options);
    return measure_with(Precision::quantised, "many_quantised", "many objects: the same with steps",
                        options) &&
           right;
}

}
