// The process of one peer: it talks with its parent by pipes and with the other peers by its
// socket.
#pragma once
#include "pipe.h"

namespace demo::child {

struct Task {
    uint32_t index;             // 0: the first host.
    std::string invite;         // Of the first host; for the others.
    bool draws;                 // Sends the parent what it sees.
    int from_parent, to_parent; // Ends of pipes.
};

// Until the parent has its report, or has gone. The exit status of the process.
int run(const Options &options, const Task &task);

}
