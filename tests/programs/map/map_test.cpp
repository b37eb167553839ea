// tern-map against simulated gateways. No test contacts the real gateway of its network, because
// that would open a port there.
#include "tests/programs/map/gateways.h"
#include "tests/programs/process.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#ifdef TERN_HAVE_MAP

using namespace tern::test;

namespace {

std::vector<std::string> command(std::vector<std::string> arguments)
{
    arguments.insert(arguments.begin(), TERN_PROGRAMS_DIR "/tern-map");
    return arguments;
}

std::vector<std::string> natpmp(const NatPmpGateway &gateway, std::vector<std::string> more)
{
    more.insert(more.begin(), {"--only", "natpmp", "--gateway", gateway.ip});
    return command(more);
}

template <class List> bool comes(const List &list, size_t count)
{
    for (int i = 0; i < 500 && list().size() < count; ++i)
        usleep(10'000);
    return list().size() >= count;
}

}

TEST(Map, ByNatPmpThePortIsMappedRenewedAndDeletedAtTheEnd)
{
    NatPmpGateway gateway;
    if (!gateway.runs()) GTEST_SKIP() << "another process has port 5351";
    gateway.lifetime_s_max = 2;
    gateway.gives_port = 9999;
    gateway.start();
    Process map(natpmp(gateway, {"--port", "7777", "--external", "8888"}));
    ASSERT_TRUE(map.print_until("\n")) << map.text;
    EXPECT_EQ(map.text, "203.0.113.7:9999\n");
    ASSERT_TRUE(comes([&] { return gateway.requests(); }, 2));
    EXPECT_EQ(map.end_by(SIGTERM), 0);
    // The mapping was renewed unchanged, so nothing is printed.
    EXPECT_EQ(map.text, "203.0.113.7:9999\n");
    const std::vector<MappingRequest> asked = gateway.requests();
    ASSERT_GE(asked.size(), 3u);
    EXPECT_EQ(asked[0], (MappingRequest{7777, 8888, 3600}));
    // The renewal asks for the port that the gateway gave.
    EXPECT_EQ(asked[1], (MappingRequest{7777, 9999, 3600}));
    EXPECT_EQ(asked.back(), (MappingRequest{7777, 0, 0}));
}

TEST(Map, TheLineOfJsonNamesAddressWayAndLifetime)
{
    NatPmpGateway gateway;
    if (!gateway.runs()) GTEST_SKIP() << "another process has port 5351";
    gateway.start();
    Process map(natpmp(gateway, {"--port", "7777", "--lifetime", "600", "--json"}));
    ASSERT_TRUE(map.print_until("\n")) << map.text;
    const nlohmann::json line = nlohmann::json::parse(map.text, nullptr, false);
    EXPECT_EQ(line["address"], "203.0.113.7:7777");
    EXPECT_EQ(line["by"], "NAT-PMP");
    EXPECT_EQ(line["lifetime_s"], 600);
    EXPECT_EQ(map.end_by(SIGINT), 0);
}

TEST(Map, ARenewalThatFailsIsSaidAndTriedAgain)
{
    NatPmpGateway gateway;
    if (!gateway.runs()) GTEST_SKIP() << "another process has port 5351";
    gateway.lifetime_s_max = 2;
    gateway.start();
    Process map(natpmp(gateway, {"--port", "7777"}));
    ASSERT_TRUE(map.print_until("\n")) << map.text;
    gateway.stop();
    EXPECT_TRUE(map.print_until("not renewed, tried again in 10 s")) << map.text;
    EXPECT_EQ(map.end_by(SIGTERM), 1);
    EXPECT_NE(map.text.find("not deleted"), std::string::npos) << map.text;
}

TEST(Map, AGatewayThatRefusesOrIsNotThereIsNamed)
{
    Process nobody(command({"--port", "7777", "--only", "natpmp", "--gateway", "127.0.53.52"}));
    EXPECT_EQ(nobody.wait_for_end(), 1);
    EXPECT_EQ(nobody.text, "tern-map: NAT-PMP: the gateway does not speak NAT-PMP\n");
    Process none(command({"--port", "7777", "--only", "upnp", "--igd", "http://127.0.0.1:1/x"}));
    EXPECT_EQ(none.wait_for_end(), 1);
    EXPECT_NE(none.text.find("tern-map: UPnP: no gateway answers\n"), std::string::npos)
        << none.text;
    NatPmpGateway gateway;
    if (!gateway.runs()) GTEST_SKIP() << "another process has port 5351";
    gateway.result = 2; // RFC 6886, 3.5: not authorized.
    gateway.start();
    Process refused(natpmp(gateway, {"--port", "7777"}));
    EXPECT_EQ(refused.wait_for_end(), 1);
    EXPECT_NE(refused.text.find("port mapping is turned off"), std::string::npos) << refused.text;
}

TEST(Map, WithoutNatPmpUpnpMapsAndDeletes)
{
    UpnpGateway gateway;
    gateway.start();
    Process map(command({"--port", "7777", "--external", "8888", "--gateway", "127.0.53.52",
                         "--igd", gateway.url()}));
    ASSERT_TRUE(map.print_until("203.0.113.8:8888\n")) << map.text;
    EXPECT_EQ(map.end_by(SIGTERM), 0) << map.text;
    const std::vector<std::string> expected = {"Add 7777 8888 3600", "Delete 8888"};
    EXPECT_EQ(gateway.actions(), expected);
}

TEST(Map, AGatewayThatKnowsNoLifetimesIsAskedForAPermanentMapping)
{
    UpnpGateway gateway;
    gateway.only_permanent = true;
    gateway.start();
    Process map(command({"--port", "7777", "--only", "upnp", "--igd", gateway.url(), "--json"}));
    ASSERT_TRUE(map.print_until("\"lifetime_s\":0")) << map.text;
    EXPECT_EQ(map.end_by(SIGTERM), 0) << map.text;
    const std::vector<std::string> expected = {"Add 7777 7777 3600", "Add 7777 7777 0",
                                               "Delete 7777"};
    EXPECT_EQ(gateway.actions(), expected);
}

TEST(Map, AConflictIsToldInTheGatewaysWords)
{
    UpnpGateway gateway;
    gateway.error = 718;
    gateway.start();
    Process map(command({"--port", "7777", "--only", "upnp", "--igd", gateway.url()}));
    EXPECT_EQ(map.wait_for_end(), 1);
    EXPECT_NE(map.text.find("718"), std::string::npos) << map.text;
    EXPECT_NE(map.text.find("ConflictInMappingEntry"), std::string::npos) << map.text;
}

TEST(Map, BadOptionsAreNamed)
{
    const std::vector<std::vector<std::string>> cases = {{},
                                                         {"--port", "0"},
                                                         {"--port", "7777", "--lifetime", "5"},
                                                         {"--port", "7777", "--only", "pigeon"},
                                                         {"--port", "7777", "--gateway", "router"}};
    for (const std::vector<std::string> &arguments : cases) {
        Process map(command(arguments));
        EXPECT_EQ(map.wait_for_end(), 2) << map.text;
        const std::string named = arguments.empty() ? "--port" : arguments[arguments.size() - 2];
        EXPECT_NE(map.text.find(named), std::string::npos) << map.text;
    }
}

#endif
