#include "tables.h"
#include <algorithm>
#include <cmath>
#include <cstdio>

namespace ctl {

using Row = std::vector<std::string>;

// --- Cells ---

static uint64_t number(const Json &object, const char *key)
{
    const auto found = object.find(key);
    return found != object.end() && found->is_number_unsigned() ? found->get<uint64_t>() : 0;
}

static std::string word(const Json &object, const char *key)
{
    const auto found = object.find(key);
    if (found == object.end() || found->is_null()) return "-";
    const std::string text = found->is_string() ? found->get<std::string>() : found->dump();
    return text.empty() ? "-" : text;
}

static bool is_true(const Json &object, const char *key)
{
    const auto found = object.find(key);
    return found != object.end() && found->is_boolean() && found->get<bool>();
}

static std::string decimal(double value)
{
    char text[64];
    std::snprintf(text, sizeof text, value < 10 ? "%.1f" : "%.0f", value);
    return text;
}

std::string bytes_text(double bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t unit = 0;
    for (; bytes >= 1024 && unit + 1 < std::size(units); ++unit)
        bytes /= 1024;
    return (unit == 0 ? std::to_string(std::llround(bytes)) : decimal(bytes)) + " " + units[unit];
}

std::string duration_text(uint64_t seconds)
{
    const auto pair = [](uint64_t a, const char *first, uint64_t b, const char *second) {
        return std::to_string(a) + first + std::to_string(b) + second;
    };
    if (seconds >= 86'400) return pair(seconds / 86'400, " d ", seconds / 3600 % 24, " h");
    if (seconds >= 3600) return pair(seconds / 3600, " h ", seconds / 60 % 60, " min");
    if (seconds >= 60) return pair(seconds / 60, " min ", seconds % 60, " s");
    return std::to_string(seconds) + " s";
}

static std::string milliseconds(uint64_t us)
{
    return us == 0 ? "-" : decimal(static_cast<double>(us) / 1000) + " ms";
}

static std::string percent(uint64_t part, uint64_t all)
{
    if (all == 0) return "-";
    return decimal(100 * static_cast<double>(part) / static_cast<double>(all)) + " %";
}

// --- Tables ---

// In terminal cells, under the assumption that each character takes one.
static size_t width(const std::string &text)
{
    return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    }));
}

static std::string table(const std::vector<Row> &rows)
{
    std::vector<size_t> widths;
    for (const Row &row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], width(row[i]));
    }
    std::string out;
    for (const Row &row : rows) {
        std::string line;
        for (size_t i = 0; i < row.size(); ++i)
            line += row[i] + std::string(widths[i] - width(row[i]) + 2, ' ');
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + "\n";
    }
    return out;
}

static const Json &list_of(const Json &object, const char *key)
{
    static const Json none = Json::array();
    const auto found = object.find(key);
    return found != object.end() && found->is_array() ? *found : none;
}

static const Json &member(const Json &object, const char *key)
{
    static const Json none = Json::object();
    const auto found = object.find(key);
    return found != object.end() && found->is_object() ? *found : none;
}

// --- The status ---

static const Json &room_named(const Json &status, const std::string &name)
{
    static const Json none = Json::object();
    for (const Json &room : list_of(status, "rooms"))
        if (word(room, "name") == name) return room;
    return none;
}

static std::string rate(const Json &room, const Json &room_before, const char *key, double seconds)
{
    const uint64_t now = number(member(room, "stats"), key);
    const uint64_t then = number(member(room_before, "stats"), key);
    if (seconds <= 0 || room_before.empty() || now < then) return "-";
    return bytes_text(static_cast<double>(now - then) / seconds) + "/s";
}

static std::string host_line(const Json &status)
{
    const std::string phase = is_true(status, "draining") ? "draining"
                              : is_true(status, "ready")  ? "ready"
                                                          : "not ready";
    const Json &ticks = member(status, "ticks");
    const uint64_t count = number(ticks, "count");
    const uint64_t mean_us = count > 0 ? number(ticks, "sum_us") / count : 0;
    std::string line = word(status, "name") + " " + word(status, "version") + ": " + phase;
    if (is_true(status, "draining"))
        line += ", " + duration_text(number(status, "drain_left_ms") / 1000) + " left";
    line += ", up " + duration_text(number(status, "now_us") / 1'000'000);
    line += ", " + std::to_string(number(ticks, "hz")) + " Hz";
    line += ", " + milliseconds(mean_us) + " a tick, " + std::to_string(number(ticks, "overruns")) +
            " overruns";
    line += ", processor " + percent(number(status, "cpu_us"), number(status, "now_us"));
    return line + ", memory " + bytes_text(static_cast<double>(number(status, "resident_bytes")));
}

std::string status_text(const Json &status, const Json &before)
{
    const uint64_t now_us = number(status, "now_us"), then_us = number(before, "now_us");
    const double seconds =
        then_us > 0 && now_us > then_us ? static_cast<double>(now_us - then_us) / 1e6 : 0;
    std::vector<Row> rows = {{"ROOM", "STATE", "UDP", "TOPOLOGY", "PEERS", "OBJECTS", "OWNED HERE",
                              "MIGRATIONS", "SENT", "RECEIVED", "SENDING", "RECEIVING"}};
    for (const Json &room : list_of(status, "rooms")) {
        const Json &stats = member(room, "stats");
        const Json &then = room_named(before, word(room, "name"));
        std::string state = word(room, "state");
        if (is_true(room, "draining")) state += ", draining";
        if (state == "open" && !is_true(room, "takes_newcomers")) state = "open, closed to others";
        rows.push_back(
            {word(room, "name"), state, word(room, "port"), word(room, "topology"),
             std::to_string(list_of(room, "peers").size()) + " of " + word(room, "peers_max"),
             word(stats, "objects"), word(stats, "owned"), word(stats, "migrations"),
             bytes_text(static_cast<double>(number(stats, "sent_bytes"))),
             bytes_text(static_cast<double>(number(stats, "received_bytes"))),
             rate(room, then, "sent_bytes", seconds), rate(room, then, "received_bytes", seconds)});
    }
    return host_line(status) + "\n\n" + table(rows);
}

std::string invites_text(const Json &status)
{
    const Json &rooms = list_of(status, "rooms");
    if (rooms.size() == 1) return word(rooms[0], "invite") + "\n";
    std::vector<Row> rows;
    for (const Json &room : rooms)
        rows.push_back({word(room, "name"), word(room, "invite")});
    return table(rows);
}

// --- Other answers ---

std::string peers_text(const Json &peers)
{
    std::vector<Row> rows = {
        {"ROOM", "PEER", "NAME", "ROUND TRIP", "SENT", "RECEIVED", "LOST", "BREACHES", ""}};
    for (const Json &peer : peers) {
        const bool self = is_true(peer, "self");
        const auto own = [self](const std::string &text) { return self ? "-" : text; };
        rows.push_back(
            {word(peer, "room"), word(peer, "peer"), word(peer, "name"),
             milliseconds(number(peer, "rtt_us")),
             own(bytes_text(static_cast<double>(number(peer, "sent_bytes")))),
             own(bytes_text(static_cast<double>(number(peer, "received_bytes")))),
             own(percent(number(peer, "lost_datagrams"), number(peer, "sent_datagrams"))),
             own(word(peer, "breaches")),
             self                       ? "this host"
             : is_true(peer, "bridged") ? "bridged"
                                        : ""});
    }
    return table(rows);
}

std::string objects_text(const Json &objects, uint64_t total)
{
    std::vector<Row> rows = {{"ROOM", "OBJECT", "TYPE", "OWNER"}};
    for (const Json &object : objects)
        rows.push_back({word(object, "room"), word(object, "object"), word(object, "type"),
                        "peer " + word(object, "owner")});
    std::string out = table(rows);
    if (total > objects.size())
        out += std::to_string(objects.size()) + " of " + std::to_string(total) + "; see --limit\n";
    return out;
}

std::string misbehaviour_text(const Json &misbehaviour)
{
    if (misbehaviour.empty()) return "nobody has misbehaved\n";
    std::vector<Row> rows = {{"ROOM", "AGO", "PEER", "NAME", "REASON", "FOUND BY", ""}};
    for (const Json &one : misbehaviour) {
        const uint64_t reporter = number(one, "reported_by");
        rows.push_back({word(one, "room"), duration_text(number(one, "seconds_ago")),
                        word(one, "peer"), word(one, "name"), word(one, "reason"),
                        reporter == 0 ? "this host" : "peer " + std::to_string(reporter),
                        is_true(one, "is_in") ? "still in" : "has gone"});
    }
    return table(rows);
}

std::string recordings_text(const Json &recordings)
{
    std::vector<Row> rows = {{"ROOM", "SIZE", "FILE"}};
    for (const Json &one : recordings)
        rows.push_back({word(one, "room"), bytes_text(static_cast<double>(number(one, "bytes"))),
                        word(one, "file") + (is_true(one, "going_on") ? "" : " (has ended)")});
    return table(rows);
}

// --- Whole answers ---

static std::string text_or(const Json &object, const char *key, const char *otherwise)
{
    const auto found = object.find(key);
    const bool is_text = found != object.end() && found->is_string();
    return is_text ? found->get<std::string>() : otherwise;
}

static std::string joined(const Json &words)
{
    std::string all;
    for (const Json &one : words)
        if (one.is_string()) all += (all.empty() ? "" : ", ") + one.get<std::string>();
    return all;
}

static std::string done_text(const std::string &command, const Json &answer)
{
    if (command == "transfer")
        return "object " + word(answer, "object") + " goes from peer " + word(answer, "from") +
               " to peer " + word(answer, "to") + "\n";
    if (command == "kick") return "peer " + word(answer, "peer") + " is out\n";
    if (command == "drain") return "draining\n";
    if (command == "reload") {
        const std::string changed = joined(list_of(answer, "changed"));
        const std::string rest = joined(list_of(answer, "need_a_restart"));
        return "changed: " + (changed.empty() ? "nothing" : changed) + "\n" +
               (rest.empty() ? "" : "need a restart: " + rest + "\n");
    }
    return "done\n";
}

std::string answer_text(const std::string &command, const Json &answer)
{
    if (command == "status") return status_text(status_of(answer, ""), Json::object());
    if (command == "peers") return peers_text(list_of(answer, "peers"));
    if (command == "objects")
        return objects_text(list_of(answer, "objects"), number(answer, "total"));
    if (command == "lua") {
        const std::string text = console_text(answer);
        return text.empty() ? "" : text + "\n";
    }
    if (command == "misbehaviour") return misbehaviour_text(list_of(answer, "misbehaviour"));
    if (command == "record") return recordings_text(list_of(answer, "recordings"));
    return done_text(command, answer);
}

std::string refusal_text(const Json &answer)
{
    return text_or(answer, "error", "refused");
}

std::string console_text(const Json &answer)
{
    return text_or(answer, "text", "");
}

Json status_of(const Json &answer, const std::string &room)
{
    Json out = member(answer, "status");
    Json rooms = Json::array();
    for (const Json &one : list_of(out, "rooms"))
        if (room.empty() || word(one, "name") == room) rooms.push_back(one);
    out["rooms"] = std::move(rooms);
    return out;
}

std::vector<ListedRecording> listed_recordings(const Json &answer)
{
    std::vector<ListedRecording> all;
    for (const Json &one : list_of(answer, "recordings"))
        all.push_back({text_or(one, "file", ""), number(one, "bytes")});
    return all;
}

}
