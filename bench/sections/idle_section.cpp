// Measures the cost of a host's tick in which nothing happens, by the number of objects.
#include "bench/bodies.h"
#include "bench/pairs/links.h"
#include "bench/sections/sections.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace bench {
namespace {

constexpr size_t client_count = 4;
constexpr uint32_t rate_max = 64 * 1024 * 1024;

struct Idle {
    tern::Type type;
    std::unique_ptr<Links> links;
    Star star;
    uint32_t ticks;
};

// Duration of the host's receive() and send() if no datagram arrived or was due, else 0.
double idle_ns(Idle &idle)
{
    idle.star.now_us += star_tick_us;
    idle.links->now_us = idle.star.now_us;
    tern::Session *host = idle.star.sessions[0];
    const std::span<const tern::Datagram> came = idle.links->sockets[0]->receive();
    const uint64_t begin_ns = wall_clock_ns();
    tern::receive(host, came, idle.star.now_us);
    const std::span<const tern::Datagram> due = tern::send(host, idle.star.now_us);
    const uint64_t end_ns = wall_clock_ns();
    const bool nothing = came.empty() && due.empty();
    idle.links->sockets[0]->send(due);
    star::clients_tick(idle.star);
    return nothing ? static_cast<double>(end_ns - begin_ns) : 0;
}

// Cost of reading the clock; each measured tick contains two reads.
double clock_ns()
{
    const uint64_t begin_ns = wall_clock_ns();
    for (int i = 0; i < 999; ++i)
        wall_clock_ns();
    return static_cast<double>(wall_clock_ns() - begin_ns) / 1000;
}

Sample run_idle(Idle &idle)
{
    std::vector<double> times;
    for (uint32_t t = 0; t < idle.ticks; ++t)
        if (const double ns = idle_ns(idle); ns > 0) times.push_back(ns - clock_ns());
    std::sort(times.begin(), times.end());
    if (times.empty()) return {{}, 0, 0, true};
    return {{times[times.size() / 2] / 1000, times[times.size() * 99 / 100] / 1000,
             100.0 * static_cast<double>(times.size()) / idle.ticks},
            0,
            0,
            !star::is_equal(idle.star)};
}

void fill(Idle &idle, size_t object_count, uint32_t ticks)
{
    idle.ticks = ticks;
    idle.type = bodies::type(Precision::quantised, static_cast<uint32_t>(object_count));
    idle.links = links::make(client_count, {1000, 0, 0, 1, 0, 0}, 1);
    std::vector<tern::Socket *> sockets;
    for (const auto &socket : idle.links->sockets)
        sockets.push_back(socket.get());
    idle.star = star::make({&idle.type, 1}, sockets, rate_max);
    Bodies made = bodies::make(object_count, 1);
    bodies::create(made, idle.star.sessions[0]);
    for (size_t i = 1; i <= client_count; ++i)
        star::join(idle.star, i);
    for (int i = 0;
         i < 6000 && !(star::is_open(idle.star, client_count) && star::is_equal(idle.star)); ++i)
        idle_ns(idle);
    for (int i = 0; i < 600; ++i)
        idle_ns(idle);
    if (star::is_equal(idle.star)) return;
    std::fprintf(stderr, "tern-bench: the clients did not get %zu objects\n", object_count);
    std::exit(1);
}

}

bool measure_idle(const Options &options)
{
    const uint32_t ticks = options.quick ? 300 : 1200;
    constexpr size_t counts[] = {100, 1000, 10'000, 100'000};
    Idle idle[4] = {};
    for (size_t i = 0; i < 4; ++i)
        fill(idle[i], counts[i], ticks);
    const Contender contenders[] = {contender<run_idle>("100 objects", idle[0]),
                                    contender<run_idle>("1,000 objects", idle[1]),
                                    contender<run_idle>("10,000 objects", idle[2]),
                                    contender<run_idle>("100,000 objects", idle[3])};
    const Section section = {
        "idle",
        "idle: a host of 4 clients whose objects do not change",
        {{"us a tick", 2, true}, {"p99 us", 2, false}, {"% of ticks", 0, false}},
        {"receive() and send() of the host, in ticks in which no datagram came and none was due;",
         "by the clock on the wall, median and slowest hundredth of them"}};
    const bool right = measure(section, contenders, options);
    for (Idle &one : idle)
        star::destroy(one.star);
    return right;
}

}
