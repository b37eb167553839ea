// The options of tern-bot, checked.
#pragma once
#include "common/type_file.h"
#include <cstdint>
#include <string>
#include <tern/tern.hpp>

namespace bot {

struct Attack; // hostile/attacks.h

struct Options {
    tern::Invite invite = {};
    std::shared_ptr<const TypeTable> types; // Never null after parse_options().
    // These must be equal to the host's.
    tern::Topology topology = tern::Topology::star;
    tern::Quorum quorum = tern::Quorum::majority;
    uint16_t peers_max = 64;
    // The crowd.
    uint32_t count = 1;
    uint32_t join_per_second = 50; // Also the number that leave per second.
    double seconds = 0;            // Time to play once all have joined. 0: until a signal.
    uint32_t settle_s = 10;        // Limit until all worlds are equal. 0: do not compare them.
    bool stay = false;             // Then rest until a signal, instead of leaving.
    uint32_t timeout_ms = 10'000;  // Config::timeout_ms
    uint32_t join_timeout_ms = 10'000;
    uint32_t jobs = 0; // Threads. 0: the number of processors.
    uint64_t seed = 1;
    std::string name = "bot";
    // The load that each bot makes.
    uint32_t hz = 30;
    uint32_t objects = 4;
    double update_percent = 50; // The share of its objects that it sets in each tick.
    double claims = 0.5;        // Per second.
    double calls = 0.5;         // Per second.
    double churn = 0;           // Objects destroyed and replaced by new ones, per second.
    // What a further bot does to the others; null: there is none.
    const Attack *attack = nullptr;
    // The network.
    double loss_percent = 0; // In each direction.
    uint32_t latency_ms_min = 0, latency_ms_max = 0;
    double duplicate_percent = 0;

    bool json = false;
    bool quiet = false;
};

struct ParsedOptions {
    Options options;
    bool run;        // False: print `text` and end with exit_status.
    int exit_status; // 0 after --help.
    std::string text;
};

ParsedOptions parse_options(int argc, const char *const *argv);

}
