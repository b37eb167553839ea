// The queue of messages to each member. What waits for a member is a list of entries, at most one
// for each object and each kind of control message; a message is encoded from the present state
// when it is pulled, and is in flight until it is acked. So a member that takes nothing for a while
// costs no more than the living objects, and then gets the present state only.
#pragma once
#include "migration/replica_types.h"

namespace tern::message_queue {

// --- What is to be sent. All of these do nothing for no_member, this peer itself, a member that
// is fenced or to be removed, and one that takes_objects() refuses. ---

// Whether messages to this member are queued at all: in a star only those to and from the leader.
bool takes_objects(const Replica &r, MemberSlot to);
// An entry that waits keeps its place, except that a VIEW and a REPORT go to the end. DEAD goes
// before everything but a WELCOME.
void push(Replica &r, MemberSlot to, Control control);
void append_dead(Replica &r, MemberSlot to); // DEAD behind what waits.
void push_to_all(Replica &r, Control control);
// DEAD and DESTROY go before the announcements of objects, so that a member never knows more
// living objects than live at this peer.
void push_deaths(Replica &r, MemberSlot to);
void announce(Replica &r, ObjectSlot slot); // To all: the object is new, or in a new tenure.
void announce_to(Replica &r, MemberSlot to, ObjectSlot slot);
// On the host: sends the grant (index + 1) to its owner. A GRANT of one of its objects that still
// waits for another member becomes a refusal.
void send_grant(Replica &r, uint32_t grant);
void send_refusal(Replica &r, MemberSlot to, ObjectId object, ClaimRefusal reason);
// On an owner: `waiting` is waiting_lock or waiting_release.
void send_owner_request(Replica &r, ObjectSlot slot, Waiting waiting);
void withdraw_owner_requests(Replica &r, ObjectSlot slot);
// The object in this slot has died: nothing about it waits any more.
void forget_object(Replica &r, ObjectSlot slot);
void clear(Replica &r, MemberSlot to); // The member is fenced or dropped.

// --- The work of replica::next_message(), has_message(), messages_acked() and, but for UPDATEs,
// rewind() ---
size_t pull(Replica &r, MemberSlot to, std::span<std::byte> buffer);
bool has_message(const Replica &r, MemberSlot to);
void acked(Replica &r, MemberSlot to, uint32_t count);
void rewind(Replica &r, MemberSlot to);

// --- Questions. These are slow. ---
bool is_empty(const Replica &r, MemberSlot to);  // Nothing waits, and nothing is in flight.
uint32_t count(const Replica &r, MemberSlot to); // Entries that wait or are in flight.
bool is_death_unacked(const Replica &r, MemberSlot to, ObjectId object); // In flight.
// Whether the announcement of this object is in flight.
bool is_announcement_unacked(const Replica &r, MemberSlot to, ObjectId object);

}
