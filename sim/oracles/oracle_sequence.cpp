#include "sim/oracles/oracle_checks.h"
#include "sim/world/names.h"

namespace tern::oracle_sequence {

using names::text;

Violation check(const Judged &judged)
{
    const KnownObject &after = judged.step.after;
    const Shown &before = judged.before;
    if (after.life != Life::alive || before.life != Life::alive) return {};
    if (before.stamp != after.stamp || !judged.step.value_changed) return {};
    const Written &value = judged.step.value;
    const uint32_t sequence = value.tenure == after.stamp ? value.sequence : 0;
    if (sequence >= before.sequence) return {};
    return oracles::violation("I5", after.id, judged.node,
                              "at peer %s the value of %s went back from write %u to %u of tenure "
                              "%s",
                              text(judged.self).c_str(), text(after.id).c_str(), before.sequence,
                              sequence, text(after.stamp).c_str());
}

}
