#include "child.h"
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sim::child {

static void fail(const char *what)
{
    std::fprintf(stderr, "tern-sim: %s: %s\n", what, std::strerror(errno));
    std::exit(2);
}

Child start()
{
    int lines[2], errors[2];
    if (pipe2(lines, O_CLOEXEC) != 0 || pipe2(errors, O_CLOEXEC) != 0) fail("no pipe");
    std::fflush(nullptr);
    Child child;
    child.pid = fork();
    if (child.pid < 0) fail("no process");
    if (child.pid == 0) {
        close(lines[0]);
        close(errors[0]);
        dup2(errors[1], STDERR_FILENO);
        close(errors[1]);
        child.lines = lines[1];
        return child;
    }
    close(lines[1]);
    close(errors[1]);
    fcntl(lines[0], F_SETFL, O_NONBLOCK);
    fcntl(errors[0], F_SETFL, O_NONBLOCK);
    child.lines = lines[0];
    child.errors = errors[0];
    return child;
}

void say(const Child &self, const std::string &line)
{
    const std::string text = line + "\n";
    size_t written = 0;
    while (written < text.size()) {
        const ssize_t count = write(self.lines, text.data() + written, text.size() - written);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) _exit(3); // The parent has ended.
        written += static_cast<size_t>(count);
    }
}

void finish(const Child &self)
{
    std::fflush(stderr);
    close(self.lines);
    _exit(0);
}

// Reads what is there. False: the end of the pipe was reached.
static bool read_all(int descriptor, std::string &text)
{
    char bytes[4096];
    for (;;) {
        const ssize_t count = read(descriptor, bytes, sizeof bytes);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return true;
        if (count == 0) return false;
        text.append(bytes, static_cast<size_t>(count));
    }
}

std::vector<std::string> lines(Child &child)
{
    std::vector<std::string> out;
    if (child.pid < 0 || child.ended) return out;
    read_all(child.errors, child.error_text);
    const bool open = read_all(child.lines, child.unread);
    for (size_t end; (end = child.unread.find('\n')) != std::string::npos;) {
        out.push_back(child.unread.substr(0, end));
        child.unread.erase(0, end + 1);
    }
    if (open) return out;
    while (waitpid(child.pid, &child.status, 0) < 0 && errno == EINTR) {
    }
    read_all(child.errors, child.error_text);
    close(child.lines);
    close(child.errors);
    child.ended = true;
    return out;
}

void wait(const std::vector<Child *> &children, int timeout_ms)
{
    std::vector<pollfd> polled;
    for (const Child *child : children) {
        if (child->pid < 0 || child->ended) continue;
        polled.push_back({child->lines, POLLIN, 0});
        polled.push_back({child->errors, POLLIN, 0});
    }
    if (!polled.empty()) poll(polled.data(), static_cast<nfds_t>(polled.size()), timeout_ms);
}

void kill(Child &child)
{
    if (child.pid > 0 && !child.ended) ::kill(child.pid, SIGKILL);
}

std::string last_words(const Child &child)
{
    std::string text = child.error_text;
    while (!text.empty() && text.back() == '\n')
        text.pop_back();
    if (!text.empty()) return text;
    if (WIFSIGNALED(child.status)) return strsignal(WTERMSIG(child.status));
    return "it ended with status " + std::to_string(WEXITSTATUS(child.status));
}

}
