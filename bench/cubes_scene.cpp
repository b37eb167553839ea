#include "bench/cubes_scene.h"
#include "bench/rigid_cubes.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace bench::cubes_scene {

static constexpr size_t recorded_objects = 901;
static constexpr uint32_t part_max = 511;
static constexpr int32_t reach_xy = 16383, reach_z = 8191;

tern::StateLayout layout()
{
    tern::StateLayout made = {};
    tern::state_layout::add(made,
                            tern::state_layout::rotation(1, part_max, std::sqrt(2.0) / part_max));
    tern::state_layout::add(made, tern::state_layout::number(3, 2 * reach_xy));
    tern::state_layout::add(made, {tern::Shape::flag, 0, 1, 1, 0, 0});
    return made;
}

static void add_record(CubesScene &scene, const int32_t (&record)[cube_words])
{
    for (size_t i = 0; i < cube_words; ++i) {
        const int32_t offset = i == 4 || i == 5 ? reach_xy : 0;
        scene.words.push_back(static_cast<uint32_t>(record[i] + offset));
    }
}

CubesScene load(const std::string &path)
{
    CubesScene scene = {path.substr(path.rfind('/') + 1), recorded_objects, 0, {}};
    const bool packed = path.ends_with(".xz");
    if (path.find('\'') != std::string::npos) return scene;
    std::string command = "xz -dc '";
    command.append(path).append("' 2>&-");
    FILE *file = packed ? popen(command.c_str(), "r") : std::fopen(path.c_str(), "rb");
    if (file == nullptr) return scene;
    int32_t record[cube_words];
    while (std::fread(record, sizeof record, 1, file) == 1)
        add_record(scene, record);
    const int closed = packed ? pclose(file) : std::fclose(file);
    const size_t records = scene.words.size() / cube_words;
    if (closed == 0 && records % recorded_objects == 0)
        scene.frame_count = records / recorded_objects;
    return scene;
}

std::vector<CubesScene> recorded(const std::vector<std::string> &paths)
{
    std::string beside = "..";
    beside.append("/shared/cubes/cubes_a.bin.xz");
    std::vector<CubesScene> scenes;
    for (const std::string &path : paths.empty() ? std::vector<std::string>{beside} : paths) {
        scenes.push_back(load(path));
        if (scenes.back().frame_count > 0) continue;
        std::printf("\ncubes: %s is not there or no recording: left out\n", path.c_str());
        scenes.pop_back();
    }
    return scenes;
}

// Rounds as the recordings do: positions to 1/512 m, rotations to 9 bits a component, with the
// largest component made positive because it is left out.
static void record_cube(CubesScene &scene, const Cube &cube)
{
    const double parts[4] = {cube.turn.w, cube.turn.x, cube.turn.y, cube.turn.z};
    size_t largest = 0;
    for (size_t i = 1; i < 4; ++i)
        if (std::fabs(parts[i]) > std::fabs(parts[largest])) largest = i;
    int32_t record[cube_words] = {static_cast<int32_t>(largest)};
    const double sign = parts[largest] < 0 ? -1 : 1;
    for (size_t i = 0, k = 1; i < 4; ++i) {
        if (i == largest) continue;
        const double share = (sign * parts[i] * std::sqrt(2.0) + 1) / 2;
        record[k++] = static_cast<int32_t>(
            std::clamp(std::floor(share * part_max + 0.5), 0.0, double{part_max}));
    }
    const auto rounded = [](double metres, int32_t least, int32_t most) {
        return std::clamp(static_cast<int32_t>(std::floor(metres * 512 + 0.5)), least, most);
    };
    record[4] = rounded(cube.at.x, -reach_xy, reach_xy);
    record[5] = rounded(cube.at.y, -reach_xy, reach_xy);
    record[6] = rounded(cube.at.z, 0, reach_z);
    record[7] = cube.is_touched ? 1 : 0;
    add_record(scene, record);
}

CubesScene make(uint64_t seed, size_t frame_count)
{
    static constexpr size_t settle_frames = 60;
    CubesScene scene = {"own scene ", recorded_objects, frame_count, {}};
    scene.name.append(std::to_string(seed));
    RigidCubes world =
        rigid_cubes::make(seed, 1 + seed % 2, 0.8 + 0.1 * static_cast<double>(seed % 3));
    scene.words.reserve(frame_count * recorded_objects * cube_words);
    for (size_t frame = 0; frame < settle_frames + frame_count; ++frame) {
        rigid_cubes::step(world);
        rigid_cubes::step(world);
        for (const Cube &cube : world.cubes)
            if (frame >= settle_frames) record_cube(scene, cube);
    }
    return scene;
}

}
