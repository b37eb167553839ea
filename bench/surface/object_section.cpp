// Measures scenes of objects that a host replicates to its clients.
#include "bench/sections/sections.h"
#include "bench/surface/enet_objects.h"
#include "bench/surface/race.h"
#include "bench/surface/session_objects.h"
#include <deque>

namespace bench {

using namespace surface;

namespace {

// Bytes a second to each client that never limit these scenes.
constexpr uint32_t rate_raised = 4 * 1024 * 1024;

// The contenders of one scene. Deques, because the setups must stay where they are.
struct Field {
    const Scene &scene;
    ObjectSetup seen; // For contenders that send everything near.
    std::deque<EnetObjects> enet;
    std::deque<SessionObjects> sessions;
    std::vector<Racer> racers;
    uint32_t ticks;
};

Field make_field(const Scene &scene, uint32_t clients, double near_m, double far_m,
                 const Options &options)
{
    return {scene, {&scene, clients, near_m, far_m},     {}, {},
            {},    race::ticks(options, scene.period_us)};
}

void add(Field &field, const char *name, const Programs &programs, Promise promise)
{
    field.racers.push_back({name, programs, {}, field.ticks, field.seen.client_count, promise});
}

void add_enet([[maybe_unused]] Field &field, [[maybe_unused]] const char *name,
              [[maybe_unused]] bool is_rated)
{
#ifdef TERN_HAVE_ENET
    field.enet.push_back({field.seen, is_rated});
    add(field, name, enet_objects(field.enet.back()), Promise::best_effort);
#endif
}

void add_sessions(Field &field, const char *name, bool is_predicted, uint32_t rate,
                  bool is_offloaded = true)
{
    field.sessions.push_back({field.seen, {}, {}});
    SessionObjects &setup = field.sessions.back();
    fill(setup, is_predicted, rate, is_offloaded);
    add(field, name, session_objects(setup), Promise::best_effort);
}

Sample object_sample(const Racer &racer, const PairReport &report)
{
    Sample made = {};
    made.sent = report.clients.due;
    made.delivered = report.clients.delivered;
    made.wrong = made.sent == 0;
    const double due = std::max(1.0, static_cast<double>(made.sent));
    const double seconds = racer.ticks * (racer.programs.period_us / 1e6);
    const double values[] = {race::host_us(racer, report),
                             race::clients_us(racer, report),
                             race::wire_bytes(racer, report) * racer.ticks * 8 / 1000 / seconds,
                             report.clients.age_p50_ms,
                             report.clients.age_p99_ms,
                             report.host.cpu_ns / due,
                             report.clients.cpu_ns / due,
                             race::late_percent(racer, report)};
    std::copy(std::begin(values), std::end(values), made.values);
    return made;
}

bool race_objects(const char *id, const std::string &title, Field &field, const Options &options)
{
    return race::run(
        {id,
         title,
         {{"host us", 1, true},
          {"client us", 1, true},
          {"kbit/s", 0, true},
          {"p50 ms", 1, false},
          {"p99 ms", 1, false},
          {"host ns", 0, false},
          {"recv ns", 0, false},
          {"late %", 1, false}},
         {peer::changes_text(field.sessions.front().session),
          "raised: send_bytes_per_second_max = 4194304; us: CPU per client and tick; ns: per",
          "changed object and receiver; kbit/s: to and from a client, with IP and UDP; ms: how",
          "long ago what a client shows was so at the host; late: ticks that began late;",
          "delivered: changes that clients saw; what a later one overtook is not among them"},
         object_sample},
        field.racers, options);
}

Sample idle_sample(const Racer &racer, const PairReport &report)
{
    Sample made = {};
    const double values[] = {report.host.cpu_ns / racer.ticks / 1000,
                             report.clients.cpu_ns / racer.ticks / 1000,
                             report.host.wire_bytes / racer.ticks};
    std::copy(std::begin(values), std::end(values), made.values);
    return made;
}

}

bool measure_surface_idle(const Options &options)
{
    const Scene scene = scene::still(1000);
    Field field = make_field(scene, 256, 0, 0, options);
    add_enet(field, "by hand over ENet", false);
    add_sessions(field, "tern", false, 0);
    return race::run({"surface_idle",
                      "surface idle: a host of 1,000 objects that never change, 256 clients, 60 Hz",
                      {{"host us", 0, true}, {"clients us", 0, true}, {"bytes", 0, false}},
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
        Field field = make_field(moving, clients, 0, 0, options);
        add_enet(field, "by hand over ENet", false);
        add_sessions(field, "tern", false, 0);
        add_sessions(field, "tern, raised", false, rate_raised);
        if (clients == 4)
            add_sessions(field, "tern, raised, one by one", false, rate_raised, false);
        if (clients == 4) add_sessions(field, "tern, raised, predicted", true, rate_raised);
        const std::string id = "surface_moving_" + std::to_string(clients);
        right = race_objects(id.c_str(),
                             "surface objects: 1,000 of 32 B, all move each tick, " +
                                 std::to_string(clients) + " receivers",
                             field, options) &&
                right;
    }
    const Scene sparse = scene::bodies(10'000, 100, options.quick ? 30 : 101, 16'667);
    Field field = make_field(sparse, 4, 0, 0, options);
    add_enet(field, "by hand over ENet", false);
    add_sessions(field, "tern", false, 0);
    return race_objects("surface_1_percent",
                        "surface objects: 10,000 of 32 B, 1 % change each tick, 4 receivers", field,
                        options) &&
           right;
}

bool measure_surface_interest(const Options &options)
{
    bool right = true;
    for (const uint32_t hz : {20u, 60u}) {
        const uint32_t clients = hz == 20 ? 63 : 16;
        const Scene scene = scene::bodies(5000, 1, options.quick ? 12 : 40, 1'000'000 / hz);
        Field field = make_field(scene, clients, 40, 120, options);
        add_enet(field, "by hand over ENet", true);
        add_sessions(field, "tern, set_interest()", false, 0);
        const std::string id = "surface_interest_" + std::to_string(clients);
        right =
            race_objects(id.c_str(),
                         "surface interest: 5,000 objects that move, " + std::to_string(clients) +
                             " clients at " + std::to_string(hz) + " Hz that see 120 m of 900",
                         field, options) &&
            right;
    }
    return right;
}

}
