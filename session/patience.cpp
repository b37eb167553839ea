// How long who leads waits for a member that is there and does not do its part. The rules know no
// time: a departure waits for all reports, and a newcomer for all greetings.
#include "session/session.h"

namespace tern::session {

static uint32_t acked_messages(const Session &s, PeerId peer)
{
    const ConnectionIndex index = path_to(s, peer);
    return index == no_connection ? 0 : s.paths[index].acked_messages;
}

// Of an answer: that the query comes nearer, then that parts of the answer come back. Whatever else
// a member says or acks is none.
static bool report_is_late(const Session &s, const Member &member, Patience &patience)
{
    const Replica &r = *s.replica;
    if (!r.collecting || member.reported) {
        patience.report_us = 0;
        return false;
    }
    const uint32_t acked = acked_messages(s, member.id);
    const bool comes_nearer =
        acked != patience.acked_messages && replica::is_unacked(r, member.id, MessageKind::query);
    if (patience.report_us == 0 || patience.token != r.query_token || comes_nearer)
        patience.report_us = s.now_us;
    patience.token = r.query_token;
    patience.acked_messages = acked;
    return s.now_us - patience.report_us >= report_timeouts * s.config.timeout_ms * 1000;
}

static bool newcomer_is_late(const Session &s, const Member &member, Patience &patience)
{
    if (member.caught_up || replica::host(*s.replica) != s.replica->self) {
        patience.catch_up_us = 0;
        return false;
    }
    if (patience.catch_up_us == 0) patience.catch_up_us = s.now_us;
    return s.now_us - patience.catch_up_us >= uint64_t{s.config.join_timeout_ms} * 1000;
}

void update_patience(Session &s)
{
    const Replica &r = *s.replica;
    if (r.phase != Phase::in || replica::successor(r) != r.self) return;
    for (MemberSlot slot = 0; slot < r.members.count; ++slot) {
        const Member &member = r.members[slot];
        Patience &patience = s.patience[slot];
        if (patience.id != member.id) patience = {};
        patience.id = member.id;
        if (member.id == PeerId::none || member.id == r.self || member.fenced) continue;
        const bool report = report_is_late(s, member, patience);
        const bool newcomer = newcomer_is_late(s, member, patience);
        if (report || newcomer) replica::give_up(*s.replica, member.id);
    }
}

void note_progress(Session &s, PeerId peer)
{
    const MemberSlot slot = replica::find_member(*s.replica, peer);
    if (slot != no_member && s.patience[slot].report_us != 0) s.patience[slot].report_us = s.now_us;
}

}
