// libsodium's random source as seeded streams, so that keys and handshakes replay to the byte.
// It is global to the process: switch the stream before each touch of a session.
#pragma once
#include "sim/world/dice.h"

namespace tern::sodium_source {

// While anybody holds it, libsodium draws from here; the last to let go puts libsodium's own source
// back (which of its own it was before cannot be asked).
void hold();
void let_go();
// From here on libsodium draws from *stream, which must live on. Null: to draw is a mistake.
void use(Dice *stream);

}
