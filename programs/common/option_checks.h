// Validators for options of a command line. Their messages state what was expected.
#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

namespace option_checks {

CLI::Validator whole_number(uint64_t min, uint64_t max);
CLI::Validator percent(double max);
CLI::Validator one_of(const std::string &names); // Names separated by ", ", such as "udp, enet".

}
