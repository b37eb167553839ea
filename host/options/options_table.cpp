#include "host/options/options_table.h"
#include "tern/limits.hpp"
#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

namespace dedicated {

static const Option table[] = {
    {"", "name", "--name", HostMember(&Options::name), "What the peers see as the host's name"},
    {"", "tick_hz", "--tick-hz", HostMember(&Options::tick_hz), "Ticks per second", 5, 250, true},
    {"", "send_threads", "--send-threads", HostMember(&Options::send_threads),
     "Threads that help to build packets, for rooms of hundreds", 0, tern::send_parts_max - 1},
    {"", "addresses", "--addresses", HostMember(&Options::addresses),
     "IPs at which peers reach this machine, at most 4: they go into the invites"},
    {"", "drain_timeout_s", "--drain-timeout-s", HostMember(&Options::drain_timeout_s),
     "How long a drain may take", 1, 86'400, true},
    {"log", "format", "--log-format", HostMember(&Options::log_format), "Of the log, on stderr", 0,
     0, true},
    {"log", "level", "--log-level", HostMember(&Options::log_level), "The least that is logged", 0,
     0, true},
    {"http", "listen", "--http-listen", HostMember(&Options::http_listen),
     "ip:port of health, metrics and the status page; empty: none"},
    {"http", "page", "--http-page", HostMember(&Options::http_page),
     "An HTML file that the port serves at /page, such as that of `./dev page`; empty: none"},
    {"control", "socket", "--control-socket", HostMember(&Options::control_socket),
     "Path of the unix socket of tern-ctl; empty: none"},
    {"record", "folder", "--record-folder", HostMember(&Options::record_folder),
     "Folder for a recording of each room, WHICH HOLDS THE ROOM'S KEYS; empty: none"},
    {"agones", "enabled", "--agones", HostMember(&Options::agones),
     "Be a game server of Agones: ports, ready, health and shutdown go through its SDK server"},
    {"agones", "port", "--agones-port", HostMember(&Options::agones_port),
     "Of the SDK server's REST interface", 1, 65'535},
    {"room", "name", "--room-name", RoomMember(&RoomOptions::name), "What the room is called"},
    {"room", "port", "--port", RoomMember(&RoomOptions::port), "UDP; 0: any that is free", 0,
     65'535},
    {"room", "topology", "--topology", RoomMember(&RoomOptions::topology),
     "Who talks to whom: all to all, or all to the host"},
    {"room", "quorum", "--quorum", RoomMember(&RoomOptions::quorum),
     "Who goes on when peers are lost: more than half, or whoever is left"},
    {"room", "peers_max", "--peers-max", RoomMember(&RoomOptions::peers_max),
     "With the host; in a mesh at most 64", 2, tern::star_peers_max},
    {"room", "send_bytes_per_second_max", "--send-bytes-per-second-max",
     RoomMember(&RoomOptions::send_bytes_per_second_max), "UDP payload, to each peer", 4096,
     1'000'000'000},
    {"room", "forward_bytes_per_second_max", "--forward-bytes-per-second-max",
     RoomMember(&RoomOptions::forward_bytes_per_second_max),
     "Calls of each player that the host of a star passes on", 4096, 1'000'000'000},
    {"room", "timeout_ms", "--timeout-ms", RoomMember(&RoomOptions::timeout_ms),
     "Silence after which a peer is gone", 100, 600'000},
    {"room", "script", "--script", RoomMember(&RoomOptions::script),
     "A game of Lua that the room runs; its types and limits are the room's. Empty: none"},
    {"room", "script_sandbox", "--sandbox", RoomMember(&RoomOptions::script_sandboxed),
     "The script may only compute and play: no files, no programs, no foreign code"},
    {"room", "script_memory_mib", "--memory", RoomMember(&RoomOptions::script_memory_mib),
     "MiB that the script may hold; 0: no limit, or 64 in the sandbox", 0, 1 << 20},
    {"room", "script_instructions", "--instructions", RoomMember(&RoomOptions::script_instructions),
     "That one call of the script may take; 0: no limit, or 10 million in the sandbox", 0,
     4'000'000'000},
    {"room", "open", "--open", RoomMember(&RoomOptions::open), "Take newcomers", 0, 0, true},
};

// --- Names of enumerators, by value ---

static const char *const log_formats[] = {"text", "json"};
static const char *const log_levels[] = {"error", "warning", "info", "debug"};
static const char *const topologies[] = {"mesh", "star"};
static const char *const quorums[] = {"majority", "survivors"};

using Words = std::span<const char *const>;

static Words words(LogFormat)
{
    return log_formats;
}

static Words words(LogLevel)
{
    return log_levels;
}

static Words words(tern::Topology)
{
    return topologies;
}

static Words words(tern::Quorum)
{
    return quorums;
}

const char *text(LogFormat format)
{
    return log_formats[static_cast<size_t>(format)];
}

const char *text(LogLevel level)
{
    return log_levels[static_cast<size_t>(level)];
}

const char *text(tern::Topology topology)
{
    return topologies[static_cast<size_t>(topology)];
}

const char *text(tern::Quorum quorum)
{
    return quorums[static_cast<size_t>(quorum)];
}

template <class Word> static bool find_word(const std::string &text, Word &out)
{
    const Words all = words(Word{});
    const auto found = std::find(all.begin(), all.end(), text);
    if (found == all.end()) return false;
    out = static_cast<Word>(found - all.begin());
    return true;
}

bool is_log_level(const std::string &text, LogLevel &level)
{
    return find_word(text, level);
}

// --- One value ---

namespace {

struct Setter {
    const Option &option;
    const OptionValue &value;

    bool operator()(std::string &out) const { return take(out); }
    bool operator()(bool &out) const { return take(out); }
    bool operator()(std::vector<std::string> &out) const { return take(out); }
    bool operator()(uint16_t &out) const { return take_number(out); }
    bool operator()(uint32_t &out) const { return take_number(out); }
    template <class Word> bool operator()(Word &out) const
    {
        const auto *given = std::get_if<std::string>(&value);
        return given && find_word(*given, out);
    }

    template <class T> bool take(T &out) const
    {
        const T *given = std::get_if<T>(&value);
        if (given) out = *given;
        return given != nullptr;
    }
    template <class T> bool take_number(T &out) const
    {
        const auto *given = std::get_if<int64_t>(&value);
        if (!given || *given < option.min || *given > option.max) return false;
        out = static_cast<T>(*given);
        return true;
    }
};

struct Expected {
    const Option &option;

    std::string operator()(const std::string &) const { return "a string"; }
    std::string operator()(bool) const { return "true or false"; }
    std::string operator()(const std::vector<std::string> &) const { return "a list of strings"; }
    std::string operator()(uint16_t) const { return number(); }
    std::string operator()(uint32_t) const { return number(); }
    template <class Word> std::string operator()(Word word) const
    {
        std::string all;
        for (const char *one : words(word))
            all += (all.empty() ? "" : ", ") + std::string(one);
        return "one of " + all;
    }

    std::string number() const
    {
        return "a whole number from " + std::to_string(option.min) + " to " +
               std::to_string(option.max);
    }
};

// TOML has the escapes of JSON.
std::string quoted(const std::string &text)
{
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

struct AsToml {
    std::string operator()(const std::string &value) const { return quoted(value); }
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(uint16_t value) const { return std::to_string(value); }
    std::string operator()(uint32_t value) const { return std::to_string(value); }
    std::string operator()(const std::vector<std::string> &value) const
    {
        std::string all;
        for (const std::string &one : value)
            all += (all.empty() ? "" : ", ") + quoted(one);
        return "[" + all + "]";
    }
    template <class Word> std::string operator()(Word word) const { return quoted(text(word)); }
};

// Calls `what` with the value of an option, which is a member of `options` or of `room`.
template <class HostOptions, class OneRoom, class What>
auto with(HostOptions &options, OneRoom &room, const Option &option, const What &what)
{
    if (const auto *member = std::get_if<HostMember>(&option.member))
        return std::visit([&](auto place) { return what(options.*place); }, *member);
    return std::visit([&](auto place) { return what(room.*place); },
                      std::get<RoomMember>(option.member));
}

}

namespace option {

std::span<const Option> all()
{
    return table;
}

bool is_of_room(const Option &option)
{
    return std::holds_alternative<RoomMember>(option.member);
}

static bool is_list(const Option &option)
{
    const auto *member = std::get_if<HostMember>(&option.member);
    return member && std::holds_alternative<std::vector<std::string> Options::*>(*member);
}

bool is_switch(const Option &option)
{
    return expected(option) == "true or false";
}

std::string path(const Option &option)
{
    return (*option.table ? option.table + std::string(".") : "") + option.key;
}

std::string environment(const Option &option)
{
    std::string name = "TERN_HOST_" + path(option);
    for (char &letter : name)
        letter = letter == '.' ? '_' : static_cast<char>(std::toupper(letter));
    return name;
}

std::string expected(const Option &option)
{
    const Options options;
    return with(options, options.rooms[0], option, Expected{option});
}

static std::vector<std::string> split(const std::string &text)
{
    std::vector<std::string> parts;
    for (size_t begin = 0; begin <= text.size();) {
        const size_t end = std::min(text.find(',', begin), text.size());
        parts.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

OptionValue parse(const Option &option, const std::string &text)
{
    if (is_list(option)) return split(text);
    if (is_switch(option)) {
        if (text == "true" || text == "1") return true;
        if (text == "false" || text == "0") return false;
        return std::monostate{};
    }
    if (option.max == 0) return text;
    const bool digits = !text.empty() && text.size() < 18 &&
                        std::all_of(text.begin(), text.end(),
                                    [](unsigned char letter) { return std::isdigit(letter) != 0; });
    if (!digits) return std::monostate{};
    return static_cast<int64_t>(std::stoll(text));
}

bool set(Options &options, RoomOptions &room, const Option &option, const OptionValue &value)
{
    return with(options, room, option, Setter{option, value});
}

std::string as_toml(const Options &options, const RoomOptions &room, const Option &option)
{
    return with(options, room, option, AsToml{});
}

}
}
