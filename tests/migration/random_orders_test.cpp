// Groups of replicas with random actions, random deliveries (each wire in order), lost UPDATEs,
// joins and one departure. In the end all that are left have the same world.
#include "base/random.h"
#include "tests/migration/group.h"
#include "tests/replication/update_room.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace tern;
using namespace tern::test;

namespace {

struct Flight { // An UPDATE message in flight.
    size_t from, to;
    uint64_t packet;
    Bytes message;
};

struct Play {
    Random random;
    Group group;
    std::vector<bool> gone;
    std::vector<Flight> flights;
    uint64_t packet = 0;
    size_t members_max;
    int joins = 0, departures = 0;

    Play(uint64_t seed)
        : random(random::from_seed(seed)), group(make_group(2 + random::below(random, 3))),
          gone(group.replicas.size()), members_max(group_limits.peers_max)
    {
    }

    size_t anyone() { return random::below(random, group.replicas.size()); }

    // A random living object in the world of replica i, or no_slot.
    ObjectSlot some_object(size_t i, bool own)
    {
        std::vector<ObjectSlot> slots;
        const Replica &r = *group.replicas[i];
        for (ObjectSlot slot = 0; slot < r.world.slots.count; ++slot)
            if (r.world.slots[slot].life == Life::alive &&
                (!own || r.world.slots[slot].owner == r.self))
                slots.push_back(slot);
        return slots.empty() ? no_slot : slots[random::below(random, slots.size())];
    }

    Thing thing()
    {
        return {static_cast<int32_t>(random::below(random, 3)),
                static_cast<int32_t>(random::below(random, 3))};
    }

    void act(size_t i)
    {
        Replica &r = *group.replicas[i];
        if (gone[i] || r.phase != Phase::in) return;
        if (i == 0) answer_claims();
        const uint64_t what = random::below(random, 10);
        const Thing value = thing();
        if (what < 2) replica::create(r, static_cast<TypeId>(random::below(random, 4)), &value);
        const ObjectSlot own = some_object(i, true), any = some_object(i, false);
        if (what >= 2 && what < 5 && own != no_slot) replica::set(r, own, &value);
        if (what == 5 && own != no_slot) replica::destroy(r, own);
        if (any == no_slot) return;
        const ObjectId id = r.world.slots[any].id;
        if (what >= 6 && what < 9 && r.world.slots[any].owner != r.self) replica::claim(r, id);
        if (what == 9 && i == 0) replica::migrate(r, id, peer(static_cast<unsigned>(anyone() + 1)));
    }

    void answer_claims()
    {
        for (const Event &event : group.events[0]) {
            if (event.kind != EventKind::claim_asked) continue;
            if (random::chance(random, 0.5) &&
                replica::migrate(group.at(1), event.claim.object, event.claim.claimer))
                continue;
            replica::refuse_claim(group.at(1), event.claim.object, event.claim.claimer,
                                  ClaimRefusal::by_game);
        }
        group.events[0].clear();
    }

    void write_updates(size_t from)
    {
        if (gone[from]) return;
        const size_t to = anyone();
        const PeerId id = peer(static_cast<unsigned>(to + 1));
        if (to == from || !replica::is_member(*group.replicas[from], id)) return;
        Bytes bytes =
            group.updates(static_cast<unsigned>(from + 1), static_cast<unsigned>(to + 1), packet);
        if (!bytes.empty()) flights.push_back({from, to, packet, bytes});
        packet += 1;
    }

    // The UPDATE arrives and is acked, is lost, or arrives and counts as lost; in that case it may
    // arrive more than once.
    void land(size_t i)
    {
        const Flight flight = flights[i];
        const uint64_t what = random::below(random, 4);
        const PeerId to = peer(static_cast<unsigned>(flight.to + 1));
        const PeerId from = peer(static_cast<unsigned>(flight.from + 1));
        if (what != 1 && !gone[flight.to]) {
            receive_updates(*group.replicas[flight.to], from, flight.message);
            group.settle(flight.to);
        }
        if (what == 3 && random::chance(random, 0.5)) return; // The UPDATE will arrive again.
        if (!gone[flight.from])
            replica::on_packet_outcome(*group.replicas[flight.from], to, flight.packet, what == 0);
        flights.erase(flights.begin() + static_cast<ptrdiff_t>(i));
    }

    void join()
    {
        size_t members = 0;
        for (const Member &member : group.at(1).members.all())
            members += member.id != PeerId::none;
        if (members >= members_max || joins == 2) return;
        joins += 1;
        group.add();
        gone.push_back(false);
        const PeerId id = replica::next_peer_id(group.at(1));
        replica::admit(group.at(1), id, group.identity(group.replicas.size() - 1));
    }

    void depart(size_t i)
    {
        if (i == 0 || gone[i] || departures == 2) return;
        departures += 1;
        gone[i] = true;
        for (auto &wire : group.wires[i]) // The last messages on each wire are lost.
            wire.resize(random::below(random, wire.size() + 1));
        for (auto &row : group.wires)
            row[i].clear();
    }

    void host_sees(size_t i)
    {
        if (!gone[i]) return;
        replica::peer_gone(group.at(1), peer(static_cast<unsigned>(i + 1)));
        group.settle(0);
    }

    void step()
    {
        const uint64_t what = random::below(random, 100);
        const size_t from = anyone(), to = anyone();
        if (what < 30) return act(from);
        if (what < 45 && !gone[from]) return settle_and_pull(from);
        if (what < 75 && !gone[to]) return (void)group.deliver(from, to);
        if (what < 85) return write_updates(from);
        if (what < 96 && !flights.empty()) return land(random::below(random, flights.size()));
        if (what == 96) return join();
        if (what == 97) return depart(from);
        if (what > 97) return host_sees(from);
    }

    void settle_and_pull(size_t i)
    {
        group.settle(i);
        if (group.replicas[i]->phase == Phase::outside) return;
        group.pull(i);
    }

    void quiet()
    {
        for (int round = 0; round < 40; ++round) {
            answer_claims();
            for (size_t i = 0; i < group.replicas.size(); ++i) {
                host_sees(i);
                if (!gone[i]) settle_and_pull(i);
            }
            for (size_t from = 0; from < group.replicas.size(); ++from)
                for (size_t to = 0; to < group.replicas.size(); ++to)
                    while (!gone[to] && group.deliver(from, to)) {
                    }
            while (!flights.empty())
                land(random::below(random, flights.size()));
            for (size_t i = 0; i < 3 * group.replicas.size(); ++i)
                write_updates(i % group.replicas.size());
        }
        while (!flights.empty())
            land(random::below(random, flights.size()));
    }
};

}

static void expect_converged(Play &play, uint64_t seed)
{
    const Replica &host = play.group.at(1);
    const uint64_t digest = world::digest(host.world, *host.types);
    for (size_t i = 0; i < play.group.replicas.size(); ++i) {
        if (play.gone[i]) continue;
        const Replica &r = *play.group.replicas[i];
        EXPECT_EQ(r.fault, Fault::none) << "seed " << seed << " peer " << i + 1;
        EXPECT_EQ(r.phase, Phase::in) << "seed " << seed << " peer " << i + 1;
        EXPECT_EQ(world::digest(r.world, *r.types), digest) << "seed " << seed << " peer " << i + 1;
        EXPECT_EQ(r.term.view, host.term.view) << "seed " << seed << " peer " << i + 1;
        EXPECT_EQ(r.claims.count, 0u) << "seed " << seed << " peer " << i + 1;
        for (const KnownObject &object : r.world.slots.all()) {
            if (object.life != Life::alive) continue;
            EXPECT_TRUE(replica::is_member(r, object.owner)) << "seed " << seed;
        }
    }
}

TEST(RandomOrders, AllThatAreLeftHaveTheSameWorld)
{
    uint64_t objects = 0, migrations = 0, departures = 0, joins = 0;
    for (uint64_t seed = 1; seed <= 1500 && !HasFailure(); ++seed) {
        Play play(seed);
        for (int i = 0; i < 600; ++i)
            play.step();
        play.quiet();
        expect_converged(play, seed);
        objects += play.group.at(1).world.alive;
        migrations += play.group.at(1).term.migrations;
        departures += static_cast<uint64_t>(play.departures);
        joins += static_cast<uint64_t>(play.joins);
    }
    std::printf(
        "objects left %llu, migrations %llu, departures %llu, joins %llu\n",
        static_cast<unsigned long long>(objects), static_cast<unsigned long long>(migrations),
        static_cast<unsigned long long>(departures), static_cast<unsigned long long>(joins));
    EXPECT_GT(objects, 1000u);
    EXPECT_GT(migrations, 1000u);
    EXPECT_GT(departures, 100u);
    EXPECT_GT(joins, 100u);
}
