#include "host/notify.h"
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace dedicated::notify {

Notify from_environment()
{
    Notify notify;
    if (const char *socket = std::getenv("NOTIFY_SOCKET")) notify.socket = socket;
    const char *pid = std::getenv("WATCHDOG_PID");
    const bool for_us = !pid || std::strtoll(pid, nullptr, 10) == getpid();
    const char *watchdog = std::getenv("WATCHDOG_USEC");
    if (watchdog && for_us) notify.watchdog_us = std::strtoull(watchdog, nullptr, 10) / 2;
    for (const char *name : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"})
        unsetenv(name);
    return notify;
}

bool say(const Notify &notify, const std::string &lines)
{
    const std::string &path = notify.socket;
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    if (path.empty() || path.size() >= sizeof address.sun_path) return false;
    std::memcpy(address.sun_path, path.data(), path.size());
    if (path[0] == '@') address.sun_path[0] = '\0';
    const int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return false;
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
    const ssize_t sent = sendto(descriptor, lines.data(), lines.size(), MSG_NOSIGNAL | MSG_DONTWAIT,
                                reinterpret_cast<const sockaddr *>(&address), size);
    close(descriptor);
    return sent == static_cast<ssize_t>(lines.size());
}

void reloading(const Notify &notify)
{
    timespec now = {};
    clock_gettime(CLOCK_MONOTONIC, &now);
    const uint64_t now_us =
        static_cast<uint64_t>(now.tv_sec) * 1'000'000 + static_cast<uint64_t>(now.tv_nsec) / 1000;
    say(notify, "RELOADING=1\nMONOTONIC_USEC=" + std::to_string(now_us));
}

void tick(Notify &notify, uint64_t now_us)
{
    if (notify.watchdog_us == 0 || now_us < notify.watchdog_at_us) return;
    notify.watchdog_at_us = now_us + notify.watchdog_us;
    say(notify, "WATCHDOG=1");
}

}
