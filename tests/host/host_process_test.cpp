// tern-host as a process: the ports it binds, the options it refuses, and its signals.
#include "tern/invites.hpp"
#include "tests/host/running_host.h"
#include "tests/host/text.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <httplib.h>
#include <netinet/in.h>
#include <nlohmann/json.hpp>

using namespace tern;
using namespace dedicated::test;

namespace {

struct Listener { // A listener on a TCP port of the loopback.
    int descriptor = socket(AF_INET, SOCK_STREAM, 0);
    uint16_t port = 0;

    Listener()
    {
        sockaddr_in address = {};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        bind(descriptor, reinterpret_cast<sockaddr *>(&address), size);
        listen(descriptor, 1);
        getsockname(descriptor, reinterpret_cast<sockaddr *>(&address), &size);
        port = ntohs(address.sin_port);
    }
    Listener(const Listener &) = delete;
    ~Listener() { close(descriptor); }
};

// The host ends with this exit status, and its output has all the words.
void expect_end(RunningHost &host, int status, const std::vector<std::string> &words)
{
    EXPECT_EQ(host.wait_for_end(), status) << host.text;
    for (const std::string &word : words)
        EXPECT_TRUE(has(host.text, word)) << word << "\n" << host.text;
}

// Plays systemd: listens on the socket that $NOTIFY_SOCKET names for processes started meanwhile.
struct Manager {
    int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    std::vector<std::string> said;

    explicit Manager(const std::string &path)
    {
        sockaddr_un address = {};
        address.sun_family = AF_UNIX;
        std::memcpy(address.sun_path, path.data(), path.size());
        if (path[0] == '@') address.sun_path[0] = '\0';
        const size_t size = offsetof(sockaddr_un, sun_path) + path.size();
        bind(descriptor, reinterpret_cast<sockaddr *>(&address), static_cast<socklen_t>(size));
        setenv("NOTIFY_SOCKET", path.c_str(), 1);
        setenv("WATCHDOG_USEC", "300000", 1);
    }
    Manager(const Manager &) = delete;
    ~Manager()
    {
        unsetenv("NOTIFY_SOCKET");
        unsetenv("WATCHDOG_USEC");
        close(descriptor);
    }
    // Waits for a new notification with this text. False: none came within 20 s.
    bool hears(const std::string &wanted)
    {
        pollfd waiting = {descriptor, POLLIN, 0};
        while (poll(&waiting, 1, 20'000) > 0) {
            char bytes[1024];
            const ssize_t size = recv(descriptor, bytes, sizeof bytes, 0);
            if (size <= 0) return false;
            said.emplace_back(bytes, static_cast<size_t>(size));
            if (has(said.back(), wanted)) return true;
        }
        return false;
    }
};

}

TEST(HostProcessTest, SaysOnceThatItIsReadyAndWhereItsRoomsAre)
{
    const TempFolder folder;
    const std::string config =
        folder.write("host.toml", "[[room]]\nname = \"a\"\nport = 0\n"
                                  "[[room]]\nname = \"b\"\nport = 0\ntopology = \"mesh\"\n");
    RunningHost host({"--config", config});
    ASSERT_TRUE(host.is_ready()) << host.text;
    EXPECT_EQ(host.end_by(SIGTERM), 0);
    EXPECT_EQ(count_of(host.text, "tern-host ready"), 1u);
    const size_t begin = host.text.find("tern-host ready:");
    std::istringstream line(host.text.substr(begin, host.text.find('\n', begin) - begin));
    std::vector<std::string> words;
    for (std::string word; line >> word;)
        words.push_back(word);
    ASSERT_EQ(words.size(), 14u) << host.text;
    for (size_t room : {0u, 1u}) {
        const std::string *at = &words[2 + 6 * room];
        EXPECT_EQ(at[0] + at[1] + at[2], room == 0 ? "roomaudp" : "roombudp");
        const ParsedInvite parsed = parse_invite(at[5].c_str());
        ASSERT_EQ(parsed.error, nullptr);
        EXPECT_EQ(std::to_string(parsed.invite.addresses[0].port), at[3]);
    }
}

TEST(HostProcessTest, PeersOfTheInviteJoinAndAreLogged)
{
    RunningHost host({"--port", "0", "--log-level", "debug"});
    ASSERT_TRUE(host.is_ready()) << host.text;
    Clients clients = {type_file::synthetic(), Topology::star, 64, 10'000};
    clients.add(host.invite());
    clients.add(host.invite());
    EXPECT_TRUE(clients.tick_until([&] { return clients.agree(2, 16); })) << host.text;
    EXPECT_TRUE(host.print_until("peer_joined room=main peer=3 name=client")) << host.text;
    leave(clients.all[1].session);
    EXPECT_TRUE(
        clients.tick_until([&] { return session_state(clients.all[1].session) == State::left; }));
    EXPECT_TRUE(host.print_until("peer_left room=main")) << host.text;
    EXPECT_FALSE(has(host.text, "127.0.0.1")); // The log contains no peer's address.
}

TEST(HostProcessTest, ANameFromOutsideCannotForgeALine)
{
    RunningHost host({"--port", "0", "--log-level", "debug"});
    ASSERT_TRUE(host.is_ready()) << host.text;
    const auto types = type_file::synthetic();
    Config config = {};
    config.types = types->types;
    config.topology = Topology::star;
    config.peers_max = 64;
    config.name = "x\n\x1b[2Jinfo ready\xff";
    Clients clients = {types, Topology::star, 64, 10'000};
    clients.all.push_back({make_session(config), make_udp_socket(0).socket, false});
    join(clients.all[0].session, host.invite());
    EXPECT_TRUE(clients.tick_until([&] { return clients.agree(1, 16); }));
    ASSERT_TRUE(host.print_until("peer_joined")) << host.text;
    ASSERT_TRUE(host.print_until("\xef\xbf\xbd\"\n")) << host.text;
    EXPECT_FALSE(has(host.text, "\x1b"));
    EXPECT_FALSE(has(host.text, "\xff"));
}

TEST(HostProcessTest, ARoomThatIsClosedRefusesAndSaysWhy)
{
    RunningHost host({"--port", "0", "--open=false"});
    ASSERT_TRUE(host.is_ready()) << host.text;
    Clients clients = {type_file::synthetic(), Topology::star, 64, 10'000};
    clients.add(host.invite());
    const Session *session = clients.all[0].session;
    EXPECT_TRUE(
        clients.tick_until([&] { return session_state(session) == State::refused_by_game; }));
    EXPECT_TRUE(has(state_text(session), "the room is closed")) << state_text(session);
    EXPECT_TRUE(host.print_until("peer_refused")) << host.text;
}

TEST(HostProcessTest, WhoHasOtherTypesIsToldInTheLog)
{
    RunningHost host({"--port", "0"});
    ASSERT_TRUE(host.is_ready()) << host.text;
    auto types = type_file::synthetic();
    types->types[0].objects_max += 1;
    Clients clients = {types, Topology::star, 64, 10'000};
    clients.add(host.invite());
    const Session *session = clients.all[0].session;
    EXPECT_TRUE(clients.tick_until([&] { return session_state(session) == State::refused_types; }));
    EXPECT_TRUE(host.print_until("newcomers_refused room=main count=1")) << host.text;
}

// The pipe behind stderr is full, and the test does not read it.
TEST(HostProcessTest, AStuckReaderOfTheLogHoldsUpNoTick)
{
    const TempFolder folder;
    const std::string socket = folder.path + "/control";
    RunningHost host(
        {"--port", "0", "--control-socket", socket, "--tick-hz", "250", "--log-format", "json"});
    ASSERT_TRUE(host.is_ready()) << host.text;
    for (int i = 0; i < 900; ++i) {
        const std::string command = i % 2 == 0 ? "close" : "open";
        const std::string answer = control_answer(socket, "{\"command\":\"" + command + "\"}");
        ASSERT_TRUE(has(answer, "\"ok\":true")) << i << answer;
    }
    EXPECT_EQ(host.end_by(SIGTERM), 0);
    EXPECT_TRUE(has(host.text, "\"log_lost\"")) << host.text.size();
    EXPECT_TRUE(has(host.text, "\"drain_done\""));
}

TEST(HostProcessTest, AStandstillIsToldAndCounted)
{
    const TempFolder folder;
    const std::string socket = folder.path + "/control";
    RunningHost host({"--port", "0", "--control-socket", socket});
    ASSERT_TRUE(host.is_ready()) << host.text;
    // Answered in a tick, so the loop runs.
    ASSERT_FALSE(control_answer(socket, R"({"command":"status"})").empty());
    kill(host.id, SIGSTOP);
    tern::sleep_us(1'500'000);
    kill(host.id, SIGCONT);
    EXPECT_TRUE(host.print_until("tick_stalled ms=")) << host.text;
    EXPECT_EQ(host.end_by(SIGTERM), 0);
}

TEST(HostProcessTest, TicksComeAtTheirRate)
{
    const uint16_t port = Listener().port; // It is free again.
    RunningHost host({"--port", "0", "--control-socket", "", "--tick-hz", "20", "--http-listen",
                      "127.0.0.1:" + std::to_string(port)});
    ASSERT_TRUE(host.is_ready()) << host.text;
    httplib::Client client("127.0.0.1", port);
    const auto ticks = [&] {
        const auto answer = client.Get("/api/v1/status");
        EXPECT_TRUE(answer);
        return answer ? nlohmann::json::parse(answer->body)["ticks"]["count"].get<double>() : 0;
    };
    sleep_us(300'000); // Until the first status is there.
    const double before = ticks();
    const uint64_t begun_us = clock_us();
    sleep_us(1'000'000);
    const double after = ticks();
    const double passed_s = static_cast<double>(clock_us() - begun_us) / 1e6;
    EXPECT_GT(after, before);
    EXPECT_LT(after - before, 20 * (passed_s + 0.5)); // The status is up to 0.2 s old.
    EXPECT_EQ(host.end_by(SIGTERM), 0);
}

// --- Addresses that cannot be bound ---

TEST(HostProcessTest, APortInUseIsNamedAndNothingIsLeftBehind)
{
    const TempFolder folder;
    const std::string path = folder.path + "/control";
    const MadeSocket taken = make_udp_socket(0);
    const std::string port = std::to_string(taken.socket->local_address().port);
    const std::string config =
        folder.write("host.toml", "[control]\nsocket = \"" + path +
                                      "\"\n[[room]]\nname = \"a\"\nport = 0\n"
                                      "[[room]]\nname = \"b\"\nport = " +
                                      port + "\n");
    RunningHost host({"--config", config});
    expect_end(host, 3, {"bind_failed room=b udp_port=" + port, "in use"});
    EXPECT_FALSE(has(host.text, "ready"));
    EXPECT_FALSE(std::filesystem::exists(path));
    destroy_socket(taken.socket);
}

TEST(HostProcessTest, AnHttpPortInUseIsNamed)
{
    const Listener taken;
    const TempFolder folder;
    const std::string path = folder.path + "/control";
    const std::string listen = "127.0.0.1:" + std::to_string(taken.port);
    RunningHost host({"--port", "0", "--control-socket", path, "--http-listen", listen});
    expect_end(host, 3, {"bind_failed http=" + listen});
    EXPECT_FALSE(has(host.text, "ready"));
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(HostProcessTest, TheControlSocketOfALivingHostIsItsOwn)
{
    const TempFolder folder;
    const std::string path = folder.path + "/control";
    RunningHost first({"--port", "0", "--control-socket", path});
    ASSERT_TRUE(first.is_ready()) << first.text;
    RunningHost second({"--port", "0", "--control-socket", path});
    expect_end(second, 3, {"another process listens there"});
    EXPECT_TRUE(has(control_answer(path, R"({"command":"status"})"), "\"ok\":true"));
    first.end_by(SIGKILL);
    // The next host replaces the socket file of a dead one.
    ASSERT_TRUE(std::filesystem::exists(path));
    RunningHost third({"--port", "0", "--control-socket", path});
    ASSERT_TRUE(third.is_ready()) << third.text;
    EXPECT_EQ(third.end_by(SIGTERM), 0);
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(HostProcessTest, AFileThatIsNoSocketIsNotTouched)
{
    const TempFolder folder;
    const std::string path = folder.write("notes", "mine");
    RunningHost host({"--port", "0", "--control-socket", path});
    expect_end(host, 3, {"no socket"});
    EXPECT_EQ(std::filesystem::file_size(path), 4u);
}

// --- Configuration ---

TEST(HostProcessTest, AllThatIsWrongIsSaidBeforeAnythingStarts)
{
    const TempFolder folder;
    const std::string config =
        folder.write("host.toml", "tick_hz = 900\n[log]\nlevle = \"info\"\n");
    RunningHost host({"--config", config, "--tikc-hz", "30"});
    expect_end(host, 2,
               {config + ":1:11: tick_hz is 900, expected a whole number from 5",
                config + ":3:1: unknown key levle", "did you mean \"level\"",
                "--tikc-hz: unknown flag (did you mean \"--tick-hz\"?)"});
}

TEST(HostProcessTest, ChecksAndPrintsTheConfiguration)
{
    const TempFolder folder;
    const std::string config = folder.write("host.toml", "tick_hz = 20\n");
    tern::test::Process good({program("tern-host"), "--config", config, "--check-config"});
    EXPECT_EQ(good.wait_for_end(), 0) << good.text;
    tern::test::Process bad({program("tern-host"), "--port", "70000", "--check-config"});
    EXPECT_EQ(bad.wait_for_end(), 2);
    EXPECT_TRUE(has(bad.text, "--port: is \"70000\", expected a whole number from 0 to 65535"))
        << bad.text;
    tern::test::Process printed({program("tern-host"), "--config", config, "--print-config"});
    EXPECT_EQ(printed.wait_for_end(), 0);
    const std::string again = folder.write("again.toml", printed.text);
    tern::test::Process second({program("tern-host"), "--config", again, "--print-config"});
    EXPECT_EQ(second.wait_for_end(), 0) << second.text;
    EXPECT_TRUE(has(second.text, "tick_hz = 20 # " + again)) << second.text;
    tern::test::Process help({program("tern-host"), "--help"});
    EXPECT_EQ(help.wait_for_end(), 0);
    for (const char *word : {"Exit status:", "Examples:", "TERN_HOST_ROOM_PORT", "--drain-timeout"})
        EXPECT_TRUE(has(help.text, word)) << word;
    tern::test::Process version({program("tern-host"), "--version"});
    EXPECT_EQ(version.wait_for_end(), 0);
    EXPECT_TRUE(version.text.starts_with("tern-host ")) << version.text;
}

TEST(HostProcessTest, AFolderThatCannotHoldARecordingIsAnError)
{
    const TempFolder folder;
    const std::string file = folder.write("file", "");
    RunningHost host({"--port", "0", "--record-folder", file});
    expect_end(host, 2, {"recording_failed room=main"});
    EXPECT_FALSE(has(host.text, "ready"));
}

TEST(HostProcessTest, APageThatCannotBeReadIsAnError)
{
    const TempFolder folder;
    for (const std::string &page : {folder.path + "/none.html", folder.path, folder.write("e", "")})
        for (const char *listen : {"127.0.0.1:0", ""}) {
            RunningHost host({"--port", "0", "--http-listen", listen, "--http-page", page});
            expect_end(host, 2, {"page_failed"});
            EXPECT_FALSE(has(host.text, "ready")) << page;
        }
}

// --- Signals ---

TEST(HostProcessTest, AHangupReloadsWhatCanBeAndNamesTheRest)
{
    const TempFolder folder;
    const std::string config = folder.write("host.toml", "[[room]]\nport = 0\n");
    RunningHost host({"--config", config});
    ASSERT_TRUE(host.is_ready()) << host.text;
    folder.write("host.toml", "tick_hz = 10\nname = \"other\"\n[log]\nformat = \"json\"\n"
                              "[[room]]\nport = 0\nopen = false\npeers_max = 9\n");
    kill(host.id, SIGHUP);
    ASSERT_TRUE(host.print_until("\"event\":\"reload\"")) << host.text;
    ASSERT_TRUE(host.print_until("\"changed\":[\"tick_hz\",\"log.format\",\"room main.open\"]"))
        << host.text;
    EXPECT_TRUE(has(host.text, "\"options\":[\"name\",\"room main.peers_max\"]")) << host.text;
    folder.write("host.toml", "tick_hz = = 3\n");
    kill(host.id, SIGHUP);
    ASSERT_TRUE(host.print_until("\"event\":\"reload_failed\",\"where\":\"" + config + ":1:11"))
        << host.text;
    EXPECT_EQ(host.end_by(SIGTERM), 0) << host.text;
}

TEST(HostProcessTest, TellsSystemdWhatItDoes)
{
    const TempFolder folder;
    for (const std::string &path :
         {folder.path + "/notify", "@tern-host-test-" + std::to_string(getpid())}) {
        Manager manager(path);
        RunningHost host({"--port", "0"});
        EXPECT_TRUE(manager.hears("READY=1\nSTATUS=1 room is open")) << host.text;
        EXPECT_TRUE(manager.hears("WATCHDOG=1"));
        EXPECT_TRUE(manager.hears("WATCHDOG=1"));
        kill(host.id, SIGHUP);
        EXPECT_TRUE(manager.hears("RELOADING=1\nMONOTONIC_USEC="));
        EXPECT_TRUE(manager.hears("READY=1"));
        kill(host.id, SIGTERM);
        EXPECT_TRUE(manager.hears("STOPPING=1"));
        EXPECT_EQ(host.wait_for_end(), 0) << host.text;
    }
}

TEST(HostProcessTest, GoesOnWhenNobodyReadsWhatItPrints)
{
    const TempFolder folder;
    const std::string path = folder.path + "/control";
    RunningHost host({"--port", "0", "--control-socket", path});
    ASSERT_TRUE(host.is_ready()) << host.text;
    close(host.output);
    host.output = -1;
    // This command writes to the log.
    EXPECT_TRUE(has(control_answer(path, R"({"command":"close"})"), "\"ok\":true"));
    EXPECT_TRUE(has(control_answer(path, R"({"command":"status"})"), "\"ok\":true"));
    EXPECT_EQ(host.end_by(SIGTERM), 0);
}

TEST(HostProcessTest, TheRecordingIsForItsOwnerAlone)
{
    const TempFolder folder;
    const std::string path = folder.path + "/control";
    RunningHost host(
        {"--port", "0", "--control-socket", path, "--record-folder", folder.path + "/records"});
    ASSERT_TRUE(host.is_ready()) << host.text;
    const std::string saved = folder.path + "/saved";
    tern::test::Process save({program("tern-ctl"), "--socket", path, "record", "save", saved});
    EXPECT_EQ(save.wait_for_end(), 0) << save.text;
    EXPECT_GT(std::filesystem::file_size(saved), 100u);
    EXPECT_EQ(host.end_by(SIGTERM), 0);
    for (const auto &entry : std::filesystem::directory_iterator(folder.path + "/records")) {
        EXPECT_EQ(entry.status().permissions(),
                  std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
        EXPECT_GE(entry.file_size(), std::filesystem::file_size(saved));
    }
}
