// What an operator decides: the whole configuration of a dedicated host, as it is after the file,
// the environment and the flags. Defaults are what is said here.
#pragma once
#include "common/type_file.h"
#include <cstdint>
#include <memory>
#include <string>
#include <tern/types.h>
#include <vector>

namespace dedicated {

enum class LogFormat : uint8_t { text, json };
enum class LogLevel : uint8_t { error, warning, info, debug };

// One session. Each has a UDP port of its own.
struct RoomOptions {
    std::string name = "main"; // Unique in the process: how the operator calls it.
    uint16_t port = 7777;      // UDP; 0: any that is free.
    tern::Topology topology = tern::Topology::star;
    tern::Quorum quorum = tern::Quorum::majority;
    uint16_t peers_max = 64; // With the host.
    uint32_t send_bytes_per_second_max = 256 * 1024;
    uint32_t timeout_ms = 10'000;
    std::string script; // A game of Lua; empty: none, and the types are the configuration's.
    bool script_sandboxed = true;
    uint32_t script_memory_mib = 0;   // It may hold; 0: no limit; sandboxed: the sandbox's.
    uint32_t script_instructions = 0; // Of one call; 0: the same.
    bool open = true;                 // Takes newcomers. Reloadable.
};

struct Options {
    std::string name = "tern-host";                     // Shown to the peers.
    uint32_t tick_hz = 30;                              // Reloadable.
    uint32_t send_threads = 0;                          // Beside the one that all else runs in.
    std::vector<std::string> addresses = {"127.0.0.1"}; // Of invites: IPs, without a port.
    uint32_t drain_timeout_s = 60;                      // Reloadable.
    LogFormat log_format = LogFormat::text;             // Both reloadable.
    LogLevel log_level = LogLevel::info;
    std::string http_listen = "127.0.0.1:9101"; // Empty: none.
    std::string control_socket;                 // A path; empty: none.
    std::string record_folder;                  // Empty: nothing is recorded.
    bool agones = false;
    uint16_t agones_port = 9358; // Of the SDK's REST interface, on the loopback.
    std::vector<RoomOptions> rooms = {RoomOptions{}};
    std::shared_ptr<const TypeTable> types; // Of all rooms.
};

}
