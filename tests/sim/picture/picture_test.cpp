// Checks what must hold for each picture, and what a reader must find in it, in the SVG itself.
#include "sim/picture/picture.h"
#include "sim/picture/picture_ink.h"
#include "tests/sim/picture/picture_histories.h"
#include "tests/sim/picture/tiny_xml.h"
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>

using namespace tern;

namespace {

using Elements = std::vector<tiny_xml::Element>;

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

bool contains(const std::string &text, const std::string &part)
{
    return text.find(part) != std::string::npos;
}

double number(const tiny_xml::Element &element, const char *name)
{
    return std::stod(tiny_xml::attribute(element, name));
}

// The elements whose class begins with this.
Elements of_class(const std::string &svg, const std::string &begin)
{
    Elements found;
    for (const tiny_xml::Element &element : tiny_xml::read(svg).elements)
        if (tiny_xml::attribute(element, "class").rfind(begin, 0) == 0) found.push_back(element);
    return found;
}

// The lines of the arrows with this outcome, without the legend's, which has no tooltip.
Elements wires(const std::string &svg, const std::string &outcome)
{
    const Elements all = tiny_xml::read(svg).elements;
    Elements found;
    for (size_t i = 0; i + 2 < all.size(); ++i)
        if (tiny_xml::attribute(all[i], "class") == "arrow " + outcome &&
            all[i + 1].name == "title")
            found.push_back(all[i + 2]);
    return found;
}

bool overlap(const tiny_xml::Element &a, const tiny_xml::Element &b)
{
    const auto apart = [&](const char *from, const char *size) {
        return number(a, from) + number(a, size) <= number(b, from) ||
               number(b, from) + number(b, size) <= number(a, from);
    };
    return !apart("x", "width") && !apart("y", "height");
}

Moment moment(MomentKind kind, uint64_t time_us, uint16_t lane)
{
    Moment out = {};
    out.kind = kind;
    out.time_us = time_us;
    out.lane = lane;
    return out;
}

}

TEST(PictureTest, EveryPictureIsWellFormedAndHasOnlyNumbersForPlaces)
{
    for (const Named &each : all_histories()) {
        const std::string svg = picture::svg(each.history);
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
        EXPECT_EQ(picture::svg(each.history), picture::svg(each.history)) << each.name;
}

// Set TERN_PICTURES to a folder to look at them.
TEST(PictureTest, CanBeLookedAt)
{
    const char *folder = std::getenv("TERN_PICTURES");
    if (!folder) GTEST_SKIP() << "TERN_PICTURES names no folder";
    for (const Named &each : all_histories()) {
        std::ofstream file(std::string(folder) + "/" + each.name + ".svg");
        file << picture::svg(each.history);
        EXPECT_TRUE(file.good());
    }
}

TEST(PictureTest, ArrowsGoFromLaneToLaneAndForwardInTime)
{
    for (const Named &each : all_histories()) {
        const std::string svg = picture::svg(each.history);
        std::vector<double> edges;
        for (const tiny_xml::Element &lane : of_class(svg, "lane")) {
            edges.push_back(number(lane, "y"));
            edges.push_back(number(lane, "y") + number(lane, "height"));
        }
        const auto is_edge = [&](double y) {
            return std::any_of(edges.begin(), edges.end(),
                               [&](double edge) { return std::abs(edge - y) < 0.11; });
        };
        for (const char *outcome : {"received", "ignored", "lost", "in flight"})
            for (const tiny_xml::Element &wire : wires(svg, outcome)) {
                EXPECT_TRUE(is_edge(number(wire, "y1"))) << each.name;
                EXPECT_LE(number(wire, "x1"), number(wire, "x2")) << each.name;
                const bool arrives =
                    std::string(outcome) == "received" || std::string(outcome) == "ignored";
                EXPECT_EQ(is_edge(number(wire, "y2")), arrives) << each.name << " " << outcome;
            }
    }
}

TEST(PictureTest, LabelsDoNotOverlapAndLieInside)
{
    for (const Named &each : all_histories()) {
        const std::string svg = picture::svg(each.history);
        const double width = number(tiny_xml::read(svg).elements.at(0), "width");
        const Elements labels = of_class(svg, "label ");
        for (size_t i = 0; i < labels.size(); ++i) {
            EXPECT_GE(number(labels[i], "x"), 0) << each.name;
            EXPECT_LE(number(labels[i], "x") + number(labels[i], "width"), width) << each.name;
            for (size_t k = i + 1; k < labels.size(); ++k)
                EXPECT_FALSE(overlap(labels[i], labels[k])) << each.name << " " << i << " " << k;
        }
    }
}

TEST(PictureTest, EveryArrowOfAFewHasALabel)
{
    for (const History &history : {histories::race(), histories::ghost(), histories::session()})
        EXPECT_FALSE(contains(picture::svg(history), "have no label")) << history.title;
}

TEST(PictureTest, TheRaceShowsTheLateCreateAsIgnored)
{
    const std::string svg = picture::svg(histories::race());
    EXPECT_EQ(wires(svg, "received").size(), 3u);
    EXPECT_EQ(wires(svg, "ignored").size(), 1u);
    EXPECT_TRUE(of_class(svg, "tomb").empty());
    EXPECT_TRUE(of_class(svg, "label badge").empty());
}

TEST(PictureTest, TheGhostShowsThreeDeathsAndWhoRisesAgain)
{
    const std::string svg = picture::svg(histories::ghost());
    EXPECT_EQ(of_class(svg, "tomb").size(), 3u);
    EXPECT_EQ(of_class(svg, "label badge").size(), 1u);
    EXPECT_TRUE(contains(svg, ">I3</text>"));
    EXPECT_TRUE(contains(svg, ">I3: object 2.1 was dead at peer 3 and lives there again"));
    // The band that is wrong has its owner's colour.
    EXPECT_EQ(of_class(svg, "band c2 alarm").size(), 1u);
}

TEST(PictureTest, ASessionShowsItsFaults)
{
    const std::string svg = picture::svg(histories::session());
    EXPECT_EQ(wires(svg, "lost").size(), 2u);
    EXPECT_EQ(wires(svg, "in flight").size(), 1u);
    EXPECT_EQ(of_class(svg, "crash").size(), 1u);
    for (const char *text :
         {">paused<", ">resumed<", ">crashed<", ">joins<",
          ">cannot reach peer 1 host, peer 2, peer 3<", ">twice: MIGRATE 1.1.1 (2.1)<"})
        EXPECT_TRUE(contains(svg, text)) << text;
}

TEST(PictureTest, OnlyWhatLedToTheViolationIsDrawn)
{
    const std::string svg = picture::svg(histories::long_session(true));
    EXPECT_TRUE(contains(svg, ">object 3.2</text>"));
    EXPECT_FALSE(contains(svg, ">object 1.1</text>"));
    EXPECT_TRUE(contains(svg, "Only what led to the violation is drawn."));
    EXPECT_EQ(of_class(svg, "label badge").size(), 1u);
    const std::string whole = picture::svg(histories::long_session(false));
    EXPECT_FALSE(contains(whole, "Only what led"));
}

TEST(PictureTest, ALongHistoryIsCutToTheWidthAskedFor)
{
    for (const double width : {800.0, 3000.0}) {
        const std::string svg = picture::svg(histories::long_session(false), width);
        EXPECT_LE(number(tiny_xml::read(svg).elements.at(0), "width"), width);
        EXPECT_LT(svg.size(), 200'000u);
        EXPECT_TRUE(contains(svg, "is not drawn"));
    }
}

TEST(PictureTest, MessagesThatAreSentAndArriveTogetherAreOneArrow)
{
    History history = histories::two_peers();
    for (const MomentKind kind : {MomentKind::said, MomentKind::heard})
        for (uint32_t serial = 1; serial <= 3; ++serial) {
            const bool is_sent = kind == MomentKind::said;
            Moment each = moment(kind, is_sent ? 1000 : 2000, is_sent ? 0 : 1);
            each.other = 1 - each.lane;
            each.link = serial;
            each.message = serial == 3 ? MessageKind::migrate : MessageKind::create;
            each.stamp = serial == 3 ? stamps::make({1, PeerId{1}, 4}) : 0;
            each.object = object_id::make(PeerId{1}, serial);
            history.moments.push_back(each);
        }
    const std::string svg = picture::svg(history);
    EXPECT_EQ(wires(svg, "received").size(), 1u);
    EXPECT_TRUE(contains(svg, "CREATE \u00d72, MIGRATE 1.1.4"));
}

TEST(PictureTest, LanesNamedAfterPlacesShowWhichPeerIsThere)
{
    History history = histories::two_peers();
    history.lanes = {"place 0", "place 1", "place 2"}; // In the last one there never is a peer.
    history.moments.push_back(moment(MomentKind::act, 1000, 0));
    history.moments.back().label = "creates";
    const std::string svg = picture::svg(history);
    EXPECT_TRUE(contains(svg, ">place 0</text>") && contains(svg, ">peer 1</text>"));
    EXPECT_TRUE(contains(svg, ">place 1</text>") && contains(svg, ">peer 2</text>"));
    EXPECT_FALSE(contains(svg, ">place 2</text>"));
}

TEST(PictureTest, MomentsInLanesThatAreNotThereAreLeftOut)
{
    History history = histories::two_peers();
    for (int kind = 0; kind <= static_cast<int>(MomentKind::violation); ++kind) {
        Moment wild = moment(static_cast<MomentKind>(kind), 1000, 7);
        wild.other = 9;
        wild.object = object_id::make(PeerId{1}, 1);
        history.moments.push_back(wild);
    }
    EXPECT_EQ(tiny_xml::read(picture::svg(history)).error, "");
    EXPECT_TRUE(of_class(picture::svg(history), "label").empty());
}

TEST(PictureTest, MomentsAreBroughtIntoTheOrderOfTime)
{
    History history = histories::session();
    const std::string svg = picture::svg(history);
    const auto cut = std::find_if(history.moments.begin(), history.moments.end(),
                                  [](const Moment &each) { return each.kind == MomentKind::cut; });
    const auto healed = std::find_if(cut, history.moments.end(), [](const Moment &each) {
        return each.kind == MomentKind::healed;
    });
    std::rotate(cut, healed, healed + 1); // The end of a cut is written down with its beginning.
    EXPECT_EQ(picture::svg(history).size(), svg.size());
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
    EXPECT_EQ(ink::escaped("\xc3"), "?");                // It is cut short.
    EXPECT_EQ(ink::escaped("\xc0\xaf"), "??");           // An overlong form.
    EXPECT_EQ(ink::escaped("\xed\xa0\x80"), "???");      // A surrogate.
    EXPECT_EQ(ink::escaped("\xef\xbf\xbf"), "???");      // U+FFFF is no character.
    EXPECT_EQ(ink::escaped("\xf4\x90\x80\x80"), "????"); // The number is beyond Unicode.
}
