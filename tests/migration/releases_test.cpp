// A released object goes to the host, whatever message crosses the release.
#include "tests/migration/shared_object.h"

using namespace tern;
using namespace tern::test;

namespace {

struct Releases : SharedObject {
    // Delivers all messages on this wire to the host, without settling in between.
    void hear_unsettled(size_t from)
    {
        for (const Bytes &message : group.wires[from][0])
            EXPECT_EQ(replica::receive(group.at(1), peer(static_cast<unsigned>(from + 1)), message),
                      Verdict::ok);
        group.delivered[from][0] += static_cast<uint32_t>(group.wires[from][0].size());
        group.wires[from][0].clear();
        replica::messages_acked(*group.replicas[from], peer(1), group.delivered[from][0]);
    }
};

}

// Seed 2424: in one tick the host receives the release and a claim, and grants the claim. The
// claimer goes, and the grant is lost with it.
TEST_F(Releases, IsNotForgottenWithTheClaimThatTookItsPlace)
{
    replica::release_ownership(group.at(2), slot(2));
    replica::claim(group.at(3), object);
    group.pull(1);
    group.pull(2);
    hear_unsettled(1);
    hear_unsettled(2);
    group.settle_and_pull(0);
    ASSERT_EQ(group.wires[0][2].size(), 1u); // The GRANT.
    group.wires[0][2].clear();
    replica::peer_gone(group.at(1), peer(3));
    group.flow();
    for (const unsigned id : {1u, 2u, 4u}) {
        EXPECT_EQ(belief(group.at(id), object).owner, peer(1)) << id;
        EXPECT_FALSE(replica::is_member(group.at(id), peer(3))) << id;
    }
}
