// The UDP socket. It has two ways to send and receive: one by one, and on Linux many datagrams in
// one system call.
#pragma once
#include "tern/limits.hpp"
#include "transport/sockets/native_socket.h"

#if defined(__linux__) && !defined(TERN_PLAIN_UDP)
#define TERN_BATCHED_UDP 1
#endif

namespace tern::udp_socket {

// The messages of the last system calls. With UDP_GRO a message may hold several datagrams of one
// sender, back to back. All of them have segment_bytes, but the last may be shorter.
struct ArrivedMessages {
    size_t count;
    bool truncated[receive_datagrams_max];
    uint32_t sizes_bytes[receive_datagrams_max];
    uint32_t segment_bytes[receive_datagrams_max];
    size_t at;        // The next datagram to return: the index of its message,
    size_t offset_at; // and its first byte there.
};

#ifdef TERN_BATCHED_UDP

// Memory that no datagram has filled yet is never touched.
constexpr size_t buffer_bytes = 1 << 16;

struct alignas(cmsghdr) Control {
    std::byte bytes[CMSG_SPACE(sizeof(int))];
};

struct Batch { // Arguments of recvmmsg(); filled in once.
    mmsghdr messages[receive_datagrams_max];
    iovec vectors[receive_datagrams_max];
    Control controls[receive_datagrams_max];
};

#else

constexpr size_t buffer_bytes = socket_datagram_bytes_max;

struct Batch {};

#endif

struct UdpSocket final : Socket { // Closed.
    native_socket::Descriptor _descriptor;
    IpVersion _version;
    uint16_t _port;
    bool _groups; // The system accepts UDP_SEGMENT: several datagrams as one message.
    SocketStats _stats;
    ArrivedMessages _arrived;
    Batch _batch;
    native_socket::NativeAddress _sources[receive_datagrams_max];
    Datagram _datagrams[receive_datagrams_max];
    std::byte _buffers[receive_datagrams_max][buffer_bytes];

    ~UdpSocket() override { native_socket::close(_descriptor); }
    std::span<const Datagram> receive() override;
    void send(std::span<const Datagram> datagrams) override;
    Address local_address() const override { return native_socket::unspecified(_version, _port); }
    SocketStats stats() const override { return _stats; }
};

// Fills in what stays the same for all system calls.
void place_batch(UdpSocket &socket);
// Takes what has arrived from the system into _arrived, _sources and _buffers.
void arrive(UdpSocket &socket);
// Sends the datagrams, which all have a destination. Counts failures.
void depart(UdpSocket &socket, std::span<const Datagram> datagrams,
            native_socket::NativeAddress *destinations);

constexpr size_t send_batch_max = 64; // Datagrams in one call of depart().

// `socket` must come from make_udp_socket(). Lets tests change its options, as a system that
// refuses some of them would.
native_socket::Descriptor descriptor(const Socket &socket);

}
