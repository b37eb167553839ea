// What systemd is told: one datagram for each state, to $NOTIFY_SOCKET (sd_notify(3)).
#pragma once
#include <cstdint>
#include <string>

namespace dedicated {

struct Notify {
    std::string socket;       // Empty: nobody listens. '@' first: an abstract one.
    uint64_t watchdog_us = 0; // Half of what systemd waits for; 0: it does not.
    uint64_t watchdog_at_us = 0;
};

namespace notify {

Notify from_environment(); // And takes it away from what this process may start.
// Of lines "READY=1", "STATUS=..." and the like. False: it did not get there.
bool say(const Notify &notify, const std::string &lines);
void reloading(const Notify &notify);       // To be followed by READY=1.
void tick(Notify &notify, uint64_t now_us); // Feeds the watchdog when it is time.

}
}
