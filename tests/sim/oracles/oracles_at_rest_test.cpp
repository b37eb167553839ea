// The oracles that check a session at rest, on real sessions. They are silent once all has settled,
// and report each difference that the others have not received.
#include "sim/oracles/oracle_checks.h"
#include "sim/oracles/oracles.h"
#include "tern/ownership.hpp"
#include "tern/untyped.hpp"
#include "tests/session/sim_world.h"
#include <gtest/gtest.h>

using namespace tern;
using test::SimWorld;

namespace {

const ObjectId nothing = ObjectId::none;

struct Rest {
    SimWorld world;
    std::vector<Node> nodes;
    Oracles oracles = {};
    std::vector<uint16_t> members = {0, 1, 2};
    ObjectId body = nothing, door = nothing, name = nothing;

    explicit Rest(uint64_t seed) : world(seed)
    {
        for (int i = 0; i < 3; ++i) {
            world.add();
            world.step_until_open();
        }
        body = create(world.nodes[1].session, test::BODY, test::Body{{1, 2, 3}, 4});
        door = create(world.nodes[0].session, test::DOOR, test::Name{"door"});
        name = create(world.nodes[2].session, test::NAME, test::Name{"name"});
        settle();
        claim(world.nodes[2].session, body);
        settle();
        destroy(world.nodes[2].session, name);
        settle();
    }
    void settle()
    {
        EXPECT_TRUE(world.step_until_converged());
        nodes.clear();
        for (const test::Node &from : world.nodes) {
            Node node;
            node.session = from.crashed ? nullptr : from.session;
            node.self = local_peer(from.session);
            node.address = from.address;
            nodes.push_back(node);
        }
        oracles.ledger.object_count = 3;
    }
    Violation quiescent() const { return oracles::quiescent(oracles, nodes); }
    AtRest at_rest() const { return {nodes, members, oracles.ledger}; }
    Session *session(size_t i) const { return world.nodes[i].session; }
};

void expect_violation(const Violation &violation, const char *invariant, ObjectId object)
{
    EXPECT_EQ(violation.invariant, invariant);
    EXPECT_EQ(violation.object, object);
}

}

TEST(OraclesAtRest, AreSilentWhenAllIsSettled)
{
    const Rest rest(1);
    const Violation violation = rest.quiescent();
    EXPECT_FALSE(violation) << violation.invariant << ": " << violation.text;
    EXPECT_EQ(object_owner(rest.session(0), rest.body), rest.nodes[2].self);
}

TEST(OraclesAtRest, AnObjectThatOnlyItsCreatorHas)
{
    Rest rest(2);
    const ObjectId made = create(rest.session(1), test::BODY, test::Body{});
    expect_violation(rest.quiescent(), "Q1", made);
}

TEST(OraclesAtRest, AnObjectThatDiedAtItsOwnerOnly)
{
    Rest rest(3);
    destroy(rest.session(2), rest.body);
    EXPECT_EQ(oracle_convergence::check(rest.at_rest()).object, rest.body);
}

TEST(OraclesAtRest, OwnersThatDiffer)
{
    Rest rest(4);
    migrate(rest.session(0), rest.body, rest.nodes[0].self);
    receive(rest.session(0), {}, rest.world.now_us + 1);
    expect_violation(rest.quiescent(), "Q1", rest.body);
}

TEST(OraclesAtRest, AValueThatItsOwnerHasChanged)
{
    Rest rest(5);
    EXPECT_FALSE(oracle_last_values::check(rest.at_rest()));
    set(rest.session(2), Object<test::Body>{rest.body}, test::Body{{9, 9, 9}, 9});
    EXPECT_FALSE(oracle_convergence::check(rest.at_rest()));
    expect_violation(rest.quiescent(), "Q2", rest.body);
}

TEST(OraclesAtRest, AnOwnerThatHasGone)
{
    Rest rest(6);
    EXPECT_FALSE(oracle_owners::check(rest.at_rest()));
    rest.nodes[2].session = nullptr;
    rest.members = {0, 1};
    expect_violation(oracle_owners::check(rest.at_rest()), "Q3", rest.body);
    // This function checks rosters first.
    EXPECT_EQ(rest.quiescent().invariant, "Q6");
}

TEST(OraclesAtRest, ADestructionThatNotAllHaveHeardOf)
{
    Rest rest(7);
    Step step = {rest.door, {}, {}, false, {}};
    step.after.id = rest.door;
    step.after.owner = rest.nodes[0].self;
    step.after.life = Life::alive;
    ledger::record(rest.oracles.ledger, rest.nodes[0].self, rest.nodes[0].self, step);
    EXPECT_FALSE(oracle_destroyed::check(rest.at_rest()));
    std::swap(step.before, step.after);
    step.after = step.before;
    step.after.life = Life::destroyed;
    ledger::record(rest.oracles.ledger, rest.nodes[0].self, rest.nodes[0].self, step);
    EXPECT_EQ(oracle_destroyed::check(rest.at_rest()).invariant, "Q4");
    destroy(rest.session(0), rest.door);
    EXPECT_EQ(oracle_destroyed::check(rest.at_rest()).lane, 1);
    rest.settle();
    EXPECT_FALSE(oracle_destroyed::check(rest.at_rest()));
}

TEST(OraclesAtRest, MoreRangesOfTheDeadThanTheLivingExplain)
{
    Rest rest(8);
    EXPECT_FALSE(
        oracle_bounds::check_at_rest(inspect::replica(rest.session(0)), rest.oracles.ledger, 0));
    rest.oracles.ledger.object_count = 3;
    auto &replica = const_cast<Replica &>(inspect::replica(rest.session(0)));
    for (uint64_t serial = 20; serial < 30; serial += 2) {
        const auto id = static_cast<uint64_t>(
            object_id::make(rest.nodes[1].self, static_cast<uint32_t>(serial)));
        dead::add(replica.world.dead, {id, id});
    }
    EXPECT_EQ(oracle_bounds::check_at_rest(replica, rest.oracles.ledger, 0).invariant, "Q5");
}

TEST(OraclesAtRest, AClaimWithoutAnAnswer)
{
    Rest rest(9);
    claim(rest.session(1), rest.door);
    expect_violation(rest.quiescent(), "Q6", rest.door);
    for (int i = 0; i < 30; ++i)
        rest.world.step();
    // The claim waits for the host's game.
    EXPECT_EQ(rest.quiescent().lane, 0);
}

TEST(OraclesAtRest, ARosterThatNamesOneWhoIsNotThere)
{
    Rest rest(10);
    rest.nodes[2].core = false;
    EXPECT_EQ(rest.quiescent().invariant, "Q6");
}

TEST(OraclesAtRest, AGrantThatIsNeverGivenBack)
{
    Rest rest(11);
    auto &replica = const_cast<Replica &>(inspect::replica(rest.session(2)));
    const ObjectSlot slot = world::find_alive(replica.world, rest.body);
    replica.granting.all[replica.world.slots[slot].grant - 1].references += 1;
    EXPECT_EQ(rest.quiescent().invariant, "Q6");
    replica.granting.all[replica.world.slots[slot].grant - 1].references -= 1;
    EXPECT_FALSE(rest.quiescent());
}

// --- I3 and I8, which check replicas now and then ---

TEST(OraclesAtRest, ADeathThatIsForgotten)
{
    Rest rest(12);
    NodeRecord record = {};
    oracles::shown(record, rest.name).life = Life::dying;
    const Replica &replica = inspect::replica(rest.session(0));
    EXPECT_FALSE(oracle_dead::check_memory(record, replica, 0));
    oracles::shown(record, rest.door).life = Life::dying;
    EXPECT_EQ(oracle_dead::check_memory(record, replica, 0).invariant, "I3");
}

TEST(OraclesAtRest, BoundsThatAreBroken)
{
    Rest rest(13);
    auto &replica = const_cast<Replica &>(inspect::replica(rest.session(1)));
    EXPECT_FALSE(oracle_bounds::check_replica(replica, 1));
    replica.outbox.queues[0].owed_count += replica.outbox.owed.capacity;
    EXPECT_EQ(oracle_bounds::check_replica(replica, 1).invariant, "I8");
    replica.outbox.queues[0].owed_count -= replica.outbox.owed.capacity;
    const DeadRange range = replica.world.dead[0];
    flat::push(replica.world.dead, {range.last + 1, range.last + 1});
    EXPECT_EQ(oracle_bounds::check_replica(replica, 1).invariant, "I8");
    flat::pop(replica.world.dead);
    EXPECT_FALSE(oracle_bounds::check_replica(replica, 1));
}

TEST(OraclesAtRest, APeerWithoutRoom)
{
    Rest rest(14);
    EXPECT_FALSE(oracle_bounds::check(rest.nodes[1], 1));
    const_cast<Replica &>(inspect::replica(rest.session(1))).fault = Fault::counter_full;
    receive(rest.session(1), {}, rest.world.now_us + 1);
    EXPECT_EQ(oracle_bounds::check(rest.nodes[1], 1).invariant, "I8");
}

TEST(OraclesAtRest, MoreObjectsOrUsedPlacesThanAllowed)
{
    Rest rest(16);
    auto &replica = const_cast<Replica &>(inspect::replica(rest.session(2)));
    EXPECT_FALSE(oracle_capacity::check(rest.nodes[2], 2));
    Packed &bodies = replica.world.packed[test::BODY];
    const uint32_t alive = bodies.alive;
    bodies.alive = replica.types->types[test::BODY].objects_max + 1;
    EXPECT_EQ(oracle_capacity::check(rest.nodes[2], 2).invariant, "I26");
    bodies.alive = alive;
    replica.room.places[test::BODY].used += replica.room.places[test::BODY].held;
    replica.room.places[test::BODY].used += 1;
    EXPECT_EQ(oracle_capacity::check(rest.nodes[2], 2).invariant, "I26");
}

TEST(OraclesAtRest, TwoObjectsInOnePlace)
{
    Rest rest(17);
    const ObjectId second = create(rest.session(1), test::BODY, test::Body{});
    auto &replica = const_cast<Replica &>(inspect::replica(rest.session(1)));
    EXPECT_FALSE(oracle_capacity::check_places(replica, 1));
    replica.world.slots[world::find(replica.world, second)].place =
        replica.world.slots[world::find(replica.world, rest.body)].place;
    EXPECT_EQ(oracle_capacity::check_places(replica, 1).invariant, "I26");
}

TEST(OraclesAtRest, LeasesThatAreNotObjectsMax)
{
    Rest rest(18);
    auto &replica = const_cast<Replica &>(inspect::replica(rest.session(1)));
    EXPECT_FALSE(oracle_capacity::check_at_rest(rest.at_rest()));
    replica.room.places[test::DOOR].held += 1;
    EXPECT_EQ(oracle_capacity::check_at_rest(rest.at_rest()).invariant, "Q11");
    replica.room.places[test::DOOR].held -= 1;
    replica.room.places[test::DOOR].used += 1;
    EXPECT_EQ(oracle_capacity::check_at_rest(rest.at_rest()).invariant, "Q11");
}

// --- M1 ---

TEST(OraclesAtRest, TwoRunsThatKillTheSame)
{
    Rest one(15), other(15);
    Step step = {one.name, {}, {}, false, {}};
    step.after.id = one.name;
    step.after.owner = one.nodes[2].self;
    step.after.life = Life::destroyed;
    for (Rest *rest : {&one, &other})
        ledger::record(rest->oracles.ledger, rest->nodes[2].self, rest->nodes[0].self, step);
    EXPECT_FALSE(oracles::compare_runs(one.oracles, one.nodes, other.oracles, other.nodes));
    step.object = step.after.id = one.door;
    step.after.owner = one.nodes[0].self;
    for (Rest *rest : {&one, &other})
        ledger::record(rest->oracles.ledger, rest->nodes[0].self, rest->nodes[0].self, step);
    EXPECT_EQ(oracles::compare_runs(one.oracles, one.nodes, other.oracles, other.nodes).invariant,
              "M1");
}
