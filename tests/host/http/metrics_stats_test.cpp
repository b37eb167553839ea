// Compares each family of metrics of real rooms with the statistics of their sessions, after
// traffic in both directions over the simulated network.
#include "host/http/http.h"
#include "host/room.h"
#include "tern/calls.hpp"
#include "tern/diagnostics.hpp"
#include "tern/invites.hpp"
#include "tern/untyped.hpp"
#include "tests/host/http/live_board.h"
#include "tests/host/http/metrics_text.h"
#include "tests/host/running_host.h"
#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <numeric>
#include <sstream>

using namespace dedicated;
using namespace dedicated::test;

namespace {

using Values = std::map<std::string, double>;

struct Player {
    tern::Address address;
    tern::Session *session;
    tern::Socket *socket;
};

// A room as in tern-host, whose socket belongs to the simulated network, and its players.
struct HostedRoom {
    tern::SimNetwork *network;
    uint64_t now_us = 1'000'000;
    const Log log = {LogFormat::text, LogLevel::error};
    TempFolder folder; // For the recording.
    Room room;
    std::deque<Player> players;
    size_t joined = 0, left = 0;
    // Observed with each status: totals include peers that are gone, and all round trips.
    std::map<tern::PeerId, tern::Stats> peers;
    Traffic gone = {};
    std::vector<uint32_t> rtts_us;

    HostedRoom(const char *name, tern::Topology topology, uint16_t peers_max, uint64_t seed)
        : network(tern::make_sim_network({seed, {10, 30, 0.03f, 0.02f}, 65'536}))
    {
        tern::advance(network, now_us);
        room.options.name = name;
        room.options.topology = topology;
        room.options.peers_max = peers_max;
        auto types = std::make_shared<TypeTable>();
        types->types.assign(std::begin(room_types), std::end(room_types));
        types->at_start = {16, 0, 0};
        room.types = types;
        room.addresses = {LiveRoom::address_of(0)};
        room.socket = tern::make_sim_socket(network, room.addresses[0]);
        EXPECT_EQ(room::begin_recording(room, folder.path), "");
        EXPECT_EQ(room::open(room, log, now_us), "");
    }
    HostedRoom(const HostedRoom &) = delete;
    ~HostedRoom()
    {
        for (const Player &player : players)
            tern::destroy_session(player.session);
        room.socket = nullptr; // The network owns it.
        room::close(room);
        tern::destroy_sim_network(network);
    }

    Player &add(std::span<const tern::Type> types = room_types)
    {
        tern::Config config = {};
        config.types = types;
        config.topology = room.options.topology;
        config.peers_max = room.options.peers_max;
        config.timeout_ms = room.options.timeout_ms;
        config.bridge_bytes_per_second_max = 10'000'000; // The host's limit is the lower one.
        const tern::Address address = LiveRoom::address_of(players.size() + 1);
        players.push_back(
            {address, tern::make_session(config), tern::make_sim_socket(network, address)});
        tern::receive(players.back().session, {}, now_us);
        tern::join(players.back().session, tern::parse_invite(room.invite.c_str()).invite);
        return players.back();
    }
    template <class Play> void step(Play play)
    {
        now_us += 33'333;
        tern::advance(network, now_us);
        room::tick(room, log, now_us);
        for (Player &player : players) {
            tern::receive(player.session, player.socket->receive(), now_us);
            play(player);
            player.socket->send(tern::send(player.session, now_us));
        }
    }
    // True if the state is reached within 30 s of virtual time.
    bool reaches(const Player &player, tern::State state)
    {
        for (int i = 0; i < 900 && tern::session_state(player.session) != state; ++i)
            step([](const Player &) {});
        return tern::session_state(player.session) == state;
    }
};

// Creates, moves, claims and destroys objects, and calls. The host calls as well.
void play_for(HostedRoom &hosted, int ticks)
{
    for (int tick = 0; tick < ticks; ++tick) {
        if (tick % 30 == 0) tern::create(hosted.room.session, ghost_type, Crate{});
        if (tick % 3 == 0)
            tern::call(hosted.room.session, tern::PeerId::everyone, shout_type, Shout{"welcome"});
        hosted.step([&](const Player &player) {
            tern::Session *const session = player.session;
            if (tern::session_state(session) != tern::State::open) return;
            const auto x = static_cast<float>(tick % 90);
            if (tick % 30 == 0) tern::create(session, ghost_type, Crate{{x, 1}});
            if (tick % 10 == 1)
                tern::call(session, tern::PeerId::everyone, shout_type, Shout{"mine!"});
            const std::span<const tern::ObjectId> crates = tern::object_ids(session, crate_type);
            tern::claim(session, crates[static_cast<size_t>(tick) % crates.size()]);
            for (const tern::TypeId type : {crate_type, ghost_type})
                for (const tern::ObjectId object : tern::object_ids(session, type))
                    if (tern::object_owner(session, object) == tern::local_peer(session))
                        tern::set(session, tern::Object<Crate>{object}, Crate{{x, 2}});
            const std::span<const tern::ObjectId> ghosts = tern::object_ids(session, ghost_type);
            if (tick % 30 == 29 && !ghosts.empty() && tern::exists(session, ghosts[0]) &&
                tern::object_owner(session, ghosts[0]) == tern::local_peer(session))
                tern::destroy(session, ghosts[0]);
        });
    }
}

// Unreliable calls of the first member to the second, which the host of the mesh has to forward.
void flood(HostedRoom &hosted)
{
    const tern::PeerId to = tern::local_peer(hosted.players[1].session);
    for (int tick = 0; tick < 60; ++tick)
        hosted.step([&](const Player &player) {
            if (&player != &hosted.players[0]) return;
            for (int i = 0; i < 150; ++i)
                tern::call(player.session, to, shout_type, Shout{"0123456789abcde"},
                           tern::Reliability::unreliable);
        });
}

// In a mesh the first two have no path to each other.
void add_members(HostedRoom &hosted, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        const Player &player = hosted.add();
        if (i == 1 && hosted.room.options.topology == tern::Topology::mesh)
            for (const bool back : {false, true})
                tern::set_cut(hosted.network, hosted.players[back].address,
                              hosted.players[!back].address, true);
        ASSERT_TRUE(hosted.reaches(player, tern::State::open));
        hosted.joined += 1;
    }
}

// Newcomers are refused by the room, for their types, and because the room is full.
void refuse_some(HostedRoom &hosted)
{
    hosted.room.options.open = false;
    ASSERT_TRUE(hosted.reaches(hosted.add(), tern::State::refused_by_game));
    hosted.room.options.open = true;
    const auto fewer = std::span(room_types).first(2);
    ASSERT_TRUE(hosted.reaches(hosted.add(fewer), tern::State::refused_types));
    ASSERT_NO_FATAL_FAILURE(add_members(hosted, 1));
    ASSERT_TRUE(hosted.reaches(hosted.add(), tern::State::refused_full));
}

void leave_one(HostedRoom &hosted)
{
    const Player &player = hosted.players[2];
    tern::leave(player.session);
    ASSERT_TRUE(hosted.reaches(player, tern::State::left));
    hosted.left += 1;
}

// --- The comparison ---

Traffic sum(Traffic all, const tern::Stats &peer)
{
    all.sent_datagrams += peer.sent_datagrams;
    all.sent_bytes += peer.sent_bytes;
    all.received_datagrams += peer.received_datagrams;
    all.received_bytes += peer.received_bytes;
    all.lost_datagrams += peer.lost_datagrams;
    return all;
}

// Takes the status and observes the session at the same time. The status takes a sample, so call it
// a second or more of virtual time after the last call.
RoomStatus observe(HostedRoom &hosted)
{
    const tern::Session *const session = hosted.room.session;
    std::map<tern::PeerId, tern::Stats> present;
    for (const tern::PeerId peer : tern::other_peers(session)) {
        const tern::Stats stats = tern::peer_stats(session, peer);
        if (stats.rtt_us > 0) hosted.rtts_us.push_back(stats.rtt_us);
        present[peer] = stats;
    }
    for (const auto &[peer, stats] : hosted.peers)
        if (!present.contains(peer)) hosted.gone = sum(hosted.gone, stats);
    hosted.peers = present;
    return room::status(hosted.room, hosted.now_us);
}

std::string labelled(const std::string &family, const HostedRoom &hosted,
                     const std::string &more = "")
{
    return family + "{room=\"" + hosted.room.options.name + "\"" + more + "}";
}

// The families of the room, by name.
Values room_values(const HostedRoom &hosted)
{
    const tern::Session *const session = hosted.room.session;
    const tern::SessionStats stats = tern::session_stats(session);
    Traffic traffic = hosted.gone;
    for (const auto &[peer, each] : hosted.peers)
        traffic = sum(traffic, each);
    size_t refused = 0;
    for (const Player &player : hosted.players) {
        const tern::State state = tern::session_state(player.session);
        refused += state == tern::State::refused_by_game || state == tern::State::refused_types ||
                   state == tern::State::refused_full;
    }
    const auto real = [](auto number) { return static_cast<double>(number); };
    return {{"tern_room_open", tern::session_state(session) == tern::State::open},
            {"tern_room_takes_newcomers", hosted.room.options.open},
            {"tern_peers", real(tern::other_peers(session).size() + 1)},
            {"tern_peers_limit", hosted.room.options.peers_max},
            {"tern_peers_joined_total", real(hosted.joined)},
            {"tern_peers_left_total", real(hosted.left)},
            {"tern_peers_refused_total", real(refused)},
            {"tern_ownership_changes_total", real(stats.migrations)},
            {"tern_dead_ranges", real(stats.dead_ranges)},
            {"tern_bytes_sent_total", real(traffic.sent_bytes)},
            {"tern_bytes_received_total", real(traffic.received_bytes)},
            {"tern_datagrams_sent_total", real(traffic.sent_datagrams)},
            {"tern_datagrams_received_total", real(traffic.received_datagrams)},
            {"tern_datagrams_lost_total", real(traffic.lost_datagrams)},
            {"tern_bad_datagrams_total", real(stats.bad_datagrams)},
            {"tern_forwarded_datagrams_total", real(stats.forwarded_datagrams)},
            {"tern_forwarded_bytes_total", real(stats.forwarded_bytes)},
            {"tern_forward_dropped_datagrams_total", real(stats.not_forwarded)},
            {"tern_recording_bytes", real(std::filesystem::file_size(hosted.room.recording_path))}};
}

// Adds the families that have further labels.
void add_labelled(Values &values, const HostedRoom &hosted)
{
    const tern::Session *const session = hosted.room.session;
    const auto real = [](auto number) { return static_cast<double>(number); };
    const tern::SessionStats stats = tern::session_stats(session);
    const double owned = real(stats.owned), objects = real(stats.objects);
    values[labelled("tern_objects", hosted, ",owner=\"self\"")] = owned;
    values[labelled("tern_objects", hosted, ",owner=\"others\"")] = objects - owned;
    for (const std::string reason : {"malformed", "forged", "over_quota", "equivocated"})
        // Nobody cheats.
        values[labelled("tern_misbehaved_total", hosted, ",reason=\"" + reason + "\"")] = 0;
    for (tern::TypeId type = 0; type < std::size(room_types); ++type) {
        const tern::TypeStats each = tern::type_stats(session, type);
        const auto add = [&](const char *family, double value) {
            const std::string label = ",type=\"" + std::string(room_types[type].name) + "\"";
            values[labelled(family, hosted, label)] = value;
        };
        add("tern_type_objects", real(tern::object_ids(session, type).size()));
        add("tern_type_sent_bytes_total", real(each.sent_bits) / 8);
        add("tern_type_received_bytes_total", real(each.received_bits) / 8);
        add("tern_type_sent_messages_total", real(each.sent_messages));
        add("tern_type_received_messages_total", real(each.received_messages));
    }
    for (const uint32_t bound_us : rtt_bounds_us) {
        std::ostringstream bound;
        bound << bound_us / 1e6;
        const auto below = [&](uint32_t rtt_us) { return rtt_us <= bound_us; };
        values[labelled("tern_rtt_seconds_bucket", hosted, ",le=\"" + bound.str() + "\"")] =
            real(std::count_if(hosted.rtts_us.begin(), hosted.rtts_us.end(), below));
    }
    const double count = real(hosted.rtts_us.size());
    values[labelled("tern_rtt_seconds_bucket", hosted, ",le=\"+Inf\"")] = count;
    values[labelled("tern_rtt_seconds_count", hosted)] = count;
    values[labelled("tern_rtt_seconds_sum", hosted)] =
        real(std::accumulate(hosted.rtts_us.begin(), hosted.rtts_us.end(), uint64_t{0})) / 1e6;
}

void expect_peer_rows(const HostedRoom &hosted, const RoomStatus &status)
{
    ASSERT_EQ(status.peers.size(), hosted.peers.size() + 1);
    for (const PeerStatus &row : status.peers) {
        const tern::PeerId peer{row.id};
        if (row.is_self) continue;
        const tern::Stats expected = tern::peer_stats(hosted.room.session, peer);
        EXPECT_EQ(row.name, tern::peer_name(hosted.room.session, peer));
        EXPECT_EQ(row.stats.rtt_us, expected.rtt_us);
        EXPECT_EQ(row.stats.rtt_variance_us, expected.rtt_variance_us);
        EXPECT_EQ(row.stats.sent_bytes, expected.sent_bytes);
        EXPECT_EQ(row.stats.received_bytes, expected.received_bytes);
        EXPECT_EQ(row.stats.sent_datagrams, expected.sent_datagrams);
        EXPECT_EQ(row.stats.received_datagrams, expected.received_datagrams);
        EXPECT_EQ(row.stats.lost_datagrams, expected.lost_datagrams);
    }
}

struct MetricsStatsTest : testing::Test {
    HostedRoom north{"north", tern::Topology::mesh, 5, 1};
    HostedRoom south{"south", tern::Topology::star, 4, 2};
    Values expected, present;

    void compare()
    {
        HostStatus status = {};
        expected = {{"tern_rooms", 2}};
        for (HostedRoom *hosted : {&north, &south}) {
            status.rooms.push_back(observe(*hosted));
            expect_peer_rows(*hosted, status.rooms.back());
            for (const auto &[family, value] : room_values(*hosted))
                expected[labelled(family, *hosted)] = value;
            add_labelled(expected, *hosted);
        }
        present = values_of(metrics_text(status));
        for (const auto &[name, value] : expected) {
            ASSERT_TRUE(present.contains(name)) << name;
            EXPECT_DOUBLE_EQ(present.at(name), value) << name;
        }
    }
};

}

TEST_F(MetricsStatsTest, EachMetricOfARoomIsThatOfItsSession)
{
    compare();
    ASSERT_NO_FATAL_FAILURE(add_members(north, 3));
    ASSERT_NO_FATAL_FAILURE(add_members(south, 2));
    for (int i = 0; i < 5; ++i) {
        play_for(north, 70);
        play_for(south, 40 + 10 * i);
        ASSERT_NO_FATAL_FAILURE(compare());
    }
    flood(north);
    for (HostedRoom *hosted : {&north, &south})
        ASSERT_NO_FATAL_FAILURE(refuse_some(*hosted));
    play_for(south, 40);
    ASSERT_NO_FATAL_FAILURE(compare());
    leave_one(north);
    play_for(north, 60);
    play_for(south, 60);
    ASSERT_NO_FATAL_FAILURE(compare());

    // A comparison of zeros shows nothing.
    std::map<std::string, double> sums;
    for (const auto &[name, value] : expected)
        sums[name.substr(0, name.find('{'))] += value;
    for (const auto &[family, sum] : sums)
        EXPECT_EQ(sum > 0, family != "tern_misbehaved_total") << family;
    // Each family that a later change adds has to be compared above.
    for (const auto &[name, value] : present)
        EXPECT_TRUE(expected.contains(name) || name.find("{room=") == std::string::npos ||
                    name.starts_with("tern_script_"))
            << name;
}
