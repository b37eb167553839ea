#include "sim/oracles/oracle_checks.h"
#include "sim/world/names.h"
#include <algorithm>

namespace tern::oracle_owners {

using names::text;

Violation check(const AtRest &at_rest)
{
    for (uint16_t index : at_rest.members) {
        const Replica &r = inspect::replica(at_rest.nodes[index].session);
        for (const KnownObject &object : r.world.slots.all()) {
            if (object.life != Life::alive) continue;
            const bool lives =
                std::any_of(at_rest.members.begin(), at_rest.members.end(), [&](uint16_t member) {
                    return at_rest.nodes[member].self == object.owner;
                });
            if (lives) continue;
            return oracles::violation("Q3", object.id, index,
                                      "at peer %s %s, of stamp %s, is owned by %s, which is not "
                                      "in the session",
                                      text(r.self).c_str(), text(object.id).c_str(),
                                      text(object.stamp).c_str(), text(object.owner).c_str());
        }
    }
    return {};
}

}
