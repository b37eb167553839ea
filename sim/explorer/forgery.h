// Messages that a hostile member makes with its own keys: those that it has no right to send, and
// lies, which it may send but which are not true.
#pragma once
#include "sim/explorer/peer_steps_types.h"

namespace tern::forgery {

// --- Without a right: each receiver must reject these (Verdict other than ok and later) and stay
// unchanged ---

// True if nobody but its author may ever send this message: it carries a right
// of its author or a decision of the host.
bool is_forged_by_others(std::span<const std::byte> message);

// Write a message about another's object with a grant that the forger has made up: a MIGRATE to the
// forger under the next stamp, a DESTROY under the present one. Return the size of the message;
// assert that the buffer is large enough.
size_t migrate(std::span<std::byte> buffer, const TypeTable &types, const Believed &object,
               PeerId forger);
size_t destroy(std::span<std::byte> buffer, const Believed &object, PeerId forger);

// --- Lies ---

struct Query { // The content of a QUERY.
    uint32_t token;
    PeerId gone; // The first that it names. none: it names nobody.
};
bool read_query(std::span<const std::byte> message, Query &query); // False: it is no QUERY.
// Writes the message for which the liar's own replica has the counters, values and grants.
size_t lie(std::span<std::byte> buffer, const Replica &r, const Lie &lie);

}
