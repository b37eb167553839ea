// The signals of the process. The handlers only count; the tick loop reads the counts.
#pragma once

namespace dedicated::signals {

void install();     // Also ignores SIGPIPE.
unsigned stops();   // How many SIGTERM and SIGINT have come.
bool take_hangup(); // Whether SIGHUP has come since the last call.

}
