// Recorded sessions that are replayed to the byte.
#include "session/recording/record.h"
#include "sim/recording/recording.h"
#include "tern/calls.hpp"
#include "tern/diagnostics.hpp"
#include "tern/limits.hpp"
#include "tern/ownership.hpp"
#include "tern/recording.hpp"
#include "tern/untyped.hpp"
#include "tests/session/sim_world.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace tern;
using namespace tern::test;

namespace {

using Bytes = std::vector<std::byte>;

struct Recorded {
    Bytes bytes;
    uint64_t digest;
};

void append(Bytes &to, std::span<const std::byte> bytes)
{
    to.insert(to.end(), bytes.begin(), bytes.end());
}

void play_some(Session *session, const std::vector<Event> &events, Random &random)
{
    if (session_state(session) != State::open) return;
    for (const Event &event : events) {
        const bool others = event.kind == EventKind::object_created &&
                            exists(session, event.object.id) &&
                            object_owner(session, event.object.id) != local_peer(session);
        if (others && random::chance(random, 0.5))
            claim(session, event.object.id,
                  random::chance(random, 0.5) ? ClaimMode::wait : ClaimMode::optimistic);
        if (event.kind == EventKind::claim_asked && random::chance(random, 0.5))
            migrate(session, event.claim.object, event.claim.claimer);
        else if (event.kind == EventKind::claim_asked)
            refuse_claim(session, event.claim.object, event.claim.claimer);
    }
    if (random::chance(random, 0.2)) create(session, BODY, Body{{1, 2, 1e9f}, 3});
    if (random::chance(random, 0.1)) create(session, DOOR, Name{"door"});
    for (const TypeId type : {BODY, DOOR})
        for (const ObjectId object : object_ids(session, type)) {
            if (!exists(session, object)) continue;
            if (type == BODY && inspect::is_optimistic(session, object))
                set(session, Object<Body>{object}, Body{{0, 1, 0}, 2});
            if (object_owner(session, object) != local_peer(session)) continue;
            if (type == BODY && random::chance(random, 0.3))
                set(session, Object<Body>{object},
                    Body{{static_cast<float>(random::unit(random)), 0, 0}, 1});
            if (random::chance(random, 0.02)) lock(session, object, random::chance(random, 0.7));
            if (random::chance(random, 0.01)) release_ownership(session, object);
            if (random::chance(random, 0.02)) destroy(session, object);
        }
    if (host_peer(session) == local_peer(session) && random::chance(random, 0.02))
        balance(session, BODY);
    if (random::chance(random, 0.1))
        call(session, PeerId::everyone, HIT, Hit{ObjectId::none, 4},
             random::chance(random, 0.5) ? Reliability::reliable : Reliability::unreliable);
}

// Three sessions on a network that loses and duplicates; one of them is recorded.
Recorded record_one(uint64_t seed, size_t which, int steps, uint32_t room_bytes = 1 << 20)
{
    SimWorld world(seed, {20, 90, 0.05f, 0.05f});
    Recorded recorded = {};
    for (size_t i = 0; i < 3; ++i) {
        world.config.recording_bytes_max = i == which ? room_bytes : 0;
        world.config.name = i == which ? "the recorded" : "";
        world.add();
    }
    Session *session = world.nodes[which].session;
    for (int step = 0; step < steps; ++step) {
        world.step([&](size_t i, const std::vector<Event> &events) {
            play_some(world.nodes[i].session, events, world.random);
        });
        append(recorded.bytes, tern::take_recording(session));
        if (step == steps * 2 / 3 && which != 2) leave(world.nodes[2].session);
    }
    recorded.digest = world_digest(session);
    return recorded;
}

}

TEST(Recording, PlaysBackToTheByteWhoeverWasRecorded)
{
    for (size_t which = 0; which < 3; ++which) {
        const Recorded recorded = record_one(21 + which, which, 300);
        ASSERT_TRUE(recording::is_recording(recorded.bytes));
        const PlayedRecording played = recording::play(recorded.bytes);
        EXPECT_TRUE(played.ok) << played.error;
        EXPECT_FALSE(played.cut_short);
        EXPECT_EQ(played.digest, recorded.digest);
        EXPECT_EQ(played.ticks, 300u);
        EXPECT_GT(played.sent_datagrams, 200u);
        EXPECT_EQ(played.state, State::open);
    }
}

TEST(Recording, TellsWhatWasSaidHeardAndBelieved)
{
    const Recorded recorded = record_one(22, 1, 300);
    const PlayedRecording played = recording::play(recorded.bytes);
    const History &history = played.history;
    ASSERT_EQ(history.lanes.size(), 3u);
    EXPECT_EQ(history.lanes[0], "peer 2 recorded");
    EXPECT_EQ(history.peers[0], static_cast<PeerId>(2));
    EXPECT_NE(std::find(history.lanes.begin(), history.lanes.end(), "peer 1 host"),
              history.lanes.end());
    std::map<MomentKind, size_t> counts;
    std::map<uint64_t, int> said;
    uint64_t time_us = 0;
    for (const Moment &moment : history.moments) {
        EXPECT_GE(moment.time_us, time_us);
        time_us = moment.time_us;
        counts[moment.kind] += 1;
        EXPECT_LT(moment.lane, history.lanes.size());
        if (moment.kind == MomentKind::said) said[moment.link] += 1;
        if (moment.kind == MomentKind::heard) {
            EXPECT_EQ(said[moment.link], 1);
        }
    }
    EXPECT_GT(counts[MomentKind::said], 100u);
    EXPECT_GT(counts[MomentKind::heard], counts[MomentKind::said] * 9 / 10);
    EXPECT_GT(counts[MomentKind::object], 50u);
    EXPECT_GT(counts[MomentKind::act], 20u);
    EXPECT_EQ(counts[MomentKind::left], 1u);
}

TEST(Recording, EveryFlippedByteAndEveryCutIsToldAndNothingElseHappens)
{
    const Recorded recorded = record_one(23, 2, 40);
    ASSERT_TRUE(recording::play(recorded.bytes).ok);
    const size_t step = std::max<size_t>(recorded.bytes.size() / 150, 1);
    for (size_t at = 0; at < recorded.bytes.size(); at += step) {
        Bytes damaged = recorded.bytes;
        damaged[at] ^= std::byte{0x10};
        const PlayedRecording played = recording::play(damaged);
        EXPECT_FALSE(played.ok) << at;
        EXPECT_FALSE(played.error.empty());
    }
    size_t whole = 0;
    for (size_t size = 0; size < recorded.bytes.size(); size += step) {
        const PlayedRecording played = recording::play(std::span(recorded.bytes).first(size));
        whole += played.ok; // A cut between two records only shortens the recording.
        if (played.ok || size <= sizeof recording_mark) continue;
        EXPECT_NE(played.error.find("truncated"), std::string::npos) << played.error;
    }
    EXPECT_LT(whole, 30u);
}

TEST(Recording, EndsWithAMarkWhenNobodyTakesIt)
{
    SimWorld world(24);
    world.config.recording_bytes_max = recording_bytes_min;
    world.add();
    world.config.recording_bytes_max = 0;
    world.add();
    for (int i = 0; i < 3000; ++i)
        world.step();
    const std::span<const std::byte> first = take_recording(world.nodes[0].session);
    const Bytes bytes(first.begin(), first.end());
    EXPECT_LE(bytes.size(), recording_bytes_min);
    world.step();
    EXPECT_TRUE(take_recording(world.nodes[0].session).empty()); // The recording has ended.
    const PlayedRecording played = recording::play(bytes);
    EXPECT_TRUE(played.ok) << played.error;
    EXPECT_TRUE(played.cut_short);
    EXPECT_GT(played.ticks, 300u);
}

TEST(Recording, SaysWhereAnotherSessionBegins)
{
    // Changes one bit of a send's hash and keeps the checksums valid, as if another version had
    // made it.
    SimWorld world(25);
    world.config.recording_bytes_max = 1 << 20;
    Session *session = world.add().session;
    for (int i = 0; i < 10; ++i)
        world.step();
    Bytes bytes;
    append(bytes, take_recording(session));
    Recorder recorder = {};
    Bytes room(1 << 20), again;
    RecordReader reader = record::reader(bytes);
    Record record;
    ASSERT_EQ(record::next(reader, record), ReadRecord::ok);
    uint8_t seed[32];
    std::memcpy(seed, record.bytes.data(), sizeof seed);
    record::begin(recorder, room, world.config, seed);
    size_t sends = 0, changed_at = 0;
    while (record::next(reader, record) == ReadRecord::ok) {
        sends += record.kind == RecordKind::send;
        if (sends == 5 && changed_at == 0) {
            append(again, record::take(recorder));
            changed_at = again.size();
            record.hash ^= 1;
        }
        record::add(recorder, record);
    }
    append(again, record::take(recorder));
    const PlayedRecording played = recording::play(again);
    EXPECT_FALSE(played.ok);
    EXPECT_EQ(played.ticks, 5u);
    EXPECT_EQ(played.error.find("at byte " + std::to_string(changed_at) + ","), 0u) << played.error;
}

TEST(Recording, ACallThatThisSessionCannotMakeIsAnErrorAndNoAssert)
{
    uint8_t seed[32] = {1};
    Config config;
    config.types = world_types;
    Bytes room(recording_bytes_min);
    for (const RecordKind kind :
         {RecordKind::create, RecordKind::set, RecordKind::destroy, RecordKind::claim,
          RecordKind::claim_optimistic, RecordKind::release, RecordKind::lock, RecordKind::unlock,
          RecordKind::balance, RecordKind::migrate, RecordKind::refuse_claim, RecordKind::call,
          RecordKind::leave, RecordKind::remove, RecordKind::join, RecordKind::header}) {
        Recorder recorder = {};
        record::begin(recorder, room, config, seed);
        Record record = {};
        record.kind = kind;
        record.object = static_cast<ObjectId>(77);
        record.peer = static_cast<PeerId>(3);
        record::add(recorder, record);
        const PlayedRecording played = recording::play(record::take(recorder));
        EXPECT_FALSE(played.ok) << static_cast<unsigned>(kind);
    }
}

TEST(Recording, ACallWithImpossibleArgumentsIsAnErrorAndNoAssert)
{
    const uint8_t seed[32] = {1};
    Config config;
    config.types = world_types;
    const TypeTable table = type_table::make(world_types);
    const std::byte zero[struct_bytes_max] = {};
    std::byte written[struct_bytes_max];
    BitWriter w = bits::writer(written);
    type_table::write_fields(w, table, HIT, zero, type_table::all_fields(table, HIT));
    Record records[5] = {};
    for (Record &record : records) {
        record.bytes = std::span(written).first(bits::size_bytes(w));
        record.kind = RecordKind::request;
        record.peer = static_cast<PeerId>(3);
        record.type = HIT;
        record.timeout_ms = 5000;
    }
    records[0].timeout_ms = 0;
    records[1].peer = PeerId::everyone;
    records[2].kind = RecordKind::request_owner;
    records[2].timeout_ms = 600'001;
    records[3].kind = RecordKind::reply; // To a call that wants none.
    records[4].kind = RecordKind::call;
    records[4].peer = PeerId::host;
    records[4].reliability = Reliability::unreliable;
    for (const Record &record : records) {
        Bytes room(recording_bytes_min);
        Recorder recorder = {};
        record::begin(recorder, room, config, seed);
        Record start = {};
        start.kind = RecordKind::start;
        record::add(recorder, start);
        record::add(recorder, record);
        const PlayedRecording played = recording::play(record::take(recorder));
        EXPECT_NE(played.error.find("has become another"), std::string::npos) << played.error;
    }
}

TEST(Recording, AConfigurationThatNoSessionHasIsAnErrorAndNoAssert)
{
    const auto error_of = [](const Config &config) {
        const uint8_t seed[32] = {1};
        Bytes room(recording_bytes_min);
        Recorder recorder = {};
        record::begin(recorder, room, config, seed);
        const PlayedRecording played = recording::play(record::take(recorder));
        EXPECT_FALSE(played.ok);
        return played.error;
    };
    Config config;
    config.types = world_types;
    config.peers_max = 1;
    EXPECT_NE(error_of(config).find("peers_max"), std::string::npos) << error_of(config);
    Type huge = world_types[0];
    huge.objects_max = 6'000'000;
    config.types = std::span(&huge, 1);
    config.topology = Topology::star;
    config.peers_max = star_peers_max;
    EXPECT_NE(error_of(config).find("more than 64 GiB"), std::string::npos) << error_of(config);
}

// A recording replays on every compiler, until tern changes what it sends. Then the recordings must
// be made again: docs/testing.md.
TEST(Recording, AllInTheFolderPlayBack)
{
    const std::filesystem::path folder =
        std::filesystem::path(TERN_SOURCE_DIR) / "tests/recordings";
    size_t count = 0;
    for (const auto &entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() != ".rec") continue;
        std::ifstream file(entry.path(), std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        const PlayedRecording played = recording::play(std::as_bytes(std::span(text)));
        EXPECT_TRUE(played.ok) << entry.path().filename() << ": " << played.error;
        EXPECT_GT(played.ticks, 0u);
        count += 1;
    }
    EXPECT_GE(count, 1u);
}
