// The notes that a session writes to its journal: each message at both ends, each packet once.
#include "migration/replica.h"
#include "tern/untyped.hpp"
#include "tests/session/sim_world.h"
#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace tern;
using namespace tern::test;

namespace {

struct Watched {
    SimWorld world;
    std::vector<std::vector<Note>> rooms;
    std::vector<Journal> journals;
    std::vector<std::vector<Note>> notes; // All notes of each node.

    Watched(uint64_t seed, size_t nodes, size_t room) : world(seed, {20, 90, 0.1f, 0.1f})
    {
        rooms.assign(nodes, std::vector<Note>(room));
        journals.resize(nodes);
        notes.resize(nodes);
        for (size_t i = 0; i < nodes; ++i) {
            journals[i].notes = rooms[i];
            inspect::listen(world.add().session, &journals[i]);
        }
    }
    void collect()
    {
        for (size_t i = 0; i < journals.size(); ++i) {
            notes[i].insert(notes[i].end(), rooms[i].begin(),
                            rooms[i].begin() + static_cast<ptrdiff_t>(journals[i].count));
            journals[i].count = 0;
        }
    }
    void step()
    {
        world.step();
        collect();
    }
    void steps(int count)
    {
        for (int i = 0; i < count; ++i)
            step();
    }
    Session *at(size_t i) { return world.nodes[i].session; }
};

using Place = std::pair<uint64_t, uint64_t>; // The key and the number of a note.

std::multimap<Place, Note> of_kind(const Watched &w, NoteKind kind)
{
    std::multimap<Place, Note> out;
    for (const std::vector<Note> &notes : w.notes)
        for (const Note &note : notes)
            if (note.kind == kind) out.insert({{note.key, note.number}, note});
    return out;
}

void play_a_little(Watched &w)
{
    while (session_state(w.at(1)) == State::joining || session_state(w.at(2)) == State::joining)
        w.step();
    const ObjectId body = create(w.at(1), BODY, Body{{1, 2, 3}, 4});
    w.steps(60);
    claim(w.at(2), body);
    w.steps(60);
    destroy(w.at(2), body);
    w.steps(120);
}

}

TEST(Journal, WhatIsSaidIsHeardOnceUnderTheSameKeyAndNumber)
{
    Watched w(5, 3, 4096);
    play_a_little(w);
    const auto said = of_kind(w, NoteKind::queued), heard = of_kind(w, NoteKind::received);
    ASSERT_GT(said.size(), 15u);
    ASSERT_EQ(said.size(), heard.size());
    for (auto s = said.begin(), h = heard.begin(); s != said.end(); ++s, ++h) {
        EXPECT_EQ(s->first, h->first);
        EXPECT_EQ(s->second.message, h->second.message);
        EXPECT_EQ(s->second.object, h->second.object);
        EXPECT_EQ(s->second.stamp, h->second.stamp);
        EXPECT_NE(s->second.peer, h->second.peer);
        EXPECT_LE(static_cast<Verdict>(h->second.verdict), Verdict::ignored);
    }
    std::set<MessageKind> kinds;
    for (const auto &[place, note] : said)
        kinds.insert(note.message);
    for (const MessageKind kind :
         {MessageKind::welcome, MessageKind::view, MessageKind::create, MessageKind::migrate,
          MessageKind::destroy, MessageKind::synced, MessageKind::claim, MessageKind::grant})
        EXPECT_TRUE(kinds.contains(kind)) << static_cast<unsigned>(kind);
}

TEST(Journal, NamesTheObjectAndTheTenureOfAMigration)
{
    Watched w(6, 3, 4096);
    play_a_little(w);
    const ObjectId body = static_cast<ObjectId>(uint64_t{2} << 32 | 1);
    size_t migrates = 0, creates = 0;
    for (const auto &[place, note] : of_kind(w, NoteKind::queued)) {
        creates += note.message == MessageKind::create && note.object == body && note.stamp == 0;
        migrates += note.message == MessageKind::migrate && note.object == body && note.stamp > 0;
    }
    EXPECT_EQ(creates, 2u);
    EXPECT_EQ(migrates, 2u);
}

TEST(Journal, NoPacketIsSealedOrAcceptedTwiceAndNoneIsAcceptedThatWasNotSealed)
{
    Watched w(7, 3, 4096);
    play_a_little(w);
    const auto sealed = of_kind(w, NoteKind::sealed), accepted = of_kind(w, NoteKind::accepted);
    EXPECT_GT(accepted.size(), 150u);
    EXPECT_LT(accepted.size(), sealed.size()); // The network loses some packets.
    for (const auto &[place, note] : sealed)
        EXPECT_EQ(sealed.count(place), 1u);
    for (const auto &[place, note] : accepted) {
        EXPECT_EQ(accepted.count(place), 1u);
        EXPECT_EQ(sealed.count(place), 1u);
    }
}

TEST(Journal, CountsWhatItHasNoRoomFor)
{
    Watched w(8, 2, 1);
    w.world.step_until_open();
    EXPECT_EQ(w.journals[0].count, 1u);
    EXPECT_GT(w.journals[0].missed, 0u);
}
