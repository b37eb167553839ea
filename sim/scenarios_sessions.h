// The scenarios that need whole sessions, with packets, timeouts and the network between them; and
// those that cannot be played, with the reason.
#pragma once
#include "sim/history.h"
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tern {

struct ScenarioTitle {
    std::string_view name, title; // As in docs/testing.md: "S20".
    std::string_view why_not;     // Empty: it can be played. Else as "waits for the topology star".
};

struct PlayedSessions {
    std::string failure; // Empty: it went as it must, and all oracles held, to the end of liveness.
    std::string measured; // For people: what it is about, in numbers.
    uint64_t digest = 0;
    History history;
};

namespace scenarios {

std::vector<ScenarioTitle> sessions();
std::span<const ScenarioTitle> unplayable();
PlayedSessions play_sessions(std::string_view name); // One of sessions().

}
}
