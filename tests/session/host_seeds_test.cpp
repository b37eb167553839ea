// Hosts leave and die while the members play and newcomers join. In the end all remaining members
// have the same world and the same host.
#include "tern/untyped.hpp"
#include "tests/session/sim_world.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace tern;
using namespace tern::test;

namespace {

struct Play {
    SimWorld world;
    uint64_t seed;
    int gone = 0, joined = 0;
    bool quiet = false;

    explicit Play(uint64_t seed_) : world(seed_, {10, 90, 0.08f, 0.02f}), seed(seed_) {}

    uint64_t below(uint64_t limit) { return random::below(world.random, limit); }

    std::vector<size_t> members()
    {
        std::vector<size_t> open;
        for (size_t i = 0; i < world.nodes.size(); ++i)
            if (!world.nodes[i].crashed && session_state(world.nodes[i].session) == State::open)
                open.push_back(i);
        return open;
    }

    // A member that is the host in its own view; the first member if there is none.
    size_t host_node()
    {
        for (const size_t i : members())
            if (host_peer(world.nodes[i].session) == local_peer(world.nodes[i].session)) return i;
        return members().front();
    }

    void act(size_t i)
    {
        Session *s = world.nodes[i].session;
        if (quiet || session_state(s) != State::open || below(4) != 0) return;
        const Body value = {{1, 2, 3}, static_cast<int32_t>(below(100))};
        const std::span<const ObjectId> all = object_ids(s, BODY);
        if (all.size() < 30 && below(3) == 0) create(s, BODY, value);
        if (all.empty()) return;
        const ObjectId id = all[below(all.size())];
        if (!exists(s, id)) return;
        if (object_owner(s, id) != local_peer(s)) {
            claim(s, id);
            return;
        }
        if (below(8) == 0)
            destroy(s, id);
        else
            set(s, Object<Body>{id}, value);
    }

    void step()
    {
        world.step([this](size_t node, const std::vector<Event> &) { act(node); });
    }

    // Lets a member crash or leave, most often the host, or lets a newcomer join by some member.
    void trouble()
    {
        const std::vector<size_t> open = members();
        if (open.empty()) return;
        const uint64_t what = below(8);
        if (what < 3 && world.nodes.size() < 14) {
            const size_t by = open[below(open.size())];
            Session *s = world.place(world.config).session;
            join(s, world.the_invite_of(by));
            joined += 1;
        } else if (open.size() > 3) {
            const size_t who = below(3) == 0 ? open[below(open.size())] : host_node();
            if (what < 6)
                world.nodes[who].crashed = true;
            else
                leave(world.nodes[who].session);
            gone += 1;
        }
    }
};

}

TEST(HostSeeds, AllThatAreLeftHaveOneWorldAndOneHost)
{
    int gone = 0, joined = 0, minorities = 0, refused = 0;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        Play play(seed);
        play.world.config.quorum = seed % 2 == 0 ? Quorum::survivors : Quorum::majority;
        ASSERT_TRUE(play.world.open(6));
        for (int i = 0; i < 120; ++i) // Votes are given one after the other; 120 ticks suffice.
            play.step();
        for (int round = 0; round < 12; ++round) {
            play.trouble();
            // With Quorum::majority each departure must be settled before the next: members that
            // lose a majority at once stop.
            const bool majority = play.world.config.quorum == Quorum::majority;
            const uint64_t pause = (majority ? 150 : 5) + play.below(150);
            for (uint64_t i = 0; i < pause; ++i)
                play.step();
        }
        play.quiet = true;
        for (int i = 0; i < 500; ++i) // In 500 ticks every join and departure ends or fails.
            play.step();
        ASSERT_FALSE(play.members().empty()) << "seed " << seed;
        ASSERT_TRUE(play.world.step_until_converged()) << "seed " << seed << "\n"
                                                       << play.world.describe();
        const PeerId now = host_peer(play.world.nodes[play.members().front()].session);
        for (const size_t i : play.members()) {
            Session *s = play.world.nodes[i].session;
            EXPECT_EQ(host_peer(s), now) << "seed " << seed;
            EXPECT_NE(now, PeerId::none) << "seed " << seed;
            EXPECT_EQ(inspect::replica(s).claims.count, 0u) << "seed " << seed << " node " << i;
            for (const ObjectId object : object_ids(s, BODY)) {
                const std::span<const PeerId> others = other_peers(s);
                const PeerId who = object_owner(s, object);
                EXPECT_TRUE(who == local_peer(s) ||
                            std::find(others.begin(), others.end(), who) != others.end())
                    << "seed " << seed;
            }
        }
        for (const Node &node : play.world.nodes) {
            const State end = session_state(node.session);
            if (node.crashed) continue;
            minorities += end == State::cut_off;
            refused += end == State::unreachable || end == State::removed;
            EXPECT_NE(end, State::overflow) << "seed " << seed;
        }
        gone += play.gone;
        joined += play.joined;
    }
    std::printf("gone %d joined %d minorities %d unreachable or removed %d\n", gone, joined,
                minorities, refused);
    EXPECT_GT(gone, 80);
    EXPECT_GT(joined, 60);
}
