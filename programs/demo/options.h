// tern-demo's command line.
#pragma once
#include "tern/types.h"
#include <cstdint>
#include <string>

namespace demo {

enum class SocketKind : uint8_t { udp, enet, udp6 };

struct Options {
    uint16_t peers = 4;
    tern::Topology topology = tern::Topology::mesh;
    uint32_t hz = 60;
    uint32_t objects = 64;
    uint32_t seconds = 20;
    double loss_percent = 5;
    uint32_t delay_ms = 40;
    uint32_t jitter_ms = 40;
    uint64_t seed = 1;
    SocketKind socket = SocketKind::udp;
    bool no_kill = false;
    bool kill_host = false;  // And not another.
    bool kill_two = false;   // The host, and another:
    bool kill_other = false; // who came last, and not who takes its place.
    bool survivors = false;  // Quorum::survivors; else a majority goes on.
    uint32_t cut_pairs = 0;  // Of peers, never the host, that have no direct path.
    std::string trial;       // Empty: none.
    std::string invite;      // --join.
    std::string record;      // --record: a folder. Empty: nothing is recorded.
    std::string address;     // --listen: where others reach it.
    std::string announce;    // The session's name. Empty: it is not announced.
    bool find = false;
    int32_t port = -1; // --listen; -1: not given.
    bool seconds_given = false;
    bool impaired = true; // False with --listen or --join, unless an impairment is asked for.
};

struct ParsedOptions {
    Options options;
    bool run;        // Else `text` is to be shown, and the program ends with exit_status.
    int exit_status; // 0: the help. 2: a bad option.
    std::string text;
};

ParsedOptions parse_options(int argc, const char *const *argv);
bool is_alone(const Options &options); // One peer in this process, and no forks.
const char *socket_name(SocketKind socket);
const char *topology_name(tern::Topology topology);

}
