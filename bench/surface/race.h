// What the sections of the public surface share: contenders that are pairs of processes.
#pragma once
#include "bench/surface/processes.h"
#include <string>

namespace bench::surface {

struct Racer {
    std::string name;
    Programs programs;
    Pair pair;
    uint32_t ticks; // A round has so many.
    uint32_t client_count;
    // In the end all clients must show what the host shows, once it rests.
    bool must_settle;
};

struct Race {
    std::string id, title;
    std::vector<Column> columns;
    std::vector<std::string> notes;
    Sample (*sample)(const Racer &racer, const PairReport &report);
};

namespace race {

// Rounds of real time: half of those of the other sections.
uint32_t rounds(const Options &options);
// Ticks of a round of 0.6 s, or in a quick run of a tenth of that.
uint32_t ticks(const Options &options, uint32_t period_us);
// Say once what these sections measure.
void print_layer();
void print_virtual_layer();
// Starts all pairs, lets them take turns, prints the table and ends them.
bool run(const Race &race, std::vector<Racer> &racers, const Options &options);

// --- Values of a table ---
double host_us(const Racer &racer, const PairReport &report);    // Per client and tick.
double clients_us(const Racer &racer, const PairReport &report); // Per client and tick.
double wire_bytes(const Racer &racer, const PairReport &report); // Per client and tick.
// Percentage of the ticks, of host and clients, that began more than half a period late. With many
// of them a row shows the machine's limits.
double late_percent(const Racer &racer, const PairReport &report);

}
}
