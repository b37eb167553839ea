// Replicates the cubes of a scene through whole sessions over a bad network in virtual time. A host
// owns them; the copies of the receivers are compared with the host's states.
#pragma once
#include "bench/cubes_scene.h"
#include "bench/pairs/links.h"
#include "bench/pairs/star.h"

namespace bench {

// The quantisation keeps the recorded integers exact: a rotation of 9 bits, positions of 1/512 m, a
// flag.
struct LiveCube {
    float rotation[4];
    float position[3];
    bool is_touched;
};

enum class LiveCoding : uint8_t { acked, predicted, bounded };

// Whether this version of tern has tern::Type::predicted; the benchmark also builds against older
// ones.
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

// Names of the contenders in tables and goals.
inline constexpr const char *live_plain = "tern, acked baselines";
inline constexpr const char *live_predicted = "tern, predicted";
inline constexpr const char *live_bounded = "tern, bounded";
inline constexpr const char *live_row = has_predicted ? live_predicted : live_plain;

struct LiveCourse {
    const CubesScene *scene;
    LiveCoding coding;
    size_t receiver_count;
    LinkQuality quality;
    size_t first_frame, frame_count; // The frames that are played and measured.
    uint64_t seed;
};

// Measured at the receivers in each tick, for cubes that moved in the last half second. ages: in
// ticks, of the newest host state that equals the copy. behind_mm: copy to the host's current
// state. coding_mm: copy to the host state that it matches.
struct LiveSeen {
    std::vector<float> ages, behind_mm, coding_mm;
    std::vector<float> sampled_mm; // sample() for the current time to the host's current state.
};

struct LiveCosts {
    uint64_t down_bytes, up_bytes; // On the wire with UDP and IPv4 headers, sum of all receivers.
    double owner_ns, send_ns; // CPU of the host's session: all of its tick, and its send() alone.
    uint64_t ticks;
    LiveSeen seen;
    bool wrong; // Some receiver's world differs from the host's in the end.
};

namespace live_cubes {

LiveCosts play(const LiveCourse &course);

}
}
