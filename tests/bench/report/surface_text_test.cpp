// The table of the public surface in the documents.
#include "bench/report/surface_text.h"
#include <gtest/gtest.h>

using namespace bench;

static ResultTable surface_table()
{
    return {
        "surface_x",
        "surface x: a scene",
        {{"host us", 1, true}, {"client us", 1, true}, {"kbit/s", 0, true}, {"p99 ms", 1, false}},
        {{"by hand over ENet", {{10, 5, 100, 20}}, 100, true},
         {"tern", {{15, 20, 50, 10}}, 75, true},
         {"tern, raised", {{20, 20, 90, 9}}, 100, true}},
        {}};
}

TEST(SurfaceTextTest, EachRowOfTernIsComparedWithTheFirstRow)
{
    Results all = {};
    all.tables.push_back(surface_table());
    EXPECT_TRUE(has_surface(all));
    const std::string text = surface_text(all);
    EXPECT_NE(text.find("| a scene | tern | 1.50 | 4.00 | 0.50 | 10.0 | 20.0 | 75.0 % |\n"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("|  | tern, raised | 2.00 |"), std::string::npos) << text;
    EXPECT_EQ(text.find("by hand"), std::string::npos);
}

TEST(SurfaceTextTest, OtherTablesAreLeftOut)
{
    Results all = {};
    all.tables.push_back(surface_table());
    all.tables[0].id = "publish_4";
    EXPECT_FALSE(has_surface(all));
    all.tables[0].id = "surface_calls";
    all.tables[0].columns[0].title = "p50 ms"; // A table in virtual time: nothing to compare with.
    EXPECT_FALSE(has_surface(all));
}
