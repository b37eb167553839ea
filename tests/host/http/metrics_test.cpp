#include "host/http/http.h"
#include "tern/diagnostics.hpp"
#include "tests/host/http/live_board.h"
#include "tests/host/http/metrics_text.h"
#include <cstdio>
#include <gtest/gtest.h>
#include <set>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

using namespace dedicated;
using namespace dedicated::test;

namespace {

// A room with whatever can be in one, and counters that differ.
HostStatus full_status()
{
    HostStatus status = host_status({}, 10'000'000);
    status.cpu_us = 1'500'000;
    status.resident_bytes = 4096;
    status.drain_left_ms = 2'500;
    status.ticks = {6, 1, 300'000, {1, 0, 2, 0, 0, 0, 0, 0, 0, 3}, 30};
    RoomStatus &room = status.rooms[0];
    room.name = "main";
    room.state = "open";
    room.peers.resize(3);
    room.stats.objects = 10;
    room.stats.owned = 4;
    room.stats.migrations = 12;
    room.stats.dead_ranges = 13;
    room.stats.bad_datagrams = 14;
    room.stats.forwarded_datagrams = 15;
    room.stats.forwarded_bytes = 16;
    room.stats.not_forwarded = 17;
    room.traffic = {11, 22, 33, 44, 5};
    room.misbehaved = {0, 6, 7, 8};
    room.peers_max = 18;
    room.joined = 19;
    room.left = 20;
    room.refused = 21;
    room.recording_bytes = 23;
    room.script.errors = 24;
    room.script.memory_bytes = 25;
    room.rtt = {3, 61'000, {0, 0, 0, 1, 2}};
    room.types.push_back({"crate", 10, {sizeof(tern::TypeStats), 72, 40, 7, 3}});
    status.rooms.push_back(room);
    status.rooms[1].name = "a \"quoted\\name\"\nand more";
    status.rooms[1].types[0].name = "\"\\\n";
    return status;
}

struct Promtool {
    int status = -1; // 127 and the like: it is not there.
    std::string said;
};

Promtool check(const std::string &text)
{
    char path[] = "/tmp/tern-metrics-XXXXXX";
    const int descriptor = mkstemp(path);
    EXPECT_GE(descriptor, 0);
    EXPECT_EQ(write(descriptor, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    close(descriptor);
    Promtool out;
    FILE *pipe = popen(("promtool check metrics < " + std::string(path) + " 2>&1").c_str(), "r");
    char bytes[4096];
    for (size_t size; (size = fread(bytes, 1, sizeof bytes, pipe)) > 0;)
        out.said.append(bytes, size);
    const int how = pclose(pipe);
    out.status = WIFEXITED(how) ? WEXITSTATUS(how) : -1;
    unlink(path);
    return out;
}

bool has_promtool()
{
    return std::system("command -v promtool > /dev/null 2>&1") == 0;
}

}

TEST(MetricsTest, PromtoolHasNoComplaint)
{
    if (!has_promtool()) GTEST_SKIP() << "promtool is not installed (Debian: prometheus)";
    const Promtool good = check(metrics_text(full_status()));
    EXPECT_EQ(good.status, 0) << good.said;
    EXPECT_EQ(good.said, "");
    const Promtool empty = check(metrics_text({}));
    EXPECT_EQ(empty.status, 0) << empty.said;
    // It does find something to complain about.
    EXPECT_NE(check("# TYPE tern_x counter\ntern_x 1\n").status, 0);
}

TEST(MetricsTest, ValuesAreInBaseUnits)
{
    const auto values = values_of(metrics_text(full_status()));
    const auto of = [&](const std::string &name) {
        const auto found = values.find(name);
        EXPECT_NE(found, values.end()) << name;
        return found == values.end() ? -1 : found->second;
    };
    EXPECT_EQ(of("tern_build_info{version=\"1.2.3\"}"), 1);
    EXPECT_EQ(of("tern_ready"), 1);
    EXPECT_EQ(of("tern_draining"), 0);
    EXPECT_EQ(of("tern_rooms"), 2);
    EXPECT_EQ(of("process_cpu_seconds_total"), 1.5);
    EXPECT_EQ(of("process_resident_memory_bytes"), 4096);
    EXPECT_EQ(of("process_start_time_seconds"), 1'700'000'000);
    EXPECT_EQ(of("tern_drain_left_seconds"), 2.5);
    EXPECT_EQ(of("tern_tick_rate_hertz"), 30);
    EXPECT_EQ(of("tern_tick_overruns_total"), 1);
    EXPECT_EQ(of("tern_peers{room=\"main\"}"), 3);
    EXPECT_EQ(of("tern_objects{room=\"main\",owner=\"self\"}"), 4);
    EXPECT_EQ(of("tern_objects{room=\"main\",owner=\"others\"}"), 6);
    EXPECT_EQ(of("tern_ownership_changes_total{room=\"main\"}"), 12);
    EXPECT_EQ(of("tern_type_sent_bytes_total{room=\"main\",type=\"crate\"}"), 9);     // 72 bits.
    EXPECT_EQ(of("tern_type_received_bytes_total{room=\"main\",type=\"crate\"}"), 5); // 40 bits.
    EXPECT_EQ(of("tern_type_sent_messages_total{room=\"main\",type=\"crate\"}"), 7);
    EXPECT_EQ(of("tern_misbehaved_total{room=\"main\",reason=\"malformed\"}"), 6);
    EXPECT_EQ(of("tern_misbehaved_total{room=\"main\",reason=\"forged\"}"), 7);
    EXPECT_EQ(of("tern_misbehaved_total{room=\"main\",reason=\"over_quota\"}"), 8);
    EXPECT_EQ(of("tern_type_objects{room=\"main\",type=\"crate\"}"), 10);
    EXPECT_EQ(of("tern_type_received_messages_total{room=\"main\",type=\"crate\"}"), 3);
}

TEST(MetricsTest, EachCounterOfARoomHasItsOwnFamily)
{
    const auto values = values_of(metrics_text(full_status()));
    const std::pair<const char *, double> expected[] = {
        {"tern_datagrams_sent_total", 11},
        {"tern_bytes_sent_total", 22},
        {"tern_datagrams_received_total", 33},
        {"tern_bytes_received_total", 44},
        {"tern_datagrams_lost_total", 5},
        {"tern_dead_ranges", 13},
        {"tern_bad_datagrams_total", 14},
        {"tern_forwarded_datagrams_total", 15},
        {"tern_forwarded_bytes_total", 16},
        {"tern_forward_dropped_datagrams_total", 17},
        {"tern_peers_limit", 18},
        {"tern_peers_joined_total", 19},
        {"tern_peers_left_total", 20},
        {"tern_peers_refused_total", 21},
        {"tern_recording_bytes", 23},
        {"tern_script_errors_total", 24},
        {"tern_script_memory_bytes", 25}};
    for (const auto &[family, value] : expected)
        EXPECT_EQ(values.at(std::string(family) + "{room=\"main\"}"), value) << family;
}

TEST(MetricsTest, HistogramsAreCumulativeAndEndWithAllThatWasSeen)
{
    const auto values = values_of(metrics_text(full_status()));
    const std::string ticks = "tern_tick_duration_seconds_";
    EXPECT_EQ(values.at(ticks + "bucket{le=\"0.0005\"}"), 1);
    EXPECT_EQ(values.at(ticks + "bucket{le=\"0.002\"}"), 3);
    EXPECT_EQ(values.at(ticks + "bucket{le=\"0.25\"}"), 3);
    EXPECT_EQ(values.at(ticks + "bucket{le=\"+Inf\"}"), 6);
    EXPECT_EQ(values.at(ticks + "count"), 6);
    EXPECT_EQ(values.at(ticks + "sum"), 0.3);
    EXPECT_EQ(values.at("tern_rtt_seconds_bucket{room=\"main\",le=\"0.01\"}"), 1);
    EXPECT_EQ(values.at("tern_rtt_seconds_bucket{room=\"main\",le=\"1\"}"), 3);
    EXPECT_EQ(values.at("tern_rtt_seconds_count{room=\"main\"}"), 3);
    EXPECT_EQ(values.at("tern_rtt_seconds_sum{room=\"main\"}"), 0.061);
}

TEST(MetricsTest, EachFamilyHasOneHelpAndOneTypeBeforeItsLines)
{
    std::set<std::string> typed, helped;
    std::istringstream stream(metrics_text(full_status()));
    for (std::string line; std::getline(stream, line);) {
        std::istringstream words(line);
        std::string mark, what, name;
        words >> mark >> what >> name;
        if (mark == "#") {
            EXPECT_TRUE((what == "HELP" ? helped : typed).insert(name).second) << line;
            continue;
        }
        std::string family = line.substr(0, line.find_first_of("{ "));
        for (const char *suffix : {"_bucket", "_sum", "_count"})
            if (!typed.contains(family) && family.ends_with(suffix))
                family.resize(family.size() - std::string(suffix).size());
        EXPECT_TRUE(typed.contains(family) && helped.contains(family)) << line;
    }
    EXPECT_EQ(typed, helped);
}

TEST(MetricsTest, LabelsAreEscaped)
{
    const std::string text = metrics_text(full_status());
    EXPECT_NE(text.find("tern_peers{room=\"a \\\"quoted\\\\name\\\"\\nand more\"} 3\n"),
              std::string::npos);
    EXPECT_NE(text.find("type=\"\\\"\\\\\\n\"} "), std::string::npos);
}

// Counters over a room whose peers come and go, on a bad network.
TEST(MetricsTest, CountersNeverFall)
{
    LiveRoom room(7, {10, 60, 0.1f, 0.05f});
    std::map<std::string, double> before;
    const auto look = [&] {
        const std::string text = metrics_text(host_status(room.status(), room.now_us));
        std::map<std::string, double> now = values_of(text);
        for (const auto &[name, value] : before) {
            const std::string family = name.substr(0, name.find('{'));
            const bool rises = family.ends_with("_total") || family.ends_with("_bucket") ||
                               family.ends_with("_count") || family.ends_with("_sum");
            ASSERT_TRUE(now.contains(name)) << name;
            EXPECT_TRUE(!rises || now.at(name) >= value) << name << " " << value;
        }
        before = now;
    };
    for (const char *name : {"a", "b", "c", "d", "e"})
        room.add(name);
    ASSERT_TRUE(room.all_open());
    for (size_t leaver = 1; leaver < room.members.size(); ++leaver) {
        for (int i = 0; i < 60; ++i) {
            room.step();
            look();
        }
        tern::leave(room.members[leaver].session);
    }
    EXPECT_TRUE(room.step_until([&] {
        look();
        return before.at("tern_peers{room=\"main\"}") == 1;
    }));
    EXPECT_EQ(before.at("tern_peers_joined_total{room=\"main\"}"), 5);
    EXPECT_EQ(before.at("tern_peers_left_total{room=\"main\"}"), 5);
    EXPECT_GT(before.at("tern_bytes_sent_total{room=\"main\"}"), 0);
    EXPECT_GT(before.at("tern_datagrams_lost_total{room=\"main\"}"), 0);
    EXPECT_GT(before.at("tern_rtt_seconds_count{room=\"main\"}"), 10);
}
