// Creates and destroys millions of objects, and measures how much memory they leave behind.
#include "sim/world/soak.h"
#include "allocations.h"
#include "commands.h"
#include <algorithm>
#include <cstdio>

namespace sim {

namespace {

constexpr uint64_t rounds = 64;
// KiB for each peer. Allows for pages that are touched late and memory that the allocator keeps.
// Tombstones of 16 bytes for each of ten million objects would be 160 MB.
constexpr uint64_t growth_kb_max = 1024;

void show_progress(const tern::Soak &soak)
{
    char text[160];
    std::snprintf(text, sizeof text, "%llu of %llu objects, %u ranges of the dead, %.0f s",
                  static_cast<unsigned long long>(soak.made),
                  static_cast<unsigned long long>(soak.options.objects), soak.ranges_max, wall_s());
    progress::show(text);
}

}

int soak(const Options &options)
{
    allocations::give_back();
    tern::SoakOptions of_soak;
    of_soak.seed = options.seed;
    of_soak.objects = options.soak_objects;
    of_soak.peers = options.peers == 0 ? 4 : options.peers;
    of_soak.alive = options.alive;
    of_soak.loss = static_cast<float>(options.loss_percent / 100);
    tern::Soak soak;
    tern::soak::make(soak, of_soak);
    uint64_t early_kb = 0, late_kb = 0; // The most in the first quarter; after it.
    bool ok = tern::soak::go_on(soak, 0);
    for (uint64_t round = 1; ok && round <= rounds; ++round) {
        const uint64_t until = of_soak.objects * round / rounds;
        ok = tern::soak::go_on(soak, until > soak.made ? until - soak.made : 0);
        uint64_t &most_kb = round <= rounds / 4 ? early_kb : late_kb;
        most_kb = std::max(most_kb, allocations::resident_kb());
        show_progress(soak);
    }
    if (ok && late_kb > early_kb + growth_kb_max * of_soak.peers) {
        ok = false;
        soak.wrong = "the resident size has grown";
    }
    Report line;
    report::add(line, "ok", ok);
    report::add(line, "seed", options.seed);
    report::add(line, "peers", uint64_t{of_soak.peers});
    report::add(line, "peers_ever", soak.peers_ever);
    report::add(line, "loss_percent", options.loss_percent);
    report::add(line, "made", soak.made);
    report::add(line, "dead", soak.deaths);
    report::add(line, "migrations", soak.migrations);
    report::add(line, "alive_max", uint64_t{soak.alive_max});
    report::add(line, "dead_ranges_max", uint64_t{soak.ranges_max});
    report::add(line, "rests", soak.rests);
    report::add(line, "resident_kb_early", early_kb);
    report::add(line, "resident_kb_late", late_kb);
    report::add(line, "virtual_s", static_cast<double>(soak.group.now_us) / 1e6);
    report::add(line, "wall_s", wall_s());
    if (!ok) report::add(line, "text", soak.wrong);
    return report::finish(line, ok);
}

}
