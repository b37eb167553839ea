#include "transport/handshake/half_open.h"
#include "base/assert.h"
#include <cstring>
#include <sodium.h>

namespace tern::half_open {

HalfOpen &at(HalfOpenTable &table, uint16_t index)
{
    TERN_ASSERT(index < half_open_max, "index %u", index);
    return table._entries[index];
}

HalfOpen *find(HalfOpenTable &table, const Address &address, const uint8_t (&mac1)[16])
{
    for (HalfOpen &entry : table._entries)
        if (entry.is_used && std::memcmp(entry.mac1, mac1, sizeof mac1) == 0 &&
            entry.address == address)
            return &entry;
    return nullptr;
}

bool is_full(const HalfOpenTable &table)
{
    for (const HalfOpen &entry : table._entries)
        if (!entry.is_used || entry.is_spent) return false;
    return true;
}

uint16_t next_place(const HalfOpenTable &table)
{
    // Ranked by what replacing the entry loses: nothing, the knowledge of an initiation that may be
    // repeated, a handshake.
    const auto rank = [](const HalfOpen &entry) {
        return !entry.is_used ? 0 : entry.is_spent ? 1 : 2;
    };
    uint16_t best = 0;
    for (uint16_t i = 1; i < half_open_max; i += 1) {
        const HalfOpen &one = table._entries[i], &other = table._entries[best];
        if (rank(one) < rank(other) || (rank(one) == rank(other) && one.made_at < other.made_at))
            best = i;
    }
    return best;
}

void spend(HalfOpen &entry)
{
    entry.is_spent = true;
    entry.response_due = false;
    entry.local_id = 0;
    sodium_memzero(&entry.keys, sizeof entry.keys);
}

bool is_over(const HalfOpen &entry, uint64_t now_us)
{
    return entry.is_used && now_us - entry.made_us >= half_open_time_us;
}

}
