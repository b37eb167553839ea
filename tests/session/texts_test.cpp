// Texts of docs/use/misuse.md that a game can show to its player, or to its programmer, though no
// call is wrong.
#include "misuse_page.h"
#include <gtest/gtest.h>
#include <tern/invites.hpp>
#include <tern/io.hpp>
#include <tern/tern.hpp>

using namespace tern;
using test::lists;

namespace {

struct Rock {
    float size;
};
TERN_FIELDS(Rock, size);
const Type types[] = {make_type<Rock>("rock", {.objects_max = 4})};
const Address address = loopback(1000);

TEST(MisusePage, WhyJoiningFailed)
{
    uint64_t now_us = 0;
    Session *host = make_session({.types = types});
    start(host);
    Session *lonely[3] = {};
    for (Session *&session : lonely) {
        session = make_session({.types = types});
        receive(session, {}, now_us);
        Invite nowhere = make_invite(host, std::span(&address, 1));
        nowhere.addresses[0] = loopback(9);
        join(session, nowhere);
    }
    const std::byte noise[40] = {};
    const Datagram strange = {loopback(9), noise};
    (void)send(lonely[1], now_us);
    EXPECT_TRUE(lists("forgets `receive()`", state_text(lonely[1]))) << state_text(lonely[1]);
    receive(lonely[1], {}, now_us);
    EXPECT_STREQ(state_text(lonely[1]), "Joining.");
    for (int i = 0; i < 1200; ++i) {
        now_us += 10'000;
        receive(lonely[0], {}, now_us);
        receive(lonely[1], {}, now_us);
        receive(lonely[2], std::span(&strange, i == 300), now_us);
        (void)send(lonely[1], now_us);
        (void)send(lonely[2], now_us);
        if (i == 299) {
            EXPECT_TRUE(std::string(state_text(lonely[0])).starts_with("Joining. Nothing was"));
            EXPECT_TRUE(std::string(state_text(lonely[2])).starts_with("Joining. No datagram"));
        }
        if (i == 300) {
            EXPECT_STREQ(state_text(lonely[2]), "Joining.");
        }
    }
    const char *const who[] = {"forgets `send()`", "joins where nobody is", "other programs"};
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(session_state(lonely[i]), State::unreachable);
        EXPECT_TRUE(lists(who[i], state_text(lonely[i]))) << state_text(lonely[i]);
        destroy_session(lonely[i]);
    }
    destroy_session(host);
}

TEST(MisusePage, TextsThatAreNoInvites)
{
    Session *host = make_session({.types = types});
    start(host);
    const std::string whole = to_text(make_invite(host, std::span(&address, 1))).text;
    for (const std::string &text :
         {whole.substr(0, 40), whole.substr(0, 42), whole.substr(0, whole.size() - 4) + "AAAA",
          std::string("hello")}) {
        const char *error = parse_invite(text.c_str()).error;
        ASSERT_NE(error, nullptr);
        EXPECT_TRUE(lists("`parse_invite()`", error)) << error;
    }
    EXPECT_STREQ(parse_invite(nullptr).error, "it is a null pointer");
    destroy_session(host);
    EXPECT_TRUE(lists("`make_udp_socket()`", to_text(SocketError::port_in_use)));
}

TEST(MisusePage, AnInviteMayHaveWhiteSpace)
{
    Session *host = make_session({.types = types});
    start(host);
    const Invite invite = make_invite(host, {&address, 1});
    const std::string whole = to_text(invite).text;
    for (const std::string &text : {" " + whole, whole + "\r\n", "\n\t" + whole + " \n",
                                    whole.substr(0, 50) + "\n  " + whole.substr(50)}) {
        const ParsedInvite parsed = parse_invite(text.c_str());
        EXPECT_EQ(parsed.error, nullptr) << parsed.error;
        EXPECT_STREQ(to_text(parsed.invite).text, whole.c_str());
    }
    EXPECT_NE(parse_invite((whole + " and more").c_str()).error, nullptr);
    EXPECT_NE(parse_invite(" \n").error, nullptr);
    destroy_session(host);
}

// Receives at 60 Hz without sending, for so long.
void receive_only(Session *session, uint64_t &now_us, uint64_t time_us)
{
    for (const uint64_t end_us = now_us + time_us; now_us < end_us; now_us += 16'000)
        receive(session, {}, now_us);
}

TEST(MisusePage, AnOpenSessionThatSendsNothingSaysSo)
{
    Session *host = make_session({.types = types});
    uint64_t now_us = 5'000'000'000; // A clock may begin anywhere.
    start(host);
    receive_only(host, now_us, 900'000);
    EXPECT_STREQ(state_text(host), "The session is open.");
    receive_only(host, now_us, 200'000);
    EXPECT_EQ(session_state(host), State::open);
    EXPECT_TRUE(lists("forgets `send()` as a host", state_text(host))) << state_text(host);
    (void)send(host, now_us);
    EXPECT_STREQ(state_text(host), "The session is open.");
    now_us += 30'000'000; // A pause is no such mistake.
    receive(host, {}, now_us);
    EXPECT_STREQ(state_text(host), "The session is open.");
    destroy_session(host);
}

// A host that leaves after this tick.
Session *make_leaving_host(uint64_t now_us)
{
    Session *host = make_session({.types = types});
    start(host);
    receive(host, {}, now_us);
    (void)send(host, now_us);
    leave(host);
    return host;
}

TEST(MisusePage, LeavingEndsThoughNothingIsSent)
{
    uint64_t now_us = 5'000'000;
    Session *host = make_leaving_host(now_us);
    receive_only(host, now_us, 3'900'000);
    EXPECT_EQ(session_state(host), State::leaving);
    receive_only(host, now_us, 200'000);
    EXPECT_EQ(session_state(host), State::left);
    EXPECT_TRUE(lists("`send()` after `leave()`", state_text(host))) << state_text(host);
    (void)send(host, now_us);
    EXPECT_EQ(session_state(host), State::left);
    destroy_session(host);
}

TEST(MisusePage, LeavingEndsThoughNothingIsSentAfterAPause)
{
    uint64_t now_us = 5'000'000;
    Session *host = make_leaving_host(now_us);
    now_us += 10'000'000;
    receive(host, {}, now_us);
    EXPECT_EQ(session_state(host), State::leaving); // Its goodbye can still go.
    (void)send(host, now_us);
    receive_only(host, now_us, 3'000'000);
    EXPECT_EQ(session_state(host), State::left);
    EXPECT_STREQ(state_text(host), "Left the session.");
    destroy_session(host);
}

}
