#include "sim/oracles/oracle_checks.h"
#include "sim/world/names.h"

namespace tern::oracle_bounds {

using names::text;

Violation check(const Node &node, uint16_t index)
{
    if (node.notes_missed > 0) // Without every note the oracles would miss violations.
        return oracles::violation("I8", ObjectId::none, index,
                                  "the journal of peer %s has missed %zu notes",
                                  text(node.self).c_str(), node.notes_missed);
    if (!node.session || session_state(node.session) != State::overflow) return {};
    return oracles::violation("I8", ObjectId::none, index, "peer %s has no room: %s",
                              text(node.self).c_str(), state_text(node.session));
}

namespace {

struct Use {
    const char *what;
    uint64_t used, capacity;
};

Violation check_rings(const Replica &r, uint16_t index)
{
    const uint64_t unacked_max = r.outbox.unacked.capacity / r.outbox.queues.capacity;
    const uint64_t owed_max = r.outbox.owed.capacity / r.outbox.queues.capacity;
    for (uint32_t i = 0; i < r.outbox.queues.count; ++i) {
        const MemberQueue &queue = r.outbox.queues[i];
        const PeerRing &sent = r.publisher.rings[i];
        const Use uses[] = {
            {"messages in flight to a member", queue.unacked_count, unacked_max},
            {"ranges of the dead for a member", queue.owed_count, owed_max},
            {"packets with UPDATEs in flight", sent.packet_count, r.publisher.packets_max},
            {"runs of UPDATEs in flight", sent.run_count, r.publisher.runs_max}};
        for (const Use &use : uses)
            if (use.used > use.capacity)
                return oracles::violation("I8", ObjectId::none, index,
                                          "at peer %s %llu %s, of %llu", text(r.self).c_str(),
                                          static_cast<unsigned long long>(use.used), use.what,
                                          static_cast<unsigned long long>(use.capacity));
    }
    return {};
}

Violation check_dead(const Replica &r, uint16_t index)
{
    const Dead &dead = r.world.dead;
    for (uint32_t i = 0; i < dead.count; ++i) {
        const DeadRange &range = dead[i];
        const bool one_creator = object_id::creator(static_cast<ObjectId>(range.first)) ==
                                 object_id::creator(static_cast<ObjectId>(range.last));
        const bool apart = i == 0 || dead[i - 1].last + 1 < range.first;
        if (one_creator && apart && range.first <= range.last) continue;
        return oracles::violation(
            "I8", static_cast<ObjectId>(range.first), index,
            "at peer %s range %u of the dead, %s to %s, is no range or touches the one before",
            text(r.self).c_str(), i, text(static_cast<ObjectId>(range.first)).c_str(),
            text(static_cast<ObjectId>(range.last)).c_str());
    }
    return {};
}

}

Violation check_replica(const Replica &r, uint16_t index)
{
    const Use uses[] = {{"claims", r.claims.count, r.claims.capacity},
                        {"claims that the game is asked about", r.asked.count, r.asked.capacity},
                        {"free grants", r.granting.free.count, r.granting.all.capacity},
                        {"events", r.log.events.count, r.log.events.capacity},
                        {"ranges of the dead", r.world.dead.count, r.world.dead.capacity},
                        {"living objects", r.world.alive, r.world.slots.capacity}};
    for (const Use &use : uses)
        if (use.used > use.capacity)
            return oracles::violation("I8", ObjectId::none, index, "at peer %s %llu %s, of %llu",
                                      text(r.self).c_str(),
                                      static_cast<unsigned long long>(use.used), use.what,
                                      static_cast<unsigned long long>(use.capacity));
    Violation violation = check_rings(r, index);
    return violation ? violation : check_dead(r, index);
}

Violation check_at_rest(const Replica &r, const Ledger &ledger, uint16_t index)
{
    const Dead &dead = r.world.dead;
    uint64_t creators = 0, ids = 0;
    PeerId last = PeerId::none;
    for (const DeadRange &range : dead.all()) {
        const PeerId creator = object_id::creator(static_cast<ObjectId>(range.first));
        creators += creator != last;
        last = creator;
        ids += range.last - range.first + 1;
    }
    const uint64_t known = ids + r.world.alive;
    const uint64_t unheard = ledger.object_count > known ? ledger.object_count - known : 0;
    if (dead.count <= creators + r.world.alive + unheard) return {};
    return oracles::violation("Q5", ObjectId::none, index,
                              "peer %s keeps %u ranges of the dead, of %llu creators, among %u "
                              "living objects and %llu that it never heard of",
                              text(r.self).c_str(), dead.count,
                              static_cast<unsigned long long>(creators), r.world.alive,
                              static_cast<unsigned long long>(unheard));
}

}
