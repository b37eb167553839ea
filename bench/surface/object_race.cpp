#include "bench/surface/object_race.h"
#include <algorithm>

namespace bench::surface::object_race {

ObjectRace make(const Scene &scene, uint32_t client_count, double near_m, double far_m,
                const Options &options)
{
    return {
        {&scene, client_count, near_m, far_m}, {}, {}, {}, race::ticks(options, scene.period_us)};
}

static void add(ObjectRace &race, const char *name, const Programs &programs, bool must_settle)
{
    race.racers.push_back({name, programs, {}, race.ticks, race.objects.client_count, must_settle});
}

void add_enet([[maybe_unused]] ObjectRace &race, [[maybe_unused]] const char *name,
              [[maybe_unused]] bool is_rated)
{
#ifdef TERN_HAVE_ENET
    race.enet.push_back({race.objects, is_rated});
    add(race, name, enet_objects(race.enet.back()), false);
#endif
}

void add_sessions(ObjectRace &race, const char *name, const SessionChoice &choice)
{
    race.sessions.push_back({race.objects, {}, {}});
    SessionObjects &setup = race.sessions.back();
    fill(setup, choice.is_predicted, choice.bytes_per_second_max, choice.is_offloaded);
    add(race, name, session_objects(setup), true);
}

static Sample object_sample(const Racer &racer, const PairReport &report)
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
                             race::late_percent(racer, report),
                             report.host.private_bytes / 1e6};
    std::copy(std::begin(values), std::end(values), made.values);
    return made;
}

bool run(ObjectRace &race, const std::string &id, const std::string &title, const Options &options)
{
    std::vector<std::string> notes = {peer::changes_text(race.sessions.front().session)};
    for (const SessionObjects &sessions : race.sessions)
        if (sessions.session.bytes_per_second_max != 0) {
            notes.push_back("raised: send_bytes_per_second_max = " +
                            std::to_string(sessions.session.bytes_per_second_max));
            break;
        }
    return race::run({id,
                      title,
                      {{"host us", 1, true},
                       {"client us", 1, true},
                       {"kbit/s", 0, true},
                       {"p50 ms", 1, false},
                       {"p99 ms", 1, false},
                       {"host ns", 0, false},
                       {"recv ns", 0, false},
                       {"late %", 1, false},
                       {"host MB", 1, false}},
                      std::move(notes),
                      object_sample},
                     race.racers, options);
}

}
