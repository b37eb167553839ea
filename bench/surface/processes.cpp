#include "bench/surface/processes.h"
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <poll.h>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace bench::surface {

namespace {

constexpr uint32_t settle_ticks = 6;
constexpr uint64_t settle_us_max = 20'000'000;
constexpr uint64_t lead_ns = 3'000'000; // From an order to its first tick.
constexpr int answer_ms_max = 20'000;

template <class T> bool write_whole(int descriptor, const T &value)
{
    static_assert(std::is_trivially_copyable_v<T>);
    return write(descriptor, &value, sizeof value) == ssize_t{sizeof value};
}

// Pipes keep what is smaller than PIPE_BUF whole.
template <class T> bool read_whole(int descriptor, T &value, int wait_ms)
{
    pollfd ready = {descriptor, POLLIN, 0};
    while (poll(&ready, 1, wait_ms) < 0)
        if (errno != EINTR) return false;
    return ready.revents != 0 && read(descriptor, &value, sizeof value) == ssize_t{sizeof value};
}

}

namespace pair {

static void make_pipes(Channel &own, Channel &child)
{
    int down[2], up[2];
    if (pipe(down) != 0 || pipe(up) != 0) channel::give_up("no pipe");
    own = {up[0], down[1]};
    child = {down[0], up[1]};
}

// Forks; returns 0 in the child, which ends together with the measuring process.
static int fork_child()
{
    std::fflush(nullptr);
    const int pid = fork();
    if (pid < 0) channel::give_up("no process");
    if (pid == 0) prctl(PR_SET_PDEATHSIG, SIGKILL);
    return pid;
}

Pair start(const Programs &programs)
{
    std::signal(SIGPIPE, SIG_IGN); // A process that has ended is found by a failed read.
    Pair made = {};
    made.period_us = programs.period_us;
    Channel host = {}, clients = {};
    make_pipes(made.host, host);
    made.host_pid = fork_child();
    if (made.host_pid == 0) {
        programs.host(programs.setup, host);
        _exit(0);
    }
    Contact contact = {};
    close(host.in);
    close(host.out);
    if (!read_whole(made.host.in, contact, answer_ms_max)) made.failed = true;
    make_pipes(made.clients, clients);
    made.clients_pid = fork_child();
    if (made.clients_pid == 0) {
        programs.clients(programs.setup, clients, contact);
        _exit(0);
    }
    close(clients.in);
    close(clients.out);
    PairReport last = {};
    const uint64_t rounds_max = settle_us_max / (settle_ticks * uint64_t{made.period_us});
    for (uint64_t i = 0; i < rounds_max && !made.failed && !last.clients.is_ready; ++i)
        last = run(made, OrderKind::rest, settle_ticks);
    made.failed = made.failed || !last.clients.is_ready;
    if (made.failed) std::fprintf(stderr, "tern-bench: clients and host did not get ready\n");
    return made;
}

PairReport run(Pair &pair, OrderKind kind, uint32_t ticks)
{
    PairReport got = {};
    const Order order = {kind, wall_clock_ns() + lead_ns, ticks};
    const int wait_ms = answer_ms_max + static_cast<int>(uint64_t{ticks} * pair.period_us / 1000);
    got.failed = pair.failed || !write_whole(pair.host.out, order) ||
                 !write_whole(pair.clients.out, order) ||
                 !read_whole(pair.host.in, got.host, wait_ms) ||
                 !read_whole(pair.clients.in, got.clients, wait_ms);
    pair.failed = got.failed;
    return got;
}

static void end_child(int pid, Channel &channel, bool failed)
{
    const Order last = {OrderKind::end, 0, 0};
    if (!write_whole(channel.out, last) || failed) kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    close(channel.in);
    close(channel.out);
}

void end(Pair &pair)
{
    if (pair.clients_pid > 0) end_child(pair.clients_pid, pair.clients, pair.failed);
    if (pair.host_pid > 0) end_child(pair.host_pid, pair.host, pair.failed);
    pair = {};
}

}

namespace channel {

void announce(Channel &channel, const Contact &contact)
{
    if (!write_whole(channel.out, contact)) _exit(1);
}

bool next(Channel &channel, Order &order)
{
    return read_whole(channel.in, order, -1);
}

void answer(Channel &channel, const Report &report)
{
    if (!write_whole(channel.out, report)) _exit(1);
}

double private_bytes()
{
    std::ifstream file("/proc/self/smaps_rollup");
    const std::string wanted = "Private_Dirty:";
    for (std::string word; file >> word;)
        if (double kib = 0; word == wanted && file >> kib) return 1024 * kib;
    return 0;
}

void sleep_until(uint64_t wall_ns)
{
    const timespec until = {static_cast<time_t>(wall_ns / 1'000'000'000),
                            static_cast<long>(wall_ns % 1'000'000'000)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
    }
}

void give_up(const char *what)
{
    std::fprintf(stderr, "tern-bench: surface: %s\n", what);
    _exit(1);
}

}

}
