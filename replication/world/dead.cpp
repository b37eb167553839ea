#include "replication/world/dead.h"
#include "replication/world/stamp.h"
#include <algorithm>

namespace tern::dead {

static uint64_t creator(uint64_t id)
{
    return id >> 32;
}

// The first range that does not end before `id`.
static size_t find(const Dead &dead, uint64_t id)
{
    const DeadRange *range = std::lower_bound(
        dead.begin(), dead.end(), id,
        [](const DeadRange &candidate, uint64_t value) { return candidate.last < value; });
    return static_cast<size_t>(range - dead.begin());
}

bool contains(const Dead &dead, ObjectId object)
{
    const auto id = static_cast<uint64_t>(object);
    const size_t i = find(dead, id);
    return i < dead.count && dead[i].first <= id;
}

bool contains_all(const Dead &dead, DeadRange range)
{
    const size_t i = find(dead, range.first);
    return i < dead.count && dead[i].first <= range.first && range.last <= dead[i].last;
}

DeadRange run(const Dead &dead, DeadRange range)
{
    const size_t i = find(dead, range.first);
    TERN_ASSERT(i < dead.count && dead[i].first <= range.first && range.last <= dead[i].last,
                "range %llx to %llx is not dead", static_cast<unsigned long long>(range.first),
                static_cast<unsigned long long>(range.last));
    return dead[i];
}

bool contains_any_of(const Dead &dead, PeerId creator)
{
    const auto id = static_cast<uint64_t>(object_id::make(creator, 0));
    const size_t i = find(dead, id);
    return i < dead.count && dead[i].first >> 32 == id >> 32;
}

// Whether b begins directly after a, so that they must be one range.
static bool touches(uint64_t a_last, uint64_t b_first)
{
    return a_last + 1 == b_first && creator(a_last) == creator(b_first);
}

static void erase(Dead &dead, size_t first, size_t count)
{
    std::memmove(dead.begin() + first, dead.begin() + first + count,
                 (dead.count - first - count) * sizeof(DeadRange));
    std::memset(dead.begin() + dead.count - count, 0, count * sizeof(DeadRange));
    dead.count -= static_cast<uint32_t>(count);
}

bool add(Dead &dead, DeadRange range)
{
    TERN_ASSERT(range.first <= range.last && creator(range.first) == creator(range.last),
                "range %llx to %llx", static_cast<unsigned long long>(range.first),
                static_cast<unsigned long long>(range.last));
    size_t first = find(dead, range.first);
    if (first > 0 && touches(dead[first - 1].last, range.first)) first -= 1;
    size_t end = first; // Past the last range that merges with the new one.
    while (end < dead.count &&
           (dead[end].first <= range.last || touches(range.last, dead[end].first)))
        ++end;
    if (first == end) {
        if (flat::full(dead)) return false;
        flat::insert(dead, first, range);
        return true;
    }
    dead[first].first = std::min(dead[first].first, range.first);
    dead[first].last = std::max(dead[end - 1].last, range.last);
    erase(dead, first + 1, end - first - 1);
    return true;
}

// --- Gaps ---

// An id has 48 bits. While widen() is prepared, this bit of DeadRange::first says that a living
// object lies in the gap before the range.
static constexpr uint64_t living_before = uint64_t{1} << 63;

void has_living(Dead &dead, ObjectId object)
{
    const size_t next = find(dead, static_cast<uint64_t>(object));
    if (next < dead.count) dead[next].first |= living_before;
}

static bool is_open_gap(const Dead &dead, size_t next)
{
    return next > 0 && (dead[next].first & living_before) == 0 &&
           creator(dead[next - 1].last) == creator(dead[next].last);
}

// The creator with the most gaps in which nothing lives.
static uint64_t sloppiest(const Dead &dead)
{
    uint64_t found = 0;
    size_t most = 0, gaps = 0;
    for (size_t i = 0; i < dead.count; ++i) {
        const bool same = i > 0 && creator(dead[i - 1].last) == creator(dead[i].last);
        gaps = same ? gaps + is_open_gap(dead, i) : 0;
        if (gaps <= most) continue;
        most = gaps;
        found = creator(dead[i].last);
    }
    TERN_ASSERT(most > 0, "%u ranges, and something lives between all of them", dead.count);
    return found;
}

void widen(Dead &dead)
{
    const uint64_t whose = sloppiest(dead);
    uint32_t kept = 0;
    for (size_t i = 0; i < dead.count; ++i) {
        const bool merges = is_open_gap(dead, i) && creator(dead[i].last) == whose;
        if (merges)
            dead[kept - 1].last = dead[i].last;
        else
            dead[kept++] = dead[i];
    }
    std::memset(dead.begin() + kept, 0, (dead.count - kept) * sizeof(DeadRange));
    dead.count = kept;
    for (DeadRange &range : dead.all())
        range.first &= ~living_before;
}

}
