#include "sim/oracles/oracle_checks.h"
#include "sim/world/names.h"
#include "tern/diagnostics.hpp"

namespace tern::oracle_convergence {

using names::text;

// Compares an object of `one` with the same object of `other`, whose node is `index`.
static Violation compare(const Replica &one, const Replica &other, const KnownObject &object,
                         uint16_t index)
{
    const ObjectSlot slot = world::find_alive(other.world, object.id);
    if (slot == no_slot)
        return oracles::violation("Q1", object.id, index,
                                  "%s, of stamp %s and owner %s, lives at peer %s and not at %s, "
                                  "where it is %s",
                                  text(object.id).c_str(), text(object.stamp).c_str(),
                                  text(object.owner).c_str(), text(one.self).c_str(),
                                  text(other.self).c_str(),
                                  dead::contains(other.world.dead, object.id) ? "dead" : "unknown");
    const KnownObject &theirs = other.world.slots[slot];
    if (theirs.stamp == object.stamp && theirs.owner == object.owner) return {};
    return oracles::violation("Q1", object.id, index,
                              "%s has stamp %s and owner %s at peer %s, stamp %s and owner %s at "
                              "%s",
                              text(object.id).c_str(), text(object.stamp).c_str(),
                              text(object.owner).c_str(), text(one.self).c_str(),
                              text(theirs.stamp).c_str(), text(theirs.owner).c_str(),
                              text(other.self).c_str());
}

static Violation compare_all(const Replica &one, const Replica &other, uint16_t index)
{
    for (const KnownObject &object : one.world.slots.all()) {
        if (object.life != Life::alive) continue;
        Violation violation = compare(one, other, object, index);
        if (violation) return violation;
    }
    return {};
}

Violation check(const AtRest &at_rest)
{
    if (at_rest.members.empty()) return {};
    const Session *first = at_rest.nodes[at_rest.members[0]].session;
    const Replica &one = inspect::replica(first);
    const uint64_t wanted = world_digest(first);
    for (uint16_t index : at_rest.members) {
        const Session *session = at_rest.nodes[index].session;
        if (world_digest(session) == wanted) continue;
        const Replica &other = inspect::replica(session);
        Violation violation = compare_all(one, other, index);
        if (!violation) violation = compare_all(other, one, at_rest.members[0]);
        if (violation) return violation;
    }
    return {}; // Only values differ: oracle_last_values reports them.
}

}
