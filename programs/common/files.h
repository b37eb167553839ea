// Whole files, for programs: what goes wrong ends the program, with its name and the reason.
#pragma once
#include <string>

namespace files {

[[noreturn]] void fail(const char *program, const std::string &text); // To stderr; exit code 2.
std::string read(const char *program, const std::string &path);
void write(const char *program, const std::string &path, const std::string &text);

}
