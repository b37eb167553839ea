#include "host/options/options.h"
#include "host/log.h"
#include <algorithm>
#include <sys/un.h>
#include <tern/io.hpp>
#include <tern/limits.hpp>

namespace dedicated::options {

std::string room_path(size_t room, const Option &option)
{
    return "room." + std::to_string(room) + "." + option.key;
}

// --- Rules that concern several values ---

namespace {

struct Checks {
    Loaded &loaded;

    void expect(bool holds, const std::string &path, const std::string &text)
    {
        if (holds) return;
        const auto source = loaded.sources.find(path);
        loaded.problems.push_back({source == loaded.sources.end() ? path : source->second, text});
    }
};

}

static bool is_name(const std::string &name)
{
    const auto plain = [](unsigned char letter) {
        return std::isalnum(letter) != 0 || letter == '-' || letter == '_' || letter == '.';
    };
    return !name.empty() && name.size() <= 32 && name[0] != '.' &&
           std::all_of(name.begin(), name.end(), plain);
}

// Returns an empty string, or the error. `ip` has no port.
static std::string ip_error(const std::string &ip)
{
    const bool v6 = ip.find(':') != std::string::npos;
    const std::string text = v6 && ip[0] != '[' ? "[" + ip + "]:1" : ip + ":1";
    const tern::ParsedAddress parsed = tern::parse_address(text.c_str());
    if (parsed.error) return parsed.error;
    const uint8_t *bytes = parsed.address.ip;
    const bool v4 = bytes[10] == 0xff && bytes[11] == 0xff;
    const auto is_zero = [](uint8_t byte) { return byte == 0; };
    const bool unspecified = std::all_of(bytes + (v4 ? 12 : 0), bytes + 16, is_zero);
    return unspecified ? "nobody can reach the unspecified address" : "";
}

static std::string listen_error(const std::string &listen)
{
    if (listen.empty()) return "";
    const bool any_port = listen.ends_with(":0");
    const std::string text = any_port ? listen.substr(0, listen.size() - 1) + "1" : listen;
    const tern::ParsedAddress parsed = tern::parse_address(text.c_str());
    return parsed.error ? parsed.error : "";
}

static bool is_printable(const std::string &text)
{
    return std::all_of(text.begin(), text.end(),
                       [](unsigned char byte) { return byte >= 0x20 && byte != 0x7f; });
}

static void check_host(Checks &checks)
{
    const Options &options = checks.loaded.options;
    const size_t name_max = tern::name_bytes_max - 1;
    checks.expect(
        !options.name.empty() && options.name.size() <= name_max && is_printable(options.name),
        "name",
        "name must have 1 to " + std::to_string(name_max) + " bytes and no control characters");
    const size_t count = options.addresses.size();
    checks.expect(count >= 1 && count <= tern::invite_addresses_max, "addresses",
                  "addresses has " + std::to_string(count) + " entries, expected 1 to " +
                      std::to_string(tern::invite_addresses_max));
    for (const std::string &ip : options.addresses) {
        const std::string error = ip_error(ip);
        checks.expect(error.empty(), "addresses",
                      "addresses has \"" + ip + "\", expected an IP without a port: " + error);
    }
    const std::string error = listen_error(options.http_listen);
    checks.expect(error.empty(), "http.listen",
                  "http.listen is \"" + options.http_listen + "\", expected ip:port: " + error);
    const size_t path_max = sizeof(sockaddr_un::sun_path) - 1;
    checks.expect(options.control_socket.size() <= path_max, "control.socket",
                  "control.socket is longer than the " + std::to_string(path_max) +
                      " bytes that a unix socket's path may have");
}

static void check_rooms(Checks &checks)
{
    const std::vector<RoomOptions> &rooms = checks.loaded.options.rooms;
    for (size_t i = 0; i < rooms.size(); ++i) {
        const RoomOptions &room = rooms[i];
        const std::string at = "room." + std::to_string(i) + ".";
        checks.expect(is_name(room.name), at + "name",
                      "room.name must be 1 to 32 letters, digits, '-', '_' or '.', and not begin "
                      "with '.'");
        // A script may set another topology, so with one make_session() checks the limit.
        checks.expect(room.topology == tern::Topology::star || !room.script.empty() ||
                          room.peers_max <= tern::mesh_peers_max,
                      at + "peers_max",
                      "room.peers_max is " + std::to_string(room.peers_max) +
                          ", in a mesh at most " + std::to_string(tern::mesh_peers_max));
        for (size_t k = 0; k < i; ++k) {
            checks.expect(room.name != rooms[k].name, at + "name",
                          "two rooms are named " + room.name);
            checks.expect(room.port == 0 || room.port != rooms[k].port, at + "port",
                          "rooms " + rooms[k].name + " and " + room.name + " have both port " +
                              std::to_string(room.port));
        }
    }
}

void take_script_defaults(Loaded &loaded)
{
    const tern::Config config;
    std::vector<RoomOptions> &rooms = loaded.options.rooms;
    for (size_t i = 0; i < rooms.size(); ++i) {
        if (rooms[i].script.empty()) continue;
        const auto is_said = [&](const char *key) {
            return loaded.sources.contains("room." + std::to_string(i) + "." + key);
        };
        if (!is_said("topology")) rooms[i].topology = config.topology;
        if (!is_said("quorum")) rooms[i].quorum = config.quorum;
        if (!is_said("peers_max")) rooms[i].peers_max = config.peers_max;
    }
}

void check(Loaded &loaded)
{
    Checks checks = {loaded};
    check_host(checks);
    check_rooms(checks);
}

// --- Printing ---

static std::string line(const Loaded &loaded, const RoomOptions &room, const Option &option,
                        const std::string &path)
{
    const auto source = loaded.sources.find(path);
    return std::string(option.key) + " = " + option::as_toml(loaded.options, room, option) + " # " +
           (source == loaded.sources.end() ? "default" : source->second) + "\n";
}

std::string print(const Loaded &loaded)
{
    std::string text = "# The effective configuration of tern-host " TERN_VERSION "\n";
    std::string table;
    const std::vector<RoomOptions> &rooms = loaded.options.rooms;
    for (const Option &option : option::all()) {
        if (option::is_of_room(option)) continue;
        if (table != option.table) text += std::string("\n[") + option.table + "]\n";
        table = option.table;
        text += line(loaded, rooms[0], option, option::path(option));
    }
    for (size_t i = 0; i < rooms.size(); ++i) {
        text += "\n[[room]]\n";
        for (const Option &option : option::all())
            if (option::is_of_room(option))
                text += line(loaded, rooms[i], option, room_path(i, option));
    }
    const std::string types = loaded.types_text + (loaded.types_text.ends_with("\n") ? "" : "\n");
    return text + "\n" +
           (loaded.types_text.empty() ? "# No [[type]]: the synthetic types.\n" : types);
}

std::string print(const std::vector<Problem> &problems)
{
    std::string text;
    for (const Problem &problem : problems)
        text += log::clean(problem.where + ": " + problem.text) + "\n";
    return text;
}

// --- Reloading ---

// Compares one option; if it differs, copies it, or records that it needs a restart.
static void reload_option(Loaded &present, const Loaded &wanted, const Option &option,
                          RoomOptions &room, const RoomOptions &wanted_room,
                          const std::string &path, Reloaded &reloaded)
{
    const std::string text = option::as_toml(wanted.options, wanted_room, option);
    if (text == option::as_toml(present.options, room, option)) return;
    (option.reloadable ? reloaded.changed : reloaded.refused).push_back(path);
    if (!option.reloadable) return;
    std::string bare = text;
    if (bare.starts_with('"')) bare = bare.substr(1, bare.size() - 2); // A string in quotes.
    option::set(present.options, room, option, option::parse(option, bare));
}

Reloaded reload(Loaded &present, const Loaded &wanted)
{
    Reloaded reloaded;
    RoomOptions none;
    for (const Option &option : option::all())
        if (!option::is_of_room(option))
            reload_option(present, wanted, option, none, none, option::path(option), reloaded);
    const auto named = [](auto &rooms, const std::string &name) {
        return std::find_if(rooms.begin(), rooms.end(),
                            [&](const RoomOptions &room) { return room.name == name; });
    };
    for (const RoomOptions &room : present.options.rooms) {
        const auto &rooms = wanted.options.rooms;
        if (named(rooms, room.name) == rooms.end()) reloaded.refused.push_back("room " + room.name);
    }
    for (const RoomOptions &wanted_room : wanted.options.rooms) {
        const auto room = named(present.options.rooms, wanted_room.name);
        if (room == present.options.rooms.end()) {
            reloaded.refused.push_back("room " + wanted_room.name);
            continue;
        }
        for (const Option &option : option::all())
            if (option::is_of_room(option))
                reload_option(present, wanted, option, *room, wanted_room,
                              "room " + room->name + "." + option.key, reloaded);
    }
    if (present.types_text != wanted.types_text) reloaded.refused.push_back("type");
    return reloaded;
}

}
