// Start and end of a program: parsing of the command line, and the signals that end it.
#pragma once
#include <CLI/CLI.hpp>
#include <optional>

namespace command_line {

// Parses the command line. Returns an exit status if the program is to end: after --help, or after
// an error, which has been printed to stderr.
std::optional<int> read(CLI::App &app, int argc, char **argv);

// After this call SIGINT, SIGTERM and SIGHUP only make ended() return true.
void heed_signals();
bool ended();

}
