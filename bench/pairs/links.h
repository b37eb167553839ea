// A simulated network of one host and its clients in virtual time. Each direction between the host
// and a client is a link with a delay, jitter, loss (independent or in bursts) and, optionally, a
// rate limit with a queue.
#pragma once
#include "base/random.h"
#include "tern/io.hpp"
#include <deque>
#include <memory>
#include <vector>

namespace bench {

inline constexpr uint64_t below_udp_bytes = 28; // Headers of UDP and IPv4.

struct LinkQuality {
    uint64_t way_us, jitter_us; // One direction; the delay is way_us plus or minus up to jitter_us.
    double loss;                // Probability that a datagram is lost, 0 to 1.
    double burst_mean;         // Mean number of datagrams lost in a row; 1: losses are independent.
    uint64_t bytes_per_second; // UDP payload; 0: no limit.
    uint64_t queue_us;         // With a rate limit: a datagram that would wait longer is lost.
};

struct LinkFlight {
    uint64_t at_us;
    tern::Address from;
    std::vector<std::byte> bytes;
};

struct Link { // One direction.
    LinkQuality quality;
    tern::Random random;
    bool losing;      // In a burst of losses.
    uint64_t free_us; // With a rate limit: when the datagrams queued so far have left.
    std::vector<LinkFlight> flights;
    uint64_t datagrams, bytes; // Sent, whether lost or not; UDP payload.
};

struct LinkSocket;

struct Links {
    uint64_t now_us;
    std::vector<Link> up, down; // [client]
    // [number]: 0 is the host's, the others are the clients'.
    std::vector<std::unique_ptr<LinkSocket>> sockets;
};

// The socket of the host (number 0) or of a client.
struct LinkSocket final : tern::Socket {
    Links *links;
    size_t number;
    std::vector<LinkFlight> arrived;
    std::vector<tern::Datagram> datagrams;

    std::span<const tern::Datagram> receive() override;
    void send(std::span<const tern::Datagram> datagrams) override;
    tern::Address local_address() const override;
    tern::SocketStats stats() const override { return {}; }
};

namespace links {

std::unique_ptr<Links> make(size_t client_count, const LinkQuality &quality, uint64_t seed);
void set_quality(Links &links, size_t client, const LinkQuality &quality); // Sets both directions.
tern::Address address(size_t number);
uint64_t wire_bytes(const Link &link); // Includes the headers of UDP and IPv4.

}
}
