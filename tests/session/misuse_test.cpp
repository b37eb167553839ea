// A game calls functions wrongly: the function does nothing, and a text names the
// mistake and the remedy. docs/use/misuse.md lists all of them; texts_test.cpp makes the others.
#include "misuse_page.h"
#include "tern/prediction.hpp"
#include <cmath>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <iterator>
#include <regex>
#include <string>
#include <tern/calls.hpp>
#include <tern/diagnostics.hpp>
#include <tern/handlers.hpp>
#include <tern/host.hpp>
#include <tern/interest.hpp>
#include <tern/invites.hpp>
#include <tern/io.hpp>
#include <tern/many.hpp>
#include <tern/ownership.hpp>
#include <tern/recording.hpp>
#include <tern/sim.hpp>
#include <tern/tern.hpp>
#include <tern/untyped.hpp>
#include <thread>
#include <utility>

using namespace tern;
using test::lists;

namespace {

struct Ship {
    float position[2];
    int32_t health;
};
TERN_FIELDS(Ship, position, field(health, range(0, 100)));
struct Shout {
    char text[32];
    ObjectId about;
};
TERN_FIELDS(Shout, text, about);
struct Rock { // No type has it.
    float size;
};
TERN_FIELDS(Rock, size);

enum : TypeId { SHIP, SHOUT };

struct Report {
    int count = 0;
    std::string function, text;
    ObjectId object = ObjectId::none;
    PeerId owner = PeerId::none;
    std::function<void()> then; // What the handler does.
};

void note(void *user, const Misuse &misuse)
{
    auto &report = *static_cast<Report *>(user);
    report.count += 1;
    report.function = misuse.function;
    report.text = std::string(misuse.wrong) + " " + misuse.remedy;
    report.object = misuse.object;
    report.owner = misuse.owner;
    if (report.then) report.then();
}

// The names of a text that a game in C does not have: those with ::, and functions that tern.h does
// not declare.
std::string names_of_cpp_only(const std::string &text)
{
    std::ifstream file(TERN_SOURCE_DIR "/include/tern/tern.h");
    const std::string header((std::istreambuf_iterator<char>(file)), {});
    const std::regex cpp("\\w+::\\w+|\\w+<>"), call("(\\w+)\\(\\)");
    std::string names;
    const std::sregex_iterator end;
    for (std::sregex_iterator found(text.begin(), text.end(), cpp); found != end; ++found)
        names += found->str() + " ";
    for (std::sregex_iterator found(text.begin(), text.end(), call); found != end; ++found)
        if (header.find("tern_" + found->str(1) + "(") == std::string::npos)
            names += found->str() + " ";
    return names;
}

const Type types[] = {make_type<Ship>("ship", {.objects_max = 4}), make_type<Shout>("shout")};

// A host and two guests that tick together. The host and the first guest own a ship each.
struct Misused : testing::Test {
    Report report;
    SimNetwork *network = make_sim_network({1, {5, 5}});
    Session *host = nullptr, *guest = nullptr, *second = nullptr;
    Socket *sockets[3] = {make_sim_socket(network, loopback(1000)),
                          make_sim_socket(network, loopback(1001)),
                          make_sim_socket(network, loopback(1002))};
    uint64_t now_us = 0;
    std::function<void()> meanwhile; // What happens inside send() of the host, once.
    ObjectId hosts = ObjectId::none, guests = ObjectId::none;

    Config config()
    {
        Config config = {};
        config.types = types;
        config.misuse = {note, &report};
        return config;
    }
    static void build_parts(void *user, uint32_t count, void (*run)(void *, uint32_t),
                            void *context)
    {
        const auto meanwhile = std::exchange(static_cast<Misused *>(user)->meanwhile, nullptr);
        if (meanwhile) meanwhile();
        for (uint32_t i = 0; i < count; ++i)
            run(context, i);
    }
    void SetUp() override
    {
        Config parallel = config();
        parallel.parallel = {build_parts, this, 2};
        host = make_session(parallel);
        guest = make_session(config());
        second = make_session(config());
        start(host);
        join(guest, make_invite(host, std::span(&address, 1)));
        for (int i = 0; i < 10; ++i)
            tick();
        join(second, make_invite(host, std::span(&address, 1)));
        for (int i = 0; i < 100; ++i)
            tick();
        ASSERT_EQ(session_state(guest), State::open);
        ASSERT_EQ(local_peer(guest), static_cast<PeerId>(2));
        ASSERT_EQ(session_state(second), State::open);
        hosts = create(host, SHIP, Ship{});
        guests = create(guest, SHIP, Ship{});
        for (int i = 0; i < 10; ++i)
            tick();
        ASSERT_TRUE(exists(host, guests) && exists(guest, hosts));
        ASSERT_EQ(report.count, 0);
    }
    void TearDown() override
    {
        report.then = nullptr;
        destroy_session(host);
        destroy_session(guest);
        destroy_session(second);
        destroy_sim_network(network);
    }
    void tick()
    {
        now_us += 10'000;
        advance(network, now_us);
        Session *const all[] = {host, guest, second};
        for (int i = 0; i < 3; ++i)
            receive(all[i], sockets[i]->receive(), now_us);
        for (int i = 0; i < 3; ++i)
            sockets[i]->send(send(all[i], now_us));
    }
    // The call is reported once, and as the page says.
    void expect(const std::string &function, const std::string &text)
    {
        EXPECT_EQ(report.count, 1) << function;
        EXPECT_EQ(report.function, function);
        EXPECT_EQ(report.text, text);
        EXPECT_TRUE(lists("`" + function + "()`", text)) << function << ": " << text;
        EXPECT_EQ(names_of_cpp_only(text), "") << text;
        report = {};
    }
    const Address address = loopback(1000);
};

const std::string closed = "Call start() or join() first, then receive() and send() in each tick.";

}

TEST_F(Misused, BeforeTheSessionIsOpen)
{
    Session *fresh = make_session(config());
    EXPECT_EQ(create(fresh, SHIP, Ship{}), ObjectId::none);
    expect("create", "The session is not open: Neither started nor joining. " + closed);
    EXPECT_EQ(make_invite(fresh, std::span(&address, 1)).address_count, 0);
    expect("make_invite", "The session is not open: Neither started nor joining. " + closed);
    EXPECT_FALSE(leave(fresh));
    expect("leave", "The session is not open: Neither started nor joining. " + closed);
    EXPECT_FALSE(join(fresh, parse_invite("tern1-half").invite));
    expect("join", "The invite has 0 addresses: it was not read from a valid text. Check "
                   "the error of parse_invite(), and show it to the player.");
    const std::vector<std::byte> long_payload(300);
    EXPECT_FALSE(join(fresh, make_invite(host, std::span(&address, 1)), long_payload));
    expect("join", "The payload has 300 bytes, and at most 256 may be sent. Send the rest in a "
                   "call, after caught_up.");
    join(fresh, make_invite(host, std::span(&address, 1)));
    EXPECT_EQ(create(fresh, SHIP, Ship{}), ObjectId::none);
    expect("create", "The session is not open: Joining. Wait until session_state() is open.");
    EXPECT_FALSE(start(fresh));
    expect("start", "The session has begun before: Joining. Start or join once with each session, "
                    "and make another one for the next game.");
    destroy_session(fresh);
}

TEST_F(Misused, AfterItHasEnded)
{
    leave(guest);
    EXPECT_FALSE(set(guest, Object<Ship>{guests}, Ship{}));
    expect("set", "The session is not open: Leaving: waiting until all has arrived. While this "
                  "peer leaves, call only receive() and send().");
    for (int i = 0; i < 100; ++i)
        tick();
    ASSERT_EQ(session_state(guest), State::left);
    EXPECT_FALSE(set(guest, Object<Ship>{guests}, Ship{}));
    expect("set", "The session is not open: Left the session. This session has ended: make another "
                  "one to play on.");
}

TEST_F(Misused, WhatAnotherOwns)
{
    const std::string remedy = " Ask may_set() or compare object_owner() with local_peer() first: "
                               "owners change in each receive(). To get the object, claim() it.";
    const std::string others = "Object 1.1 (ship) belongs to peer 1, and this is peer 2." + remedy;
    const uint64_t before = world_digest(guest);
    EXPECT_FALSE(set(guest, Object<Ship>{hosts}, Ship{{1, 1}, 1}));
    EXPECT_EQ(report.object, hosts);
    EXPECT_EQ(report.owner, local_peer(host));
    expect("set", others);
    EXPECT_FALSE(destroy(guest, hosts));
    expect("destroy", others);
    EXPECT_FALSE(lock(guest, hosts, true));
    expect("lock", others);
    EXPECT_FALSE(release_ownership(guest, hosts));
    expect("release_ownership", others);
    EXPECT_EQ(world_digest(guest), before);
    claim(guest, hosts, ClaimMode::optimistic);
    EXPECT_TRUE(is_claiming(guest, hosts));
    EXPECT_TRUE(set(guest, Object<Ship>{hosts}, Ship{{1, 1}, 1}));
    EXPECT_EQ(report.count, 0);
}

TEST_F(Misused, ObjectsThatAreNotThere)
{
    EXPECT_TRUE(destroy(guest, guests));
    EXPECT_FALSE(destroy(guest, guests));
    expect("destroy",
           "Object 2.1 (ship) is destroyed. Ask exists() first: others destroy objects, too.");
    const std::string remedy = " It may be destroyed, or not have arrived yet: ask exists() first.";
    const auto unknown = static_cast<ObjectId>(uint64_t{2} << 32 | 77);
    EXPECT_FALSE(set(guest, Object<Ship>{unknown}, Ship{}));
    expect("set", "No object 2.77 is known here." + remedy);
    EXPECT_EQ(get(guest, Object<Ship>{unknown}).health, 0);
    expect("get", "No object 2.77 is known here." + remedy);
    EXPECT_EQ(object_owner(guest, ObjectId::none), PeerId::none);
    const std::string none =
        "The object is none: its id is 0. Check what create() returned, and that the id was set.";
    expect("object_owner", none);
    EXPECT_FALSE(claim(guest, ObjectId::none));
    expect("claim", none);
    EXPECT_EQ(call_owner(guest, ObjectId::none, SHOUT, Shout{}), CallId::none);
    expect("call_owner", none);
    EXPECT_EQ(request_owner(guest, ObjectId::none, SHOUT, Shout{}), CallId::none);
    expect("request_owner", none);
    EXPECT_EQ(object_type(guest, unknown), no_type);
    EXPECT_EQ(object_stamp(guest, unknown), 0u);
}

TEST_F(Misused, TypesAndValues)
{
    const std::string sizes = " Use the struct that the type was made for; object_type() tells the "
                              "type of an object.";
    const std::string mismatch =
        "A struct of 40 bytes was passed for type ship, whose struct has 12." + sizes;
    EXPECT_EQ(create(guest, SHIP, Shout{}), ObjectId::none);
    expect("create", mismatch);
    EXPECT_EQ(get(guest, Object<Shout>{hosts}).text[0], 0);
    expect("get", mismatch);
    EXPECT_TRUE(object_values<Shout>(guest, SHIP).empty());
    expect("object_values", mismatch);
    Shout shout = {};
    EXPECT_FALSE(sample(guest, Object<Shout>{hosts}, now_us, shout));
    expect("sample", mismatch);
    EXPECT_TRUE(object_ids(guest, 9).empty());
    expect("object_ids", "There is no type 9: the session has 2 types. Use the index of a type in "
                         "the types of the config.");
    EXPECT_FALSE(create(guest, Rock{}));
    expect("create", "No type of the session has this struct. Add the type of the struct to the "
                     "types of the config.");
    EXPECT_EQ(create(guest, SHOUT, Shout{}), ObjectId::none);
    expect("create", "Type shout is for calls only: its objects_max is 0. Set objects_max of the "
                     "type, or call() it.");
    EXPECT_FALSE(set(guest, guests, nullptr, sizeof(Ship)));
    expect("set", "The value for type ship is a null pointer. Pass a pointer to the struct.");
    EXPECT_FALSE(set(guest, Object<Ship>{guests}, Ship{{0, std::nanf("")}, 1}));
    expect("set", "Field position of type ship is NaN, which is no number. Find out where the game "
                  "divides zero by zero, or does not set the number.");
}

TEST_F(Misused, Calls)
{
    EXPECT_FALSE(call(guest, local_peer(host), SHIP, Ship{}));
    expect("call", "Type ship is for objects, and not for calls. Declare a type with objects_max 0 "
                   "for the arguments.");
    EXPECT_FALSE(call(guest, local_peer(guest), SHOUT, Shout{}));
    expect("call", "A peer does not call itself: peer 2 is this one. Do in the game what the call "
                   "would do.");
    EXPECT_FALSE(call(guest, PeerId::host, SHOUT, Shout{}, Reliability::unreliable));
    expect("call", "Calls to the present host, whoever it is, are reliable. Call the peer of "
                   "host_peer() unreliably, or the present host reliably.");
    EXPECT_EQ(request(guest, PeerId::everyone, SHOUT, Shout{}), CallId::none);
    expect("request", "A request to everyone gets no reply. Request it of one other peer; request "
                      "each one for all.");
    EXPECT_EQ(request(guest, PeerId::host, SHOUT, Shout{}, 0), CallId::none);
    expect("request", "timeout_ms is 0. Pass 1 to 600000 ms.");
    EXPECT_FALSE(reply(guest, CallEvent{}, SHOUT, Shout{}));
    expect("reply", "The caller of this call awaits no reply. Reply only to a call whose id is "
                    "not none.");
    EXPECT_NE(call_owner(guest, hosts, SHOUT, Shout{}), CallId::none);
    EXPECT_EQ(report.count, 0);
}

TEST_F(Misused, WhatOnlyTheHostMayDo)
{
    const std::string only = "Only the host may do this, and the host is peer 1, not peer 2. Do it "
                             "in the game of the host: compare host_peer() with local_peer().";
    EXPECT_FALSE(migrate(guest, hosts, local_peer(guest)));
    expect("migrate", only);
    EXPECT_FALSE(remove(guest, local_peer(host)));
    expect("remove", only);
    EXPECT_FALSE(refuse_claim(guest, hosts, local_peer(host)));
    expect("refuse_claim", only);
    EXPECT_FALSE(balance(guest, SHIP));
    expect("balance", only);
    EXPECT_FALSE(go_on(guest));
    expect("go_on", "The session is not cut off: The session is open. Call it only while "
                    "session_state() is cut_off.");
}

TEST_F(Misused, Interest)
{
    EXPECT_FALSE(set_priority(guest, guests, local_peer(host), -1));
    expect("set_priority", "The priority is -1. Pass 0 to hide the object, and 1 for each tick.");
    EXPECT_FALSE(set_interest(guest, SHIP, 1, {}, 10, 20));
    expect("set_interest", "Field health of type ship is no position. Pass the index of a float32 "
                           "field of one to three numbers.");
    EXPECT_FALSE(set_interest(guest, SHIP, 0, {}, 20, 10));
    expect("set_interest", "near_distance is 20 and far_distance 10. Make 0 < near_distance <= "
                           "far_distance.");
}

TEST_F(Misused, TimeAndRecordings)
{
    const std::string clock = " Pass a clock that never goes back, such as clock_us(), and the "
                              "same one to receive() and send().";
    EXPECT_TRUE(receive(guest, {}, now_us - 5).empty());
    expect("receive", "The time went back by 5 us." + clock);
    EXPECT_TRUE(send(guest, now_us - 5).empty());
    expect("send", "The time went back by 5 us." + clock);
    EXPECT_TRUE(take_recording(guest).empty());
    expect("take_recording",
           "This session is not recorded. Set recording_bytes_max of the config to record.");
    EXPECT_EQ(make_invite(guest, {}).address_count, 0);
    expect("make_invite", "There are 0 addresses, and an invite has 1 to 4. Pass the addresses at "
                          "which newcomers reach this process, such as this machine's in the "
                          "local network.");
    const std::string reached =
        " Pass the IP at which others reach this process, and the port of its socket.";
    Address bound[] = {parse_address("0.0.0.0:7").address, address};
    EXPECT_EQ(make_invite(guest, bound).address_count, 0);
    expect("make_invite", "addresses[0] is 0.0.0.0 or ::." + reached);
    bound[0] = parse_address("[::]:7").address;
    EXPECT_EQ(make_invite(guest, bound).address_count, 0);
    expect("make_invite", "addresses[0] is 0.0.0.0 or ::." + reached);
    bound[0] = parse_address("[::1]:7").address;
    EXPECT_EQ(make_invite(guest, bound).address_count, 2);
    bound[1].port = 0;
    EXPECT_EQ(make_invite(guest, bound).address_count, 0);
    expect("make_invite", "addresses[1] has port 0." + reached);
    Config wrong = config();
    wrong.peers_max = 65;
    EXPECT_EQ(make_session(wrong), nullptr);
    expect("make_session",
           "The config is wrong: peers_max 65, at most 64 and at least 2. Show what "
           "config_problem() returns for settings from a file.");
}

// Another thread and a callback find the session in use. What they call does nothing.
TEST_F(Misused, TwoAtOnce)
{
    int done = 0;
    meanwhile = [&] {
        done += set(host, Object<Ship>{hosts}, Ship{{1, 1}, 1});
        std::thread([&] { done += create(host, SHIP, Ship{}) != ObjectId::none; }).join();
    };
    set(host, Object<Ship>{hosts}, Ship{{2, 2}, 2}); // So that there is something to send to both.
    tick();
    ASSERT_FALSE(meanwhile);
    EXPECT_EQ(done, 0);
    EXPECT_EQ(report.count, 2);
    report.count = 1;
    expect("create",
           "Another function is changing this session at the moment. Use a session on one "
           "thread at a time, and call nothing on it from a callback.");
    EXPECT_TRUE(set(host, Object<Ship>{hosts}, Ship{{1, 1}, 1}));
}

TEST_F(Misused, ManyAtOnce)
{
    const ObjectId both[] = {guests, hosts};
    const Ship ships[] = {{{1, 1}, 1}, {{2, 2}, 2}, {{3, 3}, 3}};
    EXPECT_EQ(set_many<Ship>(guest, SHIP, both, ships), 0u);
    expect("set_many", "There are 36 bytes for 2 objects of 12 bytes. Pass one struct for each "
                       "object, without gaps.");
    EXPECT_EQ(set_many<Ship>(guest, SHIP, both, std::span(ships).first(2)), 1u);
    expect("set_many", "Object 1.1 (ship) belongs to peer 1, and this is peer 2. Ask may_set() or "
                       "compare object_owner() with local_peer() first: owners change in each "
                       "receive(). To get the object, claim() it.");
    EXPECT_EQ(get(guest, Object<Ship>{guests}).health, 1);
    Shout shouts[1] = {};
    EXPECT_EQ(get_many<Shout>(guest, SHOUT, std::span(both).first(1), shouts), 0u);
    expect("get_many",
           "Object 2.1 is of type ship, and not of type shout. Ask object_type() first, "
           "or keep the ids of each type apart.");
}

// Whatever is wrong with a call about an object, the report names it, and its owner if it is known.
TEST_F(Misused, TheReportNamesTheObjectAndItsOwner)
{
    const auto expect_about = [&](ObjectId object, PeerId owner) {
        EXPECT_EQ(report.count, 1);
        EXPECT_EQ(report.object, object) << report.function;
        EXPECT_EQ(report.owner, owner) << report.function;
        report = {};
    };
    const PeerId self = local_peer(guest), other = local_peer(host);
    const ObjectId both[] = {guests, hosts};
    Shout shout = {};
    set(guest, guests, nullptr, sizeof(Ship));
    expect_about(guests, self);
    get(guest, Object<Shout>{hosts});
    expect_about(hosts, other);
    sample(guest, Object<Shout>{hosts}, now_us, shout);
    expect_about(hosts, other);
    migrate(guest, hosts, self);
    expect_about(hosts, other);
    refuse_claim(guest, hosts, self);
    expect_about(hosts, other);
    set_priority(guest, guests, other, -1);
    expect_about(guests, self);
    call_owner(guest, hosts, SHIP, Ship{});
    expect_about(hosts, other);
    request_owner(guest, hosts, SHOUT, Shout{}, 0);
    expect_about(hosts, other);
    const Ship ships[] = {{{1, 1}, 1}, {{2, 2}, 2}};
    set_many<Ship>(guest, SHIP, both, ships);
    expect_about(hosts, other);
    get_many<Shout>(guest, SHOUT, std::span(both).first(1), {&shout, 1});
    expect_about(guests, self);
    Session *fresh = make_session(config());
    claim(fresh, hosts);
    expect_about(hosts, PeerId::none);
    destroy_session(fresh);
}

TEST_F(Misused, NullPointers)
{
    const tern_object objects[] = {to_c(guests), to_c(guests)};
    tern_object created[2];
    Ship ships[2] = {};
    const std::string first = " is a null pointer, and its count is 2. Pass a pointer to the first "
                              "one, or a count of 0.";
    EXPECT_EQ(tern_set_many(guest, SHIP, nullptr, 2, ships, sizeof ships), 0u);
    expect("set_many", "objects" + first);
    EXPECT_EQ(tern_get_many(guest, SHIP, nullptr, 2, ships, sizeof ships), 0u);
    expect("get_many", "objects" + first);
    EXPECT_EQ(tern_destroy_many(guest, nullptr, 2), 0u);
    expect("destroy_many", "objects" + first);
    EXPECT_EQ(tern_claim_many(guest, nullptr, 2, TERN_CLAIM_WAIT), 0u);
    expect("claim_many", "objects" + first);
    EXPECT_EQ(tern_sample(guest, to_c(guests), now_us, nullptr, sizeof(Ship)), TERN_MISUSE);
    expect("sample", "value is a null pointer. Pass a pointer to a variable for the result.");

    const auto expect_null = [&](const std::string &function, const std::string &name) {
        EXPECT_EQ(report.count, 1) << function;
        EXPECT_EQ(report.function, function);
        EXPECT_EQ(report.text.find(name + " is a null pointer"), 0u) << report.text;
        report = {};
    };
    EXPECT_EQ(tern_create_many(guest, SHIP, nullptr, sizeof ships, created, 2), 0u);
    expect_null("create_many", "values");
    EXPECT_EQ(tern_create_many(guest, SHIP, ships, sizeof ships, nullptr, 2), 0u);
    expect_null("create_many", "created");
    EXPECT_EQ(tern_set_many(guest, SHIP, objects, 2, nullptr, sizeof ships), 0u);
    expect_null("set_many", "values");
    EXPECT_EQ(tern_get_many(guest, SHIP, objects, 2, nullptr, sizeof ships), 0u);
    expect_null("get_many", "values");
    EXPECT_EQ(tern_set_interest(guest, SHIP, 0, nullptr, 2, 10, 20), TERN_MISUSE);
    expect_null("set_interest", "viewpoints");
    EXPECT_EQ(tern_make_invite(guest, nullptr, 2, nullptr), TERN_MISUSE);
    expect_null("make_invite", "addresses");
    EXPECT_EQ(tern_make_invite(guest, to_c(&address), 1, nullptr), TERN_MISUSE);
    expect_null("make_invite", "invite");
    EXPECT_EQ(tern_receive(guest, nullptr, 2, now_us), TERN_MISUSE);
    expect_null("receive", "datagrams");
    EXPECT_EQ(tern_send(guest, now_us, nullptr), 0u);
    expect_null("send", "datagrams");
    EXPECT_EQ(tern_take_recording(guest, nullptr), 0u);
    expect_null("take_recording", "bytes");
    Session *fresh = make_session(config());
    const Invite invite = make_invite(host, std::span(&address, 1));
    EXPECT_EQ(tern_join(fresh, to_c(&invite), nullptr, 2), TERN_MISUSE);
    expect_null("join", "payload");
    destroy_session(fresh);
    char text[TERN_INVITE_TEXT_MAX];
    EXPECT_DEATH(tern_invite_text(nullptr, text), "invite_text.*is a null pointer");

    EXPECT_EQ(tern_destroy_many(guest, nullptr, 0), 0u); // No objects need no array.
    EXPECT_EQ(report.count, 0);
    EXPECT_TRUE(exists(guest, guests));
}

// A handler may read the session. What it calls wrongly itself is not reported again.
TEST_F(Misused, TheHandlerMayRead)
{
    std::string name;
    report.then = [&] {
        name = peer_name(guest, report.owner) + std::string(state_text(guest));
        set(guest, Object<Ship>{hosts}, Ship{});
    };
    EXPECT_FALSE(set(guest, Object<Ship>{hosts}, Ship{}));
    EXPECT_EQ(report.count, 1);
    EXPECT_EQ(name, "The session is open.");
    report.then = nullptr;
    EXPECT_TRUE(set(guest, Object<Ship>{guests}, Ship{}));
}

TEST(Misuse, WithoutASessionNothingHappens)
{
    EXPECT_DEATH(
        set(nullptr, ObjectId::none, nullptr, 0),
        "tern: set.*: The session is null. Check that make_session.. has not returned null");
    EXPECT_DEATH(destroy(nullptr, ObjectId::none), "tern: destroy.*: The session is null");
    alignas(8) static std::byte none[1 << 16] = {};
    EXPECT_DEATH(session_state(reinterpret_cast<Session *>(none)), "The pointer names no session");
}
