// One bot: its session, its socket, and its actions in each tick.
#pragma once
#include "options.h"
#include "values.h"
#include <array>
#include <map>
#include <tern/diagnostics.hpp>
#include <tern/sim.hpp>
#include <tern/tern.hpp>
#include <vector>

namespace bot {

// Counts of a bot's actions and of their results. Tallies of several bots can be added.
struct Tally {
    uint64_t created, not_created; // not_created: the type had reached objects_max.
    uint64_t destroyed, sets;
    uint64_t claims, granted, refused;
    // Indexed by tern::ClaimRefusal.
    std::array<uint64_t, static_cast<size_t>(tern::ClaimRefusal::quota) + 1> refusals;
    uint64_t calls, not_called; // not_called: the queue was full.
    uint64_t calls_received, changes_received;
    uint64_t interruptions; // How often the session was not open any more, and did not end either.
};

void add(Tally &sum, const Tally &other);

// What one member was charged with. Several can be added.
struct Charge {
    std::array<uint64_t, tern::breach_kinds> breaches; // Stats::breaches
    uint64_t events;                                   // `misbehaved`
};
using Charges = std::map<tern::PeerId, Charge>;

void add(Charges &sum, const Charges &other);

enum class Wish : uint8_t {
    play,
    rest, // Changes nothing, but still answers claims.
    leave
};

struct Player {
    const Options *options;
    uint32_t number; // From 1.
    tern::Session *session;
    tern::Socket *socket;
    std::string socket_error; // Why there is no socket; empty if there is one.
    Random random;
    bool was_open;
    bool is_open;
    std::vector<tern::ObjectId> mine;     // Own objects. May be outdated: check before use.
    std::vector<tern::ObjectId> awaiting; // Claims without an answer.
    double claims_due, calls_due, churn_due;
    uint64_t create_again_us;
    std::vector<tern::Datagram> received;
    Tally tally;
    Charges charges;                          // Only with Options::attack.
    std::map<tern::PeerId, uint64_t> left_us; // Likewise: when other members had left the session.
};

namespace player {

tern::Config config(const Options &options); // Without a name.
tern::MadeSocket make_socket(const Options &options);

// Makes session and socket but does not join yet. `options` must outlive the player.
Player make_player(const Options &options, uint32_t number);
void destroy_player(Player &player);
void join(Player &player);
// Receives, acts and sends.
void tick(Player &player, Wish wish, uint64_t now_us);
bool has_ended(const Player &player); // The bot left, or its session failed.

}
}
