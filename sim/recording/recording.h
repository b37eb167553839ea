// Plays the recording of a real session back into a fresh one, bit by bit, and tells its history.
#pragma once
#include "sim/picture/history.h"
#include "sim/profile/profile.h"
#include "tern/types.h"
#include <cstddef>
#include <span>

namespace tern {

struct PlayedRecording {
    bool ok;           // It was read to its end, and every datagram was what it had been.
    std::string error; // Else: what, at which byte and time.
    bool cut_short;    // It says that its writer could not write on.
    uint64_t digest;   // Of the world at the end, and below: of what was played.
    uint64_t ticks;    // Calls of send().
    uint64_t duration_us;
    uint64_t received_datagrams, sent_datagrams;
    State state; // At the end.
    // Lane 0 is the recorded session. What others said begins where it was heard, and what it said
    // ends where the ack arrived: of the others' clocks nothing is known.
    History history;
    Profile profile; // Of what it sent.
};

namespace recording {

bool is_recording(std::span<const std::byte> bytes); // By its first bytes.
PlayedRecording play(std::span<const std::byte> recording);

}
}
