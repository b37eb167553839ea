// The status page in a real browser, fed by sessions over the simulated network. With
// TERN_PAGE_PICTURES=<folder> it leaves pictures of the page there, to be looked at; with
// TERN_PAGE_URL=<url> as well, a picture of that host's page alone.
#include "host/http/http.h"
#include "tests/host/busy_room.h"
#include "tests/host/http/browser.h"
#include <algorithm>
#include <atomic>
#include <gtest/gtest.h>
#include <tern/io.hpp>
#include <thread>

using namespace dedicated;
using namespace dedicated::test;

namespace {

// A board that lives on in real time while a browser looks at it.
struct Stage {
    BusyRoom busy;
    Board board;
    MadeHttp http;
    std::atomic<bool> ticks = true, ends = false;
    std::thread thread;

    Stage(size_t clients, size_t seconds_before, size_t objects_each = 12)
        : busy(clients, objects_each)
    {
        EXPECT_TRUE(busy.room.all_open());
        busy.run_seconds(seconds_before);
        tick();
        http = http::make("127.0.0.1:0", 60'000, board);
        EXPECT_TRUE(http.server) << http.error;
        thread = std::thread([this] {
            for (uint64_t next_us = tern::clock_us(); !ends;) {
                if (ticks) tick();
                next_us += 1'000'000;
                while (!ends && tern::clock_us() < next_us)
                    tern::sleep_us(20'000);
            }
        });
    }
    ~Stage()
    {
        ends = true;
        thread.join();
    }
    void tick()
    {
        board::publish(board, busy.run_seconds(1));
        board.ticked_us = tern::clock_us();
    }
    std::string url() const { return "http://127.0.0.1:" + std::to_string(http.port) + "/"; }
};

constexpr const char *is_drawn = "document.querySelectorAll('#peers tr').length > 0";

std::string complaints_of(const Browser &browser)
{
    std::string out;
    for (const std::string &complaint : browser.complaints)
        out += complaint + "\n";
    return out;
}

// Of a path, as many as it has lines.
size_t points_of(Browser &browser, const std::string &selector)
{
    const nlohmann::json d =
        browser.value_of("document.querySelector('" + selector + "').getAttribute('d')");
    const std::string text = d.is_string() ? d.get<std::string>() : "";
    return static_cast<size_t>(std::count(text.begin(), text.end(), 'L'));
}

}

TEST(PageTest, ShowsLiveDataInABrowser)
{
    if (browser_path().empty()) GTEST_SKIP() << "no browser (Debian: chromium)";
    Stage stage(6, 200);
    Browser browser(stage.url());
    ASSERT_TRUE(browser.wait_until(is_drawn)) << complaints_of(browser);
    EXPECT_EQ(browser.text_of("#health"), "ready");
    EXPECT_GT(points_of(browser, "#graph-rtt .curve"), 190u);
    EXPECT_GT(points_of(browser, "#graph-loss .curve"), 190u);
    EXPECT_GT(points_of(browser, "#graph-sent .area"), 190u);
    EXPECT_GT(points_of(browser, "#graph-received .area"), 190u);
    const std::string legend = browser.text_of("#graph-sent .legend");
    for (const char *name : {"crate", "shout", "other"})
        EXPECT_NE(legend.find(name), std::string::npos) << name << " in " << legend;
    EXPECT_EQ(browser.count_of("#peers tr"), 7u);
    for (const char *name : {"the host", "Marlin", "Sandwich", "Arctic"})
        EXPECT_NE(browser.text_of("#peers").find(name), std::string::npos) << name;
    EXPECT_EQ(browser.count_of("#lanes .lane"), 7u);
    EXPECT_GT(browser.count_of("#lanes .move"), 3u);
    EXPECT_GT(browser.count_of("#owners .bar"), 3u);
    // It goes on: the next answers move the time, and bring rates.
    const std::string uptime = browser.text_of("#facts");
    EXPECT_TRUE(
        browser.wait_until("document.querySelector('#facts').textContent !== '" + uptime +
                           "' && /kB\\/s/.test(document.querySelector('#peers').textContent)"));
    EXPECT_EQ(browser.text_of("html").find("NaN"), std::string::npos);
    EXPECT_EQ(complaints_of(browser), "");
}

TEST(PageTest, TellsWhatThePointerIsAt)
{
    if (browser_path().empty()) GTEST_SKIP() << "no browser (Debian: chromium)";
    Stage stage(6, 60);
    stage.ticks = false; // Nothing moves under the pointer.
    Browser browser(stage.url());
    ASSERT_TRUE(browser.wait_until(is_drawn)) << complaints_of(browser);
    browser.value_of("document.querySelector('#lanes').scrollIntoView()");
    const auto centre = [&](const std::string &selector) {
        const nlohmann::json box = browser.value_of(
            "(r => [r.left + r.width / 2, r.top + r.height / 2])([...document.querySelectorAll('" +
            selector + "')].pop().getBoundingClientRect())");
        browser.point_at(box[0], box[1]);
    };
    centre("#lanes .move");
    EXPECT_TRUE(browser.wait_until("!document.querySelector('#tip').hidden"));
    EXPECT_TRUE(browser.wait_until("document.querySelectorAll('#lanes .path').length === 1"));
    const std::string tip = browser.text_of("#tip");
    EXPECT_NE(tip.find("\xe2\x86\x92"), std::string::npos) << tip; // From one to another.
    EXPECT_NE(tip.find(" ago"), std::string::npos) << tip;
    browser.value_of("scrollTo(0, 0)");
    centre("#graph-sent svg");
    EXPECT_TRUE(browser.wait_until("document.querySelector('#tip').hidden"));
    // The same moment in all four.
    EXPECT_TRUE(browser.wait_until("document.querySelectorAll('.graph .cross').length === 4"));
    EXPECT_NE(browser.text_of("#graph-rtt .when").find(" ago"), std::string::npos);
    EXPECT_EQ(complaints_of(browser), "");
}

TEST(PageTest, AHostileNameStaysText)
{
    if (browser_path().empty()) GTEST_SKIP() << "no browser (Debian: chromium)";
    Stage stage(3, 20); // The third has it.
    Browser browser(stage.url());
    ASSERT_TRUE(browser.wait_until(is_drawn)) << complaints_of(browser);
    browser.value_of("document.querySelector('#change-list').open = true");
    EXPECT_TRUE(browser.wait_until("document.querySelectorAll('#changes tr').length > 3"));
    EXPECT_EQ(browser.count_of("img"), 0u);
    for (const char *place : {"#peers", "#lanes", "#owners", "#changes"}) {
        const std::string text = browser.text_of(place);
        EXPECT_NE(text.find("<img src=x onerror=a()>"), std::string::npos) << place;
        // It would turn what follows around.
        EXPECT_EQ(text.find("\xe2\x80\xae"), std::string::npos) << place;
    }
    EXPECT_EQ(complaints_of(browser), "");
}

TEST(PageTest, SaysWhenTheTicksStandStillAndWhenNobodyAnswers)
{
    if (browser_path().empty()) GTEST_SKIP() << "no browser (Debian: chromium)";
    Stage stage(2, 10);
    Browser browser(stage.url());
    ASSERT_TRUE(browser.wait_until(is_drawn)) << complaints_of(browser);
    EXPECT_EQ(browser.value_of("document.querySelector('#banner').hidden"), true);
    stage.ticks = false;
    EXPECT_TRUE(browser.wait_until("document.querySelector('#health').textContent === 'stuck'"));
    EXPECT_NE(browser.text_of("#banner").find("nothing new"), std::string::npos)
        << browser.text_of("#banner");
    const std::string port = std::to_string(stage.http.port);
    stage.http.server.reset();
    EXPECT_TRUE(
        browser.wait_until("document.querySelector('#health').textContent === 'no answer'"));
    EXPECT_NE(browser.text_of("#banner").find("no connection"), std::string::npos)
        << browser.text_of("#banner");
    EXPECT_EQ(browser.count_of("#peers tr"), 3u); // What was known stays.
    // It is back: the page finds it.
    stage.http = http::make("127.0.0.1:" + port, 60'000, stage.board);
    ASSERT_TRUE(stage.http.server) << stage.http.error;
    stage.ticks = true;
    EXPECT_TRUE(browser.wait_until("document.querySelector('#health').textContent === 'ready'"));
    EXPECT_EQ(browser.value_of("document.querySelector('#banner').hidden"), true);
}

TEST(PageTest, AHostAloneIsShown)
{
    if (browser_path().empty()) GTEST_SKIP() << "no browser (Debian: chromium)";
    Stage stage(0, 1);
    Browser browser(stage.url());
    ASSERT_TRUE(browser.wait_until(is_drawn)) << complaints_of(browser);
    EXPECT_EQ(browser.count_of("#peers tr"), 1u);
    EXPECT_EQ(browser.text_of("html").find("NaN"), std::string::npos);
    EXPECT_EQ(complaints_of(browser), "");
}

TEST(PageTest, Pictures)
{
    const char *folder = std::getenv("TERN_PAGE_PICTURES");
    if (!folder) GTEST_SKIP() << "TERN_PAGE_PICTURES names no folder";
    const auto take = [&](const std::string &url, const char *name, const Looks &looks) {
        Browser browser(url, looks);
        ASSERT_TRUE(browser.wait_until(is_drawn));
        usleep(6'500'000); // Rates want some seconds.
        EXPECT_TRUE(browser.take_picture(std::string(folder) + "/" + name + ".png"));
        EXPECT_EQ(complaints_of(browser), "");
    };
    if (const char *url = std::getenv("TERN_PAGE_URL")) {
        take(url, "live", {1280, 1000});
        return take(url, "live_dark", {1720, 1000, true});
    }
    Stage few(13, 300);
    take(few.url(), "wide", {1440, 1700});
    take(few.url(), "dark", {1720, 1200, true});
    take(few.url(), "narrow", {500, 3200});
    Stage alone(0, 5);
    take(alone.url(), "alone", {1440, 1300});
}
