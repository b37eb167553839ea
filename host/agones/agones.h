// The host as a game server of an Agones fleet: a client of the SDK server in the same pod, over
// its REST interface. It runs in its own threads; after the start the tick loop never waits for it.
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
    std::string error; // Not empty: the rest is incomplete, for this reason.
};

// The greater value has the higher priority.
enum class FleetOrder : uint8_t {
    none,
    // The game server was allocated: players will come, so do not end it without need. Repeated
    // with each further allocation of the same game server.
    allocated,
    // The game server is Shutdown, Unhealthy or being deleted: drain. Comes at most once.
    shut_down
};

// An entry for the log.
struct FleetNote {
    bool is_problem;
    std::string text; // A sentence. Text from the server is sanitized first.
};

namespace agones {

// Starts the client. It reports health to the SDK server as long as board.ticked_us advances. From
// the board's status it keeps up to date:
// - the counter "rooms" and the list "players" (items "room/peer"),
// - the labels "version" and "topology",
// - the annotation "rooms": JSON for a matchmaker. IT CONTAINS THE INVITES: anybody who may
//   read the game servers of the namespace can join.
// When a player joins a game server that was not allocated, the client allocates it, so that the
// fleet does not remove it when it scales down.
//
// `port` is that of the SDK server on the loopback. The client stops when the last copy of the
// pointer is destroyed, within a second even if the server hangs. The board must outlive it.
std::shared_ptr<Agones> make(uint16_t port, Board &board);
// The game server that this process belongs to. Call it before any room is bound, because with the
// port policy Passthrough it supplies the ports. Waits until the SDK server answers and the game
// server has its address and ports, at most timeout_ms; then `error` is set.
GameServer game_server(Agones &agones, uint32_t timeout_ms);
// Marks the game server Ready; retries until the SDK server confirms. Call it once all rooms are
// open and the board shows them.
void ready(Agones &agones);
// The order of the highest priority since the last call, usually none. Lower ones are dropped.
// Never blocks.
FleetOrder order(Agones &agones);
// The notes since the last call, at most notes_max; more are dropped. A problem with the same text
// is reported at most once in half a minute. Never blocks.
std::vector<FleetNote> notes(Agones &agones);
inline constexpr size_t notes_max = 32;
// Requests the shutdown of the game server, after the drain. Waits at most timeout_ms for the SDK
// server to confirm; false if it did not. From then on health is reported without ticks, until
// `agones` is destroyed. Kubernetes may restart a container that exits by itself, so a caller that
// has not received SIGTERM should wait for it for a while before it exits.
bool shut_down(Agones &agones, uint32_t timeout_ms);

}
}
