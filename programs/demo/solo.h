// One peer in this process, for players on several machines: it hosts, or joins by an invite.
#pragma once
#include "options.h"

namespace demo::solo {

int run(const Options &options); // Exit status: 0 left, 1 something ended it.

}
