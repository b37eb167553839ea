#include "bench/bodies.h"
#include "tern/untyped.hpp"
#include <cmath>
#include <cstddef>

using namespace tern;

namespace bench::bodies {

static const Field exact_fields[] = {{"position", FieldKind::float32, offsetof(Body, position), 3},
                                     {"rotation", FieldKind::quaternion, offsetof(Body, rotation)},
                                     {"health", FieldKind::int32, offsetof(Body, health)}};

// A step of 1/255 of the component range makes 511 values, which fit in 9 bits; 1/256 would need
// 10.
constexpr double turn_step = 0.70710678 / 255;

static const Field quantised_fields[] = {
    {"position", FieldKind::float32, offsetof(Body, position), 3, -500, 500, 0.001},
    {"rotation", FieldKind::quaternion, offsetof(Body, rotation), 1, 0, 0, turn_step},
    {"health", FieldKind::int32, offsetof(Body, health), 1, 0, 65'535}};

Type type(Precision precision, uint32_t objects_max)
{
    const std::span<const Field> fields =
        precision == Precision::exact ? std::span<const Field>(exact_fields) : quantised_fields;
    return {"body", sizeof(Body), fields, objects_max};
}

// Each body runs on its own circle, at up to 6 m/s, and turns by half a radian per second.
static void place(Body &body, size_t i, uint64_t tick)
{
    const double seconds = static_cast<double>(tick) / 60;
    const auto number = static_cast<double>(i);
    const double turn = 0.3 * seconds + number;
    const double radius = 5 + static_cast<double>(i % 16);
    const double half = 0.25 * seconds + 0.37 * number;
    const double axis[3] = {std::sin(number), std::cos(number), 1};
    body.position[0] =
        static_cast<float>(static_cast<double>(i % 900) - 450 + radius * std::sin(turn));
    body.position[1] =
        static_cast<float>(static_cast<double>(i / 900 * 20) - 450 + radius * std::cos(turn));
    body.position[2] = static_cast<float>(20 + radius * std::sin(0.7 * turn));
    for (size_t k = 0; k < 3; ++k)
        body.rotation[k] = static_cast<float>(std::sin(half) * axis[k] / std::sqrt(2.0));
    body.rotation[3] = static_cast<float>(std::cos(half));
    body.health = static_cast<int32_t>((tick + i) % 60'000);
}

Bodies make(size_t count, size_t stride)
{
    Bodies made = {std::vector<Body>(count), {}, stride, 0};
    for (size_t i = 0; i < count; ++i)
        place(made.values[i], i, 0);
    return made;
}

void create(Bodies &bodies, Session *host)
{
    for (const Body &body : bodies.values)
        bodies.ids.push_back(tern::create(host, 0, body));
}

void move(Bodies &bodies)
{
    bodies.tick += 1;
    for (size_t i = first(bodies); i < bodies.values.size(); i += bodies.stride)
        place(bodies.values[i], i, bodies.tick);
}

void set(const Bodies &bodies, Session *host)
{
    for (size_t i = first(bodies); i < bodies.values.size(); i += bodies.stride)
        tern::set(host, Object<Body>{bodies.ids[i]}, bodies.values[i]);
}

}
