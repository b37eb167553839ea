// Which packet numbers have been accepted, so that none is accepted twice. In blocks, as in
// RFC 6479: sliding forward clears whole words and never shifts.
#pragma once
#include <cstddef>
#include <cstdint>

namespace tern {

inline constexpr size_t replay_blocks = 32; // A power of two.
// How far behind the newest a packet may come. One block is always partly in the future.
inline constexpr uint64_t replay_window_packets = (replay_blocks - 1) * 64;

struct ReplayWindow { // Closed.
    uint64_t _blocks[replay_blocks];
    uint64_t _next; // One past the highest; 0 before the first.
};

namespace replay_window {

// One past the highest number set; 0 before the first.
uint64_t next(const ReplayWindow &window);
// Before decryption: false for a number that was set, or that is too old to tell.
bool is_new(const ReplayWindow &window, uint64_t number);
// After authentication.
void set(ReplayWindow &window, uint64_t number);
// 64 numbers from `start` on, lowest first; clear where nothing is known. start may be negative.
uint64_t bits(const ReplayWindow &window, int64_t start);
// As if [0, next) had been used up, and none of it arrived.
void skip_to(ReplayWindow &window, uint64_t next);

}
}
