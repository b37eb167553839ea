#include "replication/update/charges.h"
#include <algorithm>
#include <cstddef>
#include <gtest/gtest.h>
#include <vector>

namespace tern {
namespace {

struct Ship {
    int32_t health;
    uint8_t colour;
};
const Field fields[] = {{"health", FieldKind::int32, offsetof(Ship, health), 1, 0, 100},
                        {"colour", FieldKind::uint8, offsetof(Ship, colour)}};
const Type types[] = {{"ship", sizeof(Ship), fields, 4}, {"rock", sizeof(Ship), fields, 4}};
const TypeTable table = type_table::make(types);

struct Counted {
    std::vector<TrafficRow> rows = std::vector<TrafficRow>(charges::row_count(table));
    std::vector<ChargeRun> runs = std::vector<ChargeRun>(charges::run_count(table));
    Charges charges = charges::make(table, rows, runs);
};

bool operator==(const charges::TypeSum &a, const charges::TypeSum &b)
{
    return a.bits == b.bits && a.count == b.count;
}

}

TEST(Charges, MovedOnesAreAddedAndLeaveNothingBehind)
{
    Counted from, to, both;
    const Ship ship = {7, 3};
    for (Counted *counted : {&from, &both}) {
        charges::add(counted->charges, TrafficKind::notice, 64, 2);
        charges::add_value(counted->charges, TrafficKind::create, 1, &ship, 40);
    }
    for (Counted *counted : {&to, &both})
        charges::add_value(counted->charges, TrafficKind::create, 0, &ship, 30);
    charges::move(to.charges, from.charges);
    for (const TypeId type : {TypeId{0}, TypeId{1}}) {
        EXPECT_TRUE(charges::sum(to.charges, type) == charges::sum(both.charges, type));
        EXPECT_TRUE(charges::sum(from.charges, type) == charges::TypeSum{});
    }
    const auto moved = charges::rows(to.charges), all = charges::rows(both.charges);
    ASSERT_EQ(moved.size(), all.size());
    for (size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(moved[i].bits, all[i].bits) << i;
        EXPECT_EQ(moved[i].count, all[i].count) << i;
    }
    EXPECT_EQ(charges::sum(to.charges, 1).bits, 40u);
    EXPECT_EQ(charges::sum(to.charges, 0).bits, 30u);
}

}
