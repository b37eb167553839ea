// Loads the configuration from the file, the environment and the flags. A flag overrides the
// environment, which overrides the file, which overrides the default.
#pragma once
#include "host/options/options_table.h"
#include <map>

namespace dedicated {

using Problem = type_file::Problem;

enum class Action : uint8_t {
    run,
    show,  // Print `text` on stdout and exit with status 0.
    check, // --check-config
    print  // --print-config
};

struct Loaded {
    Action action = Action::run;
    Options options;
    std::vector<Problem> problems; // All errors. If there are any, do not use the options.
    std::vector<Problem> warnings; // Unknown variables and other input that was ignored.
    // Where each value comes from, by path such as "log.level" or "room.0.port". A value that is
    // not listed is the default.
    std::map<std::string, std::string> sources;
    std::string types_text; // The [[type]] tables of the file; empty: the synthetic types.
    std::string text;       // For Action::show.
};

namespace options {

Loaded load(int argc, const char *const *argv);
// The configuration as TOML, which load() reads back to the same values. A comment behind each
// value names its source.
std::string print(const Loaded &loaded);
std::string print(const std::vector<Problem> &problems); // One problem a line.
// Paths of options: changed, and different but not changed because they need a restart.
struct Reloaded {
    std::vector<std::string> changed, refused;
};
// Copies the reloadable options of `wanted` to `present`.
Reloaded reload(Loaded &present, const Loaded &wanted);

// The parts of load().
void read_file(Loaded &loaded, const std::string &path);
// Reads the content of a file; `path` is its name in problems.
void read_text(Loaded &loaded, const std::string &path, std::string_view text);
// Gives rooms with a script the defaults of make_session() for options that nobody set, so that the
// same script runs alike under tern-peer and tern-host.
void take_script_defaults(Loaded &loaded);
void check(Loaded &loaded); // Rules that concern several values.
std::string room_path(size_t room, const Option &option);

}
}
