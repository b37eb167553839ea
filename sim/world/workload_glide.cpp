// Objects that move steadily: the games' acts by which error bounds and sample() are checked.
#include "sim/world/simulation.h"
#include <algorithm>
#include <cmath>

namespace tern::simulation {

static constexpr uint64_t straight_us = 1'000'000; // An object keeps its course for so long.
static constexpr int32_t edge_hundredths = 9000;   // Beyond it, objects turn back.

// The step of one tick along one axis, in hundredths.
static int32_t step_of(ObjectId id, uint64_t phase, uint64_t axis)
{
    const uint64_t drawn = dice::mixed(static_cast<uint64_t>(id) * 3 + axis + (phase << 40));
    return static_cast<int32_t>(dice::within(drawn, 0, 40)) - 20;
}

// Only the field with an error bound changes, so that the change may be suppressed. So the sequence
// keeps the number of the last write.
static void move(Simulation &sim, Node &node, ObjectId id)
{
    Written value = get(node.session, Object<Written>{id});
    for (uint64_t axis = 0; axis < 3; ++axis) {
        const auto at = static_cast<int32_t>(std::lround(value.position[axis] * 100));
        int32_t step = step_of(id, sim.now_us / straight_us, axis);
        if (std::abs(at) > edge_hundredths) step = at > 0 ? -std::abs(step) : std::abs(step);
        value.position[axis] = static_cast<float>(at + step) * 0.01f;
    }
    set(node.session, Object<Written>{id}, value);
    node.played.push_back(id);
}

bool glide(Simulation &sim, uint16_t place, const SimChoice &choice)
{
    Node &node = sim.nodes[place];
    const Replica &r = inspect::replica(node.session);
    const auto most = static_cast<uint64_t>(choice.value);
    uint64_t moved = 0;
    for (size_t slot = 0; slot < sim.places[place].slot_end && moved < most; ++slot) {
        const KnownObject &object = r.world.slots[slot];
        if (object.life != Life::alive || object.owner != node.self || object.type != ASKED)
            continue;
        const auto &value = get(node.session, Object<Written>{object.id});
        // The first change of a tenure names it.
        if (value.tenure != object.stamp || value.writer != node.self) continue;
        move(sim, node, object.id);
        moved += 1;
    }
    return moved > 0;
}

}
