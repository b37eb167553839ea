// Invites made by any member, over real UDP sockets.
#include "tern/invites.hpp"
#include "tern/io.hpp"
#include "tern/tern.hpp"
#include <deque>
#include <gtest/gtest.h>

using namespace tern;

namespace {

struct Word {
    int32_t number;
};
constexpr Field word_fields[] = {{"number", FieldKind::int32, offsetof(Word, number)}};
constexpr Type word_types[] = {{"word", sizeof(Word), word_fields, 16}};

struct Member {
    Session *session;
    Socket *socket;
    Address address;
};

// Converts the invite to text and back, as players exchange it.
Invite by_text(const Session *session, std::span<const Address> addresses)
{
    const ParsedInvite parsed = parse_invite(to_text(make_invite(session, addresses)).text);
    EXPECT_EQ(parsed.error, nullptr);
    return parsed.invite;
}

struct Party {
    std::deque<Member> members;

    Party() = default;
    Party(const Party &) = delete;
    ~Party()
    {
        for (Member &member : members) {
            destroy_session(member.session);
            if (member.socket) destroy_socket(member.socket);
        }
    }
    Member &add()
    {
        Config config = {};
        config.types = word_types;
        config.join_timeout_ms = 4000;
        const MadeSocket made = make_udp_socket(0);
        members.push_back({make_session(config), made.socket, {}});
        if (made.socket) members.back().address = loopback(made.socket->local_address().port);
        return members.back();
    }
    void tick()
    {
        for (Member &member : members) {
            receive(member.session, member.socket->receive(), clock_us());
            member.socket->send(send(member.session, clock_us()));
        }
    }
    // A host, and a guest that has joined by the host's invite.
    bool begin_with_two()
    {
        const Member &host = add();
        start(host.session);
        join(add().session, by_text(host.session, {&host.address, 1}));
        return tick_until_open(1);
    }
    // Ticks until no session is joining and each has `count` others. False: not within 10 s.
    bool tick_until_open(size_t count)
    {
        const uint64_t end_us = clock_us() + 10'000'000;
        for (bool done = false; !done && clock_us() < end_us; sleep_us(1000)) {
            done = true;
            tick();
            for (Member &member : members) {
                done = done && session_state(member.session) == State::open &&
                       other_peers(member.session).size() == count;
                if (session_state(member.session) > State::left) return false;
            }
        }
        for (Member &member : members)
            if (other_peers(member.session).size() != count) return false;
        return true;
    }
};

}

TEST(Invites, ANewcomerJoinsByTheInviteOfAMemberThatIsNotTheHost)
{
    Party party;
    ASSERT_TRUE(party.begin_with_two());
    const Member &host = party.members[0], &guest = party.members[1];
    const Invite of_guest = by_text(guest.session, {&guest.address, 1});
    EXPECT_EQ(of_guest.addresses[0], guest.address);
    const Member &newcomer = party.add();
    join(newcomer.session, of_guest);
    ASSERT_TRUE(party.tick_until_open(2)) << state_text(newcomer.session);
    EXPECT_EQ(tern::host_peer(newcomer.session), local_peer(host.session));
    // The newcomer's own invite works as well.
    const Invite of_newcomer = by_text(newcomer.session, {&newcomer.address, 1});
    const Member &last = party.add();
    join(last.session, of_newcomer);
    ASSERT_TRUE(party.tick_until_open(3)) << state_text(last.session);
}

TEST(Invites, AnAddressWhereNobodyAnswersIsPassedOver)
{
    Party party;
    ASSERT_TRUE(party.begin_with_two());
    const Member &host = party.members[0], &guest = party.members[1];
    const MadeSocket silent = make_udp_socket(0); // Receives everything and answers nothing.
    ASSERT_TRUE(silent.socket);
    const Address addresses[] = {loopback(silent.socket->local_address().port), guest.address};
    const Member &newcomer = party.add();
    join(newcomer.session, by_text(guest.session, addresses));
    EXPECT_TRUE(party.tick_until_open(2)) << state_text(newcomer.session);
    EXPECT_EQ(tern::host_peer(newcomer.session), local_peer(host.session));
    EXPECT_FALSE(silent.socket->receive().empty()); // The newcomer tried this address.
    destroy_socket(silent.socket);
}

// An invite names one member by its key, so other members at its addresses do not answer it.
TEST(Invites, TheInviteOfAMemberThatHasGoneLeadsNowhereAndSaysSo)
{
    Party party;
    ASSERT_TRUE(party.begin_with_two());
    Member &host = party.members[0], &guest = party.members[1];
    const Address addresses[] = {guest.address, host.address};
    const Invite of_guest = by_text(guest.session, addresses);
    leave(guest.session);
    while (session_state(guest.session) != State::left)
        party.tick();
    destroy_session(guest.session);
    destroy_socket(guest.socket);
    party.members.pop_back();
    const Member &newcomer = party.add();
    join(newcomer.session, of_guest);
    EXPECT_FALSE(party.tick_until_open(1));
    EXPECT_EQ(session_state(newcomer.session), State::unreachable);
    EXPECT_NE(std::string(state_text(newcomer.session)).find("No datagram has arrived"),
              std::string::npos);
}
