// The host as a game server of a fleet: speaks with the Agones SDK's server beside it, over its
// REST interface, in threads of its own. The tick loop never waits for it after the start.
#pragma once
#include "host/status_types.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace dedicated {

struct Agones; // Opaque.

struct FleetPort {
    std::string name;
    uint16_t port;
};

struct GameServer {
    std::string name, address, state;
    std::vector<FleetPort> ports;
    std::string error; // Not empty: it could not be had.
};

enum class FleetOrder : uint8_t {
    none,
    allocated, // Players are on their way: it must not be ended without need.
    shut_down  // The game server is in its last state: drain.
};

namespace agones {

// Health goes out while board.ticked_us moves on. port: of the SDK's server.
std::shared_ptr<Agones> make(uint16_t port, Board &board);
// Before any room is bound (a passthrough policy gives the port). Waits for a server that is still
// starting, at most timeout_ms.
GameServer game_server(Agones &agones, uint32_t timeout_ms);
void ready(Agones &agones); // All rooms are open. Says it until it is heard.
// What has come since the last call, the weightiest first; none as a rule.
FleetOrder order(Agones &agones);
// The drain has ended: says so, and waits at most timeout_ms until it is heard. Health goes on
// until then.
void shut_down(Agones &agones, uint32_t timeout_ms);

}
}
