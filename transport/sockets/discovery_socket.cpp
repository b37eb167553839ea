// The socket of LAN discovery. It sends a datagram to 255.255.255.255 once or twice from each local
// address, by broadcast and by multicast. All datagrams leave with the largest hop limit, and those
// that arrive with a smaller one are dropped, because a router has forwarded them (RFC 5082).
#include "tern/discovery.hpp"
#include "transport/sockets/addresses.h"
#include "transport/sockets/socket_error.h"
#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <new>
#include <sys/socket.h>
#include <unistd.h>

namespace tern {

namespace {

constexpr int hops_max = 255;
constexpr size_t local_addresses_max = 32;       // Further ones are ignored.
constexpr size_t datagrams_max = 64;             // Result of one receive(); the rest waits.
constexpr size_t bytes_max = 512;                // Larger datagrams are dropped and counted.
constexpr uint64_t look_interval_us = 5'000'000; // Interfaces may appear and disappear.
// Multicast groups: IPv4 local scope (RFC 2365), and IPv6 transient, link-local scope (RFC 4291).
constexpr uint8_t group_v4[4] = {239, 255, 83, 76};
constexpr uint8_t group_v6[16] = {0xff, 0x12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 't', 'e', 'r', 'n'};

// An address of this machine.
struct LocalAddress {
    Address address; // Port 0.
    unsigned interface;
    bool broadcasts;
};

struct DiscoverySocket final : Socket { // Closed.
    int _v4, _v6;                       // Descriptors; -1 if the system lacks the IP version.
    uint16_t _port;
    SocketStats _stats;
    uint64_t _next_look_us;
    size_t _local_count;
    LocalAddress _local[local_addresses_max];
    Datagram _datagrams[datagrams_max];
    std::byte _buffers[datagrams_max][bytes_max];

    ~DiscoverySocket() override
    {
        if (_v4 >= 0) close(_v4);
        if (_v6 >= 0) close(_v6);
    }
    std::span<const Datagram> receive() override;
    void send(std::span<const Datagram> datagrams) override;
    Address local_address() const override;
    SocketStats stats() const override { return _stats; }
};

// Ancillary data of a datagram: the interface and source address, or the hop limit.
union Control {
    cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(in6_pktinfo))];
};

static_assert(sizeof(in_pktinfo) <= sizeof(in6_pktinfo));

}

// --- Addresses ---

static sockaddr_in native_v4(const uint8_t *ip, uint16_t port)
{
    sockaddr_in native = {};
    native.sin_family = AF_INET;
    native.sin_port = htons(port);
    std::memcpy(&native.sin_addr, ip, 4);
    return native;
}

static sockaddr_in6 native_v6(const uint8_t *ip, uint16_t port, unsigned interface)
{
    sockaddr_in6 native = {};
    native.sin6_family = AF_INET6;
    native.sin6_port = htons(port);
    native.sin6_scope_id = interface;
    std::memcpy(&native.sin6_addr, ip, 16);
    return native;
}

static bool is_everybody(const Address &address)
{
    static constexpr uint8_t ones[4] = {255, 255, 255, 255};
    return address::is_v4(address) &&
           std::memcmp(address::v4_bytes(address).data(), ones, sizeof ones) == 0;
}

// --- Local addresses ---

// Returns false if the address cannot be used. Link-local IPv6 addresses cannot, because an Address
// has no zone.
static bool read_address(const sockaddr *native, Address &address)
{
    if (!native) return false;
    if (native->sa_family == AF_INET) {
        uint8_t ip[4];
        std::memcpy(ip, &reinterpret_cast<const sockaddr_in *>(native)->sin_addr, sizeof ip);
        address = address::from_v4(ip, 0);
        return true;
    }
    if (native->sa_family != AF_INET6) return false;
    const in6_addr &ip = reinterpret_cast<const sockaddr_in6 *>(native)->sin6_addr;
    address = {};
    std::memcpy(address.ip, &ip, sizeof address.ip);
    return !IN6_IS_ADDR_LINKLOCAL(&ip);
}

static void join_groups(const DiscoverySocket &s)
{
    for (size_t i = 0; i < s._local_count; ++i) {
        const LocalAddress &local = s._local[i];
        // The system refuses a group that was joined before. Other errors leave broadcast.
        if (address::is_v4(local.address) && s._v4 >= 0) {
            ip_mreqn request = {};
            std::memcpy(&request.imr_multiaddr, group_v4, sizeof group_v4);
            request.imr_ifindex = static_cast<int>(local.interface);
            setsockopt(s._v4, IPPROTO_IP, IP_ADD_MEMBERSHIP, &request, sizeof request);
        } else if (s._v6 >= 0) {
            ipv6_mreq request = {};
            std::memcpy(&request.ipv6mr_multiaddr, group_v6, sizeof group_v6);
            request.ipv6mr_interface = local.interface;
            setsockopt(s._v6, IPPROTO_IPV6, IPV6_JOIN_GROUP, &request, sizeof request);
        }
    }
}

// The caller asks for loopback only if there are no other addresses, because sessions that are
// found through it cannot be reached from another machine.
static void take_local_addresses(DiscoverySocket &s, const ifaddrs *first, bool of_loopback)
{
    s._local_count = 0;
    for (const ifaddrs *it = first; it && s._local_count < local_addresses_max; it = it->ifa_next) {
        const bool is_loopback = (it->ifa_flags & IFF_LOOPBACK) != 0;
        const bool carries = (it->ifa_flags & (IFF_BROADCAST | IFF_MULTICAST)) != 0 || is_loopback;
        LocalAddress local = {};
        if (!(it->ifa_flags & IFF_UP) || !carries || is_loopback != of_loopback ||
            !read_address(it->ifa_addr, local.address))
            continue;
        local.interface = if_nametoindex(it->ifa_name);
        local.broadcasts = (it->ifa_flags & IFF_BROADCAST) != 0;
        s._local[s._local_count] = local;
        s._local_count += 1;
    }
}

static void look_for_networks(DiscoverySocket &s)
{
    const uint64_t now_us = clock_us();
    if (now_us < s._next_look_us) return;
    s._next_look_us = now_us + look_interval_us;
    ifaddrs *first = nullptr;
    if (getifaddrs(&first) != 0) return;
    take_local_addresses(s, first, false);
    if (s._local_count == 0) take_local_addresses(s, first, true);
    freeifaddrs(first);
    join_groups(s);
}

// --- Sending ---

static void send_one(DiscoverySocket &s, int descriptor, msghdr &message,
                     std::span<const std::byte> bytes)
{
    iovec vector = {const_cast<std::byte *>(bytes.data()), bytes.size()};
    message.msg_iov = &vector;
    message.msg_iovlen = 1;
    ssize_t sent;
    do
        sent = sendmsg(descriptor, &message, MSG_DONTWAIT);
    while (sent < 0 && errno == EINTR);
    if (sent < 0) {
        s._stats.send_failures += 1;
        return;
    }
    s._stats.sent_datagrams += 1;
    s._stats.sent_bytes += bytes.size();
}

// Sends to an address; if `from` is given, through its interface and from its address.
static void send_v4(DiscoverySocket &s, const uint8_t *ip, uint16_t port, const LocalAddress *from,
                    std::span<const std::byte> bytes)
{
    sockaddr_in to = native_v4(ip, port);
    msghdr message = {};
    message.msg_name = &to;
    message.msg_namelen = sizeof to;
    Control control = {};
    if (from) {
        in_pktinfo info = {};
        info.ipi_ifindex = static_cast<int>(from->interface);
        std::memcpy(&info.ipi_spec_dst, address::v4_bytes(from->address).data(), 4);
        control.header.cmsg_level = IPPROTO_IP;
        control.header.cmsg_type = IP_PKTINFO;
        control.header.cmsg_len = CMSG_LEN(sizeof info);
        std::memcpy(CMSG_DATA(&control.header), &info, sizeof info);
        message.msg_control = &control;
        message.msg_controllen = CMSG_SPACE(sizeof info);
    }
    send_one(s, s._v4, message, bytes);
}

static void send_v6(DiscoverySocket &s, const uint8_t *ip, uint16_t port, const LocalAddress *from,
                    std::span<const std::byte> bytes)
{
    sockaddr_in6 to = native_v6(ip, port, from ? from->interface : 0);
    msghdr message = {};
    message.msg_name = &to;
    message.msg_namelen = sizeof to;
    Control control = {};
    if (from) {
        in6_pktinfo info = {};
        info.ipi6_ifindex = from->interface;
        std::memcpy(&info.ipi6_addr, from->address.ip, 16);
        control.header.cmsg_level = IPPROTO_IPV6;
        control.header.cmsg_type = IPV6_PKTINFO;
        control.header.cmsg_len = CMSG_LEN(sizeof info);
        std::memcpy(CMSG_DATA(&control.header), &info, sizeof info);
        message.msg_control = &control;
        message.msg_controllen = CMSG_SPACE(sizeof info);
    }
    send_one(s, s._v6, message, bytes);
}

static void send_to_everybody(DiscoverySocket &s, const Datagram &datagram)
{
    look_for_networks(s);
    const uint16_t port = datagram.address.port;
    if (s._local_count == 0) s._stats.send_failures += 1;
    for (size_t i = 0; i < s._local_count; ++i) {
        const LocalAddress &local = s._local[i];
        if (!address::is_v4(local.address)) {
            if (s._v6 >= 0) send_v6(s, group_v6, port, &local, datagram.bytes);
            continue;
        }
        if (s._v4 < 0) continue;
        if (local.broadcasts)
            send_v4(s, address::v4_bytes(datagram.address).data(), port, &local, datagram.bytes);
        send_v4(s, group_v4, port, &local, datagram.bytes);
    }
}

void DiscoverySocket::send(std::span<const Datagram> datagrams)
{
    for (const Datagram &datagram : datagrams) {
        const bool is_v4 = address::is_v4(datagram.address);
        if (is_everybody(datagram.address))
            send_to_everybody(*this, datagram);
        else if (is_v4 && _v4 >= 0)
            send_v4(*this, address::v4_bytes(datagram.address).data(), datagram.address.port,
                    nullptr, datagram.bytes);
        else if (!is_v4 && _v6 >= 0)
            send_v6(*this, datagram.address.ip, datagram.address.port, nullptr, datagram.bytes);
        else
            _stats.send_failures += 1;
    }
}

// --- Receiving ---

static int hops_left(msghdr &message)
{
    for (cmsghdr *it = CMSG_FIRSTHDR(&message); it; it = CMSG_NXTHDR(&message, it)) {
        const bool v4 = it->cmsg_level == IPPROTO_IP && it->cmsg_type == IP_TTL;
        const bool v6 = it->cmsg_level == IPPROTO_IPV6 && it->cmsg_type == IPV6_HOPLIMIT;
        if (!v4 && !v6) continue;
        int hops;
        std::memcpy(&hops, CMSG_DATA(it), sizeof hops);
        return hops;
    }
    return 0;
}

// Appends received datagrams to the `count` that are there, and returns the new count.
static size_t receive_from(DiscoverySocket &s, int descriptor, size_t count)
{
    for (size_t tries = 0; count < datagrams_max && tries < 4 * datagrams_max; ++tries) {
        sockaddr_in6 from = {}; // Also large enough for IPv4.
        iovec vector = {s._buffers[count], bytes_max};
        Control control = {};
        msghdr message = {};
        message.msg_name = &from;
        message.msg_namelen = sizeof from;
        message.msg_iov = &vector;
        message.msg_iovlen = 1;
        message.msg_control = &control;
        message.msg_controllen = sizeof control;
        const ssize_t size = recvmsg(descriptor, &message, MSG_DONTWAIT);
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) return count;
        if (message.msg_flags & MSG_TRUNC) {
            s._stats.oversized += 1;
            continue;
        }
        Address address;
        if (!read_address(reinterpret_cast<const sockaddr *>(&from), address)) continue;
        if (hops_left(message) != hops_max) continue;
        // The port has the same offset in sockaddr_in and sockaddr_in6.
        address.port = ntohs(from.sin6_port);
        const auto size_bytes = static_cast<size_t>(size);
        s._stats.received_datagrams += 1;
        s._stats.received_bytes += size_bytes;
        s._datagrams[count] = {address, {s._buffers[count], size_bytes}};
        count += 1;
    }
    return count;
}

std::span<const Datagram> DiscoverySocket::receive()
{
    look_for_networks(*this);
    size_t count = 0;
    if (_v4 >= 0) count = receive_from(*this, _v4, count);
    if (_v6 >= 0) count = receive_from(*this, _v6, count);
    return {_datagrams, count};
}

Address DiscoverySocket::local_address() const
{
    const uint8_t unspecified[4] = {};
    return address::from_v4(unspecified, _port);
}

// --- Opening ---

static bool turn_on(int descriptor, int level, int option, int value = 1)
{
    return setsockopt(descriptor, level, option, &value, sizeof value) == 0;
}

static bool prepare(int descriptor, bool v6)
{
    if (fcntl(descriptor, F_SETFL, O_NONBLOCK) != 0 || fcntl(descriptor, F_SETFD, FD_CLOEXEC) != 0)
        return false;
    if (!turn_on(descriptor, SOL_SOCKET, SO_REUSEADDR)) return false;
    if (v6)
        return turn_on(descriptor, IPPROTO_IPV6, IPV6_V6ONLY) &&
               turn_on(descriptor, IPPROTO_IPV6, IPV6_RECVHOPLIMIT) &&
               turn_on(descriptor, IPPROTO_IPV6, IPV6_UNICAST_HOPS, hops_max) &&
               turn_on(descriptor, IPPROTO_IPV6, IPV6_MULTICAST_HOPS, hops_max);
    return turn_on(descriptor, SOL_SOCKET, SO_BROADCAST) &&
           turn_on(descriptor, IPPROTO_IP, IP_RECVTTL) &&
           turn_on(descriptor, IPPROTO_IP, IP_TTL, hops_max) &&
           turn_on(descriptor, IPPROTO_IP, IP_MULTICAST_TTL, hops_max);
}

// Returns a descriptor, or -1 with the cause in errno.
static int opened(bool v6, uint16_t port)
{
    const int descriptor = ::socket(v6 ? AF_INET6 : AF_INET, SOCK_DGRAM, 0);
    if (descriptor < 0) return -1;
    const uint8_t any[16] = {};
    const sockaddr_in any_v4 = native_v4(any, port);
    const sockaddr_in6 any_v6 = native_v6(any, port, 0);
    const auto *address = v6 ? reinterpret_cast<const sockaddr *>(&any_v6)
                             : reinterpret_cast<const sockaddr *>(&any_v4);
    const socklen_t size_bytes = v6 ? sizeof any_v6 : sizeof any_v4;
    if (prepare(descriptor, v6) && bind(descriptor, address, size_bytes) == 0) return descriptor;
    const int error = errno;
    close(descriptor);
    errno = error;
    return -1;
}

static uint16_t bound_port(int descriptor)
{
    sockaddr_in6 address = {};
    socklen_t size_bytes = sizeof address;
    if (getsockname(descriptor, reinterpret_cast<sockaddr *>(&address), &size_bytes) != 0) return 0;
    return ntohs(address.sin6_port);
}

MadeSocket make_discovery_socket(uint16_t port)
{
    const int v4 = opened(false, port);
    const int v4_error = v4 < 0 ? errno : 0;
    const int v6 = opened(true, port == 0 && v4 >= 0 ? bound_port(v4) : port);
    // IPv4 may only be missing if the system lacks it; a port that another program keeps for itself
    // is an error. IPv6 may be missing for any reason.
    if ((v4 < 0 && v4_error != EAFNOSUPPORT) || (v4 < 0 && v6 < 0)) {
        if (v6 >= 0) close(v6);
        return {nullptr, socket_error(v4_error)};
    }
    auto *socket = new (std::nothrow) DiscoverySocket;
    if (!socket) {
        if (v4 >= 0) close(v4);
        if (v6 >= 0) close(v6);
        return {nullptr, SocketError::system};
    }
    socket->_v4 = v4;
    socket->_v6 = v6;
    socket->_port = bound_port(v4 >= 0 ? v4 : v6);
    socket->_stats = {};
    socket->_next_look_us = 0;
    socket->_local_count = 0;
    look_for_networks(*socket);
    return {socket, SocketError::none};
}

}
