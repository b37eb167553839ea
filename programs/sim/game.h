// Runs a game script in the simulator: each peer has a Lua state of its own, on the network of
// sim/network/wire.h, in virtual time. Everything that a script can read depends on the seed alone
// (game_lua.cpp).
//
// A run has four phases. First the seed draws faults for the network and the peers. Then the
// network is healed, until all peers are members of one session. Then update() is no longer called,
// until all peers have the same world. Last, each script's check() is called.
#pragma once
#include "scripts/game.h"
#include "sim/network/wire.h"
#include <string>
#include <vector>

namespace sim {

inline constexpr uint64_t game_tick_us = 16'667;
inline constexpr uint64_t heal_us_max = 60'000'000, settle_us_max = 30'000'000;
inline constexpr uint64_t never_us = UINT64_MAX;

struct GameOptions {
    std::string script; // The path of the script.
    uint64_t seed = 1;
    uint16_t peers = 4; // 2 to 16.
    uint32_t seconds = 30;
    tern::Faults faults; // Only kinds with is_scripted_fault() have an effect.
};

struct Player {                          // A place in the network, and the peer that plays there.
    tern::scripts::Game *game = nullptr; // Null: the place is empty.
    tern::Dice chance = {};              // The draws of math.random().
    tern::Dice seeds = {};               // The draws of tern.random_seed().
    tern::Dice crypto = {};
    tern::Address address = {};
    tern::AddressNumber next_address = 0;
    uint32_t generation = 0; // How many peers have played here.
    uint32_t ticks = 0;      // Ticks of the present peer.
    uint64_t now_us = 0;     // The time for its script.
    uint64_t next_tick_us = 0;
    uint64_t paused_until_us = 0;
    uint64_t comes_us = never_us; // When the next peer starts here, if the place is empty.
    std::vector<tern::Datagram> inbox;
    std::vector<uint32_t> slots; // The slots of the wire that hold the datagrams of its inbox.
};

struct PlannedFault {
    uint64_t when_us;
    tern::FaultKind kind;
    uint32_t number; // Counts the faults of its kind.
};

struct GameCounts {
    uint64_t datagrams, events, ticks;
    uint64_t joins, crashes, leaves, pauses, cuts, partitions;
    uint64_t ended; // Peers whose session ended without leave() or a crash.
};

struct GameWorld {
    GameOptions options;
    tern::Wire wire;
    std::vector<Player> players; // Indexed by place.
    std::vector<PlannedFault> plan;
    size_t next_planned = 0;
    uint64_t now_us = 0;
    uint64_t timeout_us = 10'000'000; // The script's timeout_ms, or the default.
    bool is_quiet = false;            // update() is no longer called.
    uint64_t digest = 0;              // A hash of all datagrams sent.
    std::string invariant, problem;   // The first failure. Empty: none.
    GameCounts counts = {};
};

struct GameOutcome {
    std::string invariant, text; // The first failure. Empty: none.
    uint64_t virtual_us, digest;
    size_t alive; // Peers that play at the end.
    GameCounts counts;
};

GameOutcome run_game(const GameOptions &options);
// Whether runs of scripts have faults of this kind.
bool is_scripted_fault(tern::FaultKind kind);

// game_lua.cpp: makes the player the source of time and random numbers for its Lua state. Returns
// what is wrong; empty: nothing.
std::string prepare_lua(Player &player);

}
