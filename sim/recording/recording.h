// Replays the recording of a real session in a new one, compares every datagram bit by bit, and
// writes its history.
#pragma once
#include "sim/picture/history.h"
#include "sim/profile/profile.h"
#include "tern/types.hpp"
#include <cstddef>
#include <span>

namespace tern {

struct PlayedRecording {
    bool ok;           // The whole recording was replayed, and every datagram sent was the same.
    std::string error; // If not ok: what is wrong, with byte and time.
    bool cut_short;    // The recording ends with the mark that its writer had no more room.
    // All below describes the part that was replayed.
    uint64_t digest; // world_digest() at the end.
    uint64_t ticks;  // Calls of send().
    uint64_t duration_us;
    uint64_t received_datagrams, sent_datagrams;
    State state; // session_state() at the end.
    // Lane 0 is the recorded session. A message of another peer is drawn from when it was received,
    // and a message of the session until its ack arrived, because the clocks of the other peers are
    // not recorded.
    History history;
    Profile profile; // The traffic that the session sent.
};

namespace recording {

bool is_recording(std::span<const std::byte> bytes); // Reads the first bytes only.
PlayedRecording play(std::span<const std::byte> recording);

}
}
