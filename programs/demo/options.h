// tern-demo's command line, and the modes that it selects.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace demo {

struct Options {
    uint16_t peers = 4;
    std::string topology = "mesh"; // Or star.
    uint32_t hz = 60;
    uint32_t objects = 64;
    uint32_t seconds = 20; // 0: one peer in this process plays until a signal.
    double loss_percent = 5;
    uint32_t delay_ms = 40;
    uint32_t jitter_ms = 40;
    uint64_t seed = 1;
    std::string socket = "udp"; // Or udp6, enet.
    bool no_kill = false;
    bool kill_host = false;
    // kill_two kills the host and its successor, or with kill_other the host and the youngest peer.
    bool kill_two = false;
    bool kill_other = false;
    std::string quorum = "majority"; // Or survivors.
    uint32_t cut_pairs = 0; // Pairs of peers, none with the host, that have no direct path.
    std::string trial;      // Empty: none.
    std::string invite;     // --join.
    std::string record;     // --record: a folder. Empty: nothing is recorded.
    // --listen: the address at which others reach this peer.
    std::string address;
    std::string announce; // The session's name. Empty: it is not announced.
    bool find = false;
    int32_t port = -1; // --listen; -1: not given.
    // Programs of the second process, the third one and so on; the others run this one.
    std::vector<std::string> programs;
    std::vector<std::string> arguments; // The whole command line, for children.
    int32_t process = -1;               // The index of this child. -1: it is no child.
    bool impaired = true; // False with --listen, --join or --find, unless it is asked for.
};

struct ParsedOptions {
    Options options;
    bool run;        // False: print `text` and end with exit_status.
    int exit_status; // 0: the help. 2: a bad option.
    std::string text;
};

ParsedOptions parse_options(int argc, const char *const *argv);
bool is_alone(const Options &options); // One peer in this process, and no others.

// --- Modes; each returns the exit status of the program ---

// Starts a process for each peer, kills one half-way, and compares the worlds that the survivors
// report. 0: all have the same world; 1: they have not; 130: interrupted.
int run_parent(const Options &options);
// Runs one peer for a parent, until that one closes the standard input. 0: it has reported.
int run_child(const Options &options);
// Runs one peer in this process. 0: it left; 1: its session ended otherwise, or --find found none;
// 2: an option is wrong.
int run_alone(const Options &options);
// Tries joins that must be refused. 0: all were refused as expected.
int run_trials(const Options &options);

}
