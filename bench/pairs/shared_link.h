// Flows of several senders over one link with a queue that drops its tail, in virtual time: who
// gets how much of it, and how long the queue is.
#pragma once
#include "base/random.h"
#include "transport/connection/connection.h"
#include <deque>
#include <memory>
#include <vector>

namespace shared_link {

inline constexpr uint64_t tick_us = 16'667; // Of each sender and receiver, at a phase of its own.
inline constexpr uint64_t sample_us = 100'000;

struct Link {
    uint64_t bytes_per_second = 1'000'000;
    uint64_t queue_bytes_max = 200'000; // What comes beyond is lost.
    uint64_t way_us = 25'000;           // Each way, without the queue. The way back has none.
    uint64_t jitter_us = 0;             // Up to so much more, each way, behind the queue.
    uint64_t drift_us = 0;
    double loss = 0;                      // Of datagrams, each way, behind the queue.
    size_t datagram_bytes_max = SIZE_MAX; // Larger ones vanish.
};

// greedy: a stream that always has more. steady: unreliable messages of `bytes` in each tick.
// both. reno: no connection, but a sender of 1,200 bytes that halves its window at a loss.
enum class Load : uint8_t { greedy, steady, both, reno };

struct FlowPlan {
    Load load = Load::greedy;
    uint64_t start_us = 0;
    uint64_t end_us = UINT64_MAX;
    uint32_t bytes = 0;                // steady, both.
    uint32_t queue_bytes = 512 * 1024; // greedy, both: of the stream.
    uint32_t cap_bytes_per_second = UINT32_MAX;
    uint64_t more_way_us = 0;
};

struct Flying {
    uint64_t at_us;
    size_t flow;
    bool to_sender;
    uint64_t number; // reno.
    std::vector<std::byte> bytes;
};

struct Reno {
    uint64_t next, acked, recover; // Numbers of datagrams.
    double window, threshold;      // In datagrams.
    uint64_t acked_us;
    std::vector<bool> arrived;
    uint64_t expected;
    uint32_t repeated; // Acks of the same.
};

struct Flow {
    FlowPlan plan;
    std::vector<std::max_align_t> memory[2];
    tern::Connection *sender, *receiver;
    uint64_t next_us[2]; // Ticks.
    uint64_t tick_us[2];
    Reno reno;
    uint64_t arrived_bytes; // Datagrams, behind the link.
    uint64_t stale_us;      // steady: of the message that took longest, since it was looked at.
    std::vector<uint64_t> rates;   // Bytes per second, in each sample_us.
    std::vector<uint32_t> late_ms; // stale_us, in each sample_us.
};

struct World {
    Link link;
    std::vector<Flow> flows;
    tern::Random random;
    uint64_t now_us;
    uint64_t free_us; // When the link has sent all that it holds.
    uint64_t queue_worst_us;
    uint64_t dropped;
    std::deque<Flying> flying;
    std::vector<uint32_t> queue_ms; // The mean, in each sample_us.
    uint64_t queue_sum_us, queue_count;
};

World make(const Link &link, const std::vector<FlowPlan> &plans, uint64_t seed);
void run(World &world, uint64_t until_us);

struct Result {
    double use; // Of the link, 0 to 1.
    double queue_mean_ms, queue_p95_ms;
    std::vector<double> rates; // Bytes per second, each flow.
    double fairness;           // The largest of them by the least.
    double late_worst_ms;      // Of all steady messages.
};
Result result(const World &world, uint64_t from_us, uint64_t to_us);

}
