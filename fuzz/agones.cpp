// Reads arbitrary bytes as answers of an Agones SDK server, and as lines of its watch that arrive
// in pieces. What is read is within its bounds, notes for the log are short and printable, and the
// order to shut down comes once.
#include "fuzz/support/words.h"
#include "fuzz/targets.h"

#ifndef TERN_HAVE_HOST

void tern::fuzz::fuzz_agones(std::span<const uint8_t>) {}

#else

#include "host/agones/agones_link.h"

namespace tern::fuzz {

namespace {

using namespace dedicated;

constexpr size_t text_bytes_max = 2000, long_text_bytes_max = 20'000;
constexpr size_t note_bytes_max = 400;

constexpr const char *words[] = {"{",
                                 "}",
                                 "[",
                                 "]",
                                 "\"",
                                 ":",
                                 ",",
                                 "\n",
                                 "null",
                                 "true",
                                 "{\"result\":",
                                 "\"object_meta\":{",
                                 "\"status\":{",
                                 "\"state\":\"",
                                 "Ready",
                                 "Allocated",
                                 "Shutdown",
                                 "Unhealthy",
                                 "Scheduled",
                                 "\"address\":\"10.0.0.1\"",
                                 "\"ports\":[",
                                 "{\"name\":\"main\",\"port\":",
                                 "7777",
                                 "65536",
                                 "\"7777\"",
                                 "\"spec\":{",
                                 "\"health\":{",
                                 "\"period_seconds\":",
                                 "\"annotations\":{",
                                 "\"agones.dev/last-allocated\":\"",
                                 "\"deletion_timestamp\":",
                                 "\"name\":\"rooms\"",
                                 "\"name\":\"players\"",
                                 "\"count\":",
                                 "\"capacity\":",
                                 "\"values\":[",
                                 "\"a/1\"",
                                 "\"message\":\"",
                                 "\"error\":{",
                                 "9223372036854775807",
                                 "18446744073709551615",
                                 "-1",
                                 "1e999",
                                 "0.5",
                                 "\\u0000",
                                 "\\ud800",
                                 "\\n",
                                 "\x1b[2J",
                                 "\xff",
                                 "\xe2\x80\xae",
                                 "{\"result\":{\"status\":{\"state\":\"Ready\"}}}\n",
                                 "{\"result\":{\"status\":{\"state\":\"Shutdown\"}}}\n"};

bool is_printable(const std::string &text)
{
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

void check_text(const std::string &text)
{
    TERN_ASSERT(text.size() <= note_bytes_max, "%zu bytes of %.80s", text.size(), text.c_str());
    TERN_ASSERT(is_printable(text), "not printable: %s", text.c_str());
}

void check(const SeenGameServer &seen)
{
    const GameServer &server = seen.game_server;
    check_text(server.error);
    TERN_ASSERT(!server.error.empty() || !server.state.empty(), "no state and no error");
    TERN_ASSERT(seen.health_period_s >= 1 && seen.health_period_s <= 3600, "%u",
                seen.health_period_s);
    for (const FleetPort &port : server.ports)
        TERN_ASSERT(port.port != 0, "port %s", port.name.c_str());
}

void try_answers(const std::string &text)
{
    check(agones_json::game_server(text));
    check(agones_json::watch_line(text));
    check_text(agones_json::counter(text, "rooms").error);
    check_text(agones_json::list(text, "players").error);
    check_text(agones_json::error_text(text));
    agones_json::is_object(text);
}

// Returns 1 if the server has ordered to shut down.
size_t check_notes(Agones &agones)
{
    const std::vector<FleetNote> notes = agones::notes(agones);
    TERN_ASSERT(notes.size() <= agones::notes_max, "%zu notes", notes.size());
    for (const FleetNote &note : notes)
        check_text(note.text);
    return agones::order(agones) == FleetOrder::shut_down;
}

void try_watch(const std::string &text, size_t piece_bytes)
{
    Board board;
    Agones agones(9358, board);
    std::string buffer;
    size_t shut_downs = 0;
    for (size_t at = 0; at < text.size(); at += piece_bytes) {
        buffer.append(text, at, piece_bytes);
        agones_link::hear_lines(agones, buffer);
        TERN_ASSERT(buffer.find('\n') == std::string::npos, "a line is left of %s", buffer.c_str());
        shut_downs += check_notes(agones);
    }
    TERN_ASSERT(shut_downs <= 1, "%zu orders to shut down", shut_downs);
    // It waits for nothing, because the time is 0.
    check_text(agones::game_server(agones, 0).error);
}

void try_label(const std::string &text)
{
    const std::string label = agones_json::label(text);
    TERN_ASSERT(label.size() <= 63 && is_printable(label), "label %s", label.c_str());
    TERN_ASSERT(agones_json::label(label) == label, "label of %s", label.c_str());
}

}

void fuzz_agones(std::span<const uint8_t> data)
{
    Input in = {data};
    const uint8_t what = input::u8(in);
    const size_t piece_bytes = 16u << what / 16;
    const std::string text =
        worded_text(in, words, what & 8 ? long_text_bytes_max : text_bytes_max);
    if (what % 4 == 0) return try_label(text);
    if (what % 4 == 1) return try_answers(text);
    try_watch(text, piece_bytes);
}

}

#endif
