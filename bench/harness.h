// Rounds, medians and tables: what all sections of tern-bench measure with.
//
// The contenders of a section take turns, round by round, and every round begins with another one,
// so that what disturbs the machine disturbs all of them alike. A value in a table is the median
// over the rounds; a ratio is the median of the ratios to the baseline of the same round.
#pragma once
#include "bench/report/results.h"
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace bench {

struct Options {
    uint32_t rounds = 11;
    bool quick = false;                    // A tenth of the work in each round.
    std::vector<std::string> groups, only; // Of sections, and sections; none: all.
    std::vector<std::string> cubes;        // Recorded scenes, see cubes_scene::load().
    Results *results;                      // Where tables go.
};

// --- Time ---

// User and system time of the whole process, in ns: senders and receivers alike.
struct Spent {
    double cpu_ns;
    double wall_ns;
};
struct Meter {
    uint64_t cpu_ns;
    uint64_t wall_ns;
};
Meter start_meter();
Spent spent(const Meter &meter);
uint64_t cpu_clock_ns(); // For parts of a round.
uint64_t wall_clock_ns();

// --- What was delivered ---

// Messages begin with their number; the sum shows that those which arrived are those which left.
struct Tally {
    uint64_t count;
    uint64_t sum;
};

inline void number_message(std::span<std::byte> message, uint64_t number)
{
    std::memcpy(message.data(), &number, sizeof number);
}

inline void tally_message(Tally &tally, std::span<const std::byte> message)
{
    uint64_t number = 0;
    if (message.size() >= sizeof number) std::memcpy(&number, message.data(), sizeof number);
    tally.count += 1;
    tally.sum += number;
}

// --- Rounds ---

inline constexpr size_t columns_max = 12;

struct Column {
    const char *title;
    int decimals;
    bool has_ratio; // The table shows the ratio to the baseline, too.
};

// What one contender did in one round.
struct Sample {
    double values[columns_max]; // By column.
    uint64_t sent, delivered;   // Messages.
    bool wrong;                 // What was delivered is not what was sent.
};

enum class Promise : uint8_t { best_effort, everything };

struct Contender {
    const char *name;
    void *state;
    Sample (*run)(void *state); // One round.
    Promise promise;
};

// `state` must outlive the measurement.
template <auto run, class State>
Contender contender(const char *name, State &state, Promise promise = Promise::best_effort)
{
    return {name, &state, [](void *p) { return run(*static_cast<State *>(p)); }, promise};
}

struct Section {
    std::string id; // Of the table, for goals and plots.
    std::string title;
    std::vector<Column> columns; // At most columns_max.
    std::vector<const char *> notes;
};

// Measures, prints the table. The first contender is the baseline. False: a contender has delivered
// something wrong, or less than it had promised.
bool measure(const Section &section, std::span<const Contender> contenders, const Options &options);

// A table of one round, of what needs no repetition.
struct Line {
    std::string name;
    std::vector<double> values; // By column.
};
void add_table(const Section &section, std::span<const Line> lines, const Options &options);

Machine machine();
void print_machine(const Machine &machine);

}
