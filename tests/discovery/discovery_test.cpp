// Announcers and finders without a network: the test passes the datagrams from one to the other.
#include "discovery/discovery_wire.h"
#include "tern/discovery.hpp"
#include "tern/limits.hpp"
#include "tests/session/sim_world.h"
#include "transport/transport_types.h"
#include <gtest/gtest.h>
#include <memory>

using namespace tern;
using namespace tern::test;
using discovery::message_bytes;

namespace {

struct Destroyer {
    void operator()(Announcer *announcer) const { destroy_announcer(announcer); }
    void operator()(Finder *finder) const { destroy_finder(finder); }
};
using OwnedAnnouncer = std::unique_ptr<Announcer, Destroyer>;
using OwnedFinder = std::unique_ptr<Finder, Destroyer>;
using Bytes = std::vector<std::byte>;

const Address finder_address = parse_address("192.0.2.9:50000").address;
const Address host_address = parse_address("192.0.2.1:28376").address;

struct Mail {
    Address to;
    Bytes bytes;
};

}

static OwnedAnnouncer announcer(const char *game, const char *name, const Address &address,
                                bool open)
{
    return OwnedAnnouncer(
        make_announcer({.game = game, .name = name, .address = address, .open = open}));
}

static OwnedFinder finder(const char *game, const Config *config = nullptr)
{
    return OwnedFinder(make_finder({.game = game, .config = config}));
}

static std::vector<Mail> copied(std::span<const Datagram> datagrams)
{
    std::vector<Mail> out;
    for (const Datagram &datagram : datagrams)
        out.push_back({datagram.address, Bytes(datagram.bytes.begin(), datagram.bytes.end())});
    return out;
}

static std::vector<Mail> hear(Announcer &a, const Session *session, const Bytes &bytes,
                              uint64_t now_us, const Address &from = finder_address)
{
    const Datagram datagram = {from, bytes};
    return copied(announce(&a, session, {&datagram, 1}, now_us));
}

// Passes the finder's query to each announcer, and their answers back to the finder.
static void ask(Finder &f, std::initializer_list<std::pair<Announcer *, const Session *>> members,
                uint64_t now_us, const Address &from = host_address)
{
    for (const Mail &query : copied(find(&f, {}, now_us)))
        for (const auto &[one, session] : members)
            for (const Mail &answer : hear(*one, session, query.bytes, now_us)) {
                const Datagram datagram = {from, answer.bytes};
                find(&f, {&datagram, 1}, now_us);
            }
}

static Bytes query_bytes(uint64_t nonce, const char *game)
{
    discovery::Query query = {};
    query.nonce = nonce;
    std::snprintf(query.game, sizeof query.game, "%s", game);
    Bytes bytes(message_bytes);
    discovery::write_query(query, discovery::Buffer(bytes.data(), message_bytes));
    return bytes;
}

static discovery::Answer some_answer()
{
    discovery::Answer answer = {};
    answer.version = wire_version;
    answer.open = true;
    answer.quorum = 1;
    answer.nonce = 0x1122334455667788;
    std::snprintf(answer.game, sizeof answer.game, "ships");
    std::snprintf(answer.name, sizeof answer.name, "Ada's");
    answer.session = 0x0102030405060708;
    answer.types_digest = 0xa1a2a3a4a5a6a7a8;
    answer.players = 3;
    answer.peers_max = 16;
    answer.port = 7777;
    for (size_t i = 0; i < 32; ++i) {
        answer.key[i] = static_cast<uint8_t>(0x40 + i);
        answer.secret[i] = static_cast<uint8_t>(0x80 + i);
    }
    return answer;
}

static Bytes answer_bytes(const discovery::Answer &answer)
{
    Bytes bytes(message_bytes);
    discovery::write_answer(answer, discovery::Buffer(bytes.data(), message_bytes));
    return bytes;
}

static void put(Bytes &bytes, size_t at, std::initializer_list<int> values)
{
    for (int value : values)
        bytes[at++] = static_cast<std::byte>(value);
}

static void put(Bytes &bytes, size_t at, const char *text)
{
    while (*text)
        bytes[at++] = static_cast<std::byte>(*text++);
}

// --- The exact bytes of the datagrams, from docs/wire_format.md ---

TEST(DiscoveryWire, AQueryIsThese168Bytes)
{
    Bytes expected(168);
    put(expected, 0, "tern");
    put(expected, 4, {1, 0, 0, 0, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11});
    put(expected, 16, "ships");
    EXPECT_EQ(query_bytes(0x1122334455667788, "ships"), expected);
    discovery::Query query;
    ASSERT_TRUE(discovery::read_query(expected, query));
    EXPECT_EQ(query.nonce, 0x1122334455667788u);
    EXPECT_STREQ(query.game, "ships");
}

TEST(DiscoveryWire, AnAnswerIsThese168Bytes)
{
    Bytes expected(168);
    put(expected, 0, "tern");
    put(expected, 4, {2, 1, 1, 1, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11});
    put(expected, 16, "ships");
    put(expected, 48, "Ada's");
    put(expected, 80, {8, 7, 6, 5, 4, 3, 2, 1, 0xa8, 0xa7, 0xa6, 0xa5, 0xa4, 0xa3, 0xa2, 0xa1});
    put(expected, 96, {3, 0, 16, 0, 0x61, 0x1e, 0, 0});
    for (size_t i = 0; i < 32; ++i) {
        expected[104 + i] = static_cast<std::byte>(0x40 + i);
        expected[136 + i] = static_cast<std::byte>(0x80 + i);
    }
    EXPECT_EQ(answer_bytes(some_answer()), expected);
    discovery::Answer answer;
    ASSERT_TRUE(discovery::read_answer(expected, answer));
    EXPECT_EQ(answer_bytes(answer), expected);
    EXPECT_EQ(answer.port, 7777);
    EXPECT_EQ(answer.players, 3);
    EXPECT_STREQ(answer.name, "Ada's");
}

TEST(DiscoveryWire, OtherLengthsKindsAndPaddingAreRefused)
{
    discovery::Query query;
    discovery::Answer answer;
    const Bytes good = query_bytes(1, "ships"), good_answer = answer_bytes(some_answer());
    EXPECT_FALSE(discovery::read_query(good_answer, query));
    EXPECT_FALSE(discovery::read_answer(good, answer));
    for (size_t size : {0u, 1u, 4u, 167u}) {
        EXPECT_FALSE(discovery::read_query(std::span(good).first(size), query)) << size;
        EXPECT_FALSE(discovery::read_answer(std::span(good_answer).first(size), answer)) << size;
    }
    Bytes longer = good;
    longer.push_back({});
    EXPECT_FALSE(discovery::read_query(longer, query));
    for (size_t at : {0u, 3u, 4u, 5u, 7u, 22u, 47u, 48u, 167u}) {
        Bytes bad = good;
        bad[at] ^= std::byte{0x40};
        EXPECT_FALSE(discovery::read_query(bad, query)) << at;
    }
    for (size_t at : {0u, 4u, 6u, 22u, 47u, 79u, 102u, 103u}) {
        Bytes bad = good_answer;
        bad[at] ^= std::byte{0x40};
        EXPECT_FALSE(discovery::read_answer(bad, answer)) << at;
    }
}

TEST(DiscoveryWire, ATextAlwaysHasItsEnd)
{
    const std::string longest(name_bytes_max - 1, 'x');
    discovery::Query query;
    ASSERT_TRUE(discovery::read_query(query_bytes(1, longest.c_str()), query));
    EXPECT_EQ(query.game, longest);
    std::memset(query.game, 'x', sizeof query.game); // Its last character is cut off.
    Bytes bytes(message_bytes);
    discovery::write_query(query, discovery::Buffer(bytes.data(), message_bytes));
    ASSERT_TRUE(discovery::read_query(bytes, query));
    EXPECT_EQ(query.game, longest);
    bytes[16 + longest.size()] = std::byte{'x'};
    EXPECT_FALSE(discovery::read_query(bytes, query));
}

TEST(DiscoveryWire, AnswersThatContradictThemselvesAreRefused)
{
    const auto refused = [](auto change) {
        discovery::Answer answer = some_answer(), read;
        change(answer);
        return !discovery::read_answer(answer_bytes(answer), read);
    };
    EXPECT_FALSE(refused([](auto &) {}));
    EXPECT_TRUE(refused([](auto &a) { a.players = 0; }));
    EXPECT_TRUE(refused([](auto &a) { a.players = 17; }));
    EXPECT_TRUE(refused([](auto &a) { a.port = 0; }));
    EXPECT_TRUE(refused([](auto &a) { a.open = false; })); // The secret is still there.
    EXPECT_FALSE(refused([](auto &a) {
        a.open = false;
        a.port = 0;
        std::memset(a.key, 0, 32);
        std::memset(a.secret, 0, 32);
    }));
}

// --- Announcers and finders ---

TEST(Discovery, AnOpenSessionIsFoundAndJoinedByWhatWasFound)
{
    SimWorld world(1);
    world.add();
    const Session *host = world.nodes[0].session;
    const Address game = world.nodes[0].address;
    const OwnedAnnouncer a = announcer("ships", "Ada's", game, true);
    const OwnedFinder f = finder("ships", &world.config);
    ask(*f, {{a.get(), host}}, 0, game);
    ASSERT_EQ(found_sessions(f.get()).size(), 1u);
    const FoundSession &seen = found_sessions(f.get())[0];
    EXPECT_STREQ(seen.game, "ships");
    EXPECT_STREQ(seen.name, "Ada's");
    EXPECT_EQ(seen.players, 1);
    EXPECT_EQ(seen.peers_max, world.config.peers_max);
    EXPECT_EQ(seen.fit, Fit::fits);
    ASSERT_TRUE(seen.open);
    ASSERT_EQ(seen.invite.address_count, 1);
    EXPECT_EQ(seen.invite.addresses[0], game);
    Node &newcomer = world.place(world.config);
    join(newcomer.session, seen.invite);
    ASSERT_TRUE(world.step_until_open());
    ask(*f, {{a.get(), host}}, 2'000'000, game);
    EXPECT_EQ(found_sessions(f.get())[0].players, 2);
    EXPECT_EQ(bad_datagrams(f.get()), 0u);
}

TEST(Discovery, AnyMemberAnnouncesAndTheSessionIsOneEntry)
{
    SimWorld world(2);
    ASSERT_TRUE(world.open(2));
    Session *host = world.nodes[0].session, *guest = world.nodes[1].session;
    const OwnedAnnouncer by_guest = announcer("g", "n", world.nodes[1].address, true);
    const OwnedAnnouncer by_host = announcer("g", "n", world.nodes[0].address, true);
    const OwnedFinder f = finder("g", &world.config);
    ask(*f, {{by_guest.get(), guest}, {by_host.get(), host}}, 0, world.nodes[1].address);
    ASSERT_EQ(found_sessions(f.get()).size(), 1u);
    const Invite first = make_invite(guest, {&world.nodes[1].address, 1});
    EXPECT_EQ(std::memcmp(found_sessions(f.get())[0].invite.key, first.key, 32), 0);
    EXPECT_EQ(found_sessions(f.get())[0].invite.address_count, 1);
    Node &newcomer = world.place(world.config);
    join(newcomer.session, found_sessions(f.get())[0].invite);
    EXPECT_TRUE(world.step_until_open());
    // When that member no longer answers, the entry names the other member.
    for (uint64_t now_us = 1'000'000; now_us <= 6'000'000; now_us += 1'000'000)
        ask(*f, {{by_host.get(), host}}, now_us);
    ASSERT_EQ(found_sessions(f.get()).size(), 1u);
    EXPECT_NE(std::memcmp(found_sessions(f.get())[0].invite.key, first.key, 32), 0);
}

TEST(Discovery, AClosedSessionShowsItsIdAndNeitherKeyNorSecretNorPort)
{
    SimWorld world(3);
    world.add();
    const Session *host = world.nodes[0].session;
    const Invite whole = world.the_invite();
    const OwnedAnnouncer a = announcer("g", "n", world.nodes[0].address, false);
    const std::vector<Mail> answers = hear(*a, host, query_bytes(7, "g"), 0);
    ASSERT_EQ(answers.size(), 1u);
    const auto tells = [&](const uint8_t(&secret)[32]) {
        const auto *begin = reinterpret_cast<const uint8_t *>(answers[0].bytes.data());
        return std::search(begin, begin + message_bytes, secret, secret + 4) !=
               begin + message_bytes;
    };
    EXPECT_FALSE(tells(whole.secret));
    EXPECT_FALSE(tells(whole.key));
    const OwnedFinder f = finder("g");
    ask(*f, {{a.get(), host}}, 0);
    ASSERT_EQ(found_sessions(f.get()).size(), 1u);
    EXPECT_FALSE(found_sessions(f.get())[0].open);
    EXPECT_EQ(found_sessions(f.get())[0].invite.session, whole.session);
    EXPECT_EQ(found_sessions(f.get())[0].invite.address_count, 0);
    // An open announcement of the same session by another member completes the entry.
    const OwnedAnnouncer open = announcer("g", "n", world.nodes[0].address, true);
    ask(*f, {{a.get(), host}, {open.get(), host}}, 1'000'000);
    ASSERT_EQ(found_sessions(f.get()).size(), 1u);
    EXPECT_TRUE(found_sessions(f.get())[0].open);
    EXPECT_EQ(std::memcmp(found_sessions(f.get())[0].invite.secret, whole.secret, 32), 0);
}

TEST(Discovery, WhatDoesNotFitIsShownAndNamed)
{
    SimWorld world(4);
    world.config.peers_max = 2;
    world.add();
    const Session *host = world.nodes[0].session;
    const OwnedAnnouncer a = announcer("g", "n", world.nodes[0].address, true);
    const auto fit_for = [&](const Config &config) {
        const OwnedFinder f = finder("g", &config);
        ask(*f, {{a.get(), host}}, 0);
        return found_sessions(f.get()).size() == 1 ? found_sessions(f.get())[0].fit
                                                   : Fit::other_version;
    };
    EXPECT_EQ(fit_for(world.config), Fit::fits);
    Config other = world.config;
    other.peers_max = 3;
    EXPECT_EQ(fit_for(other), Fit::other_limits);
    other.types = other.types.first(1);
    EXPECT_EQ(fit_for(other), Fit::other_types);
    other = world.config;
    other.quorum = Quorum::survivors;
    EXPECT_EQ(fit_for(other), Fit::other_limits);
    world.add();
    ASSERT_TRUE(world.step_until_open());
    EXPECT_EQ(fit_for(world.config), Fit::full);
    EXPECT_STREQ(to_text(Fit::full), "it is full");
}

// The finder's nonce, read from its query.
static uint64_t nonce_of(Finder &f, uint64_t now_us)
{
    const std::span<const Datagram> asked = find(&f, {}, now_us);
    discovery::Query query = {};
    EXPECT_TRUE(!asked.empty() && discovery::read_query(asked[0].bytes, query));
    return query.nonce;
}

static void tell(Finder &f, const discovery::Answer &answer, uint64_t now_us)
{
    const Bytes bytes = answer_bytes(answer);
    const Datagram datagram = {host_address, bytes};
    find(&f, {&datagram, 1}, now_us);
}

TEST(Discovery, AnotherVersionOfTheWireIsShownAsSuch)
{
    const OwnedFinder f = finder("ships");
    discovery::Answer answer = some_answer();
    answer.nonce = nonce_of(*f, 0);
    answer.version = wire_version + 1;
    tell(*f, answer, 0);
    ASSERT_EQ(found_sessions(f.get()).size(), 1u);
    EXPECT_EQ(found_sessions(f.get())[0].fit, Fit::other_version);
}

TEST(Discovery, AnswersToNobodysQueryAreCountedAndDropped)
{
    const OwnedFinder f = finder("ships");
    discovery::Answer answer = some_answer();
    answer.nonce = nonce_of(*f, 0) ^ 1;
    tell(*f, answer, 0);
    answer.nonce ^= 1;
    std::snprintf(answer.game, sizeof answer.game, "boats");
    tell(*f, answer, 0);
    const Bytes garbage(message_bytes, std::byte{0xff});
    const Datagram datagram = {host_address, garbage};
    find(f.get(), {&datagram, 1}, 0);
    EXPECT_TRUE(found_sessions(f.get()).empty());
    EXPECT_EQ(bad_datagrams(f.get()), 3u);
    const OwnedFinder another = finder("ships");
    EXPECT_NE(nonce_of(*f, 5'000'000), nonce_of(*another, 0));
}

TEST(Discovery, AFinderAsksOnceASecondAndForgetsWhoIsSilent)
{
    const OwnedFinder f = finder("ships");
    discovery::Answer answer = some_answer();
    answer.nonce = nonce_of(*f, 0);
    tell(*f, answer, 500'000);
    size_t queries = 0;
    for (uint64_t now_us = 500'000; now_us <= 4'500'000; now_us += 100'000)
        queries += find(f.get(), {}, now_us).size();
    EXPECT_EQ(queries, 4u);
    find(f.get(), {}, 4'500'000);
    EXPECT_EQ(found_sessions(f.get()).size(), 1u);
    find(f.get(), {}, 4'500'001);
    EXPECT_TRUE(found_sessions(f.get()).empty());
}

TEST(Discovery, TheListIsBoundedAndKeepsItsOrder)
{
    const OwnedFinder f = finder("ships");
    discovery::Answer answer = some_answer();
    answer.nonce = nonce_of(*f, 0);
    for (uint64_t session = 1; session <= 2 * found_max; ++session) {
        answer.session = session;
        tell(*f, answer, 0);
    }
    for (uint64_t session : {found_max, size_t{1}, size_t{3}}) {
        answer.session = session;
        tell(*f, answer, 1'000'000);
    }
    ASSERT_EQ(found_sessions(f.get()).size(), found_max);
    EXPECT_EQ(found_sessions(f.get())[63].invite.session, 64u);
    find(f.get(), {}, 4'500'000); // The other sessions have not answered again.
    ASSERT_EQ(found_sessions(f.get()).size(), 3u);
    EXPECT_EQ(found_sessions(f.get())[0].invite.session, 1u);
    EXPECT_EQ(found_sessions(f.get())[1].invite.session, 3u);
    EXPECT_EQ(found_sessions(f.get())[2].invite.session, found_max);
}

TEST(Discovery, EachWayToAMemberIsAnAddressOfItsInvite)
{
    const OwnedFinder f = finder("ships");
    discovery::Answer answer = some_answer();
    answer.nonce = nonce_of(*f, 0);
    const Bytes bytes = answer_bytes(answer);
    for (const char *from : {"192.0.2.1:28376", "[2001:db8::1]:28376", "192.0.2.1:28376",
                             "192.0.2.2:28376", "192.0.2.3:28376", "192.0.2.4:28376"}) {
        const Datagram datagram = {parse_address(from).address, bytes};
        find(f.get(), {&datagram, 1}, 0);
    }
    const Invite &invite = found_sessions(f.get())[0].invite;
    ASSERT_EQ(invite.address_count, invite_addresses_max);
    EXPECT_STREQ(to_text(invite.addresses[0]).text, "192.0.2.1:7777");
    EXPECT_STREQ(to_text(invite.addresses[1]).text, "[2001:db8::1]:7777");
    EXPECT_STREQ(to_text(invite.addresses[3]).text, "192.0.2.3:7777");
}

TEST(Discovery, OnlyQueriesForTheGameOrForAnyAreAnswered)
{
    SimWorld world(5);
    world.add();
    const Session *host = world.nodes[0].session;
    const OwnedAnnouncer a = announcer("ships", "n", world.nodes[0].address, true);
    EXPECT_EQ(hear(*a, host, query_bytes(1, "ships"), 0).size(), 1u);
    EXPECT_EQ(hear(*a, host, query_bytes(1, ""), 0).size(), 1u);
    EXPECT_EQ(hear(*a, host, query_bytes(1, "ship"), 0).size(), 0u);
    EXPECT_EQ(bad_datagrams(a.get()), 0u);
    EXPECT_EQ(hear(*a, host, Bytes(message_bytes), 0).size(), 0u);
    EXPECT_EQ(hear(*a, host, answer_bytes(some_answer()), 0).size(), 0u);
    EXPECT_EQ(bad_datagrams(a.get()), 2u);
    // The game's socket has only IPv4, so a finder that asks by IPv6 could not reach it.
    const Address v6 = parse_address("[2001:db8::9]:50000").address;
    EXPECT_EQ(hear(*a, host, query_bytes(1, "ships"), 0, v6).size(), 0u);
    const Address both = {{}, 7777}; // The local_address() of a dual-stack socket.
    const OwnedAnnouncer dual = announcer("ships", "n", both, true);
    EXPECT_EQ(hear(*dual, host, query_bytes(1, "ships"), 0, v6).size(), 1u);
    EXPECT_EQ(hear(*dual, host, query_bytes(1, "ships"), 0).size(), 1u);
}

TEST(Discovery, NoSessionIsAnnouncedThatIsNotOpen)
{
    SimWorld world(6);
    world.add();
    world.add(); // This node is still joining.
    const OwnedAnnouncer a = announcer("g", "n", world.nodes[1].address, true);
    EXPECT_TRUE(hear(*a, world.nodes[1].session, query_bytes(1, "g"), 0).empty());
    ASSERT_TRUE(world.step_until_open());
    EXPECT_EQ(hear(*a, world.nodes[1].session, query_bytes(1, "g"), 0).size(), 1u);
    leave(world.nodes[1].session);
    EXPECT_TRUE(hear(*a, world.nodes[1].session, query_bytes(1, "g"), 0).empty());
}

TEST(Discovery, AnswersAreBoundedInNumberAndNoLargerThanQueries)
{
    SimWorld world(7);
    world.add();
    const Session *host = world.nodes[0].session;
    const OwnedAnnouncer a = announcer("g", "n", world.nodes[0].address, true);
    const Bytes query = query_bytes(1, "g");
    // A query that arrives several times in one tick gets one answer.
    const std::vector<Datagram> copies(3, {finder_address, query});
    const std::span<const Datagram> one = announce(a.get(), host, copies, 0);
    ASSERT_EQ(one.size(), 1u);
    EXPECT_EQ(one[0].address, finder_address);
    EXPECT_LE(one[0].bytes.size(), query.size());
    // A flood of queries from spoofed addresses.
    size_t answers = 1;
    for (uint32_t i = 0; i < 10'000; ++i) {
        Address from = finder_address;
        from.port = static_cast<uint16_t>(1 + i % 60'000);
        answers += hear(*a, host, query, i * 100, from).size();
    }
    EXPECT_LE(answers, 64u + 32u);
    EXPECT_GE(answers, 64u + 30u);
}
