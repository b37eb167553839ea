// The oracles of what leaves a peer: nobody is answered with more than it sent, and all that is
// handed to the network is charged.
#include "tern/limits.hpp"
#include "tests/sim/oracles/oracle_scene.h"

using namespace tern;
using namespace tern::test;

namespace {

struct Bytes {
    std::vector<std::byte> bytes;
    Bytes(uint8_t type, size_t size) : bytes(size) { bytes[0] = std::byte{type}; }
};

Bytes initiation(uint8_t id) // The id of the initiator's side is at 4.
{
    Bytes asks(1, 144);
    asks.bytes[4] = std::byte{id};
    return asks;
}

Bytes response_to(uint8_t id) // The id of the responder's side is at 4, the initiator's at 8.
{
    Bytes answers(2, 100);
    answers.bytes[4] = std::byte{99};
    answers.bytes[8] = std::byte{id};
    return answers;
}

}

// --- I10 ---

TEST(OracleAmplification, AtMostThreeTimesWhatCame)
{
    Scene scene(2);
    const Bytes asked(1, 144), answer(2, 300), data(4, 1200);
    const Address other = scene.nodes[1].address;
    scene.tick(1);                                                      // The peer exists.
    oracles::sent(scene.oracles, scene.nodes, 0, {other, asked.bytes}); // Sent without being asked.
    scene.tick(0);
    oracles::received_by(scene.oracles, scene.nodes, 0, {other, asked.bytes});
    oracles::sent(scene.oracles, scene.nodes, 0, {other, answer.bytes});
    scene.tick(0);
    EXPECT_TRUE(silent(scene));
    Scene tooMuch = scene;
    oracles::sent(tooMuch.oracles, tooMuch.nodes, 0, {other, answer.bytes});
    tooMuch.tick(0);
    EXPECT_TRUE(fired(tooMuch, "I10"));
    oracles::received_by(scene.oracles, scene.nodes, 0, {other, data.bytes});
    scene.notes(0, NoteKind::accepted, 3, 0, 2);
    scene.tick(0);
    for (int i = 0; i < 9; ++i)
        oracles::sent(scene.oracles, scene.nodes, 0, {other, data.bytes});
    scene.tick(0);
    EXPECT_TRUE(silent(scene));
}

TEST(OracleAmplification, WhoAnswersAnInitiationIsValidated)
{
    Scene scene(2);
    const Bytes asks = initiation(7), answers = response_to(7), data(4, 1200);
    const Address other = scene.nodes[1].address;
    oracles::sent(scene.oracles, scene.nodes, 0, {other, asks.bytes});
    oracles::received_by(scene.oracles, scene.nodes, 0, {other, answers.bytes});
    oracles::sent(scene.oracles, scene.nodes, 0, {other, data.bytes});
    scene.tick(0);
    EXPECT_TRUE(silent(scene));
    oracles::received_by(scene.oracles, scene.nodes, 1, {scene.nodes[0].address, answers.bytes});
    oracles::sent(scene.oracles, scene.nodes, 1, {scene.nodes[0].address, data.bytes});
    scene.tick(1); // Node 1 has sent no initiation.
    EXPECT_TRUE(fired(scene, "I10"));
}

TEST(OracleAmplification, AResponseValidatesTheAddressThatWasAskedWhereverItComesFrom)
{
    Scene scene(3);
    const Bytes answers = response_to(7), data(4, 1200);
    const Address first = scene.nodes[1].address, second = scene.nodes[2].address;
    const Bytes to_first = initiation(7), to_second = initiation(8);
    oracles::sent(scene.oracles, scene.nodes, 0, {first, to_first.bytes});
    oracles::sent(scene.oracles, scene.nodes, 0, {second, to_second.bytes});
    oracles::received_by(scene.oracles, scene.nodes, 0, {second, answers.bytes});
    scene.tick(0); // The socket is full: nothing is sent in this tick.
    oracles::sent(scene.oracles, scene.nodes, 0, {first, data.bytes});
    scene.tick(0);
    EXPECT_TRUE(silent(scene));
    oracles::sent(scene.oracles, scene.nodes, 0, {second, data.bytes});
    scene.tick(0);
    EXPECT_TRUE(fired(scene, "I10"));
}

TEST(OracleAmplification, AStrangerIsNeverValidated)
{
    Scene scene(2);
    const Bytes data(4, 100);
    Address stranger = {};
    stranger.port = 9;
    oracles::received_by(scene.oracles, scene.nodes, 0, {stranger, data.bytes});
    scene.notes(0, NoteKind::accepted, 3, 0, 2); // The packet came from another peer.
    scene.tick(0);
    for (int i = 0; i < 4; ++i)
        oracles::sent(scene.oracles, scene.nodes, 0, {stranger, data.bytes});
    scene.tick(0);
    EXPECT_TRUE(fired(scene, "I10"));
}

// --- I17 ---

TEST(OracleCharges, AllThatIsHandedOutIsChargedAndNothingElse)
{
    Scene scene(2);
    const Bytes first(4, 100), second(4, 50);
    const Datagram datagrams[] = {{{}, first.bytes}, {{}, second.bytes}};
    std::vector<TrafficRow> rows = {{TrafficKind::update, 1, 2, 1000, 1},
                                    {TrafficKind::header, no_type, no_field, 300, 1},
                                    {TrafficKind::unsent, no_type, no_field, -100, 0}};
    oracles::handed_out(scene.oracles, 1, datagrams, rows);
    EXPECT_TRUE(silent(scene));
    Scene another = scene, less = scene;
    rows[0].bits += 50 * 8; // The bits are totals since the session was made.
    oracles::handed_out(scene.oracles, 1, {&datagrams[1], 1}, rows);
    EXPECT_TRUE(silent(scene));
    oracles::peer_started(scene.oracles, scene.nodes, 1);
    oracles::handed_out(scene.oracles, 1, {}, {});
    EXPECT_TRUE(silent(scene));
    oracles::handed_out(another.oracles, 1, {}, rows);
    EXPECT_TRUE(fired(another, "I17"));
    rows = {{TrafficKind::update, 1, 2, 1201, 1}, {TrafficKind::header, no_type, no_field, -1, 1}};
    oracles::handed_out(less.oracles, 1, {}, rows);
    EXPECT_TRUE(fired(less, "I17"));
}
