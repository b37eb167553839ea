#include "sim/network/impaired_socket.h"
#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

using namespace tern;

namespace {

// Records the datagrams that reach it, with times.
struct Recorder final : Socket {
    std::vector<uint64_t> times_us;
    std::vector<uint32_t> numbers;
    std::vector<Address> addresses;
    size_t receive_count = 0;
    bool *destroyed = nullptr;

    ~Recorder() override
    {
        if (destroyed) *destroyed = true;
    }
    std::span<const Datagram> receive() override
    {
        receive_count += 1;
        return {};
    }
    void send(std::span<const Datagram> datagrams) override;
    Address local_address() const override { return loopback(4242); }
    SocketStats stats() const override { return {0, 0, 0, 0, 3, 0}; }
};

struct Destroyer {
    void operator()(Socket *socket) const { destroy_socket(socket); }
};
using OwnedSocket = std::unique_ptr<Socket, Destroyer>;

struct Impaired {
    Recorder *inner; // Owned by `socket`.
    OwnedSocket socket;
};

uint64_t now_us;

}

static uint64_t pretended_clock_us()
{
    return now_us;
}

void Recorder::send(std::span<const Datagram> datagrams)
{
    for (const Datagram &datagram : datagrams) {
        uint32_t number = 0;
        ASSERT_GE(datagram.bytes.size(), sizeof number);
        std::memcpy(&number, datagram.bytes.data(), sizeof number);
        times_us.push_back(now_us);
        numbers.push_back(number);
        addresses.push_back(datagram.address);
    }
}

static Impaired made(const Impairment &impairment, uint64_t seed = 1)
{
    now_us = 1'000'000;
    auto *inner = new Recorder;
    return {inner, OwnedSocket(impaired_socket::make(inner, impairment, seed, pretended_clock_us))};
}

static void send_numbers(Socket &socket, uint32_t count)
{
    for (uint32_t number = 0; number < count; ++number) {
        const Datagram datagram = {loopback(static_cast<uint16_t>(number + 1)),
                                   std::as_bytes(std::span(&number, 1))};
        socket.send({&datagram, 1});
    }
}

static std::vector<uint32_t> order_of(uint64_t seed)
{
    const Impaired impaired = made({20, 80, 0.1f, 0.1f}, seed);
    send_numbers(*impaired.socket, 500);
    for (; now_us < 1'100'000; now_us += 100)
        impaired.socket->receive();
    return impaired.inner->numbers;
}

TEST(ImpairedSocket, DatagramLeavesWhenDueAtTheNextCall)
{
    const Impaired impaired = made({10, 10, 0, 0});
    send_numbers(*impaired.socket, 3);
    now_us += 9'999;
    EXPECT_TRUE(impaired.socket->receive().empty());
    EXPECT_TRUE(impaired.inner->numbers.empty());
    now_us += 1;
    impaired.socket->receive();
    EXPECT_EQ(impaired.inner->numbers, (std::vector<uint32_t>{0, 1, 2}));
    EXPECT_EQ(impaired.inner->addresses[2], loopback(3));
    EXPECT_EQ(impaired.inner->receive_count, 2u);

    send_numbers(*impaired.socket, 1);
    now_us += 10'000;
    impaired.socket->send({});
    EXPECT_EQ(impaired.inner->numbers.size(), 4u);
}

TEST(ImpairedSocket, SameSeedGivesTheSameOrderAndAnotherSeedAnother)
{
    const std::vector<uint32_t> first = order_of(5);
    EXPECT_EQ(first, order_of(5));
    EXPECT_NE(first, order_of(6));
    EXPECT_FALSE(std::is_sorted(first.begin(), first.end()));
}

TEST(ImpairedSocket, LossAndDuplicationComeAtTheirRates)
{
    Impaired impaired = made({0, 0, 0.05f, 0});
    send_numbers(*impaired.socket, 20'000);
    EXPECT_NEAR(static_cast<double>(impaired.inner->numbers.size()), 19'000, 160);
    impaired = made({0, 0, 0, 0.05f});
    send_numbers(*impaired.socket, 20'000);
    EXPECT_NEAR(static_cast<double>(impaired.inner->numbers.size()), 21'000, 160);
}

TEST(ImpairedSocket, BeyondWhatCanWaitDatagramsAreLostAndThenItRecovers)
{
    const Impaired impaired = made({10, 10, 0, 0});
    send_numbers(*impaired.socket, 5'000);
    now_us += 10'000;
    impaired.socket->receive();
    EXPECT_EQ(impaired.inner->numbers.size(), 4'096u);
    EXPECT_EQ(impaired.inner->numbers.back(), 4'095u);
    send_numbers(*impaired.socket, 10);
    now_us += 10'000;
    impaired.socket->receive();
    EXPECT_EQ(impaired.inner->numbers.size(), 4'106u);
}

TEST(ImpairedSocket, AddressAndCountsAreThoseOfTheInnerSocket)
{
    const Impaired impaired = made({0, 0, 0, 0});
    EXPECT_EQ(impaired.socket->local_address(), loopback(4242));
    EXPECT_EQ(impaired.socket->stats().send_failures, 3u);
    const std::vector<std::byte> bytes(socket_datagram_bytes_max + 1);
    const Datagram oversized = {loopback(1), bytes};
    impaired.socket->send({&oversized, 1});
    EXPECT_EQ(impaired.socket->stats().send_failures, 4u);
    EXPECT_TRUE(impaired.inner->numbers.empty());
}

TEST(ImpairedSocket, DestroysTheInnerSocketWithItself)
{
    bool destroyed = false;
    Impaired impaired = made({0, 0, 0, 0});
    impaired.inner->destroyed = &destroyed;
    impaired.socket.reset();
    EXPECT_TRUE(destroyed);
}

TEST(ImpairedSocket, AWrongCallGivesNullAndLeavesTheInnerSocketToTheCaller)
{
    const OwnedSocket inner(new Recorder);
    testing::internal::CaptureStderr();
    EXPECT_EQ(make_impaired_socket(nullptr, {1, 1, 0, 0}, 1), nullptr);
    EXPECT_EQ(make_impaired_socket(inner.get(), {1, 1, 2, 0}, 1), nullptr);
    const std::string text = testing::internal::GetCapturedStderr();
    EXPECT_NE(text.find("make_impaired_socket(): The inner socket is null."), std::string::npos);
    EXPECT_NE(text.find("make_impaired_socket(): loss is 2."), std::string::npos);
}

TEST(ImpairedSocket, ARealSocketUnderARealClockDelays)
{
    const OwnedSocket to(make_udp_socket(0).socket);
    Socket *inner = make_udp_socket(0).socket;
    ASSERT_TRUE(to && inner);
    const OwnedSocket from(make_impaired_socket(inner, {5, 5, 0, 0}, 1));
    const uint64_t before_us = clock_us();
    const uint32_t number = 1;
    const Datagram datagram = {loopback(to->local_address().port),
                               std::as_bytes(std::span(&number, 1))};
    from->send({&datagram, 1});
    while (to->receive().empty() && clock_us() < before_us + 5'000'000)
        from->receive();
    EXPECT_EQ(to->stats().received_datagrams, 1u);
    EXPECT_GE(clock_us() - before_us, 5'000u);
}
