#include "sim/oracles/oracle_checks.h"
#include "sim/world/names.h"
#include <algorithm>

namespace tern::oracle_destroyed {

using names::text;

static Violation check_object(const AtRest &at_rest, ObjectId object, PeerId by)
{
    for (uint16_t index : at_rest.members) {
        const Replica &r = inspect::replica(at_rest.nodes[index].session);
        if (dead::contains(r.world.dead, object)) continue;
        return oracles::violation(
            "Q4", object, index, "peer %s destroyed %s and is still here; at peer %s it is %s",
            text(by).c_str(), text(object).c_str(), text(r.self).c_str(),
            world::find_alive(r.world, object) == no_slot ? "unknown" : "alive");
    }
    return {};
}

Violation check(const AtRest &at_rest)
{
    for (size_t creator = 0; creator < at_rest.ledger.objects.size(); ++creator) {
        const std::vector<ObjectRecord> &records = at_rest.ledger.objects[creator];
        for (size_t serial = 0; serial < records.size(); ++serial) {
            const PeerId by = records[serial].destroyed_by;
            const bool stayed =
                by != PeerId::none &&
                std::any_of(at_rest.members.begin(), at_rest.members.end(),
                            [&](uint16_t member) { return at_rest.nodes[member].self == by; });
            if (!stayed) continue;
            Violation violation = check_object(
                at_rest,
                object_id::make(static_cast<PeerId>(creator), static_cast<uint32_t>(serial)), by);
            if (violation) return violation;
        }
    }
    return {};
}

}
