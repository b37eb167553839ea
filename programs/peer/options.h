// What tern-peer is told on its command line.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace peer {

struct Options {
    std::string script;
    std::string invite;                                 // Empty: it is the first.
    std::vector<std::string> addresses = {"127.0.0.1"}; // Of invites: IPs, without a port.
    uint16_t port = 0;
    std::string name;
    std::string socket = "udp"; // "udp6", "enet".
    uint32_t hz = 60;
    double seconds = 0; // 0: until a signal.
    bool sandboxed = false;
    uint32_t memory_mib = 0;   // 0: no limit; sandboxed: the sandbox's.
    uint64_t instructions = 0; // The same.
    double loss_percent = 0;
    uint32_t latency_ms = 0;
    std::string console; // A path; empty: none.
};

// The exit status, if that was all: after --help, or a bad option, which is named on stderr.
std::optional<int> read_options(Options &options, int argc, char **argv);

}
