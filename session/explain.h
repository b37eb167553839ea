// Records answers to claims, for explain().
#pragma once
#include "session/session_types.h"

namespace tern::session {

// Keeps the answer for explain() if it refuses, and forgets earlier refusals of the same object.
void remember_answer(Session &s, const ClaimEvent &answer);

}
