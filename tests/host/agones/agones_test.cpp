// The client of the Agones SDK's server, against a stand-in that keeps the rules.
#include "host/agones/agones.h"
#include "host/http/board.h"
#include "tests/host/agones/sdk_stand_in.h"
#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <tern/io.hpp>
#include <thread>
#include <unistd.h>

using namespace dedicated;
using namespace dedicated::test;

namespace {

constexpr uint64_t limit_us = 30'000'000; // For what should take much less.

// A host that only ticks, beside a stand-in.
struct Host {
    Board board;
    std::shared_ptr<SdkStandIn> sdk;
    std::shared_ptr<Agones> agones;
    bool ticks = true;
    std::vector<FleetOrder> orders;
    std::vector<std::string> problems;
};

void begin(Host &host, const SdkOptions &options = {}, SdkManner manner = SdkManner::good)
{
    host.sdk = sdk::make(options);
    sdk::set_manner(*host.sdk, manner);
    sdk::listen(*host.sdk);
    host.agones = agones::make(sdk::port(*host.sdk), host.board);
}

// Ticks until it is so. False: it never was.
bool until(Host &host, const std::function<bool()> &is_so)
{
    const uint64_t end_us = tern::clock_us() + limit_us;
    while (tern::clock_us() < end_us) {
        if (host.ticks) host.board.ticked_us = tern::clock_us();
        const FleetOrder order = agones::order(*host.agones);
        if (order != FleetOrder::none) host.orders.push_back(order);
        for (const FleetNote &note : agones::notes(*host.agones))
            if (note.is_problem) host.problems.push_back(note.text);
        if (is_so()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return false;
}

bool until_state(Host &host, const std::string &state)
{
    return until(host, [&] { return sdk::record(*host.sdk).state == state; });
}

bool until_orders(Host &host, size_t count)
{
    return until(host, [&] { return host.orders.size() >= count; });
}

bool until_problem(Host &host, const std::string &part)
{
    return until(host, [&] {
        return std::any_of(
            host.problems.begin(), host.problems.end(),
            [&](const std::string &text) { return text.find(part) != std::string::npos; });
    });
}

PeerStatus peer(uint16_t id, bool is_self = false)
{
    PeerStatus out = {};
    out.id = id;
    out.name = "\xff a name";
    out.is_self = out.is_host = is_self;
    return out;
}

RoomStatus room(const std::string &name, const std::vector<uint16_t> &players)
{
    RoomStatus out = {};
    out.name = name;
    out.state = "open";
    out.topology = "star";
    out.invite = "tern:" + name;
    out.port = 7777;
    out.takes_newcomers = true;
    out.peers_max = 9;
    out.peers.push_back(peer(1, true));
    for (const uint16_t id : players)
        out.peers.push_back(peer(id));
    return out;
}

HostStatus status(const std::vector<RoomStatus> &rooms)
{
    HostStatus out = {};
    out.version = "0.1.0+test";
    out.rooms = rooms;
    return out;
}

bool has_players(Host &host, std::vector<std::string> players)
{
    return until(host, [&] {
        std::vector<std::string> present = sdk::record(*host.sdk).players;
        std::sort(present.begin(), present.end());
        return present == players;
    });
}

testing::AssertionResult no_violations(Host &host)
{
    testing::AssertionResult result = testing::AssertionSuccess();
    for (const std::string &violation : sdk::record(*host.sdk).violations)
        result = testing::AssertionFailure() << violation;
    return result;
}

uint64_t took_us(const std::function<void()> &what)
{
    const uint64_t begun_us = tern::clock_us();
    what();
    return tern::clock_us() - begun_us;
}

const std::vector<std::string> from_scheduled_to_ready = {"Scheduled", "RequestReady", "Ready"};

}

TEST(AgonesTest, WaitsForAServerThatStartsLate)
{
    Host host;
    host.sdk = sdk::make({.game_port = 7123});
    host.agones = agones::make(sdk::port(*host.sdk), host.board);
    const GameServer none = agones::game_server(*host.agones, 150);
    EXPECT_NE(none.error.find(std::to_string(sdk::port(*host.sdk))), std::string::npos)
        << none.error;
    EXPECT_NE(none.error.find("GET /gameserver"), std::string::npos) << none.error;

    std::thread starter([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        sdk::listen(*host.sdk);
    });
    const GameServer server = agones::game_server(*host.agones, 30'000);
    starter.join();
    EXPECT_EQ(server.error, "");
    EXPECT_EQ(server.name, "tern-host-1");
    EXPECT_EQ(server.address, "127.0.0.1");
    EXPECT_EQ(server.state, "Scheduled");
    ASSERT_EQ(server.ports.size(), 1u);
    EXPECT_EQ(server.ports[0].name, "default");
    EXPECT_EQ(server.ports[0].port, 7123);
}

TEST(AgonesTest, WaitsUntilTheGameServerHasItsAddress)
{
    Host host;
    begin(host, {.state = "Starting"});
    EXPECT_TRUE(until(host, [&] {
        const GameServer none = agones::game_server(*host.agones, 100);
        return none.error.find("it is Starting") != std::string::npos;
    }));
}

TEST(AgonesTest, SaysReadyOnceAndWhatItIs)
{
    Host host;
    begin(host);
    board::publish(host.board, status({room("main", {})}));
    agones::ready(*host.agones);
    ASSERT_TRUE(until_state(host, "Ready"));
    ASSERT_TRUE(until(host, [&] { return !sdk::record(*host.sdk).annotations.empty(); }));
    agones::ready(*host.agones); // Nothing more to say.
    ASSERT_TRUE(until(host, [&] { return sdk::count(*host.sdk, "POST", "/health") >= 4; }));
    const SdkRecord record = sdk::record(*host.sdk);
    EXPECT_EQ(record.states, from_scheduled_to_ready);
    EXPECT_EQ(sdk::count(*host.sdk, "POST", "/ready"), 1u);
    EXPECT_EQ(record.labels.at("agones.dev/sdk-version"), "0.1.0-test");
    EXPECT_EQ(record.labels.at("agones.dev/sdk-topology"), "star");
    EXPECT_EQ(record.annotations.at("agones.dev/sdk-rooms"),
              R"([{"invite":"tern:main","name":"main","open":true,"peers_max":9,"port":7777,)"
              R"("topology":"star"}])");
    const auto place = [&](const std::string &path) {
        const auto is_it = [&](const SdkRequest &each) { return each.path == path; };
        return std::find_if(record.requests.begin(), record.requests.end(), is_it);
    };
    EXPECT_LT(place("/metadata/annotation"), place("/ready")); // An allocation may follow at once.
    EXPECT_TRUE(no_violations(host));
    EXPECT_EQ(host.problems, std::vector<std::string>());
}

TEST(AgonesTest, SaysNothingBeforeItIsAsked)
{
    Host host;
    begin(host);
    board::publish(host.board, status({room("main", {})}));
    ASSERT_TRUE(until(host, [&] { return sdk::count(*host.sdk, "POST", "/health") >= 3; }));
    EXPECT_EQ(sdk::record(*host.sdk).state, "Scheduled");
}

TEST(AgonesTest, DoesNotTakeBackAnAllocationBySayingReady)
{
    Host host;
    begin(host, {.state = "Allocated"}); // A container that was started anew.
    agones::ready(*host.agones);
    ASSERT_TRUE(until_orders(host, 1));
    EXPECT_EQ(host.orders[0], FleetOrder::allocated);
    ASSERT_TRUE(until(host, [&] { return sdk::count(*host.sdk, "POST", "/health") >= 3; }));
    EXPECT_EQ(sdk::count(*host.sdk, "POST", "/ready"), 0u);
    EXPECT_TRUE(no_violations(host));
}

TEST(AgonesTest, AReadyWithoutAnAnswerIsNotRepeatedBlindly)
{
    Host host;
    begin(host, {.watch_tells = false});
    ASSERT_EQ(agones::game_server(*host.agones, 30'000).error, "");
    sdk::set_manner(*host.sdk, SdkManner::hang);
    agones::ready(*host.agones);
    ASSERT_TRUE(until_problem(host, "POST /ready: no answer"));
    sdk::set_manner(*host.sdk, SdkManner::good); // Now it does what it was asked to.
    ASSERT_TRUE(until(host, [&] { return sdk::allocate(*host.sdk); }));
    const size_t pings = sdk::count(*host.sdk, "POST", "/health");
    ASSERT_TRUE(until(host, [&] { return sdk::count(*host.sdk, "POST", "/health") > pings + 6; }));
    EXPECT_EQ(sdk::record(*host.sdk).state, "Allocated");
    EXPECT_EQ(sdk::count(*host.sdk, "POST", "/ready"), 1u);
    EXPECT_TRUE(no_violations(host));
}

TEST(AgonesTest, HealthGoesOutTwiceInAPeriodAndStopsWithTheTicks)
{
    Host host;
    begin(host, {.health_failures_max = 2});
    agones::ready(*host.agones);
    ASSERT_TRUE(until(host, [&] { return sdk::count(*host.sdk, "POST", "/health") >= 8; }));
    std::vector<uint64_t> times_us, gaps_us;
    for (const SdkRequest &request : sdk::record(*host.sdk).requests)
        if (request.path == "/health") times_us.push_back(request.at_us);
    for (size_t i = 1; i < times_us.size(); ++i)
        gaps_us.push_back(times_us[i] - times_us[i - 1]);
    std::sort(gaps_us.begin(), gaps_us.end());
    EXPECT_LT(gaps_us.front(), 500'000u);
    EXPECT_GT(times_us.back() - times_us.front(), gaps_us.size() * 300'000);
    EXPECT_EQ(sdk::record(*host.sdk).state, "Ready");

    host.ticks = false; // As if the loop hung.
    const size_t pings = sdk::count(*host.sdk, "POST", "/health");
    ASSERT_TRUE(until_state(host, "Unhealthy"));
    EXPECT_LE(sdk::count(*host.sdk, "POST", "/health"), pings + 1);
    ASSERT_TRUE(until_orders(host, 1));
    EXPECT_EQ(host.orders[0], FleetOrder::shut_down);
    EXPECT_TRUE(until_problem(host, "no tick has ended"));
}

TEST(AgonesTest, EachAllocationIsTakenOnceFromAWatchThatIsCutAnywhere)
{
    Host host;
    begin(host, {.watch_bytes = 7});
    agones::ready(*host.agones);
    ASSERT_TRUE(until_state(host, "Ready"));
    ASSERT_TRUE(until(host, [&] { return sdk::record(*host.sdk).watches == 1; }));
    ASSERT_TRUE(sdk::allocate(*host.sdk));
    ASSERT_TRUE(until_orders(host, 1));
    ASSERT_TRUE(sdk::allocate(*host.sdk)); // Once more, of the same game server.
    ASSERT_TRUE(until_orders(host, 2));
    for (size_t watches = 2; watches <= 4; ++watches) { // Each tells the present once more.
        sdk::break_watches(*host.sdk);
        ASSERT_TRUE(until(host, [&] { return sdk::record(*host.sdk).watches == watches; }));
    }
    ASSERT_TRUE(sdk::allocate(*host.sdk));
    ASSERT_TRUE(until_orders(host, 3));
    ASSERT_TRUE(sdk::shut_down(*host.sdk));
    ASSERT_TRUE(until_orders(host, 4));
    const FleetOrder allocated = FleetOrder::allocated;
    EXPECT_EQ(host.orders, (std::vector{allocated, allocated, allocated, FleetOrder::shut_down}));
    EXPECT_EQ(host.problems, std::vector<std::string>());
}

TEST(AgonesTest, ScaledDownItDrainsAndSaysShutdownOnceWhileHealthGoesOn)
{
    Host host;
    begin(host);
    agones::ready(*host.agones);
    ASSERT_TRUE(until_state(host, "Ready"));
    ASSERT_TRUE(sdk::scale_down(*host.sdk));
    ASSERT_TRUE(until_orders(host, 1));
    EXPECT_EQ(host.orders[0], FleetOrder::shut_down);
    EXPECT_EQ(sdk::count(*host.sdk, "POST", "/shutdown"), 0u);
    EXPECT_TRUE(agones::shut_down(*host.agones, 30'000));
    host.ticks = false;
    const size_t pings = sdk::count(*host.sdk, "POST", "/health");
    ASSERT_TRUE(until(host, [&] { return sdk::count(*host.sdk, "POST", "/health") > pings + 2; }));
    EXPECT_EQ(sdk::count(*host.sdk, "POST", "/shutdown"), 1u);
    EXPECT_EQ(host.orders.size(), 1u);
    EXPECT_TRUE(no_violations(host));
}

TEST(AgonesTest, TheCounterAndTheListFollowTheStatus)
{
    Host host;
    begin(host, {.players = {"main/77", "main/2"}}); // As a former process has left them.
    agones::ready(*host.agones);
    RoomStatus closed = room("two", {});
    closed.takes_newcomers = false;
    board::publish(host.board, status({room("main", {2, 3}), closed}));
    ASSERT_TRUE(has_players(host, {"main/2", "main/3"}));
    ASSERT_TRUE(until(host, [&] { return sdk::record(*host.sdk).rooms == 1; }));
    EXPECT_EQ(sdk::record(*host.sdk).rooms_capacity, 2);
    EXPECT_EQ(sdk::record(*host.sdk).players_capacity, 8);

    board::publish(host.board, status({room("main", {3, 4}), room("two", {2, 5})}));
    ASSERT_TRUE(has_players(host, {"main/3", "main/4", "two/2", "two/5"}));
    ASSERT_TRUE(until(host, [&] { return sdk::record(*host.sdk).players_capacity == 16; }));
    ASSERT_TRUE(until(host, [&] { return sdk::record(*host.sdk).rooms == 2; }));

    std::vector<RoomStatus> draining = {room("main", {3}), room("two", {})};
    for (RoomStatus &each : draining)
        each.draining = true;
    board::publish(host.board, status(draining));
    ASSERT_TRUE(has_players(host, {"main/3"}));
    ASSERT_TRUE(until(host, [&] { return sdk::record(*host.sdk).players_capacity == 1; }));
    ASSERT_TRUE(until(host, [&] { return sdk::record(*host.sdk).rooms == 0; }));
    EXPECT_TRUE(no_violations(host)); // Nothing was said twice, nor out of range.
    EXPECT_EQ(host.problems, std::vector<std::string>());
}

// The change may be done or not, so the value is read before it is changed again, even if the other
// value gave no trouble.
TEST(AgonesTest, ACounterOrListWhoseChangeFailsIsReadAgain)
{
    for (const char *path : {"/v1beta1/counters/rooms", "/v1beta1/lists/players"}) {
        Host host;
        begin(host, {.lost_answer_path = path});
        agones::ready(*host.agones);
        board::publish(host.board, status({room("main", {2, 3})}));
        ASSERT_TRUE(until_problem(host, std::string("PATCH ") + path + ": the answer is 503"));
        ASSERT_TRUE(until(host, [&] {
            return sdk::count(*host.sdk, "GET", path) > 1 ||
                   sdk::count(*host.sdk, "PATCH", path) > 1;
        }));
        EXPECT_EQ(sdk::count(*host.sdk, "GET", path), 2u) << path;
        ASSERT_TRUE(has_players(host, {"main/2", "main/3"}));
        EXPECT_EQ(sdk::count(*host.sdk, "PATCH", path), 1u) << path;
        EXPECT_EQ(sdk::record(*host.sdk).rooms, 1);
        EXPECT_TRUE(no_violations(host)) << path;
    }
}

TEST(AgonesTest, WhatAGameServerIsNotConfiguredToHaveIsSaidOnceAndLeftAlone)
{
    for (const int status_code : {404, 500}) {
        Host host;
        begin(host, {.has_rooms = false, .has_players = false, .missing_status = status_code});
        agones::ready(*host.agones);
        board::publish(host.board, status({room("main", {2})}));
        ASSERT_TRUE(until_problem(host, "no list \"players\""));
        board::publish(host.board, status({room("main", {2, 3}), room("two", {})}));
        ASSERT_TRUE(until(host, [&] { return sdk::count(*host.sdk, "POST", "/health") >= 4; }));
        EXPECT_EQ(host.problems.size(), 2u);
        EXPECT_EQ(sdk::count(*host.sdk, "GET", "/v1beta1/counters/rooms"), 1u);
        EXPECT_EQ(sdk::count(*host.sdk, "PATCH", "/v1beta1/counters/rooms"), 0u);
        EXPECT_EQ(sdk::count(*host.sdk, "GET", "/v1beta1/lists/players"), 1u);
        EXPECT_TRUE(no_violations(host));
    }
}

TEST(AgonesTest, AllocatesItselfForPlayersThatNobodySent)
{
    Host host;
    begin(host);
    agones::ready(*host.agones);
    board::publish(host.board, status({room("main", {})}));
    ASSERT_TRUE(until_state(host, "Ready"));
    ASSERT_TRUE(until(host, [&] { return sdk::count(*host.sdk, "POST", "/health") >= 3; }));
    EXPECT_EQ(sdk::count(*host.sdk, "POST", "/allocate"), 0u); // The host is no player.
    board::publish(host.board, status({room("main", {2})}));
    ASSERT_TRUE(until_orders(host, 1));
    EXPECT_EQ(host.orders[0], FleetOrder::allocated);
    board::publish(host.board, status({room("main", {2, 3})}));
    ASSERT_TRUE(has_players(host, {"main/2", "main/3"}));
    EXPECT_EQ(sdk::count(*host.sdk, "POST", "/allocate"), 1u);
    EXPECT_FALSE(sdk::scale_down(*host.sdk));
    EXPECT_TRUE(no_violations(host));
}

TEST(AgonesTest, GarbageIsToldAndSurvived)
{
    Host host;
    begin(host, {}, SdkManner::garbage);
    EXPECT_NE(agones::game_server(*host.agones, 400).error, "");
    sdk::set_manner(*host.sdk, SdkManner::good);
    EXPECT_EQ(agones::game_server(*host.agones, 30'000).error, "");
    agones::ready(*host.agones);
    board::publish(host.board, status({room("main", {})}));
    ASSERT_TRUE(until(host, [&] { return sdk::record(*host.sdk).watches == 1; }));
    ASSERT_TRUE(until_state(host, "Ready"));

    sdk::set_manner(*host.sdk, SdkManner::garbage);
    sdk::break_watches(*host.sdk);
    board::publish(host.board, status({room("main", {2}), room("two", {})}));
    EXPECT_TRUE(until_problem(host, "a line of the watch"));
    EXPECT_TRUE(until(host, [&] { return sdk::count(*host.sdk, "GET", "/watch/gameserver") > 6; }));
    sdk::set_manner(*host.sdk, SdkManner::refuse);
    EXPECT_TRUE(until_problem(host, "the answer is 503 no ? service"));
    sdk::set_manner(*host.sdk, SdkManner::good);
    ASSERT_TRUE(has_players(host, {"main/2"}));
    ASSERT_TRUE(until_state(host, "Allocated"));
    ASSERT_TRUE(until_orders(host, 1));
    EXPECT_LE(host.problems.size(), 32u);
}

// A busy machine only makes pauses longer, so the shortest of them tells how long they were meant
// to be.
TEST(AgonesTest, PausesBetweenWatchesThatFailAreShortAtFirstAndGrow)
{
    Host host;
    begin(host);
    ASSERT_TRUE(until(host, [&] { return sdk::record(*host.sdk).watches == 1; }));
    sdk::set_manner(*host.sdk, SdkManner::refuse);
    sdk::break_watches(*host.sdk);
    constexpr size_t attempts = 5; // The first was good.
    ASSERT_TRUE(
        until(host, [&] { return sdk::count(*host.sdk, "GET", "/watch/gameserver") >= attempts; }));
    std::vector<uint64_t> times_us, pauses_us;
    for (const SdkRequest &request : sdk::record(*host.sdk).requests)
        if (request.path == "/watch/gameserver") times_us.push_back(request.at_us);
    for (size_t i = 2; i < attempts; ++i)
        pauses_us.push_back(times_us[i] - times_us[i - 1]);
    EXPECT_GE(pauses_us[0], 100'000u);
    EXPECT_GE(pauses_us[1], 200'000u);
    EXPECT_GE(pauses_us[2], 400'000u);
    EXPECT_LT(*std::min_element(pauses_us.begin(), pauses_us.end()), 2'000'000u);
}

TEST(AgonesTest, AHangingServerHoldsUpNobody)
{
    Host host;
    begin(host, {}, SdkManner::hang);
    GameServer server;
    EXPECT_LT(took_us([&] { server = agones::game_server(*host.agones, 200); }), 2'000'000u);
    EXPECT_NE(server.error, "");
    EXPECT_LT(took_us([&] { agones::order(*host.agones); }), 500'000u);
    EXPECT_LT(took_us([&] { agones::notes(*host.agones); }), 500'000u);
    EXPECT_LT(took_us([&] { agones::ready(*host.agones); }), 500'000u);
    EXPECT_LT(took_us([&] { EXPECT_FALSE(agones::shut_down(*host.agones, 200)); }), 2'000'000u);
    EXPECT_LT(took_us([&] { host.agones.reset(); }), 2'000'000u);
}

TEST(AgonesTest, EndsQuicklyInTheMiddleOfAllThatItDoes)
{
    Host host;
    begin(host);
    agones::ready(*host.agones);
    board::publish(host.board, status({room("main", {2})}));
    ASSERT_TRUE(until(host, [&] { return sdk::record(*host.sdk).watches == 1; }));
    sdk::set_manner(*host.sdk, SdkManner::hang); // The watch is open, and silent.
    const size_t pings = sdk::count(*host.sdk, "POST", "/health");
    ASSERT_TRUE(until(host, [&] { return sdk::count(*host.sdk, "POST", "/health") > pings; }));
    EXPECT_LT(took_us([&] { host.agones.reset(); }), 2'000'000u);
}

TEST(AgonesTest, WhatIsNoHttpIsSurvived)
{
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr *>(&address), size), 0);
    ASSERT_EQ(listen(listener, 8), 0);
    ASSERT_EQ(getsockname(listener, reinterpret_cast<sockaddr *>(&address), &size), 0);
    std::thread server([&] {
        const std::string answers[] = {
            "\x01\x02\xff garbage\r\n\r\n", "HTTP/1.1 200 OK\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n{}", ""};
        for (const std::string &answer : answers) {
            const int taken = accept(listener, nullptr, nullptr);
            char bytes[512];
            if (recv(taken, bytes, sizeof bytes, 0) >= 0)
                send(taken, answer.data(), answer.size(), MSG_NOSIGNAL);
            close(taken);
        }
        close(listener);
    });
    Host host;
    host.agones = agones::make(ntohs(address.sin_port), host.board);
    server.join();
    EXPECT_NE(agones::game_server(*host.agones, 100).error, "");
}
