// Cubes of a scene through whole sessions over a bad network, in virtual time: a host that owns
// them, and receivers whose copies are compared with what the host had.
#pragma once
#include "bench/cubes_scene.h"
#include "bench/pairs/links.h"
#include "bench/pairs/star.h"

namespace bench {

// As it travels, the recorded integers survive: a rotation of 9 bits, 1/512 m, a flag.
struct LiveCube {
    float rotation[4];
    float position[3];
    bool is_touched;
};

enum class LiveCoding : uint8_t { acked, predicted, bounded };

// A flag of tern::Type, where there is one.
template <class T> inline constexpr bool can_predict = requires(T type)
{
    type.predicted;
};
template <class F> inline constexpr bool can_bound = requires(F field)
{
    field.bound;
};
inline constexpr bool has_bounds = can_bound<tern::Field>;
inline constexpr bool has_predicted = can_predict<tern::Type>;

// What the contenders are called, in tables and goals.
inline constexpr const char *live_plain = "tern, acked baselines";
inline constexpr const char *live_predicted = "tern, predicted";
inline constexpr const char *live_bounded = "tern, bounded";
inline constexpr const char *live_row = has_predicted ? live_predicted : live_plain;

struct LiveCourse {
    const CubesScene *scene;
    LiveCoding coding;
    size_t receiver_count;
    LinkQuality quality;
    size_t first_frame, frame_count; // Played and measured.
    uint64_t seed;
};

// Of what receivers see in each tick, of cubes that have moved in the last half second. Errors in
// mm; ages in ticks, of the newest state of the host's that is the receiver's.
struct LiveSeen {
    std::vector<float> ages, behind_mm, coding_mm;
    std::vector<float> sampled_mm; // What sample() says of now, against the owner's now.
};

struct LiveCosts {
    uint64_t down_bytes, up_bytes; // With the headers of UDP and IPv4, all receivers.
    double owner_ns, send_ns;      // Of the host's session: all, and its send().
    uint64_t ticks;
    LiveSeen seen;
    bool wrong; // In the end not all worlds are equal.
};

namespace live_cubes {

LiveCosts play(const LiveCourse &course);

}
}
