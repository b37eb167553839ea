// A game script under the simulator: each peer a Lua state of its own, on the network of
// sim/network/wire.h, in virtual time. What the script can see follows from the seed:
// sim_game_lua.cpp.
//
// First the network and the peers suffer what the seed draws. Then all is healed and nobody dies
// any more, until all are in one session; then update() is not called any more, until all have the
// same world; then each script's check() is asked.
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
    std::string script; // A path.
    uint64_t seed = 1;
    uint16_t peers = 4; // 2 to 16.
    uint32_t seconds = 30;
    tern::Faults faults; // Those of scripted_faults(); others are not looked at.
};

struct Player {                          // A place in the network, and the peer that plays there.
    tern::scripts::Game *game = nullptr; // Null: nobody.
    tern::Dice chance = {};              // Of math.random().
    tern::Dice seeds = {};               // Of tern.random_seed().
    tern::Dice crypto = {};
    tern::Address address = {};
    tern::AddressNumber next_address = 0;
    uint32_t generation = 0; // Peers that it has had.
    uint32_t ticks = 0;      // Of this one.
    uint64_t now_us = 0;     // What its script sees.
    uint64_t next_tick_us = 0;
    uint64_t paused_until_us = 0;
    uint64_t comes_us = never_us; // Nobody is there: when the next one comes.
    std::vector<tern::Datagram> inbox;
    std::vector<uint32_t> slots; // Of the datagrams in its inbox.
};

struct PlannedFault {
    uint64_t when_us;
    tern::FaultKind kind;
    uint32_t number; // Of its kind.
};

struct GameCounts {
    uint64_t datagrams, events, ticks;
    uint64_t joins, crashes, leaves, pauses, cuts, partitions;
    uint64_t ended; // Peers whose session came to an end by itself.
};

struct GameWorld {
    GameOptions options;
    tern::Wire wire;
    std::vector<Player> players; // By place.
    std::vector<PlannedFault> plan;
    size_t next_planned = 0;
    uint64_t now_us = 0;
    uint64_t timeout_us = 10'000'000; // As the script has it.
    bool is_quiet = false;            // update() is not called any more.
    uint64_t digest = 0;              // Of all datagrams that were sent.
    std::string invariant, problem;   // Empty: all is well.
    GameCounts counts = {};
};

struct GameOutcome {
    std::string invariant, text; // Empty: all is well.
    uint64_t virtual_us, digest;
    size_t alive; // Peers, in the end.
    GameCounts counts;
};

GameOutcome run_game(const GameOptions &options);
// Whether a run of a script draws that kind of fault.
bool is_scripted_fault(tern::FaultKind kind);

// sim_game_lua.cpp: what the script sees of time and chance comes from the player.
// Empty, or what was wrong.
std::string prepare_lua(Player &player);

}
