// One peer of the demo: a socket, a session over it, and the game that it plays.
#pragma once
#include "options.h"
#include "tern/diagnostics.hpp"
#include "tern/io.hpp"
#include "verdict.h"
#include <cstdio>

namespace demo {

struct Peer {
    Socket *socket;
    Session *session;
    Game game;
    std::FILE *record; // Null: not recorded.
    std::string record_path;
};

// A peer's statistics.
struct Progress {
    State state;
    PeerId self, host;
    uint32_t members; // With this peer.
    uint32_t bridged; // Other peers that are reached through a relay.
    uint32_t rtt_us;  // The mean over all connections.
    uint64_t dropped; // Malformed datagrams and messages.
    uint64_t sent_bytes;
    uint64_t objects, owned, migrations; // session_stats() gives these.
    uint64_t digest;
    uint32_t cheered, cheers_received;
};

namespace peer {

Config make_config(const Options &options);
// Makes the socket, the session and the file of the recording. The index is that of the process.
// Returns what went wrong, or an empty text. The session has a pointer to the peer.
std::string open(Peer &peer, const Options &options, Config config, uint32_t index);
void close(Peer &peer);
Invite local_invite(const Peer &peer, const Options &options); // For peers on this machine.
// From now on no datagram goes to these ports or comes from them.
void cut(Peer &peer, const std::vector<uint16_t> &ports);
void tick(Peer &peer, bool playing);
// Waits until the next tick is due. A peer that is late by more than 100 ms skips ticks.
void wait(uint64_t &next_us, uint32_t hz);
Progress progress(const Peer &peer);
std::string text(const Progress &now);
std::vector<Known> cubes(const Peer &peer); // All living cubes.

}
}
