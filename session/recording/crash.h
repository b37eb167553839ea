// The session's part of the report of a failed assertion: see base/assert_context.h.
#pragma once
#include "session/session_types.h"
#include "tern/handlers.hpp"

namespace tern::session {

// AssertContext::complete of a session. Nobody can call the session from then on.
CrashHandler complete_crash(AssertContext &context, Crash &crash);

}
