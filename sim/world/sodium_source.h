// Replaces libsodium's random source by seeded streams, so that keys and handshakes replay to the
// byte. The source is global to the process: call use() before each call of a session.
#pragma once
#include "sim/world/dice.h"

namespace tern::sodium_source {

// Each hold() needs a let_go(). The last let_go() installs randombytes_sysrandom_implementation,
// whichever source libsodium had before: it has no function that returns it.
void hold();
void let_go();
// libsodium draws from *stream until the next call. The stream must outlive its use. Null: a draw
// fails an assert.
void use(Dice *stream);

}
