// The figures that tern is to reach, and whether a run has reached them.
#pragma once
#include "bench/report/results.h"
#include <span>

namespace bench {

struct GoalPlace { // A value in a table of results.
    const char *table, *row, *column;
};

enum class GoalKind : uint8_t {
    value,
    ratio,     // To the baseline.
    difference // From the baseline.
};

struct Goal {
    const char *work; // The same for all goals of one work, which follow each other.
    const char *what;
    const char *unit; // "": none.
    GoalPlace at;
    GoalKind kind;
    GoalPlace baseline; // All null for a value.
    double limit;
    bool at_least; // Else at most.
    int decimals;
};

enum class GoalState : uint8_t { not_measured, met, missed, nowhere };

struct GoalResult {
    GoalState state; // nowhere: its section was run, and has no such row or column.
    double measured;
};

namespace goals {

std::span<const Goal> all();
GoalResult evaluate(const Goal &goal, const Results &all);
std::string limit_text(const Goal &goal);
std::string measured_text(const Goal &goal, const GoalResult &result);
const char *verdict(const GoalResult &result);

// Work, goal, measured, verdict. False: a goal is nowhere.
bool print(const Results &all);
std::string markdown(const Results &all);

}
}
