#include "sim/oracles/oracle_checks.h"
#include "sim/world/names.h"

namespace tern::oracle_tenures {

using names::text;

Violation check(const Judged &judged)
{
    const KnownObject &after = judged.step.after, &before = judged.step.before;
    if (after.life != Life::alive || !judged.record) return {};
    if (before.stamp == after.stamp && before.owner == after.owner) return {};
    for (const Tenure &tenure : judged.record->tenures)
        if (tenure.stamp == after.stamp && tenure.owner != after.owner)
            return oracles::violation(
                "I1", after.id, judged.node,
                "peer %s has %s under stamp %s as owned by %s; %s owns it under the same stamp",
                text(judged.self).c_str(), text(after.id).c_str(), text(after.stamp).c_str(),
                text(after.owner).c_str(), text(tenure.owner).c_str());
    const auto grant = judged.ledger.grants.find(after.stamp);
    if (grant == judged.ledger.grants.end() || grant->second.second_owner == PeerId::none)
        return {};
    return oracles::violation("I1", after.id, judged.node,
                              "stamp %s, which peer %s has for %s, names two grants: to %s and "
                              "to %s",
                              text(after.stamp).c_str(), text(judged.self).c_str(),
                              text(after.id).c_str(), text(grant->second.owner).c_str(),
                              text(grant->second.second_owner).c_str());
}

}
