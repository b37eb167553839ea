#pragma once
#include <cstdint>

namespace tern {

// What one peer has of one object of ours. Zero: it has not acked the CREATE or MIGRATE of this
// tenure, and gets no UPDATE.
struct Published {
    uint32_t acked_tick; // Never 0 once announced: ticks start at 1.
    uint32_t sent_tick;  // Of the last UPDATE sent. At most one is sent at a tick.
};

}
