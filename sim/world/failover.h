// Measures how long a session is without a host: the host of a playing group crashes or leaves,
// under network conditions drawn from a seed, and the steps of the departure are timed.
#pragma once
#include <cstdint>
#include <string>

namespace tern {

enum class HostEnd : uint8_t {
    crash,
    two,  // The host crashes, and its successor within 100 ms of it.
    leave // The host leaves; times count from leave().
};

struct DeathOptions {
    HostEnd end = HostEnd::crash;
    uint64_t seed = 1;
    uint16_t peers = 5;
    uint32_t timeout_ms = 2000;
    // The least round trip; jitter adds up to an eighth. 0: 20 to 200, drawn from the seed.
    uint32_t rtt_ms = 0;
    double loss_percent = -1; // Negative: 1 to 5, drawn from the seed.
    // No object is set while the trial runs. Then ages and lost_ticks are 0 and mean nothing.
    bool idle = false;
};

// Times count from the end of the old host, and are in the order in which they happen.
struct DeathTimes {
    uint64_t asked_us;   // The successor starts to collect reports.
    uint64_t agreed_us;  // The last survivor takes the old host for gone.
    uint64_t granted_us; // The successor has all reports and is the host.
    uint64_t known_us;   // All survivors know the new host as host, and as owner of the old host's
                         // objects.
    uint64_t gap_us;     // The longest time for which one survivor had no host.
    // Owners set their objects in every tick. The age of the oldest value that a peer saw of an
    // object of another one: in the last second before the end of the old host, and after it.
    // The latter covers the objects of survivors only, without those of the new host.
    uint64_t age_before_us;
    uint64_t age_us;
    uint32_t inherited;  // Objects of the old host that the new host owns.
    uint32_t lost_ticks; // The most writes of the old host that one of these lacks. leave: 0.
    std::string wrong;   // Empty: the trial ended as it must.
};

namespace failover {

DeathTimes run(const DeathOptions &options);

}
}
