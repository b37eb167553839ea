// A program that a test starts on a pseudo-terminal, and its screen output.
#pragma once
#include "tests/programs/process.h"
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <string>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace tern::test {

struct Terminal {
    pid_t id = -1;
    int keys = -1;    // The test's side of the pseudo-terminal.
    std::string text; // All output so far.

    // arguments[0] is the path of the program.
    explicit Terminal(std::vector<std::string> arguments)
    {
        std::vector<char *> pointers;
        for (std::string &argument : arguments)
            pointers.push_back(argument.data());
        pointers.push_back(nullptr);
        keys = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
        if (keys < 0 || grantpt(keys) != 0 || unlockpt(keys) != 0) return;
        const std::string name = ptsname(keys);
        id = fork();
        if (id != 0) return;
        setsid();
        const int screen = ::open(name.c_str(), O_RDWR);
        ioctl(screen, TIOCSCTTY, 0);
        for (int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
            dup2(screen, descriptor);
        setenv("TERM", "xterm", 1);
        execv(pointers[0], pointers.data());
        _exit(127);
    }
    Terminal(const Terminal &) = delete;
    ~Terminal()
    {
        if (id > 0) kill(id, SIGKILL);
        end();
        close(keys);
    }

    void type(const std::string &bytes) const
    {
        // A failed write shows in the missing output.
        if (write(keys, bytes.data(), bytes.size()) < 0) return;
    }
    // False: the program ended, or was silent for 10 s, before it printed `wanted`. Output before
    // the last match does not count.
    bool shows(const std::string &wanted)
    {
        size_t at;
        while ((at = text.find(wanted, seen)) == std::string::npos)
            if (!read_more(keys, text, 10'000)) return false;
        seen = at + wanted.size();
        return true;
    }
    // Returns the exit status; -1: a signal ended the program. After a minute of silence the test
    // ends it.
    int end()
    {
        if (id <= 0) return -1;
        int how = 0;
        char bytes[4096];
        for (bool runs = true; runs;) {
            pollfd waiting = {keys, POLLIN, 0};
            if (poll(&waiting, 1, 60'000) == 0) kill(id, SIGKILL);
            runs = read(keys, bytes, sizeof bytes) > 0;
        }
        waitpid(id, &how, 0);
        id = -1;
        return WIFEXITED(how) ? WEXITSTATUS(how) : -1;
    }

    size_t seen = 0;
};

}
