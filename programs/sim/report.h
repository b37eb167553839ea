// The line of JSON with which each command ends, and the line of progress before it.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace sim {

double wall_s(); // Since the program began.

struct Report { // Closed. A JSON object, or the entries of an array in it.
    std::string _text;
};

namespace report {

void add(Report &report, std::string_view name, bool value);
void add(Report &report, std::string_view name, uint64_t value);
void add(Report &report, std::string_view name, double value);
void add(Report &report, std::string_view name, const std::string &value);
void add_json(Report &report, std::string_view name, const std::string &json);
std::string text(const Report &report); // {...}
// Prints it on a line of its own. The exit status: 0 if "ok" is true.
int finish(Report &report, bool ok);
std::string hex(uint64_t value); // 16 digits.

}

namespace progress {

// On a terminal, after two seconds, at most five times a second; else nothing.
void show(const std::string &text);
void clear();

}
}
