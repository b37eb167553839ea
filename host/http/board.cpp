#include "host/http/board.h"
#include <utility>

namespace dedicated::board {

void publish(Board &board, HostStatus status)
{
    // Allocated before the lock and freed after it, so that readers never wait for either.
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
