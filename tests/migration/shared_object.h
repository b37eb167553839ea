// A fixture of a group in which all know an object that peer 2 has created.
#pragma once
#include "tests/migration/group.h"
#include <gtest/gtest.h>

namespace tern::test {

struct SharedObject : testing::Test {
    Group group;
    ObjectId object = ObjectId::none;

    explicit SharedObject(size_t peers = 4, Topology topology = Topology::mesh)
        : group(make_group(peers, topology))
    {
    }

    void SetUp() override
    {
        const Thing thing = {1, 2};
        object = replica::create(group.at(2), 0, &thing);
        group.flow();
    }

    // The slot of the object at this peer.
    ObjectSlot slot(unsigned at) { return world::find_alive(group.at(at).world, object); }
};

}
