#include "sim/oracles/oracle_checks.h"
#include "sim/world/names.h"
#include "tern/diagnostics.hpp"
#include "tern/ownership.hpp"
#include "tern/prediction.hpp"
#include <algorithm>
#include <cmath>
#include <cstring>

namespace tern::oracle_sampling {

using names::text;

namespace {

constexpr size_t samples_max = 4;      // Objects that are sampled in one tick of a peer.
constexpr uint64_t same_ticks = 64;    // A peer samples the same ones for so many ticks.
constexpr float glide_step_max = 0.4f; // The most that a gliding object moves in a tick.
// With a jitter of 80 ms such an estimate is off by 50 ms at most after that time.
constexpr uint64_t clock_error_us = 50'000;
// Receivers go on for 16 ticks of the owner, and return in as many: sample() in prediction.hpp.
constexpr uint64_t extrapolated_ticks = 32;

Violation wrong(const Node &node, uint16_t index, const KnownObject &object, const char *what)
{
    return oracles::violation("I23", object.id, index, "sample() of %s at peer %s: %s",
                              text(object.id).c_str(), text(node.self).c_str(), what);
}

// The number of the write within the tenure that the owner's fields without interpolation come
// from. UINT32_MAX: the owner had no such value.
uint32_t sequence_of(const Tenure &tenure, const Written &value)
{
    if (value.tenure == tenure.stamp) {
        const bool written = value.sequence > 0 && value.sequence < tenure.written.size();
        return written && value.writer == tenure.owner ? value.sequence : UINT32_MAX;
    }
    const Written &began = tenure.began;
    const bool same = value.tenure == began.tenure && value.sequence == began.sequence &&
                      value.writer == began.writer && tenure.base != 0;
    return same ? 0 : UINT32_MAX;
}

float distance(const float (&a)[3], const float (&b)[3])
{
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

// The distance from a point to the line between two others.
float distance(const float (&point)[3], const float (&from)[3], const float (&to)[3])
{
    float along = 0, square = 0;
    for (size_t i = 0; i < 3; ++i) {
        along += (point[i] - from[i]) * (to[i] - from[i]);
        square += (to[i] - from[i]) * (to[i] - from[i]);
    }
    const float part = square > 0 ? std::clamp(along / square, 0.0f, 1.0f) : 0;
    float nearest[3];
    for (size_t i = 0; i < 3; ++i)
        nearest[i] = from[i] + (to[i] - from[i]) * part;
    return distance(point, nearest);
}

bool is_steady(const Node &node, uint64_t now_us)
{
    return node.shows_clock && node.troubled_us <= now_us &&
           now_us - node.troubled_us >= clock_steady_us;
}

// Whether the two had no path of their own lately. What comes over a new one has been on its way
// for long, and is among the samples of the owner's clock.
bool were_apart(const Oracles &o, std::span<const Node> nodes, size_t a, size_t b, uint64_t now_us)
{
    const auto lately = [&](size_t one, size_t other) {
        const auto found = o.nodes[one].indirect_us.find(nodes[other].self);
        return found != o.nodes[one].indirect_us.end() && now_us - found->second < clock_steady_us;
    };
    return a != b && (lately(a, b) || lately(b, a));
}

// How far from the way of the object in the last `lately_us` the position is. Less than 0: the
// object did not move steadily in that time or in the `effect_us` before, in which what was sent
// decides what receivers extrapolate.
float strayed(const Tenure &tenure, const float (&position)[3], uint64_t now_us, uint64_t lately_us,
              uint64_t effect_us)
{
    const uint64_t before_us = 2 * lately_us + effect_us;
    float nearest = -1;
    for (size_t i = tenure.writes.size(); i > 1; --i) {
        const OwnerWrite &to = tenure.writes[i - 1], &from = tenure.writes[i - 2];
        if (distance(from.position, to.position) > glide_step_max) return -1;
        if (now_us - to.us <= lately_us || nearest < 0) {
            const float away = distance(position, from.position, to.position);
            nearest = nearest < 0 ? away : std::min(nearest, away);
        }
        if (now_us - from.us > before_us) return nearest;
    }
    return -1; // The tenure is too young.
}

Violation check_position(const Oracles &o, std::span<const Node> nodes, uint16_t index,
                         const KnownObject &object, const Tenure &tenure, const Written &value)
{
    const Node &node = nodes[index];
    const auto bound =
        static_cast<float>(session_config(node.session).types[object.type].fields[3].bound);
    if (bound <= 0) return {};
    const uint64_t now_us = o.ledger.now_us;
    const auto owner = std::find_if(nodes.begin(), nodes.end(), [&](const Node &other) {
        return other.session && other.self == object.owner;
    });
    if (owner == nodes.end() || !is_steady(node, now_us) || !is_steady(*owner, now_us)) return {};
    const uint64_t lately_us = oracle_freshness::bound_us(o, nodes, index, object);
    if (lately_us == 0) return {};
    const auto from = static_cast<size_t>(owner - nodes.begin());
    const bool star = inspect::replica(node.session).rules.topology == Topology::star;
    const auto host = std::find_if(nodes.begin(), nodes.end(), [&](const Node &other) {
        return other.session && other.self == o.nodes[index].mirror.host;
    });
    const size_t sender =
        star && host != nodes.end() ? static_cast<size_t>(host - nodes.begin()) : from;
    if (were_apart(o, nodes, from, sender, now_us) || were_apart(o, nodes, sender, index, now_us))
        return {};
    const uint64_t effect_us = 1'000'000 + extrapolated_ticks * owner->period_us;
    const float away = strayed(tenure, value.position, now_us, lately_us, effect_us);
    // Where the object turns, receivers go on for a tick of the owner's, one of their own, and as
    // long as their estimate of the owner's clock is ahead.
    const uint64_t late_us = node.period_us + clock_error_us;
    const uint64_t turning_ticks = 1 + (late_us + owner->period_us - 1) / owner->period_us;
    const float most = bound + 2 * glide_step_max * static_cast<float>(turning_ticks);
    if (away <= most) return {};
    return oracles::violation("I23", object.id, index,
                              "sample() of %s at peer %s is %.3f away from where it was lately, of "
                              "at most %.3f",
                              text(object.id).c_str(), text(node.self).c_str(),
                              static_cast<double>(away), static_cast<double>(most));
}

Violation check_object(Oracles &o, std::span<const Node> nodes, uint16_t index,
                       const KnownObject &object)
{
    const Node &node = nodes[index];
    const ObjectRecord *known = ledger::find(o.ledger, object.id);
    const Tenure *tenure = known ? ledger::tenure(*known, object.stamp) : nullptr;
    if (!tenure || !exists(node.session, object.id)) return {};
    if (object_stamp(node.session, object.id) != object.stamp) return {};
    Written value = {};
    if (!sample(node.session, Object<Written>{object.id}, node.clock_us, value))
        return wrong(node, index, object, "nothing, although it lives");
    const auto &shown = get(node.session, Object<Written>{object.id});
    const bool has_history = object.type == MORTAL || object.type == ASKED;
    if (!has_history || inspect::is_optimistic(node.session, object.id))
        return std::memcmp(&value, &shown, sizeof value) == 0
                   ? Violation{}
                   : wrong(node, index, object, "not what get() gives, and it has no history");
    const uint32_t sequence = sequence_of(*tenure, value);
    if (sequence == UINT32_MAX)
        return wrong(node, index, object, "fields that its owner has never had together");
    if (sequence > sequence_of(*tenure, shown))
        return wrong(node, index, object, "a later write than get() gives");
    Sampled &last = o.nodes[index].sampled[object.id];
    if (last.stamp == object.stamp && sequence < last.sequence)
        return wrong(node, index, object, "an earlier write than in the last tick");
    last = {object.stamp, sequence};
    return check_position(o, nodes, index, object, *tenure, value);
}

}

Violation check(Oracles &o, std::span<const Node> nodes, uint16_t index)
{
    const Node &node = nodes[index];
    const NodeRecord &record = o.nodes[index];
    if (record.open_us == 0 || session_state(node.session) != State::open || node.slots.empty())
        return {};
    const size_t first = record.ticks / same_ticks * samples_max;
    size_t left = samples_max;
    for (size_t i = 0; i < node.slots.size() && left > 0; ++i) {
        const KnownObject &object = node.slots[(first + i) % node.slots.size()];
        if (object.life != Life::alive || object.owner == node.self) continue;
        left -= 1;
        Violation violation = check_object(o, nodes, index, object);
        if (violation) return violation;
    }
    return {};
}

}
