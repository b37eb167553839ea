// The options of tern-peer.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace peer {

struct Options {
    std::string script;
    std::string invite;                                 // Empty: start a new session.
    std::vector<std::string> addresses = {"127.0.0.1"}; // IPs for the invites, without a port.
    uint16_t port = 0;
    std::string name;
    std::string socket = "udp"; // "udp", "udp6" or "enet".
    uint32_t hz = 60;
    double seconds = 0; // 0: until a signal.
    bool sandboxed = false;
    // Limits of the script. 0: the limit of the sandbox if `sandboxed`, else no limit.
    uint32_t memory_mib = 0;
    uint64_t instructions = 0;
    double loss_percent = 0;
    uint32_t latency_ms = 0;
    std::string console; // Path of the console's socket; empty: none.
};

// Parses the command line. Returns an exit status if the program is to end: after --help, or after
// an error, which has been printed to stderr.
std::optional<int> read_options(Options &options, int argc, char **argv);

}
