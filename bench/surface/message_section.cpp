// Measures messages each way between a host and 64 clients.
#include "bench/sections/sections.h"
#include "bench/surface/messages.h"
#include "bench/surface/race.h"

namespace bench {

using namespace surface;

static Sample message_sample(const Racer &racer, const PairReport &report)
{
    Sample made = {};
    made.sent = report.host.due + report.clients.due;
    made.delivered = report.host.delivered + report.clients.delivered;
    made.wrong = made.sent == 0;
    const double values[] = {race::host_us(racer, report),    race::clients_us(racer, report),
                             race::wire_bytes(racer, report), report.clients.age_p50_ms,
                             report.clients.age_p99_ms,       race::late_percent(racer, report)};
    std::copy(std::begin(values), std::end(values), made.values);
    return made;
}

bool measure_surface_messages(const Options &options)
{
    constexpr uint32_t clients = 64, period_us = 16'667;
    MessageSetup offloaded = {clients, period_us, {message_types(), clients, 0, true}};
    MessageSetup single = offloaded;
    single.session.is_offloaded = false;
    const uint32_t ticks = race::ticks(options, period_us);
    std::vector<Racer> racers;
    const auto add = [&](const char *name, const Programs &programs) {
        racers.push_back({name, programs, {}, ticks, clients, false});
    };
#ifdef TERN_HAVE_ENET
    add("ENet, unsequenced, throttle off", enet_messages(offloaded));
#endif
    add("sendto, recvfrom", plain_messages(offloaded));
    add("tern, call() unreliable", session_messages(offloaded));
    add("tern, datagrams sent one by one", session_messages(single));
    return race::run(
        {"surface_messages",
         "surface messages: 64 clients, a message of 200 bytes each way in a tick of 60 Hz",
         {{"host us", 2, true},
          {"client us", 2, true},
          {"bytes", 0, true},
          {"p50 ms", 2, false},
          {"p99 ms", 2, false},
          {"late %", 1, false}},
         {peer::changes_text(offloaded.session)},
         message_sample},
        racers, options);
}

}
