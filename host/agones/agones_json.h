// What the Agones SDK's server says and is told: JSON to values and back. Malformed text gives an
// error, never a crash. Its 64-bit integers are JSON strings.
#pragma once
#include "host/agones/agones.h"
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace dedicated {

// What GET /gameserver and each line of the watch tell.
struct SeenGameServer {
    GameServer game_server;       // With its error, if the text was none.
    uint32_t health_period_s = 5; // 1 to 3600.
    std::string last_allocated;   // Changes with each allocation.
    bool is_being_deleted = false;
};

struct SeenCounter {
    int64_t count = 0, capacity = 0;
    std::string error;
};

struct SeenList {
    int64_t capacity = 0;
    std::set<std::string> values;
    std::string error;
};

inline constexpr int64_t list_capacity_max = 1000; // The most that Agones allows.

// What the fleet is told of the host.
struct FleetFacts {
    int64_t rooms_open = 0, rooms = 0;
    int64_t places = 0;            // For players, taken or free, at most list_capacity_max.
    std::set<std::string> players; // "room/peer", without the host itself; at most so many.
    std::string version, topology; // As values of labels. topology: "mixed" if rooms differ.
    std::string rooms_text;        // JSON: what a matchmaker needs of each room, with its invite.
};

namespace agones_json {

SeenGameServer game_server(std::string_view text);
SeenGameServer watch_line(std::string_view text);                  // {"result": a game server}
SeenCounter counter(std::string_view text, std::string_view name); // The one that was asked for.
SeenList list(std::string_view text, std::string_view name);
bool is_object(std::string_view text);         // As all good answers are.
std::string error_text(std::string_view body); // Of a refusal; "" if it says nothing. Printable.
FleetFacts facts(const HostStatus &status);
// A label's value: at most 63 letters, digits, '-', '_' and '.', first and last no punctuation.
std::string label(std::string_view text);
// An object of strings, as all bodies are: {"key": "value", ...}.
std::string object(std::initializer_list<std::pair<const char *, std::string>> members);

}
}
