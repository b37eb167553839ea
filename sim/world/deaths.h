// How long a session is without a host: the host of a playing group dies or leaves, under network
// conditions drawn from a seed, and the times of all that follows are taken.
#pragma once
#include <cstdint>
#include <string>

namespace tern {

enum class HostEnd : uint8_t {
    crash,
    two,  // The host, and within 100 ms who would follow it.
    leave // The times count from leave().
};

struct DeathOptions {
    HostEnd end = HostEnd::crash;
    uint64_t seed = 1;
    uint16_t peers = 5;
    uint32_t timeout_ms = 2000;
    uint32_t rtt_ms = 0;      // Least; 0: 20 to 200, from the seed. An eighth more by chance.
    double loss_percent = -1; // Below 0: 1 to 5, from the seed.
    bool idle = false;        // Nobody sets anything; then nothing is known of ages or losses.
};

// In order of time, from the end of the last host.
struct DeathTimes {
    uint64_t asked_us;      // Its successor asks the others.
    uint64_t agreed_us;     // The last of them takes the host for gone.
    uint64_t granted_us;    // All have reported: the first grants of the new host.
    uint64_t known_us;      // All know it, and no object is the last host's.
    uint64_t gap_us;        // The longest that a survivor's view had no host.
    uint64_t age_before_us; // In the last second before: the oldest view of another's object, all
                            // of which are set in every tick.
    uint64_t age_us;        // From then on, of the objects of survivors who have not become host.
    uint32_t inherited;     // Of the last host's objects: those that the new one has.
    uint32_t lost_ticks;    // Of the last host's writes, at the new one. leave: none.
    std::string wrong;      // Empty: it ended as it must.
};

namespace deaths {

DeathTimes run(const DeathOptions &options);

}
}
