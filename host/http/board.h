// The board between the tick loop and all that tells others how the host is.
#pragma once
#include "host/http/status_types.h"

namespace dedicated::board {

void publish(Board &board, HostStatus status);
std::shared_ptr<const HostStatus> latest(Board &board); // Null before the first.

}
