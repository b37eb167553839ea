// Remembers which packet numbers were accepted, so that none is accepted twice. The bits lie in
// blocks as in RFC 6479: sliding forward clears whole words and never shifts.
#pragma once
#include <cstddef>
#include <cstdint>

namespace tern {

inline constexpr size_t replay_blocks = 32; // A power of two.
// How far behind the newest a packet may arrive. One block less, because the newest block also
// covers numbers that have not arrived yet.
inline constexpr uint64_t replay_window_packets = (replay_blocks - 1) * 64;

struct ReplayWindow { // Closed.
    uint64_t _blocks[replay_blocks];
    uint64_t _next; // One past the highest; 0 before the first.
};

namespace replay_window {

// One past the highest number set; 0 before the first.
uint64_t next(const ReplayWindow &window);
// False for a number that was set or lies before the window. Call it before decryption, which costs
// more.
bool is_new(const ReplayWindow &window, uint64_t number);
// Call it only after authentication; else forged packets could move the window.
void set(ReplayWindow &window, uint64_t number);
// The 64 bits from `start` on, lowest number in the lowest bit; 0 outside the window. start may be
// negative.
uint64_t bits(const ReplayWindow &window, int64_t start);
// Starts at number `next`, as if [0, next) had been used and none of it had arrived.
void skip_to(ReplayWindow &window, uint64_t next);

}
}
