// What tern-bot prints: a line each second, and what has come of it all.
#pragma once
#include "crowd.h"

namespace bot {

struct Outcome {
    uint32_t joined = 0;      // Bots that came in.
    bool interrupted = false; // By a signal, before all was done.
    double play_s = 0;        // While all were in.
    Census play_begin = {}, play_end = {};
    bool compared = false, settled = false; // Whether the worlds had to be, and were, equal.
    double settle_s = 0;
    Census rest = {}; // When they were, or when the time was over.
    Census end = {};
};

enum class ExitCode : int { good = 0, not_good = 1, nobody_reached = 3 };

namespace report {

std::string progress(const Options &options, double seconds, const Census &now,
                     const Census &second_ago);
std::string settled(const Outcome &outcome); // Whether the worlds are equal, and which they are.
std::string summary(const Options &options, const Outcome &outcome);
std::string json(const Options &options, const Outcome &outcome); // One line.
ExitCode exit_code(const Options &options, const Outcome &outcome);

}
}
