// The scenarios that need whole sessions, with packets, timeouts and a network between them.
#pragma once
#include "sim/picture/history.h"
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tern {

struct ScenarioTitle {
    std::string_view name, title; // name: the one that `tern-sim scenario` lists, as "S20".
};

struct PlayedSessions {
    // The first failed expectation or violated oracle. Empty: the scenario passed.
    std::string failure;
    std::string measured; // The result in words and numbers, for people.
    uint64_t digest = 0;
    History history;
};

namespace scenarios {

std::vector<ScenarioTitle> sessions();
PlayedSessions play_sessions(std::string_view name); // A name of sessions().

}
}
