// Writes what a session does into the journal of inspect::listen(). Only call these functions while
// SessionRecords::journal is set.
#pragma once
#include "session/session_types.h"

namespace tern::session {

// A message was queued on the world stream of a member.
void note_queued(Session &s, ConnectionIndex index, std::span<const std::byte> message);
// A message was taken from the world stream of a member, with this verdict.
void note_received(Session &s, ConnectionIndex index, PeerId from, Verdict verdict,
                   std::span<const std::byte> message);
// More messages on the world stream of a member have been acked.
void note_acked(Session &s, ConnectionIndex index);
// kind: sealed or accepted. number: as in Packet::number and OpenedPacket::number.
void note_packet(Session &s, ConnectionIndex index, NoteKind kind, uint64_t number);

}
