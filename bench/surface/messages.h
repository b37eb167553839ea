// Hosts and clients that send each other a message of 200 bytes in each tick: over sessions, over
// ENet, and over plain sockets.
#pragma once
#include "bench/surface/processes.h"
#include "bench/surface/sessions.h"

namespace bench::surface {

struct MessageSetup {
    uint32_t client_count;
    uint32_t period_us;
    SessionSetup session; // For sessions only.
};

std::span<const tern::Type> message_types();

// `setup` must live until the processes have ended.
Programs session_messages(const MessageSetup &setup);
Programs enet_messages(const MessageSetup &setup); // Only with has_enet().
Programs plain_messages(const MessageSetup &setup);

}
