// Checks of arguments that the public functions share. They assert: a breach is the game's mistake.
#pragma once
#include "session/session_types.h"

namespace tern::session {

void check_in(const Session &s); // The state is open or cut_off.
// The type exists, and its struct has this size.
void check_type(const Session &s, TypeId type, size_t size_bytes);

}
