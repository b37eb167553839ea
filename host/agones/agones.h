// The host as a game server of a fleet: speaks with the Agones SDK's server beside it, over its
// REST interface, in threads of its own. The tick loop never waits for it after the start.
#pragma once
#include "host/http/status_types.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace dedicated {

struct Agones; // Opaque.

struct FleetPort {
    std::string name;
    uint16_t port; // Not 0.
};

struct GameServer {
    std::string name, address, state;
    std::vector<FleetPort> ports;
    std::string error; // Not empty: it could not be had.
};

// The weightier one is the greater one.
enum class FleetOrder : uint8_t {
    none,
    allocated, // Players are on their way: it must not be ended without need. Comes again with each
               // further allocation of the same game server.
    shut_down  // The game server is in its last state, or being deleted: drain. Comes once.
};

// For the log.
struct FleetNote {
    bool is_problem;
    std::string text; // A sentence. Of what a server said only checked parts.
};

namespace agones {

// Health goes out while board.ticked_us moves on; what the board's status says of rooms and players
// goes into the counter "rooms", the list "players" ("room/peer"), the labels "version" and
// "topology", and the annotation "rooms" (JSON, for a matchmaker, WITH THE INVITES: who may read
// the game servers of the namespace can join). When a player joins that nobody was allocated for,
// the host allocates itself, so that no scaling down ends it. port: of the SDK's server, on the
// loopback. It ends with its last owner, within a second also while the server hangs; the board
// must outlive it.
std::shared_ptr<Agones> make(uint16_t port, Board &board);
// Before any room is bound (a passthrough policy gives the port). Waits for a server that is still
// starting, and until the game server has its address and ports, at most timeout_ms.
GameServer game_server(Agones &agones, uint32_t timeout_ms);
// All rooms are open, and the board says so. Says it until it is heard.
void ready(Agones &agones);
// What has come since the last call, the weightiest first; none as a rule. Never blocks.
FleetOrder order(Agones &agones);
// What has happened since the last call, at most notes_max; one that repeats itself is left out for
// half a minute. Never blocks.
std::vector<FleetNote> notes(Agones &agones);
inline constexpr size_t notes_max = 32;
// The drain has ended: says so, and waits at most timeout_ms until it is heard. False: it was not.
// Health goes on until the end of `agones`, now without ticks. A container that ends by itself may
// be started once more, so who was not told to end by SIGTERM waits for it after this, a while.
bool shut_down(Agones &agones, uint32_t timeout_ms);

}
}
