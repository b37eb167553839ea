// The training samples of the state coder: changed objects of scenes, with histories of many ages.
#pragma once
#include "bench/cubes_scene.h"
#include "replication/snapshot/state_coder.h"

namespace bench::train {

// The ages of the states of a history: the baseline's age, and how much older than it the others
// are.
struct Ages {
    uint32_t base;
    uint32_t older[tern::history_max - 1];
    uint32_t older_count;
};

std::vector<Ages> all_ages();
tern::Horizon horizon(const Ages &ages, const tern::WeightTable &table);

struct Sample {
    tern::History history;
    const uint32_t *now;
};

// Calls visit(sample) for each object that differs from its baseline, in every stride-th frame.
template <class Visit>
void each_sample(const CubesScene &scene, const Ages &ages, const tern::WeightTable &table,
                 size_t stride, Visit visit)
{
    static constexpr size_t oldest = 48;
    Sample s = {};
    s.history.horizon = horizon(ages, table);
    for (size_t frame = oldest + ages.base % stride; frame < scene.frame_count; frame += stride)
        for (size_t object = 0; object < scene.object_count; ++object) {
            s.now = cubes_scene::at(scene, frame, object);
            s.history.at[0] = cubes_scene::at(scene, frame - ages.base, object);
            if (std::equal(s.now, s.now + cube_words, s.history.at[0])) continue;
            for (uint32_t i = 0; i < ages.older_count; ++i)
                s.history.at[1 + i] =
                    cubes_scene::at(scene, frame - ages.base - ages.older[i], object);
            visit(s);
        }
}

}
