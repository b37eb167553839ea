#include "transport/addresses.h"
#include "transport/socket_error.h"
#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <netinet/in.h>
#include <new>
#include <sys/socket.h>
#include <unistd.h>

#if defined(__linux__) && !defined(TERN_PLAIN_UDP)
#define TERN_BATCHED_UDP 1
#endif

namespace tern {

namespace {

constexpr size_t send_batch_max = 64;        // Datagrams per system call.
constexpr int system_buffer_bytes = 4 << 20; // Asked for; the system may give less.
constexpr int system_buffer_bytes_min = 1 << 16;
constexpr unsigned receive_rounds_max = 8; // System calls that may bring only oversized ones.

// What the system calls for one address, of either family.
struct NativeAddress {
    union {
        sockaddr any;
        sockaddr_in v4;
        sockaddr_in6 v6;
    };
    socklen_t size_bytes; // 0: this socket cannot send there.
};

struct Arrived {
    size_t count;
    bool truncated[receive_datagrams_max];
    uint32_t sizes_bytes[receive_datagrams_max];
};

struct UdpSocket final : Socket { // Closed.
    int _descriptor;
    IpVersion _version;
    uint16_t _port;
    SocketStats _stats;
    Arrived _arrived;
    NativeAddress _sources[receive_datagrams_max];
    Datagram _datagrams[receive_datagrams_max];
    std::byte _buffers[receive_datagrams_max][socket_datagram_bytes_max];

    ~UdpSocket() override { close(_descriptor); }
    std::span<const Datagram> receive() override;
    void send(std::span<const Datagram> datagrams) override;
    Address local_address() const override;
    SocketStats stats() const override { return _stats; }
};

}

static NativeAddress native(const Address &address, IpVersion version)
{
    NativeAddress out;
    std::memset(&out, 0, sizeof out);
    if (version == IpVersion::v6) {
        out.v6.sin6_family = AF_INET6;
        out.v6.sin6_port = htons(address.port);
        std::memcpy(&out.v6.sin6_addr, address.ip, 16);
        out.size_bytes = sizeof out.v6;
    } else if (address::is_v4(address)) {
        out.v4.sin_family = AF_INET;
        out.v4.sin_port = htons(address.port);
        std::memcpy(&out.v4.sin_addr, address::v4_bytes(address).data(), 4);
        out.size_bytes = sizeof out.v4;
    }
    return out;
}

static Address portable(const NativeAddress &address)
{
    if (address.any.sa_family == AF_INET) {
        uint8_t ip[4];
        std::memcpy(ip, &address.v4.sin_addr, 4);
        return address::from_v4(ip, ntohs(address.v4.sin_port));
    }
    Address out = {};
    std::memcpy(out.ip, &address.v6.sin6_addr, 16);
    out.port = ntohs(address.v6.sin6_port);
    return out;
}

// No later datagram of this batch has a better chance: the system's queue is full.
static bool queue_is_full(int error)
{
    return error == EAGAIN || error == EWOULDBLOCK || error == ENOBUFS;
}

#ifdef TERN_BATCHED_UDP

static void arrive(UdpSocket &socket)
{
    mmsghdr messages[receive_datagrams_max];
    iovec vectors[receive_datagrams_max];
    std::memset(messages, 0, sizeof messages);
    for (size_t i = 0; i < receive_datagrams_max; ++i) {
        vectors[i] = {socket._buffers[i], socket_datagram_bytes_max};
        messages[i].msg_hdr.msg_iov = &vectors[i];
        messages[i].msg_hdr.msg_iovlen = 1;
        messages[i].msg_hdr.msg_name = &socket._sources[i].any;
        messages[i].msg_hdr.msg_namelen = sizeof(sockaddr_in6);
    }
    int count;
    do
        count =
            recvmmsg(socket._descriptor, messages, receive_datagrams_max, MSG_DONTWAIT, nullptr);
    while (count < 0 && errno == EINTR);
    socket._arrived.count = count < 0 ? 0 : static_cast<size_t>(count);
    for (size_t i = 0; i < socket._arrived.count; ++i) {
        socket._arrived.truncated[i] = (messages[i].msg_hdr.msg_flags & MSG_TRUNC) != 0;
        socket._arrived.sizes_bytes[i] = messages[i].msg_len;
    }
}

// Hands over what it can of at most send_batch_max datagrams, all with a destination.
static void depart(UdpSocket &socket, std::span<const Datagram> datagrams,
                   NativeAddress *destinations)
{
    mmsghdr messages[send_batch_max];
    iovec vectors[send_batch_max];
    std::memset(messages, 0, sizeof messages);
    for (size_t i = 0; i < datagrams.size(); ++i) {
        vectors[i] = {const_cast<std::byte *>(datagrams[i].bytes.data()),
                      datagrams[i].bytes.size()};
        messages[i].msg_hdr.msg_iov = &vectors[i];
        messages[i].msg_hdr.msg_iovlen = 1;
        messages[i].msg_hdr.msg_name = &destinations[i].any;
        messages[i].msg_hdr.msg_namelen = destinations[i].size_bytes;
    }
    size_t i = 0;
    while (i < datagrams.size()) {
        const int sent = sendmmsg(socket._descriptor, messages + i,
                                  static_cast<unsigned>(datagrams.size() - i), MSG_DONTWAIT);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) {
            const size_t lost = queue_is_full(errno) ? datagrams.size() - i : 1;
            socket._stats.send_failures += lost;
            i += lost;
            continue;
        }
        for (const size_t end = i + static_cast<size_t>(sent); i < end; ++i) {
            socket._stats.sent_datagrams += 1;
            socket._stats.sent_bytes += datagrams[i].bytes.size();
        }
    }
}

#else

static void arrive(UdpSocket &socket)
{
    Arrived &arrived = socket._arrived;
    for (arrived.count = 0; arrived.count < receive_datagrams_max;) {
        const size_t i = arrived.count;
        iovec vector = {socket._buffers[i], socket_datagram_bytes_max};
        msghdr message;
        std::memset(&message, 0, sizeof message);
        message.msg_iov = &vector;
        message.msg_iovlen = 1;
        message.msg_name = &socket._sources[i].any;
        message.msg_namelen = sizeof(sockaddr_in6);
        const ssize_t size = recvmsg(socket._descriptor, &message, 0);
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) return;
        arrived.truncated[i] = (message.msg_flags & MSG_TRUNC) != 0;
        arrived.sizes_bytes[i] = static_cast<uint32_t>(size);
        arrived.count += 1;
    }
}

static void depart(UdpSocket &socket, std::span<const Datagram> datagrams,
                   NativeAddress *destinations)
{
    for (size_t i = 0; i < datagrams.size();) {
        const ssize_t sent =
            sendto(socket._descriptor, datagrams[i].bytes.data(), datagrams[i].bytes.size(), 0,
                   &destinations[i].any, destinations[i].size_bytes);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) {
            const size_t lost = queue_is_full(errno) ? datagrams.size() - i : 1;
            socket._stats.send_failures += lost;
            i += lost;
            continue;
        }
        socket._stats.sent_datagrams += 1;
        socket._stats.sent_bytes += datagrams[i].bytes.size();
        i += 1;
    }
}

#endif

std::span<const Datagram> UdpSocket::receive()
{
    size_t kept = 0;
    for (unsigned round = 0; kept == 0 && round < receive_rounds_max; ++round) {
        arrive(*this);
        for (size_t i = 0; i < _arrived.count; ++i) {
            if (_arrived.truncated[i]) {
                _stats.oversized += 1;
                continue;
            }
            _stats.received_datagrams += 1;
            _stats.received_bytes += _arrived.sizes_bytes[i];
            _datagrams[kept] = {portable(_sources[i]), {_buffers[i], _arrived.sizes_bytes[i]}};
            kept += 1;
        }
        if (_arrived.count < receive_datagrams_max) break;
    }
    return {_datagrams, kept};
}

void UdpSocket::send(std::span<const Datagram> datagrams)
{
    Datagram batch[send_batch_max];
    NativeAddress destinations[send_batch_max];
    size_t count = 0;
    for (const Datagram &datagram : datagrams) {
        destinations[count] = native(datagram.address, _version);
        if (destinations[count].size_bytes == 0) {
            _stats.send_failures += 1;
            continue;
        }
        batch[count] = datagram;
        count += 1;
        if (count == send_batch_max) {
            depart(*this, {batch, count}, destinations);
            count = 0;
        }
    }
    if (count > 0) depart(*this, {batch, count}, destinations);
}

Address UdpSocket::local_address() const
{
    if (_version == IpVersion::v4) {
        const uint8_t unspecified[4] = {};
        return address::from_v4(unspecified, _port);
    }
    Address address = {};
    address.port = _port;
    return address;
}

// Some systems refuse what is too much instead of giving what they can.
static void enlarge_buffer(int descriptor, int option)
{
    for (int size = system_buffer_bytes; size >= system_buffer_bytes_min; size /= 2) {
        if (setsockopt(descriptor, SOL_SOCKET, option, &size, sizeof size) == 0) return;
    }
}

// 0 or an errno. Without SO_REUSEADDR, so that a second socket on a port is an error.
static int bind_any(int descriptor, uint16_t port, IpVersion version)
{
    if (fcntl(descriptor, F_SETFL, O_NONBLOCK) != 0 || fcntl(descriptor, F_SETFD, FD_CLOEXEC) != 0)
        return errno;
    const int off = 0;
    if (version == IpVersion::v6 &&
        setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) != 0)
        return errno;
    enlarge_buffer(descriptor, SO_RCVBUF);
    enlarge_buffer(descriptor, SO_SNDBUF);
    NativeAddress any;
    std::memset(&any, 0, sizeof any);
    any.any.sa_family = version == IpVersion::v6 ? AF_INET6 : AF_INET;
    any.size_bytes = version == IpVersion::v6 ? sizeof any.v6 : sizeof any.v4;
    (version == IpVersion::v6 ? any.v6.sin6_port : any.v4.sin_port) = htons(port);
    return bind(descriptor, &any.any, any.size_bytes) == 0 ? 0 : errno;
}

static uint16_t bound_port(int descriptor)
{
    NativeAddress address;
    std::memset(&address, 0, sizeof address);
    address.size_bytes = sizeof address.v6;
    if (getsockname(descriptor, &address.any, &address.size_bytes) != 0) return 0;
    return portable(address).port;
}

MadeSocket make_udp_socket(uint16_t port, IpVersion version)
{
    const int descriptor = ::socket(version == IpVersion::v6 ? AF_INET6 : AF_INET, SOCK_DGRAM, 0);
    if (descriptor < 0) return {nullptr, socket_error(errno)};
    if (const int error = bind_any(descriptor, port, version)) {
        close(descriptor);
        return {nullptr, socket_error(error)};
    }
    auto *socket = new (std::nothrow) UdpSocket;
    if (!socket) {
        close(descriptor);
        return {nullptr, SocketError::system};
    }
    socket->_descriptor = descriptor;
    socket->_version = version;
    socket->_port = bound_port(descriptor);
    socket->_stats = {};
    return {socket, SocketError::none};
}

}
