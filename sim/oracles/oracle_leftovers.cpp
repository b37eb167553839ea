#include "sim/oracles/oracle_checks.h"
#include "sim/world/names.h"
#include <algorithm>

namespace tern::oracle_leftovers {

using names::text;

namespace {

Violation left(const Replica &r, uint16_t index, const char *what, uint64_t count)
{
    return oracles::violation("Q6", ObjectId::none, index, "peer %s still has %s (%llu)",
                              text(r.self).c_str(), what, static_cast<unsigned long long>(count));
}

Violation check_open(const Replica &r, uint16_t index)
{
    if (r.duties.collecting) return left(r, index, "a departure to end", r.term.query_token);
    if (r.claims.count > 0) {
        Violation violation = left(r, index, "claims without an answer", r.claims.count);
        violation.object = r.claims[0].object;
        return violation;
    }
    if (r.asked.count > 0) return left(r, index, "claims that its game was asked", r.asked.count);
    if (r.granting.pending_owner_count > 0)
        return left(r, index, "objects to grant", r.granting.pending_owner_count);
    for (const Member &member : r.members.all()) {
        if (member.id == PeerId::none || member.id == r.self) continue;
        const auto id = static_cast<uint64_t>(member.id);
        if (member.fenced) return left(r, index, "one in its roster that it has fenced", id);
        if (member.query_waits) return left(r, index, "a query to answer", id);
        if (!replica::all_acked(r, member.id))
            return left(r, index, "something to say to a member", id);
    }
    return {};
}

// The host has taken over all objects that this peer has released, and knows which it has locked.
Violation check_wants(const Replica &r, uint16_t index, const Replica *host)
{
    for (ObjectSlot slot = 0; slot < r.rights.owner_requests.count; ++slot) {
        const KnownObject &object = r.world.slots[slot];
        if (object.life != Life::alive || object.owner != r.self) continue;
        Violation violation;
        if ((r.rights.owner_requests[slot] & request_release) != 0)
            violation = left(r, index, "an object that it has released", 1);
        const ObjectSlot there = host ? world::find_alive(host->world, object.id) : no_slot;
        const bool locked = (r.rights.owner_requests[slot] & request_lock) != 0;
        if (there != no_slot && locked != (host->rights.locks[there] != 0))
            violation = left(r, index, "a lock to tell its host, or to end there", locked);
        violation.object = object.id;
        if (violation) return violation;
    }
    return {};
}

const Replica *host_of(const AtRest &at_rest)
{
    for (uint16_t index : at_rest.members) {
        const Session *session = at_rest.nodes[index].session;
        if (tern::host_peer(session) == local_peer(session)) return &inspect::replica(session);
    }
    return nullptr;
}

// A kept grant is referenced by the living objects that are owned under it and by the proofs about
// members, and by nothing else.
Violation check_grants(const Replica &r, uint16_t index)
{
    std::vector<uint32_t> uses(r.granting.all.count);
    for (const KnownObject &object : r.world.slots.all())
        if (object.life == Life::alive && object.grant != 0) uses[object.grant - 1] += 1;
    for (const Member &member : r.members.all())
        for (const uint32_t grant : member.conflicting_grants)
            if (grant != 0) uses[grant - 1] += 1;
    for (uint32_t i = 0; i < r.granting.all.count; ++i)
        if (r.granting.all[i].references != uses[i])
            return left(r, index, "a grant that nothing needs", i);
    if (r.granting.free.count + static_cast<uint64_t>(std::count_if(
                                    uses.begin(), uses.end(), [](uint32_t n) { return n > 0; })) !=
        r.granting.all.count)
        return left(r, index, "grants that are neither used nor free", r.granting.free.count);
    return {};
}

}

Violation check_members(const AtRest &at_rest)
{
    std::vector<PeerId> members;
    for (uint16_t index : at_rest.members)
        members.push_back(local_peer(at_rest.nodes[index].session));
    std::sort(members.begin(), members.end());
    for (uint16_t index : at_rest.members) {
        const Session *session = at_rest.nodes[index].session;
        if (session_state(session) != State::open)
            return oracles::violation("Q6", ObjectId::none, index, "peer %s is not in: %s",
                                      text(local_peer(session)).c_str(), state_text(session));
        std::vector<PeerId> roster(other_peers(session).begin(), other_peers(session).end());
        roster.push_back(local_peer(session));
        std::sort(roster.begin(), roster.end());
        if (roster == members) continue;
        std::string there, wanted;
        for (PeerId peer : roster)
            there += " " + text(peer);
        for (PeerId peer : members)
            wanted += " " + text(peer);
        return oracles::violation("Q6", ObjectId::none, index,
                                  "the roster of peer %s is%s; in the session are%s",
                                  text(local_peer(session)).c_str(), there.c_str(), wanted.c_str());
    }
    return {};
}

Violation check(const AtRest &at_rest)
{
    for (uint16_t index : at_rest.members) {
        const Replica &r = inspect::replica(at_rest.nodes[index].session);
        Violation violation = check_open(r, index);
        if (!violation) violation = check_wants(r, index, host_of(at_rest));
        if (!violation) violation = check_grants(r, index);
        if (violation) return violation;
    }
    return {};
}

}
