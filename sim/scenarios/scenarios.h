// The scenarios that a cluster of replicas can play: orders of messages that have undone other
// systems, or drafts of this one. Scripts; see script.h.
#pragma once
#include "base/mutant.h"
#include <span>
#include <string_view>

namespace tern {

struct Scenario {
    std::string_view name; // As in docs/testing.md: "S1", "B1".
    std::string_view text; // A script.
    // With this rule missing it must fail, which is what it is there to show. none: it must hold.
    Mutant mutant = Mutant::none;
};

namespace scenarios {

std::span<const Scenario> orders();                // All of them.
std::span<const Scenario> orders_of_hosts();       // Of these: hosts that go, or are cut off.
std::span<const Scenario> orders_of_others();      // Of these: those of docs/others_bugs.md.
const Scenario *find_order(std::string_view name); // Null: there is none of that name.

}
}
