// The members of the session and their names; how the game starts a session, goes on when it is cut
// off, and removes a member.
#pragma once
#include "session/session_types.h"
#include "tern/diagnostics.hpp"

namespace tern::session {

Identity own_identity(const Session &s); // Without an address, which only others can see.
// Makes a new signing key and gives the endpoint the incarnation that it stands for. The session
// does so when it is made, and before each time that it joins again under the same key.
void renew_incarnation(Session &s);
uint32_t incarnation_of(const uint8_t (&signing_key)[32]); // Never 0.
// When cut off: makes a session of its own of what is here.
void begin_another(Session &s);
// All members but this peer, in ascending order, until the members change.
std::span<const PeerId> other_members(const Session &s);
const char *member_name(const Session &s, PeerId peer); // "" for others than members.
// The peer at the other end has broken the rules. Only what members do counts: another peer has no
// name yet, and its connection is closed.
void charge(Session &s, ConnectionIndex index, Breach breach);
void charge(Session &s, ConnectionIndex index, Verdict verdict); // Only for breaches.
// Whoever removes a member for its breaches does not admit its key again.
void ban(Session &s, MemberSlot slot);
// Once per tick: with Misbehaviour::remove the host removes the members that are guilty.
void remove_guilty(Session &s);

}
