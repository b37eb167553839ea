// Checks the replay window against a list of all numbers that were set, near 0 and near 2^64.
#include "transport/connection/replay_window.h"
#include "fuzz/support/input.h"
#include "fuzz/targets.h"

namespace tern::fuzz {

namespace {

constexpr size_t numbers_max = 128;

struct Model {
    uint64_t numbers[numbers_max];
    size_t count;
    uint64_t next; // One past the highest.
};

bool contains(const Model &m, uint64_t number)
{
    return std::find(m.numbers, m.numbers + m.count, number) != m.numbers + m.count;
}

bool is_old(const Model &m, uint64_t number)
{
    return number < m.next && m.next - 1 - number >= replay_window_packets;
}

void set(Model &m, uint64_t number)
{
    if (is_old(m, number)) return;
    if (!contains(m, number)) m.numbers[m.count++] = number;
    m.next = std::max(m.next, number + 1);
}

void compare_bits(const ReplayWindow &window, const Model &m, int64_t start)
{
    uint64_t expected = 0;
    for (size_t i = 0; i < m.count; ++i) {
        const uint64_t number = m.numbers[i];
        const __int128 place = static_cast<__int128>(number) - start;
        const bool kept = (m.next - 1) / 64 - number / 64 < replay_blocks;
        if (kept && place >= 0 && place < 64) expected |= uint64_t{1} << static_cast<int>(place);
    }
    const uint64_t bits = replay_window::bits(window, start);
    TERN_ASSERT(bits == expected, "bits from %lld are %llx, not %llx",
                static_cast<long long>(start), static_cast<unsigned long long>(bits),
                static_cast<unsigned long long>(expected));
}

// Mostly a number near the newest one; below 0 it wraps around. UINT64_MAX is left out, because no
// number follows it.
uint64_t next_number(Input &in, const Model &m)
{
    const uint8_t what = input::u8(in);
    uint64_t number = m.next + (what >> 2);
    if (what % 4 == 1) number = m.next - 1 - input::u8(in) * 9ull;
    if (what % 4 == 2) number = m.next + input::u16(in) - 32768u;
    if (what % 4 == 3) number = input::u64(in);
    return std::min(number, UINT64_MAX - 1);
}

}

void fuzz_replay_window(std::span<const uint8_t> data)
{
    Input in = {data};
    ReplayWindow window = {};
    Model model;
    model.count = 0;
    model.next = 0;
    const uint8_t start = input::u8(in);
    if (start % 2 == 1) {
        model.next = start % 4 == 1 ? input::u64(in) : UINT64_MAX - (start >> 2);
        replay_window::skip_to(window, model.next);
    }
    while (!input::empty(in) && model.count < numbers_max) {
        const uint64_t number = next_number(in, model);
        const bool is_new = !is_old(model, number) && !contains(model, number);
        TERN_ASSERT(replay_window::is_new(window, number) == is_new, "number %llu with next %llu",
                    static_cast<unsigned long long>(number),
                    static_cast<unsigned long long>(model.next));
        compare_bits(window, model, static_cast<int64_t>(number));
        if (input::u8(in) % 4 == 0) continue; // The packet was checked, but not accepted.
        replay_window::set(window, number);
        set(model, number);
        TERN_ASSERT(replay_window::next(window) == model.next, "next after %llu",
                    static_cast<unsigned long long>(number));
        TERN_ASSERT(!replay_window::is_new(window, number), "number %llu is still new",
                    static_cast<unsigned long long>(number));
        compare_bits(window, model, static_cast<int64_t>(number - input::u8(in)));
    }
}

}
