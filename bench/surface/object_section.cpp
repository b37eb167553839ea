// Measures scenes of objects that a host replicates to its clients.
#include "bench/sections/sections.h"
#include "bench/surface/object_race.h"

namespace bench {

using namespace surface;

namespace {

// Bytes a second to each client that never limit these scenes.
constexpr uint32_t rate_raised = 4 * 1024 * 1024;

Sample idle_sample(const Racer &racer, const PairReport &report)
{
    Sample made = {};
    const double values[] = {report.host.cpu_ns / racer.ticks / 1000,
                             report.clients.cpu_ns / racer.ticks / 1000,
                             report.host.wire_bytes / racer.ticks, report.host.private_bytes / 1e6,
                             report.clients.private_bytes / racer.client_count / 1e6};
    std::copy(std::begin(values), std::end(values), made.values);
    return made;
}

}

bool measure_surface_idle(const Options &options)
{
    const Scene scene = scene::still(1000);
    ObjectRace field = object_race::make(scene, 256, 0, 0, options);
    object_race::add_enet(field, "by hand over ENet", false);
    object_race::add_sessions(field, "tern", {});
    return race::run({"surface_idle",
                      "surface idle: a host of 1,000 objects that never change, 256 clients, 60 Hz",
                      {{"host us", 0, true},
                       {"clients us", 0, true},
                       {"bytes", 0, false},
                       {"host MB", 1, false},
                       {"client MB", 2, false}},
                      {peer::changes_text(field.sessions.front().session),
                       "us: CPU of a tick of the host, and of all clients; bytes: of a tick"},
                      idle_sample},
                     field.racers, options);
}

bool measure_surface_objects(const Options &options)
{
    bool right = true;
    const size_t frames = options.quick ? 30 : 90;
    const Scene moving = scene::bodies(1000, 1, frames, 16'667);
    for (const uint32_t clients : {4u, 16u}) {
        if (options.quick && clients == 16) continue;
        ObjectRace field = object_race::make(moving, clients, 0, 0, options);
        object_race::add_enet(field, "by hand over ENet", false);
        object_race::add_sessions(field, "tern", {});
        object_race::add_sessions(field, "tern, raised", {false, rate_raised, true});
        if (clients == 4)
            object_race::add_sessions(field, "tern, raised, one by one",
                                      {false, rate_raised, false});
        if (clients == 4)
            object_race::add_sessions(field, "tern, raised, predicted", {true, rate_raised, true});
        const std::string id = "surface_moving_" + std::to_string(clients);
        right = object_race::run(field, id,
                                 "surface objects: 1,000 of 32 B, all move each tick, " +
                                     std::to_string(clients) + " receivers",
                                 options) &&
                right;
    }
    const Scene sparse = scene::bodies(10'000, 100, options.quick ? 30 : 101, 16'667);
    ObjectRace field = object_race::make(sparse, 4, 0, 0, options);
    object_race::add_enet(field, "by hand over ENet", false);
    object_race::add_sessions(field, "tern", {});
    return object_race::run(field, "surface_1_percent",
                            "surface objects: 10,000 of 32 B, 1 % change each tick, 4 receivers",
                            options) &&
           right;
}

bool measure_surface_interest(const Options &options)
{
    bool right = true;
    for (const uint32_t hz : {20u, 60u}) {
        const uint32_t clients = hz == 20 ? 63 : 16;
        const Scene scene = scene::bodies(5000, 1, options.quick ? 12 : 40, 1'000'000 / hz);
        ObjectRace field = object_race::make(scene, clients, 40, 120, options);
        object_race::add_enet(field, "by hand over ENet", true);
        object_race::add_sessions(field, "tern, set_interest()", {});
        const std::string id = "surface_interest_" + std::to_string(clients);
        right = object_race::run(field, id,
                                 "surface interest: 5,000 objects that move, " +
                                     std::to_string(clients) + " clients at " + std::to_string(hz) +
                                     " Hz that see 120 m of 900",
                                 options) &&
                right;
    }
    return right;
}

}
