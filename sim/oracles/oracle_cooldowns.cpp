#include "migration/replica.h"
#include "sim/oracles/oracle_checks.h"
#include "sim/world/names.h"
#include <algorithm>

namespace tern::oracle_cooldowns {

using names::text;

namespace {

bool heard(const Node &node, MessageKind kind)
{
    const auto end = node.notes.begin() + static_cast<ptrdiff_t>(node.note_count);
    return std::any_of(node.notes.begin(), end, [kind](const Note &note) {
        return note.kind == NoteKind::received && note.message == kind;
    });
}

// Transfers for which the host has another reason than a claim, or which were decided on before:
// its game gives the object away or spreads the load, the owner has left or releases the object.
// Only the answers to its query may show the host that a member that has left was the owner.
bool has_other_reason(const NodeRecord &record, const Node &node, const KnownObject &object,
                      PeerId owner)
{
    const Replica &r = inspect::replica(node.session);
    const bool given =
        std::find(node.given.begin(), node.given.end(), object.id) != node.given.end();
    const auto last = record.last_grants.find(object.id);
    const bool has_left =
        !replica::is_member(r, object.owner) ||
        (last != record.last_grants.end() && !replica::is_member(r, last->second.owner));
    return given || record.collected || record.given.contains(object.id) || node.balanced ||
           record.balanced || record.waiting_grants.contains(object.id) || has_left ||
           (owner == node.self && heard(node, MessageKind::release));
}

uint64_t cooldown_us(const Replica &r, TypeId type)
{
    return uint64_t{r.types->types[type].claim_cooldown_ms} * 1000;
}

bool cools(const NodeRecord &record, const Replica &r, const KnownObject &object)
{
    const auto last = record.last_grants.find(object.id);
    return last != record.last_grants.end() &&
           r.now_us - last->second.us < cooldown_us(r, object.type);
}

Violation check_grant(NodeRecord &record, const Node &node, uint16_t index,
                      const GrantRecord &grant)
{
    const Replica &r = inspect::replica(node.session);
    Violation violation;
    for (const ObjectId id : grant.objects) {
        const ObjectSlot slot = world::find(r.world, id);
        if (slot == no_slot) continue;
        const KnownObject &object = r.world.slots[slot];
        if (cooldown_us(r, object.type) == 0) continue;
        if (cools(record, r, object) && !has_other_reason(record, node, object, grant.owner))
            violation = oracles::violation(
                "I27", id, index, "host %s has granted %s to %s %llu us after it was granted",
                text(node.self).c_str(), text(id).c_str(), text(grant.owner).c_str(),
                static_cast<unsigned long long>(r.now_us - record.last_grants[id].us));
        record.last_grants[id] = {r.now_us, grant.owner};
    }
    return violation;
}

// The host's own claims are answered at once. Other peers are answered later, so of their claims it
// is known only that the object must have been granted to somebody.
Violation check_refusal(const NodeRecord &record, const Ledger &ledger, const Node &node,
                        uint16_t index, bool is_host, const ClaimEvent &refused)
{
    const Replica &r = inspect::replica(node.session);
    const ObjectSlot slot = world::find(r.world, refused.object);
    if (slot == no_slot) return {};
    const bool was_granted =
        std::any_of(ledger.grants.begin(), ledger.grants.end(), [&](const auto &grant) {
            const std::vector<ObjectId> &objects = grant.second.objects;
            return std::find(objects.begin(), objects.end(), refused.object) != objects.end();
        });
    if (is_host ? cools(record, r, r.world.slots[slot]) : was_granted) return {};
    return oracles::violation("I27", refused.object, index,
                              "peer %s, claim of %s: refused for a cooldown that has passed",
                              text(node.self).c_str(), text(refused.object).c_str());
}

}

Violation check(NodeRecord &record, const Ledger &ledger, const Node &node, uint16_t index)
{
    const Replica &r = inspect::replica(node.session);
    const bool is_host = tern::host_peer(node.session) == node.self;
    const std::vector<Stamp> &order = ledger.order_of_grants;
    Violation violation;
    if (!is_host) {
        record.last_grants.clear();
        record.grants_cooled = order.size();
    }
    for (; record.grants_cooled < order.size(); ++record.grants_cooled) {
        const Stamp stamp = order[record.grants_cooled];
        if (stamps::parts(stamp).host != node.self) continue;
        const Violation found = check_grant(record, node, index, ledger.grants.find(stamp)->second);
        if (!violation) violation = found;
    }
    for (const Event &event : node.events)
        if (!violation && event.kind == EventKind::claim_refused &&
            event.claim.refusal == ClaimRefusal::cooldown)
            violation = check_refusal(record, ledger, node, index, is_host, event.claim);
    record.balanced = node.balanced;
    record.collected = r.duties.collecting;
    record.waiting_grants.clear();
    for (ObjectSlot slot = 0; is_host && slot < r.granting.pending_owners.count; ++slot)
        if (r.granting.pending_owners[slot] != PeerId::none)
            record.waiting_grants.insert(r.world.slots[slot].id);
    return violation;
}

}
