#include "host/http/board.h"
#include <utility>

namespace dedicated::board {

void publish(Board &board, HostStatus status)
{
    // Made before and freed after the lock is held: who reads never waits for that.
    auto next = std::make_shared<const HostStatus>(std::move(status));
    const std::lock_guard lock(board.mutex);
    board.status.swap(next);
}

std::shared_ptr<const HostStatus> latest(Board &board)
{
    const std::lock_guard lock(board.mutex);
    return board.status;
}

}
