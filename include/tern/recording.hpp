// Recordings of a session: docs/use/recordings.md.
#pragma once
#include "tern/recording.h"
#include "tern/types.hpp"

namespace tern {

// With Config::recording_bytes_max: the part of the recording that is new since the last call.
// Append it to a file after each tick; tern-sim replays that file. Valid until the next call that
// changes the session. If the buffer fills up before it is taken, the recording ends with a record
// that marks this. docs/use/recordings.md. A RECORDING CONTAINS THE SESSION'S KEYS AND ITS SECRET.
inline std::span<const std::byte> take_recording(Session *session)
{
    const void *bytes = nullptr;
    const size_t size = tern_take_recording(session, &bytes);
    return {static_cast<const std::byte *>(bytes), size};
}

}
