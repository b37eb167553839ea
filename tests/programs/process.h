// A program that a test starts, and its output.
#pragma once
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <poll.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace tern::test {

// Appends what the descriptor has to read. False: it is at its end, or was silent for so long.
inline bool read_more(int descriptor, std::string &text, int timeout_ms)
{
    pollfd waiting = {descriptor, POLLIN, 0};
    char bytes[65536];
    if (poll(&waiting, 1, timeout_ms) <= 0) return false;
    const ssize_t size = read(descriptor, bytes, sizeof bytes);
    if (size <= 0) return false;
    text.append(bytes, static_cast<size_t>(size));
    return true;
}

struct Process {
    pid_t id = -1;
    int output = -1;  // A pipe from stdout and stderr.
    std::string text; // All output so far.
    int status = -1;  // The exit status; -1: not waited for, or ended by a signal.

    // arguments[0] is the path of the program.
    explicit Process(std::vector<std::string> arguments)
    {
        std::vector<char *> pointers;
        for (std::string &argument : arguments)
            pointers.push_back(argument.data());
        pointers.push_back(nullptr);
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0) return;
        id = fork();
        if (id == 0) {
            dup2(ends[1], STDOUT_FILENO);
            dup2(ends[1], STDERR_FILENO);
            execv(pointers[0], pointers.data());
            _exit(127);
        }
        close(ends[1]);
        output = ends[0];
    }
    Process(const Process &) = delete;
    ~Process()
    {
        if (id > 0) kill(id, SIGKILL);
        wait_for_end();
        close(output);
    }

    // False: the program ended, or was silent for 10 s, before it printed `wanted`.
    bool print_until(const std::string &wanted)
    {
        while (text.find(wanted) == std::string::npos)
            if (!read_more(output, text, 10'000)) return false;
        return true;
    }
    int wait_for_end()
    {
        if (id <= 0) return status;
        char bytes[4096];
        for (ssize_t size; (size = read(output, bytes, sizeof bytes)) > 0;)
            text.append(bytes, static_cast<size_t>(size));
        int how = 0;
        waitpid(id, &how, 0);
        id = -1;
        status = WIFEXITED(how) ? WEXITSTATUS(how) : -1;
        return status;
    }
    int end_by(int signal_number)
    {
        if (id > 0) kill(id, signal_number);
        return wait_for_end();
    }
};

}
