#include "sim/oracles/oracle_checks.h"
#include "sim/world/names.h"

namespace tern::oracle_dead {

using names::text;

Violation check(const Judged &judged)
{
    const Step &step = judged.step;
    if (step.after.life == Life::alive && judged.before.life == Life::dying)
        return oracles::violation("I3", step.object, judged.node,
                                  "at peer %s %s is alive again, with stamp %s; it had died there",
                                  text(judged.self).c_str(), text(step.object).c_str(),
                                  text(step.after.stamp).c_str());
    if (step.after.id == ObjectId::none && step.before.life == Life::alive)
        return oracles::violation("I3", step.object, judged.node,
                                  "at peer %s %s has vanished without dying",
                                  text(judged.self).c_str(), text(step.object).c_str());
    return {};
}

Violation check_heard(const Shown &shown, const ObjectRecord &record, const Note &note, PeerId self,
                      uint16_t node)
{
    if (record.destroyed_by == PeerId::none)
        return oracles::violation(
            "I6", note.object, node, "peer %s hears from %s that %s is destroyed; nobody did that",
            text(self).c_str(), text(note.peer).c_str(), text(note.object).c_str());
    if (shown.life != Life::alive) return {};
    return oracles::violation("I3", note.object, node,
                              "peer %s has heard from %s that %s is destroyed, and it lives there",
                              text(self).c_str(), text(note.peer).c_str(),
                              text(note.object).c_str());
}

Violation check_memory(const NodeRecord &record, const Replica &replica, uint16_t node)
{
    for (size_t creator = 0; creator < record.shown.size(); ++creator)
        for (size_t serial = 0; serial < record.shown[creator].size(); ++serial) {
            if (record.shown[creator][serial].life != Life::dying) continue;
            const ObjectId id =
                object_id::make(static_cast<PeerId>(creator), static_cast<uint32_t>(serial));
            if (dead::contains(replica.world.dead, id)) continue;
            return oracles::violation("I3", id, node, "peer %s has forgotten that %s is dead",
                                      text(record.self).c_str(), text(id).c_str());
        }
    return {};
}

}
