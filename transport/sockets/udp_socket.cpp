#include "transport/sockets/udp_socket.h"
#include "tern/limits.hpp"
#include "transport/sockets/addresses.h"
#include "transport/sockets/socket_error.h"
#include <algorithm>
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
#include <netinet/udp.h>
#ifndef UDP_SEGMENT // From linux/udp.h; the netinet/udp.h of some C libraries lacks it.
#define UDP_SEGMENT 103
#define UDP_GRO 104
#endif
#endif

namespace tern {

namespace {

constexpr size_t send_batch_max = 64;        // Datagrams per system call.
constexpr size_t group_bytes_max = 60'000;   // One group of UDP_SEGMENT; IPv4 allows 65535.
constexpr int system_buffer_bytes = 4 << 20; // Requested size; the system may grant less.
constexpr int system_buffer_bytes_min = 1 << 16;
// Limits the system calls of one receive() while they return oversized datagrams only.
constexpr unsigned receive_rounds_max = 8;

// An address for the system calls, of either IP version.
struct NativeAddress {
    union {
        sockaddr any;
        sockaddr_in v4;
        sockaddr_in6 v6;
    };
    socklen_t size_bytes; // 0: this socket cannot send there.
};

// The messages of the last system calls. With UDP_GRO a message may hold several datagrams of one
// sender, back to back. All of them have segment_bytes, but the last may be shorter.
struct Arrived {
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
    int _descriptor;
    IpVersion _version;
    uint16_t _port;
    bool _groups; // The system accepts UDP_SEGMENT: several datagrams as one message.
    SocketStats _stats;
    Arrived _arrived;
    Batch _batch;
    NativeAddress _sources[receive_datagrams_max];
    Datagram _datagrams[receive_datagrams_max];
    std::byte _buffers[receive_datagrams_max][buffer_bytes];

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

// Whether the system's queue is full. Then no later datagram of this batch can be sent either.
static bool queue_is_full(int error)
{
    return error == EAGAIN || error == EWOULDBLOCK || error == ENOBUFS;
}

#ifdef TERN_BATCHED_UDP

// Fills in what stays the same for all system calls. arrive() resets the sizes, which they change.
static void place_batch(UdpSocket &socket)
{
    Batch &batch = socket._batch;
    std::memset(&batch, 0, sizeof batch);
    for (size_t i = 0; i < receive_datagrams_max; ++i) {
        batch.vectors[i] = {socket._buffers[i], buffer_bytes};
        msghdr &message = batch.messages[i].msg_hdr;
        message.msg_iov = &batch.vectors[i];
        message.msg_iovlen = 1;
        message.msg_name = &socket._sources[i].any;
        message.msg_namelen = sizeof(sockaddr_in6);
        message.msg_control = &batch.controls[i];
        message.msg_controllen = sizeof(Control);
    }
    const int on = 1; // If the system refuses UDP_GRO, each message is one datagram.
    setsockopt(socket._descriptor, IPPROTO_UDP, UDP_GRO, &on, sizeof on);
    socket._groups = true;
}

static uint32_t segment_bytes(msghdr &message, uint32_t size_bytes)
{
    for (cmsghdr *c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c)) {
        if (c->cmsg_level != IPPROTO_UDP || c->cmsg_type != UDP_GRO) continue;
        int size = 0;
        std::memcpy(&size, CMSG_DATA(c), sizeof size);
        if (size > 0) return static_cast<uint32_t>(size);
    }
    return size_bytes;
}

static void arrive(UdpSocket &socket)
{
    Arrived &arrived = socket._arrived;
    mmsghdr *messages = socket._batch.messages;
    for (size_t i = 0; i < arrived.count; ++i) {
        messages[i].msg_hdr.msg_namelen = sizeof(sockaddr_in6);
        messages[i].msg_hdr.msg_controllen = sizeof(Control);
    }
    int count;
    do
        count =
            recvmmsg(socket._descriptor, messages, receive_datagrams_max, MSG_DONTWAIT, nullptr);
    while (count < 0 && errno == EINTR);
    arrived.count = count < 0 ? 0 : static_cast<size_t>(count);
    for (size_t i = 0; i < arrived.count; ++i) {
        msghdr &message = messages[i].msg_hdr;
        arrived.truncated[i] = (message.msg_flags & MSG_TRUNC) != 0;
        arrived.sizes_bytes[i] = messages[i].msg_len;
        arrived.segment_bytes[i] = segment_bytes(message, messages[i].msg_len);
    }
}

// How many datagrams, from the first on, UDP_SEGMENT can send as one message: all to one address
// and of one size, but the last may be shorter.
static size_t group_count(std::span<const Datagram> datagrams)
{
    const Datagram &first = datagrams[0];
    size_t count = 1, bytes = first.bytes.size();
    while (count < datagrams.size() && !first.bytes.empty()) {
        const Datagram &next = datagrams[count];
        bytes += next.bytes.size();
        if (next.bytes.empty() || next.bytes.size() > first.bytes.size()) break;
        if (bytes > group_bytes_max || !(next.address == first.address)) break;
        count += 1;
        if (next.bytes.size() < first.bytes.size()) break;
    }
    return count;
}

struct Departure { // Arguments of sendmmsg().
    mmsghdr messages[send_batch_max];
    iovec vectors[send_batch_max];
    Control controls[send_batch_max];
    size_t firsts[send_batch_max + 1]; // Index of the first datagram of each message, then the end.
    size_t count;                      // Number of messages.
};

static void put_segment_bytes(msghdr &message, Control &control, size_t size_bytes)
{
    message.msg_control = &control;
    message.msg_controllen = CMSG_SPACE(sizeof(uint16_t));
    cmsghdr *c = CMSG_FIRSTHDR(&message);
    c->cmsg_level = IPPROTO_UDP;
    c->cmsg_type = UDP_SEGMENT;
    c->cmsg_len = CMSG_LEN(sizeof(uint16_t));
    const auto size = static_cast<uint16_t>(size_bytes);
    std::memcpy(CMSG_DATA(c), &size, sizeof size);
}

static void arrange(Departure &d, std::span<const Datagram> datagrams, NativeAddress *destinations,
                    bool groups)
{
    d.count = 0;
    for (size_t first = 0; first < datagrams.size();) {
        const size_t count = groups ? group_count(datagrams.subspan(first)) : 1;
        for (size_t i = first; i < first + count; ++i)
            d.vectors[i] = {const_cast<std::byte *>(datagrams[i].bytes.data()),
                            datagrams[i].bytes.size()};
        msghdr &message = d.messages[d.count].msg_hdr;
        message = {};
        message.msg_iov = &d.vectors[first];
        message.msg_iovlen = count;
        message.msg_name = &destinations[first].any;
        message.msg_namelen = destinations[first].size_bytes;
        if (count > 1)
            put_segment_bytes(message, d.controls[d.count], datagrams[first].bytes.size());
        d.firsts[d.count] = first;
        d.count += 1;
        first += count;
    }
    d.firsts[d.count] = datagrams.size();
}

// Sends at most send_batch_max datagrams, which all have a destination. Counts failures.
static void depart(UdpSocket &socket, std::span<const Datagram> datagrams,
                   NativeAddress *destinations, bool groups)
{
    Departure d;
    arrange(d, datagrams, destinations, groups);
    for (size_t i = 0; i < d.count;) {
        const int sent = sendmmsg(socket._descriptor, d.messages + i,
                                  static_cast<unsigned>(d.count - i), MSG_DONTWAIT);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0 && !queue_is_full(errno) && d.firsts[i + 1] - d.firsts[i] > 1) {
            // The network path or the system refuses the group, so send its datagrams one by one.
            // For large datagrams the cause may be the MTU of this path alone; only otherwise give
            // up UDP_SEGMENT.
            const size_t first = d.firsts[i], count = d.firsts[i + 1] - first;
            const bool is_large = datagrams[first].bytes.size() > datagram_bytes_base;
            if (!is_large) socket._groups = false;
            depart(socket, datagrams.subspan(first, count), destinations + first, false);
            i += 1;
            continue;
        }
        if (sent < 0) {
            const size_t end = queue_is_full(errno) ? d.count : i + 1;
            socket._stats.send_failures += d.firsts[end] - d.firsts[i];
            i = end;
            continue;
        }
        const size_t end = i + static_cast<size_t>(sent);
        for (size_t k = d.firsts[i]; k < d.firsts[end]; ++k)
            socket._stats.sent_bytes += datagrams[k].bytes.size();
        socket._stats.sent_datagrams += d.firsts[end] - d.firsts[i];
        i = end;
    }
}

#else

static void place_batch(UdpSocket &) {}

static void arrive(UdpSocket &socket)
{
    Arrived &arrived = socket._arrived;
    for (arrived.count = 0; arrived.count < receive_datagrams_max;) {
        const size_t i = arrived.count;
        iovec vector = {socket._buffers[i], buffer_bytes};
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
        arrived.sizes_bytes[i] = arrived.segment_bytes[i] = static_cast<uint32_t>(size);
        arrived.count += 1;
    }
}

static void depart(UdpSocket &socket, std::span<const Datagram> datagrams,
                   NativeAddress *destinations, bool)
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

// Moves the next datagram of _arrived to the result, unless it is oversized.
static void take_next(UdpSocket &socket, size_t &kept)
{
    Arrived &arrived = socket._arrived;
    const size_t i = arrived.at;
    const size_t left = arrived.sizes_bytes[i] - arrived.offset_at;
    const size_t size = std::min<size_t>(left, arrived.segment_bytes[i]);
    if ((arrived.truncated[i] && size == left) || size > socket_datagram_bytes_max) {
        socket._stats.oversized += 1;
    } else {
        socket._stats.received_datagrams += 1;
        socket._stats.received_bytes += size;
        socket._datagrams[kept] = {portable(socket._sources[i]),
                                   {socket._buffers[i] + arrived.offset_at, size}};
        kept += 1;
    }
    arrived.offset_at += size;
    if (size < left) return;
    arrived.at += 1;
    arrived.offset_at = 0;
}

std::span<const Datagram> UdpSocket::receive()
{
    size_t kept = 0;
    for (unsigned round = 0; kept == 0 && round < receive_rounds_max; ++round) {
        if (_arrived.at == _arrived.count) {
            arrive(*this);
            _arrived.at = _arrived.offset_at = 0;
        }
        while (kept < receive_datagrams_max && _arrived.at < _arrived.count)
            take_next(*this, kept);
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
            depart(*this, {batch, count}, destinations, _groups);
            count = 0;
        }
    }
    if (count > 0) depart(*this, {batch, count}, destinations, _groups);
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

// Some systems refuse a size above their limit instead of granting the limit, so smaller ones are
// tried.
static void enlarge_buffer(int descriptor, int option)
{
    for (int size = system_buffer_bytes; size >= system_buffer_bytes_min; size /= 2) {
        if (setsockopt(descriptor, SOL_SOCKET, option, &size, sizeof size) == 0) return;
    }
}

// Forbids IP fragmentation. Datagrams above the path MTU must be lost, because path MTU discovery
// relies on it (transport/connection/path_size.h). On a system that refuses this option, they are
// fragmented.
static void forbid_fragments(int descriptor, IpVersion version)
{
#if defined(IP_MTU_DISCOVER) && defined(IP_PMTUDISC_PROBE)
    const int probe = IP_PMTUDISC_PROBE;
    setsockopt(descriptor, IPPROTO_IP, IP_MTU_DISCOVER, &probe, sizeof probe);
#if defined(IPV6_MTU_DISCOVER) && defined(IPV6_PMTUDISC_PROBE)
    const int probe_v6 = IPV6_PMTUDISC_PROBE;
    if (version == IpVersion::v6)
        setsockopt(descriptor, IPPROTO_IPV6, IPV6_MTU_DISCOVER, &probe_v6, sizeof probe_v6);
#endif
#elif defined(IP_DONTFRAG) && defined(IPV6_DONTFRAG)
    const int on = 1;
    if (version == IpVersion::v6)
        setsockopt(descriptor, IPPROTO_IPV6, IPV6_DONTFRAG, &on, sizeof on);
    else
        setsockopt(descriptor, IPPROTO_IP, IP_DONTFRAG, &on, sizeof on);
#else
    (void)descriptor, (void)version;
#endif
}

// Returns 0 or an errno. Does not set SO_REUSEADDR, so that a second socket on a port is an error.
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
    forbid_fragments(descriptor, version);
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
    socket->_groups = false;
    socket->_arrived.count = socket->_arrived.at = socket->_arrived.offset_at = 0;
    place_batch(*socket);
    return {socket, SocketError::none};
}

int udp_socket::descriptor(const Socket &socket)
{
    return static_cast<const UdpSocket &>(socket)._descriptor;
}

}
