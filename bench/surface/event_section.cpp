// Measures single events in virtual time: short spikes of loss, a late join, and calls.
#include "bench/sections/sections.h"
#include "bench/surface/race.h"
#include "bench/surface/sim_calls.h"
#include "bench/surface/sim_world.h"
#include "tern/diagnostics.hpp"
#include <algorithm>
#include <cstdio>

namespace bench {

using namespace surface;

namespace {

// --- Spikes of loss ---

constexpr Weather calm = {20, 30, 0, 0, 0};
constexpr Weather spike = {20, 30, 0.3f, 0, 0};
constexpr uint32_t settle_ticks = 180, spike_ticks = 6, before_ticks = 60, after_ticks = 120;
// A receiver has recovered when ages stay as before for this long.
constexpr uint32_t calm_ticks = 6;

double tick_p99(SimWorld &world, const Weather &weather)
{
    sim_world::tick(world, true, weather);
    return report(world.clients).age_p99_ms;
}

struct Recovery {
    double before_ms, worst_ms; // p99 of the ages in one tick.
    double recovered_ms;        // From the end of the spike.
};

Recovery recover(SimWorld &world)
{
    Recovery made = {};
    for (uint32_t t = 0; t < before_ticks; ++t)
        made.before_ms = std::max(made.before_ms, tick_p99(world, calm));
    sim_world::set_weather(world, spike);
    for (uint32_t t = 0; t < spike_ticks; ++t)
        made.worst_ms = std::max(made.worst_ms, tick_p99(world, spike));
    sim_world::set_weather(world, calm);
    uint32_t last_bad = 0;
    for (uint32_t t = 1; t <= after_ticks; ++t) {
        const double p99_ms = tick_p99(world, calm);
        made.worst_ms = std::max(made.worst_ms, p99_ms);
        if (p99_ms > made.before_ms) last_bad = t;
        if (t >= last_bad + calm_ticks) break;
    }
    made.recovered_ms = last_bad * world.setup.objects.scene->period_us / 1000.0;
    return made;
}

Line spike_line(const char *name, std::vector<Recovery> recoveries)
{
    std::sort(recoveries.begin(), recoveries.end(),
              [](const Recovery &a, const Recovery &b) { return a.recovered_ms < b.recovered_ms; });
    double before_ms = 0, worst_ms = 0;
    for (const Recovery &one : recoveries) {
        before_ms = std::max(before_ms, one.before_ms);
        worst_ms = std::max(worst_ms, one.worst_ms);
    }
    return {name,
            {before_ms, worst_ms, recoveries[recoveries.size() / 2].recovered_ms,
             recoveries.back().recovered_ms}};
}

bool measure_spikes(const Options &options)
{
    std::vector<Line> lines;
    bool right = true;
    const size_t spikes = options.quick ? 3 : 12, frames = 240;
    const Scene scenes[] = {scene::boids(frames), scene::walkers(frames), scene::racers(frames)};
    for (const Scene &scene : scenes)
        for (const bool is_predicted : {false, true}) {
            SimWorld world;
            bool is_made = sim_world::make(world, scene, 2, is_predicted, 7);
            world.clients.watch.interval = 1;
            std::vector<Recovery> recoveries;
            if (is_made) sim_world::run(world, calm, settle_ticks, 1);
            for (size_t i = 0; is_made && i < spikes; ++i)
                recoveries.push_back(recover(world));
            right =
                right && is_made && sim_world::settle(world, calm) && !report(world.clients).wrong;
            const std::string name =
                std::string(scene.name) + (is_predicted ? ", predicted" : ", plain");
            if (is_made) lines.push_back(spike_line(name.c_str(), recoveries));
            sim_world::destroy(world);
        }
    add_table(
        {"surface_spikes",
         "surface spikes: 30 % loss for 100 ms at 20 to 30 ms, 2 receivers, 60 Hz",
         {{"p99 before", 1, false},
          {"p99 worst", 1, false},
          {"recovered p50", 0, false},
          {"max", 0, false}},
         {"p99: of the ages in one tick, in ms; recovered: ms from the end of the spike until",
          "the p99 of the ages is and stays what it was before"}},
        lines, options);
    return right;
}

// --- A path that gets longer, and a rest that ends ---

constexpr Weather near_by = {5, 6, 0, 0, 0};
constexpr uint32_t near_ticks = 120, far_ticks = 240;

enum class Change : uint8_t { longer_path, end_of_rest };

Line step_line(const std::string &name, SimWorld &world, Change change)
{
    double before_ms = 0, worst_ms = 0, after_ms = 0;
    std::vector<double> p99s_ms;
    const Weather &first = change == Change::longer_path ? near_by : calm;
    sim_world::set_weather(world, first);
    for (uint32_t t = 0; t < near_ticks; ++t) {
        sim_world::tick(world, change == Change::longer_path, first);
        const double p99_ms = report(world.clients).age_p99_ms;
        if (t >= near_ticks / 2) before_ms = std::max(before_ms, p99_ms);
    }
    sim_world::set_weather(world, calm);
    for (uint32_t t = 0; t < far_ticks; ++t)
        p99s_ms.push_back(tick_p99(world, calm));
    for (uint32_t t = far_ticks / 2; t < far_ticks; ++t)
        after_ms = std::max(after_ms, p99s_ms[t]);
    uint32_t last_bad = 0;
    for (uint32_t t = 0; t < far_ticks / 2; ++t) {
        worst_ms = std::max(worst_ms, p99s_ms[t]);
        if (p99s_ms[t] > after_ms) last_bad = t + 1;
    }
    return {
        name,
        {worst_ms, before_ms, after_ms, last_bad * world.setup.objects.scene->period_us / 1000.0}};
}

bool measure_steps(const char *id, const char *title, Change change, const Options &options)
{
    std::vector<Line> lines;
    bool right = true;
    const Scene scenes[] = {scene::boids(240), scene::walkers(240), scene::racers(240)};
    for (const Scene &scene : scenes)
        for (const bool is_predicted : {false, true}) {
            SimWorld world;
            const bool is_made = sim_world::make(world, scene, 2, is_predicted, 11);
            world.clients.watch.interval = 1;
            const std::string name =
                std::string(scene.name) + (is_predicted ? ", predicted" : ", plain");
            if (is_made) lines.push_back(step_line(name, world, change));
            right =
                right && is_made && sim_world::settle(world, calm) && !report(world.clients).wrong;
            sim_world::destroy(world);
        }
    add_table({id,
               title,
               {{"p99 worst", 1, false},
                {"p99 before", 1, false},
                {"p99 after", 1, false},
                {"settled", 0, false}},
               {"p99: of the ages in one tick, in ms; settled: ms until it stays as it then is"}},
              lines, options);
    return right;
}

// --- A late join ---

struct LateJoin {
    Line line;
    bool right;
};

LateJoin join_late(const char *name, const Scene &scene, bool is_moving)
{
    SimWorld world;
    LateJoin made = {{name, {}}, sim_world::make(world, scene, 1, false, 3, 1)};
    if (!made.right) return made;
    world.clients.watch.interval = 1;
    sim_world::set_weather(world, calm);
    for (uint32_t t = 0; t < 120; ++t)
        sim_world::tick(world, is_moving, calm);
    const double before_ms = report(world.clients).age_p99_ms;
    Peer late = peer::make_client(world.setup.session, sim_world::add_socket(world, 2));
    tern::join(late.session, peer::invite(world.host.peer));
    const uint64_t begin_us = world.moment.now_us;
    while (tern::session_state(late.session) != tern::State::open &&
           world.moment.now_us - begin_us < 60'000'000) {
        sim_world::tick(world, is_moving, calm);
        peer::receive(late, world.moment.now_us, [](const tern::Event &) {});
        peer::send(late, world.moment.now_us);
    }
    const double seconds = static_cast<double>(world.moment.now_us - begin_us) / 1e6;
    const double during_ms = report(world.clients).age_p99_ms;
    const double bytes = peer::wire_bytes(late);
    for (uint32_t t = 0; t < 180; ++t) {
        sim_world::tick(world, false, calm);
        peer::receive(late, world.moment.now_us, [](const tern::Event &) {});
        peer::send(late, world.moment.now_us);
    }
    made.right = tern::session_state(late.session) == tern::State::open &&
                 tern::world_digest(late.session) == tern::world_digest(world.host.peer.session) &&
                 are_equal(world.clients) && !report(world.clients).wrong;
    made.line.values = {seconds, bytes / 1000, bytes / 1000 / seconds, before_ms, during_ms};
    peer::destroy(late);
    sim_world::destroy(world);
    return made;
}

bool measure_late_join(const Options &options)
{
    const Scene scene = scene::bodies(5000, 100, options.quick ? 30 : 101, 16'667);
    const LateJoin joins[] = {join_late("at rest", scene, false),
                              join_late("1 % change in a tick", scene, true)};
    std::vector<Line> lines;
    bool right = true;
    for (const LateJoin &one : joins) {
        lines.push_back(one.line);
        right = right && one.right;
    }
    add_table(
        {"surface_join",
         "surface join: a newcomer into 5,000 objects of 32 B, 20 to 30 ms",
         {{"s", 2, false},
          {"kB", 0, false},
          {"kB/s", 0, false},
          {"p99 before", 1, false},
          {"p99 during", 1, false}},
         {"s: from join() until the session is open; kB: to and from the newcomer, with IP and",
          "UDP; send_bytes_per_second_max = 262144 (the default) limits it; p99: ages in ms",
          "that another member sees, before the join and during it"}},
        lines, options);
    return right;
}

// --- Calls ---

bool measure_calls(const Options &options)
{
    struct NamedWeather {
        const char *name;
        Weather weather;
    };
    constexpr NamedWeather weathers[] = {{"5 to 6 ms", {5, 6, 0, 0, 0}},
                                         {"20 to 30 ms", {20, 30, 0, 0, 0}},
                                         {"20 to 30 ms, 1 % loss", {20, 30, 0.01f, 0, 0}},
                                         {"20 to 30 ms, 5 % loss", {20, 30, 0.05f, 0, 0}},
                                         {"20 to 30 ms, bursts", {20, 30, 0, 60, 1200}},
                                         {"20 to 80 ms, 5 % loss", {20, 80, 0.05f, 0, 0}}};
    std::vector<Line> lines;
    bool right = true;
    for (const CallKind kind : {CallKind::unreliable, CallKind::reliable, CallKind::request})
        for (const NamedWeather &weather : weathers) {
            const CallTotals totals =
                sim_calls::run(kind, weather.weather, options.quick ? 200 : 1800);
            right = right && !totals.wrong;
            lines.push_back(
                {std::string(sim_calls::name(kind)) + ", " + weather.name,
                 {totals.p50_ms, totals.p99_ms, totals.max_ms,
                  100 * static_cast<double>(totals.delivered) / static_cast<double>(totals.sent)}});
        }
    add_table(
        {"surface_calls",
         "surface calls: a client calls its host in each tick, 60 Hz",
         {{"p50 ms", 1, false}, {"p99 ms", 1, false}, {"max ms", 1, false}, {"% seen", 1, false}},
         {"ms: from call() to the event at the host, whose tick is half a period after the",
          "client's; of a request, until its reply() is back at the client"}},
        lines, options);
    return right;
}

}

bool measure_surface_events(const Options &options)
{
    race::print_virtual_layer();
    bool right = measure_spikes(options);
    right = measure_steps("surface_longer_path",
                          "surface steps: latency rises from 5 to 6 ms to 20 to 30 ms",
                          Change::longer_path, options) &&
            right;
    right = measure_steps("surface_end_of_rest",
                          "surface steps: all start to move after two seconds of rest, 20 to 30 ms",
                          Change::end_of_rest, options) &&
            right;
    right = measure_late_join(options) && right;
    right = measure_calls(options) && right;
    if (!right)
        std::printf("WRONG: a client does not show what the host shows, or a call is lost\n");
    return right;
}

}
