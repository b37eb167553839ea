// The scenarios that need whole sessions, with packets, timeouts and the network between them.
#pragma once
#include "sim/picture/history.h"
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tern {

struct ScenarioTitle {
    std::string_view name, title; // As in docs/testing.md: "S20".
};

struct PlayedSessions {
    std::string failure; // Empty: it went as it must, and all oracles held, to the end of liveness.
    std::string measured; // For people: what it is about, in numbers.
    uint64_t digest = 0;
    History history;
};

namespace scenarios {

std::vector<ScenarioTitle> sessions();
PlayedSessions play_sessions(std::string_view name); // One of sessions().

}
}
