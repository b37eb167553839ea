#include "sim/world/names.h"
#include <gtest/gtest.h>

using namespace tern;

TEST(NamesTest, ObjectsAndStampsAreWrittenInOneForm)
{
    EXPECT_EQ(names::text(PeerId{3}), "3");
    EXPECT_EQ(names::text(object_id::make(PeerId{2}, 7)), "2.7");
    EXPECT_EQ(names::text(stamps::make({1, PeerId{2}, 12})), "1.2.12");
    EXPECT_EQ(names::text(Stamp{0}), "0");
}
