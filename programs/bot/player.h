// One bot: a session, a socket, and what it does in a tick.
#pragma once
#include "options.h"
#include "values.h"
#include <array>
#include <tern/sim.h>
#include <tern/tern.h>
#include <vector>

namespace bot {

// What bots have done, and what has come of it. Adds up.
struct Tally {
    uint64_t created, not_created; // not_created: objects_max of the type were alive.
    uint64_t destroyed, sets;
    uint64_t claims, granted, refused;
    std::array<uint64_t, 8> refusals; // By tern::ClaimRefusal.
    uint64_t calls, not_called;       // not_called: the queue was full.
    uint64_t calls_heard, changes_heard;
};

void add(Tally &sum, const Tally &other);

enum class Wish : uint8_t {
    play,
    rest, // Changes nothing, answers still.
    leave
};

struct Player {
    const Options *options;
    uint32_t number; // From 1.
    tern::Session *session;
    tern::Socket *socket;
    std::string socket_error; // There is no socket.
    Random random;
    bool was_open;
    std::vector<tern::ObjectId> mine;     // May name some that are no more: looked at when used.
    std::vector<tern::ObjectId> awaiting; // Claims without an answer.
    double claims_due, calls_due, churn_due;
    uint64_t create_again_us;
    std::vector<tern::Datagram> received;
    Tally tally;
};

namespace player {

// Not joining yet. `options` must outlive it.
Player make_player(const Options &options, uint32_t number);
void destroy_player(Player &player);
void join(Player &player);
// Receives, plays, sends.
void tick(Player &player, Wish wish, uint64_t now_us);
bool has_ended(const Player &player); // Left, or its session ended against its will.

}
}
