#pragma once
#include <cstdint>

namespace tern {

// What one peer has of one object of ours. Zero: it has not acked the CREATE or MIGRATE of this
// tenure, and gets no UPDATE.
struct Published {
    uint32_t acked_tick; // Never 0 once announced: ticks start at 1.
    uint32_t sent_tick;  // Of the last UPDATE sent. At most one is sent at a tick.
};

// What the game has said of telling one object to one peer. Zero: nothing, its priority is 1.
struct Interest {
    uint32_t sight_tick; // Our tick when it was hidden or shown again. 0: it never was.
    uint32_t sent_at;    // Our tick of the last UPDATE.
    uint16_t priority;   // Of priority_one; 0: 1.
    bool hidden;
    bool sight_told; // The peer has acked an UPDATE of sight_tick or later.
};
inline constexpr uint16_t priority_one = 256;

// What it is as long as it is shown.
inline uint16_t priority(const Interest &interest)
{
    return interest.priority == 0 ? priority_one : interest.priority;
}

// How long it has waited, in ticks times its priority; from priority_one on it is its turn.
inline uint64_t urgency(const Interest &interest, uint32_t tick)
{
    return uint64_t{tick - interest.sent_at} * priority(interest);
}

// The peer has not heard yet that it is hidden, or that it is not any more.
inline bool sight_due(const Interest &interest)
{
    return interest.sight_tick != 0 && !interest.sight_told;
}

}
