// The game's choice of what is sent to which member: priorities, set one by one or by distance.
#include "tern/interest.hpp"
#include "session/misuse.h"
#include "session/recording/recording.h"
#include <algorithm>
#include <cmath>
#include <cstring>

namespace tern {
namespace session {

static constexpr float shown_again =
    0.9f; // Times far_distance: a margin, so that objects do not flicker.

// In 1/priority_one, rounded up: with 1/3 an object is due every third tick, and not every fourth,
// and 0 alone hides it.
static uint16_t coded(float priority)
{
    if (priority == 0) return 0;
    const float code = std::ceil(priority * priority_one);
    return static_cast<uint16_t>(std::clamp(code, 1.0f, 255.0f * priority_one));
}

static bool prioritize(Session &s, ObjectSlot slot, PeerId peer, uint16_t priority)
{
    const ObjectId object = s.replica->world.slots[slot].id;
    Record line = about(RecordKind::priority, object, peer);
    line.priority = priority;
    record(s, line);
    return replica::set_priority(*s.replica, slot, peer, priority);
}

struct Range {
    float near_distance, far_distance;
};

static uint16_t by_distance(float square, const Range &range, bool was_hidden)
{
    const float far = range.far_distance * (was_hidden ? shown_again : 1.0f);
    if (!(square <= far * far)) return 0; // Also for a position that is NaN.
    if (square <= range.near_distance * range.near_distance) return priority_one;
    const float rings = std::min(std::sqrt(square) / range.near_distance, 255.0f);
    return coded(1.0f / (std::floor(rings) + 1));
}

static float square_distance(const std::byte *value, const Field &field, const Viewpoint &from)
{
    float square = 0;
    for (uint16_t i = 0; i < field.count; ++i) {
        float at;
        std::memcpy(&at, value + field.offset_bytes + i * sizeof at, sizeof at);
        const float along = at - from.position[i];
        square += along * along;
    }
    return square;
}

static void look_around(Session &s, TypeId type, const Field &field, const Viewpoint &from,
                        const Range &range)
{
    const Replica &r = *s.replica;
    const Publisher &p = r.publisher;
    const MemberSlot member = replica::find_member(r, from.peer);
    if (member == no_member) return;
    const Packed &packed = r.world.packed[type];
    const Interest *interests = p.interests.begin() + size_t{member} * p.slot_count;
    const bool sends_all = replica::relays(r);
    const std::byte *value = r.world.values.begin() + packed.value_first_bytes;
    const uint32_t size_bytes = s.types.types[type].size_bytes;
    for (uint32_t i = 0; i < packed.count; ++i, value += size_bytes) {
        const ObjectSlot slot = r.world.index_slots[packed.first + i];
        const Interest &interest = interests[slot];
        const uint16_t present = interest.hidden ? uint16_t{0} : priority(interest);
        const float square = square_distance(value, field, from);
        const uint16_t wanted = by_distance(square, range, interest.hidden);
        if (wanted == present) continue;
        const KnownObject &object = r.world.slots[slot]; // Read late: few objects get here.
        const bool sent_by_us = object.life == Life::alive && (sends_all || object.owner == r.self);
        if (sent_by_us && object.owner != from.peer) prioritize(s, slot, from.peer, wanted);
    }
}

}

}

using namespace tern;

tern_result tern_set_priority(tern_session *session, tern_object object, tern_peer peer,
                              float priority)
{
    const misuse::Entry entry = misuse::change(session, "set_priority", ObjectId{object});
    if (!entry || !misuse::is_in(entry)) return TERN_MISUSE;
    if (!(priority >= 0)) { // Also for a NaN.
        misuse::report(entry, "Pass 0 to hide the object, and 1 for each tick.",
                       "The priority is %g.", static_cast<double>(priority));
        return TERN_MISUSE;
    }
    const ObjectSlot slot = world::find_alive(session->replica->world, ObjectId{object});
    if (slot == no_slot) return TERN_GONE;
    const uint16_t wanted = session::coded(priority);
    return session::prioritize(*session, slot, PeerId{peer}, wanted) ? TERN_OK : TERN_GONE;
}

bool tern_is_hidden(const tern_session *session, tern_object object)
{
    const misuse::Entry entry(session, "is_hidden", ObjectId{object});
    if (!entry) return false;
    const ObjectSlot slot = world::find_alive(session->replica->world, ObjectId{object});
    return slot != no_slot && session->replica->world.slots[slot].hidden;
}

// Whether the field can be a position.
static bool is_position(const misuse::Entry &entry, TypeId type, uint16_t position)
{
    const Type &described = entry.session->types.types[type];
    const char *remedy = "Pass the index of a float32 field of one to three numbers.";
    if (position >= described.fields.size())
        return misuse::report(entry, remedy, "Type %s has %zu fields, and no field %u.",
                              described.name, described.fields.size(), position);
    const Field &field = described.fields[position];
    if (field.kind == FieldKind::float32 && field.count <= 3) return true;
    return misuse::report(entry, remedy, "Field %s of type %s is no position.", field.name,
                          described.name);
}

tern_result tern_set_interest(tern_session *session, tern_type_id type, uint16_t position,
                              const tern_viewpoint *viewpoints, size_t count, float near_distance,
                              float far_distance)
{
    const misuse::Entry entry = misuse::change(session, "set_interest");
    if (!entry || !misuse::is_in(entry) || !misuse::has_type(entry, type)) return TERN_MISUSE;
    if (!is_position(entry, type, position)) return TERN_MISUSE;
    if (!misuse::is_given(entry, "viewpoints", viewpoints, count)) return TERN_MISUSE;
    if (!(near_distance > 0 && far_distance >= near_distance)) {
        misuse::report(entry, "Make 0 < near_distance <= far_distance.",
                       "near_distance is %g and far_distance %g.",
                       static_cast<double>(near_distance), static_cast<double>(far_distance));
        return TERN_MISUSE;
    }
    const Field &field = session->types.types[type].fields[position];
    for (const Viewpoint &from : std::span(to_cpp(viewpoints), count))
        session::look_around(*session, type, field, from, {near_distance, far_distance});
    return TERN_OK;
}
