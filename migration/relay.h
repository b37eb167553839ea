// How the host of a star replicates the objects of its clients: it sends each client the state of
// its own copies, and tracks acks for each client. Also the clients' side of a change of host.
// docs/use/topologies.md, "How a star replicates".
#pragma once
#include "migration/messages.h"
#include "migration/replica.h"

namespace tern::relay {

// --- The host. Except for send_all() and write(), these do nothing on other peers. ---
void begin(Replica &r);                   // This peer has become host: sends everything to all.
void send_all(Replica &r, MemberSlot to); // Announces every living object to this member.
// An object is new here, or has a new tenure. survived_tick: the former owner's last write that it
// includes; read only if another peer owns it.
void began(Replica &r, ObjectSlot slot, uint32_t survived_tick);
void changed(Replica &r, ObjectSlot slot,
             uint64_t fields); // An UPDATE of another owner changed these.
// An UPDATE of another owner repeated the value. For fields with an error bound this is sent on,
// because it means that they stay there.
void repeated(Replica &r, ObjectSlot slot);
// Announces these destroyed objects, which World::dead contains, to all but the sender.
void died(Replica &r, DeadRange range, PeerId sender);
uint32_t write(BitWriter &w, Replica &r, ObjectSlot slot); // RELAY. Returns the tick of its value.

// --- A client ---
void sync_leader(Replica &r); // Another member leads now: sends it all objects that we own.
Verdict receive(Replica &r, PeerId from, BitReader reader);

}
