// The discovery socket on the real network of this machine. Without broadcast and multicast, not
// even on loopback, these tests are skipped.
#include "tern/discovery.hpp"
#include "tests/transport/sockets/owned_socket.h"
#include "transport/sockets/addresses.h"
#include "transport/sockets/native_message.h"
#include "transport/sockets/native_socket.h"
#include <algorithm>
#include <array>
#include <cstring>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>
#ifdef __linux__
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <unistd.h>
#endif

using namespace tern;
using namespace tern::test;

static constexpr uint64_t patience_us = 2'000'000;

static OwnedSocket opened(uint16_t port = 0)
{
    return OwnedSocket(make_discovery_socket(port).socket);
}

static Address everybody(uint16_t port)
{
    return address::from_v4(std::to_array<uint8_t>({255, 255, 255, 255}), port);
}

// Collects datagrams until `last` has arrived or within_us have passed.
static std::vector<Received> collected(Socket &socket, const std::string &last,
                                       uint64_t within_us = patience_us)
{
    std::vector<Received> all;
    const uint64_t end_us = clock_us() + within_us;
    while ((all.empty() || all.back().text != last) && clock_us() < end_us) {
        receive_texts(socket, all);
        sleep_us(500);
    }
    return all;
}

TEST(DiscoverySocket, AQueryToEverybodyReachesAllOnItsPortAndTheirAnswersComeBack)
{
    const OwnedSocket first = opened();
    ASSERT_TRUE(first);
    const uint16_t port = first->local_address().port;
    const OwnedSocket second = opened(port), finder = opened(), elsewhere = opened();
    ASSERT_TRUE(second && finder && elsewhere);
    EXPECT_EQ(second->local_address().port, port);
    send_text(*finder, everybody(port), "who is there?");
    const std::vector<Received> at_first = collected(*first, "who is there?");
    if (at_first.empty()) GTEST_SKIP() << "no broadcast and no multicast here";
    const std::vector<Received> at_second = collected(*second, "who is there?");
    ASSERT_FALSE(at_second.empty());
    EXPECT_TRUE(elsewhere->receive().empty());
    send_text(*first, at_first[0].from, "I am");
    send_text(*second, at_second[0].from, "I, too");
    const std::vector<Received> answers = collected(*finder, "I, too");
    ASSERT_EQ(answers.size(), 2u);
    EXPECT_EQ(answers[0].text, "I am");
    EXPECT_EQ(answers[0].from.port, port);
    EXPECT_EQ(finder->stats().received_datagrams, 2u);
    EXPECT_GT(finder->stats().sent_datagrams, 0u);
}

#ifdef __linux__ // Others have no IP_MULTICAST_ALL, or name it differently.
// True if an interface other than loopback is up, can broadcast and multicast, and has an address
// of this family that is not link-local.
static bool has_network(int family)
{
    ifaddrs *first = nullptr;
    if (getifaddrs(&first) != 0) return false;
    bool has = false;
    for (const ifaddrs *it = first; it; it = it->ifa_next) {
        const unsigned wanted = IFF_UP | IFF_BROADCAST | IFF_MULTICAST;
        if (!it->ifa_addr || it->ifa_addr->sa_family != family) continue;
        const auto *v6 = reinterpret_cast<const sockaddr_in6 *>(it->ifa_addr);
        has = has || ((it->ifa_flags & wanted) == wanted && !(it->ifa_flags & IFF_LOOPBACK) &&
                      (family != AF_INET6 || !IN6_IS_ADDR_LINKLOCAL(&v6->sin6_addr)));
    }
    freeifaddrs(first);
    return has;
}

// A plain socket on the port of the discovery sockets, bound to `ip`. If `ip` is 0.0.0.0 it
// receives no multicast, otherwise `ip` is the multicast group that it receives.
static int plain_socket(const char *ip, uint16_t port)
{
    const int descriptor = ::socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    const int on = 1, off = 0;
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    const bool of_group = inet_addr(ip) != INADDR_ANY;
    if (!of_group) setsockopt(descriptor, IPPROTO_IP, IP_MULTICAST_ALL, &off, sizeof off);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = inet_addr(ip);
    EXPECT_EQ(bind(descriptor, reinterpret_cast<const sockaddr *>(&address), sizeof address), 0);
    return descriptor;
}

static bool hears(int descriptor)
{
    char byte;
    for (const uint64_t end_us = clock_us() + patience_us; clock_us() < end_us; sleep_us(500))
        if (recv(descriptor, &byte, sizeof byte, 0) == sizeof byte) return true;
    return false;
}

TEST(DiscoverySocket, AQueryTravelsByBroadcastAndByMulticastOfBothVersions)
{
    if (!has_network(AF_INET)) GTEST_SKIP() << "no network with broadcast and multicast here";
    const OwnedSocket member = opened(), finder = opened();
    ASSERT_TRUE(member && finder);
    const uint16_t port = member->local_address().port;
    const int by_broadcast = plain_socket("0.0.0.0", port);
    const int by_multicast = plain_socket("239.255.83.76", port); // `member` has joined it.
    send_text(*finder, everybody(port), "?");
    EXPECT_TRUE(hears(by_broadcast));
    EXPECT_TRUE(hears(by_multicast));
    close(by_broadcast);
    close(by_multicast);
    const std::vector<Received> all = collected(*member, "", 200'000);
    const auto versions = [&all](bool v4) {
        return std::count_if(all.begin(), all.end(),
                             [v4](const Received &one) { return address::is_v4(one.from) == v4; });
    };
    EXPECT_GE(versions(true), 2); // One by broadcast and one by multicast
    if (has_network(AF_INET6)) {
        EXPECT_GE(versions(false), 1);
    }
}

#endif

TEST(DiscoverySocket, WhatARouterHasPassedOnIsDropped)
{
    const OwnedSocket socket = opened();
    ASSERT_TRUE(socket);
    const native_socket::Opened other = native_socket::open(IpVersion::v4);
    ASSERT_EQ(other.error, 0);
    const Address to = loopback(socket->local_address().port);
    for (int hops : {64, 254, 255}) {
        EXPECT_TRUE(native_socket::set_option(other.descriptor, IPPROTO_IP, IP_TTL, hops));
        const std::string text = std::to_string(hops);
        EXPECT_EQ(native_message::send_from(other.descriptor,
                                            native_socket::to_native(to, IpVersion::v4), nullptr,
                                            std::as_bytes(std::span(text))),
                  0);
    }
    native_socket::close(other.descriptor);
    const std::vector<Received> received = collected(*socket, "255");
    ASSERT_EQ(received.size(), 1u);
    EXPECT_EQ(received[0].text, "255");
}

TEST(DiscoverySocket, AnAnswerGoesToAnAddressOfEitherVersion)
{
    const OwnedSocket a = opened(), b = opened();
    ASSERT_TRUE(a && b);
    const uint16_t port = b->local_address().port;
    send_text(*a, loopback(port), "four");
    EXPECT_EQ(collected(*b, "four").size(), 1u);
    send_text(*a, loopback(port, IpVersion::v6), "six");
    if (a->stats().send_failures > 0) GTEST_SKIP() << "no ::1 here";
    const std::vector<Received> received = collected(*b, "six");
    ASSERT_EQ(received.size(), 1u);
    EXPECT_EQ(received[0].text, "six");
}

TEST(DiscoverySocket, OversizedDatagramsAreCountedAndDropped)
{
    const OwnedSocket a = opened(), b = opened();
    ASSERT_TRUE(a && b);
    const Address to = loopback(b->local_address().port);
    send_text(*a, to, std::string(513, 'l'));
    send_text(*a, to, std::string(512, 'm'));
    const std::vector<Received> received = collected(*b, std::string(512, 'm'));
    ASSERT_EQ(received.size(), 1u);
    EXPECT_EQ(b->stats().oversized, 1u);
    EXPECT_EQ(a->stats().sent_datagrams, 2u);
}

TEST(DiscoverySocket, APortThatAnotherSocketKeepsForItselfIsInUse)
{
    const MadeSocket game = make_udp_socket(0);
    ASSERT_TRUE(game.socket);
    const MadeSocket made = make_discovery_socket(game.socket->local_address().port);
    EXPECT_EQ(made.socket, nullptr);
    EXPECT_EQ(made.error, SocketError::port_in_use);
    destroy_socket(game.socket);
}

TEST(DiscoverySocket, WhatCannotBeSentIsCounted)
{
    const OwnedSocket a = opened();
    ASSERT_TRUE(a);
    send_text(*a, loopback(1), std::string(70'000, 'x'));
    EXPECT_EQ(a->stats().send_failures, 1u);
    EXPECT_EQ(a->stats().sent_datagrams, 0u);
}
