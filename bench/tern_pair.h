// Two of tern's endpoints on UDP sockets of 127.0.0.1, after their handshake: what a session does
// with one member, less the session. Everything is sealed.
#pragma once
#include "bench/harness.h"
#include "tern/io.h"
#include "transport/endpoint.h"
#include <vector>

namespace bench {

inline constexpr size_t outbox_datagrams_max = 128;

struct TernSide {
    tern::Socket *socket;
    tern::Endpoint *endpoint;
    tern::KeyPair keys;
    tern::ConnectionIndex connection;
    std::vector<std::byte> bytes;
    std::vector<tern::Datagram> datagrams;
    tern::Outbox outbox;
};

struct TernPair {
    TernSide sender;
    TernSide receiver;
    tern::Packet packet; // Of the sender, while it is being filled.
    bool packet_begun;
};

namespace tern_pair {

TernPair *make(); // Ends the program if the handshake does not succeed.
void destroy(TernPair *pair);

// Unreliable: into the packet that is being filled, else into a new one. False: no budget.
bool put(TernPair &pair, std::span<const std::byte> message);
void end_packet(TernPair &pair);
// Reliable. False: the queue is full.
bool queue(TernPair &pair, std::span<const std::byte> message);

void flush(TernPair &pair);              // The sender's packets leave.
void tick(TernPair &pair, Tally &tally); // The receiver receives and answers, the sender hears it.
uint64_t sent_bytes(const TernPair &pair); // UDP payload, both ways.

}
}
