// A pretend network of one host and its clients, in virtual time: each way of each client is a
// link with a delay, jitter, loss by chance or in bursts, and, if wanted, a rate with a queue.
#pragma once
#include "base/random.h"
#include "tern/io.h"
#include <deque>
#include <memory>
#include <vector>

namespace bench {

inline constexpr uint64_t below_udp_bytes = 28; // Headers of UDP and IPv4.

struct LinkQuality {
    uint64_t way_us, jitter_us; // One way; plus or minus.
    double loss;                // 0 to 1, of all datagrams.
    double burst_mean;          // Datagrams lost in a row, in the mean; 1: by chance.
    uint64_t bytes_per_second;  // UDP payload; 0: no bound.
    uint64_t queue_us;          // With a bound: what would wait longer is lost.
};

struct LinkFlight {
    uint64_t at_us;
    tern::Address from;
    std::vector<std::byte> bytes;
};

struct Link { // One way.
    LinkQuality quality;
    tern::Random random;
    bool losing;      // Amid a burst.
    uint64_t free_us; // When what was sent has left, with a bound.
    std::vector<LinkFlight> flights;
    uint64_t datagrams, bytes; // Sent, lost or not; UDP payload.
};

struct LinkSocket;

struct Links {
    uint64_t now_us;
    std::vector<Link> up, down;                       // By client.
    std::vector<std::unique_ptr<LinkSocket>> sockets; // The host's, then the clients'.
};

// The way between the host and one client. The socket number 0 is the host's.
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
void set_quality(Links &links, size_t client, const LinkQuality &quality); // Both ways.
tern::Address address(size_t number);
uint64_t wire_bytes(const Link &link); // With the headers below.

}
}
