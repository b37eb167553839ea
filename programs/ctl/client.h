// The connection of tern-ctl to a host: a line of JSON goes, a line of JSON comes.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace ctl {

using Json = nlohmann::ordered_json;

struct Answer {
    Json body;         // With "ok".
    std::string error; // Not empty: there was none, because of this.
};

// TERN_HOST_CONTROL_SOCKET, else tern-host.sock in $XDG_RUNTIME_DIR if that is there, else
// /run/tern/host.sock.
std::string default_socket();

// The descriptor, or -1: nobody listens there, and errno says why.
int connect_to(const std::string &path);
// Waits for the answer, at most 10 s.
Answer ask(int descriptor, const Json &request);

}
