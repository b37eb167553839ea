// The signals of the process. Handlers only count; the tick loop asks.
#pragma once

namespace dedicated::signals {

void install();     // And ignores SIGPIPE.
unsigned stops();   // SIGTERM and SIGINT so far.
bool take_hangup(); // Whether SIGHUP has come since the last call.

}
