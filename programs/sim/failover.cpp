// Measures how long a session is without a host, over many seeds.
#include "sim/world/failover.h"
#include "commands.h"
#include <algorithm>
#include <cstdio>
#include <vector>

namespace sim {

namespace {

tern::HostEnd end_named(const std::string &name)
{
    if (name == "two") return tern::HostEnd::two;
    return name == "leave" ? tern::HostEnd::leave : tern::HostEnd::crash;
}

void add_ms(Report &line, const char *name, std::vector<uint64_t> values_us)
{
    std::sort(values_us.begin(), values_us.end());
    Report pair;
    report::add(pair, "median", static_cast<double>(values_us[values_us.size() / 2]) / 1000);
    report::add(pair, "worst", static_cast<double>(values_us.back()) / 1000);
    report::add_json(line, name, report::text(pair));
}

struct Columns { // The times of all trials, one vector for each column of the report.
    std::vector<uint64_t> granted, detection, agreement, collection, known, gap, age_before, age;
    uint32_t lost_ticks = 0;
};

void add(Columns &columns, const tern::DeathTimes &times)
{
    const uint64_t agreed_us = std::max(times.agreed_us, times.asked_us);
    columns.granted.push_back(times.granted_us);
    columns.detection.push_back(times.asked_us);
    columns.agreement.push_back(agreed_us - times.asked_us);
    columns.collection.push_back(times.granted_us - agreed_us);
    columns.known.push_back(times.known_us);
    columns.gap.push_back(times.gap_us);
    columns.age_before.push_back(times.age_before_us);
    columns.age.push_back(times.age_us);
    columns.lost_ticks = std::max(columns.lost_ticks, times.lost_ticks);
}

void add(Report &line, const Columns &columns)
{
    add_ms(line, "first_grant_ms", columns.granted);
    add_ms(line, "detection_ms", columns.detection);
    add_ms(line, "agreement_ms", columns.agreement);
    add_ms(line, "collection_ms", columns.collection);
    add_ms(line, "known_to_all_ms", columns.known);
    add_ms(line, "without_host_ms", columns.gap);
    add_ms(line, "age_before_ms", columns.age_before);
    add_ms(line, "age_ms", columns.age);
    report::add(line, "lost_ticks_max", uint64_t{columns.lost_ticks});
}

}

int failover(const Options &options)
{
    tern::DeathOptions of_trial;
    of_trial.end = end_named(options.death);
    of_trial.peers = options.peers == 0 ? 5 : options.peers;
    of_trial.timeout_ms = options.timeout_ms;
    of_trial.rtt_ms = options.rtt_ms;
    of_trial.loss_percent = options.death_loss_percent;
    of_trial.idle = options.idle;
    Columns columns;
    std::string failures;
    for (uint64_t seed = options.first; seed < options.first + options.death_seeds; ++seed) {
        of_trial.seed = seed;
        const tern::DeathTimes times = tern::failover::run(of_trial);
        progress::show(std::to_string(seed - options.first + 1) + " of " +
                       std::to_string(options.death_seeds) + " seeds");
        if (times.wrong.empty()) {
            add(columns, times);
            continue;
        }
        Report failure;
        report::add(failure, "seed", seed);
        report::add(failure, "text", times.wrong);
        failures += (failures.empty() ? "" : ",") + report::text(failure);
    }
    Report line;
    report::add(line, "ok", failures.empty());
    report::add(line, "end", options.death);
    report::add(line, "first", options.first);
    report::add(line, "seeds", options.death_seeds);
    report::add(line, "peers", uint64_t{of_trial.peers});
    report::add(line, "idle", options.idle);
    report::add(line, "timeout_ms", uint64_t{of_trial.timeout_ms});
    if (!columns.granted.empty()) add(line, columns);
    report::add(line, "wall_s", wall_s());
    report::add_json(line, "failures", "[" + failures + "]");
    return report::finish(line, failures.empty());
}

}
