// The messages, stays and objects that are read from a history, and its JSON.
#include "sim/picture/history.h"
#include "tests/sim/picture/picture_histories.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace tern;

namespace {

Moment &add(History &history, MomentKind kind, uint64_t time_us, uint16_t lane)
{
    Moment out = {};
    out.kind = kind;
    out.time_us = time_us;
    out.lane = lane;
    out.other = 1 - lane;
    out.link = 5;
    out.message = MessageKind::claim;
    history.moments.push_back(out);
    return history.moments.back();
}

size_t count(const std::string &text, const std::string &part)
{
    size_t count = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        count += 1;
    return count;
}

// Checks strings, brackets and commas as JSON wants them, and that no raw control character is
// inside of a string.
bool is_json(const std::string &text)
{
    std::string open;
    char last = 0;
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == ' ' || c == '\n') continue;
        if (c == '"') {
            for (i += 1; i < text.size() && text[i] != '"'; i += text[i] == '\\' ? 2 : 1)
                if (static_cast<unsigned char>(text[i]) < 0x20) return false;
        } else if (c == '{' || c == '[') {
            open += c == '{' ? '}' : ']';
        } else if (c == '}' || c == ']') {
            if (open.empty() || open.back() != c || last == ',') return false;
            open.pop_back();
        } else if (c == ',' && (last == ',' || last == '{' || last == '[')) {
            return false;
        }
        last = c;
    }
    return open.empty();
}

}

TEST(HistoryTest, AMessageKnownToBeLostEndsWhereItWasLost)
{
    History history = histories::two_peers();
    add(history, MomentKind::said, 1000, 0);
    add(history, MomentKind::lost, 2000, 0);
    const std::vector<HistoryMessage> all = history::messages(history);
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].outcome, MessageOutcome::lost);
    EXPECT_EQ(all[0].end_us, 2000u);
}

TEST(HistoryTest, AMessageEndsWithItsSenderUnlessItStillArrives)
{
    History history = histories::two_peers();
    add(history, MomentKind::said, 1000, 0);
    add(history, MomentKind::crashed, 2000, 0);
    EXPECT_EQ(history::messages(history)[0].outcome, MessageOutcome::lost);
    add(history, MomentKind::heard, 3000, 1);
    EXPECT_EQ(history::messages(history)[0].outcome, MessageOutcome::received);
    EXPECT_EQ(history::messages(history)[0].end_us, 3000u);
}

TEST(HistoryTest, AMessageWhoseSendingIsUnknownIsUnsent)
{
    History history = histories::two_peers();
    add(history, MomentKind::heard, 3000, 1);
    const std::vector<HistoryMessage> all = history::messages(history);
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].outcome, MessageOutcome::unsent);
    EXPECT_EQ(all[0].from, 0);
}

TEST(HistoryTest, ALinkUsedAgainBelongsToTheLastMessage)
{
    History history = histories::two_peers();
    add(history, MomentKind::said, 1000, 0);
    add(history, MomentKind::heard, 2000, 1);
    add(history, MomentKind::said, 3000, 0);
    add(history, MomentKind::heard, 4000, 1);
    add(history, MomentKind::said, 5000, 0);
    const std::vector<HistoryMessage> all = history::messages(history);
    ASSERT_EQ(all.size(), 3u);
    EXPECT_EQ(all[0].end_us, 2000u);
    EXPECT_EQ(all[1].end_us, 4000u);
    EXPECT_EQ(all[2].outcome, MessageOutcome::in_flight);
    EXPECT_FALSE(all[1].duplicated);
}

TEST(HistoryTest, ANewcomerIsNamedOnceItIsKnown)
{
    History history = histories::two_peers();
    history.peers[1] = PeerId::none;
    add(history, MomentKind::started, 1000, 1);
    add(history, MomentKind::act, 2000, 1).owner = PeerId{7};
    const std::vector<HistoryStay> stays = history::stays(history);
    ASSERT_EQ(stays.size(), 2u);
    EXPECT_EQ(stays[1].peer, PeerId{7});
    EXPECT_EQ(stays[1].from_us, 1000u);
}

TEST(HistoryTest, ACrashEndsThePeerAndItsBeliefs)
{
    const History history = history::sorted(histories::session());
    const std::vector<HistoryStay> stays = history::stays(history);
    ASSERT_EQ(stays.size(), 5u);
    EXPECT_EQ(stays[2].end, MomentKind::crashed);
    EXPECT_EQ(stays[4].peer, PeerId{5});
    for (const HistoryObject &object : history::objects(history))
        EXPECT_TRUE(object.lane != 2 || object.to_us <= stays[2].to_us);
}

TEST(HistoryTest, TheGhostIsDestroyedThreeTimesAndAliveAtTheEnd)
{
    const History history = history::sorted(histories::ghost());
    const std::vector<HistoryObject> objects = history::objects(history);
    EXPECT_EQ(std::count_if(objects.begin(), objects.end(),
                            [](const HistoryObject &object) { return object.destroyed; }),
              3);
    ASSERT_TRUE(objects.back().alive);
    EXPECT_EQ(objects.back().to_us, history_end_us);
    EXPECT_EQ(objects.back().lane, 2);
    EXPECT_EQ(objects.back().owner, PeerId{2});
}

TEST(HistoryTest, JsonHoldsTheWholeHistory)
{
    const std::string json = history::json(histories::ghost());
    EXPECT_TRUE(is_json(json));
    EXPECT_EQ(count(json, "\"message\": \"CREATE\""), 2u);
    EXPECT_EQ(count(json, "\"message\": \"MIGRATE\""), 2u);
    EXPECT_EQ(count(json, "\"message\": \"DESTROY\""), 2u);
    EXPECT_EQ(count(json, "{\"from\": 1, \"to\": 2, \"message\": \"CREATE\", \"object\": \"2.1\", "
                          "\"stamp\": \"0\", \"sent\": 1, \"ended\": 9, \"outcome\": "
                          "\"received\", \"duplicated\": false}"),
              1u);
    EXPECT_EQ(count(json, "\"violation\": {\"time\": 9, \"lane\": 2, \"object\": \"2.1\", "
                          "\"invariant\": \"I3\", \"text\": \"object 2.1 was dead"),
              1u);
    EXPECT_EQ(count(history::json(histories::race()), "\"violation\": null"), 1u);
}

TEST(HistoryTest, JsonIsTheSameForTheSameHistoryAndWellFormedForAnyBytes)
{
    for (const History &history :
         {histories::hostile(), histories::session(), histories::long_session(true), History{}}) {
        const std::string json = history::json(history);
        EXPECT_TRUE(is_json(json)) << json.substr(0, 300);
        EXPECT_EQ(json, history::json(history));
    }
    EXPECT_EQ(count(history::json(histories::hostile()), "& \\\"quotes\\\" ?? ]]>"), 1u);
}
