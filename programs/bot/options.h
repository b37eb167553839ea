// What tern-bot is told on its command line, checked.
#pragma once
#include "common/type_file.h"
#include <cstdint>
#include <string>
#include <tern/tern.h>

namespace bot {

struct Options {
    tern::Invite invite = {};
    std::shared_ptr<const TypeTable> types; // Never null after parse_options().
    // These must be the host's.
    tern::Topology topology = tern::Topology::star;
    tern::Quorum quorum = tern::Quorum::majority;
    uint16_t peers_max = 64;
    // The crowd.
    uint32_t count = 1;
    uint32_t join_per_second = 50; // So many leave in a second, too.
    double seconds = 0;            // Of play, once all are in. 0: until a signal.
    uint32_t settle_s = 10;        // How long the worlds may take to become equal. 0: not asked.
    bool stay = false;             // Quietly, after that, until a signal.
    uint32_t timeout_ms = 10'000;  // Silence after which another is gone.
    uint32_t join_timeout_ms = 10'000;
    uint32_t jobs = 0; // Threads. 0: as many as processors.
    uint64_t seed = 1;
    std::string name = "bot";
    // The load, of each bot.
    uint32_t hz = 30;
    uint32_t objects = 4;
    double update_percent = 50; // Of its objects, each tick.
    double claims = 0.5;        // Per second, as the next two.
    double calls = 0.5;
    double churn = 0; // A destruction and a creation each.
    // The network.
    double loss_percent = 0; // Each way.
    uint32_t latency_ms_min = 0, latency_ms_max = 0;
    double duplicate_percent = 0;

    bool json = false;
    bool quiet = false;
};

struct ParsedOptions {
    Options options;
    bool run;        // Else print text, and end with exit_status.
    int exit_status; // 0: help was asked for.
    std::string text;
};

ParsedOptions parse_options(int argc, const char *const *argv);

}
