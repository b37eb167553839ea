// The control socket of a program: a unix stream socket that only this user can open. A request is
// one line; an answer is one or more lines. There are no threads: the tick loop polls, and no
// function here blocks.
#pragma once
#include <cstdint>
#include <string>
#include <sys/types.h>
#include <vector>

namespace control {

inline constexpr size_t control_clients_max = 16;           // Further clients wait in the backlog.
inline constexpr size_t control_request_bytes_max = 4096;   // A longer request ends the connection.
inline constexpr uint64_t control_idle_us_max = 60'000'000; // After that the connection is closed.

struct ControlClient {
    int descriptor;
    std::string input;
    std::string output; // Unsent answers; the next request is read once it is empty.
    uint64_t used_us;   // When bytes last went in either direction.
    bool ends;          // Close the connection once `output` is empty.
};

struct Control {
    std::string too_long = "the request is too long"; // The answer to a request that is too long.
    int listener = -1;
    std::string path;
    // Identify the file at `path`, so that close() does not delete one of another process.
    dev_t device = 0;
    ino_t file = 0;
    std::vector<ControlClient> clients;
};

struct ControlRequest {
    size_t client; // Index for answer(); valid until the next receive().
    std::string text;
};

// Binds and listens. Replaces a socket file on which no process listens any more. Returns an empty
// string, or the error, after which no file is left. Call it before the process starts threads,
// because it changes the umask for a moment.
std::string open(Control &control, const std::string &path);
// Accepts clients and returns the complete requests, at most one for each client.
std::vector<ControlRequest> receive(Control &control, uint64_t now_us);
// Queues the answer to a request; appends the final line end.
void answer(Control &control, size_t client, const std::string &line);
void send(Control &control, uint64_t now_us); // Sends as much as the clients accept.
void close(Control &control); // Closes all connections and deletes the file. May be called twice.

}
