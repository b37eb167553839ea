// Reads and writes the files of tern-prof. An error prints a message and ends the program with
// exit status 2.
#pragma once
#include "sim/profile/profile.h"

namespace prof::files {

[[noreturn]] void fail(const std::string &text);
std::string read(const std::string &path);
void write(const std::string &path, const std::string &text);
std::string json(const tern::Profile &profile);
tern::Profile profile(const std::string &path); // Reads a profile from JSON.

}
