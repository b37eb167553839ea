// Calls to the owner of an object, calls to the host, and requests; the rules for who may call.
#include "rpc/call_routing.h"
#include "session/session_types.h"
#include "tern/calls.hpp"
#include "tern/diagnostics.hpp"
#include "tern/ownership.hpp"
#include "tern/untyped.hpp"
#include "tests/session/sim_world.h"
#include <algorithm>
#include <gtest/gtest.h>

namespace tern::test {
namespace {

struct Said {
    ObjectId about;
    int32_t number;
};
const Field said_fields[] = {{"about", FieldKind::object, offsetof(Said, about)},
                             {"number", FieldKind::int32, offsetof(Said, number)}};
enum : TypeId { THING, WORD, OWNERS, HOSTS, FEW };

std::vector<Type> call_types()
{
    std::vector<Type> types = {{"thing", sizeof(Body), body_fields, 64},
                               {"word", sizeof(Said), said_fields},
                               {"owners", sizeof(Said), said_fields},
                               {"hosts", sizeof(Said), said_fields},
                               {"few", sizeof(Said), said_fields}};
    types[OWNERS].callers = Callers::owner;
    types[HOSTS].callers = Callers::host;
    types[FEW].calls_per_second_max = 5;
    return types;
}

struct Heard {
    size_t node;
    Event event;
    Said said;
};

struct Calls : testing::TestWithParam<Topology> {
    std::vector<Type> types = call_types();
    SimWorld world{55, {20, 60, 0.05f, 0}};
    std::vector<Heard> heard; // The calls, replies and failures of all nodes, in order.
    bool replies = true;

    void SetUp() override
    {
        world.config.types = types;
        world.config.topology = GetParam();
        ASSERT_TRUE(world.open(4));
    }

    Session *at(size_t i) { return world.nodes[i].session; }
    PeerId id(size_t i) { return local_peer(at(i)); }

    void steps(int count)
    {
        world.steps(count, [&](size_t node, const Event &event) {
            if (event.kind < EventKind::call) return;
            Said said = {};
            if (event.call.arguments) said = call_arguments<Said>(event);
            heard.push_back({node, event, said});
            if (event.kind == EventKind::call && event.call.id != CallId::none && replies) {
                EXPECT_TRUE(reply(at(node), event.call, WORD, Said{said.about, -said.number}));
            }
        });
    }

    ObjectId thing(size_t by)
    {
        const ObjectId object = create(at(by), THING, Body{});
        steps(20);
        return object;
    }

    std::vector<int32_t> numbers(size_t node, EventKind kind)
    {
        std::vector<int32_t> numbers;
        for (const Heard &h : heard)
            if (h.node == node && h.event.kind == kind) numbers.push_back(h.said.number);
        return numbers;
    }
};

using Numbers = std::vector<int32_t>;

TEST_P(Calls, OfAnOwnerFollowItThroughMigrationsInOrder)
{
    const ObjectId object = thing(1);
    Numbers all;
    for (int32_t i = 1; i <= 100; ++i) {
        EXPECT_NE(call_owner(at(3), object, WORD, Said{object, i}), CallId::none);
        all.push_back(i);
        const auto next = static_cast<size_t>(i / 20 % 4);
        EXPECT_TRUE(i % 20 != 0 || migrate(at(0), object, id(next)));
        steps(1);
    }
    steps(120);
    Numbers got;
    std::vector<bool> by(4);
    for (const Heard &h : heard) {
        EXPECT_EQ(h.event.kind, EventKind::call);
        EXPECT_EQ(h.event.call.object, object);
        EXPECT_EQ(h.event.call.peer, id(3));
        EXPECT_EQ(h.event.call.id, CallId::none); // The caller wants no reply.
        got.push_back(h.said.number);
        by[h.node] = true;
    }
    EXPECT_EQ(got, all);
    // Every node owned the object for a while, the caller too.
    EXPECT_EQ(by, (std::vector<bool>{true, true, true, true}));
}

TEST_P(Calls, OfAnOwnerFailWhenTheObjectDiesOrNobodyKnowsIt)
{
    const ObjectId object = thing(1);
    destroy(at(1), object);
    const CallId crossing = call_owner(at(3), object, WORD, Said{object, 1});
    steps(30);
    const CallId late = call_owner(at(3), object, WORD, Said{object, 2});
    const CallId unknown =
        call_owner(at(3), static_cast<ObjectId>(0x1000000ff), WORD, Said{object, 3});
    steps(30);
    ASSERT_EQ(heard.size(), 2u); // The call for an unknown object still waits.
    steps(60);
    ASSERT_EQ(heard.size(), 3u);
    const CallId ids[] = {crossing, late, unknown};
    const CallFailure failures[] = {CallFailure::dead, CallFailure::dead, CallFailure::unknown};
    for (size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(heard[i].event.kind, EventKind::call_failed);
        EXPECT_EQ(heard[i].event.call.id, ids[i]);
        EXPECT_EQ(heard[i].event.call.failure, failures[i]);
        EXPECT_EQ(heard[i].event.call.type, WORD);
        EXPECT_EQ(heard[i].said.number, static_cast<int32_t>(i + 1));
        EXPECT_EQ(heard[i].node, 3u);
    }
}

TEST_P(Calls, OfAnOwnerThatIsNotKnownYetWait)
{
    world.cut_one_way(1, 3, true);
    if (GetParam() == Topology::star) world.cut_one_way(0, 3, true);
    const ObjectId object = create(at(1), THING, Body{});
    call_owner(at(3), object, WORD, Said{object, 1});
    steps(20);
    EXPECT_FALSE(exists(at(3), object));
    world.cut_one_way(1, 3, false);
    world.cut_one_way(0, 3, false);
    steps(60);
    EXPECT_EQ(numbers(1, EventKind::call), Numbers{1});
}

TEST_P(Calls, RequestsAreRepliedToOnce)
{
    const ObjectId object = thing(2);
    // Node 2 owns the object and node 0 is the host, so the last two ask themselves.
    const CallId ids[] = {request(at(3), id(1), WORD, Said{object, 1}),
                          request(at(3), PeerId::host, WORD, Said{object, 2}),
                          request_owner(at(3), object, WORD, Said{object, 3}),
                          request_owner(at(2), object, WORD, Said{object, 4}),
                          request(at(0), PeerId::host, WORD, Said{object, 5})};
    steps(60);
    EXPECT_EQ(numbers(1, EventKind::call), Numbers{1});
    EXPECT_EQ(numbers(0, EventKind::call), (Numbers{5, 2}));
    Numbers replied;
    for (const Heard &h : heard) {
        if (h.event.kind != EventKind::reply) continue;
        EXPECT_EQ(h.event.call.id, ids[-h.said.number - 1]);
        replied.push_back(-h.said.number);
    }
    std::sort(replied.begin(), replied.end());
    EXPECT_EQ(replied, (Numbers{1, 2, 3, 4, 5}));
    EXPECT_EQ(heard.size(), 10u);
    heard.clear();
    const Said again = {object, 9};
    // The caller drops a second reply.
    EXPECT_TRUE(reply(at(1), id(3), ids[0], WORD, &again, sizeof again));
    steps(30);
    EXPECT_TRUE(heard.empty());
}

TEST_P(Calls, RequestsFailInTimeOrWithWhoWasAsked)
{
    replies = false;
    const CallId silent = request(at(3), id(1), WORD, Said{ObjectId::none, 1}, 1000);
    const CallId orphaned = request(at(3), id(2), WORD, Said{ObjectId::none, 2}, 60'000);
    steps(10);
    world.nodes[2].crashed = true;
    steps(150);
    std::vector<CallId> failed;
    for (const Heard &h : heard) {
        if (h.event.kind != EventKind::call_failed) continue;
        failed.push_back(h.event.call.id);
        const bool timed_out = h.event.call.id == silent;
        EXPECT_EQ(h.event.call.failure, timed_out ? CallFailure::no_reply : CallFailure::lost);
    }
    EXPECT_EQ(failed, (std::vector{silent, orphaned}));
    EXPECT_EQ(request(at(3), id(2), WORD, Said{}), CallId::none); // Peer 2 is no member any more.
}

TEST_P(Calls, OfTheHostGoToTheNextOne)
{
    EXPECT_TRUE(call(at(3), PeerId::host, WORD, Said{ObjectId::none, 1}));
    EXPECT_TRUE(call(at(0), PeerId::host, WORD, Said{ObjectId::none, 2}));
    steps(30);
    EXPECT_EQ(numbers(0, EventKind::call), (Numbers{2, 1}));
    world.nodes[0].crashed = true;
    for (int i = 0; i < 300 && host_peer(at(3)) != PeerId::none; ++i)
        steps(1);
    ASSERT_EQ(host_peer(at(3)), PeerId::none);
    EXPECT_TRUE(call(at(3), PeerId::host, WORD, Said{ObjectId::none, 3})); // Waits for a host.
    steps(150);
    EXPECT_EQ(numbers(1, EventKind::call), Numbers{3});
    EXPECT_EQ(host_peer(at(3)), id(1));
}

TEST_P(Calls, AreRefusedToWhoMayNotMakeThem)
{
    const ObjectId object = thing(1);
    EXPECT_FALSE(call(at(3), id(2), HOSTS, Said{object, 1}));
    EXPECT_FALSE(call(at(3), id(2), OWNERS, Said{object, 2}));
    EXPECT_FALSE(call(at(3), PeerId::everyone, OWNERS, Said{ObjectId::none, 3}));
    EXPECT_EQ(call_owner(at(3), object, OWNERS, Said{object, 4}), CallId::none);
    EXPECT_EQ(session_stats(at(3)).refused_calls, 4u);
    EXPECT_TRUE(call(at(0), PeerId::everyone, HOSTS, Said{object, 5}));
    EXPECT_TRUE(call(at(1), PeerId::everyone, OWNERS, Said{object, 6}));
    EXPECT_TRUE(call(at(1), id(3), OWNERS, Said{object, 7}, Reliability::unreliable));
    steps(60);
    Numbers got = numbers(2, EventKind::call); // They come from two callers, in any order.
    std::sort(got.begin(), got.end());
    EXPECT_EQ(got, (Numbers{5, 6}));
    heard.clear();
    // The object migrates while the call is in flight. A receiver that has already received the
    // change of owner refuses the call, and its caller gets not_allowed.
    EXPECT_TRUE(migrate(at(0), object, id(2)));
    EXPECT_TRUE(call(at(1), PeerId::everyone, OWNERS, Said{object, 8}));
    steps(60);
    for (const Heard &h : heard)
        EXPECT_TRUE(h.node != 1 || h.event.call.failure == CallFailure::not_allowed);
}

TEST_P(Calls, AreCountedOutBeyondTheirLimit)
{
    int sent = 0;
    for (int32_t i = 0; i < 20; ++i)
        sent += call(at(3), id(1), FEW, Said{ObjectId::none, i});
    EXPECT_EQ(sent, 5);
    EXPECT_EQ(session_stats(at(3)).refused_calls, 15u);
    steps(31); // A second passes, so the limit allows five more.
    for (int32_t i = 0; i < 20; ++i)
        sent += call(at(3), id(1), FEW, Said{ObjectId::none, i});
    EXPECT_EQ(sent, 10);
    steps(30);
    EXPECT_EQ(numbers(1, EventKind::call).size(), 10u);
}

TEST_P(Calls, AReplyOfAnotherThanTheCalledIsDropped)
{
    replies = false;
    const CallId id_of_call = request(at(3), id(1), WORD, Said{ObjectId::none, 1});
    steps(20);
    ASSERT_EQ(numbers(1, EventKind::call), Numbers{1});
    const Said forged = {ObjectId::none, 66}, honest = {ObjectId::none, 2};
    EXPECT_TRUE(reply(at(2), id(3), id_of_call, WORD, &forged, sizeof forged));
    EXPECT_TRUE(call(at(2), id(3), WORD, Said{ObjectId::none, 3})); // Comes after the reply.
    steps(30);
    EXPECT_EQ(numbers(3, EventKind::call), Numbers{3});
    EXPECT_EQ(numbers(3, EventKind::reply), Numbers{});
    EXPECT_TRUE(reply(at(1), id(3), id_of_call, WORD, &honest, sizeof honest));
    steps(30);
    EXPECT_EQ(numbers(3, EventKind::reply), Numbers{2});
}

TEST_P(Calls, AnOutcomeOfAnotherThanTheCalledIsDropped)
{
    const ObjectId object = thing(1);
    world.cut_one_way(1, GetParam() == Topology::star ? 0 : 3, true);
    CallHead forged = {};
    forged.kind = CallKind::outcome;
    forged.type = WORD;
    forged.id = call_owner(at(3), object, WORD, Said{object, 1});
    forged.outcome = Outcome::dead;
    std::byte buffer[call_head_bytes_max];
    const size_t size = calls::write(at(2)->types, forged, nullptr, buffer);
    EXPECT_TRUE(session::queue_call(*at(2), id(3), std::span(buffer, size), Reliability::reliable));
    EXPECT_TRUE(call(at(2), id(3), WORD, Said{object, 3})); // Comes after the outcome.
    steps(20);
    EXPECT_EQ(numbers(3, EventKind::call), Numbers{3});
    world.cut_one_way(1, GetParam() == Topology::star ? 0 : 3, false);
    steps(60);
    EXPECT_EQ(numbers(1, EventKind::call), Numbers{1});
    EXPECT_EQ(numbers(3, EventKind::call_failed), Numbers{});
}

TEST_P(Calls, OfOneOwnerDoNotWaitForThoseOfAnother)
{
    const ObjectId object = thing(1);
    const auto unknown = static_cast<ObjectId>(0x1000000ff);
    EXPECT_NE(call_owner(at(3), unknown, WORD, Said{unknown, 1}), CallId::none);
    EXPECT_NE(call_owner(at(3), object, WORD, Said{object, 2}), CallId::none);
    steps(15);
    EXPECT_EQ(numbers(1, EventKind::call), Numbers{2});
    EXPECT_EQ(numbers(3, EventKind::call_failed), Numbers{}); // The first call still waits.
}

TEST_P(Calls, OfAnOwnerFailWhenTheirOwnTimeoutHasPassed)
{
    replies = false;
    const ObjectId object = thing(1);
    world.tick_us = 40'000;
    const CallId asked = request_owner(at(3), object, WORD, Said{object, 1}, 1000);
    steps(24);
    EXPECT_EQ(numbers(1, EventKind::call), Numbers{1});
    EXPECT_EQ(numbers(3, EventKind::call_failed), Numbers{});
    steps(1); // Exactly 1 s after the call.
    ASSERT_EQ(numbers(3, EventKind::call_failed), Numbers{1});
    EXPECT_EQ(heard.back().event.call.id, asked);
    EXPECT_EQ(heard.back().event.call.failure, CallFailure::no_reply);
}

// In a star the host has forwarded the call, so with the host it is lost as well.
TEST_P(Calls, AreLostAtOnceWithTheConnectionThatTookThem)
{
    replies = false;
    const PeerId to = GetParam() == Topology::star ? id(2) : id(0);
    EXPECT_NE(request(at(3), to, WORD, Said{ObjectId::none, 1}, 60'000), CallId::none);
    steps(20);
    world.nodes[0].crashed = true;
    int lost_at = 0, failed_at = 0;
    for (int tick = 1; tick <= 200; ++tick) {
        world.step();
        for (const Event &event : world.nodes[3].events) {
            if (event.kind == EventKind::host_lost) lost_at = tick;
            if (event.kind != EventKind::call_failed) continue;
            failed_at = tick;
            EXPECT_EQ(event.call.failure, CallFailure::lost);
        }
    }
    EXPECT_GT(lost_at, 0);
    EXPECT_GT(failed_at, 0);
    // In a star the next host must be found before it tells that the host is lost.
    EXPECT_LE(failed_at, lost_at + 1);
    EXPECT_LE(lost_at - failed_at, GetParam() == Topology::star ? 20 : 1);
}

// --- What the host of a star forwards ---

struct Forwarded : testing::Test {
    std::vector<Type> types = call_types();
    SimWorld world{56, {20, 20, 0, 0}};
    uint32_t count = 0;                 // Calls of node 1 that node 2 has got.
    std::vector<int32_t> of_the_others; // Numbers of the calls of node 3 that node 2 has got.

    void begin(uint32_t bytes_per_second, uint32_t host_sends)
    {
        world.config.types = types;
        world.config.topology = Topology::star;
        world.config.forward_bytes_per_second_max = bytes_per_second;
        for (int i = 0; i < 4; ++i) {
            world.config.send_bytes_per_second_max = i == 0 ? host_sends : 256 * 1024;
            world.add();
        }
        ASSERT_TRUE(world.step_until_open());
    }

    // Node 1 calls node 2 as often as it can, and node 3 calls it now and then.
    void flood(int steps, Reliability reliability)
    {
        for (int step = 0; step < steps; ++step) {
            for (int i = 0; i < 500; ++i)
                if (!call(session(1), id(2), WORD, Said{ObjectId::none, -1}, reliability)) break;
            if (step % 15 == 0) call(session(3), id(2), WORD, Said{ObjectId::none, step});
            world.step([&](size_t node, const std::vector<Event> &events) {
                for (const Event &event : events) {
                    if (node != 2 || event.kind != EventKind::call) continue;
                    count += event.call.peer == id(1);
                    if (event.call.peer == id(3))
                        of_the_others.push_back(call_arguments<Said>(event).number);
                }
            });
        }
    }

    void expect_rate(Reliability reliability)
    {
        flood(30, reliability); // Uses up what may come at once.
        const uint32_t before = count;
        flood(90, reliability);             // 3 s
        constexpr uint32_t call_bytes = 14; // With the 2 bytes of the route.
        EXPECT_NEAR((count - before) * call_bytes, 3 * 8192, 2048) << count - before;
        EXPECT_GE(of_the_others.size(), 3u);
    }

    Session *session(size_t node) { return world.nodes[node].session; }
    PeerId id(size_t node) { return local_peer(session(node)); }
};

TEST_F(Forwarded, NoMemberHasTheHostForwardMoreReliableCallsThanItsRate)
{
    begin(8192, 256 * 1024);
    expect_rate(Reliability::reliable);
}

TEST_F(Forwarded, NoMemberHasTheHostForwardMoreUnreliableCallsThanItsRate)
{
    begin(8192, 256 * 1024);
    expect_rate(Reliability::unreliable);
}

TEST_F(Forwarded, WhoCallsAllTheTimeLeavesRoomInTheQueueOfASlowMember)
{
    begin(64 * 1024, 4096);            // The host sends much less than it may forward.
    flood(900, Reliability::reliable); // 30 s, of which the queue holds 8.
    EXPECT_GT(count, 1000u);
    EXPECT_GE(of_the_others.size(), 35u) << "of 60";
}

TEST(CallsAlone, ToEveryoneSucceedAndToAnAbsentPeerDoNot)
{
    for (const Topology topology : {Topology::mesh, Topology::star}) {
        const std::vector<Type> types = call_types();
        SimWorld world(3);
        world.config.types = types;
        world.config.topology = topology;
        ASSERT_TRUE(world.open(1));
        Session *session = world.nodes[0].session;
        const Said said = {ObjectId::none, 1};
        EXPECT_TRUE(call(session, PeerId::everyone, WORD, said));
        EXPECT_TRUE(call(session, PeerId::everyone, WORD, said, Reliability::unreliable));
        EXPECT_FALSE(call(session, PeerId{2}, WORD, said));
    }
}

INSTANTIATE_TEST_SUITE_P(In, Calls, testing::Values(Topology::mesh, Topology::star),
                         [](const auto &in) {
                             return in.param == Topology::star ? "Star" : "Mesh";
                         });

}
}
