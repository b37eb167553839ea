// Work in a process of its own: libsodium's random source belongs to a process, and a run that
// ends in an assertion or never ends must not take the others with it.
#pragma once
#include <string>
#include <sys/types.h>
#include <vector>

namespace sim {

struct Child {
    pid_t pid = -1;     // 0: this is the child. -1: there is none.
    int lines = -1;     // What it says; in the child: where it says it.
    int errors = -1;    // What it wrote to stderr.
    std::string unread; // Of lines, without an end yet.
    std::string error_text;
    bool ended = false;
    int status = 0; // Of waitpid, when it has ended.
};

namespace child {

Child start();
void say(const Child &self, const std::string &line); // In the child.
[[noreturn]] void finish(const Child &self);          // In the child.
// What any of them says within timeout_ms; of children that have ended, `ended` is set after their
// last line.
std::vector<std::string> lines(Child &child);
void wait(const std::vector<Child *> &children, int timeout_ms);
void kill(Child &child);
std::string last_words(const Child &child); // Why it ended, if not well: stderr or the signal.

}
}
