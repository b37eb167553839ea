// Runs tern-peer: loads the script, ticks the session, and returns the exit status.
#pragma once
#include "options.h"

namespace peer {

enum ExitStatus : int {
    exit_left = 0,
    exit_ended = 1,
    exit_usage = 2,
    exit_script = 3,
    exit_socket = 4
};

int run(const Options &options);

}
