#include "tern/diagnostics.hpp"
#include "tern/ownership.hpp"
#include "tern/untyped.hpp"
#include "tests/host/http/live_board.h"
#include <gtest/gtest.h>

using namespace dedicated;
using namespace dedicated::test;

namespace {

std::vector<OwnershipChange> of_kind(const std::vector<OwnershipChange> &changes, ChangeKind kind)
{
    std::vector<OwnershipChange> out;
    for (const OwnershipChange &change : changes)
        if (change.kind == kind) out.push_back(change);
    return out;
}

const PeerStatus *peer_named(const RoomStatus &room, const std::string &name)
{
    for (const PeerStatus &peer : room.peers)
        if (peer.name == name) return &peer;
    return nullptr;
}

uint16_t id_of(const Member &member)
{
    return static_cast<uint16_t>(tern::local_peer(member.session));
}

void expect_not_less(const Traffic &now, const Traffic &before)
{
    EXPECT_GE(now.sent_datagrams, before.sent_datagrams);
    EXPECT_GE(now.sent_bytes, before.sent_bytes);
    EXPECT_GE(now.received_datagrams, before.received_datagrams);
    EXPECT_GE(now.received_bytes, before.received_bytes);
    EXPECT_GE(now.lost_datagrams, before.lost_datagrams);
}

}

TEST(WatchTest, PeersAreListedWithTheHostItself)
{
    LiveRoom room;
    room.add("ann");
    room.add("bob");
    ASSERT_TRUE(room.all_open());
    room.run_seconds(1);
    const RoomStatus status = room.status();
    EXPECT_EQ(status.state, "open");
    ASSERT_EQ(status.peers.size(), 3u);
    EXPECT_LT(status.peers[0].id, status.peers[1].id);
    EXPECT_LT(status.peers[1].id, status.peers[2].id);
    const PeerStatus *self = peer_named(status, "the host"), *ann = peer_named(status, "ann");
    ASSERT_TRUE(self && ann);
    EXPECT_TRUE(self->is_self && self->is_host);
    EXPECT_FALSE(ann->is_self || ann->is_host);
    EXPECT_EQ(self->stats.sent_bytes, 0u);
    EXPECT_GT(ann->stats.sent_bytes, 0u);
    EXPECT_GE(ann->stats.rtt_us, 20'000u);
    EXPECT_EQ(status.joined, 2u);
    EXPECT_EQ(status.left, 0u);
}

TEST(WatchTest, ObjectsAreCountedByOwnerAndType)
{
    LiveRoom room;
    const size_t ann = room.add("ann");
    ASSERT_TRUE(room.all_open());
    for (int i = 0; i < 5; ++i)
        tern::create(room.host().session, crate_type, Crate{});
    for (int i = 0; i < 3; ++i)
        tern::create(room.members[ann].session, ghost_type, Crate{});
    ASSERT_TRUE(
        room.step_until([&] { return tern::session_stats(room.host().session).objects == 8; }));
    const RoomStatus status = room.status();
    EXPECT_EQ(peer_named(status, "the host")->owned, 5u);
    EXPECT_EQ(peer_named(status, "ann")->owned, 3u);
    ASSERT_EQ(status.types.size(), 3u);
    EXPECT_EQ(status.types[crate_type].name, "crate");
    EXPECT_EQ(status.types[crate_type].objects, 5u);
    EXPECT_EQ(status.types[ghost_type].objects, 3u);
    EXPECT_EQ(status.types[shout_type].objects, 0u);
    tern::destroy(room.host().session, tern::object_ids(room.host().session, crate_type)[0]);
    EXPECT_EQ(room.status().types[crate_type].objects, 4u); // Counted without delay.
}

TEST(WatchTest, ChangesTellWhatWasCreatedMovedAndDestroyedByOthers)
{
    LiveRoom room;
    const size_t ann = room.add("ann"), bob = room.add("bob");
    ASSERT_TRUE(room.all_open());
    const tern::ObjectId crate = tern::create(room.members[ann].session, crate_type, Crate{});
    ASSERT_TRUE(room.step_until([&] { return tern::exists(room.members[bob].session, crate); }));
    tern::claim(room.members[bob].session, crate);
    ASSERT_TRUE(room.step_until([&] {
        return tern::object_owner(room.members[bob].session, crate) ==
               tern::local_peer(room.members[bob].session);
    }));
    tern::destroy(room.members[bob].session, crate);
    ASSERT_TRUE(room.step_until([&] { return !tern::exists(room.host().session, crate); }));
    const RoomStatus status = room.status();
    ASSERT_EQ(status.changes.size(), 3u);
    const uint16_t ann_id = id_of(room.members[ann]), bob_id = id_of(room.members[bob]);
    EXPECT_EQ(status.changes[0].kind, ChangeKind::created);
    EXPECT_EQ(status.changes[0].from, 0);
    EXPECT_EQ(status.changes[0].to, ann_id);
    EXPECT_EQ(status.changes[1].kind, ChangeKind::moved);
    EXPECT_EQ(status.changes[1].from, ann_id);
    EXPECT_EQ(status.changes[1].to, bob_id);
    EXPECT_EQ(status.changes[2].kind, ChangeKind::destroyed);
    EXPECT_EQ(status.changes[2].from, bob_id);
    EXPECT_EQ(status.changes[2].to, 0);
    for (const OwnershipChange &change : status.changes) {
        EXPECT_EQ(change.object, static_cast<uint64_t>(crate));
        EXPECT_EQ(change.type, crate_type);
        EXPECT_GT(change.at_us, 1'000'000u);
        EXPECT_LE(change.at_us, room.now_us);
    }
}

// watch.h documents this rule for the host's own objects.
TEST(WatchTest, OwnCreationsAndDestroysAreNoChanges)
{
    LiveRoom room;
    const size_t ann = room.add("ann");
    ASSERT_TRUE(room.all_open());
    const tern::ObjectId kept = tern::create(room.host().session, crate_type, Crate{});
    const tern::ObjectId given = tern::create(room.host().session, crate_type, Crate{});
    room.run_seconds(1);
    tern::destroy(room.host().session, kept);
    tern::claim(room.members[ann].session, given);
    room.run_seconds(1);
    const RoomStatus status = room.status();
    ASSERT_EQ(status.changes.size(), 1u);
    EXPECT_EQ(status.changes[0].kind, ChangeKind::moved);
    EXPECT_EQ(status.changes[0].object, static_cast<uint64_t>(given));
}

TEST(WatchTest, OrphansThatEndAreMovedAndDestroyed)
{
    LiveRoom room;
    const size_t ann = room.add("ann");
    ASSERT_TRUE(room.all_open());
    tern::create(room.members[ann].session, ghost_type, Crate{});
    ASSERT_TRUE(
        room.step_until([&] { return tern::session_stats(room.host().session).objects == 1; }));
    tern::leave(room.members[ann].session);
    ASSERT_TRUE(
        room.step_until([&] { return tern::session_stats(room.host().session).objects == 0; }));
    const RoomStatus status = room.status();
    EXPECT_EQ(of_kind(status.changes, ChangeKind::moved).size(), 1u);
    EXPECT_EQ(of_kind(status.changes, ChangeKind::destroyed).size(), 1u);
}

TEST(WatchTest, TheLastChangesAreKept)
{
    LiveRoom room;
    const size_t ann = room.add("ann");
    ASSERT_TRUE(room.all_open());
    std::vector<tern::ObjectId> made;
    for (size_t i = 0; i < changes_max + 50; ++i) {
        tern::Session *session = room.members[ann].session;
        ASSERT_TRUE(room.step_until([&] { return tern::creations_left(session, crate_type) > 0; }));
        made.push_back(tern::create(session, crate_type, Crate{}));
    }
    ASSERT_TRUE(room.step_until(
        [&] { return tern::session_stats(room.host().session).objects == made.size(); }));
    const RoomStatus status = room.status();
    ASSERT_EQ(status.changes.size(), changes_max);
    EXPECT_EQ(status.changes.back().object, static_cast<uint64_t>(made.back()));
    EXPECT_EQ(status.changes.front().object, static_cast<uint64_t>(made[50]));
}

TEST(WatchTest, OneSampleIsTakenPerSecondAndFiveMinutesAreKept)
{
    LiveRoom room;
    room.add("ann");
    ASSERT_TRUE(room.all_open());
    // Read far more often than once a second, as people at the control socket do.
    for (int i = 0; i < 90; ++i) {
        room.step();
        room.status();
    }
    EXPECT_EQ(room.status().samples.size(), 4u); // Samples at 0, 1, 2 and 3 s.
    // Read at irregular times: one sample a second on average.
    Watch odd;
    for (uint64_t i = 0; i < 430; ++i) // 100.2 s.
        watch::status(odd, room.host().session, room_types, room.now_us + i * 233'333);
    EXPECT_EQ(odd.samples.size(), 101u);
    // Read about once a second, with some jitter.
    Watch watch;
    for (uint64_t i = 0; i < samples_max + 20; ++i)
        watch::status(watch, room.host().session, room_types,
                      room.now_us + i * 1'000'000 + (i % 2) * 9'000);
    ASSERT_EQ(watch.samples.size(), samples_max);
    EXPECT_EQ(watch.samples.front().at_us, room.now_us + 20 * 1'000'000);
}

TEST(WatchTest, SamplesHoldTheMedianAndTheWorstRoundTrip)
{
    LiveRoom room;
    for (const char *name : {"a", "b", "c"})
        room.add(name);
    ASSERT_TRUE(room.all_open());
    room.run_seconds(2);
    const RoomStatus status = room.status();
    std::vector<uint32_t> rtts;
    for (const PeerStatus &peer : status.peers)
        if (!peer.is_self) rtts.push_back(peer.stats.rtt_us);
    std::sort(rtts.begin(), rtts.end());
    ASSERT_EQ(rtts.size(), 3u);
    const Sample &sample = status.samples.back();
    EXPECT_EQ(sample.rtt_us_median, rtts[1]);
    EXPECT_EQ(sample.rtt_us_max, rtts[2]);
    EXPECT_EQ(sample.peers, 4u);
    EXPECT_EQ(sample.sent_bytes, status.traffic.sent_bytes);
    EXPECT_EQ(status.rtt.count, 3u);
    EXPECT_EQ(status.rtt.sum_us, uint64_t{rtts[0]} + rtts[1] + rtts[2]);
}

TEST(WatchTest, TotalsNeverFallWhenPeersLeave)
{
    LiveRoom room(1, {10, 30, 0.1f, 0});
    for (const char *name : {"a", "b", "c", "d"})
        room.add(name);
    ASSERT_TRUE(room.all_open());
    room.run_seconds(3);
    RoomStatus before = room.status();
    EXPECT_GT(before.traffic.lost_datagrams, 0u);
    for (size_t leaver = 1; leaver < room.members.size(); ++leaver) {
        tern::leave(room.members[leaver].session);
        const size_t left = room.members.size() - leaver;
        ASSERT_TRUE(room.step_until([&] { // Checks each step: no counter may decrease.
            const RoomStatus now = room.status();
            expect_not_less(now.traffic, before.traffic);
            EXPECT_GE(now.rtt.count, before.rtt.count);
            EXPECT_GE(now.samples.back().sent_bytes, before.samples.back().sent_bytes);
            before = now;
            return now.peers.size() == left;
        }));
    }
    EXPECT_EQ(before.peers.size(), 1u);
    EXPECT_GT(before.traffic.sent_bytes, 0u);
    EXPECT_EQ(before.left, 4u);
}

TEST(WatchTest, AnObjectGrantedAnewToItsOwnerHasNotMoved)
{
    Watch watch;
    tern::Event event = {};
    event.kind = tern::EventKind::owner_changed;
    event.owner.owner = event.owner.previous = tern::PeerId{2};
    watch::note_events(watch, nullptr, {&event, 1}, 5);
    EXPECT_TRUE(watch.changes.empty());
    event.owner.owner = tern::PeerId{3};
    watch::note_events(watch, nullptr, {&event, 1}, 5);
    EXPECT_EQ(watch.changes.size(), 1u);
}
