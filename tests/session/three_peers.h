// A fixture of three peers, the first of them the host, that collects the events of an object.
#pragma once
#include "tern/ownership.hpp"
#include "tern/untyped.hpp"
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
    std::vector<ClaimEvent> asked;

    void SetUp() override
    {
        ASSERT_TRUE(world.open(3));
        a = world.nodes[0].session;
        b = world.nodes[1].session;
        c = world.nodes[2].session;
    }

    void settle() { ASSERT_TRUE(world.step_until_converged()); }

    // A body of this owner that all peers have.
    ObjectId settled_body(Session *owner, bool locked = false)
    {
        const ObjectId id = create(owner, BODY, Body{{1, 2, 3}, 4});
        if (locked) lock(owner, id, true);
        settle();
        return id;
    }
    ObjectId locked_body(Session *owner) { return settled_body(owner, true); }

    // A door of b that is "shut" for all but c, which claims it and has set it to "open".
    ObjectId door_opened_by_c()
    {
        const ObjectId id = create(b, DOOR, Name{"shut"});
        settle();
        claim(c, id, ClaimMode::optimistic);
        set(c, Object<Name>{id}, Name{"open"});
        return id;
    }

    struct Claimed {
        ObjectId body, vault;
    };
    // A body and a vault of b that all peers have, both claimed optimistically by `claimer`.
    Claimed claimed_by(Session *claimer)
    {
        const ObjectId vault = create(b, VAULT, Name{"gold"});
        const Claimed claimed = {settled_body(b), vault};
        claim(claimer, claimed.body, ClaimMode::optimistic);
        claim(claimer, claimed.vault, ClaimMode::optimistic);
        return claimed;
    }

    // Runs one tick of all nodes, in which the host's game answers claims.
    void step()
    {
        world.step([&](size_t node, const std::vector<Event> &events) {
            if (node != 0) return;
            for (const Event &event : events)
                if (event.kind == EventKind::claim_asked) asked.push_back(event.claim);
            if (!refusing && !granting) return;
            for (const ClaimEvent &claim : asked)
                if (refusing || !migrate(a, claim.object, claim.claimer))
                    refuse_claim(a, claim.object, claim.claimer);
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
                if (object_of(event) == object) seen.push_back(event);
                if (others && object_of(event) == other) others->push_back(event);
            }
        }
        return seen;
    }
};

}
