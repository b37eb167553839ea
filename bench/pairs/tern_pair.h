// Two of tern's endpoints on UDP sockets of 127.0.0.1, after their handshake: what a session does
// with one member, less the session. Everything is sealed.
#pragma once
#include "bench/harness.h"
#include "tern/io.h"
#include "transport/endpoint.h"
#include <vector>

namespace bench {

inline constexpr size_t buffer_datagrams_max = 128;
inline constexpr size_t path_bytes_max = 1400;      // Larger datagrams are lost.
inline constexpr size_t bulk_datagram_bytes = 1372; // The largest that tern finds out below that.

struct TernSide {
    tern::Socket *socket;
    tern::Endpoint *endpoint;
    tern::KeyPair keys;
    tern::ConnectionIndex connection;
    std::vector<std::byte> bytes;
    std::vector<tern::Datagram> datagrams;
    tern::DatagramBuffer datagram_buffer;
};

struct TernPair {
    TernSide sender;
    TernSide receiver;
    tern::Packet packet; // Of the sender, while it is being filled.
    bool packet_begun;
};

// One side alone. Its connection is the last that was heard from, or none.
namespace tern_side {

void make(TernSide &side, uint16_t connections_max); // Ends the program if there is no socket.
void destroy(TernSide &side);
void receive(TernSide &side, uint64_t now_us, Tally &tally);
void send(TernSide &side, uint64_t now_us); // What is due at its connection.
bool is_open(const TernSide &side);

}

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
