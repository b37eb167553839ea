// One peer of the demo: a socket, a session over it, and the game that it plays.
#pragma once
#include "game.h"
#include "options.h"
#include "tern/io.h"
#include "tern/sim.h"
#include <cstdio>
#include <string>

namespace demo {

struct PeerSetup {
    SocketKind socket;
    uint16_t port; // 0: any.
    uint16_t peers_max;
    Topology topology;
    uint32_t hz;
    bool impaired;
    Impairment impairment;
    uint64_t seed; // Of its impairment and its game.
    uint32_t first_cubes;
    uint32_t cubes_max;
    uint32_t timeout_ms;
    bool survivors; // Quorum::survivors.
    const char *name;
    std::string record_path; // Empty: not recorded.
};

struct Peer {
    Socket *socket;
    Session *session;
    Game game;
    std::FILE *record; // Null: not recorded.
    uint64_t host_us;  // When the host last changed, by clock_us(). 0: never.
};

struct MadePeer {
    Peer peer;
    std::string error; // Empty if it was made.
};

// How a peer fares, as its line of statistics says.
struct Progress {
    PeerId self, host;
    uint64_t host_us; // When that host came, by clock_us(). 0: with us.
    State state;
    uint32_t members;                        // With itself.
    uint32_t rtt_us;                         // The mean over all that it talks to.
    uint64_t sent_datagrams, lost_datagrams; // To those that are members now.
    uint64_t sent_bytes, received_bytes;     // Of its socket.
    uint64_t bad;                            // Datagrams and messages that were dropped as wrong.
    uint64_t objects, owned, migrations;
    uint32_t bridged; // To so many others by way of another.
    uint64_t digest;
    uint32_t cheered, heard;
    uint64_t resident_kb; // Of its process; 0: unknown.
};

namespace peer {

PeerSetup setup(const Options &options, uint32_t index);
MadeSocket make_socket(SocketKind kind, uint16_t port, uint16_t peers_max);
MadePeer make_peer(const PeerSetup &setup);
void destroy_peer(Peer &peer);
Address own_address(const Peer &peer, SocketKind kind); // On this machine.
void tick(Peer &peer, bool playing);
Progress progress(const Peer &peer);
std::vector<Known> world(const Peer &peer); // All living objects, by id.
// A line for each of its own objects that another has not got, or not with its last change: why.
std::string missing(const Peer &peer);
const char *state_name(State state);
bool is_over(State state); // It has ended, by our will or not.

}
}
