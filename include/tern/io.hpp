// Input and output: sockets, addresses, threads and the clock. The core uses none of it. All of it
// is in the library tern::udp, and the ENet socket in tern::enet.
#pragma once
#include "tern/types.hpp"

namespace tern {

// A Socket drops and counts received datagrams that are larger.
inline constexpr size_t socket_datagram_bytes_max = 2048;
inline constexpr size_t receive_datagrams_max = 256; // Result of one Socket::receive().

struct SocketStats {
    uint64_t sent_datagrams; // Accepted by the operating system, ENet or the simulated network.
    uint64_t sent_bytes;     // UDP payload, as received_bytes.
    uint64_t received_datagrams;
    uint64_t received_bytes;
    uint64_t send_failures; // Datagrams not accepted: no route, too large, or a full queue.
    uint64_t oversized;     // Received datagrams above socket_datagram_bytes_max.
};

// Sends and receives datagrams. The only virtual interface of tern; a game may implement its own.
struct Socket {
    virtual ~Socket() = default;
    // The datagrams that have arrived, at most receive_datagrams_max. Never blocks. Valid until the
    // next receive(). A full result means that more may wait. A host with hundreds of peers should
    // pass the result to its session and call again in the same tick, a limited number of times.
    virtual std::span<const Datagram> receive() = 0;
    // Never blocks. Datagrams that cannot be sent are counted in send_failures; that is not an
    // error.
    virtual void send(std::span<const Datagram> datagrams) = 0;
    // The port that the socket is bound to, with the unspecified IP address (0.0.0.0 or ::).
    virtual Address local_address() const = 0;
    virtual SocketStats stats() const = 0;
};

enum class SocketError : uint8_t {
    none,
    port_in_use,
    not_permitted,  // A privileged port (below 1024), or a local firewall.
    no_such_family, // This machine does not have the IP version.
    not_built,      // tern was built with TERN_ENET off.
    system          // The system is out of descriptors or memory.
};
TERN_API const char *to_text(SocketError error); // "the port is in use" and the like.

struct MadeSocket {
    Socket *socket; // Null on error.
    SocketError error;
};

enum class IpVersion : uint8_t { v4, v6 }; // v6 takes IPv4 peers too (a dual-stack socket).

// A non-blocking UDP socket, bound to all interfaces. Port 0: any free port; see local_address().
[[nodiscard]] TERN_API MadeSocket make_udp_socket(uint16_t port, IpVersion version = IpVersion::v4);
// Sends datagrams as unsequenced packets of an ENet host. IPv4 only, and both ends must use ENet. A
// datagram to an address without an ENet connection opens one and waits for it; at most 8 wait for
// each address, and further ones replace the oldest. ENet allocates memory in send() and receive().
// ENet's handshake has no cookies, so strangers can use up its connections (2 * peers_max + 8).
// peers_max: 1 to 2043; others are named on stderr and give SocketError::system.
TERN_API MadeSocket make_enet_socket(uint16_t port, uint16_t peers_max);
TERN_API void destroy_socket(Socket *socket); // Closes it. Null: nothing happens.

struct ParsedAddress {
    Address address;
    const char *error; // Null if the text is an address, otherwise what is wrong with it.
};
// Reads "1.2.3.4:7777" or "[::1]:7777", with a port of 1 to 65535. Host names are not resolved.
TERN_API ParsedAddress parse_address(const char *text);
struct AddressText {
    char text[56];
};
TERN_API AddressText to_text(const Address &address);
TERN_API Address loopback(uint16_t port, IpVersion version = IpVersion::v4);
// Writes the addresses of this machine's network interfaces, with the port, for make_invite().
// Returns their number, at most addresses.size(). Link-local IPv6 addresses and those of interfaces
// that can neither broadcast nor multicast are left out; that of loopback is given only if there
// are no others. Those of IPv6 are for sockets of IpVersion::v6.
TERN_API size_t find_local_addresses(uint16_t port, std::span<Address> addresses);

// Threads for Config::parallel. Several sessions may share them if only one of them is in send() at
// a time. The threads sleep between two uses.
struct Workers;
// Null: threads is 0, or the system could not start them.
TERN_API Workers *make_workers(uint32_t threads);
// For Config::parallel: a part for each thread and for the caller of send(), up to send_parts_max.
// Null: one part, on the caller's thread.
TERN_API Parallel make_parallel(Workers *workers);
TERN_API void destroy_workers(Workers *workers); // After the sessions that use them.

TERN_API uint64_t clock_us(); // A monotonic clock, in microseconds.
TERN_API void sleep_us(uint64_t duration_us);

}
