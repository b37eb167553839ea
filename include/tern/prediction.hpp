// Values to show between and past updates, and the common clock; docs/decisions.md, "Error bounds".
#pragma once
#include "tern/tern.hpp"

namespace tern {

// Writes the object as of `at_us`, on the clock of receive(), to `value`: for rendering.
// - at_us = now_us: extrapolated from the owner's updates (dead reckoning).
// - at_us = now_us - 100'000, for example: interpolated between updates.
// Each update is dated as if it had arrived with the smallest delay of its path, which hides
// jitter. float32 and quaternion fields are interpolated linearly between updates, and extrapolated
// past the newest one for at most 16 of the owner's ticks; after that they return to its values.
// All other fields are those of the newest update that is not after at_us. An interpolation history
// (the last 16 updates of the tenure) is kept only for objects of other owners whose type is
// predicted or has a field with a bound; for all others sample() gives what get() gives. False,
// with `value` left unchanged, if no such object is alive here. docs/decisions.md, "Error bounds".
template <GameStruct T>
bool sample(const Session *session, Object<T> object, uint64_t at_us,
            std::type_identity_t<T> &value)
{
    return tern_sample(session, to_c(object.id), at_us, &value, sizeof(T)) == TERN_OK;
}

// The same, for an object whose type only the run knows.
inline bool sample(const Session *session, ObjectId object, uint64_t at_us, void *value,
                   size_t size_bytes)
{
    return tern_sample(session, to_c(object), at_us, value, size_bytes) == TERN_OK;
}

// The host's session clock at now_us, in microseconds since the host called start(); on other peers
// an estimate.
inline uint64_t session_clock_us(const Session *session, uint64_t now_us)
{
    return tern_session_clock_us(session, now_us);
}

}
