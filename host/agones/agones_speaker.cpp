// The thread that reports the host's state to the SDK server, the most important changes first. A
// request that fails is repeated, with a growing pause.
#include "host/agones/agones_link.h"
#include "host/http/board.h"
#include <algorithm>
#include <optional>
#include <tern/io.hpp>

namespace dedicated::agones_link {

constexpr uint32_t round_ms = 100; // How often the board is read.
constexpr uint64_t allocate_again_us = 5'000'000;
constexpr uint64_t read_again_us = 30'000'000; // An allocation can also change them.

// The values that the server is known to have, so that only changes are sent.
struct Said {
    std::map<std::string, std::string> metadata; // Keyed by path and key.
    std::optional<SeenCounter> rooms;            // None: read it from the server first.
    std::optional<SeenList> players;             // None: read it from the server first.
    bool has_rooms = true, has_players = true;   // False if the game server is not configured so.
    bool ready_is_unsure = false;                // Ready was sent, but no answer came.
    uint64_t allocated_us = 0;                   // When the last allocation succeeded; 0: never.
    uint64_t read_us = 0; // When the counter and the list were last read; 0: read them now.
};

static std::string state_of(Agones &agones)
{
    const std::lock_guard lock(agones.mutex);
    return agones.seen.game_server.state;
}

// If a counter or list is not configured, some versions answer 404 and others 500 with these texts.
static bool is_not_configured(const Answer &answer)
{
    const std::string text = agones_json::error_text(answer.body);
    return answer.status == 404 || answer.status == 501 ||
           (answer.status == 500 && (text.find("not found") != std::string::npos ||
                                     text.find("not enabled") != std::string::npos));
}

// Makes a request and notes a failure.
static Answer say(Agones &agones, const char *method, const std::string &path,
                  const std::string &body)
{
    Answer answer = ask(agones, agones.speaker, method, path, body);
    if (!answer.trouble.empty()) note_problem(agones, answer.trouble);
    return answer;
}

static bool look(Agones &agones)
{
    const Answer answer = ask(agones, agones.speaker, "GET", "/gameserver");
    SeenGameServer seen;
    seen.game_server.error = answer.trouble;
    if (answer.trouble.empty()) seen = agones_json::game_server(answer.body);
    if (seen.game_server.error.empty()) {
        hear(agones, seen);
        return true;
    }
    const std::lock_guard lock(agones.mutex);
    if (!agones.has_seen) agones.seen.game_server.error = seen.game_server.error;
    return false;
}

// --- Reports. Each returns false if it must be tried again. ---

static bool say_shut_down(Agones &agones)
{
    if (say(agones, "POST", "/shutdown", "{}").status / 100 != 2) return false;
    const std::lock_guard lock(agones.mutex);
    agones.shut_down_was_heard = true;
    agones.changed.notify_all();
    return true;
}

// A second Ready could revoke an allocation that came in between. If the answer to the first was
// lost, read the state first.
static bool say_ready(Agones &agones, Said &said)
{
    if (said.ready_is_unsure && !look(agones)) return false;
    said.ready_is_unsure = false;
    const std::string state = state_of(agones);
    const bool is_before_ready = state == "PortAllocation" || state == "Creating" ||
                                 state == "Starting" || state == "Scheduled";
    if (is_before_ready) {
        const Answer answer = say(agones, "POST", "/ready", "{}");
        said.ready_is_unsure = answer.status == 0;
        if (!answer.trouble.empty()) return false;
    }
    const std::lock_guard lock(agones.mutex);
    agones.ready_was_heard = true;
    return true;
}

// A value that the server refuses is noted and not sent again.
static bool say_metadata(Agones &agones, Said &said, const std::string &path,
                         const std::string &key, const std::string &value)
{
    std::string &known = said.metadata[path + key];
    if (known == value) return true;
    const std::string body = agones_json::object({{"key", key}, {"value", value}});
    if (say(agones, "PUT", path, body).status == 0) return false;
    known = value;
    return true;
}

static bool allocate_if_played(Agones &agones, Said &said, const FleetFacts &facts)
{
    const std::string state = state_of(agones);
    const uint64_t now_us = tern::clock_us();
    if (facts.players.empty() || (state != "Ready" && state != "Reserved")) return true;
    if (said.allocated_us != 0 && now_us < said.allocated_us + allocate_again_us) return true;
    if (!say(agones, "POST", "/allocate", "{}").trouble.empty()) return false;
    said.allocated_us = now_us;
    return true;
}

// --- The counter and the list: read if not known, then only differences are sent ---

// False if the counter or list is not configured, which is noted.
static bool is_there(Agones &agones, const Answer &answer, const char *what)
{
    if (!is_not_configured(answer)) return true;
    note_problem(agones, std::string("the game server has no ") + what + ": it is left alone");
    return false;
}

static bool keep_rooms(Agones &agones, Said &said, const FleetFacts &facts)
{
    static const std::string path = "/v1beta1/counters/rooms";
    if (!said.has_rooms) return true;
    if (!said.rooms) {
        const Answer answer = ask(agones, agones.speaker, "GET", path);
        said.has_rooms = is_there(agones, answer, "counter \"rooms\"");
        if (!said.has_rooms) return true;
        const SeenCounter seen = agones_json::counter(answer.body, "rooms");
        const std::string trouble = answer.trouble.empty() ? seen.error : answer.trouble;
        if (!trouble.empty()) note_problem(agones, trouble);
        if (!trouble.empty()) return false;
        said.rooms = seen;
    }
    if (said.rooms->count == facts.rooms_open && said.rooms->capacity == facts.rooms) return true;
    const Answer answer = say(agones, "PATCH", path,
                              agones_json::object({{"count", std::to_string(facts.rooms_open)},
                                                   {"capacity", std::to_string(facts.rooms)}}));
    if (!answer.trouble.empty()) return false;
    said.rooms = SeenCounter{facts.rooms_open, facts.rooms, {}};
    return true;
}

static const std::string players_path = "/v1beta1/lists/players";

static bool read_players(Agones &agones, Said &said)
{
    const Answer answer = ask(agones, agones.speaker, "GET", players_path);
    said.has_players = is_there(agones, answer, "list \"players\"");
    if (!said.has_players) return true;
    const SeenList seen = agones_json::list(answer.body, "players");
    const std::string trouble = answer.trouble.empty() ? seen.error : answer.trouble;
    if (trouble.empty())
        said.players = seen;
    else
        note_problem(agones, trouble);
    return trouble.empty();
}

static bool say_player(Agones &agones, const char *verb, const std::string &player)
{
    return say(agones, "POST", players_path + verb, agones_json::object({{"value", player}}))
        .trouble.empty();
}

static bool say_places(Agones &agones, SeenList &known, int64_t places)
{
    if (known.capacity == places) return true;
    if (!say(agones, "PATCH", players_path,
             agones_json::object({{"capacity", std::to_string(places)}}))
             .trouble.empty())
        return false;
    known.capacity = places;
    return true;
}

// Removes players before it changes the capacity and adds players after it, so that the list never
// exceeds its capacity.
static bool say_players(Agones &agones, SeenList &known, const FleetFacts &facts)
{
    const std::set<std::string> before = known.values;
    for (const std::string &player : before) {
        if (facts.players.contains(player)) continue;
        if (!say_player(agones, ":removeValue", player)) return false;
        known.values.erase(player);
    }
    if (!say_places(agones, known, facts.places)) return false;
    for (const std::string &player : facts.players) {
        if (known.values.contains(player)) continue;
        if (!say_player(agones, ":addValue", player)) return false;
        known.values.insert(player);
    }
    return true;
}

static bool keep_players(Agones &agones, Said &said, const FleetFacts &facts)
{
    if (!said.players && said.has_players && !read_players(agones, said)) return false;
    if (!said.has_players) return true;
    return say_players(agones, *said.players, facts);
}

// --- The thread ---

static bool say_facts(Agones &agones, Said &said, const FleetFacts &facts)
{
    return say_metadata(agones, said, "/metadata/label", "version", facts.version) &&
           say_metadata(agones, said, "/metadata/label", "topology", facts.topology) &&
           say_metadata(agones, said, "/metadata/annotation", "rooms", facts.rooms_text);
}

static bool keep_counts(Agones &agones, Said &said, const FleetFacts &facts)
{
    if (said.read_us == 0 || tern::clock_us() >= said.read_us + read_again_us) {
        said.read_us = tern::clock_us();
        said.rooms.reset();
        said.players.reset();
    }
    // Both run, so that a failure of one does not stop the other.
    const bool has_rooms = keep_rooms(agones, said, facts);
    const bool has_players = keep_players(agones, said, facts);
    return has_rooms && has_players;
}

// Metadata goes before Ready: an allocation may follow Ready at once, and reads the metadata.
static bool say_what_is_due(Agones &agones, Said &said)
{
    bool says_shut_down = false, says_ready = false, has_shut_down = false;
    {
        const std::lock_guard lock(agones.mutex);
        says_shut_down = agones.shut_down_is_due && !agones.shut_down_was_heard;
        has_shut_down = agones.shut_down_was_heard;
        says_ready = agones.ready_is_due && !agones.ready_was_heard;
    }
    if (has_shut_down) return true;
    if (says_shut_down) return say_shut_down(agones);
    const std::shared_ptr<const HostStatus> status = board::latest(agones.board);
    const FleetFacts facts = status ? agones_json::facts(*status) : FleetFacts();
    if (status && !say_facts(agones, said, facts)) return false;
    if (says_ready && !say_ready(agones, said)) return false;
    if (!status) return true;
    const bool is_allocated = allocate_if_played(agones, said, facts);
    return keep_counts(agones, said, facts) && is_allocated;
}

// Waits until `hurry` is set or the time is over. False if the client is to stop.
static bool wait_for_more(Agones &agones, uint32_t duration_ms)
{
    std::unique_lock lock(agones.mutex);
    agones.changed.wait_for(lock, std::chrono::milliseconds(duration_ms),
                            [&] { return agones.is_ending || agones.hurry; });
    agones.hurry = false;
    return !agones.is_ending;
}

void speak(Agones &agones)
{
    Said said;
    uint32_t pause_ms = pause_ms_min;
    bool goes_on = true;
    while (goes_on) {
        const bool well = has_seen(agones) ? say_what_is_due(agones, said) : look(agones);
        if (!well) said.read_us = 0; // The server's values are unknown now: read them again.
        pause_ms = well ? pause_ms_min : std::min(2 * pause_ms, pause_ms_max);
        goes_on = wait_for_more(agones, well ? round_ms : pause_ms);
    }
    agones.speaker.has_ended = true;
}

}
