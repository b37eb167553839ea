// Converts between values and the JSON of the Agones SDK server. Malformed text gives an error,
// never a crash. The SDK server writes 64-bit integers as JSON strings.
#pragma once
#include "host/agones/agones.h"
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace dedicated {

// A game server, as in the answer to GET /gameserver and in each line of the watch.
struct SeenGameServer {
    GameServer game_server;       // With `error` set if the text is no game server.
    uint32_t health_period_s = 5; // 1 to 3600.
    std::string last_allocated;   // An annotation that changes with each allocation.
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

// The facts about the host that the client reports.
struct FleetFacts {
    int64_t rooms_open = 0, rooms = 0;
    int64_t places = 0;            // For players, taken or free; at most list_capacity_max.
    std::set<std::string> players; // "room/peer", without the host; at most list_capacity_max.
    std::string version, topology; // Label values. topology is "mixed" if rooms differ.
    std::string rooms_text;        // JSON for a matchmaker, with the invite of each room.
};

namespace agones_json {

SeenGameServer game_server(std::string_view text);
SeenGameServer watch_line(std::string_view text);                  // {"result": a game server}
SeenCounter counter(std::string_view text, std::string_view name); // Checks the name.
SeenList list(std::string_view text, std::string_view name);
bool is_object(std::string_view text);         // True for every successful answer.
std::string error_text(std::string_view body); // The message of an error, printable; "" if none.
FleetFacts facts(const HostStatus &status);
// Makes a Kubernetes label value of the text: at most 63 letters, digits, '-', '_' and '.', with a
// letter or digit at both ends.
std::string label(std::string_view text);
// A request body: an object of strings, {"key": "value", ...}.
std::string object(std::initializer_list<std::pair<const char *, std::string>> members);

}
}
