// The class TernSession of Godot's scripts: a session with a UDP socket.
#pragma once
#include "godot_types.h"
#include <span>

namespace tern_godot {

struct Session {
    Types types;
    tern_session *session = nullptr;
    tern_socket *socket = nullptr;
    bool reports_changes = true; // receive() gives events of the kind object_changed, too.
    std::string error; // What was wrong with the call that is at work, or with the last one.

    ~Session();
    // Notes the first problem of a call.
    void fail(const std::string &wrong);
    // Whether it went well; a result that did not is noted.
    bool is_done(tern_result result);
};

using Arguments = std::span<const Value>; // What a call leaves out is nil.

struct Method {
    const char *name;
    // A letter for each argument: t the name of a type, s a text, d a Dictionary, a an Array, v any
    // array, i a whole number from 0, b a bool, r a recipient of calls. Those after | may be
    // absent.
    const char *takes;
    Value (*call)(Session &s, Arguments arguments);
    bool may_precede_setup = false;
};
extern const std::span<const Method> session_methods, object_methods, call_methods;

// The number of an object or a peer, or another one, in an argument that `takes` calls i.
uint64_t number_of(const Value &value);
tern_peer peer_of(const Value &value); // TERN_NO_PEER: the number is too large for one.
// The type by its name; null, and noted, if there is none.
const tern_type *type_of(Session &s, const Value &name, tern_type_id *id);
Value read_event(const Session &s, const tern_event &event);

}
