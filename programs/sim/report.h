// The line of JSON that each command prints at its end, and the line of progress before it.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace sim {

double wall_s(); // Seconds since the program began.

struct Report { // Closed. The entries of a JSON object.
    std::string _text;
};

namespace report {

void add(Report &report, std::string_view name, bool value);
void add(Report &report, std::string_view name, uint64_t value);
void add(Report &report, std::string_view name, double value);
void add(Report &report, std::string_view name, const std::string &value);
void add_json(Report &report, std::string_view name, const std::string &json);
std::string text(const Report &report); // The object, with its braces.
// Prints the object on a line of its own. Returns the exit status: 0 if `ok`.
int finish(Report &report, bool ok);
std::string hex(uint64_t value); // 16 digits.

}

namespace progress {

// Shows the text on a terminal, but not in the first two seconds, and at most five times a second.
void show(const std::string &text);
void clear();

}
}
