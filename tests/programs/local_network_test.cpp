// Programs that find each other on the network of this machine, as processes. Skipped without
// broadcast and multicast.
#include "tern/discovery.hpp"
#include "tern/tern.hpp"
#include "tests/programs/process.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace tern;
using tern::test::Process;

namespace {

const std::string programs = TERN_PROGRAMS_DIR "/";

// Distinguishes this run from others that run at once.
std::string unique_name()
{
    return "test " + std::to_string(getpid());
}

// The session of this name in the line that tern-find prints.
nlohmann::json listed(const std::string &line, const std::string &name)
{
    const nlohmann::json all = nlohmann::json::parse(line, nullptr, false);
    if (!all.is_object()) return {};
    for (const nlohmann::json &one : all["sessions"])
        if (one["name"] == name) return one;
    return {};
}

bool carries_discovery()
{
    const MadeSocket a = make_discovery_socket(0), b = make_discovery_socket(0);
    if (!a.socket || !b.socket) return false;
    Finder *finder = make_finder({.port = a.socket->local_address().port});
    bool arrives = false;
    b.socket->send(find(finder, {}, 0));
    for (const uint64_t end_us = clock_us() + 1'000'000; !arrives && clock_us() < end_us;)
        arrives = !a.socket->receive().empty();
    destroy_finder(finder);
    destroy_socket(a.socket);
    destroy_socket(b.socket);
    return arrives;
}

}

TEST(LocalNetwork, ADemoThatAnnouncesItselfIsListedAndAnotherFindsAndJoinsIt)
{
    if (!carries_discovery()) GTEST_SKIP() << "no broadcast and no multicast here";
    const std::string name = unique_name();
    Process host({programs + "tern-demo", "--listen", "0", "--announce", name, "--seconds", "30"});
    ASSERT_TRUE(host.print_until("members=1")) << host.text;
    Process list({programs + "tern-find", "--once", "--json", "--seconds", "1"});
    EXPECT_EQ(list.wait_for_end(), 0) << list.text;
    const nlohmann::json one = listed(list.text, name);
    ASSERT_TRUE(one.is_object()) << list.text;
    EXPECT_EQ(one["game"], "tern-demo");
    EXPECT_EQ(one["players"], 1);
    EXPECT_EQ(one["peers_max"], 16);
    EXPECT_EQ(one["status"], "open");
    Process guest({programs + "tern-demo", "--join", one["invite"], "--announce", "2nd " + name});
    ASSERT_TRUE(guest.print_until("open members=2")) << guest.text;
    Process finder({programs + "tern-demo", "--find"});
    EXPECT_TRUE(finder.print_until("open members=")) << finder.text;
    EXPECT_NE(finder.text.find("Found a session with"), std::string::npos) << finder.text;
    EXPECT_EQ(finder.end_by(SIGTERM), 0) << finder.text;
    EXPECT_EQ(guest.end_by(SIGTERM), 0) << guest.text;
    EXPECT_EQ(host.end_by(SIGTERM), 0) << host.text;
}

TEST(LocalNetwork, AListOfAGameThatNobodyPlaysIsEmptyAndSaysSo)
{
    Process list({programs + "tern-find", "--once", "--json", "--seconds", "0.2", "--game",
                  "nobody plays this"});
    EXPECT_EQ(list.wait_for_end(), 1);
    EXPECT_EQ(list.text, "{\"sessions\":[]}\n");
}

TEST(LocalNetwork, ATableIsPrintedUntilASignalComes)
{
    Process list({programs + "tern-find", "--seconds", "0.1", "--game", "nobody plays this"});
    EXPECT_TRUE(list.print_until("NAME")) << list.text;
    EXPECT_EQ(list.end_by(SIGINT), 1);
}

TEST(LocalNetwork, BadOptionsOfTheListAreNamed)
{
    Process port({programs + "tern-find", "--port", "0"});
    EXPECT_EQ(port.wait_for_end(), 2);
    EXPECT_NE(port.text.find("0"), std::string::npos) << port.text;
    Process unknown({programs + "tern-find", "--everything"});
    EXPECT_EQ(unknown.wait_for_end(), 2);
    EXPECT_NE(unknown.text.find("--everything"), std::string::npos) << unknown.text;
}
