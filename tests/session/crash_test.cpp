// A failed assertion prints what the library was doing, and Config::crash gets a report with the
// rest of the recording. The tests break private structs to make assertions fail.
#include "base/assert.h"
#include "session/session_types.h"
#include "sim/recording/recording.h"
#include "tern/handlers.hpp"
#include "tern/recording.hpp"
#include "tern/untyped.hpp"
#include "tests/session/sim_world.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <random>
#include <thread>

using namespace tern;
using namespace tern::test;

namespace {

// Prints the report to stderr, and appends the rest of the recording to the file.
struct Reporter {
    std::string path;
    Session *session = nullptr; // Null: the handler calls no function of tern.
};

void report(void *user, const Crash &crash)
{
    const auto &reporter = *static_cast<const Reporter *>(user);
    std::fprintf(stderr, "REPORT %u of %s, %s, peer %u of %u, object %llx, %zu frames, tick %u\n",
                 crash.struct_size, crash.function, crash.message ? crash.message : "no message",
                 static_cast<unsigned>(crash.peer), static_cast<unsigned>(crash.local_peer),
                 static_cast<unsigned long long>(crash.object), crash.frames.size(), crash.tick);
    std::ofstream file(reporter.path, std::ios::binary | std::ios::app);
    file.write(reinterpret_cast<const char *>(crash.recording.data()),
               static_cast<std::streamsize>(crash.recording.size()));
    file.flush();
    if (!reporter.session) return;
    std::fprintf(stderr, "send() gave %zu\n", send(reporter.session, 0).size());
    std::fprintf(stderr, "%zu were in\n", other_peers(reporter.session).size());
}

void note(void *, const Misuse &misuse)
{
    std::fprintf(stderr, "REFUSED %s: %s\n", misuse.function, misuse.wrong);
}

// A host and a guest. The host is recorded, and has the handler.
struct Crashing : testing::Test {
    SimWorld world{31};
    Reporter reporter;
    std::string folder;

    void SetUp() override
    {
#ifdef _WIN32
        GTEST_SKIP() << "GoogleTest has no patterns of several lines here";
#endif
        folder = testing::TempDir() + "tern-crash-" + std::to_string(std::random_device()());
        ASSERT_TRUE(std::filesystem::create_directory(folder));
        reporter.path = folder + "/host.rec";
        world.config.recording_bytes_max = 1 << 20;
        world.config.crash = {report, &reporter};
        world.config.misuse = {note, nullptr};
        world.add();
        world.config.recording_bytes_max = 0;
        world.config.crash = {};
        world.add();
        ASSERT_TRUE(world.step_until_open());
    }
    void TearDown() override
    {
        if (!folder.empty()) std::filesystem::remove_all(folder);
    }
    Session *host()
    {
        return world.nodes[0].session;
    }
    Session *guest()
    {
        return world.nodes[1].session;
    }
};

}

TEST_F(Crashing, InACreateIsPrintedAndReportedWithPeerAndObject)
{
    create(guest(), BODY, Body{});
    host()->replica->world.free_slots.count = 0;
    EXPECT_DEATH(world.steps(20),
                 "tern assert failed: .*\n"
                 "tern: in receive\\(\\) of peer 1, tick [0-9]+, session [0-9a-f]{16}, message "
                 "CREATE, peer 2, object 2\\.1\n"
                 "(.*\n)*REPORT [0-9]+ of receive, CREATE, peer 2 of 1, object 200000001, ");
}

#ifdef TERN_SLOW_ASSERTS
TEST_F(Crashing, InAnUpdateNamesTheObject)
{
    create(guest(), BODY, Body{});
    const ObjectId object = create(guest(), BODY, Body{});
    world.steps(20);
    ASSERT_TRUE(exists(host(), object));
    set(guest(), Object<Body>{object}, Body{{1, 2, 3}, 4});
    Replica &r = *host()->replica;
    r.log.changed[world::find(r.world, object)] = UINT32_MAX;
    EXPECT_DEATH(world.steps(20), "message UPDATE, peer 2, object 2\\.2\n");
}
#endif

TEST_F(Crashing, InAFunctionOfTheGameNamesItAndTheObject)
{
    const ObjectId object = create(host(), BODY, Body{});
    host()->replica->world.dead.capacity = 0;
    EXPECT_DEATH(destroy(host(), object),
                 "in destroy\\(\\) of peer 1, tick [0-9]+, session [0-9a-f]{16}, object 1\\.1\n");
}

TEST_F(Crashing, TheHandlerGetsNothingOfTheSessionThatFailed)
{
    create(guest(), BODY, Body{});
    reporter.session = host();
    host()->replica->world.free_slots.count = 0;
    EXPECT_DEATH(world.steps(20), "REFUSED send: Another function is changing this session"
                                  "(.*\n)*send\\(\\) gave 0\n"
                                  "REFUSED other_peers: Another function"
                                  "(.*\n)*0 were in\n");
}

TEST_F(Crashing, AnAssertionThatFailsInTheReportEndsIt)
{
    create(guest(), BODY, Body{});
    host()->guard.context.complete = [](AssertContext &, Crash &crash) -> CrashHandler {
        TERN_ASSERT(crash.line == 0, "in the report");
        return {};
    };
    host()->replica->world.free_slots.count = 0;
    EXPECT_DEATH(world.steps(20), // Nothing more than an emulator adds.
                 "assert failed: .*\n.*crash.line == 0: in the report\n(qemu: .*\n)?$");
}

TEST_F(Crashing, WhatWasTakenAndTheRestAreAWholeRecording)
{
    create(guest(), BODY, Body{});
    const auto take = [&] {
        const std::span<const std::byte> taken = take_recording(host());
        std::ofstream file(reporter.path, std::ios::binary | std::ios::app);
        file.write(reinterpret_cast<const char *>(taken.data()),
                   static_cast<std::streamsize>(taken.size()));
    };
    take();
    create(host(), BODY, Body{}); // Only the report has it.
    EXPECT_DEATH(
        {
            host()->replica->world.free_slots.count = 0;
            world.steps(20);
        },
        "REPORT");
    std::ifstream file(reporter.path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const PlayedRecording played = recording::play(std::as_bytes(std::span(text)));
    EXPECT_TRUE(played.ok) << played.error;
    EXPECT_GT(played.ticks, 10u);
}

TEST(Crash, OutsideOfASessionPrintsNoContext)
{
    EXPECT_DEATH(assert_failed("here.cpp", 7, "a == b", "a is %d", 1),
                 "here.cpp:7: tern assert failed: a == b: a is 1\n");
}

static void build_in_broken_threads(void *session, uint32_t count,
                                    void (*run)(void *context, uint32_t i), void *context)
{
    if (Session *broken = *static_cast<Session **>(session)) broken->replica->world.tick = 0;
    std::vector<std::thread> threads;
    for (uint32_t i = 0; i < count; ++i)
        threads.emplace_back(run, context, i);
    for (std::thread &thread : threads)
        thread.join();
}

static void report_peer(void *, const Crash &crash)
{
    std::fprintf(stderr, "REPORT peer %u\n", static_cast<unsigned>(crash.peer));
}

static void fail_in_threads()
{
    SimWorld world(32);
    Session *broken = nullptr;
    world.config.parallel = {build_in_broken_threads, &broken, 2};
    world.config.crash = {report_peer, nullptr};
    world.add();
    world.config.parallel = {};
    world.open(2);
    Session *host = world.nodes[0].session;
    const ObjectId object = create(host, BODY, Body{});
    world.steps(20);
    set(host, Object<Body>{object}, Body{{1, 2, 3}, 4});
    broken = host;
    (void)send(host, world.now_us);
}

TEST(Crash, InSeveralThreadsOfSendIsReportedOnceAndNamesThePeer)
{
#ifdef _WIN32
    GTEST_SKIP() << "GoogleTest has no patterns of several lines here";
#endif
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(fail_in_threads(),
                 "in send\\(\\) of peer 1, tick 0, session [0-9a-f]{16}, peer ([23])\n"
                 "(.*\n)*REPORT peer [23]\n$");
}
