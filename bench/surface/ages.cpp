#include "bench/surface/ages.h"
#include <algorithm>

namespace bench::surface {

namespace ages {

double percentile(Ages &ages, double share)
{
    if (ages.ms.empty()) return 0;
    const auto at = static_cast<size_t>(share * static_cast<double>(ages.ms.size() - 1));
    std::nth_element(ages.ms.begin(), ages.ms.begin() + static_cast<ptrdiff_t>(at), ages.ms.end());
    return ages.ms[at];
}

void close(Ages &ages, Report &report)
{
    report.age_p50_ms = percentile(ages, 0.5);
    report.age_p99_ms = percentile(ages, 0.99);
    ages.ms.clear();
}

}

namespace message_log {

static uint8_t content(uint64_t number, size_t i)
{
    return static_cast<uint8_t>(number * 31 + i);
}

Message next(MessageLog &log)
{
    Message made;
    made.number = log.sent;
    made.sent_ns = wall_clock_ns();
    for (size_t i = 0; i < sizeof made.content; ++i)
        made.content[i] = content(made.number, i);
    log.sent += 1;
    return made;
}

void take(MessageLog &log, const void *bytes, size_t size_bytes)
{
    Message got = {};
    if (size_bytes != sizeof got) {
        log.wrong = true;
        return;
    }
    std::memcpy(&got, bytes, sizeof got);
    for (size_t i = 0; i < sizeof got.content; ++i)
        log.wrong = log.wrong || got.content[i] != content(got.number, i);
    ages::add(log.ages, static_cast<double>(wall_clock_ns() - got.sent_ns) / 1e6);
    log.received += 1;
}

Report close(MessageLog &log)
{
    Report made = {};
    made.due = log.sent;
    made.delivered = log.received;
    made.wrong = log.wrong;
    ages::close(log.ages, made);
    log.sent = log.received = 0;
    return made;
}

}
}
