// Reads the command line and the environment.
#include "common/suggestion.h"
#include "host/options/options.h"
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace dedicated::options {

static const char *const about =
    "A dedicated host of tern sessions: opens one room or several, each a session with a UDP port\n"
    "of its own, is their host, and gives all that it owns to the peers before it ends.";

static const char *const more =
    "A flag counts more than the environment, that more than the file, that more than the "
    "default.\n"
    "Flags of a room are for a configuration with one room.\n"
    "\n"
    "When all is open, one line on stdout says so, with six words for each room:\n"
    "  tern-host ready: room main udp 7777 invite <text> room two udp 7778 invite <text>\n"
    "A room that had to begin anew says it in a line of its own:\n"
    "  tern-host reopened: room main udp 7777 invite <text>\n"
    "The log is on stderr, one event a line.\n"
    "\n"
    "Signals: SIGTERM and SIGINT drain (no newcomers, all objects are given to the peers, then "
    "the\n"
    "host leaves and exits); a second one stops at once. SIGHUP reads file and environment again:\n"
    "tick_hz, drain_timeout_s, log.* and room.open are taken, what else has changed is named in "
    "the\n"
    "log and needs a restart; a file with an error changes nothing.\n"
    "\n"
    "Exit status:\n"
    "  0  drained, or nothing was left to do\n"
    "  1  an error while running, such as a lost room\n"
    "  2  an error in usage or configuration\n"
    "  3  a UDP port, the HTTP port or the control socket could not be bound\n"
    "  4  the drain was ended by its deadline\n"
    "  5  stopped by a second signal before the drain was over\n"
    "\n"
    "Examples:\n"
    "  tern-host --addresses 192.0.2.1 --port 7777\n"
    "  tern-host --config tern.toml --check-config\n"
    "  TERN_HOST_LOG_FORMAT=json tern-host --config tern.toml\n"
    "  tern-host --control-socket /run/tern/host.sock   (for tern-ctl)";

namespace {

// The text of each flag on the command line, by the index of its option in the table.
struct Given {
    std::vector<std::string> flags = std::vector<std::string>(option::all().size());
    std::string config;
    bool check = false, print = false, version = false;
};

}

static std::string help_line(const Option &option)
{
    const Options defaults;
    const std::string expected = option::expected(option);
    const bool bare = expected.starts_with("a string") || expected.starts_with("a list");
    return std::string(option.help) + (bare ? "" : " (" + expected + ")") + " [" +
           option::as_toml(defaults, defaults.rooms[0], option) + "] " +
           option::environment(option);
}

static void add_flags(CLI::App &app, Given &given)
{
    app.add_option("--config", given.config, "The configuration file, TOML. TERN_HOST_CONFIG")
        ->option_text("FILE");
    app.add_flag("--check-config", given.check, "Check the configuration, and exit with 0 or 2");
    app.add_flag("--print-config", given.print,
                 "Print the effective configuration as TOML, with where it comes from, and exit");
    app.add_flag("--version", given.version, "Print the version, and exit");
    const auto all = option::all();
    for (size_t i = 0; i < all.size(); ++i) {
        const std::string help = help_line(all[i]);
        if (option::is_switch(all[i]))
            app.add_flag(all[i].flag, given.flags[i],
                         help + "; " + all[i].flag + "=false turns it off");
        else
            app.add_option(all[i].flag, given.flags[i], help)->option_text("VALUE");
    }
}

static void take_unknown(Loaded &loaded, const CLI::App &app)
{
    std::vector<std::string_view> names = {"--config", "--check-config", "--print-config",
                                           "--version", "--help"};
    for (const Option &option : option::all())
        names.push_back(option.flag);
    bool after_flag = false;
    for (const std::string &word : app.remaining()) {
        const bool is_flag = word.starts_with("-");
        const std::string name = word.substr(0, word.find('='));
        if (is_flag)
            loaded.problems.push_back(
                {name, "unknown flag" + suggestion::did_you_mean(name, names)});
        else if (!after_flag) // After a flag it may be its value.
            loaded.problems.push_back({word, "unexpected argument, expected flags only"});
        after_flag = is_flag;
    }
}

// Sets an option from a flag or a variable. An option of a room needs a file with a single room.
static void take(Loaded &loaded, const Option &option, const std::string &name,
                 const std::string &text)
{
    Options &options = loaded.options;
    const bool of_room = option::is_of_room(option);
    if (of_room && options.rooms.size() > 1) {
        loaded.problems.push_back({name, "the file has " + std::to_string(options.rooms.size()) +
                                             " rooms: set " + option.key + " there"});
        return;
    }
    if (!option::set(options, options.rooms[0], option, option::parse(option, text)))
        loaded.problems.push_back(
            {name, "is \"" + text + "\", expected " + option::expected(option)});
    loaded.sources[of_room ? room_path(0, option) : option::path(option)] = name;
}

static void take_environment(Loaded &loaded)
{
    std::vector<std::string> known = {"TERN_HOST_CONFIG"};
    for (const Option &option : option::all()) {
        const std::string name = option::environment(option);
        if (const char *text = std::getenv(name.c_str())) take(loaded, option, name, text);
        known.push_back(name);
    }
    const std::vector<std::string_view> names(known.begin(), known.end());
    for (char **entry = environ; *entry; ++entry) {
        const std::string name(*entry, std::strcspn(*entry, "="));
        // Kubernetes sets these variables if a service is named tern-host.
        const bool of_service = name.starts_with("TERN_HOST_PORT_") ||
                                name.starts_with("TERN_HOST_SERVICE_") ||
                                (name == "TERN_HOST_PORT" && std::strstr(*entry, "://"));
        if (!name.starts_with("TERN_HOST_") || of_service) continue;
        if (std::find(names.begin(), names.end(), name) == names.end())
            loaded.warnings.push_back(
                {name, "unknown variable, ignored" + suggestion::did_you_mean(name, names)});
    }
}

static void take_all(Loaded &loaded, const CLI::App &app, const Given &given)
{
    std::string file = given.config;
    const char *variable = std::getenv("TERN_HOST_CONFIG");
    if (file.empty() && variable) file = variable;
    if (file.empty() && app.count("--config") == 0)
        loaded.options.types = type_file::synthetic();
    else
        read_file(loaded, file);
    take_environment(loaded);
    const auto all = option::all();
    for (size_t i = 0; i < all.size(); ++i)
        if (app.count(all[i].flag) > 0) take(loaded, all[i], all[i].flag, given.flags[i]);
    take_script_defaults(loaded);
    check(loaded);
}

Loaded load(int argc, const char *const *argv)
{
    Loaded loaded;
    Given given;
    CLI::App app(about, "tern-host");
    app.footer(more);
    app.allow_extras();
    app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    add_flags(app, given);
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp &) {
        loaded.action = Action::show;
        loaded.text = app.help();
        return loaded;
    } catch (const CLI::ParseError &error) {
        loaded.problems.push_back({"usage", error.what()});
        return loaded;
    }
    take_unknown(loaded, app);
    if (given.version) {
        loaded.action = Action::show;
        loaded.text = "tern-host " TERN_VERSION "\n";
        return loaded;
    }
    take_all(loaded, app, given);
    if (given.check) loaded.action = Action::check;
    if (given.print) loaded.action = Action::print;
    return loaded;
}

}
