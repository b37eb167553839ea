// Measures set_interest(), which finds the objects near each peer, against a bare loop over
// positions.
#include "bench/bodies.h"
#include "bench/pairs/links.h"
#include "bench/sections/sections.h"
#include "tern/interest.hpp"
#include "tern/untyped.hpp"
#include <cstdio>
#include <cstdlib>

namespace bench {
namespace {

constexpr size_t client_count = 4, object_count = 10'000;
constexpr uint32_t rate_max = 64 * 1024 * 1024;
constexpr float near_distance = 30, far_distance = 150;

struct World {
    tern::Type type;
    std::unique_ptr<Links> links;
    Star star;
    Bodies bodies;
    uint32_t ticks, tick;
};

// The viewpoint of a client, which moves over time.
tern::Viewpoint viewpoint(const World &world, size_t client)
{
    const float along = static_cast<float>(world.tick % 600) * 0.5f - 150;
    const auto side = static_cast<float>(client) * 50 - 450;
    return {tern::local_peer(world.star.sessions[client]), {along, side, 0}};
}

double per_pair(double ns, const World &world)
{
    return ns / (static_cast<double>(world.ticks) * object_count * client_count);
}

Sample run_loop(World &world)
{
    double ns = 0;
    uint64_t near = 0;
    for (uint32_t t = 0; t < world.ticks; ++t, ++world.tick) {
        const std::span<const Body> values = tern::object_values<Body>(world.star.sessions[0], 0);
        const Meter meter = start_meter();
        for (size_t client = 1; client <= client_count; ++client) {
            const tern::Viewpoint from = viewpoint(world, client);
            for (const Body &body : values) {
                float square = 0;
                for (int i = 0; i < 3; ++i) {
                    const float d = body.position[i] - from.position[i];
                    square += d * d;
                }
                near += square <= far_distance * far_distance;
            }
        }
        ns += spent(meter).wall_ns;
    }
    return {{per_pair(ns, world)}, 0, 0, near == 0};
}

Sample run_interest(World &world)
{
    double ns = 0;
    for (uint32_t t = 0; t < world.ticks; ++t, ++world.tick) {
        tern::Viewpoint viewpoints[client_count];
        for (size_t client = 1; client <= client_count; ++client)
            viewpoints[client - 1] = viewpoint(world, client);
        const Meter meter = start_meter();
        tern::set_interest(world.star.sessions[0], 0, 0, viewpoints, near_distance, far_distance);
        ns += spent(meter).wall_ns;
        world.links->now_us = world.star.now_us += star_tick_us;
        star::host_tick(world.star);
        star::clients_tick(world.star);
    }
    size_t hidden = 0;
    for (const tern::ObjectId id : world.bodies.ids)
        hidden += tern::is_hidden(world.star.sessions[1], id);
    return {{per_pair(ns, world)}, 0, 0, hidden == 0 || hidden == object_count};
}

void fill(World &world, uint32_t ticks)
{
    world.ticks = ticks;
    world.type = bodies::type(Precision::quantised, object_count);
    world.links = links::make(client_count, {1000, 0, 0, 1, 0, 0}, 1);
    std::vector<tern::Socket *> sockets;
    for (const auto &socket : world.links->sockets)
        sockets.push_back(socket.get());
    world.star = star::make({&world.type, 1}, sockets, rate_max);
    world.bodies = bodies::make(object_count, 1);
    bodies::create(world.bodies, world.star.sessions[0]);
    for (size_t i = 1; i <= client_count; ++i)
        star::join(world.star, i);
    for (int i = 0; i < 6000 && !star::is_open(world.star, client_count); ++i) {
        world.links->now_us = world.star.now_us += star_tick_us;
        star::host_tick(world.star);
        star::clients_tick(world.star);
    }
    if (star::is_open(world.star, client_count)) return;
    std::fprintf(stderr, "tern-bench: the clients did not get in\n");
    std::exit(1);
}

}

bool measure_interest(const Options &options)
{
    World world = {};
    fill(world, options.quick ? 20 : 200);
    const Contender contenders[] = {contender<run_loop>("a bare loop", world),
                                    contender<run_interest>("set_interest()", world)};
    const Section section = {
        "interest",
        "interest: 10,000 objects, looked at from 4 places that move",
        {{"ns", 2, true}},
        {"for each object and place, without send(); by the clock on the wall;",
         "the loop only counts what is within the distance"}};
    const bool right = measure(section, contenders, options);
    star::destroy(world.star);
    return right;
}

}
