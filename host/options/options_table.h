// The one table of options: file, environment, flags, --print-config and --help are made of it.
#pragma once
#include "host/options/options_types.h"
#include <span>
#include <variant>

namespace dedicated {

template <class Owner, class... Values> using MembersOf = std::variant<Values Owner::*...>;

// Where the value of an option lies.
using HostMember = MembersOf<Options, std::string, bool, uint16_t, uint32_t,
                             std::vector<std::string>, LogFormat, LogLevel>;
using RoomMember =
    MembersOf<RoomOptions, std::string, bool, uint16_t, uint32_t, tern::Topology, tern::Quorum>;

struct Option {
    const char *table; // Of the file; empty: its top level.
    const char *key;
    const char *flag;
    std::variant<HostMember, RoomMember> member;
    const char *help;
    uint32_t min = 0, max = 0; // Of numbers.
    bool reloadable = false;
};

// As it was written. Nothing: of a kind that no option has.
using OptionValue =
    std::variant<std::monostate, std::string, int64_t, bool, std::vector<std::string>>;

namespace option {

std::span<const Option> all();
bool is_of_room(const Option &option);
bool is_switch(const Option &option);          // true or false.
std::string path(const Option &option);        // "log.level"
std::string environment(const Option &option); // "TERN_HOST_LOG_LEVEL"
std::string expected(const Option &option);    // "a whole number from 5 to 250" and the like.

// What a flag or a variable of the environment says.
OptionValue parse(const Option &option, const std::string &text);
// False, and nothing happens, if the value is not what is expected. `room` is for those of rooms.
bool set(Options &options, RoomOptions &room, const Option &option, const OptionValue &value);
std::string as_toml(const Options &options, const RoomOptions &room, const Option &option);

}

const char *text(LogFormat format);
const char *text(LogLevel level);
const char *text(tern::Topology topology);
const char *text(tern::Quorum quorum);
bool is_log_level(const std::string &text, LogLevel &level);

}
