// The paths of a session: one for each connection, bound to a member or not. Connections come and
// go, and so does the roster; these functions keep the two in agreement.
#pragma once
#include "session/session_types.h"

namespace tern::session {

PeerLink &peer_link(Session &s, ConnectionIndex index);
// At the host: from when on its clock alone is a reason to send a packet to the member.
uint64_t clock_us(const PeerLink &p);
// Until when nothing is due on the connection, as long as nothing arrives from the peer and nothing
// is to be sent to it. 0: something may be due now. UINT64_MAX: there is no connection.
uint64_t rest_until_us(const Session &s, ConnectionIndex index);
inline bool rests(const Session &s, ConnectionIndex index) // As far as Connections::rests knows.
{
    const bool rests = s.now_us < s.connections.rests[index].until_us;
    TERN_SLOW_ASSERT(!rests || s.now_us < rest_until_us(s, index), "connection %u", index);
    return rests;
}
// The connection rests until the next time at which something is due on it.
void rest(Session &s, ConnectionIndex index);
void wake(Session &s, ConnectionIndex index); // Something has happened on it, or is to be sent.
void wake_links(Session &s);                  // Likewise on any connection.
void wake_all(Session &s);                    // Likewise, or the members need attention.
// The open connection that is bound to the member, else no_connection.
ConnectionIndex link_to(const Session &s, PeerId peer);
PeerId member_with_key(const Session &s, const uint8_t *key); // none: no member has this key.
// Whether a connection is bound to the member, open or still connecting.
bool has_link(const Session &s, PeerId peer);
// A peer has opened this connection to us. It is bound at once if its key is a member's.
void open_link(Session &s, ConnectionIndex index, uint64_t answered_us);
// Whether this peer needs a path to the member: they exchange messages, or in a star without a host
// this peer looks for the next one.
bool wants_link(const Session &s, MemberSlot slot);
// The connection is new, with this role; bind() follows for PeerRole::member.
void begin_link(Session &s, ConnectionIndex index, PeerRole role);
// Makes this connection the member's path. The member must be in the roster.
void bind(Session &s, ConnectionIndex index, PeerId peer);
// Where the other end is. Port 0: the connection is bridged.
Address direct_address(const Session &s, ConnectionIndex index);
// The member has removed us, though we have not removed it. If it is the host, we join again.
void be_disowned(Session &s, ConnectionIndex index);
// Closes an open connection, which then ends by itself; releases one that is not open at once.
void end_link(Session &s, ConnectionIndex index, CloseReason reason);
// Once per tick: reports acks and packet outcomes to the replica, and handles connections that have
// failed, timed out or been closed.
void update_links(Session &s);
// After each change of the roster, at least once per tick: binds connections to new members, ends
// those of former ones, and connects to members that joined before us.
void reconcile_links(Session &s);
void end_all_links(Session &s, CloseReason reason);

}
