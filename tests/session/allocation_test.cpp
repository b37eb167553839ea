// make_session() allocates what session_bytes() says, and no tick allocates anything after it.
#include "tern/calls.hpp"
#include "tern/diagnostics.hpp"
#include "tern/limits.hpp"
#include "tern/recording.hpp"
#include "tern/untyped.hpp"
#include "tests/session/sim_world.h"
#include <atomic>
#include <cstdlib>
#include <gtest/gtest.h>

#if defined(__SANITIZE_ADDRESS__)
#define TERN_COUNTS_ALLOCATIONS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TERN_COUNTS_ALLOCATIONS 0
#endif
#endif
#ifndef TERN_COUNTS_ALLOCATIONS
#if defined(__GLIBC__)
#define TERN_COUNTS_ALLOCATIONS 1
#else
#define TERN_COUNTS_ALLOCATIONS 0
#endif
#endif

static std::atomic<bool> counting = false;
static std::atomic<uint64_t> allocations = 0;
static std::atomic<uint64_t> allocated_bytes = 0;
static std::atomic<size_t> refused_bytes = SIZE_MAX; // calloc() gives less than this.

#if TERN_COUNTS_ALLOCATIONS
extern "C" {
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);

void *malloc(size_t size)
{
    allocations += counting;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    allocations += counting;
    allocated_bytes += counting ? count * size : 0;
    if (count * size >= refused_bytes) return nullptr;
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    allocations += counting;
    return __libc_realloc(memory, size);
}
}
#endif

using namespace tern;
using namespace tern::test;

// Counts the allocations of the session only, not those of the simulated network or of the test.
static void counted_tick(SimWorld &world, Node &node, int step)
{
    const std::span<const Datagram> waiting = node.socket->receive();
    counting = true;
    const std::span<const Event> events = receive(node.session, waiting, world.now_us);
    Session *session = node.session;
    if (session_state(session) == State::open) {
        for (const Event &event : events)
            if (event.kind == EventKind::object_created)
                claim(session, event.object.id,
                      step % 2 == 0 ? ClaimMode::wait : ClaimMode::optimistic);
        const ObjectId id = create(session, BODY, Body{{1, 2, 3}, step % 100});
        if (id != ObjectId::none && step % 3 == 0) destroy(session, id);
        for (ObjectId object : object_ids(session, BODY))
            if (exists(session, object) && (object_owner(session, object) == local_peer(session) ||
                                            inspect::is_optimistic(session, object)))
                set(session, Object<Body>{object}, Body{{static_cast<float>(step), 0, 0}, 1});
        call(session, PeerId::everyone, HIT, Hit{id, step});
        call(session, PeerId::everyone, HIT, Hit{id, step}, Reliability::unreliable);
        if (id != ObjectId::none) call_owner(session, id, HIT, Hit{id, step});
        request(session, PeerId::host, HIT, Hit{id, step}, 100);
        for (const Event &event : events)
            if (event.kind == EventKind::call && event.call.id != CallId::none)
                reply(session, event.call, HIT, Hit{id, step});
    }
    const std::span<const Datagram> out = send(session, world.now_us);
    if (world.config.recording_bytes_max > 0) take_recording(session);
    counting = false;
    node.socket->send(out);
}

static void count_allocations(uint32_t recording_bytes_max)
{
    if (!TERN_COUNTS_ALLOCATIONS) GTEST_SKIP() << "Allocations cannot be counted in this build";
    allocations = 0;
    counting = true;
    void *volatile block = std::malloc(1); // Volatile, or clang leaves both calls out.
    std::free(block);
    counting = false;
    ASSERT_EQ(allocations, 1u); // Shows that the count works.
    allocations = 0;
    SimWorld world(3, {20, 90, 0.1f, 0.05f});
    world.config.recording_bytes_max = recording_bytes_max;
    world.add_all(4);
    for (int step = 0; step < 300; ++step) {
        world.pass_tick_time();
        if (step == 150) world.nodes[3].crashed = true;
        for (Node &node : world.nodes)
            if (!node.crashed) counted_tick(world, node, step);
    }
    EXPECT_EQ(allocations, 0u);
    EXPECT_EQ(other_peers(world.nodes[0].session).size(), 2u);
    EXPECT_GT(session_stats(world.nodes[0].session).migrations, 50u);
}

static Config of_size(const Type &type, uint16_t peers_max)
{
    Config config = {};
    config.types = {&type, 1};
    config.topology = peers_max > mesh_peers_max ? Topology::star : Topology::mesh;
    config.peers_max = peers_max;
    return config;
}

static const Field health[] = {{"health", FieldKind::int32, 0}};

TEST(Allocation, MakeSessionTakesWhatSessionBytesSays)
{
    if (!TERN_COUNTS_ALLOCATIONS) GTEST_SKIP() << "Allocations cannot be counted in this build";
    for (const uint32_t objects_max : {1u, 100u, 3000u})
        for (const uint16_t peers_max : {uint16_t{2}, uint16_t{64}, uint16_t{100}}) {
            const Type type = {"ship", 4, health, objects_max};
            Config config = of_size(type, peers_max);
            if (peers_max == 2) config.recording_bytes_max = 1 << 20;
            const size_t said = session_bytes(config);
            allocated_bytes = 0;
            counting = true;
            Session *session = make_session(config);
            counting = false;
            EXPECT_EQ(allocated_bytes, said) << objects_max << " objects, " << peers_max;
            destroy_session(session);
        }
    const Type type = {"ship", 4, health, 100'000};
    EXPECT_LT(session_bytes(of_size(type, 512)), size_t{3'700'000'000});
}

TEST(Allocation, AFailureNamesWhatTheSessionTakes)
{
    if (!TERN_COUNTS_ALLOCATIONS) GTEST_SKIP() << "Allocations cannot be counted in this build";
    const Type type = {"ship", 4, health, 3000};
    const Config config = of_size(type, 64);
    const std::string said = std::to_string(session_bytes(config)) + " bytes of session_bytes";
    const auto make_in_little = [&] {
        refused_bytes = 4 << 20;
        (void)make_session(config);
    };
    EXPECT_DEATH(make_in_little(), said);
}

TEST(Allocation, NothingAllocatesAfterMakeSession)
{
    count_allocations(0);
}

TEST(Allocation, NothingAllocatesInASessionThatIsRecorded)
{
    count_allocations(1 << 20);
}
