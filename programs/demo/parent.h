// The parent: forks the peers, hands the invite around, kills one, and compares what they report.
// It never touches the network.
#pragma once
#include "options.h"

namespace demo::parent {

// The exit status: 0 all survivors have the same world, 1 they have not, 130 interrupted.
int run(const Options &options);

}
