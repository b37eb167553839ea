// Each oracle that checks every tick reports its violation, and is silent in a correct run.
#include "tests/sim/oracles/oracle_scene.h"

using namespace tern;
using namespace tern::test;

namespace {

const ObjectId thing = object(2, 1);

// Peer 2 creates the object and all receive it; peer 3 is granted it and writes; all receive that.
Scene well_played()
{
    Scene scene(3);
    scene.creates(1, thing);
    scene.shows(0, thing, 0, peer(2), written(0, 1, 2));
    scene.shows(2, thing, 0, peer(2), written(0, 1, 2));
    scene.shows(1, thing, 0, peer(2), written(0, 2, 2));
    scene.shows(0, thing, 0, peer(2), written(0, 2, 2));
    scene.grants(stamp(1), 3, {thing});
    scene.shows(2, thing, stamp(1), peer(3), written(0, 1, 2));
    scene.shows(2, thing, stamp(1), peer(3), written(stamp(1), 1, 3));
    scene.shows(0, thing, stamp(1), peer(3), written(0, 1, 2));
    scene.shows(1, thing, stamp(1), peer(3), written(stamp(1), 1, 3));
    scene.shows(0, thing, stamp(1), peer(3), written(stamp(1), 1, 3));
    return scene;
}

}

TEST(Oracles, AreSilentWhereAllIsWell)
{
    Scene scene = well_played();
    EXPECT_TRUE(silent(scene));
    scene.shows(2, thing, stamp(1), peer(3), written(stamp(1), 1, 3), Life::destroyed);
    scene.gone(2, thing);
    scene.shows(0, thing, stamp(1), peer(3), {}, Life::dying);
    scene.gone(0, thing);
    scene.shows(1, thing, stamp(1), peer(3), {}, Life::dying);
    scene.gone(1, thing);
    EXPECT_TRUE(silent(scene));
}

TEST(Oracles, TheFirstViolationIsKept)
{
    Scene scene(2);
    scene.shows(1, object(1, 1), 0, peer(1), written(0, 1, 1));
    const std::string first = scene.violation().text;
    scene.shows(1, object(1, 2), 0, peer(1), written(0, 1, 1));
    EXPECT_EQ(scene.violation().text, first);
    EXPECT_EQ(scene.violation().object, object(1, 1));
    EXPECT_EQ(scene.violation().lane, 1);
}

// --- I1 ---

TEST(OracleTenures, OneStampWithTwoOwners)
{
    Scene scene = well_played();
    scene.oracles.ledger.grants.clear();
    scene.grants(stamp(2), 1, {thing});
    scene.shows(0, thing, stamp(2), peer(1), written(stamp(1), 1, 3));
    EXPECT_TRUE(silent(scene));
    scene.shows(1, thing, stamp(2), peer(2), written(stamp(1), 1, 3));
    EXPECT_TRUE(fired(scene, "I1"));
}

TEST(OracleTenures, OneStampForTwoGrants)
{
    Scene scene = well_played();
    scene.grants(stamp(1), 1, {object(2, 7)});
    EXPECT_TRUE(silent(scene));
    scene.creates(1, object(2, 7));
    scene.shows(0, object(2, 7), stamp(1), peer(1), written(0, 1, 2));
    EXPECT_TRUE(fired(scene, "I1"));
}

// --- I2 ---

TEST(OracleStamps, AStampThatDecreases)
{
    Scene scene = well_played();
    scene.shows(0, thing, 0, peer(2), written(0, 2, 2));
    EXPECT_TRUE(fired(scene, "I2"));
}

// --- I3 ---

TEST(OracleDead, AGhost)
{
    Scene scene = well_played();
    scene.shows(2, thing, stamp(1), peer(3), {}, Life::destroyed);
    scene.shows(0, thing, stamp(1), peer(3), {}, Life::dying);
    scene.gone(0, thing);
    EXPECT_TRUE(silent(scene));
    scene.shows(0, thing, stamp(1), peer(3), written(stamp(1), 1, 3));
    EXPECT_TRUE(fired(scene, "I3"));
}

TEST(OracleDead, AGhostOfWhatWasNeverAliveHere)
{
    Scene scene(2);
    scene.creates(0, object(1, 1));
    scene.shows(0, object(1, 1), 0, peer(1), {}, Life::destroyed);
    scene.notes(1, NoteKind::received, 5, 1, 1, MessageKind::destroy, object(1, 1));
    scene.notes(0, NoteKind::queued, 5, 1, 2, MessageKind::destroy, object(1, 1));
    scene.tick(0);
    scene.tick(1);
    EXPECT_TRUE(silent(scene));
    scene.shows(1, object(1, 1), 0, peer(1), written(0, 1, 1));
    EXPECT_TRUE(fired(scene, "I3"));
}

TEST(OracleDead, ADestroyThatIsHeardAndNotHeeded)
{
    Scene scene = well_played();
    scene.shows(2, thing, stamp(1), peer(3), {}, Life::destroyed);
    scene.notes(2, NoteKind::queued, 5, 1, 1, MessageKind::destroy, thing);
    scene.tick(2);
    scene.notes(0, NoteKind::received, 5, 1, 3, MessageKind::destroy, thing);
    scene.tick(0);
    EXPECT_TRUE(fired(scene, "I3"));
}

TEST(OracleDead, AnObjectThatVanishes)
{
    Scene scene = well_played();
    scene.gone(0, thing);
    EXPECT_TRUE(fired(scene, "I3"));
}

TEST(OracleDead, ASlotThatIsUsedAgainIsNoGhost)
{
    Scene scene(2);
    scene.creates(0, object(1, 1));
    scene.shows(0, object(1, 1), 0, peer(1), {}, Life::destroyed);
    KnownObject before = {}, after = {};
    before.id = object(1, 1);
    before.life = Life::destroyed;
    before.owner = after.owner = peer(1);
    after.id = object(1, 2);
    after.life = Life::alive;
    scene.nodes[0].changes.push_back({after.id, before, after, true, written(0, 1, 1)});
    scene.tick(0);
    scene.shows(1, object(1, 2), 0, peer(1), written(0, 1, 1));
    EXPECT_TRUE(silent(scene));
}

// --- I4 ---

TEST(OracleValues, AWriteOfAFormerTenure)
{
    Scene scene = well_played();
    scene.shows(0, thing, stamp(1), peer(3), written(0, 2, 2));
    EXPECT_TRUE(fired(scene, "I5")); // The sequence of writes also goes backwards.
    Scene other = well_played();
    other.nodes.push_back(other.nodes[2]);
    other.nodes[3].self = peer(4);
    other.shows(3, thing, stamp(1), peer(3), written(0, 2, 2));
    EXPECT_TRUE(fired(other, "I4"));
}

TEST(OracleValues, AMixtureOfTwoWrites)
{
    Scene scene = well_played();
    scene.shows(2, thing, stamp(1), peer(3), written(stamp(1), 2, 3));
    Written mixed = written(stamp(1), 2, 3);
    mixed.health = written(stamp(1), 1, 3).health;
    scene.shows(0, thing, stamp(1), peer(3), mixed);
    EXPECT_TRUE(fired(scene, "I4"));
}

TEST(OracleValues, AWriteThatItsOwnerHasNotMade)
{
    Scene scene = well_played();
    scene.shows(0, thing, stamp(1), peer(3), written(stamp(1), 2, 3));
    EXPECT_TRUE(fired(scene, "I4"));
}

TEST(OracleValues, ATenureThatBeginsWithLessThanItsOwnerHad)
{
    Scene scene = well_played();
    scene.grants(stamp(2), 2, {thing});
    scene.shows(1, thing, stamp(2), peer(2), written(0, 2, 2));
    EXPECT_TRUE(fired(scene, "I4"));
}

TEST(OracleValues, ATenureThatBeginsWithWhatNobodyWrote)
{
    Scene scene = well_played();
    scene.grants(stamp(2), 1, {thing});
    scene.shows(0, thing, stamp(2), peer(1), written(stamp(1), 9, 3));
    EXPECT_TRUE(fired(scene, "I4"));
}

// --- I5 ---

TEST(OracleSequence, AnOlderWriteOfTheSameTenure)
{
    Scene scene = well_played();
    scene.shows(2, thing, stamp(1), peer(3), written(stamp(1), 2, 3));
    scene.shows(0, thing, stamp(1), peer(3), written(stamp(1), 2, 3));
    EXPECT_TRUE(silent(scene));
    scene.shows(0, thing, stamp(1), peer(3), written(stamp(1), 1, 3));
    EXPECT_TRUE(fired(scene, "I5"));
}

// --- I6 ---

TEST(OracleAuthority, AnObjectThatNobodyMade)
{
    Scene scene(2);
    scene.shows(1, object(1, 1), 0, peer(1), written(0, 1, 1));
    EXPECT_TRUE(fired(scene, "I6"));
}

TEST(OracleAuthority, ATenureThatWasNotGranted)
{
    Scene scene = well_played();
    scene.shows(0, thing, stamp(2), peer(1), written(stamp(1), 1, 3));
    EXPECT_TRUE(fired(scene, "I6"));
}

TEST(OracleAuthority, ATenureThatWasGrantedToAnother)
{
    Scene scene = well_played();
    scene.grants(stamp(2), 1, {thing});
    scene.shows(1, thing, stamp(2), peer(2), written(stamp(1), 1, 3));
    EXPECT_TRUE(fired(scene, "I6"));
}

TEST(OracleAuthority, AnHonestPeerThatIsFoundToForge)
{
    for (const Verdict verdict : {Verdict::forged, Verdict::malformed}) {
        Scene scene = well_played();
        scene.notes(2, NoteKind::queued, 5, 1, 1, MessageKind::claim, thing);
        scene.tick(2);
        scene.notes(0, NoteKind::received, 5, 1, 3, MessageKind::claim, thing);
        scene.nodes[0].notes.back().verdict = static_cast<uint8_t>(verdict);
        scene.tick(0);
        EXPECT_TRUE(fired(scene, "I6"));
    }
}

TEST(OracleAuthority, AGrantOfAnotherObject)
{
    Scene scene = well_played();
    scene.grants(stamp(2), 1, {object(2, 9)});
    scene.shows(0, thing, stamp(2), peer(1), written(stamp(1), 1, 3));
    EXPECT_TRUE(fired(scene, "I6"));
}

TEST(OracleAuthority, ADeathThatNobodyDecided)
{
    Scene scene = well_played();
    scene.shows(0, thing, stamp(1), peer(3), {}, Life::dying);
    EXPECT_TRUE(fired(scene, "I6"));
}

TEST(OracleAuthority, TheHostDestroysAnOrphanByItsType)
{
    Scene scene(3);
    KnownObject made = {}, orphan = {};
    made.id = orphan.id = object(3, 1);
    made.type = orphan.type = MORTAL;
    made.owner = peer(3);
    made.life = Life::alive;
    scene.nodes[2].changes.push_back({made.id, {}, made, true, written(0, 1, 3)});
    scene.tick(2);
    scene.nodes[0].changes.push_back({made.id, {}, made, true, written(0, 1, 3)});
    scene.tick(0);
    EXPECT_TRUE(silent(scene));
    Step step = {made.id, made, orphan, false, {}};
    step.after.owner = peer(1);
    step.after.stamp = stamp(1);
    step.after.life = Life::dying;
    ledger::record(scene.oracles.ledger, peer(1), peer(1), step);
    EXPECT_EQ(ledger::find(scene.oracles.ledger, made.id)->destroyed_by, peer(1));
}

// --- I7 ---

TEST(OracleCalls, InOrderAndNoneLeftOut)
{
    Scene scene(3);
    for (uint32_t i = 1; i <= 4; ++i)
        scene.plays(1, false, 2, 3, i);
    scene.plays(2, true, 2, 3, 1);
    scene.plays(2, true, 2, 3, 2);
    EXPECT_TRUE(silent(scene));
    Scene twice = scene, late = scene, early = scene;
    twice.plays(2, true, 2, 3, 2);
    EXPECT_TRUE(fired(twice, "I7"));
    late.plays(2, true, 2, 3, 1);
    EXPECT_TRUE(fired(late, "I7"));
    early.plays(2, true, 2, 3, 5);
    EXPECT_TRUE(fired(early, "I7"));
}

TEST(OracleCalls, AGapIsForANewConnectionOfTwoThatAreNotTheHost)
{
    Scene scene(3);
    for (uint32_t i = 1; i <= 9; ++i)
        scene.plays(1, false, 2, 3, i);
    scene.notes(2, NoteKind::accepted, 11, 0, 2);
    scene.plays(2, true, 2, 3, 1);
    Scene gap = scene;
    gap.plays(2, true, 2, 3, 3);
    EXPECT_TRUE(fired(gap, "I7"));
    scene.notes(2, NoteKind::accepted, 12, 0, 2);
    scene.plays(2, true, 2, 3, 3);
    EXPECT_TRUE(silent(scene));
    scene.plays(2, true, 2, 3, 5); // The last one may have come just before the new connection.
    EXPECT_TRUE(silent(scene));
    scene.plays(2, true, 2, 3, 7);
    EXPECT_TRUE(fired(scene, "I7"));
}

TEST(OracleCalls, AnUnreliableOneIsHeardOnce)
{
    Scene scene(2);
    scene.plays(0, false, 1, 2, 1, false);
    scene.plays(1, true, 1, 2, 9, false);
    scene.plays(1, true, 1, 2, 7, false);
    EXPECT_TRUE(silent(scene));
    scene.plays(1, true, 1, 2, 9, false);
    EXPECT_TRUE(fired(scene, "I7"));
}

TEST(OracleCalls, AnEventNamesTheCaller)
{
    Scene scene(3);
    scene.plays(1, false, 2, 3, 1);
    Numbered call = {};
    call.from = peer(2);
    call.to = peer(3);
    call.sequence = 1;
    call.reliable = true;
    scene.nodes[2].calls.push_back({call, true, peer(1)});
    scene.tick(2);
    EXPECT_TRUE(fired(scene, "I7"));
}

TEST(OracleAsks, AReplyNamesAPeerThatHeardTheRequest)
{
    Scene scene(3);
    PlayedAsk ask = {};
    ask.what = PlayedAsk::What::said;
    ask.ask = Ask::request;
    ask.numbered.from = peer(2);
    ask.numbered.to = peer(3);
    ask.numbered.sequence = 1;
    ask.id = static_cast<CallId>(7);
    scene.nodes[1].asks = {ask};
    scene.tick(1);
    ask.what = PlayedAsk::What::heard;
    ask.peer = peer(2);
    scene.nodes[2].asks = {ask};
    scene.tick(2);
    EXPECT_TRUE(silent(scene));
    scene.nodes[2].asks.clear();
    ask.what = PlayedAsk::What::replied;
    ask.peer = peer(1);
    scene.nodes[1].asks = {ask};
    scene.tick(1);
    EXPECT_TRUE(fired(scene, "I16"));
}

TEST(OracleStreams, APrefixOfWhatWasSaid)
{
    Scene scene(2);
    const ObjectId first = object(1, 1), second = object(1, 2);
    scene.notes(0, NoteKind::queued, 5, 1, 2, MessageKind::view);
    scene.notes(0, NoteKind::queued, 5, 2, 2, MessageKind::migrate, first);
    scene.notes(0, NoteKind::queued, 5, 2, 2, MessageKind::migrate, second);
    scene.notes(0, NoteKind::queued, 5, 3, 2, MessageKind::create, first);
    scene.notes(0, NoteKind::queued, 6, 1, 2, MessageKind::view);
    scene.tick(0);
    scene.notes(1, NoteKind::received, 5, 1, 1, MessageKind::view);
    scene.notes(1, NoteKind::received, 5, 2, 1, MessageKind::migrate, first);
    scene.notes(1, NoteKind::received, 5, 2, 1, MessageKind::migrate, second);
    scene.notes(1, NoteKind::received, 6, 1, 1, MessageKind::view);
    scene.tick(1);
    EXPECT_TRUE(silent(scene));
    Scene twice = scene, another = scene;
    twice.notes(1, NoteKind::received, 5, 2, 1, MessageKind::migrate, second);
    twice.tick(1);
    EXPECT_TRUE(fired(twice, "I7"));
    another.notes(1, NoteKind::received, 5, 3, 1, MessageKind::create, second);
    another.tick(1);
    EXPECT_TRUE(fired(another, "I7"));
    scene.notes(1, NoteKind::received, 5, 3, 1, MessageKind::create, first);
    scene.tick(1);
    EXPECT_TRUE(silent(scene));
    scene.notes(1, NoteKind::received, 5, 4, 1, MessageKind::view);
    scene.tick(1);
    EXPECT_TRUE(fired(scene, "I7"));
}

// --- I9 ---

TEST(OraclePackets, ANumberIsSealedOnceAndAcceptedOnce)
{
    Scene scene(2);
    for (uint64_t number : {0u, 1u, 2u})
        scene.notes(0, NoteKind::sealed, 7, number, 2);
    for (uint64_t number : {2u, 0u, 900u})
        scene.notes(0, NoteKind::accepted, 7, number, 2);
    scene.notes(0, NoteKind::sealed, 8, 0, 2);
    scene.tick(0);
    EXPECT_TRUE(silent(scene));
    Scene other = scene;
    scene.notes(0, NoteKind::sealed, 7, 2, 2);
    scene.tick(0);
    EXPECT_TRUE(fired(scene, "I9"));
    other.notes(0, NoteKind::accepted, 7, 900, 2);
    other.tick(0);
    EXPECT_TRUE(fired(other, "I9"));
}

// --- I11 ---

TEST(OracleAllocations, OneIsTooMany)
{
    Scene scene(1);
    uint64_t count = 10;
    oracles::work_begins(scene.oracles);
    count += 1;
    oracles::work_ends(scene.oracles, 0);
    EXPECT_TRUE(silent(scene)); // No counter is set.
    scene.oracles.allocation_count = &count;
    oracles::work_begins(scene.oracles);
    oracles::work_ends(scene.oracles, 0);
    EXPECT_TRUE(silent(scene));
    oracles::work_begins(scene.oracles);
    count += 1;
    oracles::work_ends(scene.oracles, 0);
    EXPECT_TRUE(fired(scene, "I11"));
}

// --- I14 ---

static Event answer(EventKind kind)
{
    Event event = {};
    event.kind = kind;
    event.claim.object = thing;
    return event;
}

TEST(OracleClaims, AnAnswerToWhatWasNotClaimed)
{
    Scene scene = well_played();
    scene.nodes[2].events = {answer(EventKind::claim_refused)};
    scene.tick(2);
    EXPECT_TRUE(fired(scene, "I14"));
}

TEST(OracleClaims, ASecondAnswer)
{
    Scene scene = well_played();
    scene.nodes[2].claims = {{thing, 0}};
    scene.tick(2);
    scene.nodes[2].claims.clear();
    scene.nodes[2].events = {answer(EventKind::claim_granted)};
    scene.tick(2);
    EXPECT_TRUE(silent(scene));
    scene.tick(2); // A second answer to the same claim.
    EXPECT_TRUE(fired(scene, "I14"));
}

// --- Values that are set before a grant (optimistic claims) ---

TEST(OracleValues, AHopeThatAnotherShowsBeforeItIsGranted)
{
    Scene scene(3);
    scene.creates(1, thing);
    scene.shows(0, thing, 0, peer(2), written(hoped(peer(3), 1), 1, 3));
    EXPECT_TRUE(fired(scene, "I4"));
}

TEST(OracleValues, AHopeWithWhichATenureBegins)
{
    Scene scene = well_played();
    const Written hope = written(hoped(peer(2), 1), 1, 2);
    scene.grants(stamp(2), 2, {thing});
    scene.shows(1, thing, stamp(2), peer(2), hope);
    scene.shows(0, thing, stamp(2), peer(2), hope);
    EXPECT_TRUE(silent(scene));
}

TEST(OracleValues, AHopeOfAnotherWithWhichATenureBegins)
{
    Scene scene = well_played();
    scene.grants(stamp(2), 2, {thing});
    scene.shows(1, thing, stamp(2), peer(2), written(hoped(peer(3), 1), 1, 3));
    EXPECT_TRUE(fired(scene, "I4"));
}
