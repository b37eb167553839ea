#include "bench/surface/watch.h"
#include <algorithm>

namespace bench::surface::watch {

constexpr uint64_t missing_steps = 120; // The age of a thing that should be shown and is not.
// What comes near is shown a little later (set_interest()), so the edge is not looked at.
constexpr double edge = 0.85;

static bool is_seen(const ObjectSetup &setup, size_t frame, size_t index, size_t object,
                    double reach_m)
{
    if (setup.far_m == 0) return true;
    const Thing &eye = scene::at(*setup.scene, frame, avatar(setup, index));
    const Thing &thing = scene::at(*setup.scene, frame, object);
    return scene::distance_squared(eye, thing) < reach_m * reach_m;
}

void count_due(Watch &watch, const Moment &moment)
{
    const ObjectSetup &setup = *watch.setup;
    if (!moment.is_moving) return;
    const std::vector<uint32_t> &changed = scene::changed(*setup.scene, moment.changes);
    watch.moved.resize(setup.scene->object_count);
    for (const uint32_t object : changed)
        watch.moved[object] = moment.changes;
    if (setup.far_m == 0) {
        watch.due += changed.size() * setup.client_count;
        return;
    }
    const size_t frame = scene::frame(*setup.scene, moment.changes);
    for (size_t i = 0; i < setup.client_count; ++i)
        for (const uint32_t object : changed)
            watch.due += is_seen(setup, frame, i, object, setup.far_m) ? 1 : 0;
}

// How many steps ago the host showed what is shown; steps_max: never.
static uint64_t steps_behind(const Scene &scene, uint64_t step, size_t object, const Thing *shown,
                             uint64_t steps_max)
{
    uint64_t behind = 0;
    while (behind < steps_max &&
           !scene::shows(scene, scene::frame(scene, step - behind), object, shown))
        behind += 1;
    return behind;
}

// The host may have ticked since this tick began.
static bool is_to_come(const Scene &scene, uint64_t step, size_t object, const Thing *shown)
{
    for (uint64_t next = step + 1; next <= step + 4; ++next)
        if (scene::shows(scene, scene::frame(scene, next), object, shown)) return true;
    return false;
}

void look(Watch &watch, const Moment &moment, size_t index, const std::vector<const Thing *> &shown)
{
    const ObjectSetup &setup = *watch.setup;
    const Scene &scene = *setup.scene;
    const size_t frame = scene::frame(scene, moment.changes);
    const uint64_t recent_steps = 200'000 / scene.period_us;
    // By then the scene has shown each of its frames.
    const uint64_t steps_max = std::min<uint64_t>(moment.changes + 1, 2 * scene.frame_count);
    // A client that ticks late may have what the host set in a later tick than its own.
    const uint64_t host_us = moment.now_us - moment.tick * scene.period_us;
    const uint64_t ahead = host_us / scene.period_us;
    for (size_t i = 0; i < scene.object_count; ++i) {
        if (watch.moved[i] == 0 || watch.moved[i] + recent_steps < moment.changes) continue;
        if (!is_seen(setup, frame, index, i, edge * setup.far_m)) continue;
        uint64_t behind =
            steps_behind(scene, moment.changes + ahead, i, shown[i], steps_max + ahead);
        if (behind == steps_max + ahead) {
            const bool is_new = is_to_come(scene, moment.changes + ahead, i, shown[i]);
            watch.wrong = watch.wrong || (shown[i] && !is_new);
            watch.missing += shown[i] ? 0 : 1;
            behind = is_new ? 0 : missing_steps;
        }
        const double since_us = static_cast<double>(host_us - ahead * scene.period_us);
        const double behind_us = static_cast<double>(behind * scene.period_us);
        ages::add(watch.ages, (since_us + behind_us) / 1000);
    }
}

bool is_equal(const ObjectSetup &setup, const Moment &moment,
              const std::vector<const Thing *> &shown)
{
    const size_t frame = scene::frame(*setup.scene, moment.changes);
    for (size_t i = 0; i < setup.scene->object_count; ++i)
        if (!scene::shows(*setup.scene, frame, i, shown[i])) return false;
    return true;
}

Report close(Watch &watch)
{
    Report made = {};
    made.due = watch.due;
    made.delivered = watch.delivered;
    made.wrong = watch.wrong;
    ages::close(watch.ages, made);
    watch.due = watch.delivered = 0;
    return made;
}

}
