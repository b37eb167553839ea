#include "transport/handshake/half_open.h"
#include <gtest/gtest.h>
#include <memory>

namespace tern {
namespace {

TEST(HalfOpen, PlacesAreGivenUpInOrderOfWhatIsLost)
{
    auto table = std::make_unique<HalfOpenTable>();
    for (uint16_t i = 0; i < half_open_max; ++i) {
        EXPECT_FALSE(half_open::is_full(*table));
        const uint16_t index = half_open::next_place(*table);
        HalfOpen &entry = half_open::at(*table, index);
        ASSERT_FALSE(entry.is_used);
        entry.is_used = true;
        entry.made_at = 1000 + (i * 7u) % half_open_max;
    }
    EXPECT_TRUE(half_open::is_full(*table));
    EXPECT_EQ(half_open::at(*table, half_open::next_place(*table)).made_at, 1000u);
    half_open::spend(half_open::at(*table, 99));
    EXPECT_EQ(half_open::next_place(*table), 99);
    EXPECT_FALSE(half_open::is_full(*table));
}

}
}
