#include "bench/surface/sim_world.h"

using namespace tern;

namespace bench::surface::sim_world {

constexpr Weather fair = {5, 6, 0, 0, 0};
constexpr uint16_t first_port = 7000;

Socket *add_socket(SimWorld &world, uint16_t number)
{
    return make_sim_socket(world.network, loopback(static_cast<uint16_t>(first_port + number)));
}

bool make(SimWorld &world, const Scene &scene, uint32_t client_count, bool is_predicted,
          uint64_t seed, uint16_t newcomer_count)
{
    world = {};
    world.setup.objects = {&scene, client_count, 0, 0};
    fill(world.setup, is_predicted, 0, true);
    world.setup.session.client_count += newcomer_count;
    SimConfig config;
    config.seed = seed;
    world.network = make_sim_network(config);
    world.host = make_object_host(world.setup, add_socket(world, 0));
    std::vector<Socket *> sockets;
    for (uint16_t i = 1; i <= client_count; ++i)
        sockets.push_back(add_socket(world, i));
    set_weather(world, fair);
    world.clients = make_object_clients(world.setup, peer::invite(world.host.peer), sockets);
    return settle(world, fair);
}

void destroy(SimWorld &world)
{
    for (Peer &peer : world.clients.peers)
        peer::destroy(peer);
    peer::destroy(world.host.peer);
    destroy_sim_network(world.network);
    world = {};
}

void set_weather(SimWorld &world, const Weather &weather)
{
    Impairment impairment;
    impairment.latency_ms_min = weather.latency_ms_min;
    impairment.latency_ms_max = weather.latency_ms_max;
    impairment.loss = weather.loss;
    set_impairment(world.network, impairment);
}

static void set_outage(SimWorld &world, const Weather &weather)
{
    if (weather.outage_ms == 0) return;
    const uint64_t now_ms = world.moment.now_us / 1000;
    Weather now = weather;
    if (now_ms % weather.outage_period_ms < weather.outage_ms) now.loss = 1;
    set_weather(world, now);
}

void tick(SimWorld &world, bool is_moving, const Weather &weather)
{
    Moment &moment = world.moment;
    const uint64_t period_us = world.setup.objects.scene->period_us;
    moment.is_moving = is_moving;
    moment.changes += is_moving ? 1 : 0;
    moment.now_us = moment.tick * period_us;
    set_outage(world, weather);
    advance(world.network, moment.now_us);
    exchange(world.host, moment);
    moment.now_us += period_us / 2;
    advance(world.network, moment.now_us);
    exchange(world.clients, moment);
    check(world.clients, moment);
    moment.tick += 1;
}

SimTotals run(SimWorld &world, const Weather &weather, uint32_t unmeasured, uint32_t ticks)
{
    set_weather(world, weather);
    for (uint32_t t = 0; t < unmeasured; ++t)
        tick(world, true, weather);
    const bool was_wrong = report(world.host).wrong || report(world.clients).wrong;
    for (uint32_t t = 0; t < ticks; ++t)
        tick(world, true, weather);
    const Report host = report(world.host), clients = report(world.clients);
    const double seconds = ticks * (world.setup.objects.scene->period_us / 1e6);
    return {host.wire_bytes * 8 / 1000 / seconds / world.setup.objects.client_count,
            clients.age_p50_ms,
            clients.age_p99_ms,
            clients.due,
            clients.delivered,
            was_wrong || host.wrong || clients.wrong};
}

bool settle(SimWorld &world, const Weather &weather)
{
    for (uint32_t t = 0; t < settle_ticks_max; ++t) {
        tick(world, false, weather);
        if (t % 30 == 29 && are_equal(world.clients)) return true;
    }
    return false;
}

}
