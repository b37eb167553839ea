// explain(): finds out from replica, publisher and connection why a member lacks an object or
// change.
#include "session/explain.h"
#include "migration/deaths.h"
#include "migration/message_queue.h"
#include "session/misuse.h"
#include "session/peer_links.h"
#include "tern/diagnostics.hpp"
#include <cstdio>
#include <iterator>

namespace tern {
namespace session {

void remember_answer(Session &s, const ClaimEvent &answer)
{
    for (RefusedClaim &refused : s.claims.refused)
        if (refused.object == answer.object) refused = {};
    if (answer.refusal == ClaimRefusal::none) return;
    s.claims.refused[s.claims.refused_count % refused_max] = {answer.object, answer.refusal,
                                                              s.now_us};
    s.claims.refused_count += 1;
}

static Explanation because(Why why, PeerId owner = PeerId::none)
{
    Explanation explanation = {};
    explanation.why = why;
    explanation.owner = owner;
    return explanation;
}

static Explanation because_refused(const RefusedClaim &refused, PeerId owner)
{
    Explanation explanation = because(Why::claim_refused, owner);
    explanation.refusal = refused.refusal;
    explanation.refused_us = refused.at_us;
    return explanation;
}

static Explanation explain_to_self(const Session &s, ObjectId object, ObjectSlot slot)
{
    const Replica &r = *s.replica;
    const PeerId owner = slot == no_slot ? PeerId::none : r.world.slots[slot].owner;
    if (owner == r.self && owner != PeerId::none) return because(Why::has_it, owner);
    if (dead::contains(r.world.dead, object)) return because(Why::dead);
    for (const Claim &claim : r.claims.all())
        if (claim.object == object) return because(Why::claim_unanswered, owner);
    for (const RefusedClaim &refused : s.claims.refused)
        if (refused.at_us != 0 && refused.object == object) return because_refused(refused, owner);
    return because(slot == no_slot ? Why::unknown : Why::not_owned_here, owner);
}

static Explanation explain_death(const Session &s, ObjectId object, MemberSlot member)
{
    if (member != no_member && deaths::is_unacked(*s.replica, member, object))
        return because(Why::death_unacked);
    return because(Why::dead);
}

static Explanation explain_change(const Session &s, ObjectSlot slot, MemberSlot member,
                                  ConnectionIndex index)
{
    const Replica &r = *s.replica;
    const Publisher &p = r.publisher;
    const AckedState &acked_state = p.acked_states[size_t{member} * p.slot_count + slot];
    const uint32_t changed = world::changed_tick(r.world, s.types, slot);
    const KnownObject &object = r.world.slots[slot];
    if (p.interests[size_t{member} * p.slot_count + slot].hidden)
        return because(Why::hidden, object.owner);
    if (changed <= acked_state.acked_tick) return because(Why::has_it, object.owner);
    Explanation why = because(Why::change_unacked, object.owner);
    // The host of a star sends objects of other owners, in the ticks of those owners.
    const uint32_t now = object.owner == r.self ? r.world.tick : object.tick;
    why.behind_ticks = now - acked_state.acked_tick;
    if (publish::is_due(p, r.world, member, slot)) {
        const Connection &c = endpoint::at(*s.endpoint, index);
        why.why = connection::has_budget(c, s.now_us) ? Why::change_waits : Why::no_budget;
    }
    return why;
}

static Explanation explain_sending(const Session &s, ObjectId object, ObjectSlot slot,
                                   MemberSlot member)
{
    const Replica &r = *s.replica;
    const PeerId owner = r.world.slots[slot].owner;
    const ConnectionIndex index = link_to(s, r.members[member].id);
    if (index == no_connection) return because(Why::no_connection, owner);
    const Publisher &p = r.publisher;
    if (p.acked_states[size_t{member} * p.slot_count + slot].acked_tick != 0)
        return explain_change(s, slot, member, index);
    const bool joining = replica::host(r) == r.self && !r.members[member].caught_up;
    if (joining) return because(Why::peer_joining, owner);
    const bool sent = message_queue::is_announcement_unacked(r, member, object);
    return because(sent ? Why::object_unacked : Why::object_waits, owner);
}

static Explanation explain_to(const Session &s, ObjectId object, PeerId peer)
{
    const Replica &r = *s.replica;
    const ObjectSlot slot = world::find_alive(r.world, object);
    if (peer == r.self) return explain_to_self(s, object, slot);
    const bool is_member = replica::is_member(r, peer);
    const MemberSlot member = is_member ? replica::find_member(r, peer) : no_member;
    if (dead::contains(r.world.dead, object)) return explain_death(s, object, member);
    if (slot == no_slot) return because(Why::unknown);
    const PeerId owner = r.world.slots[slot].owner;
    if (!is_member) return because(Why::no_such_peer, owner);
    if (!replica::exchanges_objects_with(r, peer)) return because(Why::sent_by_host, owner);
    if (owner != r.self && !replica::relays(r)) return because(Why::not_owned_here, owner);
    if (owner == peer) return because(Why::has_it, owner);
    return explain_sending(s, object, slot, member);
}

// Whether the next send() may bring the answer nearer.
static bool needs_send(Why why)
{
    switch (why) {
    case Why::no_connection:
    case Why::death_unacked:
    case Why::peer_joining:
    case Why::object_waits:
    case Why::object_unacked:
    case Why::change_waits:
    case Why::no_budget:
    case Why::change_unacked:
    case Why::claim_unanswered: return true;
    default: return false;
    }
}

static Explanation explain(const Session &s, ObjectId object, PeerId peer)
{
    Explanation explanation = explain_to(s, object, peer);
    if (needs_send(explanation.why) && s.now_us - s.accounts.sent_us >= forgotten_send_us)
        explanation.why = Why::nothing_sent;
    return explanation;
}

}

}

using namespace tern;

tern_result tern_explain(const tern_session *session, tern_object object, tern_peer peer,
                         tern_explanation *explanation)
{
    const misuse::Entry entry(session, "explain", ObjectId{object});
    if (!entry || !misuse::is_sized(entry, explanation)) return TERN_MISUSE;
    return sized::give(session::explain(*session, ObjectId{object}, PeerId{peer}), explanation);
}

const char *tern_event_kind_text(tern_event_kind kind)
{
    static constexpr const char *names[] = {
        "join_progress",    "caught_up",     "join_asked",    "peer_joined",    "peer_left",
        "misbehaved",       "host_lost",     "host_changed",  "object_created", "object_changed",
        "object_destroyed", "object_hidden", "object_shown",  "owner_changed",  "object_orphaned",
        "claim_asked",      "claim_granted", "claim_refused", "call",           "reply",
        "call_failed"};
    static_assert(std::size(names) == TERN_EVENT_CALL_FAILED + 1);
    return static_cast<size_t>(kind) < std::size(names) ? names[kind] : "";
}

const char *tern_breach_text(tern_breach breach)
{
    switch (Breach{breach}) {
    case Breach::none: return "It has kept to the rules.";
    case Breach::malformed: return "It sent what is not in the format.";
    case Breach::forged: return "It sent what it has no authority to send.";
    case Breach::over_quota: return "It created more objects than the host lets it.";
    case Breach::equivocated: return "It signed two grants with one stamp.";
    }
    return "";
}

const char *tern_claim_refusal_text(tern_claim_refusal refusal)
{
    switch (ClaimRefusal{refusal}) {
    case ClaimRefusal::none: return "The claim was not refused.";
    case ClaimRefusal::dead: return "The object was destroyed.";
    case ClaimRefusal::unknown: return "The host does not know the object yet; claim it again.";
    case ClaimRefusal::policy: return "No object of this type can be claimed.";
    case ClaimRefusal::by_game: return "The host's game has refused the claim.";
    case ClaimRefusal::overtaken: return "Another claim came first; claim the object again.";
    case ClaimRefusal::locked: return "The owner has locked the object.";
    case ClaimRefusal::cooldown:
        return "The object has changed owner a short time ago; claim it again later.";
    case ClaimRefusal::quota: return "This peer has too many such objects, or claims too often.";
    }
    return "";
}

void tern_object_text(tern_object object, char text[TERN_OBJECT_TEXT_MAX])
{
    if (!text) return;
    std::snprintf(text, TERN_OBJECT_TEXT_MAX, "%u.%u", static_cast<unsigned>(object >> 32),
                  static_cast<unsigned>(object & UINT32_MAX));
}

const char *tern_why_text(tern_why why)
{
    switch (Why{why}) {
    case Why::has_it: return "The member has the object, with its last change.";
    case Why::unknown: return "This peer does not know the object.";
    case Why::no_such_peer: return "This peer does not know the member.";
    case Why::no_connection: return "There is no connection to this member at present.";
    case Why::dead: return "The object was destroyed.";
    case Why::death_unacked: return "The object was destroyed, and the member has not acked that.";
    case Why::not_owned_here: return "The object's owner sends it to the member; ask there.";
    case Why::sent_by_host: return "The host sends it to the member; ask there.";
    case Why::peer_joining:
        return "The member is still joining and has not been sent the object yet.";
    case Why::object_waits: return "The object's announcement waits behind other messages.";
    case Why::object_unacked: return "The object's announcement was sent and is not acked.";
    case Why::change_waits: return "The change waits for the next send(), or for acks.";
    case Why::no_budget: return "The change waits for bytes: the connection's budget is used up.";
    case Why::hidden: return "Our game has hidden the object from the member.";
    case Why::change_unacked: return "The change was sent and is not acked.";
    case Why::claim_unanswered: return "The host has not answered our claim.";
    case Why::claim_refused: return "The host has refused our claim.";
    case Why::nothing_sent: return explained_silence;
    }
    return "";
}
