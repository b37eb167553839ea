// The control socket, its commands, and tern-ctl.
#include "common/control.h"
#include "tern/invites.hpp"
#include "tests/host/running_host.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

using namespace tern;
using namespace dedicated;
using control::control_clients_max;
using control::control_idle_us_max;
using control::control_request_bytes_max;
using namespace dedicated::test;
using Json = nlohmann::ordered_json;

namespace {

// A control socket whose requests the test itself answers.
struct ControlTest : testing::Test {
    TempFolder folder;
    std::string path = folder.path + "/control";
    control::Control listening;
    std::vector<int> clients;

    void SetUp() override { ASSERT_EQ(control::open(listening, path), ""); }
    void TearDown() override
    {
        for (int client : clients)
            close(client);
        control::close(listening);
    }
    int add_client()
    {
        sockaddr_un address = {};
        address.sun_family = AF_UNIX;
        std::memcpy(address.sun_path, path.data(), path.size());
        const int client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        connect(client, reinterpret_cast<const sockaddr *>(&address), sizeof address);
        clients.push_back(client);
        return client;
    }
    static void say(int client, const std::string &text)
    {
        ASSERT_EQ(::send(client, text.data(), text.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(text.size()));
    }
    // Returns what a client has received; "end" when its connection is closed.
    static std::string heard(int client)
    {
        std::string text;
        char bytes[4096];
        ssize_t size = 0;
        while ((size = recv(client, bytes, sizeof bytes, 0)) > 0)
            text.append(bytes, static_cast<size_t>(size));
        return size == 0 && text.empty() ? "end" : text;
    }
    // Runs one tick that answers every request with its own text.
    size_t echo(uint64_t now_us = 0)
    {
        const std::vector<control::ControlRequest> requests = control::receive(listening, now_us);
        for (const control::ControlRequest &request : requests)
            control::answer(listening, request.client, request.text);
        control::send(listening, now_us);
        return requests.size();
    }
};

}

TEST_F(ControlTest, IsForItsUserAlone)
{
    struct stat found = {};
    ASSERT_EQ(stat(path.c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 0777, 0600u);
    control::Control second;
    EXPECT_EQ(control::open(second, path), "another process listens there");
    control::close(listening);
    EXPECT_FALSE(std::filesystem::exists(path));
    EXPECT_NE(control::open(listening, folder.path + "/absent/control"), "");
}

TEST_F(ControlTest, TakesRequestsInPartsAndSeveralAtOnce)
{
    const int client = add_client();
    say(client, "on");
    EXPECT_EQ(echo(), 0u);
    say(client, "e\ntwo\nthr");
    EXPECT_EQ(echo(), 1u);
    EXPECT_EQ(heard(client), "one\n");
    EXPECT_EQ(echo(), 1u);
    EXPECT_EQ(heard(client), "two\n");
    say(client, "ee\n");
    EXPECT_EQ(echo(), 1u);
    EXPECT_EQ(heard(client), "three\n");
}

TEST_F(ControlTest, ARequestThatIsTooLongEndsItsConnectionAlone)
{
    const int loud = add_client(), calm = add_client();
    for (size_t sent = 0; sent <= control_request_bytes_max; sent += 1024) {
        say(loud, std::string(1024, 'x'));
        echo();
    }
    echo();
    EXPECT_NE(heard(loud).find("too long"), std::string::npos);
    echo();
    EXPECT_EQ(heard(loud), "end");
    say(calm, "hello\n");
    echo();
    EXPECT_EQ(heard(calm), "hello\n");
}

TEST_F(ControlTest, ALargeAnswerGoesOutInParts)
{
    const int client = add_client();
    say(client, "all\n");
    std::string answer;
    for (size_t i = 0; i < 1'000'000; ++i)
        answer += static_cast<char>('a' + i % 26);
    ASSERT_EQ(control::receive(listening, 0).size(), 1u);
    control::answer(listening, 0, answer);
    std::string text;
    size_t parts = 0;
    for (; text.size() < answer.size() + 1 && parts < 10'000; ++parts) {
        control::send(listening, 0);
        text += heard(client);
    }
    EXPECT_EQ(text, answer + "\n");
    EXPECT_GT(parts, 1u);
}

TEST_F(ControlTest, ClientsHaveABoundAndTheIdleMakeRoom)
{
    for (size_t i = 0; i <= control_clients_max; ++i)
        add_client();
    say(clients.back(), "late\n");
    EXPECT_EQ(echo(0), 0u);
    EXPECT_EQ(listening.clients.size(), control_clients_max);
    EXPECT_EQ(echo(control_idle_us_max + 1), 1u);
    EXPECT_EQ(heard(clients.back()), "late\n");
    EXPECT_EQ(heard(clients.front()), "end");
}

TEST_F(ControlTest, AClientThatGoesLeavesNothing)
{
    for (int i = 0; i < 100; ++i) {
        const int client = add_client();
        say(client, "bye\n");
        close(client);
        clients.pop_back();
        echo();
    }
    echo();
    echo();
    EXPECT_TRUE(listening.clients.empty());
}

// --- The commands of a host ---

namespace {

struct CommandTest : testing::Test {
    TempFolder folder;
    std::string path = folder.path + "/control";
    RunningHost host{{"--port", "0", "--control-socket", path}};
    Clients clients = {type_file::synthetic(), Topology::star, 64, 10'000};

    void SetUp() override
    {
        ASSERT_TRUE(host.is_ready()) << host.text;
        for (int i = 0; i < 2; ++i)
            clients.add(host.invite());
        ASSERT_TRUE(clients.tick_until([&] { return clients.agree(2, 16); })) << host.text;
    }
    Json ask(const Json &request) const
    {
        return Json::parse(control_answer(path, request.dump()), nullptr, false);
    }
    std::string error(const Json &request) const
    {
        const Json answer = ask(request);
        return answer["ok"] == false ? answer["error"].get<std::string>() : "no error";
    }
    // The exit status and the output of tern-ctl.
    std::pair<int, std::string> ctl(std::vector<std::string> arguments) const
    {
        arguments.insert(arguments.begin(), {program("tern-ctl"), "--socket", path});
        tern::test::Process process(arguments);
        const int status = process.wait_for_end();
        return {status, process.text};
    }
    uint64_t id(size_t client) const
    {
        return static_cast<uint64_t>(local_peer(clients.all[client].session));
    }
};

}

TEST_F(CommandTest, ShowsStatusPeersAndObjects)
{
    const Json status = ask({{"command", "status"}})["status"];
    EXPECT_EQ(status["rooms"][0]["stats"]["objects"], 16);
    EXPECT_EQ(parse_invite(status["rooms"][0]["invite"].get<std::string>().c_str()).error, nullptr);
    const Json peers = ask({{"command", "peers"}})["peers"];
    ASSERT_EQ(peers.size(), 3u);
    EXPECT_EQ(peers[0]["self"], true);
    EXPECT_EQ(peers[1]["name"], "client");
    const Json objects = ask({{"command", "objects"}, {"limit", 3}, {"type", "item"}});
    EXPECT_EQ(objects["total"], 16);
    EXPECT_EQ(objects["objects"].size(), 3u);
    EXPECT_EQ(objects["objects"][0]["owner"], 1);
    EXPECT_EQ(ask({{"command", "objects"}, {"owner", id(0)}})["total"], 0);
}

TEST_F(CommandTest, AnObjectGoesToThePeerThatIsNamed)
{
    const Json give = {{"command", "transfer"}, {"object", "1.3"}, {"peer", id(1)}};
    // The host may learn that the client has caught up a moment after the client does.
    EXPECT_TRUE(clients.tick_until([&] { return ask(give)["ok"] == true; })) << ask(give);
    const auto object = static_cast<ObjectId>(uint64_t{1} << 32 | 3);
    const auto owned_by = [&](size_t client) {
        const auto to = static_cast<PeerId>(id(client));
        return clients.every(
            [&](const Session *session) { return object_owner(session, object) == to; });
    };
    EXPECT_TRUE(clients.tick_until([&] { return owned_by(1); }));
    // A transfer between two clients.
    const Json pass_on = {{"command", "transfer"}, {"object", "1.3"}, {"peer", id(0)}};
    EXPECT_TRUE(clients.tick_until([&] { return ask(pass_on).value("from", 0u) == id(1); }));
    EXPECT_TRUE(clients.tick_until([&] { return owned_by(0); }));
    // And back to the host.
    EXPECT_EQ(ask({{"command", "transfer"}, {"object", "1.3"}, {"peer", 1}})["ok"], true);
    EXPECT_TRUE(clients.tick_until([&] {
        return clients.every([&](const Session *session) {
            return object_owner(session, object) == tern::host_peer(session);
        });
    }));
}

TEST_F(CommandTest, AKickedPeerIsOut)
{
    EXPECT_EQ(ask({{"command", "misbehaviour"}})["misbehaviour"].size(), 0u);
    EXPECT_EQ(error({{"command", "kick"}, {"peer", id(0)}, {"reason", 7}}),
              "expected \"reason\", a text for the log");
    EXPECT_EQ(ask({{"command", "kick"}, {"peer", id(0)}, {"reason", "abuse"}})["name"], "client");
    EXPECT_TRUE(clients.tick_until(
        [&] { return session_state(clients.all[0].session) == State::removed; }));
    EXPECT_TRUE(host.print_until("peer_kicked room=main peer=2 name=client reason=abuse"))
        << host.text;
}

TEST_F(CommandTest, WhatIsWrongIsNamed)
{
    EXPECT_EQ(error({{"command", "stats"}}), "unknown command stats (did you mean \"status\"?)");
    EXPECT_EQ(error({{"command", "kick"}, {"per", 2}}),
              "kick takes no \"per\" (did you mean \"peer\"?)");
    EXPECT_EQ(error({{"command", "kick"}, {"peer", -1}}),
              "expected \"peer\", the number of a peer");
    EXPECT_EQ(error({{"command", "kick"}}), "expected \"peer\", the number of a peer");
    EXPECT_EQ(error({{"command", "kick"}, {"peer", 77}}), "no peer 77 is in room main");
    EXPECT_EQ(error({{"command", "kick"}, {"peer", 1}}), "that is the host itself; see drain");
    EXPECT_EQ(error({{"command", "transfer"}, {"object", "9.9"}, {"peer", 2}}),
              "no object 9.9 lives in room main");
    for (const char *object :
         {"", "1", "1.", ".1", "x.y", "1.1x", "-1.1", "70000.1", "0.0", "1.99999999999"})
        EXPECT_EQ(error({{"command", "transfer"}, {"object", object}, {"peer", 2}}),
                  "expected \"object\" as \"1.17\": its creator and serial")
            << object;
    EXPECT_EQ(error({{"command", "peers"}, {"room", "x"}}), "there is no room x, only main");
    EXPECT_EQ(error({{"command", "peers"}, {"room", 5}}), "expected \"room\", one of main");
    EXPECT_EQ(error({{"command", "objects"}, {"limit", 10'001}}),
              "expected \"limit\" from 0 to 10000");
    EXPECT_EQ(error({{"command", "log-level"}, {"level", "loud"}}),
              "expected \"level\", one of error, warning, info, debug");
    EXPECT_EQ(error({{"command", "record"}}), "nothing is recorded: the host has no record.folder");
    const std::string no_request = "a request is a line with a JSON object that has a \"command\"";
    for (const char *line :
         {"", "{", "[]", "5", "{\"command\":5}", "{\"a\":1}", "\xff", "[[[[[[[[[[[[[[[["}) {
        const Json answer = Json::parse(control_answer(path, line));
        EXPECT_EQ(answer["error"], no_request) << line;
    }
    EXPECT_EQ(ask({{"command", "status"}})["ok"], true);
}

TEST_F(CommandTest, TernCtlShowsTablesAndJson)
{
    const auto [status, table] = ctl({"peers"});
    EXPECT_EQ(status, 0);
    EXPECT_NE(table.find("ROUND TRIP"), std::string::npos) << table;
    EXPECT_NE(table.find("this host"), std::string::npos) << table;
    EXPECT_EQ(Json::parse(ctl({"--json", "peers"}).second)["peers"].size(), 3u);
    EXPECT_EQ(Json::parse(ctl({"peers", "--json"}).second)["peers"].size(), 3u);
    EXPECT_NE(ctl({"status"}).second.find("3 of 64"), std::string::npos);
    EXPECT_NE(ctl({"objects", "--limit", "2"}).second.find("2 of 16; see --limit"),
              std::string::npos);
    EXPECT_TRUE(ctl({"invite"}).second.starts_with("tern1-"));
    EXPECT_TRUE(ctl({"invite", "--room", "main"}).second.starts_with("tern1-"));
    EXPECT_EQ(ctl({"invite", "--room", "mian"}).first, 1);
    EXPECT_EQ(ctl({"log-level", "debug"}).first, 0);
    EXPECT_EQ(ctl({"drain"}), (std::pair<int, std::string>(0, "draining\n")));
}

TEST_F(CommandTest, TernCtlTellsRefusalBadUsageAndNoHostApart)
{
    EXPECT_EQ(ctl({"kick", "77"}),
              (std::pair<int, std::string>(1, "tern-ctl: no peer 77 is in room main\n")));
    EXPECT_EQ(ctl({"pears"}).first, 2);
    EXPECT_NE(ctl({"pears"}).second.find("did you mean \"peers\"?"), std::string::npos);
    EXPECT_EQ(ctl({}).first, 2);
    EXPECT_EQ(ctl({"kick"}).first, 2);
    EXPECT_EQ(ctl({"kick", "x"}).first, 2);
    EXPECT_EQ(ctl({"--help"}).first, 0);
    EXPECT_EQ(host.end_by(SIGKILL), -1);
    EXPECT_EQ(ctl({"status"}).first, 3);
    EXPECT_NE(ctl({"status"}).second.find("no host at " + path), std::string::npos);
}

TEST_F(CommandTest, AWatchThatIsEndedEndsWell)
{
    tern::test::Process watch({program("tern-ctl"), "--socket", path, "status", "--watch"});
    EXPECT_TRUE(watch.print_until("/s")) << watch.text; // Rates need two answers.
    EXPECT_EQ(watch.end_by(SIGINT), 0) << watch.text;
}
