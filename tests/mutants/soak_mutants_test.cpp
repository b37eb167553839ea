// The soak test notices lost tombstones, and orphans that nobody adopts.
#include "sim/mutants/mutant.h"
#include "sim/world/soak.h"
#include <gtest/gtest.h>

using namespace tern;

namespace {

struct SoakMutants : testing::TestWithParam<Mutant> {
    void TearDown() override { mutant = Mutant::none; }
};

bool soaks()
{
    SoakOptions options;
    options.alive = 100;
    Soak soak;
    soak::make(soak, options);
    for (int round = 0; round <= 4; ++round)
        if (!soak::go_on(soak, round == 0 ? 0 : 1000)) return false;
    return true;
}

}

TEST_P(SoakMutants, AreNoticed)
{
    EXPECT_TRUE(soaks());
    mutant = GetParam();
    EXPECT_FALSE(soaks());
}

INSTANTIATE_TEST_SUITE_P(Rules, SoakMutants,
                         testing::Values(Mutant::dead_forgotten_on_a_timer,
                                         Mutant::world_sync_without_the_dead,
                                         Mutant::orphans_left_alone));
