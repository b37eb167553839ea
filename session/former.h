// Members that were removed. A key tells whether such a member has come back, under which id it was
// a member last, and which objects are held for it. With Quorum::survivors it may be in a session
// of its own: docs/membership.md, "Meetings".
#pragma once
#include "session/join_messages.h"

namespace tern::session {

// Null: we know of no such member.
const FormerMember *find_former(const Session &s, const uint8_t *key);
bool is_former(const Session &s, const uint8_t *key);
// The id that the holder of this key had last. none: we know of no such member.
PeerId former_id(const Session &s, const uint8_t *key);
// The name of the last members that were removed; "" for all others.
const char *former_name(const Session &s, PeerId peer);
// The member is being removed. If it comes back, it is refused within refuse_former_us.
void note_former(Session &s, MemberSlot slot);
// This peer joins again, perhaps another session of those that a split has made, with other ids.
void forget_former_ids(Session &s);
// Takes what owner_changed tells: an object of a type with Orphan::hold is held for its last owner
// as long as no member but the hosts has owned it since.
void note_owner(Session &s, const OwnerChange &change, ObjectSlot slot);
// At the host: gives the objects that are held for this member, under a former id, back to it.
void give_back(Session &s, MemberSlot slot);
// Once per tick, with Quorum::survivors: the host seeks former members, and sends them MEET.
void seek_former(Session &s);
// Handles a message from such a member, or from a host that it has named. If the other session is
// the greater one, FormerMembers::yields is set: this peer and all of its members join that one.
// False: the message stays where it is until the next tick.
bool receive_from_former(Session &s, ConnectionIndex index, std::span<const std::byte> message);
// Handles a MEET over a member's connection: the sender is in another session, and does not count
// us as a member. False: the message is none.
bool receive_meet_of_member(Session &s, ConnectionIndex index, std::span<const std::byte> message);
// Handles the MEET of another host. Only the host of the greater session answers.
void receive_meet(Session &s, ConnectionIndex index, const Rank &rank);

}
