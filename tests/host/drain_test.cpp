// A host that ends loses no object: real processes, sockets and signals.
#include "tern/diagnostics.hpp"
#include "tern/untyped.hpp"
#include "tests/host/running_host.h"
#include "tests/host/text.h"
#include <gtest/gtest.h>
#include <map>

using namespace tern;
using namespace dedicated::test;

namespace {

constexpr uint64_t thing_count = 300;

struct DrainTest : testing::Test {
    TempFolder folder;
    std::string config;
    Clients clients = {nullptr, Topology::mesh, 8, 2000};

    void write(const std::string &topology, const std::string &orphan, uint32_t drain_timeout_s,
               uint32_t timeout_ms)
    {
        config = folder.write(
            "host.toml", "tick_hz = 60\ndrain_timeout_s = " + std::to_string(drain_timeout_s) +
                             "\n[[room]]\nport = 0\ntopology = \"" + topology +
                             "\"\npeers_max = 8\ntimeout_ms = " + std::to_string(timeout_ms) +
                             "\n[[type]]\nname = \"thing\"\nobjects_max = 1000\nat_start = 300\n"
                             "orphan = \"" +
                             orphan + "\"\nfield = [{name = \"number\", kind = \"int32\"}]\n");
        clients.types = type_file::read_file(config).table;
        clients.timeout_ms = timeout_ms;
        if (topology == "star") clients.topology = Topology::star;
    }

    void join(RunningHost &host, size_t count)
    {
        ASSERT_TRUE(clients.types);
        ASSERT_TRUE(host.is_ready()) << host.text;
        for (size_t i = 0; i < count; ++i)
            clients.add(host.invite());
        ASSERT_TRUE(clients.tick_until([&] { return clients.agree(count, thing_count); }))
            << host.text;
    }

    // The remaining clients have all objects, and the host reports that it lost nothing.
    void expect_a_clean_end(RunningHost &host)
    {
        EXPECT_TRUE(clients.tick_until([&] {
            return host.has_ended() && clients.agree(clients.all.size() - 1, thing_count);
        })) << host.text;
        EXPECT_EQ(host.wait_for_end(), 0) << host.text;
    }

    // Each object is alive everywhere, and its owner is present and knows that it owns the object.
    void expect_nothing_lost()
    {
        std::map<PeerId, const Session *> sessions;
        for (const Client &client : clients.all)
            sessions[local_peer(client.session)] = client.session;
        const Session *first = clients.all[0].session;
        // Objects of a lost peer are granted a moment after the peer is removed.
        EXPECT_TRUE(clients.tick_until([&] {
            uint64_t owned = 0;
            for (const Client &client : clients.all)
                owned += session_stats(client.session).owned;
            return owned == thing_count && clients.agree(clients.all.size() - 1, thing_count);
        }));
        ASSERT_EQ(tern::object_ids(first, 0).size(), thing_count);
        for (const ObjectId object : tern::object_ids(first, 0)) {
            const PeerId by = object_owner(first, object);
            ASSERT_TRUE(sessions.contains(by)) << static_cast<unsigned>(by);
            for (const Client &client : clients.all) {
                ASSERT_TRUE(exists(client.session, object));
                ASSERT_EQ(object_owner(client.session, object), by);
            }
        }
    }

    // Each client sets its objects, all others receive the values, and one client claims from
    // another.
    void expect_they_play_on()
    {
        if (HasFailure()) return;
        for (const Client &client : clients.all)
            for (const ObjectId object : tern::object_ids(client.session, 0)) {
                const int32_t number = static_cast<int32_t>(local_peer(client.session));
                if (object_owner(client.session, object) == local_peer(client.session))
                    set(client.session, object, &number, sizeof number);
            }
        const ObjectId wanted = tern::object_ids(clients.all[0].session, 0)[0];
        const size_t claimer =
            object_owner(clients.all[0].session, wanted) == local_peer(clients.all[0].session) ? 1
                                                                                               : 0;
        const Session *session = clients.all[claimer].session;
        claim(clients.all[claimer].session, wanted);
        const size_t others = clients.all.size() - 1;
        EXPECT_TRUE(clients.tick_until([&] {
            return object_owner(session, wanted) == local_peer(session) &&
                   clients.agree(others, thing_count);
        }));
        const auto *numbers =
            static_cast<const int32_t *>(object_values(session, 0, sizeof(int32_t)));
        for (size_t i = 0; i < thing_count; ++i)
            EXPECT_GT(numbers[i], 1); // Every value differs from the one the host left.
    }

    // Three clients join, the host ends by the signal and loses nothing.
    void expect_a_handover(const std::string &topology, const std::string &orphan, int signal)
    {
        write(topology, orphan, 30, 5000);
        RunningHost host({"--config", config});
        join(host, 3);
        kill(host.id, signal);
        expect_a_clean_end(host);
        expect_nothing_lost();
        expect_they_play_on();
    }
};

}

TEST_F(DrainTest, GivesAllObjectsToThreePeersOfAMesh)
{
    write("mesh", "to_host", 30, 5000);
    RunningHost host({"--config", config});
    join(host, 3);
    kill(host.id, SIGTERM);
    expect_a_clean_end(host);
    EXPECT_NE(host.text.find("drain_done objects_given=300"), std::string::npos) << host.text;
    expect_nothing_lost();
    // Spread evenly: a hundred each.
    for (const Client &client : clients.all)
        EXPECT_EQ(session_stats(client.session).owned, thing_count / 3);
    expect_they_play_on();
}

TEST_F(DrainTest, SavesEvenWhatWouldDieWithItsOwner)
{
    expect_a_handover("mesh", "destroy", SIGINT);
}

TEST_F(DrainTest, LeavesAStarToItsPeers)
{
    expect_a_handover("star", "destroy", SIGTERM);
}

TEST_F(DrainTest, LosesNothingWhenAPeerIsKilledMeanwhile)
{
    write("mesh", "to_host", 30, 1500);
    RunningHost host({"--config", config});
    join(host, 3);
    kill(host.id, SIGTERM);
    clients.drop(2);
    expect_a_clean_end(host);
    expect_nothing_lost();
    expect_they_play_on();
}

TEST_F(DrainTest, EndsByItsDeadlineAndSaysWhatWasLeft)
{
    write("mesh", "to_host", 1, 60'000);
    RunningHost host({"--config", config});
    join(host, 1);
    kill(host.id, SIGTERM); // The client neither receives nor sends from here on.
    EXPECT_EQ(host.wait_for_end(), 4) << host.text;
    EXPECT_NE(host.text.find("drain_unfinished room=main peers=1 objects_owned=300"),
              std::string::npos)
        << host.text;
}

TEST_F(DrainTest, RefusesNewcomersAndStopsAtASecondSignal)
{
    write("mesh", "to_host", 60, 60'000);
    RunningHost host({"--config", config});
    join(host, 1);
    clients.all[0].silent = true; // Keeps the drain from finishing.
    kill(host.id, SIGTERM);
    ASSERT_TRUE(host.print_until("room_draining")) << host.text;
    clients.add(host.invite());
    const Session *newcomer = clients.all[1].session;
    EXPECT_TRUE(
        clients.tick_until([&] { return session_state(newcomer) == State::refused_by_game; }));
    EXPECT_NE(std::string(state_text(newcomer)).find("the host is shutting down"),
              std::string::npos)
        << state_text(newcomer);
    EXPECT_EQ(host.end_by(SIGTERM), 5) << host.text;
}

TEST_F(DrainTest, LeavesAtOnceWhenNobodyIsThere)
{
    write("mesh", "to_host", 60, 60'000);
    RunningHost host({"--config", config});
    ASSERT_TRUE(host.is_ready()) << host.text;
    EXPECT_EQ(host.end_by(SIGTERM), 0) << host.text;
    EXPECT_NE(host.text.find("objects_dropped room=main count=300"), std::string::npos)
        << host.text;
}

TEST_F(DrainTest, OfARoomLetsTheOthersGoOn)
{
    const std::string path = folder.path + "/control";
    const std::string two = folder.write(
        "two.toml", "[[room]]\nname = \"a\"\nport = 0\n[[room]]\nname = \"b\"\nport = 0\n"
                    "[control]\nsocket = \"" +
                        path + "\"\n");
    RunningHost host({"--config", two});
    ASSERT_TRUE(host.is_ready()) << host.text;
    EXPECT_EQ(control_answer(path, R"({"command":"drain","room":"a"})"),
              R"({"ok":true,"room":"a"})");
    ASSERT_TRUE(host.print_until("room_left room=a")) << host.text;
    EXPECT_NE(control_answer(path, R"({"command":"status"})").find("\"ready\":true"),
              std::string::npos);
    EXPECT_EQ(control_answer(path, R"({"command":"close","room":"a"})"),
              R"({"ok":false,"error":"room a is over, or leaving"})");
    EXPECT_EQ(control_answer(path, R"({"command":"drain"})"), R"({"ok":true,"rooms":2})");
    EXPECT_EQ(host.wait_for_end(), 0) << host.text;
}

// --- Ends without a request ---

// New members have no votes yet (docs/membership.md). If only such members vanish, the same session
// continues, so each group stays twice as long as the one before.
TEST_F(DrainTest, ARoomWhosePeersAllVanishGoesOnUnderANewInvite)
{
    write("mesh", "to_host", 30, 1000);
    RunningHost host({"--config", config});
    ASSERT_TRUE(host.is_ready()) << host.text;
    const Invite before = host.invite();
    const auto is_reopened = [&] { return host.text.find("room_reopened") != std::string::npos; };
    for (size_t ticks = 100; ticks <= 3200 && !is_reopened(); ticks *= 2) {
        for (int i = 0; i < 3; ++i)
            clients.add(before);
        // The reopening can be reported a moment after the last departure.
        ASSERT_TRUE(clients.tick_until([&] {
            EXPECT_FALSE(host.has_ended());
            return is_reopened() || clients.agree(3, thing_count);
        })) << host.text;
        for (size_t i = 0; i < ticks && !is_reopened(); ++i)
            clients.tick();
        while (!clients.all.empty())
            clients.drop(0);
        if (is_reopened()) break;
        host.text.clear();
        EXPECT_TRUE(clients.tick_until([&] {
            EXPECT_FALSE(host.has_ended());
            return is_reopened() || count_of(host.text, " peer_left ") == 3;
        })) << host.text;
    }
    ASSERT_TRUE(host.print_until("tern-host reopened: room main udp ")) << host.text;
    ASSERT_TRUE(host.print_until("room_reopened")) << host.text;
    host.text.erase(0, host.text.find("tern-host reopened"));
    ASSERT_TRUE(host.print_until("\n")) << host.text;
    EXPECT_NE(host.invite().session, before.session);
    clients.add(host.invite());
    EXPECT_TRUE(clients.tick_until([&] { return clients.agree(1, thing_count); })) << host.text;
    kill(host.id, SIGTERM);
    EXPECT_TRUE(clients.tick_until([&] { return host.has_ended(); }));
    EXPECT_EQ(host.wait_for_end(), 0) << host.text;
    EXPECT_TRUE(clients.tick_until([&] { return clients.agree(0, thing_count); }));
    expect_nothing_lost();
}

// The others have removed the stopped host and have another one, or they wait for it because they
// are new and have no vote.
TEST_F(DrainTest, AHostThatWasStoppedForTooLongComesBackOrIsTold)
{
    write("mesh", "to_host", 30, 1000);
    RunningHost host({"--config", config});
    join(host, 3);
    kill(host.id, SIGSTOP);
    EXPECT_TRUE(clients.tick_until([&] {
        return clients.every([](const Session *session) {
            return session_state(session) != State::open || other_peers(session).size() < 3;
        });
    }));
    kill(host.id, SIGCONT);
    EXPECT_TRUE(clients.tick_until([&] {
        const bool ended = host.has_ended();
        const bool back = clients.every([](const Session *session) {
            return session_state(session) == State::open && other_peers(session).size() == 3;
        });
        return ended || back || host.text.find("tern-host reopened") != std::string::npos;
    })) << host.text;
    const int status = host.end_by(SIGTERM);
    const bool lost = host.text.find("room_lost") != std::string::npos;
    EXPECT_EQ(status, lost ? 1 : 0) << host.text;
}
