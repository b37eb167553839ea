// The host's game decides who may be in the session. Only the host may call these functions.
#pragma once
#include "tern/types.hpp"

namespace tern {

// Answers join_asked. False if it has left.
inline bool admit(Session *session, PeerId newcomer)
{
    return tern_admit(session, to_c(newcomer)) == TERN_OK;
}

// Answers join_asked. False if it has left. state_text() of the newcomer shows the reason, cut to
// reason_bytes_max - 1.
inline bool refuse(Session *session, PeerId newcomer, const char *reason)
{
    return tern_refuse(session, to_c(newcomer), reason) == TERN_OK;
}

// Removes (kicks) a member. This host refuses its key from then on; it remembers the last 256
// such keys. A later host does not inherit them. False, and nothing happens, for an unknown peer
// and for the host itself.
inline bool remove(Session *session, PeerId peer)
{
    return tern_remove(session, to_c(peer)) == TERN_OK;
}

}
