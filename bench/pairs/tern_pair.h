// Two tern endpoints on UDP sockets of 127.0.0.1, after their handshake: the transport of a session
// with one member, without the session. Everything is encrypted.
#pragma once
#include "bench/harness.h"
#include "tern/io.hpp"
#include "transport/endpoint.h"
#include <vector>

namespace bench {

inline constexpr size_t buffer_datagrams_max = 128;
inline constexpr size_t path_bytes_max = 1400; // Larger datagrams are lost.
// The largest path size below that which tern's probing finds.
inline constexpr size_t bulk_datagram_bytes = 1372;

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
    tern::Packet packet; // The packet that the sender is filling.
    bool packet_begun;
};

// One side by itself. `connection` is the one that received a packet last, or none.
namespace tern_side {

// Ends the program if the system gives no socket.
void make(TernSide &side, uint16_t connections_max);
void destroy(TernSide &side);
void receive(TernSide &side, uint64_t now_us, Tally &tally);
void send(TernSide &side, uint64_t now_us); // Sends what the connection has due.
bool is_open(const TernSide &side);

}

namespace tern_pair {

TernPair *make(); // Ends the program if the handshake fails.
void destroy(TernPair *pair);

// Unreliable: puts the message into the packet that is being filled, or into a new one. False: no
// budget.
bool put(TernPair &pair, std::span<const std::byte> message);
void end_packet(TernPair &pair);
// Reliable. False: the queue of the stream is full.
bool queue(TernPair &pair, std::span<const std::byte> message);

void flush(TernPair &pair); // Sends the sender's packets.
// The receiver receives and acknowledges; the sender receives the acks.
void tick(TernPair &pair, Tally &tally);
uint64_t sent_bytes(const TernPair &pair); // UDP payload, both directions.

}
}
