// Records answers to claims, for explain().
#pragma once
#include "session/session_types.h"

namespace tern::session {

// Keeps a claim_refused event for explain(), and forgets earlier refusals of the same object.
void remember_answer(Session &s, const Event &event);

}
