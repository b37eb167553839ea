// The functions for many objects do for each what those for one object do.
#include "tern/handlers.hpp"
#include "tern/many.hpp"
#include "tern/ownership.hpp"
#include "tern/untyped.hpp"
#include "tests/session/three_peers.h"
#include <cmath>

using namespace tern;
using namespace tern::test;

namespace {

struct ManyObjects : ThreePeers {
    int misuses = 0;

    void SetUp() override
    {
        world.config.misuse = {
            [](void *user, const Misuse &) { static_cast<ManyObjects *>(user)->misuses += 1; },
            this};
        ThreePeers::SetUp();
    }

    std::vector<ObjectId> created(size_t count)
    {
        std::vector<Body> bodies(count);
        for (size_t i = 0; i < count; ++i)
            bodies[i] = {{static_cast<float>(i), 0, 0}, 5};
        std::vector<ObjectId> ids(count);
        EXPECT_EQ(create_many<Body>(b, BODY, bodies, ids), count);
        settle();
        return ids;
    }

    std::vector<Body> read(const Session *session, const std::vector<ObjectId> &ids)
    {
        std::vector<Body> bodies(ids.size());
        EXPECT_EQ(get_many<Body>(session, BODY, ids, bodies), ids.size());
        return bodies;
    }
};

}

TEST_F(ManyObjects, AreCreatedSetReadAndDestroyed)
{
    const std::vector<ObjectId> ids = created(5);
    EXPECT_EQ(read(c, ids)[4].position[0], 4);
    std::vector<Body> bodies = read(b, ids);
    for (Body &body : bodies)
        body.health += 1;
    EXPECT_EQ(set_many<Body>(b, BODY, ids, bodies), ids.size());
    settle();
    for (const Body &body : read(c, ids))
        EXPECT_EQ(body.health, 6);
    EXPECT_EQ(destroy_many(b, ids), ids.size());
    settle();
    for (const ObjectId id : ids)
        EXPECT_FALSE(exists(c, id));
}

TEST_F(ManyObjects, AreClaimed)
{
    const std::vector<ObjectId> ids = created(4);
    EXPECT_EQ(claim_many(c, ids), ids.size());
    settle();
    for (const ObjectId id : ids)
        EXPECT_EQ(object_owner(a, id), local_peer(c));
    std::vector<Body> bodies = read(c, ids);
    EXPECT_EQ(claim_many(b, ids, ClaimMode::optimistic), ids.size());
    bodies[0].health = 77;
    EXPECT_EQ(set_many<Body>(b, BODY, ids, bodies), ids.size());
    EXPECT_EQ(read(b, ids)[0].health, 77);
    EXPECT_EQ(read(c, ids)[0].health, 5);
}

TEST_F(ManyObjects, AreCreatedAsFarAsThereIsRoom)
{
    const size_t room = creations_left(b, BODY);
    std::vector<Body> bodies(room + 3);
    std::vector<ObjectId> ids(room + 3, static_cast<ObjectId>(1));
    EXPECT_EQ(create_many<Body>(b, BODY, bodies, ids), room);
    EXPECT_NE(ids[room - 1], ObjectId::none);
    for (size_t i = room; i < ids.size(); ++i)
        EXPECT_EQ(ids[i], ObjectId::none);
}

// 2,000 bodies take several parts, of which one has a NaN.
TEST_F(ManyObjects, WhatIsWrongIsLeftOut)
{
    constexpr size_t count = 2000;
    std::vector<Body> bodies(count, Body{{1, 2, 3}, 4});
    const std::vector<ObjectId> own = created(40);
    const ObjectId foreign = create(a, BODY, bodies[0]);
    settle();
    std::vector<ObjectId> ids(count);
    for (size_t i = 0; i < count; ++i)
        ids[i] = own[i % own.size()];
    ids[700] = foreign;
    bodies[1500].position[1] = std::nanf("");
    bodies[1999].health = 9;
    EXPECT_EQ(set_many<Body>(b, BODY, ids, bodies), count - 2);
    EXPECT_EQ(misuses, 2);
    EXPECT_EQ(get(b, Object<Body>{own[1999 % own.size()]}).health, 9);
    EXPECT_EQ(get(b, Object<Body>{foreign}).health, 4);
}
