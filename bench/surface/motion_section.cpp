// Measures scenes of different motions: over real sockets, and in virtual time over networks with
// latency, jitter, reordering and loss.
#include "bench/sections/sections.h"
#include "bench/surface/object_race.h"
#include "bench/surface/sim_world.h"
#include <cstdio>

namespace bench {

using namespace surface;

namespace {

struct Motion {
    const char *id, *title;
    Scene (*make)(size_t frame_count);
    bool is_quick; // A quick run measures it, too.
};

constexpr Motion motions[] = {
    {"cubes_1", "901 cubes, one player",
     [](size_t n) { return scene::cubes("cubes", 1, 1, 0.9, 1, n); }, true},
    {"cubes_2", "901 cubes, two players",
     [](size_t n) { return scene::cubes("cubes", 2, 2, 1.0, 1, n); }, false},
    {"cubes_fast", "901 cubes, two players, at twice the speed",
     [](size_t n) { return scene::cubes("cubes", 3, 2, 0.8, 2, n); }, false},
    {"cubes_sparse", "901 cubes far apart, one player",
     [](size_t n) { return scene::cubes("cubes", 4, 1, 2.0, 1, n); }, false},
    {"boids", "200 boids", scene::boids, false},
    {"walkers", "200 walkers with sudden turns", scene::walkers, false},
    {"racers", "64 racers", scene::racers, false},
    {"projectiles", "128 projectiles that live for a second", scene::projectiles, true}};

constexpr size_t motion_frames = 240;
constexpr uint32_t motion_clients = 4;

// --- In virtual time ---

constexpr uint32_t sim_clients = 2;

struct NamedWeather {
    const char *name;
    Weather weather;
};
constexpr NamedWeather weathers[] = {{"5 to 6 ms", {5, 6, 0, 0, 0}},
                                     {"5 to 6 ms, 1 % loss", {5, 6, 0.01f, 0, 0}},
                                     {"5 to 6 ms, 5 % loss", {5, 6, 0.05f, 0, 0}},
                                     {"20 to 30 ms", {20, 30, 0, 0, 0}},
                                     {"20 to 30 ms, 1 % loss", {20, 30, 0.01f, 0, 0}},
                                     {"20 to 30 ms, 5 % loss", {20, 30, 0.05f, 0, 0}},
                                     {"20 to 30 ms, bursts", {20, 30, 0, 60, 1200}},
                                     {"20 to 80 ms", {20, 80, 0, 0, 0}},
                                     {"20 to 80 ms, 1 % loss", {20, 80, 0.01f, 0, 0}},
                                     {"20 to 80 ms, 5 % loss", {20, 80, 0.05f, 0, 0}}};

struct Delay { // Results of all weathers.
    std::vector<Line> lines;
    bool right;
};

void run_weather(Delay &delay, SimWorld &world, const NamedWeather &weather, const char *type,
                 uint32_t ticks)
{
    const SimTotals totals = sim_world::run(world, weather.weather, 60, ticks);
    const bool right = !totals.wrong && sim_world::settle(world, weather.weather);
    if (!right)
        std::printf("WRONG: %s, %s: a client does not show what the host shows\n", type,
                    weather.name);
    const double due = std::max(1.0, static_cast<double>(totals.due));
    delay.lines.push_back({std::string(type) + ", " + weather.name,
                           {totals.kbit_per_second, totals.age_p50_ms, totals.age_p99_ms,
                            100 * static_cast<double>(totals.delivered) / due}});
    delay.right = delay.right && right;
}

bool measure_delay(const Motion &motion, const Scene &scene, const Options &options)
{
    Delay delay = {{}, true};
    const uint32_t ticks = options.quick ? 60 : 240;
    for (const bool is_predicted : {false, true}) {
        const char *type = is_predicted ? "predicted" : "plain";
        for (size_t i = 0; i < std::size(weathers); ++i) {
            if (options.quick && i % 4 != 1) continue;
            SimWorld world;
            if (sim_world::make(world, scene, sim_clients, is_predicted, 1 + i))
                run_weather(delay, world, weathers[i], type, ticks);
            else
                delay.right = false;
            sim_world::destroy(world);
        }
    }
    add_table(
        {std::string("surface_delay_") + motion.id,
         std::string("surface delay: ") + motion.title + ", 2 receivers, 60 Hz",
         {{"kbit/s", 0, false}, {"p50 ms", 1, false}, {"p99 ms", 1, false}, {"% seen", 1, false}},
         {}},
        delay.lines, options);
    return delay.right;
}

}

bool measure_surface_motion(const Options &options)
{
    bool right = true;
    for (const Motion &motion : motions) {
        if (options.quick && !motion.is_quick) continue;
        const Scene scene = motion.make(options.quick ? motion_frames / 4 : motion_frames);
        ObjectRace field = object_race::make(scene, motion_clients, 0, 0, options);
        field.ticks = std::max(6u, field.ticks / 2);
        object_race::add_enet(field, "by hand over ENet", false);
        object_race::add_sessions(field, "tern", {});
        object_race::add_sessions(field, "tern, predicted", {.is_predicted = true});
        right = object_race::run(field, std::string("surface_") + motion.id,
                                 std::string("surface motion: ") + motion.title +
                                     ", 4 receivers, 60 Hz",
                                 options) &&
                right;
    }
    return right;
}

bool measure_surface_delay(const Options &options)
{
    bool right = true;
    race::print_virtual_layer();
    std::printf("Ages: how long ago what a client shows was so at the host. Bursts: all is lost\n"
                "for 60 ms in each 1.2 s. A range of latencies reorders datagrams.\n");
    for (const Motion &motion : motions) {
        if (options.quick && !motion.is_quick) continue;
        const Scene scene = motion.make(options.quick ? motion_frames / 4 : motion_frames);
        right = measure_delay(motion, scene, options) && right;
    }
    return right;
}

}
