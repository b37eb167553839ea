// Flows of several senders over one link with a drop-tail queue, in virtual time: measures the
// share of each flow and the length of the queue.
#pragma once
#include "base/random.h"
#include "tern/limits.hpp"
#include "transport/connection/connection.h"
#include <deque>
#include <memory>
#include <vector>

namespace shared_link {

// Mean period of every sender's and receiver's ticks; their phases differ.
inline constexpr uint64_t tick_us = 16'667;
inline constexpr uint64_t sample_us = 100'000;

struct Link {
    uint64_t bytes_per_second = 1'000'000;
    uint64_t queue_bytes_max = 200'000; // A datagram that would exceed this is dropped.
    // Delay of each direction, without the queue. Only the forward direction has a queue.
    uint64_t way_us = 25'000;
    uint64_t jitter_us = 0; // Up to this much is added in each direction, behind the queue.
    // Periods of the ticks differ from tick_us by up to this much.
    uint64_t drift_us = 0;
    double loss = 0; // Probability of losing a datagram, each direction, behind the queue.
    size_t datagram_bytes_max = SIZE_MAX; // Larger datagrams vanish.
};

// greedy: a stream that always has more to send. steady: `bytes` of unreliable messages in each
// tick. both: greedy and steady. reno: no tern connection, but a sender of datagrams of 1,200 bytes
// that halves its window at a loss.
enum class Load : uint8_t { greedy, steady, both, reno };

struct FlowPlan {
    Load load = Load::greedy;
    uint64_t start_us = 0;
    uint64_t end_us = UINT64_MAX;
    uint32_t bytes = 0;                // For steady and both.
    uint32_t queue_bytes = 512 * 1024; // For greedy and both: size of the stream's queue.
    uint32_t cap_bytes_per_second = UINT32_MAX;
    uint64_t more_way_us = 0;
};

struct Flying {
    uint64_t at_us;
    size_t flow;
    bool to_sender;
    uint64_t number; // Used by reno only.
    std::vector<std::byte> bytes;
};

struct Reno {
    uint64_t next, acked, recover; // Numbers of datagrams.
    double window, threshold;      // In datagrams.
    uint64_t acked_us;
    std::vector<bool> arrived;
    uint64_t expected;
    uint32_t repeated; // Duplicate acks in a row.
};

struct Flow {
    FlowPlan plan;
    std::vector<std::max_align_t> memory[2];
    tern::Connection *sender, *receiver;
    uint64_t next_us[2]; // [sender, receiver]: time of the next tick.
    uint64_t tick_us[2];
    Reno reno;
    uint64_t arrived_bytes; // In datagrams behind the link, since the last sample.
    uint64_t stale_us; // For steady and both: the longest delay of a message since the last sample.
    std::vector<uint64_t> rates;   // Bytes per second, one for each sample_us.
    std::vector<uint32_t> late_ms; // stale_us in ms, one for each sample_us.
};

struct World {
    Link link;
    std::vector<Flow> flows;
    tern::Random random;
    uint64_t now_us;
    uint64_t free_us; // When the link will have sent all that is queued.
    uint64_t queue_worst_us;
    uint64_t dropped;
    std::deque<Flying> flying;
    std::vector<uint32_t> queue_ms; // Mean length of the queue, one for each sample_us.
    uint64_t queue_sum_us, queue_count;
};

World make(const Link &link, const std::vector<FlowPlan> &plans, uint64_t seed);
void run(World &world, uint64_t until_us);

struct Result {
    double use; // Utilisation of the link, 0 to 1.
    double queue_mean_ms, queue_p95_ms;
    std::vector<double> rates; // Bytes per second of each flow.
    double fairness;           // The largest rate divided by the smallest.
    double late_worst_ms;      // The longest delay of any steady message.
};
Result result(const World &world, uint64_t from_us, uint64_t to_us);

}
