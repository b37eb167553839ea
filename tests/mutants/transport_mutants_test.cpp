// Simple models of the transport, and sessions over a bad network, find every mutant of the
// transport.
#include "sim/mutants/mutant.h"
#include "tern/calls.hpp"
#include "tern/untyped.hpp"
#include "tests/session/sim_world.h"
#include "tests/transport/connection/connection_pair.h"
#include "transport/connection/replay_window.h"
#include <gtest/gtest.h>

namespace tern {

using connection_test::Bytes;
using test::SimWorld;

struct TransportMutants : ::testing::Test {
    void TearDown() override { mutant = Mutant::none; }
};

// --- Sessions: three peers that play without pause, then ten seconds without changes ---

// A game that checks its events: every call arrives once and in order, and in the end all peers
// have the same world.
struct Trial {
    SimWorld world;
    // The numbers of reliable calls: those sent, by sender; those received, by receiver and sender.
    uint32_t said[3] = {}, heard[3][3] = {};
    bool calls_in_order = true;
    Trial(uint64_t seed, float loss) : world(seed, {20, 120, loss, 0.05f}) { world.add_all(3); }
};

static size_t place(PeerId peer)
{
    return static_cast<size_t>(peer) - 1;
}

static void hear(Trial &trial, PeerId self, const Event &event)
{
    const auto &hit = *static_cast<const test::Hit *>(event.call.arguments);
    if (hit.damage == 0) return; // An unreliable call
    uint32_t &heard = trial.heard[place(self)][place(event.call.peer)];
    trial.calls_in_order = trial.calls_in_order && hit.damage == static_cast<int32_t>(heard + 1);
    heard += 1;
}

static void play(Trial &trial, Session *session, bool flood)
{
    if (session_state(session) != State::open) return;
    Random &random = trial.world.random;
    if (object_ids(session, test::BODY).size() < 50 && random::chance(random, 0.1))
        for (int n = 0; n < 8; ++n)
            create(session, test::BODY, test::Body{{1, 2, 3}, 50});
    for (const ObjectId id : object_ids(session, test::BODY)) {
        if (object_owner(session, id) != local_peer(session) || !exists(session, id)) continue;
        if (random::chance(random, 0.01)) {
            destroy(session, id);
        } else if (random::chance(random, 0.3)) {
            test::Body body = get(session, Object<test::Body>{id});
            body.position[0] = static_cast<float>(random::unit(random));
            if (random::chance(random, 0.3)) body.health = (body.health + 1) % 100;
            set(session, Object<test::Body>{id}, body);
        }
    }
    uint32_t &said = trial.said[place(local_peer(session))];
    const test::Hit hit = {ObjectId::none, static_cast<int32_t>(said + 1)};
    if (random::chance(random, 0.3) && other_peers(session).size() == 2 &&
        call(session, PeerId::everyone, test::HIT, hit))
        said += 1;
    for (int n = 0; flood && n < 500; ++n)
        call(session, PeerId::everyone, test::HIT, test::Hit{}, Reliability::unreliable);
}

// From time to time the second peer sleeps while the others flood it with unreliable calls. The
// flood starts earlier, so their congestion windows are wide by then.
static void step(Trial &trial, uint32_t number, bool peace)
{
    SimWorld &world = trial.world;
    const bool flood = number % 100 >= 30;
    const bool asleep = !peace && number % 100 >= 80;
    world.pass_tick_time();
    for (size_t i = 0; i < 3; ++i) {
        if (i == 1 && asleep) continue;
        test::Node &node = world.nodes[i];
        for (const Event &event : receive(node.session, node.socket->receive(), world.now_us))
            if (event.kind == EventKind::call) hear(trial, local_peer(node.session), event);
        if (!peace) play(trial, node.session, flood);
        node.socket->send(send(node.session, world.now_us));
    }
}

static bool ends_well(uint64_t seed, float loss)
{
    Trial trial(seed, loss);
    if (!trial.world.step_until_open()) return false;
    for (uint32_t number = 0; number < 300; ++number)
        step(trial, number, false);
    for (uint32_t number = 0; number < 300; ++number)
        step(trial, number, true);
    bool all_heard = true;
    for (size_t at = 0; at < 3; ++at)
        for (size_t from = 0; from < 3; ++from)
            all_heard = all_heard && (at == from || trial.heard[at][from] == trial.said[from]);
    return trial.calls_in_order && all_heard && trial.world.converged();
}

// How many of the first `seeds` seeds end badly. Stops after `enough` bad ones.
static int bad_ends(int seeds, int enough, float loss = 0.2f)
{
    int bad = 0;
    int seed = 1;
    for (; seed <= seeds && bad < enough; ++seed)
        bad += !ends_well(static_cast<uint64_t>(seed), loss);
    std::printf("%d of %d seeds end badly\n", bad, seed - 1);
    return bad;
}

TEST_F(TransportMutants, WithAllRulesEverySeedEndsWell)
{
    EXPECT_EQ(bad_ends(10, 1), 0);
}

TEST_F(TransportMutants, APacketThatIsAckedAndNotAppliedDiverges)
{
    mutant = Mutant::acked_though_not_applied;
    // With more loss the congestion windows stay too small for a flood.
    EXPECT_GT(bad_ends(100, 5, 0.02f), 0);
}

TEST_F(TransportMutants, ALossThatNobodyIsToldOfDiverges)
{
    mutant = Mutant::loss_not_reported;
    EXPECT_GT(bad_ends(100, 5), 0);
}

TEST_F(TransportMutants, BytesFromBehindAGapEndTheSession)
{
    mutant = Mutant::stream_skips_a_gap;
    EXPECT_GT(bad_ends(100, 5), 0);
}

TEST_F(TransportMutants, ACallThatWasSentTwiceIsHeardTwice)
{
    mutant = Mutant::call_delivered_twice;
    EXPECT_GT(bad_ends(100, 5), 0);
}

// --- Sessions: bursts of objects whose CREATEs fill several packets, with changes to each ---

static void set_some_names(SimWorld &world, Session *session, int tick)
{
    for (const ObjectId id : object_ids(session, test::NAME)) {
        if (!exists(session, id) || !random::chance(world.random, 0.1)) continue;
        test::Name name = {};
        std::snprintf(name.text, sizeof name.text, "tick %d", tick);
        set(session, Object<test::Name>{id}, name);
    }
}

static bool bursts_end_well(uint64_t seed)
{
    SimWorld world(seed, {20, 120, 0.3f, 0});
    world.add_all(2);
    if (!world.step_until_open()) return false;
    Session *session = world.nodes[0].session;
    for (int burst = 0; burst < 20; ++burst) {
        for (int i = 0; i < 64; ++i)
            create(session, test::NAME, test::Name{"a name of 15 by"});
        for (int tick = 0; tick < 20; ++tick) {
            set_some_names(world, session, tick);
            world.step();
        }
        if (!world.step_until_converged(200)) return false;
        for (const ObjectId id : object_ids(session, test::NAME))
            destroy(session, id);
        world.step();
    }
    return true;
}

TEST_F(TransportMutants, AMessageThatCountsAsAckedWithItsFirstByteDiverges)
{
    EXPECT_TRUE(bursts_end_well(1));
    mutant = Mutant::acked_before_complete;
    int well = 0;
    for (uint64_t seed = 1; seed <= 10; ++seed)
        well += bursts_end_well(seed);
    std::printf("%d of 10 seeds end badly\n", 10 - well);
    EXPECT_LT(well, 10);
}

// --- Connections: a stream delivers exactly the queued messages ---

// True if side 1 receives the messages of side 0, each once and in order.
static bool stream_is_whole(uint64_t seed)
{
    connection_test::Pair pair(seed);
    pair.network.loss = 0.2;
    pair.network.jitter_us = 60'000;
    uint32_t said = 0, heard = 0;
    bool right = true;
    for (int i = 0; i < 400; ++i) {
        if (i < 200 && connection::queue_message(*pair.side[0], StreamId::calls,
                                                 connection_test::numbered(said, 20)))
            said += 1;
        pair.tick();
        for (;;) {
            const auto message = connection::peek_message(*pair.side[1], StreamId::calls);
            if (message.empty()) break;
            const Bytes expected = connection_test::numbered(heard, 20);
            right = right &&
                    std::equal(message.begin(), message.end(), expected.begin(), expected.end());
            heard += 1;
            connection::consume_message(*pair.side[1], StreamId::calls);
        }
    }
    return right && heard == said;
}

TEST_F(TransportMutants, TheStreamModelSeesEachOfThem)
{
    EXPECT_TRUE(stream_is_whole(1));
    for (const Mutant one :
         {Mutant::stream_skips_a_gap, Mutant::call_delivered_twice, Mutant::loss_not_reported}) {
        mutant = one;
        int whole = 0;
        for (uint64_t seed = 1; seed <= 10; ++seed)
            whole += stream_is_whole(seed);
        EXPECT_LT(whole, 10) << mutant_texts[static_cast<size_t>(one)].name;
    }
}

// --- Packet numbers ---

// After every number up to `newest` has passed, none of them passes again, on either side of the
// window's end.
static bool none_passes_twice()
{
    ReplayWindow window = {};
    const uint64_t newest = 3 * replay_window_packets;
    for (uint64_t number = 0; number <= newest; ++number)
        replay_window::set(window, number);
    for (uint64_t number = 0; number <= newest; ++number)
        if (replay_window::is_new(window, number)) return false;
    return true;
}

TEST_F(TransportMutants, TheOldestPacketOfTheWindowPassesTwice)
{
    EXPECT_TRUE(none_passes_twice());
    mutant = Mutant::replay_window_off_by_one;
    EXPECT_FALSE(none_passes_twice());
}

// Opens every datagram of side 0 with only the key and the number, as docs/wire_format.md defines
// the nonce. Returns false if one does not open.
static bool each_nonce_is_its_number()
{
    connection_test::Pair pair;
    for (int i = 0; i < 1100; ++i) {
        connection::queue_message(*pair.side[0], StreamId::calls, connection_test::numbered(0, 20));
        pair.tick();
        while (!connection::peek_message(*pair.side[1], StreamId::calls).empty())
            connection::consume_message(*pair.side[1], StreamId::calls);
    }
    uint64_t number = 0;
    for (const connection_test::Sent &sent : pair.log) {
        if (sent.to != 1) continue;
        uint8_t key[32];
        for (size_t i = 0; i < 32; ++i)
            key[i] = static_cast<uint8_t>(i);
        unsigned char nonce[12] = {};
        std::memcpy(nonce + 4, &number, 8);
        Bytes plain(sent.bytes.size());
        const auto *at = reinterpret_cast<const unsigned char *>(sent.bytes.data());
        if (crypto_aead_chacha20poly1305_ietf_decrypt(
                reinterpret_cast<unsigned char *>(plain.data()), nullptr, nullptr,
                at + data_header_bytes, sent.bytes.size() - data_header_bytes, at,
                data_header_bytes, nonce, key) != 0)
            return false;
        number += 1;
    }
    return number > 1000;
}

TEST_F(TransportMutants, ANonceComesTwice)
{
    EXPECT_TRUE(each_nonce_is_its_number());
    mutant = Mutant::nonce_reset;
    EXPECT_FALSE(each_nonce_is_its_number());
}

}
