#include "host/agones/agones_json.h"
#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

namespace dedicated::agones_json {

using nlohmann::json;

static json parse(std::string_view text)
{
    return json::parse(text.begin(), text.end(), nullptr, false); // Discarded if it is not JSON.
}

// The member of an object, or null.
static const json &member(const json &value, const char *key)
{
    static const json nothing;
    if (!value.is_object()) return nothing;
    const auto found = value.find(key);
    return found == value.end() ? nothing : *found;
}

static std::string text_of(const json &value)
{
    return value.is_string() ? value.get<std::string>() : std::string();
}

// Accepts a number, or a string that contains one; anything else gives `otherwise`.
static int64_t integer(const json &value, int64_t otherwise)
{
    if (value.is_number_unsigned())
        return value.get<uint64_t>() <= INT64_MAX ? value.get<int64_t>() : otherwise;
    if (value.is_number_integer()) return value.get<int64_t>();
    const std::string text = text_of(value);
    int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? number : otherwise;
}

static std::string dump(const json &value)
{
    // `replace`, because names may be invalid UTF-8.
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

static std::string printable(std::string text)
{
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    return text;
}

// Returns printable text of limited length, for errors and notes.
static std::string shortened(std::string text, size_t bytes_max)
{
    text.resize(std::min(text.size(), bytes_max));
    return printable(std::move(text));
}

// Returns a value as errors show it. Lists and objects are left out, because dump() uses stack for
// each level.
static std::string shown(const json &value)
{
    return value.is_structured() ? "a list or an object" : shortened(dump(value), 40);
}

static void read_ports(const json &ports, GameServer &out)
{
    if (!ports.is_array()) return;
    for (const json &port : ports) {
        const int64_t number = integer(member(port, "port"), 0);
        if (number >= 1 && number <= 65535)
            out.ports.push_back({text_of(member(port, "name")), static_cast<uint16_t>(number)});
        else
            out.error =
                "a port of the game server is not 1 to 65535: " + shown(member(port, "port"));
    }
}

static SeenGameServer read_game_server(const json &value)
{
    SeenGameServer out;
    const json &meta = member(value, "object_meta");
    const json &status = member(value, "status");
    out.game_server.name = text_of(member(meta, "name"));
    out.game_server.address = text_of(member(status, "address"));
    out.game_server.state = shortened(text_of(member(status, "state")), 40);
    read_ports(member(status, "ports"), out.game_server);
    if (out.game_server.state.empty())
        out.game_server.error = "this is no game server: it has no status.state";
    const json &period = member(member(member(value, "spec"), "health"), "period_seconds");
    out.health_period_s = static_cast<uint32_t>(std::clamp<int64_t>(integer(period, 5), 1, 3600));
    out.last_allocated = text_of(member(member(meta, "annotations"), "agones.dev/last-allocated"));
    out.is_being_deleted = integer(member(meta, "deletion_timestamp"), 0) != 0;
    return out;
}

static SeenGameServer no_game_server(const std::string &why)
{
    SeenGameServer out;
    out.game_server.error = why;
    return out;
}

SeenGameServer game_server(std::string_view text)
{
    const json value = parse(text);
    if (value.is_discarded()) return no_game_server("this is no game server: it is not JSON");
    return read_game_server(value);
}

SeenGameServer watch_line(std::string_view text)
{
    const json value = parse(text);
    if (value.is_discarded()) return no_game_server("a line of the watch is not JSON");
    const json &result = member(value, "result");
    if (!result.is_object())
        return no_game_server("a line of the watch has no \"result\" " + error_text(text));
    return read_game_server(result);
}

SeenCounter counter(std::string_view text, std::string_view name)
{
    const json value = parse(text);
    SeenCounter out;
    if (text_of(member(value, "name")) != name)
        out.error = "the answer is not the counter \"" + std::string(name) + "\"";
    out.count = integer(member(value, "count"), 0);
    out.capacity = integer(member(value, "capacity"), 0);
    return out;
}

SeenList list(std::string_view text, std::string_view name)
{
    const json value = parse(text);
    SeenList out;
    if (text_of(member(value, "name")) != name)
        out.error = "the answer is not the list \"" + std::string(name) + "\"";
    out.capacity = integer(member(value, "capacity"), 0);
    const json &values = member(value, "values");
    if (values.is_array())
        for (const json &item : values)
            if (item.is_string()) out.values.insert(item.get<std::string>());
    return out;
}

bool is_object(std::string_view text)
{
    return parse(text).is_object();
}

std::string error_text(std::string_view body)
{
    const json value = parse(body);
    std::string text = text_of(member(value, "message"));
    if (text.empty()) text = text_of(member(member(value, "error"), "message"));
    return shortened(std::move(text), 200);
}

static bool is_open(const RoomStatus &room)
{
    return room.state == "open" && room.takes_newcomers && !room.draining;
}

static int64_t players_of(const RoomStatus &room)
{
    return std::count_if(room.peers.begin(), room.peers.end(),
                         [](const PeerStatus &peer) { return !peer.is_self; });
}

static json room_json(const RoomStatus &room)
{
    return {{"name", room.name},           {"port", room.port},     {"topology", room.topology},
            {"peers_max", room.peers_max}, {"open", is_open(room)}, {"invite", room.invite}};
}

FleetFacts facts(const HostStatus &status)
{
    FleetFacts out;
    out.rooms = static_cast<int64_t>(status.rooms.size());
    out.version = label(status.version);
    json rooms = json::array();
    for (const RoomStatus &room : status.rooms) {
        out.rooms_open += is_open(room);
        // A room that admits nobody has no free places, only taken ones: an allocation relies on
        // the free ones.
        out.places += is_open(room) && room.peers_max > 0 ? room.peers_max - 1 : players_of(room);
        for (const PeerStatus &peer : room.peers)
            if (!peer.is_self && out.players.size() < static_cast<size_t>(list_capacity_max))
                out.players.insert(printable(room.name) + "/" + std::to_string(peer.id));
        const bool is_first = &room == &status.rooms.front();
        out.topology = is_first || out.topology == room.topology ? room.topology : "mixed";
        rooms.push_back(room_json(room));
    }
    out.topology = label(out.topology);
    out.places = std::min(out.places, list_capacity_max);
    out.rooms_text = dump(rooms);
    return out;
}

static bool is_letter_or_digit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

std::string label(std::string_view text)
{
    std::string out(text.substr(0, 63));
    for (char &c : out)
        if (!is_letter_or_digit(c) && c != '_' && c != '.') c = '-';
    while (!out.empty() && !is_letter_or_digit(out.back()))
        out.pop_back();
    while (!out.empty() && !is_letter_or_digit(out.front()))
        out.erase(out.begin());
    return out;
}

std::string object(std::initializer_list<std::pair<const char *, std::string>> members)
{
    json out = json::object();
    for (const auto &[key, value] : members)
        out[key] = value;
    return dump(out);
}

}
