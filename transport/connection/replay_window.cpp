#include "transport/connection/replay_window.h"
#include <algorithm>

namespace tern::replay_window {

namespace {

bool too_old(const ReplayWindow &window, uint64_t number)
{
    return number < window._next && window._next - 1 - number >= replay_window_packets;
}

// A block by its absolute index; 0 if it has left the window or has not begun.
uint64_t block(const ReplayWindow &window, uint64_t index)
{
    if (window._next == 0) return 0;
    const uint64_t newest = (window._next - 1) / 64;
    if (index > newest || newest - index >= replay_blocks) return 0;
    return window._blocks[index % replay_blocks];
}

}

uint64_t next(const ReplayWindow &window)
{
    return window._next;
}

bool is_new(const ReplayWindow &window, uint64_t number)
{
    if (number >= window._next) return true;
    if (too_old(window, number)) return false;
    return (window._blocks[number / 64 % replay_blocks] >> number % 64 & 1) == 0;
}

void set(ReplayWindow &window, uint64_t number)
{
    if (too_old(window, number)) return;
    if (number >= window._next) {
        const uint64_t block = number / 64;
        const uint64_t before = window._next == 0 ? 0 : (window._next - 1) / 64;
        const uint64_t fresh = std::min<uint64_t>(block - before, replay_blocks);
        for (uint64_t i = 0; i < fresh; i += 1)
            window._blocks[(block - i) % replay_blocks] = 0;
        window._next = number + 1;
    }
    window._blocks[number / 64 % replay_blocks] |= 1ull << number % 64;
}

uint64_t bits(const ReplayWindow &window, int64_t start)
{
    if (start <= -64) return 0;
    if (start < 0) return block(window, 0) << -start;
    const auto from = static_cast<uint64_t>(start);
    const uint64_t low = block(window, from / 64) >> from % 64;
    if (from % 64 == 0) return low;
    return low | block(window, from / 64 + 1) << (64 - from % 64);
}

void skip_to(ReplayWindow &window, uint64_t next)
{
    window = {};
    window._next = next;
}

}
