// Ages of what receivers see, and the messages of a fixed size that carry when they were sent.
#pragma once
#include "bench/surface/processes.h"
#include <span>
#include <vector>

namespace bench::surface {

struct Ages {
    std::vector<float> ms;
};

namespace ages {

inline void add(Ages &ages, double ms)
{
    ages.ms.push_back(static_cast<float>(ms));
}
double percentile(Ages &ages, double share); // 0 without ages. Changes their order.
void close(Ages &ages, Report &report);      // Fills in both percentiles and forgets the ages.

}

inline constexpr size_t message_bytes = 200;

struct Message {
    uint64_t number; // Sender's count of its messages; the content depends on it.
    uint64_t sent_ns;
    uint8_t content[message_bytes - 16];
};
static_assert(sizeof(Message) == message_bytes);

struct MessageLog {
    uint64_t sent, received;
    bool wrong; // A message that is not as it was sent.
    Ages ages;
};

namespace message_log {

Message next(MessageLog &log);
void take(MessageLog &log, const void *bytes, size_t size_bytes);
Report close(MessageLog &log); // The counts since the last call.

}
}
