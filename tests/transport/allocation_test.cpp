// A connection uses only the block in which it was placed, and never allocates.
#include "tern/limits.hpp"
#include "tests/transport/connection/connection_pair.h"
#include <cstdlib>
#include <gtest/gtest.h>
#include <new>

// The sanitizers replace operator new themselves, so the count cannot work with them.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TERN_SANITIZED
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define TERN_SANITIZED
#endif

#ifndef TERN_SANITIZED

namespace {

uint64_t allocation_count;

void *counted(size_t bytes)
{
    allocation_count += 1;
    return std::malloc(bytes);
}

}

// These are weak, so another test of the same program may define operator new too.
__attribute__((weak)) void *operator new(size_t bytes)
{
    void *memory = counted(bytes);
    if (!memory) throw std::bad_alloc();
    return memory;
}

__attribute__((weak)) void *operator new(size_t bytes, const std::nothrow_t &) noexcept
{
    return counted(bytes);
}

__attribute__((weak)) void operator delete(void *memory) noexcept
{
    std::free(memory);
}

__attribute__((weak)) void operator delete(void *memory, size_t) noexcept
{
    std::free(memory);
}

using namespace connection_test;

TEST(Allocation, NothingInAConnectionAllocates)
{
#ifdef __MINGW32__
    GTEST_SKIP() << "a program cannot replace operator new there";
#endif
    Pair pair;
    const Bytes message = numbered(1, 3000);
    Bytes datagrams[8];
    for (Bytes &datagram : datagrams)
        datagram.resize(datagram_bytes_max);
    const uint64_t before_any = allocation_count;
    const Bytes *volatile counted_one = new Bytes(1000); // Volatile, or clang leaves it out.
    delete counted_one;
    ASSERT_GT(allocation_count, before_any) << "the count does not work";

    const uint64_t before = allocation_count;
    uint32_t received = 0;
    for (int tick = 0; tick < 500; tick += 1) {
        pair.now_us += tick_us;
        for (int from : {0, 1}) {
            Connection &a = *pair.side[from];
            Connection &b = *pair.side[1 - from];
            connection::queue_message(a, StreamId::world, message);
            connection::queue_message(a, StreamId::calls, message);
            for (Bytes &datagram : datagrams) {
                if (!connection::has_budget(a, pair.now_us)) break;
                Packet packet = connection::begin_packet(a, datagram, 1000, pair.now_us);
                const std::span<std::byte> room = connection::unreliable_room(packet);
                if (!room.empty()) connection::add_unreliable(packet, UnreliableKind::updates, 1);
                const auto sealed = connection::finish_packet(a, packet, pair.now_us);
                if (tick % 7 == 3) continue; // This packet is lost.
                const OpenedPacket opened =
                    connection::open_packet(b, sealed, pair.side[1 - from].room);
                if (opened.opening == Opening::ok) connection::accept(b, opened, pair.now_us);
            }
            for (StreamId stream : {StreamId::world, StreamId::calls})
                for (; !connection::peek_message(b, stream).empty(); received += 1)
                    connection::consume_message(b, stream);
            connection::update(a, pair.now_us);
            for (PacketOutcome outcome; connection::take_packet_outcome(a, outcome);) {
            }
        }
    }
    EXPECT_EQ(before, allocation_count);
    EXPECT_GT(received, 500u);
}

#endif
