#include "common/process.h"
#ifndef _WIN32
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace process {

static constexpr int no_such_program = 127; // As in the shell.

static int descriptor(intptr_t value)
{
    return static_cast<int>(value);
}

[[noreturn]] static void become(const std::vector<std::string> &arguments, int input, int output)
{
    std::vector<char *> pointers;
    for (const std::string &argument : arguments)
        pointers.push_back(const_cast<char *>(argument.c_str()));
    pointers.push_back(nullptr);
    dup2(input, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    signal(SIGPIPE, SIG_DFL);
    execvp(pointers[0], pointers.data());
    _exit(no_such_program);
}

static bool make_pipe(int (&ends)[2])
{
    if (pipe(ends) != 0) return false;
    for (int &end : ends) { // Not 0 or 1, which this program may have closed.
        const int given = end;
        end = fcntl(given, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        close(given);
    }
    return ends[0] >= 0 && ends[1] >= 0;
}

// Each process takes two descriptors; the usual limit is 1,024.
static void raise_limit()
{
    rlimit limit = {};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

std::string start(Process &process, const std::vector<std::string> &arguments)
{
    int input[2] = {-1, -1}, output[2] = {-1, -1};
    raise_limit();
    signal(SIGPIPE, SIG_IGN); // A process that ends while it is sent a line is no error of ours.
    process = {};
    if (make_pipe(input) && make_pipe(output)) process.id = fork();
    const int error = errno;
    if (process.id == 0) become(arguments, input[0], output[1]);
    for (const int end : {input[0], output[1]})
        if (end >= 0) close(end);
    process.input = input[1];
    process.output = output[0];
    if (process.id > 0) {
        fcntl(output[0], F_SETFL, O_NONBLOCK);
        return "";
    }
    for (const int end : {input[1], output[0]})
        if (end >= 0) close(end);
    process = {};
    return "no process could be started: " + std::string(std::strerror(error));
}

void send(Process &process, const std::string &line)
{
    const std::string text = line + "\n";
    for (size_t sent = 0; process.input >= 0 && sent < text.size();) {
        const ssize_t count =
            write(descriptor(process.input), text.data() + sent, text.size() - sent);
        if (count > 0)
            sent += static_cast<size_t>(count);
        else if (errno != EINTR)
            close_input(process);
    }
}

void close_input(Process &process)
{
    if (process.input >= 0) close(descriptor(process.input));
    process.input = -1;
}

void read_output(Process &process)
{
    char bytes[65536];
    while (process.output >= 0) {
        const ssize_t count = read(descriptor(process.output), bytes, sizeof bytes);
        if (count > 0) {
            process.unread.append(bytes, static_cast<size_t>(count));
        } else if (count == 0 || (errno != EINTR && errno != EAGAIN)) {
            close(descriptor(process.output));
            process.output = -1;
        } else if (errno == EAGAIN) {
            return;
        }
    }
}

void kill(Process &process)
{
    if (process.id > 0) ::kill(static_cast<pid_t>(process.id), SIGKILL);
}

static bool reap(Process &process, int options)
{
    int status = 0;
    rusage usage = {};
    pid_t ended = 0;
    do {
        ended =
            process.id < 0 ? 0 : wait4(static_cast<pid_t>(process.id), &status, options, &usage);
    } while (ended < 0 && errno == EINTR);
    if (ended == 0) return process.id < 0;
    process.id = -1;
    close_input(process);
    if (ended < 0) process.failure = "ended, and nobody knows how"; // The system has reaped it.
    if (ended < 0) return true;
    process.resident_kb = static_cast<uint64_t>(usage.ru_maxrss);
    if (WIFSIGNALED(status))
        process.failure = "ended by signal " + std::to_string(WTERMSIG(status));
    else if (WEXITSTATUS(status) == no_such_program)
        process.failure = "not been found or cannot be run (status 127)";
    else if (WEXITSTATUS(status) != 0)
        process.failure = "ended with status " + std::to_string(WEXITSTATUS(status));
    return true;
}

bool has_ended(Process &process)
{
    return reap(process, WNOHANG);
}

void wait_for_end(Process &process)
{
    reap(process, 0);
}

}
#endif
