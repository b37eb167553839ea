// The table of all options. The file, the environment, the flags, --print-config and --help are all
// derived from it.
#pragma once
#include "host/options/options_types.h"
#include <span>
#include <variant>

namespace dedicated {

template <class Owner, class... Values> using MembersOf = std::variant<Values Owner::*...>;

// The member of Options or RoomOptions that holds the value of an option.
using HostMember = MembersOf<Options, std::string, bool, uint16_t, uint32_t,
                             std::vector<std::string>, LogFormat, LogLevel>;
using RoomMember =
    MembersOf<RoomOptions, std::string, bool, uint16_t, uint32_t, tern::Topology, tern::Quorum>;

struct Option {
    const char *table; // The table in the file; empty for the top level.
    const char *key;
    const char *flag;
    std::variant<HostMember, RoomMember> member;
    const char *help;
    uint32_t min = 0, max = 0; // The allowed range of a number, both included.
    bool reloadable = false;
};

// A value as it was written; monostate if it has a kind that no option takes.
using OptionValue =
    std::variant<std::monostate, std::string, int64_t, bool, std::vector<std::string>>;

namespace option {

std::span<const Option> all();
bool is_of_room(const Option &option);
bool is_switch(const Option &option);          // Takes true or false.
std::string path(const Option &option);        // "log.level"
std::string environment(const Option &option); // "TERN_HOST_LOG_LEVEL"
std::string expected(const Option &option);    // Such as "a whole number from 5 to 250".

// Parses the text of a flag or of an environment variable.
OptionValue parse(const Option &option, const std::string &text);
// Stores the value in `options`, or in `room` if the option is one of a room. Returns false and
// changes nothing if the value is not as expected().
bool set(Options &options, RoomOptions &room, const Option &option, const OptionValue &value);
std::string as_toml(const Options &options, const RoomOptions &room, const Option &option);

}

const char *text(LogFormat format);
const char *text(LogLevel level);
const char *text(tern::Topology topology);
const char *text(tern::Quorum quorum);
bool is_log_level(const std::string &text, LogLevel &level);

}
