// The paths of a session: one for each connection, bound to a member or not. Connections come and
// go, and so does the roster; these functions keep the two in agreement.
#pragma once
#include "session/session_types.h"

namespace tern::session {

PeerLink &peer_link(Session &s, ConnectionIndex index);
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
