#include "bench/live_cubes.h"
#include "bench/harness.h"
#include "tern/untyped.hpp"
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

using namespace tern;

namespace bench {
namespace {

constexpr uint32_t rate_max = 16 * 1024 * 1024;
constexpr int32_t reach = 16'383; // Range of x and y in steps, either side of 0; z is at least 0.
constexpr double per_metre = 512, root = 1.4142135623730951;
constexpr size_t kept_frames = 128;  // Older states of the host are not searched for a match.
constexpr size_t moving_frames = 30; // Half a second.
constexpr size_t looked_at_max = 4;  // Number of receivers whose copies are compared.
// Within half a quantisation step, which is 2e-3 m or 3e-3.
constexpr float same_place = 1e-4f, same_turn = 1e-3f;

const Field fields[] = {
    {"rotation", FieldKind::quaternion, offsetof(LiveCube, rotation), 1, 0, 0, root / 511},
    {"position", FieldKind::float32, offsetof(LiveCube, position), 3, -reach / per_metre,
     reach / per_metre, 1 / per_metre},
    {"is_touched", FieldKind::boolean, offsetof(LiveCube, is_touched)}};

template <class T> void set_predicted(T &type, bool predicted)
{
    if constexpr (can_predict<T>) type.predicted = predicted;
}

template <class T> void set_bound(T &field)
{
    if constexpr (can_bound<T>)
        field.bound = field.kind == FieldKind::quaternion ? 0.05
                      : field.kind == FieldKind::float32  ? 0.01
                                                          : 0;
}

std::span<const Field> bounded_fields()
{
    static const std::vector<Field> bounded = [] {
        std::vector<Field> made(std::begin(fields), std::end(fields));
        for (Field &field : made)
            set_bound(field);
        return made;
    }();
    return bounded;
}

Type cube_type(LiveCoding coding, size_t object_count)
{
    Type type = {"cube", sizeof(LiveCube), fields, static_cast<uint32_t>(object_count)};
    set_predicted(type, coding != LiveCoding::acked);
    if (coding == LiveCoding::bounded) type.fields = bounded_fields();
    return type;
}

LiveCube cube(const uint32_t *words)
{
    LiveCube made = {};
    double squares = 0;
    for (size_t i = 0, k = 1; i < 4; ++i) {
        if (i == words[0]) continue;
        const double part = (words[k++] * 2.0 / 511 - 1) / root;
        made.rotation[i] = static_cast<float>(part);
        squares += part * part;
    }
    made.rotation[words[0]] = static_cast<float>(std::sqrt(std::max(0.0, 1 - squares)));
    for (size_t i = 0; i < 2; ++i)
        made.position[i] =
            static_cast<float>((static_cast<double>(words[4 + i]) - reach) / per_metre);
    made.position[2] = static_cast<float>(words[6] / per_metre);
    made.is_touched = words[7] != 0;
    return made;
}

float place_apart(const LiveCube &a, const LiveCube &b)
{
    float squares = 0;
    for (size_t i = 0; i < 3; ++i) {
        const float part = a.position[i] - b.position[i];
        squares += part * part;
    }
    return std::sqrt(squares);
}

// Approximates half the angle between the two rotations; good for small angles.
float turn_apart(const LiveCube &a, const LiveCube &b)
{
    float minus = 0, plus = 0;
    for (size_t i = 0; i < 4; ++i) {
        const float m = a.rotation[i] - b.rotation[i], p = a.rotation[i] + b.rotation[i];
        minus += m * m;
        plus += p * p;
    }
    return std::sqrt(std::min(minus, plus));
}

struct Scene {
    Type type;
    std::unique_ptr<Links> links;
    Star star;
    std::vector<ObjectId> ids;
    std::vector<std::vector<LiveCube>> kept; // [frame % kept_frames][cube]
    std::vector<size_t> moved_frame;         // [cube]: the frame in which it last moved.
    size_t first, frame;
};

const LiveCube &state_at(const Scene &s, size_t frame, size_t i)
{
    return s.kept[frame % kept_frames][i];
}

void show_frame(Scene &s, const CubesScene &scene, size_t frame)
{
    s.frame = frame;
    std::vector<LiveCube> &now = s.kept[frame % kept_frames];
    now.resize(scene.object_count);
    for (size_t i = 0; i < scene.object_count; ++i) {
        const uint32_t *words = cubes_scene::at(scene, frame, i);
        now[i] = cube(words);
        if (frame == s.first) continue;
        const uint32_t *last = cubes_scene::at(scene, frame - 1, i);
        if (!std::equal(words, words + cube_words, last)) s.moved_frame[i] = frame;
    }
}

void set_moved(Scene &s)
{
    for (size_t i = 0; i < s.ids.size(); ++i)
        if (s.moved_frame[i] == s.frame)
            tern::set(s.star.sessions[0], Object<LiveCube>{s.ids[i]}, state_at(s, s.frame, i));
}

void settle(Scene &s, int ticks)
{
    for (int i = 0; i < ticks; ++i) {
        s.star.now_us += star_tick_us;
        s.links->now_us = s.star.now_us;
        star::host_tick(s.star);
        star::clients_tick(s.star);
    }
}

// Creates the sessions, and returns when every receiver has the first frame.
void open(Scene &s, const LiveCourse &course)
{
    // The host creates all at once, and has at least half of an equal share of the places.
    const auto peer_count = static_cast<uint32_t>(course.receiver_count + 1);
    s.type = cube_type(course.coding, 2 * course.scene->object_count * peer_count);
    s.links = links::make(course.receiver_count, {1000, 0, 0, 1, 0, 0}, course.seed);
    std::vector<Socket *> sockets;
    for (const auto &socket : s.links->sockets)
        sockets.push_back(socket.get());
    s.star = star::make({&s.type, 1}, sockets, rate_max);
    s.kept.resize(kept_frames);
    s.moved_frame.assign(course.scene->object_count, s.first);
    for (size_t i = 1; i <= course.receiver_count; ++i)
        star::join(s.star, i);
    settle(s, 120);
    show_frame(s, *course.scene, s.first);
    for (const LiveCube &one : s.kept[s.first % kept_frames])
        s.ids.push_back(create(s.star.sessions[0], 0, one));
    for (size_t i = 0; i < course.receiver_count; ++i)
        links::set_quality(*s.links, i, course.quality);
    for (int i = 0; i < 6000 && !star::is_equal(s.star); ++i)
        settle(s, 1);
    settle(s, 120);
}

struct Match {
    size_t age;
    float apart_m;
};

// Returns the host's newest state that equals the receiver's copy; if none does, the one that is
// nearest.
Match match(const Scene &s, const LiveCube &has, size_t i)
{
    Match best = {0, INFINITY};
    for (size_t age = 0; age < kept_frames && s.first + age <= s.frame; ++age) {
        const LiveCube &then = state_at(s, s.frame - age, i);
        const float apart_m = place_apart(has, then);
        const bool same = apart_m < same_place && turn_apart(has, then) < same_turn;
        if (same && has.is_touched == then.is_touched) return {age, apart_m};
        if (apart_m < best.apart_m) best = {age, apart_m};
    }
    return best;
}

// Older versions of tern have no sample(); there get() stands in for it.
template <class S> LiveCube sample_of(const S *session, ObjectId id, uint64_t now_us)
{
    LiveCube sampled = tern::get(session, tern::Object<LiveCube>{id});
    if constexpr (requires { sample(session, id, now_us, sampled); })
        sample(session, id, now_us, sampled);
    return sampled;
}

void look(const Scene &s, LiveSeen &seen)
{
    const size_t receivers = std::min(s.star.sessions.size() - 1, looked_at_max);
    for (size_t r = 1; r <= receivers; ++r)
        for (size_t i = 0; i < s.ids.size(); ++i) {
            if (s.moved_frame[i] == s.first || s.moved_frame[i] + moving_frames < s.frame) continue;
            const auto &has = tern::get(s.star.sessions[r], tern::Object<LiveCube>{s.ids[i]});
            const Match found = match(s, has, i);
            seen.ages.push_back(static_cast<float>(found.age));
            seen.coding_mm.push_back(1000 * found.apart_m);
            seen.behind_mm.push_back(1000 * place_apart(has, state_at(s, s.frame, i)));
            const LiveCube sampled = sample_of(s.star.sessions[r], s.ids[i], s.star.now_us);
            seen.sampled_mm.push_back(1000 * place_apart(sampled, state_at(s, s.frame, i)));
        }
}

// Runs one tick of all sessions; only the host's session is timed.
void tick(Scene &s, LiveCosts &costs)
{
    s.star.now_us += star_tick_us;
    s.links->now_us = s.star.now_us;
    const std::span<const Datagram> came = s.star.sockets[0]->receive();
    const uint64_t begin_ns = cpu_clock_ns();
    tern::receive(s.star.sessions[0], came, s.star.now_us);
    set_moved(s);
    const uint64_t set_ns = cpu_clock_ns();
    const std::span<const Datagram> due = tern::send(s.star.sessions[0], s.star.now_us);
    const uint64_t end_ns = cpu_clock_ns();
    s.star.sockets[0]->send(due);
    star::clients_tick(s.star);
    costs.owner_ns += static_cast<double>(end_ns - begin_ns);
    costs.send_ns += static_cast<double>(end_ns - set_ns);
    costs.ticks += 1;
}

struct WireBytes {
    uint64_t down, up;
};

WireBytes wire_bytes(const Links &links)
{
    WireBytes bytes = {};
    for (size_t i = 0; i < links.down.size(); ++i) {
        bytes.down += links::wire_bytes(links.down[i]);
        bytes.up += links::wire_bytes(links.up[i]);
    }
    return bytes;
}

}

namespace live_cubes {

LiveCosts play(const LiveCourse &course)
{
    Scene s = {};
    s.first = std::min(course.first_frame, course.scene->frame_count - 2);
    open(s, course);
    LiveCosts costs = {};
    const WireBytes before = wire_bytes(*s.links);
    const size_t end = std::min(s.first + course.frame_count, course.scene->frame_count - 1);
    for (size_t frame = s.first + 1; frame <= end; ++frame) {
        show_frame(s, *course.scene, frame);
        tick(s, costs);
        if (frame > s.first + moving_frames) look(s, costs.seen);
    }
    const WireBytes after = wire_bytes(*s.links);
    costs.down_bytes = after.down - before.down;
    costs.up_bytes = after.up - before.up;
    settle(s, 300);
    costs.wrong = !star::is_equal(s.star);
    star::destroy(s.star);
    return costs;
}

}
}
