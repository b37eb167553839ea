// From file, environment and flags to one configuration: a flag counts more than the environment,
// that more than the file, and that more than the default.
#pragma once
#include "host/options/options_table.h"
#include <map>

namespace dedicated {

using Problem = type_file::Problem;

enum class Action : uint8_t {
    run,
    show,  // Print `text` on stdout and exit with exit_status.
    check, // --check-config
    print  // --print-config
};

struct Loaded {
    Action action = Action::run;
    Options options;
    std::vector<Problem> problems; // All of them. Not empty: the options must not be used.
    std::vector<Problem> warnings; // What was ignored.
    // Where values come from, by path: "log.level", or "room.0.port". Not in it: the default.
    std::map<std::string, std::string> sources;
    std::string types_text; // The [[type]] tables of the file; empty: the synthetic ones.
    std::string text;
};

namespace options {

Loaded load(int argc, const char *const *argv);
// TOML that says the same when it is fed in, with the source of each value as a comment.
std::string print(const Loaded &loaded);
std::string print(const std::vector<Problem> &problems); // One a line.
// Takes what is reloadable of `wanted` into `present`. The paths of what was taken, and of what
// differs and needs a restart.
struct Reloaded {
    std::vector<std::string> changed, refused;
};
Reloaded reload(Loaded &present, const Loaded &wanted);

// The parts of load().
void read_file(Loaded &loaded, const std::string &path);
// Rooms with a script begin as tern-peer does with the same file: with the defaults of
// make_session().
void take_script_defaults(Loaded &loaded);
void check(Loaded &loaded); // What one value alone does not show.
std::string room_path(size_t room, const Option &option);

}
}
