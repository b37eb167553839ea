// The configuration of a dedicated host, after the file, the environment and the flags have been
// applied. The member initializers are the defaults. options_table.cpp checks ranges.
#pragma once
#include "common/type_file.h"
#include <cstdint>
#include <memory>
#include <string>
#include <tern/types.hpp>
#include <vector>

namespace dedicated {

enum class LogFormat : uint8_t { text, json };
enum class LogLevel : uint8_t { error, warning, info, debug };

// One session. Each has a UDP port of its own.
struct RoomOptions {
    std::string name = "main"; // Identifies the room; unique in the process.
    uint16_t port = 7777;      // UDP; 0: any free port.
    tern::Topology topology = tern::Topology::star;
    tern::Quorum quorum = tern::Quorum::majority;
    uint16_t peers_max = 64; // Including the host.
    uint32_t send_bytes_per_second_max = 256 * 1024;
    uint32_t forward_bytes_per_second_max = 128 * 1024;
    uint32_t timeout_ms = 3'000;
    std::string script; // Path of a Lua game; empty: none, and the types are Options::types.
    bool script_sandboxed = true;
    // Limits on the script's memory and on the instructions of one call into it. 0: the limit of
    // the sandbox if the script is sandboxed, else no limit.
    uint32_t script_memory_mib = 0;
    uint32_t script_instructions = 0;
    bool open = true; // Admits newcomers. Reloadable.
};

struct Options {
    std::string name = "tern-host"; // The host's name in its sessions, visible to the peers.
    uint32_t tick_hz = 30;          // Reloadable.
    uint32_t send_threads = 0;      // Worker threads in addition to the tick loop's.
    std::vector<std::string> addresses = {"127.0.0.1"}; // IPs for the invites, without a port.
    uint32_t drain_timeout_s = 60;                      // Reloadable.
    LogFormat log_format = LogFormat::text;             // Reloadable.
    LogLevel log_level = LogLevel::info;                // Reloadable.
    std::string http_listen = "127.0.0.1:9101";         // Empty: no HTTP port.
    std::string http_page;                              // An HTML file, at /page; empty: none.
    std::string control_socket;                         // A path; empty: no control socket.
    std::string record_folder;                          // Empty: no recordings.
    bool agones = false;
    uint16_t agones_port = 9358; // REST port of the Agones SDK server, on the loopback.
    std::vector<RoomOptions> rooms = {RoomOptions{}};
    std::shared_ptr<const TypeTable> types; // For all rooms without a script.
};

}
