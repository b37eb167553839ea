// The path candidates of a connection: the address of its other end, or a relay through another
// member, called a bridge. Challenges validate candidates before they are used; bridged datagrams
// travel in packets of the connections to other members.
#pragma once
#include "session/session_types.h"

namespace tern::session {

// Whether a message of kind bridged, challenge or answer is well-formed.
bool is_path_message(const UnreliableMessage &message);
// Takes such a message. `from` is where its datagram came from.
void take_path_message(Session &s, ConnectionIndex index, const UnreliableMessage &message,
                       const Address &from);
// Notes where an accepted packet came from: its sender's address may have changed.
void note_source(Session &s, ConnectionIndex index, const Address &from, uint64_t number);
// The member that bridges our path to this one, or the member itself if no one does.
PeerId bridge_or_self(const Session &s, PeerId to);
// Lets a connection that is still connecting try a bridge as well, after relay_candidate_after_us.
void try_relay_candidate(Session &s, ConnectionIndex index);
// Sends the answers and challenges of a connection that are due.
void send_path_messages(Session &s, ConnectionIndex index);
// Moves the datagrams for bridged addresses from the outbox to the queue of bridged datagrams.
void queue_bridged(Session &s);
// Whether datagrams for this carrier are queued, from number `next` on.
bool has_bridged(const Session &s, PeerId carrier, uint32_t next);
// Adds queued datagrams for this carrier to the packet, from number `next` on, as long as they fit.
// Returns the number of the first that is left.
uint32_t add_bridged(Session &s, PeerId carrier, Packet &packet, uint32_t next);
// Empties the queue. What no packet has taken is lost.
void clear_bridged(Session &s);

}
