// The steps of receive() and send(), each in the file that is named after it.
#pragma once
#include "session/session_types.h"

namespace tern::session {

// session.cpp
void enter_state(Session &s, State state, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void fail(Session &s, State state); // The same, with the state's own sentence; ends all paths.
void push_event(Session &s, const Event &event);
void copy_replica_events(Session &s); // Those that are new.
bool events_room(const Session &s);
void place_replica(Session &s); // Empty, in its zeroed memory.

// paths.cpp
Path &path(Session &s, ConnectionIndex index);
ConnectionIndex path_to(const Session &s, PeerId peer);    // Open and bound; no_connection if none.
bool has_path(const Session &s, PeerId peer);              // Or it is being made.
void open_path(Session &s, ConnectionIndex index);         // A connection that a peer has made.
void bind(Session &s, ConnectionIndex index, PeerId peer); // It is this member's from now on.
Address direct_address(const Session &s, ConnectionIndex index); // Port 0: it is bridged.
void end_path(Session &s, ConnectionIndex index, CloseReason reason);
void update_paths(Session &s);    // Once per tick: acks, fates, silence, goodbyes.
void reconcile_paths(Session &s); // With the roster: bind, connect, end.
void end_all_paths(Session &s, CloseReason reason);

// receive.cpp
void drain_streams(Session &s, ConnectionIndex index);

// game.cpp
void check_open(const Session &s);
void check_type(const Session &s, TypeId type, size_t size_bytes);

// explain.cpp
void remember_answer(Session &s, const Event &event);

// optimistic.cpp: what games set while their claims wait.
void begin_optimistic(Session &s, Slot slot);                     // Of an own claim, unanswered.
bool is_optimistic(const Session &s, Slot slot);                  // Until its answer.
bool set_optimistic(Session &s, Slot slot, const void *value);    // False: there is no such claim.
uint64_t optimistic_fields(const Session &s, const Event &event); // Those that hide what changes.
void settle_optimistic(Session &s, const Event &answer);          // Only while not shown.
void show_optimistic(Session &s);                                 // At the end of a tick's half:
void hide_optimistic(Session &s);                                 // ... and at its beginning.
const void *replicated(const Session &s, Slot slot);              // Shown or not.
uint64_t replicated_digest(const Session &s);

// recording.cpp. Each does nothing unless the session is recorded.
void record(Session &s, const Record &record);
void record_value(Session &s, const Record &about, TypeId type, const void *value);
void record_received(Session &s, std::span<const Datagram> datagrams);
void record_sent(Session &s, std::span<const Datagram> datagrams);
Record about(RecordKind kind, ObjectId object, PeerId peer = PeerId::none);

// bridge.cpp: what leads to a member, and pairs that have no direct path.
bool is_way_message(const UnreliableMessage &message); // Well-formed, of a kind of this file's?
// It arrived at this connection, from there.
void take_way_message(Session &s, ConnectionIndex index, const UnreliableMessage &message,
                      const Address &from);
void note_source(Session &s, ConnectionIndex index, const Address &from, uint64_t number);
PeerId bridge_or_self(const Session &s, PeerId to); // Who bridges our path to it, else itself.
void try_detour(Session &s, ConnectionIndex index); // Of a member that does not answer so far.
void send_way_messages(Session &s, ConnectionIndex index);
// Takes what is to go by way of others out of the outbox, for the packets to those.
void queue_bridged(Session &s);
bool has_bridged(const Session &s, PeerId carrier, uint32_t next);
// From number `next` on, those that this packet has room for. The number of the first that is left.
uint32_t add_bridged(Session &s, PeerId carrier, Packet &packet, uint32_t next);
void clear_bridged(Session &s); // What nobody has taken is lost.

// traffic.cpp
void charge_bytes(Session &s, TrafficKind kind, size_t bytes);
int64_t charged_bits(const Session &s); // To all: what was handed out, to the bit.

// send.cpp
void fill_stream(Session &s, ConnectionIndex index);
// Before there is a member. False: no room.
bool queue_join_message(Session &s, ConnectionIndex index, std::span<const std::byte> message);

// inspect.cpp. Only with a journal.
void note_said(Session &s, ConnectionIndex index, std::span<const std::byte> message);
void note_heard(Session &s, ConnectionIndex index, PeerId from, Verdict verdict,
                std::span<const std::byte> message);
void note_acked(Session &s, ConnectionIndex index);
void note_packet(Session &s, ConnectionIndex index, NoteKind kind, uint64_t number);

}
