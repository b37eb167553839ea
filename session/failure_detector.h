// Decides which members have gone: those without a path, a host that another member has lost, and
// those that are reachable but do not do their part of a departure or of a join in time.
#pragma once
#include "session/session_types.h"

namespace tern::session {

// Until when update_outages(), update_deadlines(), seek_former() and reconcile_links() find nothing
// new, as long as no message arrives on a world stream and no connection begins or ends. 0: they
// may find something in the next tick.
uint64_t members_rest_until_us(const Session &s);
// Once per tick: reports members that have gone to the replica (replica::peer_gone()).
void update_outages(Session &s);
// How the path to a member ended. disowned: the member told us that it has removed us.
enum class PathLoss : uint8_t { silence, closed, disowned };
// The path to the member has ended. After silence at most reach_again_us are left to reach it
// again.
void note_loss(Session &s, PeerId peer, PathLoss loss);
// Whether this peer has heard too few members for the session to go on, for a whole timeout; in a
// star also whether the host has told us so of itself.
bool is_cut_off(const Session &s);
// Once per tick, effective at the leader only: gives up members that are late with the answer to a
// query or with the ack of a view that lists a newcomer, and newcomers that have not caught up
// within join_timeout_ms.
void update_deadlines(Session &s);
// The member has answered the query with this token, the present one or an earlier one.
void note_report(Session &s, PeerId from, uint32_t token);

}
