// The status page in a real browser, fed by sessions over the simulated network. With
// TERN_PAGE_PICTURES=<folder> it leaves pictures of the page there, to be looked at.
#include "host/http.h"
#include "tests/host/busy_room.h"
#include "tests/programs/process.h"
#include <atomic>
#include <filesystem>
#include <gtest/gtest.h>
#include <regex>
#include <tern/io.h>
#include <thread>
#include <unistd.h>

using namespace dedicated;
using namespace dedicated::test;

namespace {

std::string browser()
{
    for (const char *path : {"/usr/bin/chromium", "/usr/bin/chromium-browser",
                             "/usr/bin/google-chrome", "/opt/google/chrome/chrome"})
        if (access(path, X_OK) == 0) return path;
    return {};
}

// A browser that shows one page with a new profile, and what it prints.
struct Browser {
    std::string profile;
    tern::test::Process process;

    explicit Browser(const std::string &url, const std::vector<std::string> &more)
        : profile(made_folder()), process(arguments(url, profile, more))
    {
    }
    ~Browser()
    {
        process.end_by(SIGKILL);
        std::error_code ignored;
        std::filesystem::remove_all(profile, ignored);
    }
    static std::string made_folder()
    {
        char path[] = "/tmp/tern-page-XXXXXX";
        return mkdtemp(path);
    }
    static std::vector<std::string> arguments(const std::string &url, const std::string &profile,
                                              const std::vector<std::string> &more)
    {
        std::vector<std::string> out = {browser(),
                                        "--headless",
                                        "--no-sandbox",
                                        "--disable-gpu",
                                        "--disable-quic",
                                        "--no-first-run",
                                        "--disable-background-networking",
                                        "--disable-component-update",
                                        "--disable-sync",
                                        "--disable-dev-shm-usage",
                                        "--enable-logging=stderr",
                                        "--user-data-dir=" + profile};
        out.insert(out.end(), more.begin(), more.end());
        out.push_back(url);
        return out;
    }
};

// A board that lives on in real time while a browser looks at it.
struct Stage {
    BusyRoom busy;
    Board board;
    MadeHttp http;
    std::atomic<bool> ends = false;
    std::thread thread;

    explicit Stage(size_t clients, size_t seconds_before, size_t objects_each = 12,
                   uint16_t peers_max = 64)
        : busy(clients, objects_each, peers_max)
    {
        EXPECT_TRUE(busy.room.all_open());
        busy.run_seconds(seconds_before);
        tick();
        http = http::make("127.0.0.1:0", 60'000, board);
        EXPECT_TRUE(http.server) << http.error;
        thread = std::thread([this] {
            for (uint64_t next_us = tern::clock_us(); !ends;) {
                tick();
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

size_t count_of(const std::string &text, const std::string &part)
{
    size_t count = 0;
    for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size())
        ++count;
    return count;
}

// The element of this id, with all that is in it up to the next element that has one.
std::string element(const std::string &dom, const std::string &id)
{
    const size_t at = dom.find(" id=\"" + id + "\"");
    if (at == std::string::npos) return {};
    return dom.substr(at, dom.find(" id=\"", at + 5) - at);
}

std::string dom_of(const std::string &url)
{
    Browser shown(url, {"--virtual-time-budget=6000", "--window-size=1400,1000", "--dump-dom"});
    shown.process.wait_for_end();
    return shown.process.text;
}

void take_picture(const std::string &url, const std::string &name,
                  const std::vector<std::string> &more)
{
    const char *folder = std::getenv("TERN_PAGE_PICTURES");
    std::vector<std::string> all = {"--virtual-time-budget=6000", "--hide-scrollbars",
                                    "--screenshot=" + std::string(folder) + "/" + name + ".png"};
    all.insert(all.end(), more.begin(), more.end());
    Browser shown(url, all);
    EXPECT_EQ(shown.process.wait_for_end(), 0) << shown.process.text;
}

}

TEST(PageTest, ShowsLiveDataInABrowser)
{
    if (browser().empty()) GTEST_SKIP() << "no browser (Debian: chromium)";
    Stage stage(6, 200);
    const std::string dom = dom_of(stage.url());
    ASSERT_NE(dom.find("</html>"), std::string::npos) << dom;
    EXPECT_EQ(dom.find("CONSOLE"), std::string::npos) << dom.substr(dom.find("CONSOLE"), 400);
    EXPECT_EQ(dom.find("data-script-error"), std::string::npos);
    EXPECT_NE(element(dom, "health").find(">ready<"), std::string::npos) << element(dom, "health");
    // Graphs have points: a curve of a sample per second.
    for (const char *graph : {"graph-rtt", "graph-loss", "graph-sent", "graph-received"}) {
        const std::string drawn = element(dom, graph);
        std::smatch path;
        ASSERT_TRUE(
            std::regex_search(drawn, path, std::regex("class=\"(curve|area)\" d=\"([^\"]*)\"")))
            << graph;
        EXPECT_GT(count_of(path[2], "L"), 190u) << graph;
    }
    EXPECT_NE(element(dom, "graph-sent").find(">crate<"), std::string::npos);
    EXPECT_NE(element(dom, "graph-sent").find(">other<"), std::string::npos);
    // Peers are listed, lanes are drawn.
    const std::string peers = element(dom, "peers");
    EXPECT_EQ(count_of(peers, "<tr>"), 7u);
    for (const char *name : {"the host", "Marlin", "Sandwich", "Arctic"})
        EXPECT_NE(peers.find(std::string(">") + name + "<"), std::string::npos) << name;
    EXPECT_EQ(count_of(element(dom, "lanes"), "rule base lane"), 7u);
    EXPECT_GT(count_of(element(dom, "lanes"), "mark move"), 3u);
    EXPECT_GT(count_of(element(dom, "owners"), "class=\"bar\""), 3u);
}

TEST(PageTest, AHostileNameStaysText)
{
    if (browser().empty()) GTEST_SKIP() << "no browser (Debian: chromium)";
    Stage stage(3, 20); // The third has it.
    const std::string dom = dom_of(stage.url());
    EXPECT_EQ(dom.find("<img"), std::string::npos);
    EXPECT_NE(element(dom, "peers").find("&lt;img src=x onerror=a()&gt;"), std::string::npos);
    EXPECT_EQ(dom.find("\xe2\x80\xae"), std::string::npos); // It would turn what follows around.
    EXPECT_EQ(dom.find("CONSOLE"), std::string::npos);
}

TEST(PageTest, AHostAloneIsShown)
{
    if (browser().empty()) GTEST_SKIP() << "no browser (Debian: chromium)";
    Stage stage(0, 1);
    const std::string dom = dom_of(stage.url());
    EXPECT_EQ(dom.find("CONSOLE"), std::string::npos);
    EXPECT_EQ(dom.find("data-script-error"), std::string::npos);
    EXPECT_EQ(count_of(element(dom, "peers"), "<tr>"), 1u);
    EXPECT_EQ(dom.find("NaN"), std::string::npos);
}

TEST(PageTest, Pictures)
{
    if (!std::getenv("TERN_PAGE_PICTURES")) GTEST_SKIP() << "TERN_PAGE_PICTURES names no folder";
    Stage few(13, 300);
    take_picture(few.url(), "wide", {"--window-size=1440,1500"});
    take_picture(few.url(), "dark",
                 {"--window-size=1440,1500", "--blink-settings=preferredColorScheme=0"});
    take_picture(few.url(), "narrow", {"--window-size=500,3000"});
    Stage alone(0, 5);
    take_picture(alone.url(), "alone", {"--window-size=1440,1300"});
}
