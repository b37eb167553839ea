// Notices: unreliable messages between the host and a member, outside of the streams: the host's
// clock, a member's question about leases (migration/leases.h), and the host's answer.
// Format: docs/wire_format.md, "Notices".
#pragma once
#include "session/session_types.h"

namespace tern::session {

// False: the bytes are no notice.
bool read_notice(const Session &s, std::span<const std::byte> bytes, ReadNotice &notice);
// From a member. `again`: its packet is not acked, so that the
// same bytes may come again. A clock that comes twice would be a wrong one, so it is not taken.
void take_notice(Session &s, ConnectionIndex index, const ReadNotice &notice, bool again);

// Whether the next packet to the member should carry a notice.
bool has_notice(const Session &s, const PeerLink &p, bool is_host);
// Whether a packet should be sent for that, if there is no other reason for one.
bool notice_needs_packet(const Session &s, const PeerLink &p, bool is_host);
// False: not all of them have room in this packet.
bool add_notices(const Session &s, Charges &charges, PeerLink &p, Packet &packet, bool is_host);

}
