// Runs work in child processes. libsodium's random source is global to a process, and a run that
// fails an assert or never ends must not end the others.
#pragma once
#include <string>
#include <sys/types.h>
#include <vector>

namespace sim {

struct Child {
    pid_t pid = -1;     // 0: this is the child. -1: there is none.
    int lines = -1;     // The pipe for lines from the child to the parent.
    int errors = -1;    // The pipe of the child's stderr.
    std::string unread; // The beginning of a line that has no end yet.
    std::string error_text;
    bool ended = false;
    int status = 0; // The status from waitpid(), if `ended`.
};

namespace child {

Child start();
void say(const Child &self, const std::string &line); // In the child: sends a line to the parent.
[[noreturn]] void finish(const Child &self);          // In the child: ends it with success.
// Takes the lines that have arrived. Sets `ended` if these are the last ones.
std::vector<std::string> lines(Child &child);
// Waits until a child sends something or ends, at most timeout_ms.
void wait(const std::vector<Child *> &children, int timeout_ms);
void kill(Child &child);
// Why a child failed: its stderr, or the signal that ended it.
std::string last_words(const Child &child);

}
}
