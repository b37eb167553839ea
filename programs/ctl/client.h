// The connection of tern-ctl to a host. Requests and answers are lines of JSON.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace ctl {

using Json = nlohmann::ordered_json;

struct Answer {
    Json body;         // The answer, with "ok"; unset if there is an error.
    std::string error; // Why there is no answer; empty if there is one.
};

// $TERN_HOST_CONTROL_SOCKET, else tern-host.sock in $XDG_RUNTIME_DIR if that file exists, else
// /run/tern/host.sock.
std::string default_socket();

// Returns the descriptor, or -1 with the reason in errno.
int connect_to(const std::string &path);
// Sends the request and waits for the answer, at most 10 s.
Answer ask(int descriptor, const Json &request);

}
