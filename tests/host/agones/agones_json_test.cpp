// What the Agones SDK's server says, well and badly.
#include "host/agones/agones_json.h"
#include <gtest/gtest.h>

using namespace dedicated;

namespace {

const std::string whole =
    R"({"object_meta":{"name":"gs","annotations":{"agones.dev/last-allocated":"t1"},)"
    R"("labels":{}},"spec":{"health":{"disabled":false,"period_seconds":7}},)"
    R"("status":{"state":"Ready","address":"10.0.0.1","ports":[{"name":"game","port":7001},)"
    R"({"name":"http","port":7002}]}})";

PeerStatus peer(uint16_t id, bool is_self = false)
{
    PeerStatus out = {};
    out.id = id;
    out.is_self = is_self;
    return out;
}

}

TEST(AgonesJsonTest, ReadsAGameServer)
{
    const SeenGameServer seen = agones_json::game_server(whole);
    EXPECT_EQ(seen.game_server.error, "");
    EXPECT_EQ(seen.game_server.name, "gs");
    EXPECT_EQ(seen.game_server.state, "Ready");
    EXPECT_EQ(seen.game_server.address, "10.0.0.1");
    ASSERT_EQ(seen.game_server.ports.size(), 2u);
    EXPECT_EQ(seen.game_server.ports[1].name, "http");
    EXPECT_EQ(seen.game_server.ports[1].port, 7002);
    EXPECT_EQ(seen.health_period_s, 7u);
    EXPECT_EQ(seen.last_allocated, "t1");
    EXPECT_FALSE(seen.is_being_deleted);
    EXPECT_EQ(agones_json::watch_line("{\"result\":" + whole + "}").game_server.state, "Ready");
}

TEST(AgonesJsonTest, TakesIntegersAsTextAndDefaults)
{
    const SeenGameServer seen = agones_json::game_server(
        R"({"object_meta":{"deletion_timestamp":"1531795395"},"status":{"state":"Ready"}})");
    EXPECT_EQ(seen.game_server.error, "");
    EXPECT_TRUE(seen.is_being_deleted);
    EXPECT_EQ(seen.health_period_s, 5u);
    const SeenCounter counter =
        agones_json::counter(R"({"name":"c","count":"3","capacity":8})", "c");
    EXPECT_EQ(counter.count, 3);
    EXPECT_EQ(counter.capacity, 8);
    const SeenList list =
        agones_json::list(R"({"name":"l","capacity":"9","values":["b","a",4,"b"]})", "l");
    EXPECT_EQ(list.capacity, 9);
    EXPECT_EQ(list.values, (std::set<std::string>{"a", "b"}));
    const SeenCounter bad =
        agones_json::counter(R"({"name":"c","count":"3x","capacity":99999999999999999999})", "c");
    EXPECT_EQ(bad.count, 0);
    EXPECT_EQ(bad.capacity, 0);
}

TEST(AgonesJsonTest, NamesWhatIsWrong)
{
    const auto error = [](const char *text) {
        return agones_json::game_server(text).game_server.error;
    };
    EXPECT_NE(error("{").find("not JSON"), std::string::npos);
    EXPECT_NE(error("[]").find("no status.state"), std::string::npos);
    EXPECT_NE(error(R"({"status":{"state":7}})").find("no status.state"), std::string::npos);
    EXPECT_NE(error(R"({"status":{"state":"Ready","ports":[{"port":70000}]}})").find("1 to 65535"),
              std::string::npos);
    EXPECT_NE(agones_json::watch_line(R"({"error":{"message":"it \n ends"}})")
                  .game_server.error.find("it ? ends"),
              std::string::npos);
    EXPECT_NE(agones_json::counter("7", "c").error, "");
    EXPECT_NE(agones_json::counter(R"({"name":"d"})", "c").error, "");
    EXPECT_NE(agones_json::list("nothing", "l").error, "");
}

TEST(AgonesJsonTest, AnyDamageIsSurvived)
{
    const std::string line = "{\"result\":" + whole + "}";
    for (size_t size = 0; size < line.size(); ++size)
        EXPECT_NE(agones_json::watch_line(line.substr(0, size)).game_server.error, "");
    for (size_t at = 0; at < line.size(); ++at)
        for (const char byte : {'\0', '"', '{', '[', ',', '9', '-', '\xff'}) {
            std::string damaged = line;
            damaged[at] = byte;
            agones_json::watch_line(damaged);
            agones_json::counter(damaged, "c");
            agones_json::list(damaged, "l");
            agones_json::error_text(damaged);
            agones_json::is_object(damaged);
        }
    agones_json::watch_line(std::string(200'000, '['));
}

TEST(AgonesJsonTest, LabelsHoldOnlyWhatLabelsMay)
{
    EXPECT_EQ(agones_json::label("0.1.0"), "0.1.0");
    EXPECT_EQ(agones_json::label("0.1.0+git 5/x"), "0.1.0-git-5-x");
    EXPECT_EQ(agones_json::label("--a--"), "a");
    EXPECT_EQ(agones_json::label("\xff\xfe"), "");
    EXPECT_EQ(agones_json::label(std::string(80, 'x')).size(), 63u);
}

TEST(AgonesJsonTest, FactsCountPlayersAndPlaces)
{
    HostStatus status = {};
    EXPECT_EQ(agones_json::facts(status).rooms_text, "[]");
    RoomStatus room = {};
    room.name = "a\xff";
    room.state = "open";
    room.topology = "mesh";
    room.takes_newcomers = true;
    room.peers_max = 5;
    room.peers = {peer(1, true), peer(2), peer(9)};
    status.rooms.push_back(room);
    room.name = "b";
    room.topology = "star";
    room.state = "cut_off";
    status.rooms.push_back(room);
    const FleetFacts facts = agones_json::facts(status);
    EXPECT_EQ(facts.rooms, 2);
    EXPECT_EQ(facts.rooms_open, 1);
    EXPECT_EQ(facts.places, 4 + 2); // The second lets nobody in, but has two.
    EXPECT_EQ(facts.players, (std::set<std::string>{"a?/2", "a?/9", "b/2", "b/9"}));
    EXPECT_EQ(facts.topology, "mixed");

    room.state = "open";
    room.peers_max = 500;
    for (uint16_t id = 10; id < 500; ++id)
        room.peers.push_back(peer(id));
    status.rooms.assign(4, room);
    for (size_t i = 0; i < status.rooms.size(); ++i)
        status.rooms[i].name = std::to_string(i);
    EXPECT_EQ(agones_json::facts(status).places, list_capacity_max);
    EXPECT_EQ(agones_json::facts(status).players.size(), static_cast<size_t>(list_capacity_max));
}

TEST(AgonesJsonTest, ErrorsAndStatesAreShortAndPrintable)
{
    const auto seen = [](const std::string &state, const std::string &ports) {
        return agones_json::game_server("{\"status\":{\"state\":\"" + state +
                                        "\",\"ports\":" + ports + "}}")
            .game_server;
    };
    EXPECT_EQ(seen("Re\\u001bady", "[]").state, "Re?ady");
    EXPECT_LE(seen(std::string(1000, 'x'), "[]").state.size(), 40u);
    const std::string wrong = "[{\"port\":\"" + std::string(100'000, 'x') + "\"}]";
    EXPECT_LE(seen("Ready", wrong).error.size(), 200u);
    // A value that nests as deep as an answer can be long.
    const std::string deep = std::string(400'000, '[') + std::string(400'000, ']');
    EXPECT_NE(seen("Ready", deep).error.find("1 to 65535"), std::string::npos);
    EXPECT_NE(seen("Ready", "[{\"port\":" + deep + "}]").error, "");
}
