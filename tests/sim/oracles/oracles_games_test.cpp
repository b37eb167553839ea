// The oracles of what a game sees, on real sessions: they are silent in a run in which all is well,
// and report each difference between the session and what the events, or the owners' writes, say.
#include "sim/oracles/oracle_checks.h"
#include "sim/world/simulation.h"
#include <gtest/gtest.h>

using namespace tern;

namespace {

// Three peers on a good network. Their games create objects, and move and set them.
struct Game {
    std::unique_ptr<Simulation> sim;

    explicit Game(uint32_t seconds, const char *faults, Topology topology = Topology::mesh)
    {
        SimOptions options;
        options.seed = 8; // ASKED has an error bound.
        options.places = 3;
        options.seconds = seconds;
        options.topology = topology;
        options.faults = faults::parse(faults, 1).faults;
        sim = simulation::make(options);
        simulation::run_safety(*sim);
        EXPECT_FALSE(sim->oracles.violation) << sim->oracles.violation.text;
        sim->oracles.ledger.now_us = sim->now_us;
    }
    const Node &node(uint16_t place) const { return sim->nodes[place]; }
    NodeRecord &record(uint16_t place) const { return sim->oracles.nodes[place]; }

    // A living object that the peer at place 2 does not own, with a stamp like this.
    ObjectId others_object(TypeId type, bool granted) const
    {
        for (const KnownObject &object : node(2).slots) {
            const Shown *shown = oracles::find_shown(record(2), object.id);
            if (object.life != Life::alive || object.type != type || !shown) continue;
            const bool is_old = sim->now_us - shown->since_us > 2'500'000;
            if (object.owner != node(2).self && (object.stamp != 0) == granted && is_old)
                return object.id;
        }
        return ObjectId::none;
    }
    Tenure &tenure(ObjectId id) const
    {
        const KnownObject &object = *find(id);
        std::vector<ObjectRecord> &records =
            sim->oracles.ledger.objects[static_cast<size_t>(object_id::creator(id))];
        for (Tenure &tenure : records[object_id::serial(id)].tenures)
            if (tenure.stamp == object.stamp) return tenure;
        ADD_FAILURE();
        return records[0].tenures[0];
    }
    const KnownObject *find(ObjectId id) const
    {
        const auto &slots = node(2).slots;
        return &*std::find_if(slots.begin(), slots.end(),
                              [id](const KnownObject &object) { return object.id == id; });
    }
    MirroredObject &mirrored(Mirror &mirror, ObjectId id) const
    {
        return mirror.objects[static_cast<size_t>(object_id::creator(id))][object_id::serial(id)];
    }
};

constexpr const char *everyday = "none,destroy=0,prefer=0,create=60,claim=0,migrate=0,call=0,"
                                 "whisper=0,ask=0,hope=0,release=0,balance=0";
constexpr const char *with_claims = "none,destroy=0,prefer=0,create=60,claim=20,balance=0";

Event about(EventKind kind, ObjectId id, const KnownObject &object)
{
    Event event = {};
    event.kind = kind;
    event.object = {id, 0, object.type, object.owner};
    return event;
}

Event owner_changed(ObjectId id, const KnownObject &object, PeerId previous, uint32_t lost_ticks)
{
    Event event = {};
    event.kind = EventKind::owner_changed;
    event.owner = {id, 0, lost_ticks, object.type, object.owner, previous};
    return event;
}

Event joined(PeerId peer)
{
    Event event = {};
    event.kind = EventKind::peer_joined;
    event.newcomer.peer = peer;
    return event;
}

Event of_peer(EventKind kind, PeerId peer)
{
    Event event = {};
    event.kind = kind;
    event.peer = peer;
    return event;
}

Event host_changed(PeerId peer, PeerId previous)
{
    Event event = {};
    event.kind = EventKind::host_changed;
    event.host = {peer, previous};
    return event;
}

}

// --- I19 ---

namespace {

struct OracleEvents : testing::Test {
    Game game = Game(3, everyday);
    Mirror mirror = game.record(2).mirror;
    Node node = game.node(2);
    ObjectId id = ObjectId::none;

    void SetUp() override
    {
        node.events.clear();
        for (const KnownObject &object : node.slots)
            if (object.life == Life::alive && object.owner != node.self) id = object.id;
        ASSERT_NE(id, ObjectId::none);
    }
    std::string check()
    {
        Mirror copy = mirror;
        return oracle_events::check(copy, node, 2).invariant;
    }
    std::string check(const Event &event)
    {
        node.events = {event};
        return check();
    }
};

}

TEST_F(OracleEvents, AreSilentWhereTheMirrorIsTheWorld)
{
    EXPECT_EQ(check(), "");
    Event changed = about(EventKind::object_changed, id, *game.find(id));
    changed.object.changed_fields = 2;
    EXPECT_EQ(check(changed), "");
}

TEST_F(OracleEvents, ADifferenceWithoutAnEvent)
{
    const Mirror good = mirror;
    game.mirrored(mirror, id).value.health ^= 1;
    EXPECT_EQ(check(), "I19");
    mirror = good;
    game.mirrored(mirror, id).owner = node.self;
    EXPECT_EQ(check(), "I19");
    mirror = good;
    game.mirrored(mirror, id).hidden = true;
    EXPECT_EQ(check(), "I19");
    mirror = good;
    game.mirrored(mirror, id).is_there = false;
    EXPECT_EQ(check(), "I19");
    mirror = good;
    mirror.objects[1].resize(5000);
    mirror.objects[1][4999].is_there = true;
    mirror.object_count += 1;
    EXPECT_EQ(check(), "I19");
}

TEST_F(OracleEvents, AnEventThatNamesFieldsBringsTheirValues)
{
    game.mirrored(mirror, id).value.health ^= 1;
    Event changed = about(EventKind::object_changed, id, *game.find(id));
    changed.object.changed_fields = 1 << 4; // health
    EXPECT_EQ(check(changed), "");
    changed.object.changed_fields = 1 << 3;
    EXPECT_EQ(check(changed), "I19");
}

TEST_F(OracleEvents, AnEventThatDoesNotFit)
{
    const KnownObject &object = *game.find(id);
    EXPECT_EQ(check(about(EventKind::object_created, id, object)), "I19");
    EXPECT_EQ(check(about(EventKind::object_changed, id, object)), "I19"); // It names no field.
    EXPECT_EQ(check(about(EventKind::object_destroyed, id, object)), "I19");
    const ObjectId unknown = object_id::make(object.owner, 5000);
    EXPECT_EQ(check(about(EventKind::object_hidden, unknown, object)), "I19");
    EXPECT_EQ(check(owner_changed(id, object, node.self, 0)), "I19");
}

TEST_F(OracleEvents, ANewcomerWhoseHostGoesDiscardsAllEvents)
{
    mirror.has_caught_up = false;
    EXPECT_EQ(check(of_peer(EventKind::host_lost, mirror.host)), "I19"); // Its session has objects.
    node.session = game.node(2).session;
    mirror.has_caught_up = true;
    EXPECT_EQ(check(of_peer(EventKind::host_lost, mirror.host)), "");
}

// --- I20 ---

namespace {

struct OracleRoster : OracleEvents {
    std::string check(std::vector<Event> events = {})
    {
        node.events = std::move(events);
        Mirror copy = mirror;
        return oracle_roster::check(copy, node, 2).invariant;
    }
};

}

TEST_F(OracleRoster, IsSilentWhereTheMirrorIsTheRoster)
{
    EXPECT_EQ(check(), "");
    EXPECT_EQ(check({of_peer(EventKind::peer_left, mirror.peers[0]), joined(mirror.peers[0])}), "");
    EXPECT_EQ(
        check({of_peer(EventKind::host_lost, mirror.host), host_changed(mirror.host, mirror.host)}),
        "");
}

TEST_F(OracleRoster, AMemberWithoutAnEvent)
{
    const PeerId first = mirror.peers[0];
    mirror.peers.erase(mirror.peers.begin());
    EXPECT_EQ(check(), "I20");
    EXPECT_EQ(check({joined(first)}), "");
    mirror.peers.insert(mirror.peers.begin(), first);
    mirror.peers.push_back(static_cast<PeerId>(99));
    EXPECT_EQ(check(), "I20");
    EXPECT_EQ(check({of_peer(EventKind::peer_left, static_cast<PeerId>(99))}), "");
}

TEST_F(OracleRoster, AnEventThatDoesNotFit)
{
    const PeerId stranger = static_cast<PeerId>(99);
    EXPECT_EQ(check({joined(mirror.peers[0])}), "I20");
    EXPECT_EQ(check({of_peer(EventKind::peer_left, stranger)}), "I20");
    EXPECT_EQ(check({of_peer(EventKind::host_lost, stranger)}), "I20");
    EXPECT_EQ(check({of_peer(EventKind::host_lost, mirror.host)}),
              "I20"); // It is host all the same.
    EXPECT_EQ(check({host_changed(stranger, stranger)}), "I20");
    EXPECT_EQ(check({host_changed(stranger, mirror.host)}), "I20");
}

TEST_F(OracleRoster, ANewcomerCatchesUp)
{
    mirror = {};
    EXPECT_EQ(check({}), "I20");
    EXPECT_EQ(check({of_peer(EventKind::caught_up, node.self)}), "");
}

// --- I21 ---

namespace {

struct OracleLostTicks : testing::Test {
    Game game = Game(5, with_claims);
    Ledger &ledger = game.sim->oracles.ledger;
    NodeRecord &record = game.record(2);
    Node node = game.node(2);

    // The peer at place 2 has written in ticks 10, 12 and 13 of a tenure just before the present
    // one, which includes the writes up to this one.
    std::string check(uint32_t included, uint32_t lost_ticks)
    {
        const ObjectId id = game.others_object(THING, true);
        const KnownObject &object = *game.find(id);
        Tenure former = {};
        former.stamp = object.stamp - 1;
        former.owner = node.self;
        for (uint32_t sequence = 1; sequence <= 3; ++sequence) {
            Written value = {};
            value.tenure = former.stamp;
            value.sequence = sequence;
            value.writer = node.self;
            if (sequence == included) ledger.firsts[{id, object.stamp}] = value;
            former.writes.push_back(
                {0, ledger::print(value), 8 + 2 * sequence - sequence / 3, sequence, {}});
        }
        former.last_tick = 13;
        ledger.objects[static_cast<size_t>(object_id::creator(id))][object_id::serial(id)]
            .tenures.push_back(former);
        oracles::shown(record, id).stamp = former.stamp;
        node.events = {owner_changed(id, object, node.self, lost_ticks)};
        return oracle_lost_ticks::check(record, ledger, node, 2).invariant;
    }
};

}

TEST_F(OracleLostTicks, AllThatIsMissingIsCounted)
{
    EXPECT_EQ(check(3, 0), "");
    EXPECT_EQ(check(3, 1), "I21");
    EXPECT_EQ(check(2, 1), "");
    EXPECT_EQ(check(2, 0), "I21");
    EXPECT_EQ(check(2, 2), "I21");
    EXPECT_EQ(check(1, 2), ""); // The first value was sent again in tick 11.
    EXPECT_EQ(check(1, 3), "");
    EXPECT_EQ(check(1, 1), "I21");
    EXPECT_EQ(check(1, 4), "I21");
}

TEST_F(OracleLostTicks, OnlyTheFormerOwnerLosesTicks)
{
    EXPECT_EQ(check(3, 0), "");
    node.events[0].owner.previous = node.events[0].owner.owner;
    EXPECT_EQ(oracle_lost_ticks::check(record, ledger, node, 2).invariant, "");
    node.events[0].owner.lost_ticks = 1;
    EXPECT_EQ(oracle_lost_ticks::check(record, ledger, node, 2).invariant, "I21");
}

// --- I22 ---

namespace {

struct OracleFreshness : testing::TestWithParam<Topology> {
    Game game = Game(6, everyday, GetParam());
    ObjectId id = game.others_object(THING, false);

    std::string check() const
    {
        return oracle_freshness::check(game.sim->oracles, game.sim->nodes, 2).invariant;
    }
    // The owner has written once more, so long ago.
    void write(uint64_t ago_us)
    {
        ASSERT_NE(id, ObjectId::none);
        Tenure &tenure = game.tenure(id);
        tenure.newest += 1;
        OwnerWrite write = {};
        write.us = game.sim->oracles.ledger.now_us - ago_us;
        write.sequence = tenure.newest;
        tenure.writes.push_back(write);
    }
};

}

TEST_P(OracleFreshness, WhatIsOutOfDateForLong)
{
    EXPECT_EQ(check(), "");
    write(10'000);
    EXPECT_EQ(check(), "");
    write(0);
    game.tenure(id).writes.rbegin()[1].us -= 800'000;
    EXPECT_EQ(check(), "I22");
}

TEST_P(OracleFreshness, WhereSomethingWasWrongLatelyThereIsNoBound)
{
    write(800'000);
    EXPECT_EQ(check(), "I22");
    const uint64_t now_us = game.sim->oracles.ledger.now_us;
    for (PathHealth &path : game.sim->wire.health)
        path.troubled_us = now_us - 1'900'000;
    EXPECT_EQ(check(), "");
    for (PathHealth &path : game.sim->wire.health)
        path.troubled_us = now_us - 2'100'000;
    EXPECT_EQ(check(), "I22");
    game.sim->nodes[0].troubled_us = game.sim->nodes[1].troubled_us = UINT64_MAX;
    EXPECT_EQ(check(), "");
}

TEST_P(OracleFreshness, ALowPriorityMayTakeLonger)
{
    const PeerId owner = game.find(id)->owner;
    const bool star = GetParam() == Topology::star;
    const uint16_t sender = star || owner == game.node(0).self ? 0 : 1;
    write(500'000);
    EXPECT_EQ(check(), "I22");
    game.record(sender).preferences[{id, game.node(2).self}] = {1.0f / 64, 0, 0};
    EXPECT_EQ(check(), "");
}

INSTANTIATE_TEST_SUITE_P(Of, OracleFreshness, testing::Values(Topology::mesh, Topology::star),
                         [](const auto &topology) {
                             return topology.param == Topology::star ? "star" : "mesh";
                         });

// --- I23 ---

namespace {

struct OracleSampling : testing::Test {
    Game game = Game(15, (std::string(everyday) + ",set=20,glide=40").c_str());

    // Over all objects: a few are sampled in each tick.
    std::string check()
    {
        Oracles &o = game.sim->oracles;
        for (uint64_t i = 0; i < 64; ++i) {
            game.record(2).ticks += 64;
            Violation violation = oracle_sampling::check(o, game.sim->nodes, 2);
            if (violation) return violation.invariant;
        }
        return "";
    }
    template <class F> void change_tenures(F change)
    {
        for (const KnownObject &object : game.node(2).slots)
            if (object.life == Life::alive && object.type == ASKED) change(game.tenure(object.id));
    }
};

}

TEST_F(OracleSampling, IsSilentWhereSamplesAreTheOwners)
{
    EXPECT_EQ(check(), "");
}

TEST_F(OracleSampling, AValueThatTheOwnerNeverHad)
{
    change_tenures([](Tenure &tenure) { tenure.written.clear(); });
    EXPECT_EQ(check(), "I23");
}

TEST_F(OracleSampling, AWriteThatIsEarlierThanBefore)
{
    for (const KnownObject &object : game.node(2).slots)
        if (object.type == ASKED) game.record(2).sampled[object.id] = {object.stamp, 100'000};
    EXPECT_EQ(check(), "I23");
}

TEST_F(OracleSampling, APositionFarFromTheWayOfTheObject)
{
    change_tenures([](Tenure &tenure) {
        for (OwnerWrite &write : tenure.writes)
            write.position[1] += 9;
    });
    EXPECT_EQ(check(), "I23");
}

// --- I24 ---

namespace {

struct OracleStats : testing::Test {
    Game game = Game(14, everyday);

    std::string check() const
    {
        return oracle_stats::check(game.sim->oracles, game.sim->nodes, 2).invariant;
    }
    PairTraffic &traffic() const { return game.record(2).traffic[0]; }
};

}

TEST_F(OracleStats, WhatIsCountedIsWhatWasSeen)
{
    EXPECT_EQ(check(), ""); // Nothing since the last tick.
    traffic().sent_datagrams += 1;
    EXPECT_EQ(check(), "I24");
    traffic().sent_bytes += 1;
    EXPECT_EQ(check(), "I24");
    traffic().received_datagrams += 1;
    EXPECT_EQ(check(), "I24");
    traffic().received_bytes += 1;
    EXPECT_EQ(check(), "I24");
    EXPECT_EQ(check(), "");
}

TEST_F(OracleStats, WhereThePathWasBadNothingIsCompared)
{
    for (PathHealth &path : game.sim->wire.health)
        path.troubled_us = game.sim->now_us - 5'000'000;
    traffic().sent_datagrams += 1;
    EXPECT_EQ(check(), "");
}

TEST_F(OracleStats, TotalsAreThoseOfTheEvents)
{
    Mirror mirror = game.record(2).mirror;
    EXPECT_FALSE(oracle_stats::check_totals(mirror, game.node(2), 2));
    mirror.object_count += 1;
    EXPECT_EQ(oracle_stats::check_totals(mirror, game.node(2), 2).invariant, "I24");
    mirror.object_count -= 1;
    mirror.owner_changes += 1000;
    EXPECT_EQ(oracle_stats::check_totals(mirror, game.node(2), 2).invariant, "I24");
}
