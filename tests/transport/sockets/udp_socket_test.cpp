#include "tests/transport/sockets/owned_socket.h"
#include "transport/sockets/udp_socket.h"
#include <cstring>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#ifdef __linux__
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#endif
#include <vector>

using namespace tern;
using namespace tern::test;

static constexpr uint64_t patience_us = 5'000'000;

static OwnedSocket opened(IpVersion version)
{
    return OwnedSocket(make_udp_socket(0, version).socket);
}

// Collects datagrams until `count` have arrived or patience_us have passed.
static std::vector<Received> collected(Socket &socket, size_t count)
{
    std::vector<Received> all;
    const uint64_t end_us = clock_us() + patience_us;
    while (all.size() < count && clock_us() < end_us)
        receive_texts(socket, all);
    return all;
}

TEST(UdpSocket, DatagramArrivesWithItsSourceAndCanBeAnswered)
{
    const OwnedSocket a = opened(IpVersion::v4), b = opened(IpVersion::v4);
    ASSERT_TRUE(a && b);
    EXPECT_NE(a->local_address().port, 0);
    EXPECT_NE(a->local_address().port, b->local_address().port);
    send_text(*a, loopback(b->local_address().port), "hello");
    const std::vector<Received> at_b = collected(*b, 1);
    ASSERT_EQ(at_b.size(), 1u);
    EXPECT_EQ(at_b[0].text, "hello");
    EXPECT_EQ(at_b[0].from, loopback(a->local_address().port));
    send_text(*b, at_b[0].from, "hello yourself");
    const std::vector<Received> at_a = collected(*a, 1);
    ASSERT_EQ(at_a.size(), 1u);
    EXPECT_EQ(at_a[0].text, "hello yourself");
    EXPECT_TRUE(a->receive().empty());
}

TEST(UdpSocket, BatchesAboveOneSystemCallArriveWholeAndInOrder)
{
    const OwnedSocket a = opened(IpVersion::v4), b = opened(IpVersion::v4);
    ASSERT_TRUE(a && b);
    std::vector<std::string> texts;
    std::vector<Datagram> datagrams;
    for (size_t i = 0; i < 400; ++i)
        texts.push_back(std::to_string(i) + std::string(i, 'x'));
    for (const std::string &text : texts)
        datagrams.push_back({loopback(b->local_address().port), std::as_bytes(std::span(text))});
    a->send(datagrams);
    const uint64_t end_us = clock_us() + patience_us;
    size_t count = 0, calls = 0;
    while (count < texts.size() && clock_us() < end_us) {
        const std::span<const Datagram> received = b->receive();
        EXPECT_LE(received.size(), receive_datagrams_max);
        calls += !received.empty();
        for (const Datagram &datagram : received) {
            ASSERT_EQ(datagram.bytes.size(), texts[count].size());
            EXPECT_EQ(std::memcmp(datagram.bytes.data(), texts[count].data(), texts[count].size()),
                      0);
            count += 1;
        }
    }
    EXPECT_EQ(count, 400u);
    EXPECT_GE(calls, 2u);
    EXPECT_EQ(a->stats().sent_datagrams, 400u);
    EXPECT_EQ(b->stats().received_datagrams, 400u);
    EXPECT_EQ(a->stats().sent_bytes, b->stats().received_bytes);
    EXPECT_EQ(a->stats().send_failures, 0u);
}

// Sends runs of datagrams of one size to one address, which segmentation offload may pass to the
// system as one. A run ends with a shorter, a longer or an empty datagram, or another address.
static void expect_runs_arrive(Socket &from, Socket &to, Socket &other)
{
    std::vector<std::string> texts;
    std::vector<Datagram> datagrams;
    const size_t sizes[] = {1200, 1200, 1200, 700, 700, 900, 1, 1, 1, 0, 5, 1300, 40};
    for (size_t i = 0; i < 4 * std::size(sizes); ++i)
        texts.push_back(std::string(sizes[i % std::size(sizes)], static_cast<char>('a' + i % 26)));
    for (size_t i = 0; i < 90; ++i) // More than one system call takes.
        texts.push_back(std::string(1000, static_cast<char>('A' + i % 26)));
    const std::string elsewhere(1000, '!');
    for (size_t i = 0; i < texts.size(); ++i) {
        datagrams.push_back(
            {loopback(to.local_address().port), std::as_bytes(std::span(texts[i]))});
        if (i % 7 == 3)
            datagrams.push_back(
                {loopback(other.local_address().port), std::as_bytes(std::span(elsewhere))});
    }
    const uint64_t failures_before = from.stats().send_failures;
    from.send(datagrams);
    EXPECT_EQ(from.stats().send_failures, failures_before);
    const std::vector<Received> received = collected(to, texts.size());
    ASSERT_EQ(received.size(), texts.size());
    for (size_t i = 0; i < texts.size(); ++i)
        EXPECT_EQ(received[i].text, texts[i]) << i;
    EXPECT_EQ(collected(other, datagrams.size() - texts.size()).size(),
              datagrams.size() - texts.size());
    EXPECT_TRUE(to.receive().empty());
}

TEST(UdpSocket, RunsOfDatagramsToOneAddressArriveAsTheyWereSent)
{
    const OwnedSocket a = opened(IpVersion::v4), b = opened(IpVersion::v4),
                      c = opened(IpVersion::v4);
    ASSERT_TRUE(a && b && c);
    expect_runs_arrive(*a, *b, *c);
    EXPECT_EQ(a->stats().sent_bytes, b->stats().received_bytes + c->stats().received_bytes);
}

TEST(UdpSocket, MoreThanOneReceiveGivesWaitsForTheNext)
{
    const OwnedSocket a = opened(IpVersion::v4), b = opened(IpVersion::v4);
    ASSERT_TRUE(a && b);
    const std::string text(100, 'x');
    const std::vector<Datagram> datagrams(
        1000, {loopback(b->local_address().port), std::as_bytes(std::span(text))});
    a->send(datagrams);
    EXPECT_EQ(b->receive().size(), receive_datagrams_max);
    EXPECT_EQ(collected(*b, 1000 - receive_datagrams_max).size(), 1000 - receive_datagrams_max);
    EXPECT_EQ(b->stats().received_datagrams, 1000u);
}

#ifdef __linux__
// Linux refuses segmentation offload on a socket without checksums.
TEST(UdpSocket, WhereTheSystemTakesNoDatagramsAsOneTheyGoOneByOne)
{
    const OwnedSocket a = opened(IpVersion::v4), b = opened(IpVersion::v4),
                      c = opened(IpVersion::v4);
    ASSERT_TRUE(a && b && c);
    const int on = 1;
    ASSERT_EQ(setsockopt(udp_socket::descriptor(*a), SOL_SOCKET, SO_NO_CHECK, &on, sizeof on), 0);
    expect_runs_arrive(*a, *b, *c);
    expect_runs_arrive(*a, *b, *c);
}
#endif

#ifdef __linux__
// Moves the process into a network namespace whose loopback has this MTU. Returns false if that is
// not permitted here.
static bool enter_small_network(int mtu)
{
    if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return false;
    const int any = ::socket(AF_INET, SOCK_DGRAM, 0);
    ifreq request = {};
    std::strcpy(request.ifr_name, "lo");
    request.ifr_mtu = mtu;
    bool done = ioctl(any, SIOCSIFMTU, &request) == 0;
    request.ifr_flags = IFF_UP | IFF_LOOPBACK | IFF_RUNNING;
    done = done && ioctl(any, SIOCSIFFLAGS, &request) == 0;
    close(any);
    return done;
}

constexpr int went_well = 0, not_permitted = 3;

// Ends the process with went_well, with not_permitted, or with 1 or 2 after a failure.
static void send_what_is_too_large(IpVersion version)
{
    if (!enter_small_network(1'400)) std::_Exit(not_permitted);
    const OwnedSocket a = opened(version), b = opened(version);
    if (!a || !b) std::_Exit(not_permitted);
    const Address to = loopback(b->local_address().port);
    const std::string large(1'452, 'l'), fits(1'372, 'f'), small(100, 's');
    // A datagram that is too large comes alone, and before smaller ones that segmentation offload
    // would send together with it.
    const std::string *order[] = {&large, &small, &fits, &fits, &large, &large, &small, &fits};
    std::vector<Datagram> datagrams;
    for (const std::string *text : order)
        datagrams.push_back({to, std::as_bytes(std::span(*text))});
    a->send(datagrams);
    const std::vector<Received> all = collected(*b, 5);
    if (all.size() != 5 || a->stats().send_failures != 3) std::_Exit(1);
    if (all[0].text != small || all[1].text != fits || all[4].text != fits) std::_Exit(2);
    std::_Exit(went_well);
}

TEST(UdpSocket, WhatAnInterfaceDoesNotCarryIsLostWholeAndTheRestGoes)
{
    for (const IpVersion version : {IpVersion::v4, IpVersion::v6}) {
        const pid_t child = fork();
        ASSERT_GE(child, 0);
        if (child == 0) send_what_is_too_large(version);
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        ASSERT_TRUE(WIFEXITED(status)) << status;
        if (WEXITSTATUS(status) == not_permitted) GTEST_SKIP() << "no network of one's own here";
        EXPECT_EQ(WEXITSTATUS(status), went_well) << (version == IpVersion::v6);
    }
}
#endif

TEST(UdpSocket, OversizedDatagramIsDroppedAndTheLargestIsNot)
{
    const OwnedSocket a = opened(IpVersion::v4), b = opened(IpVersion::v4);
    ASSERT_TRUE(a && b);
    const Address to = loopback(b->local_address().port);
    send_text(*a, to, std::string(socket_datagram_bytes_max + 1, 'l'));
    send_text(*a, to, std::string(socket_datagram_bytes_max, 'm'));
    send_text(*a, to, "");
    const std::vector<Received> at_b = collected(*b, 2);
    ASSERT_EQ(at_b.size(), 2u);
    EXPECT_EQ(at_b[0].text, std::string(socket_datagram_bytes_max, 'm'));
    EXPECT_EQ(at_b[1].text, "");
    EXPECT_EQ(b->stats().oversized, 1u);
    EXPECT_EQ(b->stats().received_datagrams, 2u);
}

TEST(UdpSocket, AFloodOfOversizedDatagramsDoesNotHideWhatIsBehindIt)
{
    const OwnedSocket a = opened(IpVersion::v4), b = opened(IpVersion::v4);
    ASSERT_TRUE(a && b);
    const std::string large(socket_datagram_bytes_max + 1, 'l');
    const Datagram datagram = {loopback(b->local_address().port), std::as_bytes(std::span(large))};
    const std::vector<Datagram> flood(receive_datagrams_max, datagram);
    a->send(flood);
    send_text(*a, datagram.address, "behind");
    std::vector<Received> first;
    for (const Datagram &d : b->receive())
        first.push_back({d.address, std::string(d.bytes.size(), '?')});
    if (b->stats().oversized < receive_datagrams_max)
        GTEST_SKIP() << "the system's receive buffer is too small for the flood";
    EXPECT_EQ(first.size(), 1u);
}

TEST(UdpSocket, WhatCannotBeSentIsCountedAndTheRestOfTheBatchGoes)
{
    const OwnedSocket a = opened(IpVersion::v4), b = opened(IpVersion::v4);
    ASSERT_TRUE(a && b);
    const std::string small = "small", impossible(70'000, 'i');
    const Address to = loopback(b->local_address().port);
    const Datagram good = {to, std::as_bytes(std::span(small))};
    const Datagram too_large = {to, std::as_bytes(std::span(impossible))};
    const Datagram other_family = {loopback(1, IpVersion::v6), std::as_bytes(std::span(small))};
    const Datagram no_port = {loopback(0), std::as_bytes(std::span(small))};
    const Datagram batch[] = {good, too_large, good, other_family, no_port, good, too_large};
    a->send(batch);
    EXPECT_EQ(collected(*b, 3).size(), 3u);
    EXPECT_EQ(a->stats().sent_datagrams, 3u);
    EXPECT_EQ(a->stats().sent_bytes, 15u);
    EXPECT_EQ(a->stats().send_failures, 4u);
}

TEST(UdpSocket, APortWhereNobodyListensIsNoObstacle)
{
    const OwnedSocket a = opened(IpVersion::v4), b = opened(IpVersion::v4);
    OwnedSocket gone = opened(IpVersion::v4);
    ASSERT_TRUE(a && b && gone);
    const Address nobody = loopback(gone->local_address().port);
    gone.reset();
    for (int i = 0; i < 10; ++i) {
        send_text(*a, nobody, "anybody?");
        send_text(*a, loopback(b->local_address().port), "somebody");
        a->receive();
    }
    EXPECT_EQ(collected(*b, 10).size(), 10u);
}

TEST(UdpSocket, PortInUseIsToldAndFreeAgainAfterDestruction)
{
    OwnedSocket first = opened(IpVersion::v4);
    ASSERT_TRUE(first);
    const uint16_t port = first->local_address().port;
    const MadeSocket second = make_udp_socket(port);
    EXPECT_EQ(second.socket, nullptr);
    EXPECT_EQ(second.error, SocketError::port_in_use);
    EXPECT_STREQ(to_text(second.error), "the port is in use");
    first.reset();
    const MadeSocket third = make_udp_socket(port);
    ASSERT_EQ(third.error, SocketError::none);
    EXPECT_EQ(third.socket->local_address().port, port);
    destroy_socket(third.socket);
}

TEST(UdpSocket, V6TakesPeersOfBothFamilies)
{
    const OwnedSocket both = opened(IpVersion::v6);
    if (!both) GTEST_SKIP() << "no IPv6 here";
    const OwnedSocket v4 = opened(IpVersion::v4), v6 = opened(IpVersion::v6);
    ASSERT_TRUE(v4 && v6);
    const uint16_t port = both->local_address().port;
    send_text(*v4, loopback(port), "four");
    const std::vector<Received> from_v4 = collected(*both, 1);
    ASSERT_EQ(from_v4.size(), 1u);
    EXPECT_EQ(from_v4[0].from, loopback(v4->local_address().port));
    send_text(*both, from_v4[0].from, "to four");
    EXPECT_EQ(collected(*v4, 1).size(), 1u);

    send_text(*v6, loopback(port, IpVersion::v6), "six");
    if (v6->stats().send_failures > 0) GTEST_SKIP() << "no ::1 here";
    const std::vector<Received> from_v6 = collected(*both, 1);
    ASSERT_EQ(from_v6.size(), 1u);
    EXPECT_EQ(from_v6[0].text, "six");
    EXPECT_EQ(from_v6[0].from, loopback(v6->local_address().port, IpVersion::v6));
}

TEST(UdpSocket, V6PortInUseIsToldToV4AsWell)
{
    const OwnedSocket both = opened(IpVersion::v6);
    if (!both) GTEST_SKIP() << "no IPv6 here";
    EXPECT_EQ(make_udp_socket(both->local_address().port).error, SocketError::port_in_use);
}

TEST(UdpSocket, LocalAddressIsTheUnspecifiedOneOfItsFamily)
{
    const OwnedSocket v4 = opened(IpVersion::v4), v6 = opened(IpVersion::v6);
    ASSERT_TRUE(v4);
    const std::string port = std::to_string(v4->local_address().port);
    EXPECT_EQ(to_text(v4->local_address()).text, "0.0.0.0:" + port);
    if (!v6) GTEST_SKIP() << "no IPv6 here";
    EXPECT_EQ(to_text(v6->local_address()).text,
              "[::]:" + std::to_string(v6->local_address().port));
}

TEST(SystemClock, NeverGoesBackAndPassesWhileAsleep)
{
    const uint64_t before_us = clock_us();
    sleep_us(2'000);
    const uint64_t after_us = clock_us();
    EXPECT_GE(after_us - before_us, 2'000u);
    EXPECT_LE(after_us, clock_us());
}
