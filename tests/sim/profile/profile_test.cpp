// The output of tern-prof: rows by name, the tree, differences, the treemap.
#include "sim/profile/profile.h"
#include "sim/recording/recording.h"
#include "tests/sim/picture/tiny_xml.h"
#include <algorithm>
#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

using namespace tern;

namespace {

Profile some()
{
    return {"some <game>",
            2,
            10,
            {{"UPDATE", "ship", "", 100, 10},
             {"UPDATE", "ship", "x", 300, 10},
             {"UPDATE", "ship", "y", 100, 5},
             {"CREATE", "ship", "x", 50, 1},
             {"UPDATE", "", "", 40, 4},
             {"headers", "", "", 200, 5},
             {"seals", "", "", 260, 5},
             {"unsent", "", "", -50, 0}}};
}

double number(const tiny_xml::Element &element, const char *name)
{
    return std::stod(tiny_xml::attribute(element, name));
}

std::vector<tiny_xml::Element> leaves(const std::string &svg)
{
    const tiny_xml::Read read = tiny_xml::read(svg);
    EXPECT_EQ(read.error, "");
    std::vector<tiny_xml::Element> found;
    for (const tiny_xml::Element &element : read.elements)
        if (element.name == "rect" && tiny_xml::attribute(element, "class") == "leaf")
            found.push_back(element);
    return found;
}

}

TEST(Profile, TheTreeSumsUpAndTheLargestComesFirst)
{
    const ProfileNode root = profile::tree(some());
    EXPECT_EQ(root.bits, 1000); // Excludes data that has not been sent.
    ASSERT_EQ(root.parts.size(), 3u);
    EXPECT_EQ(root.parts[0].name, "ship");
    EXPECT_EQ(root.parts[0].bits, 550);
    EXPECT_EQ(root.parts[1].name, "overhead");
    EXPECT_EQ(root.parts[1].bits, 460);
    EXPECT_EQ(root.parts[2].name, "messages");
    const ProfileNode &update = root.parts[0].parts[0];
    EXPECT_EQ(update.name, "UPDATE");
    EXPECT_EQ(update.bits, 500);
    EXPECT_EQ(update.count, 10u); // The count of values, not of fields.
    EXPECT_EQ(update.parts[0].name, "x");
    EXPECT_EQ(update.parts[0].count, 10u);
}

TEST(Profile, ChangesAreRates)
{
    Profile after = some();
    after.seconds = 4;
    for (ProfileRow &row : after.rows)
        row.bits *= 2; // Equal rates over a longer time.
    EXPECT_TRUE(profile::changes(some(), after).empty());
    after.rows[1].bits = 0;
    after.rows[5].bits += 40;
    after.rows.push_back({"call", "hit", "", 80, 1});
    const std::vector<ProfileChange> changes = profile::changes(some(), after);
    ASSERT_EQ(changes.size(), 3u);
    EXPECT_EQ(changes[0].name, "ship UPDATE x");
    EXPECT_EQ(changes[0].before_bps, 150);
    EXPECT_EQ(changes[0].after_bps, 0);
    EXPECT_EQ(changes[1].name, "hit call heads");
    EXPECT_EQ(changes[1].before_bps, 0);
    EXPECT_EQ(changes[2].name, "headers");
    EXPECT_EQ(changes[2].after_bps - changes[2].before_bps, 10);
}

TEST(Profile, TheAreasOfTheTreemapAreTheBits)
{
    const Profile profile = {"",
                             1,
                             1,
                             {{"CREATE", "a", "x", 6'000, 1},
                              {"CREATE", "a", "y", 3'000, 1},
                              {"CREATE", "a", "z", 1'000, 1}}};
    const std::vector<tiny_xml::Element> all = leaves(profile::svg(profile));
    ASSERT_EQ(all.size(), 3u);
    const auto area = [&](size_t i) { return number(all[i], "width") * number(all[i], "height"); };
    EXPECT_NEAR(area(0) / area(1), 2, 0.05);
    EXPECT_NEAR(area(1) / area(2), 3, 0.1);
    for (size_t i = 0; i < all.size(); ++i) // No two rectangles overlap.
        for (size_t k = 0; k < i; ++k) {
            const double gap_x =
                std::max(number(all[i], "x") - number(all[k], "x") - number(all[k], "width"),
                         number(all[k], "x") - number(all[i], "x") - number(all[i], "width"));
            const double gap_y =
                std::max(number(all[i], "y") - number(all[k], "y") - number(all[k], "height"),
                         number(all[k], "y") - number(all[i], "y") - number(all[i], "height"));
            EXPECT_GE(std::max(gap_x, gap_y), -0.2) << i << ' ' << k;
        }
}

TEST(Profile, AnyProfileCanBeDrawn)
{
    EXPECT_EQ(leaves(profile::svg({})).size(), 0u);
    EXPECT_EQ(leaves(profile::svg(some())).size(), 7u);
    Profile many = {"many", 1, 1, {}};
    for (int i = 0; i < 60; ++i)
        for (int k = 0; k < 20; ++k)
            many.rows.push_back({"UPDATE", "type " + std::to_string(i), std::to_string(k),
                                 int64_t{1} << (i + k) % 40, 1});
    EXPECT_GT(leaves(profile::svg(many)).size(), 20u);
}

TEST(Profile, OfARecordingIsAllThatItSent)
{
    std::ostringstream text;
    text << std::ifstream(TERN_SOURCE_DIR "/tests/recordings/demo-host.rec", std::ios::binary)
                .rdbuf();
    const std::string bytes = text.str();
    const PlayedRecording played = recording::play(std::as_bytes(std::span(bytes)));
    ASSERT_TRUE(played.ok) << played.error;
    const ProfileNode root = profile::tree(played.profile);
    EXPECT_EQ(root.bits % 8, 0);
    EXPECT_EQ(root.bits, profile::bits(played.profile));
    EXPECT_EQ(root.count, played.sent_datagrams);
    EXPECT_TRUE(std::any_of(root.parts.begin(), root.parts.end(),
                            [](const ProfileNode &part) { return part.name == "cube"; }));
}
