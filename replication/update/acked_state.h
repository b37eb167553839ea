// The acked state of an object at a peer, and the visibility and priority that the game gives it
// there.
#pragma once
#include <cstdint>

namespace tern {

// The acked state of one own object at one peer. Zero: the CREATE or MIGRATE of this tenure is not
// acked, and the peer gets no UPDATE.
struct AckedState {
    uint32_t acked_tick; // Never 0 after that ack: ticks start at 1.
    // This peer's tick of the last UPDATE. At most one is sent per tick.
    uint32_t sent_tick;
};

// Visibility and priority of one object for one peer, as set by the game. Zero: visible, with
// priority 1.
struct Interest {
    // This peer's tick when the object was hidden or shown again; 0: it never was.
    uint32_t visibility_tick;
    uint16_t priority; // In 1/priority_one; 0 stands for priority 1.
    bool hidden;
    bool visibility_acked; // The peer has acked an UPDATE of visibility_tick or later.
};
inline constexpr uint16_t priority_one = 256;

// The priority while the object is visible.
inline uint16_t priority(const Interest &interest)
{
    return interest.priority == 0 ? priority_one : interest.priority;
}

// Ticks since the last update, times the priority. The object has its turn from priority_one on.
inline uint64_t urgency(const Interest &interest, uint32_t sent_tick, uint32_t tick)
{
    return uint64_t{tick - sent_tick} * priority(interest);
}

// Whether the peer has not acked yet that the object was hidden or shown.
inline bool visibility_due(const Interest &interest)
{
    return interest.visibility_tick != 0 && !interest.visibility_acked;
}

}
