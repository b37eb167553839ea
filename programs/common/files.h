// Reads and writes whole files. An error ends the program with a message on stderr.
#pragma once
#include <string>

namespace files {

[[noreturn]] void fail(const char *program,
                       const std::string &text); // Prints to stderr; exit status 2.
std::string read(const char *program, const std::string &path);
void write(const char *program, const std::string &path, const std::string &text);

}
