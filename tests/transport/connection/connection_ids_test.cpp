#include "transport/connection/connection_ids.h"
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <sodium.h>

namespace tern {
namespace {

TEST(ConnectionIds, AreFoundUntilTheyAreGivenBack)
{
    ASSERT_GE(sodium_init(), 0);
    auto ids = std::make_unique<ConnectionIds>();
    std::set<uint32_t> taken;
    EntropySource entropy = {};
    for (uint16_t i = 0; i < id_places; ++i)
        taken.insert(connection_ids::take(*ids, entropy, IdOwner::connection, i));
    EXPECT_EQ(taken.size(), id_places);
    EXPECT_EQ(taken.count(0), 0u);
    std::set<uint16_t> found;
    for (const uint32_t id : taken) {
        const IdPlace place = connection_ids::find(*ids, id);
        EXPECT_EQ(place.owner, IdOwner::connection);
        found.insert(place.index);
        EXPECT_EQ(connection_ids::find(*ids, id ^ 1u << id_place_bits).owner, IdOwner::none);
    }
    EXPECT_EQ(found.size(), id_places);
    const uint32_t one = *taken.begin();
    connection_ids::pass_on(*ids, one, IdOwner::half_open, 7);
    EXPECT_EQ(connection_ids::find(*ids, one).owner, IdOwner::half_open);
    EXPECT_EQ(connection_ids::find(*ids, one).index, 7);
    for (const uint32_t id : taken) {
        connection_ids::give_back(*ids, id);
        EXPECT_EQ(connection_ids::find(*ids, id).owner, IdOwner::none);
    }
    EXPECT_EQ(connection_ids::find(*ids, 0).owner, IdOwner::none);
}

}
}
