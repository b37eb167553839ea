// tern-find: lists the sessions on the local network. See --help.
#include "common/command_line.h"
#include "common/option_checks.h"
#include "list.h"
#include "tern/discovery.hpp"
#include <cstdio>
#include <string>

using namespace tern;

namespace {

struct Options {
    std::string game;
    double seconds = 2;
    uint16_t port = discovery_port;
    bool once = false;
    bool json = false;
};

void print(const Options &options, std::span<const FoundSession> sessions)
{
    if (options.json)
        std::printf("%s\n", find_list::json(sessions).c_str());
    else
        std::printf("%s", find_list::table(sessions).c_str());
    std::fflush(stdout);
}

// Without --once prints the list whenever it changes, until a signal. Returns the final number of
// sessions.
size_t list(const Options &options, Socket *socket)
{
    FinderConfig config = {};
    config.game = options.game.c_str();
    config.port = options.port;
    Finder *finder = make_finder(config);
    const uint64_t end_us = clock_us() + static_cast<uint64_t>(options.seconds * 1e6);
    std::string shown;
    while (!command_line::ended() && (!options.once || clock_us() < end_us)) {
        socket->send(find(finder, socket->receive(), clock_us()));
        const std::string present = find_list::json(found_sessions(finder));
        // Sessions take a moment to answer, so an empty list is printed only after that time.
        const bool is_settled = clock_us() >= end_us || !found_sessions(finder).empty();
        if (!options.once && is_settled && present != shown) {
            print(options, found_sessions(finder));
            shown = present;
        }
        sleep_us(20'000);
    }
    const size_t count = found_sessions(finder).size();
    if (options.once) print(options, found_sessions(finder));
    destroy_finder(finder);
    return count;
}

}

int main(int argc, char **argv)
{
    Options options;
    CLI::App app("Lists the sessions on the local network, whenever the list changes.\n"
                 "Exit status: 0 something was found, 1 nothing, 2 for a bad option.",
                 "tern-find");
    app.add_option("--game", options.game, "Only this game's; else all");
    app.add_flag("--once", options.once, "Look for a while, print one list, and end");
    app.add_option("--seconds", options.seconds, "How long --once looks")
        ->check(CLI::Range(0.1, 60.0))
        ->capture_default_str();
    app.add_flag("--json", options.json, "A line of JSON for each list, with the invites");
    app.add_option("--port", options.port, "Where they announce themselves")
        ->check(option_checks::whole_number(1, 65'535))
        ->capture_default_str();
    if (const auto status = command_line::read(app, argc, argv)) return *status;
    const MadeSocket made = make_discovery_socket(0);
    if (!made.socket) {
        std::fprintf(stderr, "tern-find: no socket: %s\n", to_text(made.error));
        return 1;
    }
    command_line::heed_signals();
    const size_t count = list(options, made.socket);
    destroy_socket(made.socket);
    return count > 0 ? 0 : 1;
}
