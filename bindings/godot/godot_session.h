// The class TernSession of Godot's scripts: a session with a UDP socket.
#pragma once
#include "godot_types.h"
#include <span>

namespace tern_godot {

struct Session {
    Types types;
    tern_session *session = nullptr;
    tern_socket *socket = nullptr;
    ~Session();
};

using Arguments = std::span<const Value>;

struct Method {
    const char *name;
    size_t argument_count;
    Value (*call)(Session &s, Arguments arguments);
};
std::span<const Method> methods();
void complain(const std::string &text); // To Godot's console.

}
