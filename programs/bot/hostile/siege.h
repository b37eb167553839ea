// An attack on the session of the bots, in a thread of its own: a hostile bot joins and attacks.
// When it has been removed it comes back as another peer. Meanwhile a guest, which is honest, joins
// and leaves, again and again: an attack may be on newcomers or on departures.
#pragma once
#include "bot/options.h"
#include <memory>
#include <vector>

namespace bot {

// The hostile bot as one peer.
struct Life {
    tern::PeerId peer;
    uint64_t attacks_us; // When its attack began; 0: it was removed before.
    uint64_t quits_us;   // When it was gone by its own choice; UINT64_MAX: it was removed.
};

struct SiegeReport {
    std::vector<Life> lives;
    uint64_t sent;                    // Messages, calls and datagrams of the attack.
    std::string end;                  // How the hostile bot ended last; empty if it did not.
    std::vector<tern::PeerId> guests; // The ids that the guest has had.
    uint32_t turned_away;             // How often it could not.
    uint64_t wait_us_max;             // How long it took at most to join, or has waited in the end.
};

struct Siege; // Opaque. The thread ends with the last copy of its pointer.

namespace siege {

std::shared_ptr<Siege> begin(const Options &options); // Keeps `options`.
// Ends the attack: the hostile bot is gone without a goodbye.
SiegeReport end(Siege &siege);

}
}
