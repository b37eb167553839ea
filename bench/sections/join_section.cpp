// A newcomer joins a large world over a narrow link, in virtual time: measures how long it takes to
// catch up, and how another member's updates are delayed meanwhile.
#include "bench/bodies.h"
#include "bench/pairs/links.h"
#include "bench/sections/sections.h"
#include <algorithm>
#include <unordered_map>

namespace bench {
namespace {

constexpr size_t object_count = 10'000, stride = 100;
constexpr size_t member = 1, newcomer = 2;
constexpr uint32_t rate = 1'000'000;
constexpr int ticks_before = 180, ticks_max = 3600;

struct Course {
    uint64_t way_us; // Delay of one direction.
    uint64_t seed;   // Differs in each round.
};

struct World {
    tern::Type type;
    std::unique_ptr<Links> links;
    Star star;
    Bodies bodies;
    std::unordered_map<tern::ObjectId, size_t> index_of;
    std::vector<double> ages_ms; // [change]: its age when it arrives at the member.
    bool caught_up;
};

// Recovers the tick of a value from `health`, see bodies::place().
void note_age(World &w, tern::ObjectId object)
{
    const auto &body = tern::get(w.star.sessions[member], tern::Object<Body>{object});
    const uint64_t set_tick = static_cast<uint64_t>(body.health) - w.index_of[object];
    w.ages_ms.push_back(static_cast<double>((w.bodies.tick - set_tick) * star_tick_us) / 1000);
}

void tick(World &w, bool moving)
{
    w.star.now_us += star_tick_us;
    w.links->now_us = w.star.now_us;
    star::receive(w.star, 0);
    if (moving) {
        bodies::move(w.bodies);
        bodies::set(w.bodies, w.star.sessions[0]);
    }
    star::send(w.star, 0);
    for (size_t i = member; i <= newcomer; ++i) {
        if (tern::session_state(w.star.sessions[i]) == tern::State::idle) continue;
        for (const tern::Event &event : star::receive(w.star, i)) {
            if (i == newcomer && event.kind == tern::EventKind::caught_up) w.caught_up = true;
            if (i == member && moving && event.kind == tern::EventKind::object_changed)
                note_age(w, event.object.id);
        }
        star::send(w.star, i);
    }
}

// Makes the host with all objects, and lets the member catch up.
void fill(World &w, const Course &course)
{
    w.type = bodies::type(Precision::quantised, object_count);
    w.links = links::make(newcomer, {course.way_us, 0, 0, 1, 0, 0}, course.seed);
    links::set_quality(*w.links, newcomer - 1, {course.way_us, 0, 0, 1, rate, 100'000});
    std::vector<tern::Socket *> sockets;
    for (const auto &socket : w.links->sockets)
        sockets.push_back(socket.get());
    w.star = star::make({&w.type, 1}, sockets, rate);
    w.bodies = bodies::make(object_count, stride);
    bodies::create(w.bodies, w.star.sessions[0]);
    for (size_t i = 0; i < object_count; ++i)
        w.index_of[w.bodies.ids[i]] = i;
    star::join(w.star, member);
    for (int i = 0; i < ticks_max && !star::is_open(w.star, member); ++i)
        tick(w, false);
    for (int i = 0; i < 120; ++i)
        tick(w, false);
}

double quantile(std::vector<double> values, size_t permille)
{
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    return values[(values.size() - 1) * permille / 1000];
}

Sample run_course(Course &course)
{
    course.seed += 1;
    World w = {};
    fill(w, course);
    for (int i = 0; i < ticks_before; ++i)
        tick(w, true);
    const std::vector<double> before_ms = std::move(w.ages_ms);
    w.ages_ms.clear();
    // The sessions run join() in the next tick.
    const uint64_t begin_us = w.star.now_us + star_tick_us;
    star::join(w.star, newcomer);
    for (int i = 0; i < ticks_max && !w.caught_up; ++i)
        tick(w, true);
    const double seconds = static_cast<double>(w.star.now_us - begin_us) / 1e6;
    const auto bytes = static_cast<double>(w.links->down[newcomer - 1].bytes);
    const std::vector<double> during_ms = w.ages_ms;
    for (int i = 0; i < 120; ++i)
        tick(w, false);
    const bool wrong = !w.caught_up || !star::is_equal(w.star);
    star::destroy(w.star);
    return {{seconds, bytes / 1000, seconds / (bytes / rate), quantile(before_ms, 500),
             quantile(before_ms, 990), quantile(during_ms, 500), quantile(during_ms, 990)},
            1,
            w.caught_up ? 1u : 0u,
            wrong};
}

}

bool measure_join(const Options &options)
{
    Course near = {10'000, 0}, far = {50'000, 0};
    const Contender contenders[] = {
        contender<run_course>("10,000 objects", near, Promise::everything),
        contender<run_course>("10,000 objects, 50 ms each way", far, Promise::everything)};
    const Section section = {
        "join",
        "join: a newcomer into 10,000 objects at 1 MB/s, 10 ms each way, 1 % change each tick",
        {{"s", 3, false},
         {"kB", 0, false},
         {"x its bytes", 2, false},
         {"p50 before", 0, false},
         {"p99 before", 0, false},
         {"p50 during", 0, false},
         {"p99 during", 0, false}},
        {"s: from join() to caught_up; kB: UDP payload that the newcomer was sent until then",
         "before, during: age in ms of a change when it arrives at another member"}};
    return measure(section, contenders, options);
}

}
