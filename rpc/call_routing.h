// Routes calls and their answers: queues what this peer sends, delivers what arrives, and forwards
// calls between the other members at the host of a star.
#pragma once
#include "session/session_types.h"
#include "tern/calls.hpp"

namespace tern::session {

// Reads a message from a member. False: it is malformed.
bool read_call(const Session &s, std::span<const std::byte> message, ReceivedCall &call);
// Charges a well-formed message, our own or a forwarded one, to the type of the call.
void charge_call(const Session &s, Charges &charges, std::span<const std::byte> message);
// Delivers a message from a member: it becomes an event, settles an open call of ours, is
// forwarded, or several of these. waits: nothing has happened.
Delivery take_call(Session &s, PeerId from, const ReceivedCall &call, Reliability reliability);
// Queues an encoded call for a member or for everyone. False: there is no open path, or no room; a
// reliable call to everyone succeeds if one queue has taken it.
bool queue_call(Session &s, PeerId to, std::span<const std::byte> call, Reliability reliability);
// PeerLink::connection_epoch of the connection that takes calls for this peer, in a star the
// host's. 0: no path is open. If it changes, messages that were not acked over the former
// connection are lost.
uint64_t connection_epoch_to(const Session &s, PeerId peer);
// Adds the event of a call or a reply. `arguments` must stay valid until the next receive().
void push_call(Session &s, PeerId from, const CallHead &head, const void *arguments);

}
