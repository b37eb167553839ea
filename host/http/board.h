// The board: the tick loop publishes the status of the host on it, and other threads read it there.
#pragma once
#include "host/http/status_types.h"

namespace dedicated::board {

void publish(Board &board, HostStatus status);
std::shared_ptr<const HostStatus> latest(Board &board); // Null before the first publish().

}
