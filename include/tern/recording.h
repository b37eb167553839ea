// Recordings of a session, in C99: docs/use/recordings.md.
#ifndef TERN_RECORDING_H
#define TERN_RECORDING_H

#include "tern/tern.h"

#ifdef __cplusplus
extern "C" {
#endif

// With tern_config.recording_bytes_max: gives the size of the part of the recording that is new
// since the last call, and points `bytes` to it, until the next call that changes the session.
// Append it to a file after each tick; tern-sim replays that file. If the buffer fills up before it
// is taken, the recording ends with a record that marks this. A RECORDING CONTAINS THE SESSION'S
// KEYS AND ITS SECRET.
TERN_API size_t tern_take_recording(tern_session *session, const void **bytes);

#ifdef __cplusplus
}
#endif
#endif
