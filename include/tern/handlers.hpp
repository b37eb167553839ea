// The handlers of a Config get these structs.
#pragma once
#include "tern/types.hpp"

namespace tern {

// A call that the game must not make: wrong arguments, in the wrong state, of what another peer
// owns, from two threads at once. The function that was called has done nothing.
// docs/use/misuse.md.
struct Misuse {
    const char *function; // The name of the function.
    const char *wrong;    // A sentence for programmers: what was wrong, and what was expected.
    const char *remedy;   // A sentence: what to do instead.
    ObjectId object;      // The object that the call named; none: no object.
    PeerId owner;         // Its owner; none: unknown.
};

// An assertion of tern failed: a bug of tern. docs/use/recordings.md.
struct Crash {
    uint32_t struct_size = sizeof(Crash);
    uint32_t line;
    const char *file; // The assertion is in this line of tern's source.
    const char *text; // The condition that is false, with the values.
    // The addresses of the stack, as backtrace() gives them, each within its call; the innermost is
    // the first. Empty where there is no backtrace().
    std::span<void *const> frames;
    const char *function; // The public function that ran, as in Misuse.
    const char *message;  // The kind of the received message at work, such as "UPDATE", or null.
    uint64_t session;     // Invite::session of the session's invites.
    ObjectId object;      // The object of the message or of the function; none: unknown.
    PeerId local_peer;    // This peer.
    PeerId peer;          // The other end of the connection at work; none: no connection.
    uint32_t tick;        // The tick of this peer.
    // The part of the recording that take_recording() has not returned yet: with it the recording
    // ends in the failure. It holds keys, like all of a recording.
    std::span<const std::byte> recording;
};

TERN_TWINS(Misuse, tern_misuse);
TERN_TWINS(Crash, tern_crash);

}
