#include "transport/handshake/allowance.h"
#include <gtest/gtest.h>

namespace tern {
namespace {

TEST(Allowance, GivesTheBurstThenTheRate)
{
    Allowance a = allowance::make(100, 200);
    const uint64_t start_us = 1'000'000'000'000;
    int burst = 0;
    while (allowance::take(a, start_us))
        burst += 1;
    EXPECT_EQ(burst, 200);
    int taken = 0;
    for (uint64_t t = 1; t <= 10'000; ++t) // 10 s
        while (allowance::take(a, start_us + t * 1000))
            taken += 1;
    EXPECT_EQ(taken, 1000);
    taken = 0;
    while (allowance::take(a, start_us * 1000))
        taken += 1;
    EXPECT_EQ(taken, 200);
}

}
}
