// A host that owns all objects, and its clients: whole sessions, on real or simulated sockets,
// ticked by hand.
#pragma once
#include "tern/io.hpp"
#include "tern/tern.hpp"
#include <vector>

namespace bench {

inline constexpr uint64_t star_tick_us = 16'667;

struct Star {
    std::vector<tern::Session *> sessions; // sessions[0] is the host's.
    std::vector<tern::Socket *> sockets;   // [session]; not owned.
    uint64_t now_us;
};

namespace star {

// Makes one session per socket; none has joined yet. `types` must outlive the Star.
Star make(std::span<const tern::Type> types, std::span<tern::Socket *const> sockets,
          // `parallel` is used by the host only.
          uint32_t send_bytes_per_second_max, const tern::Parallel &parallel = {});
void destroy(Star &star);

void join(Star &star, size_t client);
// receive() and send() act on session i; both are needed in each tick.
std::span<const tern::Event> receive(Star &star, size_t i);
void send(Star &star, size_t i);
void clients_tick(Star &star);
void host_tick(Star &star);
bool is_open(const Star &star, size_t i);
bool is_equal(const Star &star); // Whether the worlds of all sessions are equal.

}
}
