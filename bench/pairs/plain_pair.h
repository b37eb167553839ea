// Two plain UDP sockets on 127.0.0.1: the lower bound of what any contender can cost.
#pragma once
#include "bench/harness.h"
#include <netinet/in.h>

namespace bench {

struct PlainPair {
    int sender;
    int receiver;
    sockaddr_in to; // Address of the receiver.
    uint64_t sent_bytes;
};

inline constexpr size_t plain_batch_max = 64;
inline constexpr size_t plain_datagram_bytes_max = 2048;

namespace plain_pair {

PlainPair make(); // Ends the program if the system gives no sockets.
void destroy(PlainPair &pair);

void send(PlainPair &pair, std::span<const std::byte> datagram);
// Receives up to count_max waiting datagrams with one system call each, and calls take(bytes) for
// each.
template <class Take> size_t receive(PlainPair &pair, size_t count_max, Take take);

// One system call for all datagrams; at most plain_batch_max.
void send_batch(PlainPair &pair, std::span<const std::span<const std::byte>> datagrams);
template <class Take> size_t receive_batch(PlainPair &pair, size_t count_max, Take take);

// Buffers for up to plain_batch_max datagrams.
struct Received {
    std::byte bytes[plain_batch_max][plain_datagram_bytes_max];
    size_t sizes_bytes[plain_batch_max];
};
size_t receive_one(PlainPair &pair, std::span<std::byte> buffer); // 0: no datagram waits.
size_t receive_some(PlainPair &pair, Received &received, size_t count_max);

template <class Take> size_t receive(PlainPair &pair, size_t count_max, Take take)
{
    std::byte buffer[plain_datagram_bytes_max];
    size_t count = 0;
    for (; count < count_max; ++count) {
        const size_t size = receive_one(pair, buffer);
        if (size == 0) break;
        take(std::span<const std::byte>(buffer, size));
    }
    return count;
}

template <class Take> size_t receive_batch(PlainPair &pair, size_t count_max, Take take)
{
    static Received received;
    const size_t count = receive_some(pair, received, count_max);
    for (size_t i = 0; i < count; ++i)
        take(std::span<const std::byte>(received.bytes[i], received.sizes_bytes[i]));
    return count;
}

}
}
