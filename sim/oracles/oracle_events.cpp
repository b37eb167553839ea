#include "sim/oracles/oracle_checks.h"
#include "sim/world/names.h"
#include "tern/diagnostics.hpp"
#include "tern/untyped.hpp"
#include <bit>
#include <cstring>

namespace tern::oracle_events {

using names::text;

namespace {

Violation wrong(const Node &node, uint16_t index, ObjectId object, const char *what)
{
    return oracles::violation("I19", object, index, "%s at peer %s: %s", text(object).c_str(),
                              text(node.self).c_str(), what);
}

MirroredObject &entry(Mirror &mirror, ObjectId object)
{
    const auto creator = static_cast<size_t>(object_id::creator(object));
    const size_t serial = object_id::serial(object);
    if (creator >= mirror.objects.size()) mirror.objects.resize(creator + 1);
    if (serial >= mirror.objects[creator].size()) mirror.objects[creator].resize(serial + 1);
    return mirror.objects[creator][serial];
}

void erase(Mirror &mirror, MirroredObject &object)
{
    mirror.object_count -= object.is_there;
    object = {};
}

void copy_fields(MirroredObject &object, const Node &node, ObjectId id, uint64_t fields)
{
    if (!can_read(node.session, id)) return;
    const auto *from = reinterpret_cast<const std::byte *>(&get(node.session, Object<Written>{id}));
    auto *to = reinterpret_cast<std::byte *>(&object.value);
    const Type &type = session_config(node.session).types[object.type];
    for (; fields != 0; fields &= fields - 1) {
        const Field &field = type.fields[static_cast<size_t>(std::countr_zero(fields))];
        std::memcpy(to + field.offset_bytes, from + field.offset_bytes,
                    element_bytes(field.kind) * field.count);
    }
}

void create(Mirror &mirror, MirroredObject &object, const Node &node, const ObjectEvent &created)
{
    object = {true, false, created.type, created.owner, {}};
    mirror.object_count += 1;
    mirror.creations += 1;
    if (can_read(node.session, created.id))
        object.value = get(node.session, Object<Written>{created.id});
}

// What the event does not fit. Null: it fits. An event may name the owner that a later event of the
// tick announces: the refusal of an optimistic claim changes the object as of the end of receive().
const char *misfit(const MirroredObject &object, const Event &event, PeerId owner_now)
{
    if (event.kind == EventKind::object_created)
        return object.is_there ? "it was created again" : nullptr;
    if (!object.is_there) return "an event of an object that was not created, or was destroyed";
    const bool is_owners =
        event.kind == EventKind::owner_changed || event.kind == EventKind::object_orphaned;
    const TypeId type = is_owners ? event.owner.type : event.object.type;
    if (type != object.type) return "an event names another type";
    if (event.kind == EventKind::owner_changed && event.owner.previous != object.owner)
        return "owner_changed names another former owner";
    if (event.kind == EventKind::owner_changed) return nullptr;
    const bool later = event.kind == EventKind::object_changed && event.object.owner == owner_now;
    if (peer_of(event) != object.owner && !later) return "an event names another owner";
    if (event.kind == EventKind::object_changed && event.object.changed_fields == 0)
        return "object_changed names no field";
    return nullptr;
}

bool is_about_objects(EventKind kind)
{
    return kind >= EventKind::object_created && kind <= EventKind::object_orphaned;
}

Violation take(Mirror &mirror, const Node &node, uint16_t index, const Event &event)
{
    if (!is_about_objects(event.kind)) return {};
    const ObjectId id = object_of(event);
    MirroredObject &object = entry(mirror, id);
    const bool known = can_read(node.session, id);
    const PeerId owner_now = known ? object_owner(node.session, id) : PeerId::none;
    if (const char *what = misfit(object, event, owner_now)) return wrong(node, index, id, what);
    switch (event.kind) {
    case EventKind::object_created: create(mirror, object, node, event.object); break;
    case EventKind::owner_changed:
        mirror.owner_changes += 1;
        object.owner = event.owner.owner;
        copy_fields(object, node, id, event.owner.changed_fields);
        break;
    case EventKind::object_changed:
        copy_fields(object, node, id, event.object.changed_fields);
        break;
    case EventKind::object_destroyed: erase(mirror, object); break;
    case EventKind::object_hidden:
    case EventKind::object_shown: object.hidden = event.kind == EventKind::object_hidden; break;
    default: break;
    }
    return {};
}

Violation compare_value(const MirroredObject &object, const Node &node, uint16_t index, ObjectId id,
                        const Written &value)
{
    if (std::memcmp(&object.value, &value, sizeof value) == 0) return {};
    return oracles::violation(
        "I19", id, index,
        "%s at peer %s: by its events write %u of tenure %s by %s, and it shows write %u of %s by "
        "%s",
        text(id).c_str(), text(node.self).c_str(), object.value.sequence,
        text(object.value.tenure).c_str(), text(object.value.writer).c_str(), value.sequence,
        text(value.tenure).c_str(), text(value.writer).c_str());
}

Violation compare(Mirror &mirror, const Node &node, uint16_t index, const KnownObject &shown,
                  const Written &value)
{
    const MirroredObject &object = entry(mirror, shown.id);
    if (!object.is_there) return wrong(node, index, shown.id, "no event has created it");
    if (object.owner != shown.owner)
        return wrong(node, index, shown.id, "by its events another peer is the owner");
    if (object.type != shown.type)
        return wrong(node, index, shown.id, "by its events it is of another type");
    if (object.hidden != shown.hidden)
        return wrong(node, index, shown.id,
                     shown.hidden ? "it is hidden without an event"
                                  : "it is shown without an event");
    return compare_value(object, node, index, shown.id, value);
}

// The first object of the mirror that does not live in the session.
Violation find_more(const Mirror &mirror, const Node &node, uint16_t index)
{
    for (size_t creator = 0; creator < mirror.objects.size(); ++creator)
        for (size_t serial = 0; serial < mirror.objects[creator].size(); ++serial) {
            const ObjectId id =
                object_id::make(static_cast<PeerId>(creator), static_cast<uint32_t>(serial));
            if (mirror.objects[creator][serial].is_there && !exists(node.session, id))
                return wrong(node, index, id, "it is gone without an event");
        }
    return wrong(node, index, ObjectId::none, "the events count other objects than there are");
}

Violation compare_all(Mirror &mirror, const Node &node, uint16_t index)
{
    const World &world = inspect::replica(node.session).world;
    size_t count = 0;
    for (TypeId type = THING; type <= KEPT; ++type) {
        const std::span<const ObjectId> ids = object_ids(node.session, type);
        const std::span<const Written> values = object_values<Written>(node.session, type);
        const ObjectSlot *slots = world.index_slots.begin() + world.packed[type].first;
        for (size_t i = 0; i < ids.size(); ++i) {
            Violation violation = compare(mirror, node, index, world.slots[slots[i]], values[i]);
            if (violation) return violation;
        }
        count += ids.size();
    }
    return count == mirror.object_count ? Violation{} : find_more(mirror, node, index);
}

}

Violation check(Mirror &mirror, const Node &node, uint16_t index)
{
    bool has_caught_up = mirror.has_caught_up;
    for (const Event &event : node.events) {
        has_caught_up = has_caught_up || event.kind == EventKind::caught_up;
        // While joining, the game discards all earlier events, because joining starts over.
        if (event.kind == EventKind::host_lost && !has_caught_up) mirror = {};
        Violation violation = take(mirror, node, index, event);
        if (violation) return violation;
    }
    const State state = session_state(node.session);
    const bool goes_on =
        state == State::joining || state == State::leaving || inspect::is_in(node.session);
    return goes_on ? compare_all(mirror, node, index) : Violation{};
}

void play(Mirror &mirror, const Node &node)
{
    for (const ObjectId id : node.played) {
        MirroredObject &object = entry(mirror, id);
        if (!exists(node.session, id)) {
            erase(mirror, object);
            continue;
        }
        if (!object.is_there) {
            object = {true, false, object_type(node.session, id), node.self, {}};
            mirror.object_count += 1;
        }
        object.value = get(node.session, Object<Written>{id});
    }
}

}
