// What programs have in common at their beginning and end: options are read, signals are heeded.
#pragma once
#include <CLI/CLI.hpp>
#include <optional>

namespace command_line {

// The exit status, if that was all: after --help, or a bad option, which is named on stderr.
std::optional<int> read(CLI::App &app, int argc, char **argv);

// From now on SIGINT, SIGTERM and SIGHUP do no more than make ended() true.
void heed_signals();
bool ended();

}
