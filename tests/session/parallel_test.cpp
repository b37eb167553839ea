// Packets that are built in parallel parts have the same bytes as packets built in one part.
#include "tern/calls.hpp"
#include "tern/diagnostics.hpp"
#include "tern/interest.hpp"
#include "tern/io.hpp"
#include "tern/limits.hpp"
#include "tern/untyped.hpp"
#include "tests/session/sim_world.h"
#include <gtest/gtest.h>
#include <thread>

using namespace tern;
using namespace tern::test;

namespace {

enum : TypeId { PLAIN, CRATE, LOOSE, SHOUT };
const Field crate_fields[] = {
    {"position", FieldKind::float32, offsetof(Body, position), 3, -100, 100, 0.01},
    {"health", FieldKind::int32, offsetof(Body, health), 1, 0, 100}};
const Field loose_fields[] = {{.name = "position",
                               .kind = FieldKind::float32,
                               .offset_bytes = offsetof(Body, position),
                               .count = 3,
                               .bound = 0.5},
                              {"health", FieldKind::int32, offsetof(Body, health), 1, 0, 100}};
const Type types[] = {
    {"plain", sizeof(Body), crate_fields, 256},
    {.name = "crate",
     .size_bytes = sizeof(Body),
     .fields = crate_fields,
     .objects_max = 256,
     .predicted = true},
    {.name = "loose", .size_bytes = sizeof(Body), .fields = loose_fields, .objects_max = 256},
    {"shout", sizeof(Hit), hit_fields}};

void in_turn(void *, uint32_t count, void (*run)(void *context, uint32_t i), void *context)
{
    for (uint32_t i = 0; i < count; ++i)
        run(context, i);
}

void backwards(void *calls, uint32_t count, void (*run)(void *context, uint32_t i), void *context)
{
    if (calls) *static_cast<uint32_t *>(calls) += count;
    for (uint32_t i = count; i > 0; --i)
        run(context, i - 1);
}

void each_in_a_thread(void *, uint32_t count, void (*run)(void *context, uint32_t i), void *context)
{
    std::vector<std::thread> threads;
    for (uint32_t i = 0; i < count; ++i)
        threads.emplace_back(run, context, i);
    for (std::thread &thread : threads)
        thread.join();
}

using Bytes = std::vector<std::byte>;

void play(SimWorld &world, size_t node, int step)
{
    Session *session = world.nodes[node].session;
    if (session_state(session) != State::open) return;
    if (step == 60)
        for (int i = 0; i < 12; ++i)
            for (const TypeId type : {PLAIN, CRATE, LOOSE})
                create(session, type, Body{{1, 2, 3}, i});
    for (const TypeId type : {PLAIN, CRATE, LOOSE}) {
        const std::vector<ObjectId> all(object_ids(session, type).begin(),
                                        object_ids(session, type).end());
        for (size_t k = 0; k < all.size(); ++k) {
            if (object_owner(session, all[k]) != local_peer(session) ||
                (static_cast<size_t>(step) + k) % 3 == 0)
                continue;
            const float x = static_cast<float>((step * 7 + static_cast<int>(k)) % 90);
            set(session, Object<Body>{all[k]}, Body{{x, x / 2, -x}, step % 100});
        }
    }
    if (node == 0 && step > 60 && step % 10 == 0)
        for (const ObjectId object : object_ids(session, PLAIN))
            for (const PeerId peer : other_peers(session))
                set_priority(session, object, peer, step % 30 == 0 ? 0.5f : 1.0f);
    const Reliability how = step % 2 == 0 ? Reliability::reliable : Reliability::unreliable;
    if (step % 5 == 0) call(session, PeerId::everyone, SHOUT, Hit{ObjectId::none, step % 90}, how);
}

// The bytes of all received datagrams, and the traffic counts of every session.
struct Played {
    Bytes arrived;
    std::vector<int64_t> charged;
    friend bool operator==(const Played &, const Played &) = default;
};

Played played(Topology topology, const Parallel &parallel)
{
    Played out;
    SimWorld world(5, {20, 30, 0.05f, 0.02f});
    world.config.types = types;
    world.config.topology = topology;
    world.config.parallel = parallel;
    world.add_all(7);
    for (int step = 0; step < 240; ++step) {
        world.pass_tick_time();
        for (size_t i = 0; i < world.nodes.size(); ++i) {
            Node &node = world.nodes[i];
            const std::span<const Datagram> in = node.socket->receive();
            for (const Datagram &datagram : in)
                out.arrived.insert(out.arrived.end(), datagram.bytes.begin(), datagram.bytes.end());
            receive(node.session, in, world.now_us);
            play(world, i, step);
            node.socket->send(send(node.session, world.now_us));
        }
    }
    for (const Node &node : world.nodes) {
        EXPECT_EQ(session_state(node.session), State::open) << state_text(node.session);
        EXPECT_EQ(object_ids(node.session, CRATE).size(), 7 * 12u);
        for (const TrafficRow &row : traffic_rows(node.session)) {
            out.charged.push_back(row.bits);
            out.charged.push_back(static_cast<int64_t>(row.count));
        }
    }
    return out;
}

}

TEST(Parallel, TheBytesAreThoseOfOnePart)
{
    // The first call draws random bytes, which must not come from the generator seeded below.
    ASSERT_GE(sodium_init(), 0);
    for (const Topology topology : {Topology::star, Topology::mesh}) {
        const Played one = played(topology, {});
        ASSERT_GT(one.arrived.size(), 300'000u);
        EXPECT_TRUE(played(topology, {in_turn, nullptr, 2}) == one);
        uint32_t parts = 0;
        EXPECT_TRUE(played(topology, {backwards, &parts, 3}) == one);
        EXPECT_GT(parts, 3 * 200u); // The host of a star splits nearly every one of 240 ticks.
        EXPECT_TRUE(played(topology, {backwards, nullptr, send_parts_max}) == one);
        EXPECT_TRUE(played(topology, {each_in_a_thread, nullptr, 4}) == one);
        Workers *workers = make_workers(3);
        ASSERT_TRUE(workers);
        EXPECT_EQ(make_parallel(workers).parts, 4u);
        EXPECT_TRUE(played(topology, make_parallel(workers)) == one);
        destroy_workers(workers);
    }
}

TEST(Parallel, AWrongOneIsNamed)
{
    Config config = {};
    config.types = types;
    config.parallel.parts = 0; // The default.
    EXPECT_STREQ(config_problem(config).text, "");
    config.parallel = {in_turn, nullptr, 17};
    EXPECT_STREQ(config_problem(config).text, "parallel.parts 17, at most 16 and at least 1");
    config.parallel = {nullptr, nullptr, 2};
    EXPECT_STREQ(config_problem(config).text, "parallel.parts above 1 without parallel.for_each");
}

TEST(Workers, TakeEachPartOnceWhateverTheirNumber)
{
    EXPECT_EQ(make_workers(0), nullptr);
    for (const uint32_t threads : {1u, 2u, 40u}) {
        Workers *workers = make_workers(threads);
        ASSERT_TRUE(workers);
        const Parallel p = make_parallel(workers);
        EXPECT_EQ(p.parts, std::min(threads + 1, send_parts_max));
        for (int round = 0; round < 500; ++round) {
            int done[16] = {};
            p.for_each(
                p.user, 16, [](void *to, uint32_t i) { static_cast<int *>(to)[i] += 1; }, done);
            for (const int count : done)
                ASSERT_EQ(count, 1);
        }
        destroy_workers(workers);
    }
    destroy_workers(nullptr);
}
