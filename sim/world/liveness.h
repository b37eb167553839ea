// The second phase of a run: the core, a set of peers, is healed and all other peers end for good.
// Within a bound of virtual time the core must agree (Q1 to Q6, Q9, Q10) and work again (L1 to L3).
// docs/testing.md lists the invariants.
//
// The phase is resumable: each step is one world event. The bounds:
//   L1  The core agrees within 20 round trips and the timeouts of bound_us(). Then every
//       member creates an object, claims one, destroys one and calls every other member, and a
//       newcomer joins, each within 20 round trips and 1 s; the join has 2 s more.
//       Then the games change their objects for 3 s, and the core agrees again.
//   L2  Under 30 % loss every member calls every other one, and all calls arrive within 60 round
//       trips and 5 s (or the timeout, if that is longer).
//   L3  In the quiet time that follows, each connection takes at most 12 datagrams and 800 bytes a
//       second and direction, and no game gets an event, apart from late unreliable calls
//       and the failures of calls that were lost before.
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
    playing, // The games change their objects, and oracles check what the others show.
    lossy_calling,
    calming, // Without loss, everything that is unacked is sent again and acked.
    quiet,
    done
};

struct Probe { // An act that a member was ordered to do in this stage.
    uint16_t place;
    uint32_t thing;
};

struct Liveness {
    LivenessStage stage;
    uint64_t began_us, stage_us, deadline_us; // World time.
    uint64_t look_us;                         // When the stage is checked next.
    uint64_t agreed_us, slowest_probe_us;     // How long agreement and the slowest probe took.
    std::vector<Probe> probes;                // The probes of the stage.
    // Counts when the quiet time began: datagrams and bytes sent, events of all games.
    uint64_t quiet_datagrams, quiet_bytes;
    uint64_t quiet_events;
    bool intact;          // No member of the core took another one for gone at the healing.
    uint16_t connections; // Connections of the core, each counted once for each direction.
    uint64_t quiet_datagrams_per_s, quiet_bytes_per_s; // For each connection and direction.
    Violation violation;
};

namespace liveness {

uint64_t round_trip_us(const SimOptions &options); // The longest one, with a tick at both ends.
uint64_t bound_us(const SimOptions &options);      // The bound of agreement.
const char *name(LivenessStage stage);

// Call it after the safety phase, if that has no violation.
Liveness begin(Simulation &sim);
// False: the phase is done, or there is a violation, which is in sim.oracles too.
bool step(Liveness &l, Simulation &sim);
// The whole phase. Does nothing if there is a violation, or the run is void.
void play(Simulation &sim);

}
}
