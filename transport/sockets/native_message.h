// Datagrams together with their route: the interface and the source address through which they
// leave, and the hop limit with which they arrive.
#pragma once
#include "transport/sockets/local_addresses.h"
#include "transport/sockets/native_socket.h"

namespace tern::native_message {

inline constexpr int hops_max = 255;

// Asks the system for the hop limits of datagrams, and makes it send with hops_max. Returns 0 or an
// error.
int prepare(native_socket::Descriptor descriptor, IpVersion version);
// Joins the multicast group at the interface that has the address `at`. The system refuses a group
// that was joined before.
void join_group(native_socket::Descriptor descriptor, const Address &group, const LocalAddress &at);
// Sends through the interface of `from` and from its address; null: as the system chooses. Returns
// 0 or an error.
int send_from(native_socket::Descriptor descriptor, native_socket::NativeAddress to,
              const LocalAddress *from, std::span<const std::byte> bytes);

struct IncomingMessage {
    int error; // 0: no error.
    size_t size_bytes;
    bool truncated;
    int hops; // 0: unknown.
    native_socket::NativeAddress source;
};
IncomingMessage receive(native_socket::Descriptor descriptor, std::span<std::byte> buffer);

}
