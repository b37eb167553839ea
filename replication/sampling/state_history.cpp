#include "replication/sampling/state_history.h"
#include "replication/sampling/extrapolation.h"
#include "replication/snapshot/bounds.h"
#include "tern/limits.hpp"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace tern::state_history {

static bool is_kept(const Type &type)
{
    return type.objects_max > 0 && (type.predicted || bounds::fields_of(type) != 0);
}

void place(flat::Builder &builder, StateHistory &t, const TypeTable &types, uint32_t slot_count,
           uint32_t peer_count)
{
    t.size_bytes = 0;
    for (const Type &type : types.types)
        if (is_kept(type)) t.size_bytes = std::max(t.size_bytes, uint32_t{type.size_bytes});
    const size_t slots = t.size_bytes > 0 ? slot_count : 0;
    const size_t peers = t.size_bytes > 0 ? peer_count : 0;
    const size_t type_count = t.size_bytes > 0 ? types.types.size() : 0;
    flat::place(builder, t.kept, type_count, type_count);
    for (size_t i = 0; builder.block && i < type_count; ++i)
        t.kept[i] = is_kept(types.types[i]);
    flat::place(builder, t.clocks, peers, peers);
    flat::place(builder, t.states, slots, slots);
    flat::place(builder, t.ticks, slots * states_kept, slots * states_kept);
    flat::place(builder, t.values, slots * states_kept * t.size_bytes,
                slots * states_kept * t.size_bytes);
}

// --- Time ---

// Whether `middle` lies on or above the line from `a` to `b`, so that it is no corner of the lower
// envelope: its update took longer to arrive.
static bool is_late(const ClockSample &a, const ClockSample &middle, const ClockSample &b)
{
    return static_cast<double>(middle.us - a.us) * (b.tick - a.tick) >=
           static_cast<double>(b.us - a.us) * (middle.tick - a.tick);
}

static void add_to_envelope(ClockEnvelope &envelope, const ClockSample &sample)
{
    while (envelope.count > 1 && is_late(envelope.samples[envelope.count - 2],
                                         envelope.samples[envelope.count - 1], sample))
        envelope.count -= 1;
    if (envelope.count == envelope_samples_max) {
        envelope.count -= 1;
        std::copy_n(envelope.samples + 1, envelope.count, envelope.samples);
    }
    envelope.samples[envelope.count] = sample;
    envelope.count += 1;
}

// The owner's ticks over local times. The rate is 0 if the envelope has one corner only.
struct ClockLine {
    ClockSample from;
    double ticks_per_us;
};

static ClockLine line_through(const ClockEnvelope &envelope)
{
    ClockLine line = {envelope.samples[0], 0};
    uint64_t longest_us = 0;
    for (uint32_t i = 1; i < envelope.count; ++i) {
        const ClockSample &from = envelope.samples[i - 1], &to = envelope.samples[i];
        if (to.us - from.us <= longest_us) continue;
        longest_us = to.us - from.us;
        line = {from, (to.tick - from.tick) / static_cast<double>(longest_us)};
    }
    return line;
}

// Whether the fastest datagram of the window is far from the line.
static bool has_drifted(const ClockLine &line, const ClockEnvelope &window)
{
    if (line.ticks_per_us <= 0) return false;
    double earliest_us = std::numeric_limits<double>::max();
    for (uint32_t i = 0; i < window.count; ++i) {
        const ClockSample &corner = window.samples[i];
        const double passed_us = static_cast<double>(corner.us) - static_cast<double>(line.from.us);
        const double ticks = static_cast<double>(corner.tick) - line.from.tick;
        earliest_us = std::min(earliest_us, passed_us - ticks / line.ticks_per_us);
    }
    return std::fabs(earliest_us) > clock_drift_us_max;
}

void add_sample(OwnerClockEstimate &clock, uint32_t tick, uint64_t now_us)
{
    const ClockEnvelope &envelope = clock.envelope;
    if (envelope.count > 0 && tick <= envelope.samples[envelope.count - 1].tick) return;
    add_to_envelope(clock.envelope, {now_us, tick});
    add_to_envelope(clock.window, {now_us, tick});
    if (now_us - clock.window.samples[0].us < clock_window_us) return;
    if (has_drifted(line_through(envelope), clock.window)) clock.envelope = clock.window;
    clock.window = {1, {{now_us, tick}}};
}

double tick_at(const OwnerClockEstimate &clock, uint64_t at_us)
{
    if (clock.envelope.count == 0) return 0;
    const ClockLine line = line_through(clock.envelope);
    const double us = static_cast<double>(at_us) - static_cast<double>(line.from.us);
    return std::max(0.0, line.from.tick + us * line.ticks_per_us);
}

// --- States ---

static size_t place_of(const StateRing &states, ObjectSlot slot, uint32_t i)
{
    return size_t{slot} * states_kept + (states.first + i) % states_kept;
}

void push(StateHistory &t, const World &world, const TypeTable &types, const HeardUpdate &heard)
{
    const ObjectSlot slot = heard.slot;
    const KnownObject &object = world.slots[slot];
    const Type &type = types.types[object.type];
    if (!keeps(t, object.type)) return;
    OwnerClockEstimate &clock = t.clocks[heard.member];
    if (clock.owner != object.owner) clock = {};
    clock.owner = object.owner;
    add_sample(clock, object.tick, heard.now_us);
    StateRing &states = t.states[slot];
    if (states.id != object.id || states.stamp != object.stamp)
        states = {object.id, object.stamp, 0, 0};
    if (states.count > 0 && object.tick <= t.ticks[place_of(states, slot, states.count - 1)])
        return;
    if (states.count == states_kept)
        states.first = (states.first + 1) % states_kept;
    else
        states.count += 1;
    const size_t place = place_of(states, slot, states.count - 1);
    t.ticks[place] = object.tick;
    std::memcpy(t.values.begin() + place * t.size_bytes, world::value(world, types, slot),
                type.size_bytes);
}

// Overwrites the float32 and quaternion fields of `value` with the blend of two states.
static void blend_fields(const Type &type, const std::byte *older, const std::byte *newer,
                         double progress, std::byte *value)
{
    for (const Field &field : type.fields) {
        if (field.kind != FieldKind::float32 && field.kind != FieldKind::quaternion) continue;
        float a[struct_bytes_max / sizeof(float)], b[struct_bytes_max / sizeof(float)];
        const size_t count = extrapolation::float_count(field);
        std::memcpy(a, older + field.offset_bytes, count * sizeof(float));
        std::memcpy(b, newer + field.offset_bytes, count * sizeof(float));
        float between[struct_bytes_max / sizeof(float)];
        extrapolation::blend(field, a, b, progress, between);
        if (field::has_range(field))
            for (size_t i = 0; i < count; ++i)
                between[i] = std::clamp(between[i], static_cast<float>(field.min),
                                        static_cast<float>(field.max));
        std::memcpy(value + field.offset_bytes, between, count * sizeof(float));
    }
}

bool state_at(const StateHistory &t, const World &world, const TypeTable &types,
              const StatePlace &place, void *value)
{
    const ObjectSlot slot = place.slot;
    const double tick = place.tick;
    if (t.states.count == 0) return false;
    const KnownObject &object = world.slots[slot];
    const Type &type = types.types[object.type];
    const StateRing &states = t.states[slot];
    if (states.count == 0 || states.id != object.id || states.stamp != object.stamp) return false;
    uint32_t at = states.count - 1;
    while (at > 0 && t.ticks[place_of(states, slot, at)] > tick)
        --at;
    const auto state = [&](uint32_t i) {
        return t.values.begin() + place_of(states, slot, i) * t.size_bytes;
    };
    const auto tick_of = [&](uint32_t i) { return t.ticks[place_of(states, slot, i)]; };
    std::memcpy(value, state(at), type.size_bytes);
    const bool is_newest = at + 1 == states.count;
    const uint32_t older = is_newest && at > 0 ? at - 1 : at;
    const uint32_t newer = is_newest ? at : at + 1;
    if (older == newer || tick <= tick_of(older)) return true;
    const double progress = is_newest
                                ? extrapolation::progress(tick_of(older), tick_of(newer), tick)
                                : (tick - tick_of(older)) / (tick_of(newer) - tick_of(older));
    blend_fields(type, state(older), state(newer), progress, static_cast<std::byte *>(value));
    return true;
}

}
