// The scenarios that a cluster of replicas plays: orders of messages that have broken other
// systems, or drafts of this one. Each is a script of sim/explorer/cluster_script.h.
#pragma once
#include "sim/mutants/mutant.h"
#include <span>
#include <string_view>

namespace tern {

struct Scenario {
    std::string_view name; // "S1" or "B1": the name that `tern-sim scenario` lists.
    std::string_view text; // The script.
    // The rule whose need this scenario shows: without the rule it must fail (`tern-sim-mutants
    // scenario` removes it). Every scenario must pass with all rules in place. none: no such rule.
    Mutant mutant = Mutant::none;
};

namespace scenarios {

std::span<const Scenario> orders();                // All scenarios of this kind.
std::span<const Scenario> orders_of_hosts();       // The part about hosts that go or are cut off.
std::span<const Scenario> orders_of_others();      // The part from docs/others_bugs.md.
const Scenario *find_order(std::string_view name); // Null: no such scenario.

}
}
