// Notifications to systemd: one datagram for each, sent to $NOTIFY_SOCKET (sd_notify(3)).
#pragma once
#include <cstdint>
#include <string>

namespace dedicated {

struct Notify {
    std::string socket;          // Empty: send nothing. An abstract socket begins with '@'.
    uint64_t watchdog_us = 0;    // Interval: half of systemd's timeout; 0: no watchdog.
    uint64_t watchdog_at_us = 0; // When the next watchdog notification is due.
};

namespace notify {

// Reads NOTIFY_SOCKET and WATCHDOG_*, and unsets them so that no child process inherits them.
Notify from_environment();
// Sends lines such as "READY=1" or "STATUS=...". False if there is no socket or sending failed.
bool say(const Notify &notify, const std::string &lines);
void reloading(const Notify &notify);       // Send READY=1 when the reload is done.
void tick(Notify &notify, uint64_t now_us); // Sends WATCHDOG=1 when it is due.

}
}
