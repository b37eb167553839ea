// tern-ctl shows the answers of a host, also those that no host of this version gives.
#ifdef TERN_HAVE_CTL

#include "ctl/tables.h"
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

using ctl::Json;

// Returns what tern-ctl makes of a text. The host closes the connection after it.
static ctl::Answer answer_of(const std::string &text)
{
    int ends[2] = {-1, -1};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    EXPECT_EQ(send(ends[1], text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
    shutdown(ends[1], SHUT_WR);
    ctl::Answer answer = ctl::ask(ends[0], {{"command", "status"}});
    close(ends[0]);
    close(ends[1]);
    return answer;
}

TEST(CtlTables, AnAnswerIsALineOfJsonWithOk)
{
    EXPECT_EQ(answer_of("{\"ok\":true}\n").error, "");
    EXPECT_NE(answer_of("{\"ok\":1}\n").error, "");
    EXPECT_NE(answer_of("[]\n").error, "");
    EXPECT_NE(answer_of("{\"ok\":true}").error, "");
    const std::string deep = std::string(20'000, '[') + std::string(20'000, ']');
    EXPECT_NE(answer_of("{\"ok\":true,\"object\":" + deep + "}\n").error, "");
    EXPECT_EQ(answer_of("{\"ok\":true,\"text\":\"" + std::string(200, '[') + "\"}\n").error, "");
}

TEST(CtlTables, WhatIsMissingOrOfAnotherKindIsShownAsADash)
{
    const Json empty = {{"ok", true}};
    EXPECT_EQ(ctl::answer_text("transfer", empty), "object - goes from peer - to peer -\n");
    EXPECT_EQ(ctl::answer_text("kick", empty), "peer - is out\n");
    EXPECT_EQ(ctl::answer_text("reload", empty), "changed: nothing\n");
    EXPECT_EQ(ctl::answer_text("lua", empty), "");
    EXPECT_EQ(ctl::refusal_text({{"ok", false}, {"error", 5}}), "refused");
    EXPECT_TRUE(ctl::listed_recordings(empty).empty());
    EXPECT_EQ(ctl::listed_recordings({{"recordings", {1}}})[0].bytes, 0u);
    for (const char *command : {"status", "peers", "objects", "misbehaviour", "record"})
        EXPECT_NE(ctl::answer_text(command, empty), "") << command;
}

TEST(CtlTables, MisbehaviourNamesThePeerTheReasonAndWhoFoundIt)
{
    const Json answer = {{"ok", true},
                         {"misbehaviour",
                          {{{"room", "main"},
                            {"seconds_ago", 65u},
                            {"peer", 4},
                            {"name", "eve"},
                            {"reason", "forged"},
                            {"reported_by", 0u},
                            {"is_in", false}},
                           {{"room", "main"},
                            {"seconds_ago", 5u},
                            {"peer", 5},
                            {"name", "mallory"},
                            {"reason", "malformed"},
                            {"reported_by", 3u},
                            {"is_in", true}}}}};
    const std::string text = ctl::answer_text("misbehaviour", answer);
    for (const char *part :
         {"eve", "forged", "this host", "has gone", "1 min 5 s", "mallory", "peer 3", "still in"})
        EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(CtlTables, TheStatusOfARoomHasThatRoomAlone)
{
    const Json answer = {{"ok", true}, {"status", {{"rooms", {{{"name", "a"}}, {{"name", "b"}}}}}}};
    EXPECT_EQ(ctl::status_of(answer, "").at("rooms").size(), 2u);
    EXPECT_EQ(ctl::status_of(answer, "b").at("rooms").at(0).at("name"), "b");
    EXPECT_TRUE(ctl::status_of(answer, "c").at("rooms").empty());
    EXPECT_TRUE(ctl::status_of({{"ok", true}}, "").at("rooms").empty());
}

#endif
