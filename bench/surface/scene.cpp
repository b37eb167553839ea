#include "bench/surface/scene.h"
#include <algorithm>
#include <cmath>
#include <cstddef>

using namespace tern;

namespace bench::surface {

static const Field thing_fields[] = {
    {"position", FieldKind::float32, offsetof(Thing, position), 3, -reach_m, reach_m,
     position_step_m},
    {"rotation", FieldKind::quaternion, offsetof(Thing, rotation), 1, 0, 0, rotation_step},
    {"number", FieldKind::uint32, offsetof(Thing, number), 1, 0, 65'535}};

Type thing_type(const Scene &scene, bool is_predicted)
{
    Type made = {"thing", sizeof(Thing), thing_fields};
    // The members share the room: creations_left().
    made.objects_max = static_cast<uint32_t>(4 * scene.object_count + 256);
    made.predicted = is_predicted;
    return made;
}

namespace scene {

size_t frame(const Scene &scene, uint64_t step)
{
    if (scene.frame_count < 2) return 0;
    const uint64_t half = scene.frame_count - 1, at = step % (2 * half);
    return static_cast<size_t>(at <= half ? at : 2 * half - at);
}

const std::vector<uint32_t> &changed(const Scene &scene, uint64_t step)
{
    return scene.changed[std::max(frame(scene, step - 1), frame(scene, step))];
}

bool shows(const Scene &scene, size_t frame, size_t object, const Thing *shown)
{
    if (!is_alive(scene, frame, object)) return !shown;
    if (!shown) return false;
    const Thing &truth = at(scene, frame, object);
    float dot = 0;
    for (size_t i = 0; i < 4; ++i)
        dot += truth.rotation[i] * shown->rotation[i];
    for (size_t i = 0; i < 3; ++i)
        if (std::fabs(truth.position[i] - shown->position[i]) > 0.0011f) return false;
    return std::fabs(dot) > 1 - 2e-5f;
}

double distance_squared(const Thing &a, const Thing &b)
{
    double sum = 0;
    for (size_t i = 0; i < 3; ++i) {
        const double apart = double{a.position[i]} - double{b.position[i]};
        sum += apart * apart;
    }
    return sum;
}

}
}
