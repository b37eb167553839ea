#include "tern/diagnostics.hpp"
#include "tern/host.hpp"
#include "tern/invites.hpp"
#include "tern/prediction.hpp"
#include "tests/session/three_peers.h"
#include <algorithm>

using namespace tern;
using namespace tern::test;

TEST(Joining, ANewcomerGetsTheWorldAndCaughtUp)
{
    SimWorld world(1);
    world.add();
    const ObjectId id = create(world.nodes[0].session, BODY, Body{{1, 2, 3}, 7});
    world.add();
    bool caught_up = false, joined = false;
    for (int i = 0; i < 100; ++i) {
        world.step();
        caught_up = caught_up || has(world.nodes[1].events, EventKind::caught_up);
        joined = joined || has(world.nodes[0].events, EventKind::peer_joined);
    }
    EXPECT_TRUE(caught_up);
    EXPECT_TRUE(joined);
    Session *newcomer = world.nodes[1].session;
    ASSERT_EQ(session_state(newcomer), State::open);
    ASSERT_TRUE(exists(newcomer, id));
    EXPECT_EQ(get(newcomer, Object<Body>{id}).health, 7);
    EXPECT_EQ(object_owner(newcomer, id), host_peer(newcomer));
    EXPECT_EQ(local_peer(newcomer), static_cast<PeerId>(2));
}

TEST(Joining, NamesAndPayloadReachTheHostsGame)
{
    SimWorld world(2);
    world.config.admission = Admission::ask_game;
    world.add();
    world.config.name = "alice";
    Node &newcomer = world.place(world.config);
    const char payload[] = "let me in";
    join(newcomer.session, world.the_invite(), std::as_bytes(std::span(payload)));
    std::string asked;
    world.steps(100, [&](size_t node, const Event &event) {
        if (event.kind != EventKind::join_asked) return;
        asked = std::string(event.newcomer.name) + ": " +
                static_cast<const char *>(event.newcomer.payload);
        EXPECT_EQ(event.newcomer.payload_bytes, sizeof payload);
        admit(world.nodes[node].session, event.newcomer.peer);
    });
    EXPECT_EQ(asked, "alice: let me in");
    EXPECT_EQ(session_state(world.nodes[1].session), State::open);
    EXPECT_STREQ(peer_name(world.nodes[0].session, local_peer(world.nodes[1].session)), "alice");
}

TEST(Joining, TheHostsGameRefusesWithAReason)
{
    SimWorld world(3);
    world.config.admission = Admission::ask_game;
    world.add_all(2);
    world.steps(100, [&](size_t node, const Event &event) {
        if (event.kind == EventKind::join_asked)
            refuse(world.nodes[node].session, event.newcomer.peer, "no cheaters here");
    });
    EXPECT_EQ(session_state(world.nodes[1].session), State::refused_by_game);
    EXPECT_STREQ(state_text(world.nodes[1].session), "The host refused: no cheaters here");
    EXPECT_TRUE(other_peers(world.nodes[0].session).empty());
}

TEST(Joining, AnotherTypeTableIsRefusedAndTheDifferenceNamed)
{
    static const Field other_fields[] = {
        {"position", FieldKind::float32, offsetof(Body, position), 3, -100, 100, 0.02},
        {"health", FieldKind::int32, offsetof(Body, health), 1, 0, 100}};
    Type other_types[std::size(world_types)];
    std::copy(std::begin(world_types), std::end(world_types), other_types);
    other_types[BODY].fields = other_fields;
    SimWorld world(4);
    world.add();
    world.config.types = other_types;
    world.add();
    world.steps(100);
    EXPECT_EQ(session_state(world.nodes[1].session), State::refused_types);
    const std::string text = state_text(world.nodes[1].session);
    EXPECT_NE(text.find("body"), std::string::npos) << text;
    EXPECT_NE(text.find("position"), std::string::npos) << text;
    EXPECT_NE(text.find("0.02"), std::string::npos) << text;
}

TEST(Joining, AFullSessionRefuses)
{
    SimWorld world(5);
    world.config.peers_max = 2;
    ASSERT_TRUE(world.open(2));
    world.add();
    world.steps(100);
    EXPECT_EQ(session_state(world.nodes[2].session), State::refused_full);
    EXPECT_EQ(other_peers(world.nodes[0].session).size(), 1u);
}

TEST(Joining, AWrongSecretIsToldApartFromNoAnswer)
{
    SimWorld world(6);
    world.add();
    Invite wrong_secret = world.the_invite(), wrong_key = wrong_secret, wrong_session = wrong_key;
    wrong_secret.secret[0] ^= 1;
    wrong_key.key[0] ^= 1;
    wrong_session.session ^= 1;
    for (const Invite &invite : {wrong_secret, wrong_key, wrong_session})
        join(world.place(world.config).session, invite);
    world.steps(400);
    EXPECT_EQ(session_state(world.nodes[1].session), State::refused_secret);
    EXPECT_EQ(session_state(world.nodes[2].session), State::unreachable);
    EXPECT_EQ(session_state(world.nodes[3].session), State::unreachable);
    EXPECT_TRUE(other_peers(world.nodes[0].session).empty());
}

TEST(Joining, TheSecondAddressOfAnInviteIsTried)
{
    SimWorld world(7);
    world.add();
    world.add_by_last_address(2);
    ASSERT_TRUE(world.step_until_open(900));
}

TEST(Joining, WhoLosesItsWayBeforeTheWelcomeAsksAgainAndIsLetIn)
{
    SimWorld world(16, {20, 20, 0, 0});
    world.add();
    // Only the newcomer has this timeout, so it gives up the connection before the host does.
    world.config.timeout_ms = 1000;
    world.add();
    Session *host = world.nodes[0].session, *newcomer = world.nodes[1].session;
    while (other_peers(host).empty() && inspect::replica(host).members[1].id == PeerId::none)
        world.step();
    world.cut_one_way(0, 1, true);
    world.steps(36);
    world.cut_one_way(0, 1, false);
    ASSERT_TRUE(world.step_until_open());
    ASSERT_TRUE(world.step_until_converged()) << world.describe();
    EXPECT_EQ(breach_count(peer_stats(host, local_peer(newcomer))), 0u);
    // The host admits the newcomer a second time under the same id.
    EXPECT_EQ(local_peer(newcomer), static_cast<PeerId>(2));
}

TEST(Joining, WithoutAnAnswerItEndsAsUnreachable)
{
    SimWorld world(8);
    world.add_all(2);
    world.cut_one_way(0, 1, true);
    world.steps(500);
    EXPECT_EQ(session_state(world.nodes[1].session), State::unreachable);
}

TEST(Joining, WithoutAPathToAMemberItEndsAndSaysToWhom)
{
    SimWorld world(9);
    for (int i = 0; i < 3; ++i) {
        world.add();
        ASSERT_TRUE(world.step_until_open());
    }
    // Node 2 relays between the host and node 1, so the host cannot relay to node 1.
    world.cut(0, 1, true);
    world.steps(90);
    world.add();
    world.cut(3, 1, true);
    world.cut(3, 2, true);
    world.steps(600);
    EXPECT_EQ(session_state(world.nodes[3].session), State::unreachable);
    const std::string text = state_text(world.nodes[3].session);
    EXPECT_NE(text.find("peer 2"), std::string::npos) << text;
    for (size_t i = 0; i < 3; ++i)
        EXPECT_EQ(other_peers(world.nodes[i].session).size(), 2u); // The newcomer is removed again.
}

TEST(Joining, ARemovedPeerIsToldAndCannotComeBackWithItsKey)
{
    SimWorld world(10);
    ASSERT_TRUE(world.open(3));
    remove(world.nodes[0].session, local_peer(world.nodes[1].session));
    world.steps(100);
    EXPECT_EQ(session_state(world.nodes[1].session), State::removed);
    EXPECT_EQ(other_peers(world.nodes[0].session).size(), 1u);
    EXPECT_EQ(other_peers(world.nodes[2].session).size(), 1u);
    EXPECT_TRUE(world.converged());
}

TEST(Joining, ARemovedKeyIsRefusedAndAnotherIsNot)
{
    SimWorld world(14);
    ASSERT_TRUE(world.open(1));
    // Places a node whose keys follow from the number, and lets it join.
    const auto join_with_key = [&](uint8_t number) {
        const uint8_t seed[32] = {number};
        Node &node = world.place(world.config);
        destroy_session(node.session);
        node.session = inspect::make_seeded_session(world.config, seed);
        receive(node.session, {}, world.now_us);
        join(node.session, world.the_invite());
        world.steps(60);
        return world.nodes.back().session;
    };
    const Session *first = join_with_key(1);
    ASSERT_EQ(session_state(first), State::open);
    remove(world.nodes[0].session, local_peer(first));
    world.steps(100);
    EXPECT_EQ(session_state(first), State::removed);
    EXPECT_EQ(session_state(join_with_key(2)), State::open);
    const Session *again = join_with_key(1);
    EXPECT_EQ(session_state(again), State::refused_by_game);
    const std::string text = state_text(again);
    EXPECT_NE(text.find("this peer was removed from the session"), std::string::npos) << text;
    EXPECT_EQ(other_peers(world.nodes[0].session).size(), 1u);
}

TEST(Joining, WhoLeavesLosesNothingThatItHasSaid)
{
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        SimWorld world(seed, {20, 120, 0.2f, 0.05f});
        ASSERT_TRUE(world.open(3));
        Session *leaver = world.nodes[2].session;
        const ObjectId kept = create(leaver, BODY, Body{{1, 2, 3}, 4});
        const ObjectId dead = create(leaver, BODY, Body{});
        destroy(leaver, dead);
        leave(leaver);
        ASSERT_TRUE(world.step_until_converged());
        EXPECT_EQ(session_state(leaver), State::left);
        for (int i = 0; i < 2; ++i) {
            EXPECT_TRUE(exists(world.nodes[static_cast<size_t>(i)].session, kept));
            EXPECT_FALSE(exists(world.nodes[static_cast<size_t>(i)].session, dead));
        }
        EXPECT_EQ(object_owner(world.nodes[1].session, kept), local_peer(world.nodes[0].session))
            << "seed " << seed << "\n"
            << world.describe();
    }
}

TEST(Joining, TheNameOfWhoHasLeftIsStillKnown)
{
    for (const Topology topology : {Topology::mesh, Topology::star}) {
        SimWorld world(11);
        world.config.topology = topology;
        world.config.name = "Ada";
        ASSERT_TRUE(world.open(3));
        const PeerId leaver = local_peer(world.nodes[2].session);
        leave(world.nodes[2].session);
        size_t told = 0;
        world.steps(100, [&](size_t node, const Event &event) {
            if (event.kind != EventKind::peer_left) return;
            told += 1;
            EXPECT_STREQ(peer_name(world.nodes[node].session, event.peer), "Ada");
        });
        EXPECT_EQ(told, 2u);
        EXPECT_STREQ(peer_name(world.nodes[1].session, leaver), "Ada");
        EXPECT_STREQ(peer_name(world.nodes[1].session, PeerId{99}), "");
    }
}

TEST(Joining, WhenTheHostGoesTheOthersAreTold)
{
    SimWorld world(11);
    ASSERT_TRUE(world.open(2));
    leave(world.nodes[0].session);
    world.steps(100);
    EXPECT_EQ(session_state(world.nodes[0].session), State::left);
    EXPECT_EQ(session_state(world.nodes[1].session), State::open);
}

TEST(Joining, APrintedInviteIsReadBackAndMistakesAreNamed)
{
    SimWorld world(12);
    world.add();
    const Invite invite = world.the_invite();
    const InviteText text = to_text(invite);
    const ParsedInvite parsed = parse_invite(text.text);
    ASSERT_EQ(parsed.error, nullptr);
    EXPECT_EQ(std::memcmp(parsed.invite.key, invite.key, 32), 0);
    EXPECT_EQ(parsed.invite.session, invite.session);
    EXPECT_EQ(parsed.invite.addresses[0], invite.addresses[0]);
    EXPECT_NE(parse_invite("hello").error, nullptr);
    EXPECT_NE(parse_invite("tern1-").error, nullptr);
    EXPECT_NE(parse_invite("tern1-!!!").error, nullptr);
    std::string mangled = text.text;
    for (size_t i = 6; i < mangled.size(); ++i) {
        std::string other = mangled;
        other[i] = other[i] == 'A' ? 'B' : 'A';
        EXPECT_NE(parse_invite(other.c_str()).error, nullptr) << i;
        EXPECT_NE(parse_invite(mangled.substr(0, i).c_str()).error, nullptr) << i;
    }
    EXPECT_NE(parse_invite((mangled + "A").c_str()).error, nullptr);
}

TEST(Joining, AllKnowTheHostsClock)
{
    SimWorld world(13, {20, 60, 0.05f, 0});
    ASSERT_TRUE(world.open(3));
    world.steps(200);
    const uint64_t host_us = session_clock_us(world.nodes[0].session, world.now_us);
    for (size_t i = 1; i < 3; ++i) {
        const uint64_t here_us = session_clock_us(world.nodes[i].session, world.now_us);
        const int64_t error_us = static_cast<int64_t>(here_us - host_us);
        EXPECT_LT(std::abs(error_us), 60'000) << i;
    }
}

TEST(Joining, AllLearnTheNamesOfThoseThatJoin)
{
    SimWorld world(15);
    std::string joined[3]; // What each node learned, in order
    const auto add = [&](const char *name) {
        world.config.name = name;
        world.add();
        world.steps(60, [&](size_t node, const Event &event) {
            if (event.kind == EventKind::peer_joined)
                joined[node] +=
                    std::string(event.newcomer.name ? event.newcomer.name : "(none)") + " ";
        });
    };
    for (const char *name : {"ann", "bob", "cid"})
        add(name);
    EXPECT_EQ(joined[0], "bob cid ");
    EXPECT_EQ(joined[1], "cid ");
    EXPECT_STREQ(peer_name(world.nodes[2].session, local_peer(world.nodes[0].session)), "ann");
}
