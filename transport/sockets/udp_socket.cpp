#include "transport/sockets/udp_socket.h"
#include "transport/sockets/socket_error.h"
#include <algorithm>
#include <new>

namespace tern {

using namespace udp_socket;
using native_socket::Descriptor;
using native_socket::from_native;
using native_socket::NativeAddress;
using native_socket::to_native;

static constexpr int system_buffer_bytes = 4 << 20; // Requested size; the system may grant less.
static constexpr int system_buffer_bytes_min = 1 << 16;
// Limits the system calls of one receive() while they return oversized datagrams only.
static constexpr unsigned receive_rounds_max = 8;

// Moves the next datagram of _arrived to the result, unless it is oversized.
static void take_next(UdpSocket &socket, size_t &kept)
{
    ArrivedMessages &arrived = socket._arrived;
    const size_t i = arrived.at;
    const size_t left = arrived.sizes_bytes[i] - arrived.offset_at;
    const size_t size = std::min<size_t>(left, arrived.segment_bytes[i]);
    if ((arrived.truncated[i] && size == left) || size > socket_datagram_bytes_max) {
        socket._stats.oversized += 1;
    } else {
        socket._stats.received_datagrams += 1;
        socket._stats.received_bytes += size;
        socket._datagrams[kept] = {from_native(socket._sources[i]),
                                   {socket._buffers[i] + arrived.offset_at, size}};
        kept += 1;
    }
    arrived.offset_at += size;
    if (size < left) return;
    arrived.at += 1;
    arrived.offset_at = 0;
}

std::span<const Datagram> udp_socket::UdpSocket::receive()
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

void udp_socket::UdpSocket::send(std::span<const Datagram> datagrams)
{
    Datagram batch[send_batch_max];
    NativeAddress destinations[send_batch_max];
    size_t count = 0;
    for (const Datagram &datagram : datagrams) {
        destinations[count] = to_native(datagram.address, _version);
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

// Some systems refuse a size above their limit instead of granting the limit, so smaller ones are
// tried.
static void enlarge_buffer(Descriptor descriptor, int option)
{
    for (int size = system_buffer_bytes; size >= system_buffer_bytes_min; size /= 2) {
        if (native_socket::set_option(descriptor, SOL_SOCKET, option, size)) return;
    }
}

// Forbids IP fragmentation. Datagrams above the path MTU must be lost, because path MTU discovery
// relies on it (transport/connection/path_size.h). On a system that refuses this option, they are
// fragmented.
static void forbid_fragments([[maybe_unused]] Descriptor descriptor,
                             [[maybe_unused]] IpVersion version)
{
#if defined(_WIN32)
    native_socket::set_option(descriptor, IPPROTO_IP, IP_DONTFRAGMENT, 1);
    if (version == IpVersion::v6)
        native_socket::set_option(descriptor, IPPROTO_IPV6, IPV6_DONTFRAG, 1);
#elif defined(IP_MTU_DISCOVER) && defined(IP_PMTUDISC_PROBE)
    native_socket::set_option(descriptor, IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_PROBE);
#if defined(IPV6_MTU_DISCOVER) && defined(IPV6_PMTUDISC_PROBE)
    if (version == IpVersion::v6)
        native_socket::set_option(descriptor, IPPROTO_IPV6, IPV6_MTU_DISCOVER, IPV6_PMTUDISC_PROBE);
#endif
#elif defined(IP_DONTFRAG) && defined(IPV6_DONTFRAG)
    if (version == IpVersion::v6)
        native_socket::set_option(descriptor, IPPROTO_IPV6, IPV6_DONTFRAG, 1);
    else
        native_socket::set_option(descriptor, IPPROTO_IP, IP_DONTFRAG, 1);
#endif
}

// Returns 0 or an error. Does not set SO_REUSEADDR, so that a second socket on a port is an error.
static int bind_any(Descriptor descriptor, uint16_t port, IpVersion version)
{
#ifdef _WIN32
    // Without it, a program with SO_REUSEADDR could take the port.
    native_socket::set_option(descriptor, SOL_SOCKET, SO_EXCLUSIVEADDRUSE, 1);
#endif
    if (version == IpVersion::v6 &&
        !native_socket::set_option(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, 0))
        return native_socket::last_error();
    enlarge_buffer(descriptor, SO_RCVBUF);
    enlarge_buffer(descriptor, SO_SNDBUF);
    forbid_fragments(descriptor, version);
    const Address any = native_socket::unspecified(version, port);
    return native_socket::bind(descriptor, native_socket::to_native(any, version));
}

MadeSocket make_udp_socket(uint16_t port, IpVersion version)
{
    const native_socket::Opened opened = native_socket::open(version);
    if (opened.error != 0) return {nullptr, socket_error(opened.error)};
    if (const int error = bind_any(opened.descriptor, port, version)) {
        native_socket::close(opened.descriptor);
        return {nullptr, socket_error(error)};
    }
    auto *socket = new (std::nothrow) UdpSocket;
    if (!socket) {
        native_socket::close(opened.descriptor);
        return {nullptr, SocketError::system};
    }
    socket->_descriptor = opened.descriptor;
    socket->_version = version;
    socket->_port = native_socket::bound_port(opened.descriptor);
    socket->_stats = {};
    socket->_groups = false;
    socket->_arrived.count = socket->_arrived.at = socket->_arrived.offset_at = 0;
    place_batch(*socket);
    return {socket, SocketError::none};
}

Descriptor udp_socket::descriptor(const Socket &socket)
{
    return static_cast<const UdpSocket &>(socket)._descriptor;
}

}
