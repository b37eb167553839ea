// Rules and times: docs/membership.md, "Votes" and "Times". The replica knows no time: on its own,
// a departure would wait for all reports, and a newcomer for all members, without end.
#include "session/failure_detector.h"
#include "session/former.h"
#include "session/membership.h"
#include "session/peer_links.h"
#include "session/session.h"
#include <algorithm>

namespace tern::session {

// A member that is not too slow takes this many bytes of calls, or all that wait for it.
static constexpr uint64_t calls_step_bytes = 8 * 1024;

static uint64_t timeout_us(const Session &s)
{
    return uint64_t{s.config.timeout_ms} * 1000;
}

static std::span<const uint8_t> away(const Session &s)
{
    return {s.watch.away, s.config.peers_max};
}

// --- Paths to members ---

// The path was silent for a whole timeout already. Setting the absence back leaves reach_again_us.
static void note_silence(Session &s, MemberSlot slot)
{
    const uint64_t left_us = std::min(timeout_us(s) / 2, reach_again_us);
    const uint64_t past_us = timeout_us(s) - left_us;
    s.connections.outages[slot].since_us = std::max(s.now_us, past_us + 1) - past_us;
}

void note_loss(Session &s, PeerId peer, PathLoss loss)
{
    const MemberSlot slot = replica::find_member(*s.replica, peer);
    LinkOutage &outage = s.connections.outages[slot];
    outage.id = peer;
    outage.was_lost = true;
    outage.disowned = loss == PathLoss::disowned;
    outage.regained_us = 0;
    outage.since_us = std::max<uint64_t>(s.now_us, 1);
    if (loss == PathLoss::silence) note_silence(s, slot);
}

static void note_outages(Session &s)
{
    const Replica &r = *s.replica;
    for (MemberSlot slot = 0; slot < r.members.count; ++slot) {
        const Member &member = r.members[slot];
        LinkOutage &outage = s.connections.outages[slot];
        if (outage.id != member.id) outage = {};
        outage.id = member.id;
        if (member.id == PeerId::none || member.id == r.self || member.fenced) continue;
        if (!wants_link(s, slot)) {
            outage.since_us = 0;
        } else if (link_to(s, member.id) != no_connection) {
            if (outage.since_us != 0 && outage.was_lost)
                outage.regained_us = std::max<uint64_t>(s.now_us, 1);
            outage.since_us = 0;
        } else if (outage.since_us == 0) {
            outage.since_us = std::max<uint64_t>(s.now_us, 1);
        }
    }
}

static bool is_unreachable(const Session &s, MemberSlot slot, uint64_t least_us)
{
    const uint64_t since_us = s.connections.outages[slot].since_us;
    return since_us != 0 && s.now_us - since_us >= least_us;
}

// --- Who is heard ---

// Whether something came from the member within the last half of a timeout, in which it has sent
// two pings. A member that has lost us still answers our handshake, and refuses us a moment later.
// So a path that was made anew counts from proven_path_us on.
static bool is_heard(const Session &s, MemberSlot slot)
{
    const ConnectionIndex index = link_to(s, s.replica->members[slot].id);
    if (index == no_connection) return false;
    const uint64_t regained_us = s.connections.outages[slot].regained_us;
    if (regained_us != 0 && s.now_us - regained_us < proven_path_us) return false;
    const Connection &c = endpoint::at(*s.endpoint, index);
    return s.now_us - connection::last_received_us(c) < timeout_us(s) / 2;
}

// In a star a client hears the host only, which then knows whether it hears enough.
static bool hears_few(const Session &s)
{
    const Replica &r = *s.replica;
    const PeerId leader = replica::successor(r);
    if (r.rules.topology == Topology::mesh || leader == r.self)
        return !replica::has_quorum(r, away(s));
    return s.watch.away[replica::find_member(r, leader)] != 0;
}

static void update_heard(Session &s)
{
    const Replica &r = *s.replica;
    for (MemberSlot slot = 0; slot < r.members.count; ++slot) {
        const Member &member = r.members[slot];
        const bool counts = member.id != PeerId::none && member.id != r.self && !member.fenced;
        s.watch.away[slot] = counts && !is_heard(s, slot);
    }
    if (!hears_few(s)) {
        s.watch.few_since_us = 0;
    } else {
        if (s.watch.few_since_us == 0) s.watch.few_since_us = std::max<uint64_t>(s.now_us, 1);
        s.watch.few_us = std::max<uint64_t>(s.now_us, 1);
    }
}

// Later in a tick than update_heard(): a departure may have ended, after which those that are heard
// are enough, and a client of a star that has taken the host's place hears more than the host.
static bool still_hears_few(const Session &s)
{
    return s.watch.few_since_us != 0 && hears_few(s);
}

// Whether the session can go on without this member, by those that are heard now. What a member
// has begun to remove can never come back, so nobody may begin what too few could end.
static bool can_go_on_without(Session &s, MemberSlot slot)
{
    const uint8_t was = s.watch.away[slot];
    s.watch.away[slot] = 1;
    const bool can = replica::has_quorum(*s.replica, away(s));
    s.watch.away[slot] = was;
    return can;
}

// After a time in which too few were heard all have a whole timeout to come back.
static bool may_come_back(const Session &s)
{
    return s.watch.few_us != 0 && s.now_us - s.watch.few_us < timeout_us(s);
}

// --- Members that have gone ---

// Every member has had a path to the host, so one without a path has gone. A successor that is not
// yet the host gives the members time to connect to it.
static void remove_unreachable(Session &s)
{
    const Replica &r = *s.replica;
    const bool in_charge = replica::host(r) == r.self;
    for (MemberSlot slot = 0; slot < r.members.count; ++slot) {
        const Member &member = r.members[slot];
        if (member.id == PeerId::none || member.id == r.self || member.fenced) continue;
        const bool lost = in_charge
                              ? !has_link(s, member.id) || is_unreachable(s, slot, timeout_us(s))
                              : is_unreachable(s, slot, timeout_us(s));
        // With Quorum::survivors a member that refuses its host is in another session, and stays.
        const bool refuses =
            s.config.quorum == Quorum::survivors && s.connections.outages[slot].disowned;
        const bool said_so =
            (member.said_goodbye || refuses) && link_to(s, member.id) == no_connection;
        const bool left = member.reported_to_leave && s.watch.away[slot] != 0;
        if (left) replica::peer_gone(*s.replica, member.id, Departure::goodbye);
        if (member.fenced) continue;
        const bool may = !may_come_back(s) && can_go_on_without(s, slot);
        if (said_so || (lost && may)) replica::peer_gone(*s.replica, member.id);
    }
}

// Whether this member, which precedes us, can no longer be or become the host. A successor whose
// path was lost before the host's, or that we have never reached, gives us time to reach it.
static bool is_out(const Session &s, MemberSlot slot)
{
    const Member &member = s.replica->members[slot];
    const LinkOutage &outage = s.connections.outages[slot];
    const MemberSlot leader = replica::find_member(*s.replica, replica::successor(*s.replica));
    const bool lost_later =
        outage.was_lost && outage.since_us >= s.connections.outages[leader].since_us;
    const bool at_once = member.said_goodbye || member.id == s.replica->view_host || lost_later;
    return is_unreachable(s, slot, at_once ? 0 : timeout_us(s));
}

// Whether this peer could take the host's place now: all members before it are out, and those that
// it hears are enough without the host.
static bool can_replace_host(Session &s)
{
    const Replica &r = *s.replica;
    const MemberSlot leader = replica::find_member(r, replica::successor(r));
    if (leader == no_member) return false;
    for (const uint16_t slot : r.order.all()) {
        if (r.members[slot].id == r.self) break;
        if (!r.members[slot].fenced && !is_out(s, slot)) return false;
    }
    return can_go_on_without(s, leader);
}

// The lowest member that is heard takes the host's place. The others follow it when they receive
// its QUERY: probe_suspect(). A client of a star hears too few until then, so if it was cut off, it
// gives the others their timeout from the time on in which it hears enough.
static void replace_host(Session &s)
{
    const Replica &r = *s.replica;
    const bool can = can_replace_host(s);
    if (!can) s.watch.enough_since_us = 0;
    if (can && s.watch.enough_since_us == 0)
        s.watch.enough_since_us = std::max<uint64_t>(s.now_us, 1);
    const bool waits =
        r.rules.topology == Topology::mesh
            ? may_come_back(s)
            : s.state == State::cut_off && s.now_us - s.watch.enough_since_us < timeout_us(s);
    if (!can || waits) return;
    while (replica::successor(r) != r.self)
        replica::peer_gone(*s.replica, replica::successor(r));
}

// A newcomer that loses its host starts over, and one that was told of the host's goodbye follows
// the next.
static void give_up_joining_host(Session &s)
{
    const MemberSlot leader = replica::find_member(*s.replica, replica::successor(*s.replica));
    if (leader != no_member && is_out(s, leader))
        replica::peer_gone(*s.replica, s.replica->members[leader].id);
}

// A host that is proved to lie goes as if its path had been lost for good, and the next one
// follows. With Misbehaviour::ask_game this peer waits until the next one has begun that.
static void leave_liar(Session &s)
{
    const PeerId leader = replica::successor(*s.replica);
    const MemberSlot slot = replica::find_member(*s.replica, leader);
    if (s.config.misbehaviour != Misbehaviour::remove) return;
    if (!replica::has_equivocated(*s.replica, leader) || !can_go_on_without(s, slot)) return;
    ban(s, slot);
    replica::peer_gone(*s.replica, leader);
}

// Another member has lost the host or its successor, and a majority hears that member. Instead of
// waiting for our own timeout, we ping the suspect: if it lives, it answers. One that is proved to
// lie need not answer.
static void probe_suspect(Session &s)
{
    const PeerId id = replica::suspected(*s.replica);
    Suspect &suspect = s.watch.suspect;
    if (suspect.id != id) suspect = {id, s.now_us, 0};
    if (id == PeerId::none) return;
    uint64_t since_us = suspect.since_us, least_us = suspicion_us;
    const ConnectionIndex index = link_to(s, id);
    if (index != no_connection) {
        Connection &c = endpoint::at(*s.endpoint, index);
        since_us = std::max(since_us, connection::last_received_us(c));
        least_us = std::max(least_us, uint64_t{4} * connection::stats(c).rtt_us);
        if (suspect.pinged_us == 0 || s.now_us - suspect.pinged_us >= ping_interval_us) {
            connection::ping(c);
            wake(s, index);
            suspect.pinged_us = std::max<uint64_t>(s.now_us, 1);
        }
    } else if (const uint64_t lost_us =
                   s.connections.outages[replica::find_member(*s.replica, id)].since_us;
               lost_us != 0) {
        since_us = std::min(since_us, lost_us);
    }
    const bool is_gone = s.now_us - since_us >= least_us;
    if (is_gone || replica::has_equivocated(*s.replica, id)) replica::peer_gone(*s.replica, id);
}

// A member that refuses us has removed us. The removal is final once the other members could not
// make a majority with us. With Quorum::survivors there is none to wait for.
static bool is_removed(const Session &s)
{
    const Replica &r = *s.replica;
    uint8_t refuse[members_max] = {};
    bool any = false;
    for (MemberSlot slot = 0; slot < r.members.count; ++slot) {
        const bool refuses = s.connections.outages[slot].id == r.members[slot].id &&
                             s.connections.outages[slot].disowned;
        refuse[slot] = refuses;
        any = any || refuses;
    }
    if (r.rules.quorum == Quorum::survivors) return any;
    return any && !replica::has_quorum(r, {refuse, r.members.count});
}

// A newcomer that was removed may ask again under the same key, so it does not count. With
// Quorum::survivors it may have gone on in another session.
static void note_former_members(Session &s)
{
    const Replica &r = *s.replica;
    const bool all = s.config.quorum == Quorum::survivors;
    for (MemberSlot slot = 0; slot < r.members.count; ++slot)
        if (r.members[slot].fenced && (all || r.members[slot].votes)) note_former(s, slot);
}

void update_outages(Session &s)
{
    const Replica &r = *s.replica;
    if (r.phase == Phase::outside || s.says_goodbye) return;
    if (s.joining.joins_again) return;
    note_outages(s);
    probe_suspect(s);
    if (r.phase == Phase::joining) return give_up_joining_host(s);
    update_heard(s);
    leave_liar(s);
    if (replica::successor(r) != r.self) replace_host(s);
    if (replica::successor(r) == r.self) remove_unreachable(s);
    note_former_members(s);
    if (still_hears_few(s) && is_removed(s)) s.joining.joins_again = true;
}

// Until when the member is heard and nothing is due from it; 0: something is.
static uint64_t member_rests_until_us(const Session &s, MemberSlot slot, bool leads)
{
    const Member &member = s.replica->members[slot];
    const LinkOutage &outage = s.connections.outages[slot];
    if (member.fenced || member.said_goodbye || member.query_waits) return 0;
    if (leads && (!member.caught_up || s.watch.deadlines[slot].id != member.id)) return 0;
    if (outage.id != member.id || outage.since_us != 0 || outage.disowned) return 0;
    if (outage.regained_us != 0 && s.now_us - outage.regained_us < proven_path_us) return 0;
    const ConnectionIndex index = link_to(s, member.id);
    if (index == no_connection) return wants_link(s, slot) ? 0 : UINT64_MAX;
    if (s.watch.away[slot] != 0) return 0;
    const Connection &c = endpoint::at(*s.endpoint, index);
    const bool owes_acks = leads && s.config.topology == Topology::star &&
                           connection::acked_offset(c, StreamId::calls) <
                               connection::queued_offset(c, StreamId::calls);
    if (owes_acks) return s.now_us + timeout_us(s) / 4;
    return connection::last_received_us(c) + timeout_us(s) / 2;
}

static bool is_settled(const Session &s)
{
    const Replica &r = *s.replica;
    if (s.state != State::open || r.phase != Phase::in) return false;
    if (r.duties.collecting || s.joining.joins_again || s.watch.few_since_us != 0 ||
        s.watch.suspect.id != PeerId::none)
        return false;
    return s.config.quorum == Quorum::majority || (s.former.count == 0 && !s.former.has_met);
}

uint64_t members_rest_until_us(const Session &s)
{
    const Replica &r = *s.replica;
    if (!is_settled(s)) return 0;
    for (ConnectionIndex i = 0; i < s.connections.used; ++i) {
        if (s.connections.links[i].role == PeerRole::none) continue;
        if (s.connections.links[i].role != PeerRole::member) return 0;
        if (endpoint::handshake_state(*s.endpoint, i) != HandshakeState::open) return 0;
    }
    const bool leads = replica::successor(r) == r.self;
    uint64_t until_us = UINT64_MAX;
    for (const uint16_t slot : r.order.all())
        if (r.members[slot].id != r.self)
            until_us = std::min(until_us, member_rests_until_us(s, slot, leads));
    return until_us;
}

// Whether no other member that is heard could be or become the host.
static bool is_lowest_heard(const Session &s)
{
    const Replica &r = *s.replica;
    for (const uint16_t slot : r.order.all()) {
        if (r.members[slot].id == r.self) return true;
        if (!r.members[slot].fenced && s.watch.away[slot] == 0) return false;
    }
    return true;
}

// Nothing was heard for half a timeout when few_since_us began. The next host may know more about
// the votes, and in a star must be found first, so the others stay open for longer.
bool is_cut_off(const Session &s)
{
    const Replica &r = *s.replica;
    if (r.fault == Fault::minority) return true;
    if (r.phase != Phase::in) return false;
    const bool is_client = r.rules.topology == Topology::star && replica::successor(r) != r.self;
    if (!still_hears_few(s)) return is_client && s.watch.host_is_cut_off;
    const uint64_t half_us = timeout_us(s) / 2;
    const uint64_t halves = is_client ? 3 : is_lowest_heard(s) ? 1 : 2;
    return s.now_us - s.watch.few_since_us >= halves * half_us;
}

// --- Members that are too slow ---

// The time since the last check, in which packets came from the member: without them it may be
// removed for its silence only. A pause of this peer, or a rest without checks, counts for little.
static uint64_t heard_us(const Session &s, MemberSlot slot)
{
    if (s.watch.away[slot] != 0) return 0;
    return std::min(s.now_us - s.watch.deadlines[slot].checked_us, timeout_us(s) / 4);
}

// Nothing but the member's REPORT gives it more time, or it could delay us for ever: a further
// query does not, because others may leave as often as they like.
static bool report_is_late(const Session &s, MemberSlot slot, PeerDeadlines &deadlines)
{
    const Replica &r = *s.replica;
    const bool answers = r.duties.collecting && !r.members[slot].reported;
    deadlines.report_us = answers ? deadlines.report_us + heard_us(s, slot) : 0;
    return deadlines.report_us >= report_timeouts * timeout_us(s);
}

// Where departures follow each other fast, honest answers are to queries before the present one.
void note_report(Session &s, PeerId from, uint32_t token)
{
    const MemberSlot slot = replica::find_member(*s.replica, from);
    if (slot == no_member || s.watch.deadlines[slot].id != from) return;
    if (token <= s.watch.deadlines[slot].token || token > s.replica->term.query_token) return;
    s.watch.deadlines[slot].token = token;
    s.watch.deadlines[slot].report_us = 0;
}

// A newcomer is let in when all members have acked the view that lists it, and gives up after
// join_timeout_ms. Before that, who acks nothing and is not silent is given up in its place.
static bool ack_is_late(const Session &s, MemberSlot slot, PeerDeadlines &deadlines)
{
    const ConnectionIndex index = link_to(s, s.replica->members[slot].id);
    if (index == no_connection || !replica::keeps_newcomer_out(*s.replica, slot)) {
        deadlines.view_us = 0;
        return false;
    }
    const Connection &c = endpoint::at(*s.endpoint, index);
    const uint64_t acked_bytes = connection::acked_offset(c, StreamId::world);
    const bool pauses = s.now_us - connection::last_received_us(c) > timeout_us(s) / 4;
    const bool stalls = acked_bytes == deadlines.acked_bytes && !pauses;
    deadlines.view_us = stalls ? deadlines.view_us + heard_us(s, slot) : 0;
    deadlines.acked_bytes = acked_bytes;
    return deadlines.view_us >= uint64_t{s.config.join_timeout_ms} * 1000 / 2;
}

// In a star the host forwards calls, and who takes none keeps their callers waiting. So it must
// take some within the time of a REPORT, whatever else it acks.
static bool calls_are_late(const Session &s, MemberSlot slot, PeerDeadlines &deadlines)
{
    const ConnectionIndex index = link_to(s, s.replica->members[slot].id);
    if (s.config.topology != Topology::star || index == no_connection) return false;
    const Connection &c = endpoint::at(*s.endpoint, index);
    const uint64_t acked = connection::acked_offset(c, StreamId::calls);
    const uint64_t epoch = s.connections.links[index].connection_epoch;
    if (epoch != deadlines.calls_epoch || acked >= deadlines.calls_end) {
        deadlines.calls_us = 0;
        deadlines.calls_epoch = epoch;
        deadlines.calls_end =
            std::min(connection::queued_offset(c, StreamId::calls), acked + calls_step_bytes);
    } else {
        deadlines.calls_us += heard_us(s, slot);
    }
    return deadlines.calls_us >= report_timeouts * timeout_us(s);
}

static bool newcomer_is_late(const Session &s, const Member &member, PeerDeadlines &deadlines)
{
    if (member.caught_up || replica::host(*s.replica) != s.replica->self) {
        deadlines.catch_up_us = 0;
        return false;
    }
    if (deadlines.catch_up_us == 0) deadlines.catch_up_us = s.now_us;
    return s.now_us - deadlines.catch_up_us >= uint64_t{s.config.join_timeout_ms} * 1000;
}

void update_deadlines(Session &s)
{
    const Replica &r = *s.replica;
    if (r.phase != Phase::in || replica::successor(r) != r.self) return;
    for (MemberSlot slot = 0; slot < r.members.count; ++slot) {
        const Member &member = r.members[slot];
        PeerDeadlines &deadlines = s.watch.deadlines[slot];
        if (deadlines.id != member.id) deadlines = {};
        deadlines.id = member.id;
        if (member.id == PeerId::none || member.id == r.self || member.fenced) continue;
        if (member.caught_up && r.view_host == r.self && !deadlines.has_what_was_held) {
            deadlines.has_what_was_held = true;
            give_back(s, slot);
        }
        const bool report = report_is_late(s, slot, deadlines);
        const bool ack = ack_is_late(s, slot, deadlines);
        const bool calls = calls_are_late(s, slot, deadlines);
        deadlines.checked_us = s.now_us;
        const bool newcomer = newcomer_is_late(s, member, deadlines);
        if ((report || ack || calls || newcomer) && can_go_on_without(s, slot))
            replica::give_up(*s.replica, member.id);
    }
}

}
