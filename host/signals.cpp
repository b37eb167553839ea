#include "host/signals.h"
#include <csignal>

namespace dedicated::signals {

static volatile std::sig_atomic_t stop_count = 0;
static volatile std::sig_atomic_t hangup_seen = 0;

// Once the second has come, one more of the same signal kills the process even if it hangs.
static void note_stop(int number)
{
    stop_count = stop_count + 1;
    if (stop_count > 1) std::signal(number, SIG_DFL);
}

static void note_hangup(int)
{
    hangup_seen = 1;
}

static void handle(int number, void (*handler)(int))
{
    struct sigaction action = {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, nullptr);
}

void install()
{
    handle(SIGTERM, note_stop);
    handle(SIGINT, note_stop);
    handle(SIGHUP, note_hangup);
    handle(SIGPIPE, SIG_IGN);
}

unsigned stops()
{
    return static_cast<unsigned>(stop_count);
}

bool take_hangup()
{
    const bool seen = hangup_seen != 0;
    hangup_seen = 0;
    return seen;
}

}
