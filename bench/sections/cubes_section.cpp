// Measures how few bits a scene of rigid bodies takes and how long coding it takes, without a
// network. Each frame is encoded exactly against one that is some frames older, and decoded again.
#include "bench/cubes_coders.h"
#include "bench/sections/sections.h"
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace bench {
namespace {

constexpr double ticks_per_second = 60;
constexpr uint32_t offline_lag = 6; // A round trip of 100 ms.
constexpr uint32_t lags[] = {1, 2, 3, 6, 9, 12, 18};
constexpr size_t oldest_frame = 18 + cubes_oldest; // All lags code the same frames.
constexpr size_t run_spacing = 300;

// Consecutive frames, as in a game, keep the newest states in the processor's caches.
size_t run_length(const Options &options)
{
    return options.quick ? 30 : run_spacing;
}

struct Replay {
    const CubesScene *scene;
    tern::StateLayout layout;
    const CubesCoder *coder;
    uint32_t lag;
    size_t run; // The first `run` frames of each run_spacing are coded.
    std::vector<uint32_t> words;
    std::vector<std::byte> packet;
};

Replay make_replay(const CubesScene &scene, const CubesCoder &coder, uint32_t lag, size_t run)
{
    return {&scene,
            cubes_scene::layout(),
            &coder,
            lag,
            run,
            std::vector<uint32_t>(scene.object_count * cube_words),
            std::vector<std::byte>(scene.object_count * cube_words * 4)};
}

struct Costs {
    double write_ns, read_ns;
    uint64_t frames, bytes, right;
};

// r.words starts as a copy of the baseline, because a coder writes only what changed.
void code_frame(Replay &r, size_t frame, Costs &costs)
{
    const CubesFrame f = {r.scene, &r.layout, frame, r.lag};
    const size_t frame_words = r.words.size();
    const uint32_t *base = cubes_scene::at(*r.scene, frame - r.lag, 0);
    std::copy(base, base + frame_words, r.words.begin());
    const uint64_t begin_ns = cpu_clock_ns();
    const size_t size = r.coder->write(f, r.packet);
    const uint64_t written_ns = cpu_clock_ns();
    const bool read = r.coder->read(f, std::span(r.packet).first(size), r.words.data());
    const uint64_t read_ns = cpu_clock_ns();
    costs.write_ns += static_cast<double>(written_ns - begin_ns);
    costs.read_ns += static_cast<double>(read_ns - written_ns);
    costs.frames += 1;
    costs.bytes += size;
    const uint32_t *now = cubes_scene::at(*r.scene, frame, 0);
    const bool equal = std::equal(now, now + frame_words, r.words.begin());
    costs.right += read && equal ? 1 : 0;
}

Costs replay(Replay &r)
{
    Costs costs = {};
    for (size_t frame = oldest_frame; frame < r.scene->frame_count; ++frame)
        if (frame % run_spacing < r.run) code_frame(r, frame, costs);
    return costs;
}

Sample run_replay(Replay &r)
{
    const Costs costs = replay(r);
    const auto frames = static_cast<double>(costs.frames);
    const double objects = frames * static_cast<double>(r.scene->object_count);
    const double frame_bytes = static_cast<double>(costs.bytes) / frames;
    return {{frame_bytes * 8 * ticks_per_second / 1000, frame_bytes, costs.write_ns / objects,
             costs.read_ns / objects},
            costs.frames,
            costs.right,
            costs.right != costs.frames};
}

bool measure_scene(const CubesScene &scene, const Options &options)
{
    const size_t run = run_length(options);
    Replay quantised = make_replay(scene, quantised_coder, offline_lag, run);
    Replay bucketed = make_replay(scene, bucketed_coder, offline_lag, run);
    Replay states = make_replay(scene, state_coder_of_tern, offline_lag, run);
    const Contender contenders[] = {
        contender<run_replay>(quantised_coder.name, quantised, Promise::everything),
        contender<run_replay>(bucketed_coder.name, bucketed, Promise::everything),
        contender<run_replay>(state_coder_of_tern.name, states, Promise::everything)};
    const Section section = {
        "cubes/" + scene.name,
        "cubes, " + scene.name + ": against the frame 6 before",
        {{"kbit/s", 1, true}, {"bytes", 1, false}, {"write ns", 1, true}, {"read ns", 1, true}},
        {"kbit/s: at 60 Hz, payload; ns: per object, changed or not",
         "exact; each frame is read again and compared"}};
    return measure(section, contenders, options);
}

// Measures bytes per frame against baselines of several ages.
bool measure_ages(const CubesScene &scene, const Options &options)
{
    const size_t run = run_length(options);
    std::vector<std::string> titles;
    Section section = {"ages/" + scene.name,
                       "cubes, " + scene.name + ": bytes a frame by the age of the baseline",
                       {},
                       {}};
    for (uint32_t lag : lags)
        titles.push_back(std::to_string(lag) + (lag == 1 ? " frame" : " frames"));
    for (const std::string &title : titles)
        section.columns.push_back({title.c_str(), 1, false});
    bool right = true;
    std::vector<Line> lines;
    for (const CubesCoder *coder : {&bucketed_coder, &state_coder_of_tern}) {
        lines.push_back({coder->name, {}});
        for (uint32_t lag : lags) {
            Replay r = make_replay(scene, *coder, lag, run);
            const Costs costs = replay(r);
            right = right && costs.right == costs.frames;
            lines.back().values.push_back(static_cast<double>(costs.bytes) /
                                          static_cast<double>(costs.frames));
        }
    }
    add_table(section, lines, options);
    return right;
}

}

bool measure_cubes(const Options &options)
{
    bool right = true;
    std::vector<CubesScene> scenes = cubes_scene::recorded(options.cubes);
    const size_t frames = options.quick ? 600 : 1800;
    for (uint64_t seed = 1; seed <= 3; ++seed)
        scenes.push_back(cubes_scene::make(seed, frames));
    for (const CubesScene &scene : scenes) {
        right = measure_scene(scene, options) && right;
        right = measure_ages(scene, options) && right;
    }
    return right;
}

}
