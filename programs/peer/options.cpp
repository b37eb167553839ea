#include "options.h"
#include "common/command_line.h"
#include "common/option_checks.h"

namespace peer {

static constexpr const char *footer =
    "The script returns a table: types and other options of tern.make_session, and functions\n"
    "start(session), update(session, dt) and stop(session). It is read again when it or a file\n"
    "that it requires changes, or at SIGHUP; an error freezes it until then, and the session goes\n"
    "on. SIGINT and SIGTERM leave the session.\n"
    "\n"
    "On stdin, and on the socket of --console, it takes lines of Lua and commands as :help; each\n"
    "answer on the socket ends with an empty line.\n"
    "\n"
    "Prints one line when the session is open: tern-peer ready: udp PORT peer NUMBER invite TEXT\n"
    "\n"
    "Exit status: 0 left, 1 the session ended otherwise, 2 bad usage, 3 the script is wrong,\n"
    "4 no socket or no console.\n"
    "\n"
    "Examples:\n"
    "  tern-peer ships.lua --port 7777 --address 192.168.1.5\n"
    "  tern-peer ships.lua --join tern:...";

std::optional<int> read_options(Options &options, int argc, char **argv)
{
    CLI::App app("Plays a game written in Lua.", "tern-peer");
    app.footer(footer);
    app.add_option("SCRIPT", options.script, "game.lua")->required();
    app.add_option("--join", options.invite, "An invite; without one it begins a session");
    app.add_option("--port", options.port, "UDP; 0: any that is free")
        ->check(option_checks::whole_number(0, 65'535));
    app.add_option("--address", options.addresses,
                   "IPs at which others reach this machine, 4 at most")
        ->delimiter(',')
        ->capture_default_str();
    app.add_option("--name", options.name, "Shown to the others");
    app.add_option("--socket", options.socket)
        ->check(option_checks::one_of("udp, udp6, enet"))
        ->capture_default_str();
    app.add_option("--hz", options.hz, "Ticks per second")
        ->check(option_checks::whole_number(1, 1000))
        ->capture_default_str();
    app.add_option("--seconds", options.seconds, "Leave after so long; 0: never")
        ->check(CLI::NonNegativeNumber);
    app.add_flag("--sandbox", options.sandboxed,
                 "The script may only compute and play: no files, no programs, no foreign code");
    app.add_option("--memory", options.memory_mib,
                   "MiB that the script may hold; 0: no limit, or 64 in the sandbox")
        ->check(option_checks::whole_number(0, 1 << 20));
    app.add_option("--instructions", options.instructions,
                   "That one call may take; 0: no limit, or 10 million in the sandbox")
        ->check(option_checks::whole_number(0, 1'000'000'000'000));
    app.add_option("--loss", options.loss_percent, "Of what is sent, for trying out")
        ->check(option_checks::percent(100));
    app.add_option("--latency", options.latency_ms, "Milliseconds that it takes more, one way")
        ->check(option_checks::whole_number(0, 10'000));
    app.add_option("--console", options.console, "Path of a unix socket for a console");
    return command_line::read(app, argc, argv);
}

}
