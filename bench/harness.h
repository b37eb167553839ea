// Rounds, medians and tables, which all sections of tern-bench share.
//
// In each round every contender runs once, and each round starts with a different one, so a
// disturbance of the machine affects all of them alike. A value in a table is the median over the
// rounds. A ratio is the median of the ratios to the baseline in the same round.
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
    bool quick = false; // A tenth of the work in each round.
    // Names of groups and of sections to run; both empty: all.
    std::vector<std::string> groups, only;
    std::vector<std::string> cubes; // Paths of recorded scenes, see cubes_scene::load().
    Results *results;               // Finished tables are appended here.
};

// --- Time ---

// User plus system time of the whole process in ns, senders and receivers alike, and wall-clock
// time.
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
uint64_t cpu_clock_ns(); // For timing parts of a round.
uint64_t wall_clock_ns();

// --- Delivered messages ---

// A message begins with its number. The sum of the numbers shows whether the messages that arrived
// are those that were sent.
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
    bool has_ratio; // The table also shows the ratio to the baseline.
};

// Results of one contender in one round.
struct Sample {
    double values[columns_max]; // [column]
    uint64_t sent, delivered;   // Counted in messages.
    bool wrong;                 // A delivered message differs from what was sent.
};

enum class Promise : uint8_t { best_effort, everything };

struct Contender {
    const char *name;
    void *state;
    Sample (*run)(void *state); // Runs one round.
    Promise promise;
};

// `state` must outlive the measurement.
template <auto run, class State>
Contender contender(const char *name, State &state, Promise promise = Promise::best_effort)
{
    return {name, &state, [](void *p) { return run(*static_cast<State *>(p)); }, promise};
}

struct Section {
    std::string id; // Id of the table; goals and plots find it by this name.
    std::string title;
    std::vector<Column> columns; // No more than columns_max.
    std::vector<const char *> notes;
};

// Runs all rounds and prints the table. The first contender is the baseline. Returns false if a
// contender delivered wrong data, or fewer messages than its Promise requires.
bool measure(const Section &section, std::span<const Contender> contenders, const Options &options);

// A row of a table that is measured once, because its values do not vary between rounds.
struct Line {
    std::string name;
    std::vector<double> values; // [column]
};
void add_table(const Section &section, std::span<const Line> lines, const Options &options);

Machine machine();
void print_machine(const Machine &machine);

}
