// A fixture of three peers, the first of them the host, that collects the events of an object.
#pragma once
#include "tests/session/sim_world.h"
#include <gtest/gtest.h>

namespace tern::test {

using Kinds = std::vector<EventKind>;

inline Kinds kinds(const std::vector<Event> &events)
{
    Kinds all;
    for (const Event &event : events)
        all.push_back(event.kind);
    return all;
}

inline bool has(const std::vector<Event> &events, EventKind kind)
{
    for (const Event &event : events)
        if (event.kind == kind) return true;
    return false;
}

struct ThreePeers : testing::Test {
    SimWorld world{77};
    Session *a = nullptr, *b = nullptr, *c = nullptr;
    // The answer of the host's game to claim_asked. While both are false it does not answer, and
    // the claims wait in `asked`.
    bool refusing = false, granting = false;
    std::vector<Event> asked;

    void SetUp() override
    {
        for (int i = 0; i < 3; ++i)
            world.add();
        ASSERT_TRUE(world.step_until_open());
        a = world.nodes[0].session;
        b = world.nodes[1].session;
        c = world.nodes[2].session;
    }

    void settle() { ASSERT_TRUE(world.step_until_converged()); }

    // Runs one tick of all nodes, in which the host's game answers claims.
    void step()
    {
        world.step([&](size_t node, const std::vector<Event> &events) {
            if (node != 0) return;
            for (const Event &event : events)
                if (event.kind == EventKind::claim_asked) asked.push_back(event);
            if (!refusing && !granting) return;
            for (const Event &event : asked)
                if (refusing || !migrate(a, event.object, event.peer))
                    refuse_claim(a, event.object, event.peer);
            asked.clear();
        });
    }

    // Runs 60 ticks and returns the events about `object` that node `i` receives in them. The
    // events about `other` are appended to `others`, if it is given.
    std::vector<Event> watch(size_t i, ObjectId object, std::vector<Event> *others = nullptr,
                             ObjectId other = ObjectId::none)
    {
        std::vector<Event> seen;
        for (int n = 0; n < 60; ++n) {
            step();
            for (const Event &event : world.nodes[i].events) {
                if (event.object == object) seen.push_back(event);
                if (others && event.object == other) others->push_back(event);
            }
        }
        return seen;
    }
};

}
