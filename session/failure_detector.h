// Decides which members have gone: those without a path, a host that another member has lost, and
// those that are reachable but do not do their part of a departure or of a join in time.
#pragma once
#include "session/session_types.h"

namespace tern::session {

// Once per tick: reports members that have gone to the replica (replica::peer_gone()).
void update_outages(Session &s);
// The member has closed the path and no longer counts us as a member. It counts as absent for a
// whole timeout already, so it goes as soon as the leader may remove it.
void note_gone(Session &s, MemberSlot slot);
// The path to the member ended by timeout. At most reach_again_us are left to reach it again.
void note_silence(Session &s, MemberSlot slot);
// Once per tick, effective at the leader only: gives up members that are late with the answer to a
// query, and newcomers that have not caught up within join_timeout_ms.
void update_deadlines(Session &s);
// The member has sent a part of its answer to a query, so its deadline starts again.
void note_progress(Session &s, PeerId peer);

}
