// Replicates a scene of rigid bodies through whole sessions with an RTT of 100 ms, jitter and loss:
// measures the bytes on the wire, and the age and the error of what receivers see.
#include "bench/live_cubes.h"
#include "bench/sections/sections.h"
#include <algorithm>
#include <numeric>

namespace bench {
namespace {

constexpr double tick_ms = 1000.0 / 60;
constexpr uint32_t rounds = 3;

struct NamedLoss {
    const char *id, *title;
    double loss, burst_mean;
};
constexpr NamedLoss losses[] = {{"0", "no loss", 0, 1},
                                {"1", "1 % loss", 0.01, 1},
                                {"5", "5 % loss", 0.05, 1},
                                {"bursts", "5 % loss in bursts of 3", 0.05, 3}};

double mean(const std::vector<float> &values)
{
    if (values.empty()) return 0;
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double slowest_hundredth(std::vector<float> values)
{
    if (values.empty()) return 0;
    const auto at = values.begin() + static_cast<ptrdiff_t>((values.size() - 1) * 99 / 100);
    std::nth_element(values.begin(), at, values.end());
    return static_cast<double>(*at);
}

Sample run_course(LiveCourse &course)
{
    course.seed += 1;
    const LiveCosts costs = live_cubes::play(course);
    const auto receivers = static_cast<double>(course.receiver_count);
    const auto ticks = static_cast<double>(costs.ticks);
    const double kilobits = 8.0 / 1000 / (ticks / 60) / receivers;
    const double objects = ticks * static_cast<double>(course.scene->object_count) * receivers;
    return {{static_cast<double>(costs.down_bytes) * kilobits,
             static_cast<double>(costs.up_bytes) * kilobits, mean(costs.seen.ages) * tick_ms,
             slowest_hundredth(costs.seen.ages) * tick_ms, mean(costs.seen.behind_mm),
             slowest_hundredth(costs.seen.behind_mm), mean(costs.seen.sampled_mm),
             slowest_hundredth(costs.seen.sampled_mm), mean(costs.seen.coding_mm),
             slowest_hundredth(costs.seen.coding_mm), costs.owner_ns / objects,
             costs.send_ns / objects},
            costs.ticks,
            costs.ticks,
            costs.wrong};
}

bool measure_course(const CubesScene &scene, const NamedLoss &loss, size_t receiver_count,
                    const Options &options)
{
    // Scenes begin at rest, so a part of a scene is taken from its middle.
    const bool is_whole = receiver_count == 1 && !options.quick;
    const size_t first = is_whole ? 0 : scene.frame_count / 3;
    const size_t frames = options.quick ? 300 : is_whole ? scene.frame_count : 1200;
    const LinkQuality quality = {50'000, 5000, loss.loss, loss.burst_mean, 0, 0};
    LiveCourse acked = {&scene, LiveCoding::acked, receiver_count, quality, first, frames, 0};
    LiveCourse predicted = acked;
    predicted.coding = LiveCoding::predicted;
    std::vector<Contender> contenders = {
        contender<run_course>(live_plain, acked, Promise::everything)};
    if (has_predicted)
        contenders.push_back(contender<run_course>(live_predicted, predicted, Promise::everything));
    LiveCourse bounded = acked;
    bounded.coding = LiveCoding::bounded;
    if (has_bounds)
        contenders.push_back(contender<run_course>(live_bounded, bounded, Promise::everything));
    const std::string receivers = std::to_string(receiver_count);
    Section section = {"live/" + scene.name + "/" + receivers + "_" + loss.id,
                       "live cubes, " + scene.name + ": " + receivers +
                           (receiver_count == 1 ? " receiver, " : " receivers, ") + loss.title,
                       {{"down kbit/s", 1, true},
                        {"up kbit/s", 1, false},
                        {"age", 0, false},
                        {"p99 age", 0, false},
                        {"behind", 0, false},
                        {"p99 behind", 0, false},
                        {"sampled", 0, false},
                        {"p99 sampled", 0, false},
                        {"off", 1, false},
                        {"p99 off", 1, false},
                        {"CPU ns", 1, false},
                        {"its send", 1, false}},
                       {}};
    if (&loss == losses)
        section.notes = {
            "RTT 100 ms, jitter 5 ms, 60 Hz; kbit/s per receiver with 28 B of headers a datagram",
            "of cubes that moved in the last 0.5 s: age in ms of what a receiver has, in mm how",
            "far it is behind the owner now, and off what the owner had then; mean and p99",
            "sampled: what sample() says of now, in mm from the owner now",
            "CPU: of the owner's session, per object, changed or not, and receiver"};
    Options few = options;
    few.rounds = options.quick ? 1 : rounds;
    return measure(section, contenders, few);
}

}

bool measure_live(const Options &options)
{
    std::vector<CubesScene> scenes = cubes_scene::recorded(options.cubes);
    for (uint64_t seed = 1; seed <= (options.quick ? 1 : 3); ++seed)
        scenes.push_back(cubes_scene::make(seed, options.quick ? 600 : 1800));
    bool right = true;
    for (const size_t receiver_count : {size_t{1}, size_t{16}, size_t{64}}) {
        if (options.quick && receiver_count > 16) continue;
        for (const NamedLoss &loss : losses)
            right = measure_course(scenes[0], loss, receiver_count, options) && right;
    }
    // The other scenes show whether the first one is typical.
    for (size_t i = 1; i < scenes.size(); ++i)
        right = measure_course(scenes[i], losses[1], 1, options) && right;
    return right;
}

}
