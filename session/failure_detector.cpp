// Rules and times: docs/membership.md, "Times". The replica knows no time: on its own, a departure
// would wait for all reports, and a newcomer for all members, without end.
#include "session/failure_detector.h"
#include "session/peer_links.h"
#include <algorithm>

namespace tern::session {

// --- Members that have gone ---

static uint64_t timeout_us(const Session &s)
{
    return uint64_t{s.config.timeout_ms} * 1000;
}

// The path was silent for a whole timeout already. Setting the absence back leaves reach_again_us.
void note_silence(Session &s, MemberSlot slot)
{
    const uint64_t left_us = std::min(timeout_us(s) / 2, reach_again_us);
    const uint64_t past_us = timeout_us(s) - left_us;
    s.outages[slot] = {s.replica->members[slot].id, std::max(s.now_us, past_us + 1) - past_us};
}

// Setting the absence back by a whole timeout makes the member absent at once.
void note_gone(Session &s, MemberSlot slot)
{
    const uint64_t past_us = timeout_us(s);
    s.outages[slot] = {s.replica->members[slot].id, std::max(s.now_us, past_us + 1) - past_us};
}

static void note_outages(Session &s)
{
    const Replica &r = *s.replica;
    for (MemberSlot slot = 0; slot < r.members.count; ++slot) {
        const Member &member = r.members[slot];
        LinkOutage &outage = s.outages[slot];
        if (outage.id != member.id) outage = {member.id, 0};
        if (member.id == PeerId::none || member.id == r.self || member.fenced) continue;
        if (!replica::exchanges_objects_with(r, member.id) ||
            link_to(s, member.id) != no_connection)
            outage.since_us = 0;
        else if (outage.since_us == 0)
            outage.since_us = std::max<uint64_t>(s.now_us, 1);
    }
}

static bool is_unreachable(const Session &s, MemberSlot slot, uint64_t least_us)
{
    const uint64_t since_us = s.outages[slot].since_us;
    return since_us != 0 && s.now_us - since_us >= least_us;
}

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
                              ? !has_link(s, member.id)
                              : is_unreachable(s, slot, member.said_goodbye ? 0 : timeout_us(s));
        if (lost) replica::peer_gone(*s.replica, member.id);
    }
}

// The successor of a host that has gone may have gone as well, and so on.
static void pass_over_unreachable(Session &s)
{
    const Replica &r = *s.replica;
    for (MemberSlot i = 0; i < r.members.count; ++i) {
        const PeerId leader = replica::successor(r);
        const MemberSlot slot = replica::find_member(r, leader);
        if (slot == no_member || leader == r.self || r.fault != Fault::none) return;
        const bool said_so = r.members[slot].said_goodbye;
        if (!is_unreachable(s, slot, said_so ? 0 : timeout_us(s))) return;
        replica::peer_gone(*s.replica, leader);
    }
}

// Another member has lost the host or its successor. Instead of waiting for our own timeout, we
// ping the suspect: if it lives, it answers.
static void probe_suspect(Session &s)
{
    const PeerId id = replica::suspected(*s.replica);
    Suspect &suspect = s.suspect;
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
            suspect.pinged_us = std::max<uint64_t>(s.now_us, 1);
        }
    }
    if (s.now_us - since_us >= least_us) replica::peer_gone(*s.replica, id);
}

void update_outages(Session &s)
{
    if (s.replica->phase == Phase::outside || s.says_goodbye) return;
    note_outages(s);
    probe_suspect(s);
    pass_over_unreachable(s);
    if (s.replica->phase == Phase::in && replica::successor(*s.replica) == s.replica->self)
        remove_unreachable(s);
}

// --- Members that are too slow ---

static uint32_t acked_messages(const Session &s, PeerId peer)
{
    const ConnectionIndex index = link_to(s, peer);
    return index == no_connection ? 0 : s.links[index].acked_messages;
}

// Progress of an answer is an ack while the QUERY is still unacked, then each part of the answer;
// see note_progress(). Nothing else that a member sends or acks counts, or it could delay us for
// ever.
static bool report_is_late(const Session &s, const Member &member, PeerDeadlines &deadlines)
{
    const Replica &r = *s.replica;
    if (!r.collecting || member.reported) {
        deadlines.report_us = 0;
        return false;
    }
    const uint32_t acked = acked_messages(s, member.id);
    const bool comes_nearer =
        acked != deadlines.acked_messages && replica::is_unacked(r, member.id, MessageKind::query);
    if (deadlines.report_us == 0 || deadlines.token != r.query_token || comes_nearer)
        deadlines.report_us = s.now_us;
    deadlines.token = r.query_token;
    deadlines.acked_messages = acked;
    return s.now_us - deadlines.report_us >= report_timeouts * s.config.timeout_ms * 1000;
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
        PeerDeadlines &deadlines = s.deadlines[slot];
        if (deadlines.id != member.id) deadlines = {};
        deadlines.id = member.id;
        if (member.id == PeerId::none || member.id == r.self || member.fenced) continue;
        const bool report = report_is_late(s, member, deadlines);
        const bool newcomer = newcomer_is_late(s, member, deadlines);
        if (report || newcomer) replica::give_up(*s.replica, member.id);
    }
}

void note_progress(Session &s, PeerId peer)
{
    const MemberSlot slot = replica::find_member(*s.replica, peer);
    if (slot != no_member && s.deadlines[slot].report_us != 0)
        s.deadlines[slot].report_us = s.now_us;
}

}
