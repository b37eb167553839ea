#include "sim/oracles/oracle_checks.h"
#include "sim/world/names.h"

namespace tern::oracle_stamps {

using names::text;

Violation check(const Judged &judged)
{
    const KnownObject &after = judged.step.after;
    if (after.id == ObjectId::none || judged.before.life == Life::none) return {};
    if (after.stamp >= judged.before.stamp) return {};
    return oracles::violation("I2", after.id, judged.node,
                              "at peer %s the stamp of %s went back from %s to %s",
                              text(judged.self).c_str(), text(after.id).c_str(),
                              text(judged.before.stamp).c_str(), text(after.stamp).c_str());
}

}
