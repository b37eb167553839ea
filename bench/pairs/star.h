// A host that owns all objects and its clients: whole sessions, on sockets of the system or of a
// pretend network, ticked by hand.
#pragma once
#include "tern/io.h"
#include "tern/tern.h"
#include <vector>

namespace bench {

inline constexpr uint64_t star_tick_us = 16'667;

struct Star {
    std::vector<tern::Session *> sessions; // The host's first.
    std::vector<tern::Socket *> sockets;   // Not owned.
    uint64_t now_us;
};

namespace star {

// Not yet joined. `types` must outlive it; sockets: one for each.
Star make(std::span<const tern::Type> types, std::span<tern::Socket *const> sockets,
          uint32_t send_bytes_per_second_max, const tern::Parallel &parallel = {}); // The host's.
void destroy(Star &star);

void join(Star &star, size_t client);
// Each: receive, then send.
std::span<const tern::Event> receive(Star &star, size_t i);
void send(Star &star, size_t i);
void clients_tick(Star &star);
void host_tick(Star &star);
bool is_open(const Star &star, size_t i);
bool is_equal(const Star &star); // All worlds.

}
}
