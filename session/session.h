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

// paths.cpp
Path &path(Session &s, ConnectionIndex index);
ConnectionIndex path_to(const Session &s, PeerId peer);    // Open and bound; no_connection if none.
void open_path(Session &s, ConnectionIndex index);         // A connection that a peer has made.
void bind(Session &s, ConnectionIndex index, PeerId peer); // It is this member's from now on.
void end_path(Session &s, ConnectionIndex index, CloseReason reason);
void update_paths(Session &s);    // Once per tick: acks, fates, silence, goodbyes.
void reconcile_paths(Session &s); // With the roster: bind, connect, end.
void end_all_paths(Session &s, CloseReason reason);

// joining.cpp
// False: the message stays where it is.
bool receive_from_stranger(Session &s, ConnectionIndex index, std::span<const std::byte> message);
void receive_from_asked(Session &s, ConnectionIndex index, std::span<const std::byte> message);
void update_joining(Session &s); // Tries addresses, asks, and gives up in time.

// receive.cpp
void drain_streams(Session &s, ConnectionIndex index);

// send.cpp
void fill_stream(Session &s, ConnectionIndex index);

}
