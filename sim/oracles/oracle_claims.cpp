#include "sim/oracles/oracle_checks.h"
#include "sim/world/names.h"
#include "tern/ownership.hpp"
#include <algorithm>

namespace tern::oracle_claims {

using names::text;

namespace {

Violation wrong(const Node &node, uint16_t index, ObjectId object, const char *what)
{
    return oracles::violation("I14", object, index, "peer %s, claim of %s: %s",
                              text(node.self).c_str(), text(object).c_str(), what);
}

bool is_of(const OpenClaim &claim, uint64_t tenure)
{
    return claim.first_hoped != 0 && tenure >= claim.first_hoped && tenure <= claim.last_hoped;
}

// True if a later event of this tick changes the owner again: then another peer's tenure lies
// between this grant and the present one, and the value may be that peer's.
bool is_overtaken(const Node &node, size_t granted)
{
    return std::any_of(node.events.begin() + static_cast<ptrdiff_t>(granted), node.events.end(),
                       [&](const Event &event) {
                           return event.kind == EventKind::owner_changed &&
                                  event.owner.object == node.events[granted].claim.object;
                       });
}

// Runs after the game of this tick, which may have claimed the object again and set it. So only the
// values of the answered claim are compared.
Violation check_answer(const Node &node, uint16_t index, size_t at, const OpenClaim &claim)
{
    const ClaimEvent &answer = node.events[at].claim;
    if (!node.session || !exists(node.session, answer.object)) return {};
    const Session *session = node.session;
    if (node.events[at].kind == EventKind::claim_refused) {
        const auto &shown = get(session, Object<Written>{answer.object});
        return is_of(claim, shown.tenure)
                   ? wrong(node, index, answer.object, "refused, and what was set still shows")
                   : Violation{};
    }
    if (claim.last_hoped == 0 || object_owner(session, answer.object) != node.self) return {};
    if (is_overtaken(node, at)) return {};
    const auto *has = static_cast<const Written *>(inspect::replicated(session, answer.object));
    const bool stays =
        has->tenure == claim.last_hoped || has->tenure == object_stamp(session, answer.object);
    return stays
               ? Violation{}
               : wrong(node, index, answer.object, "granted, and what was set is not the owner's");
}

Violation check_events(NodeRecord &record, const Node &node, uint16_t index)
{
    for (size_t at = 0; at < node.events.size(); ++at) {
        const Event &event = node.events[at];
        if (event.kind != EventKind::claim_granted && event.kind != EventKind::claim_refused)
            continue;
        const auto found = record.claims.find(event.claim.object);
        if (found == record.claims.end())
            return wrong(node, index, event.claim.object,
                         "an answer to what was not claimed, or again");
        const OpenClaim claim = found->second;
        record.claims.erase(found);
        Violation violation = check_answer(node, index, at, claim);
        if (violation) return violation;
    }
    return {};
}

void take_claims(NodeRecord &record, const Node &node)
{
    for (const PlayedClaim &played : node.claims) {
        OpenClaim &claim = record.claims[played.object];
        if (played.hoped == 0) continue;
        if (claim.first_hoped == 0) claim.first_hoped = played.hoped;
        claim.last_hoped = played.hoped;
    }
}

Violation check_open(const NodeRecord &record, const Node &node, uint16_t index)
{
    const Flat<Claim> &claims = inspect::replica(node.session).claims;
    if (claims.count != record.claims.size())
        return wrong(node, index, ObjectId::none, "its claims are not those that wait");
    for (const Claim &claim : claims.all()) {
        const auto found = record.claims.find(claim.object);
        if (found == record.claims.end())
            return wrong(node, index, claim.object, "it waits, and was not made or is answered");
        const uint64_t hoped = found->second.last_hoped;
        if (hoped == 0 || !exists(node.session, claim.object)) continue;
        if (get(node.session, Object<Written>{claim.object}).tenure != hoped)
            return wrong(node, index, claim.object, "it waits, and what was set does not show");
    }
    return {};
}

}

Violation check(NodeRecord &record, const Node &node, uint16_t index)
{
    Violation violation = check_events(record, node, index);
    take_claims(record, node);
    const bool plays = node.session && (inspect::is_in(node.session) ||
                                        session_state(node.session) == State::leaving);
    if (!violation && plays) violation = check_open(record, node, index);
    return violation;
}

}
