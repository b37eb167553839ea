#include "bench/surface/sim_calls.h"
#include "tern/calls.hpp"
#include "tern/untyped.hpp"
#include <cstddef>

using namespace tern;

namespace bench::surface::sim_calls {

namespace {

struct Shot {
    uint64_t number;
    uint64_t sent_us;
    float from[3], to[3];
};

constexpr Field shot_fields[] = {{"number", FieldKind::uint64, offsetof(Shot, number)},
                                 {"sent_us", FieldKind::uint64, offsetof(Shot, sent_us)},
                                 {"from", FieldKind::float32, offsetof(Shot, from), 3},
                                 {"to", FieldKind::float32, offsetof(Shot, to), 3}};
constexpr Type shot_type[] = {{"shot", sizeof(Shot), shot_fields}};
constexpr uint64_t period_us = 16'667;
constexpr uint32_t join_ticks_max = 600, drain_ticks = 300;

struct CallWorld {
    CallKind kind;
    SimNetwork *network;
    Peer host, client;
    uint64_t tick;
    uint64_t sent, delivered, next_number;
    bool wrong;
    Ages ages;
};

void set_network(CallWorld &world, const Weather &weather, uint64_t now_us)
{
    Impairment impairment;
    impairment.latency_ms_min = weather.latency_ms_min;
    impairment.latency_ms_max = weather.latency_ms_max;
    const bool is_out =
        weather.outage_ms != 0 && now_us / 1000 % weather.outage_period_ms < weather.outage_ms;
    impairment.loss = is_out ? 1 : weather.loss;
    set_impairment(world.network, impairment);
}

void take(CallWorld &world, const Event &event, uint64_t now_us)
{
    const auto &shot = call_arguments<Shot>(event);
    world.wrong =
        world.wrong || (world.kind == CallKind::reliable && shot.number != world.next_number);
    world.next_number = shot.number + 1;
    world.delivered += 1;
    ages::add(world.ages, static_cast<double>(now_us - shot.sent_us) / 1000);
}

void host_tick(CallWorld &world, uint64_t now_us)
{
    advance(world.network, now_us);
    peer::receive(world.host, now_us, [&](const Event &event) {
        if (event.kind != EventKind::call) return;
        if (event.call.id == CallId::none)
            take(world, event, now_us);
        else
            reply(world.host.session, event.call, 0, call_arguments<Shot>(event));
    });
    peer::send(world.host, now_us);
}

void client_tick(CallWorld &world, uint64_t now_us, bool is_calling)
{
    advance(world.network, now_us);
    peer::receive(world.client, now_us, [&](const Event &event) {
        if (event.kind == EventKind::reply) take(world, event, now_us);
        world.wrong = world.wrong || event.kind == EventKind::call_failed;
    });
    const Shot shot = {world.sent, now_us, {1, 2, 3}, {4, 5, 6}};
    if (is_calling) {
        Session *session = world.client.session;
        const PeerId to = host_peer(session);
        const bool is_accepted =
            world.kind == CallKind::request
                ? request(session, to, 0, shot) != CallId::none
                : call(session, to, 0, shot,
                       world.kind == CallKind::reliable ? Reliability::reliable
                                                        : Reliability::unreliable);
        world.wrong = world.wrong || !is_accepted;
        world.sent += 1;
    }
    peer::send(world.client, now_us);
}

void tick(CallWorld &world, const Weather &weather, bool is_calling)
{
    world.tick += 1;
    const uint64_t now_us = world.tick * period_us;
    set_network(world, weather, now_us);
    client_tick(world, now_us, is_calling);
    host_tick(world, now_us + period_us / 2);
}

}

const char *name(CallKind kind)
{
    switch (kind) {
    case CallKind::unreliable: return "unreliable";
    case CallKind::reliable: return "reliable";
    case CallKind::request: return "request";
    }
    return "";
}

CallTotals run(CallKind kind, const Weather &weather, uint32_t ticks)
{
    const SessionSetup setup = {shot_type, 1, 0, true};
    CallWorld world = {};
    world.kind = kind;
    world.network = make_sim_network(SimConfig{});
    world.host = peer::make_host(setup, make_sim_socket(world.network, loopback(7000)));
    world.client = peer::make_client(setup, make_sim_socket(world.network, loopback(7001)));
    join(world.client.session, peer::invite(world.host));
    for (uint32_t t = 0; t < join_ticks_max && session_state(world.client.session) != State::open;
         ++t)
        tick(world, weather, false);
    const bool is_open = session_state(world.client.session) == State::open;
    for (uint32_t t = 0; is_open && t < ticks + drain_ticks; ++t)
        tick(world, weather, t < ticks);
    CallTotals made = {};
    made.p50_ms = ages::percentile(world.ages, 0.5);
    made.p99_ms = ages::percentile(world.ages, 0.99);
    made.max_ms = ages::percentile(world.ages, 1);
    made.sent = world.sent;
    made.delivered = world.delivered;
    made.wrong =
        !is_open || world.wrong || (kind != CallKind::unreliable && world.delivered != world.sent);
    peer::destroy(world.client);
    peer::destroy(world.host);
    destroy_sim_network(world.network);
    return made;
}

}
