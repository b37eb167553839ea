// A newcomer to a world of 10,000 objects: how soon it has them, and how much older the updates
// between the members become meanwhile.
#include "migration/replica.h"
#include "tern/diagnostics.hpp"
#include "tern/ownership.hpp"
#include "tern/untyped.hpp"
#include "tests/session/sim_world.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace tern;
using namespace tern::test;

namespace {

struct Crate {
    float position[3];
    uint32_t written_ms; // The time of the owner's last set().
    uint8_t paint[64];
};
const Field crate_fields[] = {
    {"position", FieldKind::float32, offsetof(Crate, position), 3, -1000, 1000, 0.01},
    {"written_ms", FieldKind::uint32, offsetof(Crate, written_ms)},
    {"paint", FieldKind::bytes, offsetof(Crate, paint), 64}};
const Type crate_types[] = {{"crate", sizeof(Crate), crate_fields, 20'000}};
constexpr TypeId CRATE = 0;
constexpr uint32_t crates_max = 10'000;
constexpr uint32_t bytes_per_second = 1'000'000;

// The age of the members' copies of each other's hot crates.
struct Ages {
    uint64_t sum_ms = 0, count = 0, max_ms = 0;
    double mean_ms() const { return static_cast<double>(sum_ms) / static_cast<double>(count); }
};

// A session of members that own crates, and the newcomers that join it.
struct Yard {
    SimWorld world{1, {20, 30, 0, 0}};
    std::vector<std::vector<ObjectId>> crates; // The crates that each node has created, by node.
    size_t members = 0;
    uint32_t hot_crates = 100; // How many of its crates each owner sets in every tick.
    uint32_t churn = 0; // Crates that each member replaces, and the host migrates, in each tick.
    uint64_t replaced = 0;
    std::vector<Event> progress[16]; // The events join_progress and caught_up, by node.

    uint32_t now_ms() const { return static_cast<uint32_t>(world.now_us / 1000); }

    Crate fresh()
    {
        Crate crate = {{1, 2, 3}, now_ms(), {}};
        for (uint8_t &byte : crate.paint)
            byte = static_cast<uint8_t>(random::next(world.random));
        return crate;
    }

    void make_members(size_t count, Impairment impairment = {20, 30, 0, 0})
    {
        set_impairment(world.network, impairment);
        world.tick_us = 16'667;
        world.config.types = crate_types;
        world.config.send_bytes_per_second_max = bytes_per_second;
        world.config.peers_max = 16;
        for (size_t i = 0; i < count; ++i) {
            world.add();
            ASSERT_TRUE(world.step_until_open());
        }
        members = count;
        crates.resize(16);
    }

    // Spreads `total` crates evenly over the first `owners` members.
    void make_crates(size_t owners, uint32_t total = crates_max)
    {
        for (uint32_t i = 0; i < total; ++i) {
            Session *session = world.nodes[i % owners].session;
            for (int k = 0; k < 600 && creations_left(session, CRATE) == 0; ++k)
                world.step(); // Until the host has moved places to it.
            crates[i % owners].push_back(create(session, CRATE, fresh()));
        }
        ASSERT_TRUE(world.step_until_converged());
    }

    ObjectId &any_cold(size_t i)
    {
        return crates[i][hot_crates + random::below(world.random, crates[i].size() - hot_crates)];
    }

    void change(Session *session, const std::vector<ObjectId> &own)
    {
        for (uint32_t k = 0; k < hot_crates && k < own.size(); ++k) {
            Crate crate = get(session, Object<Crate>{own[k]});
            crate.written_ms = now_ms();
            set(session, Object<Crate>{own[k]}, crate);
        }
    }

    void replace_some(Session *session, size_t i)
    {
        for (uint32_t k = 0; k < churn; ++k) {
            ObjectId &picked = any_cold(i);
            if (!exists(session, picked) || object_owner(session, picked) != local_peer(session))
                continue;
            destroy(session, picked);
            const ObjectId made = create(session, CRATE, fresh());
            if (made == ObjectId::none) continue;
            picked = made;
            replaced += 1;
        }
        if (host_peer(session) != local_peer(session)) return;
        for (uint32_t k = 0; k < churn; ++k) {
            Session *to = world.nodes[random::below(world.random, members)].session;
            migrate(session, any_cold(random::below(world.random, members)), local_peer(to));
        }
    }

    void play(size_t i)
    {
        Session *session = world.nodes[i].session;
        if (i >= members || session_state(session) != State::open) return;
        change(session, crates[i]);
        if (churn > 0) replace_some(session, i);
    }

    void step()
    {
        world.step([this](size_t i, const std::vector<Event> &events) {
            play(i);
            for (const Event &event : events)
                if (event.kind == EventKind::join_progress || event.kind == EventKind::caught_up)
                    progress[i].push_back(event);
        });
    }

    void look(Ages &ages)
    {
        for (size_t owner = 0; owner < members; ++owner)
            for (size_t viewer = 0; viewer < members; ++viewer)
                for (uint32_t k = 0; k < hot_crates && viewer != owner; k += 10) {
                    if (k >= crates[owner].size()) continue;
                    Session *session = world.nodes[viewer].session;
                    if (!exists(session, crates[owner][k])) continue;
                    const uint64_t age =
                        now_ms() - get(session, Object<Crate>{crates[owner][k]}).written_ms;
                    ages.sum_ms += age;
                    ages.count += 1;
                    ages.max_ms = std::max(ages.max_ms, age);
                }
    }

    Ages ages_while_playing(int steps)
    {
        Ages ages;
        for (int i = 0; i < steps; ++i) {
            step();
            if (i >= 30) look(ages);
        }
        return ages;
    }

    // Adds `count` newcomers and runs until all are open. Returns for each the seconds from join().
    std::vector<double> join_times_s(size_t count, Ages &ages, uint64_t steps_max = 1200)
    {
        const size_t before = world.nodes.size();
        const uint64_t start_us = world.now_us;
        std::vector<double> times(count, 0);
        world.add_all(count);
        size_t open = 0;
        for (uint64_t step_count = 0; step_count < steps_max && open < count; ++step_count) {
            step();
            look(ages);
            for (size_t i = 0; i < count; ++i) {
                if (times[i] > 0 || session_state(world.nodes[before + i].session) != State::open)
                    continue;
                times[i] = static_cast<double>(world.now_us - start_us) / 1e6;
                open += 1;
            }
        }
        EXPECT_EQ(open, count);
        return times;
    }

    // The seconds that the member which sent most to the newcomer needs for those bytes, at
    // bytes_per_second.
    double needed_s(size_t newcomer)
    {
        uint64_t most_bytes = 0;
        for (size_t i = 0; i < members; ++i) {
            const Stats to =
                peer_stats(world.nodes[i].session, local_peer(world.nodes[newcomer].session));
            most_bytes = std::max(most_bytes, to.sent_bytes);
        }
        return static_cast<double>(most_bytes) / bytes_per_second;
    }
};

}

// The time from join() until open may be at most 1.2 times what the bytes need at 1 MB/s.
TEST(LateJoin, TheHostsTenThousandObjectsTakeAsLongAsTheirBytes)
{
    Yard yard;
    yard.make_members(4);
    yard.make_crates(1);
    const Ages before = yard.ages_while_playing(120);
    Ages during;
    const double took_s = yard.join_times_s(1, during)[0];
    const double needed_s = yard.needed_s(4);
    std::printf(
        "%.3f s, of which the bytes need %.3f s: %.2f; age %.1f ms before, %.1f ms during\n",
        took_s, needed_s, took_s / needed_s, before.mean_ms(), during.mean_ms());
    EXPECT_GT(needed_s, 0.8); // 10,000 objects of 84 bytes at 1 MB/s
    EXPECT_LE(took_s, 1.2 * needed_s);
    EXPECT_LE(during.mean_ms(), 2 * before.mean_ms());
    EXPECT_TRUE(yard.world.step_until_converged());
}

// With four owners the bytes need a quarter of that time. Handshakes take most of the rest, so the
// time that a join without objects takes is subtracted.
TEST(LateJoin, OfFourOwnersEachBringsItsShareAtTheSameTime)
{
    double took_s[2];
    double needed_s = 0;
    for (const uint32_t total : {0u, crates_max}) {
        Yard yard;
        yard.make_members(4, {20, 30, 0.02f, 0});
        yard.make_crates(4, total);
        yard.ages_while_playing(60);
        Ages ages;
        took_s[total > 0] = yard.join_times_s(1, ages)[0];
        needed_s = yard.needed_s(4);
    }
    std::printf("%.3f s, without objects %.3f s, the bytes of one owner need %.3f s\n", took_s[1],
                took_s[0], needed_s);
    // 0.15 s: each owner's congestion window takes a few round trips to open.
    EXPECT_LE(took_s[1] - took_s[0], 1.2 * needed_s + 0.15);
}

TEST(LateJoin, ProgressRisesAndThenComesCaughtUp)
{
    Yard yard;
    yard.make_members(3);
    yard.make_crates(3);
    Ages ages;
    yard.join_times_s(1, ages);
    const std::vector<Event> &told = yard.progress[3];
    ASSERT_GT(told.size(), 5u);
    EXPECT_LE(told.size(), 101u);
    uint32_t here = 0;
    for (size_t i = 0; i + 1 < told.size(); ++i) {
        ASSERT_EQ(told[i].kind, EventKind::join_progress);
        EXPECT_EQ(told[i].progress.objects_expected, crates_max);
        EXPECT_GT(told[i].progress.objects_here, here);
        here = told[i].progress.objects_here;
    }
    EXPECT_GT(here, crates_max / 2);
    EXPECT_LE(here, crates_max);
    EXPECT_EQ(told.back().kind, EventKind::caught_up);
}

TEST(LateJoin, WhoCrashesInTheMiddleLeavesNothing)
{
    Yard yard;
    yard.make_members(3);
    yard.make_crates(3);
    yard.world.add();
    while (yard.progress[3].empty() ||
           yard.progress[3].back().progress.objects_here < crates_max / 2)
        yard.step();
    ASSERT_EQ(session_state(yard.world.nodes[3].session), State::joining);
    yard.world.nodes[3].crashed = true;
    for (int i = 0; i < 200; ++i) // 3.3 s; the timeout is 2 s.
        yard.step();
    for (size_t i = 0; i < 3; ++i) {
        const Replica &r = inspect::replica(yard.world.nodes[i].session);
        EXPECT_EQ(other_peers(yard.world.nodes[i].session).size(), 2u);
        EXPECT_FALSE(r.duties.collecting);
        uint32_t members = 0;
        for (MemberSlot slot = 0; slot < r.members.count; ++slot) {
            members += r.members[slot].id != PeerId::none;
            EXPECT_LE(replica::queued_count(r, r.members[slot].id), 1u);
            if (r.members[slot].id == PeerId::none) {
                EXPECT_EQ(r.publisher.rings[slot].due_count, 0u);
            }
        }
        EXPECT_EQ(members, 3u);
    }
    Ages ages;
    const double took_s = yard.join_times_s(1, ages)[0];
    EXPECT_LT(took_s, 2);
    EXPECT_TRUE(yard.world.step_until_converged());
    EXPECT_EQ(session_stats(yard.world.nodes[4].session).objects, crates_max);
}

TEST(LateJoin, EightAtOnce)
{
    Yard yard;
    yard.make_members(4);
    yard.make_crates(4);
    const Ages before = yard.ages_while_playing(120);
    Ages during;
    const std::vector<double> times = yard.join_times_s(8, during);
    const double slowest_s = *std::max_element(times.begin(), times.end());
    std::printf("all eight after %.3f s; age %.1f ms before, %.1f ms during\n", slowest_s,
                before.mean_ms(), during.mean_ms());
    EXPECT_LT(slowest_s, 1.5);
    EXPECT_LE(during.mean_ms(), 2 * before.mean_ms());
    EXPECT_TRUE(yard.world.step_until_converged());
}

TEST(LateJoin, WhileObjectsAreMadeDestroyedAndMigrated)
{
    Yard yard;
    yard.make_members(4, {20, 80, 0.03f, 0.02f});
    yard.make_crates(4, crates_max * 9 / 10);
    yard.churn = 8;
    yard.ages_while_playing(60);
    const uint64_t replaced = yard.replaced;
    const uint64_t migrations = session_stats(yard.world.nodes[0].session).migrations;
    Ages during;
    yard.join_times_s(2, during);
    EXPECT_GT(yard.replaced, replaced + 100);
    EXPECT_GT(session_stats(yard.world.nodes[0].session).migrations, migrations + 100);
    ASSERT_TRUE(yard.world.step_until_converged());
    for (const Node &node : yard.world.nodes)
        for (PeerId peer : other_peers(node.session))
            EXPECT_EQ(breach_count(peer_stats(node.session, peer)), 0u);
}
