// The output of tern-bot: a line of progress each second, and the summary.
#pragma once
#include "crowd.h"
#include "hostile/siege.h"

namespace bot {

struct Outcome {
    uint32_t joined = 0;      // Bots that joined.
    uint32_t in_room = 0;     // Bots that were in when all began to leave.
    bool interrupted = false; // A signal ended the run early.
    uint32_t host_changes = 0;
    SiegeReport siege = {}; // With Options::attack.
    double play_s = 0;      // Time of play after all had joined.
    Census play_begin = {}, play_end = {};
    bool compared = false, settled = false; // The worlds were compared; they became equal.
    double settle_s = 0;                    // How long that, or the attempt, took.
    Census rest = {};                       // When they became equal, or at the time limit.
    Census end = {};
};

enum class ExitCode : int { good = 0, not_good = 1, nobody_reached = 3 };

namespace report {

std::string progress(const Options &options, double seconds, const Census &now,
                     const Census &second_ago);
std::string settled(const Outcome &outcome); // Whether the worlds are equal, and how they differ.
std::string summary(const Options &options, const Outcome &outcome);
// With Options::attack: what the attack was, and what the bots suffered from it.
std::string siege(const Options &options, const Outcome &outcome);
std::string json(const Options &options, const Outcome &outcome); // One line.
ExitCode exit_code(const Options &options, const Outcome &outcome);

}
}
