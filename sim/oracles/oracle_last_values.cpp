#include "sim/oracles/oracle_checks.h"
#include "sim/world/names.h"
#include "tern/diagnostics.hpp"
#include <cstring>

namespace tern::oracle_last_values {

using names::text;

static const Replica *owner_of(const AtRest &at_rest, PeerId owner)
{
    for (uint16_t index : at_rest.members)
        if (at_rest.nodes[index].self == owner)
            return &inspect::replica(at_rest.nodes[index].session);
    return nullptr;
}

static Violation compare(const Replica &other, const Replica &owner, const KnownObject &object,
                         uint16_t index)
{
    const ObjectSlot theirs = world::find_alive(other.world, object.id);
    const ObjectSlot last = world::find_alive(owner.world, object.id);
    if (theirs == no_slot || last == no_slot) return {}; // Q1 reports this.
    if (type_table::difference(*owner.types, object.type,
                               world::value(other.world, *other.types, theirs),
                               world::value(owner.world, *owner.types, last)) == 0)
        return {};
    return oracles::violation("Q2", object.id, index,
                              "%s has another value at peer %s than at its owner %s (stamp %s; of "
                              "tick %u there, and changed at %u)",
                              text(object.id).c_str(), text(other.self).c_str(),
                              text(owner.self).c_str(), text(object.stamp).c_str(), object.tick,
                              world::changed_tick(owner.world, *owner.types, last));
}

Violation check(const AtRest &at_rest)
{
    for (uint16_t index : at_rest.members) {
        const Session *session = at_rest.nodes[index].session;
        if (world_digest(session) == world_digest(at_rest.nodes[at_rest.members[0]].session) &&
            index != at_rest.members[0])
            continue; // Equal to the first member, which was checked.
        const Replica &other = inspect::replica(session);
        for (const KnownObject &object : other.world.slots.all()) {
            const Replica *owner =
                object.life == Life::alive ? owner_of(at_rest, object.owner) : nullptr;
            if (!owner || owner == &other) continue;
            Violation violation = compare(other, *owner, object, index);
            if (violation) return violation;
        }
    }
    return {};
}

}
