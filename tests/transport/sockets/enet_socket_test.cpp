#include "tests/transport/sockets/owned_socket.h"
#include <cstring>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>
#ifdef TERN_HAVE_ENET
#include <enet/enet.h>
#endif

using namespace tern;
using namespace tern::test;

static constexpr uint64_t patience_us = 5'000'000;

#ifndef TERN_HAVE_ENET

TEST(EnetSocket, ABuildWithoutEnetSaysSo)
{
    const MadeSocket made = make_enet_socket(0, 4);
    EXPECT_EQ(made.socket, nullptr);
    EXPECT_EQ(made.error, SocketError::not_built);
    EXPECT_STREQ(to_text(made.error), "this build is without ENet");
}

#else

namespace {

struct HostDestroyer {
    void operator()(ENetHost *host) const { enet_host_destroy(host); }
};
// An ENet host without tern. Its destructor sends no disconnect to its peers.
using PlainHost = std::unique_ptr<ENetHost, HostDestroyer>;

}

static PlainHost plain_host()
{
    const ENetAddress any = {ENET_HOST_ANY, 0};
    return PlainHost(enet_host_create(&any, 4, 1, 0, 0));
}

static Address address_of(const PlainHost &host)
{
    ENetAddress bound = {};
    EXPECT_EQ(enet_socket_get_address(host->socket, &bound), 0);
    return loopback(bound.port);
}

static ENetPeer *connecting(const PlainHost &host, const Socket &to)
{
    ENetAddress address = {};
    EXPECT_EQ(enet_address_set_host_ip(&address, "127.0.0.1"), 0);
    address.port = to.local_address().port;
    return enet_host_connect(host.get(), &address, 1, 0);
}

// Serves both ends until the host gets an event of this type. Returns an empty event, and fails the
// test, if none comes in time.
static ENetEvent awaited(const PlainHost &host, Socket &socket, ENetEventType type)
{
    const uint64_t end_us = clock_us() + patience_us;
    while (clock_us() < end_us) {
        ENetEvent event;
        socket.receive();
        if (enet_host_service(host.get(), &event, 0) > 0 && event.type == type) return event;
    }
    ADD_FAILURE() << "no event of kind " << type;
    return {};
}

static OwnedSocket opened(uint16_t peers_max = 4)
{
    return OwnedSocket(make_enet_socket(0, peers_max).socket);
}

static Address address_of(const Socket &socket)
{
    return loopback(socket.local_address().port);
}

static void take(Socket &socket, std::vector<std::string> &texts)
{
    for (const Datagram &datagram : socket.receive())
        texts.emplace_back(reinterpret_cast<const char *>(datagram.bytes.data()),
                           datagram.bytes.size());
}

// Serves both ends until `to` has received `count` datagrams or patience_us have passed.
static std::vector<std::string> collected(Socket &to, Socket &other, size_t count)
{
    std::vector<std::string> texts, ignored;
    const uint64_t end_us = clock_us() + patience_us;
    while (texts.size() < count && clock_us() < end_us) {
        take(other, ignored);
        take(to, texts);
    }
    return texts;
}

TEST(EnetSocket, FirstDatagramConnectsAndArrivesAndCanBeAnswered)
{
    const OwnedSocket a = opened(), b = opened();
    ASSERT_TRUE(a && b);
    send_text(*a, address_of(*b), "hello");
    EXPECT_EQ(collected(*b, *a, 1), std::vector<std::string>{"hello"});
    send_text(*b, address_of(*a), "hello yourself");
    EXPECT_EQ(collected(*a, *b, 1), std::vector<std::string>{"hello yourself"});
    EXPECT_EQ(a->stats().sent_datagrams, 1u);
    EXPECT_EQ(a->stats().sent_bytes, 5u);
    EXPECT_EQ(b->stats().received_bytes, 5u);
}

TEST(EnetSocket, SourceIsTheAddressThatTheSenderIsBoundTo)
{
    const OwnedSocket a = opened(), b = opened();
    ASSERT_TRUE(a && b);
    send_text(*a, address_of(*b), "");
    const uint64_t end_us = clock_us() + patience_us;
    while (clock_us() < end_us) {
        a->receive();
        const std::span<const Datagram> received = b->receive();
        if (received.empty()) continue;
        EXPECT_EQ(received[0].address, address_of(*a));
        EXPECT_TRUE(received[0].bytes.empty());
        return;
    }
    FAIL() << "nothing arrived";
}

TEST(EnetSocket, OnlyTheLastEightWaitForAConnection)
{
    const OwnedSocket a = opened(), b = opened();
    ASSERT_TRUE(a && b);
    for (int i = 0; i < 11; ++i)
        send_text(*a, address_of(*b), std::to_string(i));
    EXPECT_EQ(a->stats().send_failures, 3u);
    const std::vector<std::string> expected = {"3", "4", "5", "6", "7", "8", "9", "10"};
    EXPECT_EQ(collected(*b, *a, 8), expected);
}

TEST(EnetSocket, SimultaneousConnectsCarryBothWays)
{
    const OwnedSocket a = opened(), b = opened();
    ASSERT_TRUE(a && b);
    send_text(*a, address_of(*b), "from a");
    send_text(*b, address_of(*a), "from b");
    std::vector<std::string> at_a, at_b;
    const uint64_t end_us = clock_us() + patience_us;
    while ((at_a.empty() || at_b.empty()) && clock_us() < end_us) {
        take(*a, at_a);
        take(*b, at_b);
    }
    EXPECT_EQ(at_a, std::vector<std::string>{"from b"});
    EXPECT_EQ(at_b, std::vector<std::string>{"from a"});
    for (int i = 0; i < 20; ++i) {
        send_text(*a, address_of(*b), "more");
        send_text(*b, address_of(*a), "more");
    }
    EXPECT_EQ(collected(*b, *a, 20).size(), 20u);
    EXPECT_EQ(a->stats().send_failures + b->stats().send_failures, 0u);
}

TEST(EnetSocket, AnotherOneAtTheSamePortIsReachedAgain)
{
    const OwnedSocket a = opened();
    OwnedSocket b = opened();
    ASSERT_TRUE(a && b);
    const Address to = address_of(*b);
    send_text(*a, to, "one");
    ASSERT_EQ(collected(*b, *a, 1).size(), 1u);
    b.reset(); // Disconnects from its ENet peers.
    b = OwnedSocket(make_enet_socket(to.port, 4).socket);
    ASSERT_TRUE(b);
    a->receive();
    send_text(*a, to, "two");
    EXPECT_EQ(collected(*b, *a, 1), std::vector<std::string>{"two"});
}

TEST(EnetSocket, APeerThatComesBackWithoutGoodbyeIsHeardAndAnswered)
{
    const OwnedSocket a = opened(), other = opened();
    PlainHost ghost = plain_host();
    ASSERT_TRUE(a && other && ghost);
    const Address address = address_of(ghost);
    send_text(*a, address, "to the ghost");
    const ENetEvent event = awaited(ghost, *a, ENET_EVENT_TYPE_RECEIVE);
    ASSERT_TRUE(event.packet);
    enet_packet_destroy(event.packet);
    ghost.reset();

    const OwnedSocket b = OwnedSocket(make_enet_socket(address.port, 4).socket);
    ASSERT_TRUE(b);
    // Otherwise ENet gives the new connection the number of the old one, and the old one would work
    // as well.
    send_text(*b, address_of(*other), "first");
    ASSERT_EQ(collected(*other, *b, 1).size(), 1u);
    send_text(*b, address_of(*a), "back");
    EXPECT_EQ(collected(*a, *b, 1), std::vector<std::string>{"back"});
    send_text(*a, address, "welcome back");
    EXPECT_EQ(collected(*b, *a, 1), std::vector<std::string>{"welcome back"});
}

TEST(EnetSocket, APlaceUsedAgainDoesNotCarryForItsFormerAddress)
{
    const OwnedSocket a = opened(), c = opened();
    OwnedSocket b = opened(), d = opened();
    ASSERT_TRUE(a && b && c && d);
    send_text(*a, address_of(*b), "b");
    ASSERT_EQ(collected(*b, *a, 1).size(), 1u);
    b.reset();
    a->receive();
    send_text(*c, address_of(*a), "c"); // a reuses b's ENet peer for c.
    ASSERT_EQ(collected(*a, *c, 1).size(), 1u);
    const Address gone = address_of(*d);
    send_text(*a, gone, "d");
    ASSERT_EQ(collected(*d, *a, 1).size(), 1u);
    d.reset();
    a->receive();
    send_text(*a, gone, "for d");
    send_text(*a, address_of(*c), "for c");
    EXPECT_EQ(collected(*c, *a, 1), std::vector<std::string>{"for c"});
}

// A plain ENet host at the other end adopts the throttle that our end configures.
TEST(EnetSocket, ThrottleNeverSlowsDownAtEitherEnd)
{
    const OwnedSocket a = opened();
    const PlainHost host = plain_host();
    ASSERT_TRUE(a && host);
    const ENetPeer *peer = connecting(host, *a);
    ASSERT_TRUE(peer);
    EXPECT_GT(peer->packetThrottleDeceleration, 0u);
    const uint64_t end_us = clock_us() + patience_us;
    while (peer->packetThrottleDeceleration > 0 && clock_us() < end_us) {
        ENetEvent event;
        a->receive();
        enet_host_service(host.get(), &event, 0);
    }
    EXPECT_EQ(peer->packetThrottleDeceleration, 0u);
    EXPECT_EQ(peer->packetThrottleAcceleration, 32u);
}

TEST(EnetSocket, PacketsAreUnsequencedAndNeverReliableFragments)
{
    const OwnedSocket a = opened();
    const PlainHost host = plain_host();
    ASSERT_TRUE(a && host);
    for (size_t i = 0; i < host->peerCount; ++i)
        host->peers[i].mtu = 600; // ENet would split a larger packet into reliable fragments.
    ENetPeer *peer = connecting(host, *a);
    ASSERT_TRUE(peer);
    ASSERT_EQ(awaited(host, *a, ENET_EVENT_TYPE_CONNECT).peer, peer);
    ASSERT_EQ(enet_peer_send(peer, 0, enet_packet_create("open", 4, 0)), 0);
    const uint64_t end_us = clock_us() + patience_us;
    while (a->receive().empty() && clock_us() < end_us)
        enet_host_service(host.get(), nullptr, 0);
    ASSERT_EQ(a->stats().received_datagrams, 1u);

    send_text(*a, address_of(host), std::string(1'200, 'l'));
    EXPECT_EQ(a->stats().send_failures, 1u);
    send_text(*a, address_of(host), "small");
    EXPECT_EQ(a->stats().sent_datagrams, 1u);
    const ENetEvent event = awaited(host, *a, ENET_EVENT_TYPE_RECEIVE);
    ASSERT_TRUE(event.packet);
    EXPECT_EQ(event.packet->dataLength, 5u);
    EXPECT_TRUE(event.packet->flags & ENET_PACKET_FLAG_UNSEQUENCED);
    enet_packet_destroy(event.packet);
}

TEST(EnetSocket, TenThousandDatagramsEachWayAndNoneDiscarded)
{
    const OwnedSocket a = opened(), b = opened();
    ASSERT_TRUE(a && b);
    constexpr size_t count = 10'000, burst = 50;
    send_text(*a, address_of(*b), "connect");
    ASSERT_EQ(collected(*b, *a, 1).size(), 1u);

    std::vector<bool> seen[2] = {std::vector<bool>(count), std::vector<bool>(count)};
    Socket *ends[2] = {a.get(), b.get()};
    size_t arrived = 0;
    const auto receive = [&] {
        for (size_t end = 0; end < 2; ++end) {
            for (const Datagram &datagram : ends[end]->receive()) {
                uint32_t number = 0;
                ASSERT_EQ(datagram.bytes.size(), 1'200u);
                std::memcpy(&number, datagram.bytes.data(), sizeof number);
                ASSERT_LT(number, count);
                EXPECT_FALSE(seen[end][number]) << "twice: " << number;
                seen[end][number] = true;
                arrived += 1;
            }
        }
    };
    std::vector<std::vector<std::byte>> payloads(burst, std::vector<std::byte>(1'200));
    for (uint32_t number = 0; number < count;) {
        std::vector<Datagram> to_a, to_b;
        for (auto &payload : payloads) {
            std::memcpy(payload.data(), &number, sizeof number);
            to_a.push_back({address_of(*a), payload});
            to_b.push_back({address_of(*b), payload});
            number += 1;
        }
        a->send(to_b);
        b->send(to_a);
        receive();
    }
    const uint64_t end_us = clock_us() + patience_us;
    while (arrived < 2 * count && clock_us() < end_us)
        receive();
    EXPECT_EQ(arrived, 2 * count);
    EXPECT_EQ(a->stats().sent_datagrams, count + 1);
    EXPECT_EQ(b->stats().sent_datagrams, count);
    EXPECT_EQ(a->stats().send_failures + b->stats().send_failures, 0u);
}

TEST(EnetSocket, WhatEnetCouldNotCarryAsADatagramIsCounted)
{
    const OwnedSocket a = opened(), b = opened();
    ASSERT_TRUE(a && b);
    send_text(*a, address_of(*b), std::string(1'372, 'l'));
    send_text(*a, address_of(*b), std::string(1'373, 'm'));
    send_text(*a, loopback(1, IpVersion::v6), "six");
    send_text(*a, loopback(0), "no port");
    EXPECT_EQ(a->stats().send_failures, 3u);
    EXPECT_EQ(collected(*b, *a, 1), std::vector<std::string>{std::string(1'372, 'l')});
}

TEST(EnetSocket, AddressesBeyondThePlacesAreCountedAndTheOthersGoOn)
{
    const OwnedSocket a = opened(1), b = opened(); // a has 2 * 1 + 8 ENet peers.
    ASSERT_TRUE(a && b);
    send_text(*a, address_of(*b), "first");
    for (uint16_t i = 1; i <= 12; ++i)
        send_text(*a, loopback(i), "nobody there");
    EXPECT_EQ(a->stats().send_failures, 3u);
    EXPECT_EQ(collected(*b, *a, 1), std::vector<std::string>{"first"});
}

TEST(EnetSocket, PortInUseIsTold)
{
    const OwnedSocket first = opened();
    ASSERT_TRUE(first);
    const MadeSocket second = make_enet_socket(first->local_address().port, 4);
    EXPECT_EQ(second.socket, nullptr);
    EXPECT_EQ(second.error, SocketError::port_in_use);
    EXPECT_NE(first->local_address().port, 0);
}

#endif
