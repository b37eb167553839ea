// The control socket of a program: a unix stream socket for this user alone. A request is a line,
// and what it is answered with ends with one. Without threads: the tick loop asks, and nothing here
// waits.
#pragma once
#include <cstdint>
#include <string>
#include <sys/types.h>
#include <vector>

namespace control {

inline constexpr size_t control_clients_max = 16;         // What comes beyond waits to be accepted.
inline constexpr size_t control_request_bytes_max = 4096; // A longer one ends the connection.
inline constexpr uint64_t control_idle_us_max = 60'000'000; // Then the connection is ended.

struct ControlClient {
    int descriptor;
    std::string input;
    std::string output; // Of answers; the next request is read when it has gone.
    uint64_t used_us;   // When anything last went either way.
    bool ends;          // When `output` has gone.
};

struct Control {
    std::string too_long = "the request is too long"; // How such a request is answered.
    int listener = -1;
    std::string path;
    dev_t device = 0; // Of the file at `path`, so that nobody else's is deleted.
    ino_t file = 0;
    std::vector<ControlClient> clients;
};

struct ControlRequest {
    size_t client; // Until the next receive().
    std::string text;
};

// A file that a dead host has left is replaced. Empty, or what was wrong; then nothing is left.
std::string open(Control &control, const std::string &path);
// The whole requests that have come, at most one of each client.
std::vector<ControlRequest> receive(Control &control, uint64_t now_us);
void answer(Control &control, size_t client, const std::string &line);
void send(Control &control, uint64_t now_us); // As much as the clients take.
void close(Control &control);

}
