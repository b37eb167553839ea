// Trials of what must not work: each runs a host and somebody who has to be refused, and shows the
// state and the sentence that this ends in.
#pragma once
#include "options.h"

namespace demo::trials {

int run(const Options &options); // Exit status: 0 all as expected.

}
