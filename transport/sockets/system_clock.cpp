#include "tern/io.hpp"
#include <chrono>
#include <thread>

namespace tern {

uint64_t clock_us()
{
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<uint64_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(now).count());
}

void sleep_us(uint64_t duration_us)
{
    std::this_thread::sleep_for(std::chrono::microseconds(duration_us));
}

}
