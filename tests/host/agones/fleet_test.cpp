// A fleet in a box: several hosts, each beside a stand-in of the Agones SDK's server, an allocator
// that sends players to them, and what befalls them: one is killed, one is drained, one is scaled
// down. Real processes, sockets and signals; no cluster.
#include "tern/diagnostics.hpp"
#include "tern/invites.hpp"
#include "tern/untyped.hpp"
#include "tests/host/agones/sdk_stand_in.h"
#include "tests/host/running_host.h"
#include <algorithm>
#include <cerrno>
#include <gtest/gtest.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

using namespace tern;
using namespace dedicated::test;

namespace {

constexpr size_t host_count = 5;
constexpr uint16_t peers_max = 4; // Three players and the host.
constexpr uint64_t thing_count = 60;
constexpr int32_t plays_max = 200;
constexpr uint64_t limit_us = 60'000'000; // For what should take a second or some.

struct FleetHost {
    std::shared_ptr<SdkStandIn> sdk;
    std::unique_ptr<RunningHost> process;
    uint16_t port = 0;
    size_t sent_players = 0; // By the allocator.
    bool was_told_to_end = false;
    std::optional<int> exit_status; // -1: a signal ended it.
};

struct Player {
    size_t host;
    Socket *socket = nullptr;
    Session *session = nullptr;
    PeerId server = PeerId::none; // What the dedicated host is in the session.
};

struct FleetTest : testing::TestWithParam<Topology> {
    TempFolder folder;
    std::shared_ptr<const TypeTable> types;
    std::vector<FleetHost> hosts = std::vector<FleetHost>(host_count);
    std::deque<Player> players;
    int32_t plays = 0;
    size_t sessions_on_strangers = 0; // On a host that was not allocated.
    size_t early_shutdowns = 0;       // Said while a player still had the host.

    ~FleetTest() override
    {
        for (Player &player : players)
            forget(player);
    }
    void forget(Player &player)
    {
        if (player.session) destroy_session(player.session);
        if (player.socket) destroy_socket(player.socket);
        player.session = nullptr;
        player.socket = nullptr;
    }

    // --- The fleet ---

    void start_hosts()
    {
        const std::string config = folder.write(
            "host.toml",
            std::string("tick_hz = 60\ndrain_timeout_s = 30\n[agones]\nenabled = true"
                        "\n[[room]]\npeers_max = 4\ntimeout_ms = 4000\ntopology = \"") +
                (GetParam() == Topology::star ? "star" : "mesh") +
                "\"\n[[type]]\nname = \"thing\"\nobjects_max = 200\nat_start = 60\norphan = "
                "\"destroy\"\n"
                "field = [{name = \"number\", kind = \"int32\"}]\n");
        types = type_file::read_file(config).table;
        ASSERT_TRUE(types);
        std::vector<Socket *> reserved;
        for (FleetHost &host : hosts) {
            reserved.push_back(make_udp_socket(0).socket);
            host.port = reserved.back()->local_address().port;
        }
        for (Socket *socket : reserved)
            destroy_socket(socket);
        for (FleetHost &host : hosts) {
            SdkOptions options;
            options.game_port = host.port;
            options.health_failures_max = 5;
            host.sdk = sdk::make(options);
            const std::string port = std::to_string(sdk::port(*host.sdk));
            host.process = std::make_unique<RunningHost>(
                std::vector<std::string>{"--config", config, "--agones-port", port});
            sdk::listen(*host.sdk); // After the host, as it may be.
        }
        for (FleetHost &host : hosts) {
            ASSERT_TRUE(host.process->is_ready()) << host.process->text;
            EXPECT_NE(host.process->text.find(" udp " + std::to_string(host.port) + " "),
                      std::string::npos)
                << host.process->text;
        }
        ASSERT_TRUE(until([&] { return count_in("Ready") == host_count; }));
    }

    size_t count_in(const std::string &state) const
    {
        return static_cast<size_t>(
            std::count_if(hosts.begin(), hosts.end(),
                          [&](const FleetHost &host) { return sdk::state(*host.sdk) == state; }));
    }

    // Ends the containers whose game server is over, as a cluster does.
    void end_containers()
    {
        for (FleetHost &host : hosts) {
            if (!host.process || host.exit_status) continue;
            const std::string state = sdk::state(*host.sdk);
            if (host.process->has_ended()) {
                host.exit_status = host.process->wait_for_end();
            } else if ((state == "Shutdown" || state == "Unhealthy") && !host.was_told_to_end) {
                host.was_told_to_end = true;
                kill(host.process->id, SIGTERM);
            }
        }
    }

    // As in deploy/agones/allocation.yaml: who is Allocated and has room, then who is Ready.
    std::optional<size_t> allocate()
    {
        for (const bool wants_ready : {false, true})
            for (size_t i = 0; i < hosts.size(); ++i) {
                const SdkRecord record = sdk::record(*hosts[i].sdk);
                const auto places = static_cast<size_t>(record.players_capacity);
                const size_t taken = std::max(record.players.size(), hosts[i].sent_players);
                if (record.state != (wants_ready ? "Ready" : "Allocated")) continue;
                if (hosts[i].was_told_to_end || taken >= places) continue;
                EXPECT_TRUE(sdk::allocate(*hosts[i].sdk));
                hosts[i].sent_players += 1;
                return i;
            }
        return std::nullopt;
    }

    // What a matchmaker gets of it with the allocation.
    std::string invite_text(const FleetHost &host) const
    {
        const SdkRecord record = sdk::record(*host.sdk);
        const auto rooms = record.annotations.find("agones.dev/sdk-rooms");
        if (rooms == record.annotations.end()) return "";
        return nlohmann::json::parse(rooms->second).at(0).at("invite").get<std::string>();
    }

    // --- The players ---

    void enter(Player &player)
    {
        const std::optional<size_t> index = allocate();
        ASSERT_TRUE(index.has_value());
        player.host = *index;
        const std::string invite = invite_text(hosts[*index]);
        EXPECT_NE(hosts[*index].process->text.find(" invite " + invite + "\n"), std::string::npos);
        const ParsedInvite parsed = parse_invite(invite.c_str());
        ASSERT_EQ(parsed.error, nullptr) << invite;
        Config config = {};
        config.types = types->types;
        config.topology = GetParam();
        config.peers_max = peers_max;
        config.timeout_ms = 4000;
        player.socket = make_udp_socket(0).socket;
        player.session = make_session(config);
        join(player.session, parsed.invite);
        ASSERT_TRUE(until([&] { return session_state(player.session) == State::open; }))
            << state_text(player.session);
        player.server = tern::host_peer(player.session);
    }

    void leave_and_forget(Player &player)
    {
        leave(player.session);
        ASSERT_TRUE(until([&] { return session_state(player.session) != State::leaving; }));
        EXPECT_EQ(session_state(player.session), State::left) << state_text(player.session);
        forget(player);
    }

    std::vector<Player *> players_of(size_t host)
    {
        std::vector<Player *> out;
        for (Player &player : players)
            if (player.host == host && player.session) out.push_back(&player);
        return out;
    }

    void play(Player &player)
    {
        if (session_state(player.session) != State::open) return;
        for (const ObjectId object : tern::object_ids(player.session, 0))
            if (object_owner(player.session, object) == local_peer(player.session))
                set(player.session, object, &plays, sizeof plays);
    }

    void tick_player(Player &player)
    {
        const FleetHost &host = hosts[player.host];
        const bool shutdown_was_said = sdk::count(*host.sdk, "POST", "/shutdown") > 0;
        const std::string fleet_state = sdk::state(*host.sdk);
        receive(player.session, player.socket->receive(), clock_us());
        const bool has_host = session_state(player.session) == State::open &&
                              player.server != PeerId::none &&
                              tern::host_peer(player.session) == player.server;
        early_shutdowns += has_host && shutdown_was_said;
        sessions_on_strangers += has_host && fleet_state != "Allocated" && !host.was_told_to_end &&
                                 !host.exit_status && fleet_state != "Unhealthy";
        play(player);
        player.socket->send(send(player.session, clock_us()));
    }

    bool until(const std::function<bool()> &is_so)
    {
        const uint64_t end_us = clock_us() + limit_us;
        while (!is_so()) {
            if (clock_us() > end_us) return false;
            plays += plays < plays_max; // Comes to rest, so that worlds can be compared.
            end_containers();
            for (Player &player : players)
                if (player.session) tick_player(player);
            sleep_us(5000);
        }
        return true;
    }

    // --- What must be so ---

    // All of a host's players have the same world, among so many peers.
    bool agree(const std::vector<Player *> &all, size_t others) const
    {
        return std::all_of(all.begin(), all.end(), [&](const Player *player) {
            return session_state(player->session) == State::open &&
                   other_peers(player->session).size() == others &&
                   world_digest(player->session) == world_digest(all[0]->session);
        });
    }

    bool is_counted(size_t index)
    {
        const SdkRecord record = sdk::record(*hosts[index].sdk);
        std::set<std::string> expected;
        for (const Player *player : players_of(index))
            expected.insert("main/" +
                            std::to_string(static_cast<unsigned>(local_peer(player->session))));
        return std::set<std::string>(record.players.begin(), record.players.end()) == expected &&
               record.players.size() == expected.size() && record.rooms == 1 &&
               record.rooms_capacity == 1 && record.players_capacity == peers_max - 1;
    }

    std::set<ObjectId> things(const Player &player) const
    {
        const std::span<const ObjectId> all = tern::object_ids(player.session, 0);
        return {all.begin(), all.end()};
    }

    // The players of a host that has gone go on by themselves, with these objects.
    void expect_they_go_on_with(const std::vector<Player *> &all, const std::set<ObjectId> &before)
    {
        std::set<PeerId> present;
        for (const Player *player : all)
            present.insert(local_peer(player->session));
        for (const Player *player : all) {
            EXPECT_TRUE(present.contains(tern::host_peer(player->session)));
            EXPECT_EQ(things(*player), before);
            for (const ObjectId object : before)
                EXPECT_TRUE(present.contains(object_owner(player->session, object)));
        }
    }

    // --- The story ---

    void fill_three_hosts()
    {
        for (const size_t expected : {0u, 0u, 0u, 1u, 1u, 1u, 2u, 2u}) {
            players.push_back({});
            ASSERT_NO_FATAL_FAILURE(enter(players.back()));
            EXPECT_EQ(players.back().host, expected); // Full ones first: few hosts are in use.
        }
        for (size_t i = 0; i < players.size(); ++i) // Each owns some things, as in a game.
            for (size_t thing = 0; thing < 5; ++thing)
                claim(players[i].session,
                      tern::object_ids(players[i].session, 0)[i % 3 * 5 + thing]);
        for (size_t host = 0; host < 3; ++host) {
            EXPECT_TRUE(until([&] {
                return plays == plays_max && agree(players_of(host), players_of(host).size());
            }));
            EXPECT_TRUE(until([&] { return is_counted(host); })) << hosts[host].process->text;
        }
        EXPECT_EQ(count_in("Allocated"), 3u);
        EXPECT_EQ(count_in("Ready"), 2u);
    }

    void scale_down_what_is_ready()
    {
        for (size_t host = 0; host < 3; ++host)
            EXPECT_FALSE(sdk::scale_down(*hosts[host].sdk));
        ASSERT_TRUE(sdk::scale_down(*hosts[4].sdk));
        ASSERT_TRUE(until([&] { return hosts[4].exit_status.has_value(); }));
        EXPECT_EQ(hosts[4].exit_status, 0) << hosts[4].process->text;
        EXPECT_EQ(sdk::count(*hosts[4].sdk, "POST", "/shutdown"), 1u);
    }

    void kill_the_first()
    {
        const Player &one = *players_of(0)[0];
        std::set<ObjectId> before = things(one);
        EXPECT_EQ(before.size(), thing_count);
        // What the dead one owns dies with it, by its type; a drain saves it.
        std::erase_if(before, [&](ObjectId object) {
            return object_owner(one.session, object) == one.server;
        });
        EXPECT_EQ(before.size(), 15u);
        kill(hosts[0].process->id, SIGKILL);
        const std::vector<Player *> left = players_of(0);
        ASSERT_TRUE(until([&] { return sdk::state(*hosts[0].sdk) == "Unhealthy"; }));
        ASSERT_TRUE(until([&] { return agree(left, left.size() - 1); }));
        EXPECT_EQ(hosts[0].exit_status, -1);
        expect_they_go_on_with(left, before);
        for (Player *player : left)
            ASSERT_NO_FATAL_FAILURE(leave_and_forget(*player));
        for (Player *player : left)
            ASSERT_NO_FATAL_FAILURE(enter(*player));
        EXPECT_EQ(players_of(2).size(), 3u); // It had one place left,
        EXPECT_EQ(players_of(3).size(), 2u); // and this one was Ready.
        for (const size_t host : {1u, 2u, 3u}) {
            EXPECT_TRUE(until([&] { return agree(players_of(host), players_of(host).size()); }));
            EXPECT_TRUE(until([&] { return is_counted(host); })) << hosts[host].process->text;
        }
    }

    void drain_the_second()
    {
        const std::vector<Player *> stay = players_of(1);
        const std::set<ObjectId> before = things(*stay[0]);
        EXPECT_EQ(before.size(), thing_count);
        hosts[1].was_told_to_end = true; // Its pod is deleted; it is still Allocated.
        kill(hosts[1].process->id, SIGTERM);
        plays = 0;
        ASSERT_TRUE(until([&] {
            return hosts[1].exit_status && plays == plays_max && agree(stay, stay.size() - 1);
        })) << hosts[1].process->text;
        EXPECT_EQ(hosts[1].exit_status, 0) << hosts[1].process->text;
        expect_they_go_on_with(stay, before);
        for (const Player *player : stay) // They have all been set since by whom they belong to.
            for (const int32_t number : std::span(static_cast<const int32_t *>(object_values(
                                                      player->session, 0, sizeof(int32_t))),
                                                  thing_count))
                EXPECT_EQ(number, plays_max);
        EXPECT_EQ(sdk::state(*hosts[1].sdk), "Shutdown");
        EXPECT_EQ(sdk::count(*hosts[1].sdk, "POST", "/shutdown"), 1u);
    }

    void end_the_rest()
    {
        for (const size_t host : {2u, 3u}) {
            for (Player *player : players_of(host))
                ASSERT_NO_FATAL_FAILURE(leave_and_forget(*player));
            EXPECT_TRUE(until([&] { return is_counted(host); })) << hosts[host].process->text;
            EXPECT_TRUE(sdk::shut_down(*hosts[host].sdk)); // Somebody deletes it.
        }
        ASSERT_TRUE(until([&] { return hosts[2].exit_status && hosts[3].exit_status; }));
        EXPECT_EQ(hosts[2].exit_status, 0) << hosts[2].process->text;
        EXPECT_EQ(hosts[3].exit_status, 0) << hosts[3].process->text;
    }
};

using States = std::vector<std::string>;

// Without those that are the same as the one before.
States states_of(const FleetHost &host)
{
    States out = sdk::record(*host.sdk).states;
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

}

TEST_P(FleetTest, ServesItsPlayersWhateverBefallsItsHosts)
{
    ASSERT_NO_FATAL_FAILURE(start_hosts());
    ASSERT_NO_FATAL_FAILURE(fill_three_hosts());
    ASSERT_NO_FATAL_FAILURE(scale_down_what_is_ready());
    ASSERT_NO_FATAL_FAILURE(kill_the_first());
    ASSERT_NO_FATAL_FAILURE(drain_the_second());
    ASSERT_NO_FATAL_FAILURE(end_the_rest());

    EXPECT_EQ(sessions_on_strangers, 0u);
    EXPECT_EQ(early_shutdowns, 0u);
    const States begun = {"Scheduled", "RequestReady", "Ready"};
    const std::vector<States> ends = {{"Allocated", "Unhealthy"},
                                      {"Allocated", "Shutdown"},
                                      {"Allocated", "Shutdown"},
                                      {"Allocated", "Shutdown"},
                                      {"Shutdown"}};
    for (size_t i = 0; i < host_count; ++i) {
        States expected = begun;
        expected.insert(expected.end(), ends[i].begin(), ends[i].end());
        EXPECT_EQ(states_of(hosts[i]), expected) << i;
        EXPECT_EQ(sdk::record(*hosts[i].sdk).violations, States()) << i;
    }
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1); // No process is left.
    EXPECT_EQ(errno, ECHILD);
}

INSTANTIATE_TEST_SUITE_P(Topologies, FleetTest, testing::Values(Topology::star, Topology::mesh),
                         [](const testing::TestParamInfo<Topology> &param) {
                             return param.param == Topology::star ? "star" : "mesh";
                         });
