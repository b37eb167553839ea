// The second phase of a run: a core is healed, all others are dead for good, and within a bound of
// virtual time the core must agree (Q1 to Q6) and be of use again (L1 to L3).
//
// Resumable: one world event for each step. The bounds:
//   L1  agreement: 20 round trips and the timeouts of bound_us(), once all has arrived that was
//       under way at the healing (a late JOIN makes a member of a peer that has ended). Then, each
//       within 20 round trips and 1 s: every member creates an object, claims one, destroys one,
//       calls every other; a newcomer joins.
//   L2  under 30 % loss every member calls every other; all is heard within 60 round trips and 5 s
//       (or the timeout, if that is longer).
//   L3  of the quiet time that follows each connection takes at most 12 datagrams and 800 bytes a
//       second and direction, and no game hears of anything.
#pragma once
#include "sim/world/simulation.h"

namespace tern {

enum class LivenessStage : uint8_t {
    agreeing,
    creating,
    claiming,
    destroying,
    calling,
    joining,
    lossy_calling,
    calming, // What the losses left is acked.
    quiet,
    done
};

struct Probe { // What a member was told to do, and with which object.
    uint16_t place;
    uint32_t thing;
};

struct Liveness {
    LivenessStage stage;
    uint64_t began_us, stage_us, deadline_us; // World time.
    uint64_t landed_us;                   // When all has arrived that was under way at the healing.
    uint64_t look_us;                     // When it looks next.
    uint64_t agreed_us, slowest_probe_us; // How long it took.
    std::vector<Probe> probes;            // Of the stage.
    uint64_t quiet_datagrams, quiet_bytes; // Sent when it began.
    uint64_t quiet_events;                 // Of the games since.
    bool intact; // At the healing: nobody of the core took another of it for gone.
    uint16_t connections;
    uint64_t quiet_datagrams_per_s, quiet_bytes_per_s; // Of each connection and direction.
    Violation violation;
};

namespace liveness {

uint64_t round_trip_us(const SimOptions &options); // The longest, with the ticks at both ends.
uint64_t bound_us(const SimOptions &options);      // Of agreement.
const char *name(LivenessStage stage);

Liveness begin(Simulation &sim); // After the safety phase, if that has no violation.
// False: done, or there is a violation; it is in sim.oracles too.
bool step(Liveness &l, Simulation &sim);

}
}
