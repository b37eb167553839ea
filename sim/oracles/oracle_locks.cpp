#include "sim/oracles/oracle_checks.h"
#include "sim/world/names.h"
#include <utility>

namespace tern::oracle_locks {

using names::text;

// The locked objects of members, with their tenures. Locks of departed owners do not count: the
// host grants their objects to others.
static std::map<ObjectId, Stamp> locked(const Replica &r)
{
    std::map<ObjectId, Stamp> all;
    for (ObjectSlot slot = 0; slot < r.rights.locks.count; ++slot) {
        const KnownObject &object = r.world.slots[slot];
        if (r.rights.locks[slot] != 0 && object.life == Life::alive &&
            replica::is_member(r, object.owner))
            all[object.id] = object.stamp;
    }
    return all;
}

// True if an UNLOCK of any object arrived in this tick. The granted object may have been unlocked,
// granted and locked again within the tick.
static bool heard_unlock(const Node &node)
{
    for (size_t i = 0; i < node.note_count; ++i)
        if (node.notes[i].kind == NoteKind::received &&
            node.notes[i].message == MessageKind::unlock)
            return true;
    return false;
}

Violation check(NodeRecord &record, const Ledger &ledger, const Node &node, uint16_t index)
{
    const Replica &r = inspect::replica(node.session);
    const std::vector<Stamp> &order = ledger.order_of_grants;
    const bool is_host = tern::host_peer(node.session) == node.self;
    if (!is_host) record.granted = order.size();
    const std::set<ObjectId> given(node.given.begin(), node.given.end());
    const std::map<ObjectId, Stamp> now = is_host ? locked(r) : std::map<ObjectId, Stamp>{};
    Violation violation;
    for (; record.granted < order.size(); ++record.granted) {
        if (stamps::parts(order[record.granted]).host != node.self) continue;
        const GrantRecord &grant = ledger.grants.find(order[record.granted])->second;
        for (const ObjectId object : grant.objects) {
            const auto was = std::as_const(record.locked).find(object), is = now.find(object);
            const bool locked = was != record.locked.end() && is != now.end() && *was == *is;
            if (!locked || heard_unlock(node) || given.contains(object) ||
                record.given.contains(object))
                continue;
            violation = oracles::violation(
                "I15", object, index, "host %s has granted %s, which is locked, to %s",
                text(node.self).c_str(), text(object).c_str(), text(grant.owner).c_str());
        }
    }
    record.locked = now;
    record.given = given;
    return violation;
}

}
