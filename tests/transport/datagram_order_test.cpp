#include "transport/datagram_order.h"
#include "transport/little_endian.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

using namespace tern;

namespace {

struct Arrived {
    std::vector<std::vector<std::byte>> bytes;

    void data(uint32_t id, uint32_t number, size_t size = 40)
    {
        std::vector<std::byte> &header = bytes.emplace_back(size);
        header[0] = std::byte{4};
        little_endian::store32(&header[1], id);
        little_endian::store32(&header[5], number);
    }
    void other(uint8_t kind, size_t size) { bytes.emplace_back(size, std::byte{kind}); }

    std::vector<uint16_t> order() const
    {
        std::vector<Datagram> datagrams;
        for (const std::vector<std::byte> &each : bytes)
            datagrams.push_back({{}, each});
        std::vector<uint16_t> order(datagrams.size(), 999);
        datagram_order::sort(datagrams, order);
        return order;
    }
};

using Order = std::vector<uint16_t>;

}

TEST(DatagramOrder, WhatIsInOrderStays)
{
    Arrived a;
    EXPECT_EQ(a.order(), Order{});
    for (uint32_t number : {7u, 8u, 8u, 100u})
        a.data(5, number);
    EXPECT_EQ(a.order(), (Order{0, 1, 2, 3}));
}

TEST(DatagramOrder, PacketsOfAConnectionTradePlacesAmongThemselves)
{
    Arrived a;
    a.data(5, 12);
    a.data(6, 3);
    a.other(1, 144); // A handshake.
    a.data(5, 10);
    a.data(6, 2);
    a.data(5, 11);
    a.other(4, 9); // Too short for a packet.
    EXPECT_EQ(a.order(), (Order{3, 4, 2, 5, 1, 0, 6}));
}

TEST(DatagramOrder, NumbersWrapAround)
{
    Arrived a;
    for (uint32_t number : {1u, 0xffffffffu, 0u, 0xfffffffeu})
        a.data(5, number);
    EXPECT_EQ(a.order(), (Order{3, 1, 2, 0}));
}

// A sorting function that relied on an order of such numbers would read beyond its memory.
TEST(DatagramOrder, NumbersInNoOrderAtAllAndManyConnectionsLoseNoDatagram)
{
    for (const uint32_t ids : {1u, 2u, 200u}) {
        Arrived a;
        for (uint32_t i = 0; i < datagram_order::datagrams_max; ++i)
            a.data(512 * (i % ids), i * 0x9e3779b9u);
        std::vector<uint16_t> order = a.order();
        for (size_t i = 0; i < order.size(); ++i)
            EXPECT_EQ(order[i] % ids, i % ids); // Each place keeps its connection.
        std::sort(order.begin(), order.end());
        for (size_t i = 0; i < order.size(); ++i)
            EXPECT_EQ(order[i], i);
    }
}
