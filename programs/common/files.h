// Reads and writes whole files. An error ends the program with a message on stderr.
#pragma once
#include <string>

namespace files {

// Prints to stderr and exits with status 2.
[[noreturn]] void fail(const char *program, const std::string &text);
std::string read(const char *program, const std::string &path);
void write(const char *program, const std::string &path, const std::string &text);

}
