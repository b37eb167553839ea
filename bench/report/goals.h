// The figures that tern is meant to reach, and whether a run reached them.
#pragma once
#include "bench/report/results.h"
#include <span>

namespace bench {

struct GoalPlace { // Names a value in a table of results.
    const char *table, *row, *column;
};

enum class GoalKind : uint8_t {
    value,
    // ratio and difference are relative to `baseline`.
    ratio,
    difference
};

struct Goal {
    const char *work; // A heading; goals with equal `work` are adjacent.
    const char *what;
    const char *unit; // "" if it has no unit.
    GoalPlace at;
    GoalKind kind;
    GoalPlace baseline; // All null for GoalKind::value.
    double limit;
    bool at_least; // True: `limit` is a minimum; false: a maximum.
    int decimals;
};

enum class GoalState : uint8_t { not_measured, met, missed, nowhere };

struct GoalResult {
    GoalState state; // nowhere: the section was run, but has no such row or column.
    double measured;
};

namespace goals {

std::span<const Goal> all();
GoalResult evaluate(const Goal &goal, const Results &all);
std::string limit_text(const Goal &goal);
std::string measured_text(const Goal &goal, const GoalResult &result);
const char *verdict(const GoalResult &result);

// Prints work, goal, measured value and verdict. False: a goal is nowhere.
bool print(const Results &all);
std::string markdown(const Results &all);

}
}
