#include "programs/demo/picture.h"
#include <gtest/gtest.h>

namespace demo {
namespace {

// Columns on each line of a frame: escape sequences take none, a UTF-8 character one.
std::vector<size_t> widths(const std::string &frame)
{
    std::vector<size_t> widths(1);
    for (size_t i = 0; i < frame.size(); ++i) {
        const auto byte = static_cast<unsigned char>(frame[i]);
        if (byte == 0x1b) {
            for (i += 2; i < frame.size() && (frame[i] < '@' || frame[i] > '~');)
                i += 1;
        } else if (byte == '\n') {
            widths.push_back(0);
        } else if (byte != '\r' && (byte & 0xc0) != 0x80) {
            widths.back() += 1;
        }
    }
    return widths;
}

Picture full_picture(size_t peers)
{
    Picture picture;
    picture.title = std::string(200, 't');
    for (size_t i = 0; i < 64; ++i) {
        const float along = static_cast<float>(i);
        picture.dots.push_back({{along * 1.3f, along / 2},
                                PeerId{uint16_t(i % peers + 1)},
                                i % 10 == 0 ? player_type : cube_type});
    }
    for (size_t i = 0; i < peers; ++i) {
        PictureRow row = {};
        row.now.self = PeerId{uint16_t(i + 1)};
        row.now.host = PeerId{1};
        row.now.state = State::refused_by_game;
        row.now.rtt_us = 99'999'000;
        row.now.received_bytes = row.now.sent_bytes = 9'999'999;
        row.now.objects = row.now.owned = 1000;
        row.now.migrations = 99'999;
        row.seconds = 1;
        picture.rows.push_back(row);
    }
    return picture;
}

TEST(PictureTest, FitsIntoEightyColumnsAndTwentyFourLines)
{
    for (size_t peers : {1u, 2u, 4u, 16u}) {
        const std::vector<size_t> all = widths(picture::drawn(full_picture(peers)));
        EXPECT_LE(all.size(), 24u) << peers;
        for (size_t width : all)
            EXPECT_LE(width, 80u) << peers;
    }
}

TEST(PictureTest, ACubeIsDrawnInTheColourOfItsOwnerOnly)
{
    Picture one = full_picture(2);
    one.rows.clear();
    one.dots = {{{10, 10}, PeerId{1}, cube_type}};
    Picture other = one;
    other.dots[0].owner = PeerId{2};
    EXPECT_NE(picture::drawn(one), picture::drawn(other));
    EXPECT_NE(std::string::npos, picture::drawn(one).find("38;5;39m"));
    EXPECT_EQ(std::string::npos, picture::drawn(one).find("38;5;208m"));
    EXPECT_NE(std::string::npos, picture::drawn(other).find("38;5;208m"));
}

TEST(PictureTest, ARowTellsRatesAndWhatHasBecomeOfAPeer)
{
    PictureRow row = {};
    row.now.self = row.now.host = PeerId{3};
    row.now.state = State::open;
    row.now.rtt_us = 123'000;
    row.now.sent_datagrams = 200;
    row.now.lost_datagrams = 11;
    row.now.received_bytes = 50'000;
    row.before.received_bytes = 10'000;
    row.seconds = 2;
    row.now.owned = 17;
    EXPECT_EQ("   3 host     123    5.5    20.0      0.0       0   17     0  open",
              picture::row_text(row));
    row.note = "killed";
    EXPECT_NE(std::string::npos, picture::row_text(row).find("killed"));
}

}
}
