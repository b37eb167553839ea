// Pictures are checked for what must hold of any of them, and for what a reader must find; how
// they look has been looked at.
#include "sim/picture/picture_layout.h"
#include "tests/sim/picture/picture_histories.h"
#include "tests/sim/picture/tiny_xml.h"
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>

using namespace tern;

namespace {

constexpr size_t everything = SIZE_MAX;

struct Named {
    const char *name;
    History history;
};

std::vector<Named> all_histories()
{
    return {{"race", histories::race()},
            {"ghost", histories::ghost()},
            {"session", histories::session()},
            {"long", histories::long_session(false)},
            {"long_violated", histories::long_session(true)},
            {"hostile", histories::hostile()},
            {"empty", {}}};
}

size_t count(const Plan &plan, ArrowOutcome outcome)
{
    return static_cast<size_t>(
        std::count_if(plan.arrows.begin(), plan.arrows.end(),
                      [&](const Arrow &arrow) { return arrow.outcome == outcome; }));
}

size_t tombs(const Plan &plan)
{
    return static_cast<size_t>(
        std::count_if(plan.stretches.begin(), plan.stretches.end(),
                      [](const Stretch &stretch) { return stretch.has_tomb; }));
}

bool contains(const std::string &text, const std::string &part)
{
    return text.find(part) != std::string::npos;
}

// Whether somebody is in the lane at x.
bool is_there(const Plan &plan, const Layout &layout, uint16_t lane, double x)
{
    return std::any_of(plan.stays.begin(), plan.stays.end(), [&](const Stay &stay) {
        return stay.lane == lane && layout.x[stay.from] <= x && x <= layout.x[stay.to];
    });
}

std::vector<Box> labels_of(const Layout &layout)
{
    std::vector<Box> out = layout.act_boxes;
    for (const std::vector<Box> *boxes : {&layout.band_boxes, &layout.wire_boxes})
        for (const Box &each : *boxes)
            if (each.half_length != 0) out.push_back(each);
    return out;
}

size_t overlapping_pairs(const std::vector<Box> &boxes)
{
    size_t count = 0;
    for (size_t i = 0; i < boxes.size(); ++i)
        for (size_t k = i + 1; k < boxes.size(); ++k)
            count += box::overlap(boxes[i], boxes[k]);
    return count;
}

Moment moment(MomentKind kind, uint64_t time_us, uint16_t lane)
{
    Moment out = {};
    out.kind = kind;
    out.time_us = time_us;
    out.lane = lane;
    return out;
}

History two_peers()
{
    History history = {};
    history.lanes = {"1 host", "2"};
    history.peers = {PeerId{1}, PeerId{2}};
    history.steps = true;
    return history;
}

void add_message(History &history, MessageKind kind, uint64_t said_us, uint64_t heard_us)
{
    Moment said = moment(MomentKind::said, said_us, 0);
    said.other = 1;
    said.link = history.moments.size() + 1;
    said.message = kind;
    history.moments.push_back(said);
    if (heard_us == 0) return;
    Moment heard = said;
    heard.kind = MomentKind::heard;
    heard.time_us = heard_us;
    std::swap(heard.lane, heard.other);
    history.moments.push_back(heard);
}

}

TEST(PictureTest, EveryPictureIsWellFormedAndSaysNoNonsense)
{
    for (const Named &each : all_histories())
        for (const bool all : {false, true}) {
            PictureOptions options;
            options.all = all;
            const std::string svg = picture::svg(each.history, options);
            const tiny_xml::Read read = tiny_xml::read(svg);
            EXPECT_EQ(read.error, "") << each.name;
            EXPECT_EQ(read.elements.at(0).name, "svg");
            EXPECT_FALSE(contains(svg, "<script")) << each.name;
            for (const tiny_xml::Element &element : read.elements)
                for (const auto &[name, value] : element.attributes)
                    EXPECT_FALSE(contains(value, "nan") || contains(value, "inf"))
                        << each.name << " " << name << "=" << value;
        }
}

TEST(PictureTest, TheSameHistoryGivesTheSamePicture)
{
    for (const Named &each : all_histories())
        EXPECT_EQ(picture::svg(each.history, {}), picture::svg(each.history, {})) << each.name;
}

// Set TERN_PICTURES to a folder to look at them.
TEST(PictureTest, CanBeLookedAt)
{
    const char *folder = std::getenv("TERN_PICTURES");
    if (!folder) GTEST_SKIP() << "TERN_PICTURES names no folder";
    for (const Named &each : all_histories()) {
        std::ofstream file(std::string(folder) + "/" + each.name + ".svg");
        file << picture::svg(each.history, {});
        EXPECT_TRUE(file.good());
    }
}

TEST(PictureTest, ArrowsBeginAndEndAtTheLanesOfTheirPeers)
{
    for (const Named &each : all_histories()) {
        const Plan plan = plan::make(each.history, {}, 100);
        const Layout layout = layout::make(plan, each.history, 1, false);
        for (size_t i = 0; i < plan.arrows.size(); ++i) {
            const Arrow &arrow = plan.arrows[i];
            const auto &[from, to] = layout.wires[i];
            const LanePlace &sender = layout.lanes[arrow.from], &hearer = layout.lanes[arrow.to];
            EXPECT_TRUE(from.y == sender.top || from.y == sender.bottom) << each.name;
            EXPECT_GE(from.x, layout.left);
            EXPECT_LE(to.x, layout.right);
            EXPECT_LE(from.x, to.x);
            EXPECT_TRUE(is_there(plan, layout, arrow.from, from.x)) << each.name;
            if (arrow.outcome != ArrowOutcome::heard && arrow.outcome != ArrowOutcome::ignored)
                continue;
            EXPECT_TRUE(to.y == hearer.top || to.y == hearer.bottom) << each.name;
            EXPECT_TRUE(is_there(plan, layout, arrow.to, to.x)) << each.name;
        }
    }
}

TEST(PictureTest, LabelsDoNotOverlapAndLieInside)
{
    for (const Named &each : all_histories()) {
        const Plan plan = plan::make(each.history, {}, 100);
        const Layout layout = layout::make(plan, each.history, 1, false);
        const std::vector<Box> labels = labels_of(layout);
        EXPECT_EQ(overlapping_pairs(labels), 0u) << each.name;
        for (const Box &label : labels) {
            EXPECT_GE(label.center.x - label.half_length, 0) << each.name;
            EXPECT_LE(label.center.x + label.half_length, layout.width) << each.name;
        }
    }
}

TEST(PictureTest, EveryArrowOfAFewHasALabel)
{
    for (const History &history : {histories::race(), histories::ghost(), histories::session()}) {
        const Plan plan = plan::make(history, {}, everything);
        const Layout layout = layout::make(plan, history, 1, false);
        EXPECT_EQ(layout::unlabelled(plan, layout), 0u) << history.title;
    }
}

TEST(PictureTest, TheRaceShowsTheLateCreateAsIgnored)
{
    const History history = histories::race();
    const Plan plan = plan::make(history, {}, everything);
    EXPECT_EQ(plan.arrows.size(), 4u);
    EXPECT_EQ(count(plan, ArrowOutcome::ignored), 1u);
    EXPECT_EQ(tombs(plan), 0u);
    EXPECT_FALSE(contains(picture::svg(history, {}), "class=\"badge\""));
}

TEST(PictureTest, TheGhostShowsThreeDeathsAndWhoRisesAgain)
{
    const History history = histories::ghost();
    const Plan plan = plan::make(history, {}, everything);
    EXPECT_EQ(tombs(plan), 3u);
    ASSERT_EQ(plan.flags.size(), 1u);
    EXPECT_EQ(plan.flags[0].id, "I3");
    EXPECT_EQ(plan.flags[0].text.substr(0, 24), "object 2.1 was dead at p");
    const auto again =
        std::find_if(plan.stretches.begin(), plan.stretches.end(), [&](const Stretch &stretch) {
            return stretch.alive && stretch.to == plan.columns.size();
        });
    ASSERT_NE(again, plan.stretches.end());
    EXPECT_EQ(again->lane, 2);
    EXPECT_EQ(again->owner, PeerId{2});
    EXPECT_TRUE(contains(picture::svg(history, {}), ">I3</text>"));
}

TEST(PictureTest, ASessionShowsItsFaults)
{
    const Plan plan = plan::make(histories::session(), {}, everything);
    EXPECT_EQ(count(plan, ArrowOutcome::lost), 2u);
    EXPECT_EQ(count(plan, ArrowOutcome::under_way), 1u);
    EXPECT_EQ(std::count_if(plan.arrows.begin(), plan.arrows.end(),
                            [](const Arrow &arrow) { return arrow.doubled; }),
              1);
    EXPECT_EQ(plan.spots.size(), 3u);
    EXPECT_EQ(plan.spots[2].count, 2u);
    const auto has = [&](const std::string &text) {
        return std::any_of(plan.hatches.begin(), plan.hatches.end(),
                           [&](const Hatch &hatch) { return hatch.text == text; });
    };
    EXPECT_TRUE(has("")); // Paused.
    EXPECT_TRUE(has("cut off from 1 host, 2, 3"));
    EXPECT_EQ(plan.stays.size(), 5u);
    EXPECT_EQ(plan.stays[2].end, MomentKind::crashed);
    EXPECT_EQ(plan.stays[4].peer, PeerId{5});
    for (const Stretch &stretch : plan.stretches) // What it believed went with it.
        EXPECT_TRUE(stretch.lane != 2 || stretch.to <= plan.stays[2].to);
}

TEST(PictureTest, OnlyWhatLedToTheViolationIsDrawnUnlessAllIsAskedFor)
{
    const History history = histories::long_session(true);
    PictureOptions options;
    const Plan narrow = plan::make(history, options, everything);
    EXPECT_EQ(narrow.objects.size(), 1u);
    EXPECT_GT(narrow.left_out, 3000u);
    for (const Arrow &arrow : narrow.arrows)
        EXPECT_TRUE(arrow.strong);
    options.all = true;
    const Plan all = plan::make(history, options, everything);
    EXPECT_EQ(all.objects.size(), 3u);
    EXPECT_GT(all.arrows.size(), 5 * narrow.arrows.size());
    EXPECT_TRUE(plan::is_violated(all, history.moments.back().object));
}

TEST(PictureTest, ALongHistoryIsCutToTheWidthAskedFor)
{
    for (const uint32_t width : {800u, 3000u}) {
        PictureOptions options;
        options.width_max_px = width;
        const std::string svg = picture::svg(histories::long_session(false), options);
        const tiny_xml::Read read = tiny_xml::read(svg);
        EXPECT_LE(std::stod(tiny_xml::attribute(read.elements.at(0), "width")), width);
        EXPECT_LT(svg.size(), 200'000u);
        EXPECT_TRUE(contains(svg, "is not drawn"));
    }
}

TEST(PictureTest, WhatIsCutOffAtTheBeginningStillLivesInItsBand)
{
    const History history = histories::ghost();
    const Plan plan = plan::make(history, {}, 2); // The last move, and the violation.
    const auto first = std::find_if(plan.arrows.begin(), plan.arrows.end(),
                                    [](const Arrow &arrow) { return arrow.said_at == 0; });
    ASSERT_NE(first, plan.arrows.end());
    EXPECT_EQ(first->end_at, 1u);
}

TEST(PictureTest, UpdatesAndUnpairedMessagesAreDrawn)
{
    History history = two_peers();
    add_message(history, MessageKind::none, 1000, 2000);
    Moment heard = moment(MomentKind::heard, 3000, 1);
    heard.link = 99;
    heard.message = MessageKind::claim;
    history.moments.push_back(heard);
    const Plan plan = plan::make(history, {}, everything);
    ASSERT_EQ(plan.arrows.size(), 2u);
    EXPECT_EQ(plan::arrow_text(plan, plan.arrows[0], plan::Detail::objects), "UPDATE");
    EXPECT_EQ(plan.arrows[1].outcome, ArrowOutcome::unsaid);
}

TEST(PictureTest, AMessageKnownToBeLostEndsWhereItWasLost)
{
    History history = two_peers();
    add_message(history, MessageKind::claim, 1000, 0);
    Moment lost = moment(MomentKind::lost, 2000, 0);
    lost.other = 1;
    lost.link = history.moments[0].link;
    history.moments.push_back(lost);
    history.moments.push_back(moment(MomentKind::act, 2000, 0));
    const Plan plan = plan::make(history, {}, everything);
    ASSERT_EQ(plan.arrows.size(), 1u);
    EXPECT_EQ(plan.arrows[0].outcome, ArrowOutcome::lost);
    EXPECT_EQ(plan.arrows[0].end_at, 2u);
    EXPECT_TRUE(plan.spots.empty());
}

TEST(PictureTest, ALinkUsedAgainBelongsToWhatWasSaidLast)
{
    History history = two_peers();
    add_message(history, MessageKind::claim, 1000, 2000);
    add_message(history, MessageKind::claim, 3000, 4000);
    add_message(history, MessageKind::claim, 5000, 0);
    for (Moment &each : history.moments)
        each.link = 5;
    const Plan plan = plan::make(history, {}, everything);
    ASSERT_EQ(plan.arrows.size(), 3u);
    EXPECT_EQ(plan.arrows[0].end_at, plan.arrows[0].said_at + 1);
    EXPECT_EQ(plan.arrows[1].end_at, plan.arrows[1].said_at + 1);
    EXPECT_EQ(plan.arrows[2].outcome, ArrowOutcome::under_way);
    EXPECT_FALSE(plan.arrows[1].doubled);
}

TEST(PictureTest, WhoStartsIsNamedOnceItIsKnown)
{
    History history = two_peers();
    history.peers[1] = PeerId::none;
    history.moments.push_back(moment(MomentKind::started, 1000, 1));
    history.moments.push_back(moment(MomentKind::act, 2000, 1));
    history.moments.back().owner = PeerId{7};
    const Plan plan = plan::make(history, {}, everything);
    EXPECT_EQ(plan.stays.back().peer, PeerId{7});
    EXPECT_EQ(plan.acts[0].text, "starts as peer 7");
}

TEST(PictureTest, WhatIsSaidAndHeardTogetherIsOneArrow)
{
    History history = two_peers();
    for (uint32_t serial = 1; serial <= 3; ++serial)
        for (const MomentKind kind : {MomentKind::said, MomentKind::heard}) {
            Moment each = moment(kind, kind == MomentKind::said ? 1000 : 2000,
                                 kind == MomentKind::said ? 0 : 1);
            each.other = 1 - each.lane;
            each.link = serial;
            each.message = serial == 3 ? MessageKind::migrate : MessageKind::create;
            each.stamp = serial == 3 ? stamps::make({1, PeerId{1}, 4}) : 0;
            each.object = object_id::make(PeerId{1}, serial);
            history.moments.push_back(each);
        }
    std::stable_sort(history.moments.begin(), history.moments.end(),
                     [](const Moment &a, const Moment &b) { return a.time_us < b.time_us; });
    const Plan plan = plan::make(history, {}, everything);
    ASSERT_EQ(plan.arrows.size(), 1u);
    EXPECT_EQ(plan::arrow_text(plan, plan.arrows[0], plan::Detail::stamps),
              "CREATE \u00d72, MIGRATE 1.1.4");
}

TEST(PictureTest, MomentsInLanesThatAreNotThereAreLeftOut)
{
    History history = two_peers();
    for (int kind = 0; kind <= static_cast<int>(MomentKind::violation); ++kind) {
        Moment wild = moment(static_cast<MomentKind>(kind), 1000, 7);
        wild.other = 9;
        wild.object = object_id::make(PeerId{1}, 1);
        history.moments.push_back(wild);
    }
    EXPECT_EQ(tiny_xml::read(picture::svg(history, {})).error, "");
}

TEST(PictureTest, NumbersHaveOneDecimalAndNoExponent)
{
    EXPECT_EQ(ink::number(0), "0");
    EXPECT_EQ(ink::number(-0.04), "0");
    EXPECT_EQ(ink::number(12.25), "12.3");
    EXPECT_EQ(ink::number(-1.5), "-1.5");
    EXPECT_EQ(ink::number(1e300), "10000000");
}

TEST(PictureTest, TextIsEscaped)
{
    EXPECT_EQ(ink::escaped("a<b>&\"c\""), "a&lt;b&gt;&amp;&quot;c&quot;");
    EXPECT_EQ(ink::escaped("\x01\x7f\xff"), "???");
    EXPECT_EQ(ink::escaped("\u00e9\u20ac\U0001f600"), "\u00e9\u20ac\U0001f600");
    EXPECT_EQ(ink::escaped("\xc3"), "?");                // Cut short.
    EXPECT_EQ(ink::escaped("\xc0\xaf"), "??");           // Overlong.
    EXPECT_EQ(ink::escaped("\xed\xa0\x80"), "???");      // A surrogate.
    EXPECT_EQ(ink::escaped("\xef\xbf\xbf"), "???");      // No character.
    EXPECT_EQ(ink::escaped("\xf4\x90\x80\x80"), "????"); // Beyond Unicode.
}

TEST(PictureTest, TurnedBoxesOverlapOnlyWhereTheyDo)
{
    const Box flat = box::upright(0, 0, 100, 10);
    const Box steep = {{50, 30}, ink::direction({0, 0}, {1, 1}), 20, 3};
    EXPECT_FALSE(box::overlap(flat, steep));
    const Box lower = {{50, 22}, steep.along, 20, 3};
    EXPECT_TRUE(box::overlap(flat, lower));
    EXPECT_FALSE(box::overlap(flat, box::upright(100, 0, 120, 10))); // They touch.
}

TEST(PictureTest, LanesNamedAfterPlacesSayWhoIsThere)
{
    History history = two_peers();
    history.lanes = {"0 host", "1", "2"}; // In the last one nobody ever is.
    add_message(history, MessageKind::claim, 1000, 2000);
    const Plan plan = plan::make(history, {}, everything);
    EXPECT_EQ(plan::lane_text(plan, history, 0), "place 0 host");
    EXPECT_EQ(plan::lane_text(plan, history, 2), "place 2");
    ASSERT_EQ(plan.acts.size(), 2u);
    EXPECT_EQ(plan.acts[0].text, "peer 1");
    const Layout layout = layout::make(plan, history, 1, false);
    EXPECT_GT(layout.lanes[1].bottom, layout.lanes[1].top);
    EXPECT_EQ(layout.lanes[2].bottom, layout.lanes[2].top);
    history.lanes = {"1 host", "2", "3"};
    EXPECT_EQ(plan::lane_text(plan, history, 0), "peer 1 host");
}

TEST(PictureTest, MomentsAreBroughtIntoTheOrderOfTime)
{
    History history = histories::session();
    const std::string svg = picture::svg(history, {});
    const auto cut = std::find_if(history.moments.begin(), history.moments.end(),
                                  [](const Moment &each) { return each.kind == MomentKind::cut; });
    const auto healed = std::find_if(cut, history.moments.end(), [](const Moment &each) {
        return each.kind == MomentKind::healed;
    });
    std::rotate(cut, healed, healed + 1); // Its end is written down with its beginning.
    EXPECT_EQ(picture::svg(history, {}).size(), svg.size());
}
