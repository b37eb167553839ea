// Two processes for each contender: one runs the host, the other runs all clients, so the CPU time
// of each is that of its process. The measuring process gives both the same orders over pipes and
// reads a report from each. Between two orders both processes sleep and their clock stands still,
// so contenders can take turns round by round while their connections live on.
#pragma once
#include "bench/harness.h"
#include "tern/limits.hpp"
#include "tern/types.hpp"
#include <algorithm>
#include <ctime>
#include <type_traits>

namespace bench::surface {

// What the clients need to reach the host.
struct Contact {
    char invite[tern::invite_text_max]; // For a session; else empty.
    uint16_t port;                      // On 127.0.0.1; for all but sessions.
};

enum class OrderKind : uint8_t {
    measure,
    rest, // The ticks run, but the host changes nothing.
    end
};

struct Order {
    OrderKind kind;
    uint64_t start_ns; // On the monotonic clock: the host's first tick.
    uint32_t ticks;
};

// What one process has measured during one order.
struct Report {
    double cpu_ns;     // Host: the whole process. Clients: receiving and sending, without checks.
    double wire_bytes; // Host only: both directions, with the headers of UDP and IPv4.
    uint64_t due;      // What this process sent, or what its receivers should have received.
    uint64_t delivered;
    double age_p50_ms, age_p99_ms;
    uint64_t late_ticks;  // Ticks that began more than half a period late.
    double private_bytes; // Memory that this process has written since the fork.
    bool is_ready;        // Everyone is connected, and receivers have all objects.
    bool wrong;           // Something arrived that was never sent.
};

struct Moment {       // One tick of one process.
    uint64_t now_us;  // A clock that stands still between orders; equal in both processes.
    uint64_t tick;    // Since the beginning; the host's tick is at tick * period_us.
    uint64_t changes; // How many ticks before this one the host has changed objects in.
    bool is_moving;   // The host changes objects in this tick.
};

struct Channel { // The end of a child process.
    int in, out;
};

inline constexpr double below_udp_bytes = 28; // Headers of UDP and IPv4 of a datagram.

// The programs of a contender. Both get `setup`, which the fork has copied.
struct Programs {
    void (*host)(const void *setup, Channel &channel);
    void (*clients)(const void *setup, Channel &channel, const Contact &contact);
    const void *setup;
    uint32_t period_us;
};

struct Pair { // The end of the measuring process. All zero: no processes.
    int host_pid, clients_pid;
    Channel host, clients;
    uint32_t period_us;
    bool failed; // A process has ended or does not answer.
};

struct PairReport {
    Report host, clients;
    bool failed;
};

namespace pair {

// Starts both processes and lets them tick until the clients are ready. `failed` says otherwise.
Pair start(const Programs &programs);
PairReport run(Pair &pair, OrderKind kind, uint32_t ticks);
void end(Pair &pair); // Ends both processes and waits for them.

}

// --- In a child process ---

namespace channel {

void announce(Channel &channel, const Contact &contact); // The host, once.
bool next(Channel &channel, Order &order);               // False: the measurement is over.
void answer(Channel &channel, const Report &report);
void sleep_until(uint64_t wall_ns);
// Counts the dirty pages of this process that no other process shares.
double private_bytes();
[[noreturn]] void give_up(const char *what); // Prints what failed, and ends this process.

}

// Runs orders until the last one. Of a host or of all clients, `side`, it calls in each tick
// exchange(side, moment), whose CPU time counts, and then check(side, moment), and after each order
// report(side). A client's tick is half a period after the host's.
template <class Side> void serve(Channel &channel, Side &side, uint32_t period_us, bool is_host)
{
    Moment moment = {};
    const uint64_t late_us = is_host ? 0 : period_us / 2;
    for (Order order = {}; channel::next(channel, order) && order.kind != OrderKind::end;) {
        const uint64_t base_us = moment.tick * period_us;
        const uint64_t whole_ns = cpu_clock_ns();
        uint64_t exchange_ns = 0, late_ticks = 0;
        moment.is_moving = order.kind == OrderKind::measure;
        for (uint32_t t = 0; t < order.ticks; ++t) {
            const uint64_t due_ns = order.start_ns + 1000 * (uint64_t{t} * period_us + late_us);
            channel::sleep_until(due_ns);
            moment.changes += moment.is_moving ? 1 : 0;
            const uint64_t wall_ns = wall_clock_ns();
            late_ticks += wall_ns > due_ns + 500 * uint64_t{period_us} ? 1 : 0;
            // A process that ends one order late begins the next one ahead of its base.
            moment.now_us = std::max(moment.now_us, base_us + (wall_ns - order.start_ns) / 1000);
            const uint64_t begin_ns = is_host ? 0 : cpu_clock_ns();
            exchange(side, moment);
            exchange_ns += is_host ? 0 : cpu_clock_ns() - begin_ns;
            check(side, moment);
            moment.tick += 1;
        }
        const uint64_t spent_ns = is_host ? cpu_clock_ns() - whole_ns : exchange_ns;
        Report made = report(side);
        made.cpu_ns = static_cast<double>(spent_ns);
        made.late_ticks = late_ticks;
        made.private_bytes = channel::private_bytes();
        channel::answer(channel, made);
    }
}

}
