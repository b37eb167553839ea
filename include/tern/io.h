// Everything that touches the world outside: datagrams, time, addresses. The core never sees it.
#pragma once
#include "tern/types.h"

namespace tern {

// The largest that a Socket receives; larger ones are dropped and counted.
inline constexpr size_t socket_datagram_bytes_max = 2048;
inline constexpr size_t receive_datagrams_max = 256; // Of one Socket::receive().

struct SocketStats {
    uint64_t sent_datagrams; // Taken by the system, or by what stands for it.
    uint64_t sent_bytes;     // Without the headers of UDP and below; so is received_bytes.
    uint64_t received_datagrams;
    uint64_t received_bytes;
    uint64_t send_failures; // Datagrams not taken: no way there, too large, a queue was full.
    uint64_t oversized;     // Arrived, but above socket_datagram_bytes_max.
};

// One place that datagrams come from and go to. The one virtual interface of tern.
struct Socket {
    virtual ~Socket() = default;
    // What waits, at most receive_datagrams_max. Never blocks. Valid until the next receive(). If
    // it is that many, more may wait: the host of hundreds hands them to its session and asks again
    // in the same tick, some times at most.
    virtual std::span<const Datagram> receive() = 0;
    // Loss is not an error; a datagram that cannot be sent is counted in send_failures.
    virtual void send(std::span<const Datagram> datagrams) = 0;
    // Where it is bound: the port that others reach, with the unspecified address.
    virtual Address local_address() const = 0;
    virtual SocketStats stats() const = 0;
};

enum class SocketError : uint8_t {
    none,
    port_in_use,
    not_permitted,  // A port below 1024, or a firewall of the system.
    no_such_family, // IPv6 is not available here.
    not_built,      // TERN_ENET was off.
    system          // Out of descriptors or memory.
};
const char *text(SocketError error); // "the port is in use" and the like.

struct MadeSocket {
    Socket *socket; // Null on error.
    SocketError error;
};

enum class IpVersion : uint8_t { v4, v6 }; // v6 takes IPv4 peers too (a dual-stack socket).

MadeSocket make_udp_socket(uint16_t port, IpVersion version = IpVersion::v4); // Port 0: any.
// Datagrams inside a real ENet host's unsequenced packets. IPv4 only. Both ends must be ENet.
// A datagram to an address without an ENet connection opens one and waits for it, 8 at most per
// address; the oldest of more are dropped. ENet allocates in send() and receive(). Its handshake
// has no cookie: strangers can use up its places (2 * peers_max and 8 spare).
MadeSocket make_enet_socket(uint16_t port, uint16_t peers_max);
void destroy_socket(Socket *socket);

struct ParsedAddress {
    Address address;
    const char *error; // Null if text was an address, else what is wrong with it.
};
ParsedAddress parse_address(const char *text); // "1.2.3.4:7777" or "[::1]:7777". No names.
struct AddressText {
    char text[56];
};
AddressText print(const Address &address);
Address loopback(uint16_t port, IpVersion version = IpVersion::v4);

// Threads for Config::parallel, of any number of sessions that are used one at a time. They sleep
// between two uses.
struct Workers;
Workers *make_workers(uint32_t threads); // Null: the system has not so many, or it is 0.
Parallel parallel(Workers *workers);     // For them and the thread that calls send().
void destroy_workers(Workers *workers);  // After the sessions.

uint64_t clock_us(); // Monotonic.
void sleep_us(uint64_t duration_us);

}
