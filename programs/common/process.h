// Starts a program, and exchanges lines with it over its standard input and output. Its errors go
// where this program's errors go.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace process {

struct Process {
    intptr_t id = -1;     // That of POSIX, or a handle on Windows. -1: it does not run.
    intptr_t input = -1;  // What it reads; -1: closed. A descriptor, or a handle on Windows.
    intptr_t output = -1; // What it writes; -1: at its end.
    std::string unread;   // The beginning of a line that has no end yet.
    // These are set once it has ended, until another one is started:
    std::string failure;      // Empty: it ended with status 0.
    uint64_t resident_kb = 0; // The most memory that it had.
};

// The first argument is a path, or a name that is looked for in PATH. Returns what went wrong, or
// an empty text. This program ignores SIGPIPE from then on, and may open as many files as its user
// is allowed.
std::string start(Process &process, const std::vector<std::string> &arguments);
// A program that has ended, or whose input is closed, gets nothing. This waits while the program
// reads nothing and the pipe to it is full.
void send(Process &process, const std::string &line);
void close_input(Process &process);
// Gives the lines that have arrived; does not wait.
std::vector<std::string> receive(Process &process);
// A part of receive(): appends what has arrived to `unread`.
void read_output(Process &process);
void kill(Process &process);
bool has_ended(Process &process);    // Does not wait.
void wait_for_end(Process &process); // Returns at once if it does not run.

}
