#include "transport/sockets/native_message.h"
#include "transport/sockets/addresses.h"
#include <algorithm>
#include <cstring>
#ifdef _WIN32
#include <mswsock.h>
// Windows has these of POSIX under names of its own.
#undef CMSG_DATA // Windows has a constant of this name in a header for certificates.
#define CMSG_FIRSTHDR WSA_CMSG_FIRSTHDR
#define CMSG_NXTHDR WSA_CMSG_NXTHDR
#define CMSG_DATA WSA_CMSG_DATA
#define CMSG_SPACE WSA_CMSG_SPACE
#define CMSG_LEN WSA_CMSG_LEN
#ifndef IP_RECVTTL
#define IP_RECVTTL IP_HOPLIMIT
#endif
#ifndef IPV6_RECVHOPLIMIT
#define IPV6_RECVHOPLIMIT IPV6_HOPLIMIT
#endif
#endif

namespace tern::native_message {

using native_socket::Descriptor;
using native_socket::NativeAddress;
using native_socket::set_option;

namespace {

#ifdef _WIN32
using ControlHeader = WSACMSGHDR;
using NativeMessage = WSAMSG;
using NativeBuffer = WSABUF;
#else
using ControlHeader = cmsghdr;
using NativeMessage = msghdr;
using NativeBuffer = iovec;
#endif

static_assert(sizeof(in_pktinfo) <= sizeof(in6_pktinfo));

// The arguments of a system call. The message points to the rest.
struct Call {
    NativeMessage message;
    NativeBuffer buffer;
    // The route, or the hop limit.
    alignas(ControlHeader) std::byte control[CMSG_SPACE(sizeof(in6_pktinfo))];
};

}

#ifdef _WIN32

static void point(Call &call, NativeAddress &address, std::span<std::byte> bytes)
{
    std::memset(&call, 0, sizeof call);
    call.buffer = {static_cast<ULONG>(bytes.size()), reinterpret_cast<char *>(bytes.data())};
    call.message.name = &address.any;
    call.message.namelen = address.size_bytes;
    call.message.lpBuffers = &call.buffer;
    call.message.dwBufferCount = 1;
}

static void add_control(Call &call, size_t size_bytes)
{
    call.message.Control = {static_cast<ULONG>(size_bytes), reinterpret_cast<char *>(call.control)};
}

static in_pktinfo route_v4(const LocalAddress &from)
{
    in_pktinfo info = {};
    info.ipi_ifindex = from.interface_index;
    std::memcpy(&info.ipi_addr, address::v4_bytes(from.address).data(), 4);
    return info;
}

static int transmit(Descriptor descriptor, Call &call)
{
    DWORD sent = 0;
    const int result = WSASendMsg(descriptor, &call.message, 0, &sent, nullptr, nullptr);
    return result == 0 ? 0 : native_socket::last_error();
}

// Winsock gives this function only when asked for its address.
static LPFN_WSARECVMSG find_receive(Descriptor descriptor)
{
    GUID name = WSAID_WSARECVMSG;
    LPFN_WSARECVMSG found = nullptr;
    DWORD bytes = 0;
    WSAIoctl(descriptor, SIO_GET_EXTENSION_FUNCTION_POINTER, &name, sizeof name, &found,
             sizeof found, &bytes, nullptr, nullptr);
    return found;
}

static void fetch(Descriptor descriptor, Call &call, IncomingMessage &received)
{
    const LPFN_WSARECVMSG receive_message = find_receive(descriptor);
    DWORD size = 0;
    if (!receive_message ||
        receive_message(descriptor, &call.message, &size, nullptr, nullptr) != 0)
        received.error = receive_message ? native_socket::last_error() : WSAEOPNOTSUPP;
    received.size_bytes = size;
    received.truncated = received.error == WSAEMSGSIZE || (call.message.dwFlags & MSG_TRUNC) != 0;
    if (received.truncated) received.error = 0;
}

static void join(Descriptor descriptor, std::span<const uint8_t, 4> group, const LocalAddress &at)
{
    ip_mreq request = {};
    std::memcpy(&request.imr_multiaddr, group.data(), 4);
    std::memcpy(&request.imr_interface, address::v4_bytes(at.address).data(), 4);
    const auto *bytes = reinterpret_cast<const char *>(&request);
    setsockopt(descriptor, IPPROTO_IP, IP_ADD_MEMBERSHIP, bytes, sizeof request);
}

#else

static void point(Call &call, NativeAddress &address, std::span<std::byte> bytes)
{
    std::memset(&call, 0, sizeof call);
    call.buffer = {bytes.data(), bytes.size()};
    call.message.msg_name = &address.any;
    call.message.msg_namelen = address.size_bytes;
    call.message.msg_iov = &call.buffer;
    call.message.msg_iovlen = 1;
}

static void add_control(Call &call, size_t size_bytes)
{
    call.message.msg_control = call.control;
    call.message.msg_controllen = size_bytes;
}

static in_pktinfo route_v4(const LocalAddress &from)
{
    in_pktinfo info = {};
    info.ipi_ifindex = static_cast<int>(from.interface_index);
    std::memcpy(&info.ipi_spec_dst, address::v4_bytes(from.address).data(), 4);
    return info;
}

static int transmit(Descriptor descriptor, Call &call)
{
    return sendmsg(descriptor, &call.message, 0) >= 0 ? 0 : native_socket::last_error();
}

static void fetch(Descriptor descriptor, Call &call, IncomingMessage &received)
{
    const ssize_t size = recvmsg(descriptor, &call.message, 0);
    if (size < 0)
        received.error = native_socket::last_error();
    else
        received.size_bytes = static_cast<size_t>(size);
    received.truncated = (call.message.msg_flags & MSG_TRUNC) != 0;
}

static void join(Descriptor descriptor, std::span<const uint8_t, 4> group, const LocalAddress &at)
{
    ip_mreqn request = {};
    std::memcpy(&request.imr_multiaddr, group.data(), 4);
    request.imr_ifindex = static_cast<int>(at.interface_index);
    setsockopt(descriptor, IPPROTO_IP, IP_ADD_MEMBERSHIP, &request, sizeof request);
}

#endif

template <class Info> static void put(Call &call, int level, int type, const Info &info)
{
    add_control(call, CMSG_SPACE(sizeof info));
    ControlHeader *header = CMSG_FIRSTHDR(&call.message);
    header->cmsg_level = level;
    header->cmsg_type = type;
    header->cmsg_len = CMSG_LEN(sizeof info);
    std::memcpy(CMSG_DATA(header), &info, sizeof info);
}

int prepare(Descriptor descriptor, IpVersion version)
{
    const bool done = version == IpVersion::v6
                          ? set_option(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, 1) &&
                                set_option(descriptor, IPPROTO_IPV6, IPV6_RECVHOPLIMIT, 1) &&
                                set_option(descriptor, IPPROTO_IPV6, IPV6_UNICAST_HOPS, hops_max) &&
                                set_option(descriptor, IPPROTO_IPV6, IPV6_MULTICAST_HOPS, hops_max)
                          : set_option(descriptor, SOL_SOCKET, SO_BROADCAST, 1) &&
                                set_option(descriptor, IPPROTO_IP, IP_RECVTTL, 1) &&
                                set_option(descriptor, IPPROTO_IP, IP_TTL, hops_max) &&
                                set_option(descriptor, IPPROTO_IP, IP_MULTICAST_TTL, hops_max);
    return done ? 0 : native_socket::last_error();
}

void join_group(Descriptor descriptor, const Address &group, const LocalAddress &at)
{
    if (address::is_v4(group)) return join(descriptor, address::v4_bytes(group), at);
    ipv6_mreq request = {};
    std::memcpy(&request.ipv6mr_multiaddr, group.ip, 16);
    request.ipv6mr_interface = at.interface_index;
    const auto *bytes = reinterpret_cast<const char *>(&request);
    setsockopt(descriptor, IPPROTO_IPV6, IPV6_JOIN_GROUP, bytes, sizeof request);
}

int send_from(Descriptor descriptor, NativeAddress to, const LocalAddress *from,
              std::span<const std::byte> bytes)
{
    Call call;
    point(call, to, {const_cast<std::byte *>(bytes.data()), bytes.size()});
    if (from && to.any.sa_family == AF_INET) {
        put(call, IPPROTO_IP, IP_PKTINFO, route_v4(*from));
    } else if (from) {
        to.v6.sin6_scope_id = from->interface_index;
        in6_pktinfo info = {};
        std::memcpy(&info.ipi6_addr, from->address.ip, 16);
        info.ipi6_ifindex = from->interface_index;
        put(call, IPPROTO_IPV6, IPV6_PKTINFO, info);
    }
    return native_socket::repeat([&] { return transmit(descriptor, call); });
}

static int hops_left(Call &call)
{
    for (ControlHeader *it = CMSG_FIRSTHDR(&call.message); it;
         it = CMSG_NXTHDR(&call.message, it)) {
        // macOS and BSD give one byte, under the name of the option.
        const bool v4 = it->cmsg_level == IPPROTO_IP &&
                        (it->cmsg_type == IP_TTL || it->cmsg_type == IP_RECVTTL);
        const bool v6 = it->cmsg_level == IPPROTO_IPV6 && it->cmsg_type == IPV6_HOPLIMIT;
        if (!v4 && !v6) continue;
        if (it->cmsg_len < CMSG_LEN(sizeof(int)))
            return *reinterpret_cast<const uint8_t *>(CMSG_DATA(it));
        int hops;
        std::memcpy(&hops, CMSG_DATA(it), sizeof hops);
        return hops;
    }
    return 0;
}

IncomingMessage receive(Descriptor descriptor, std::span<std::byte> buffer)
{
    IncomingMessage received = {};
    received.source.size_bytes = sizeof received.source.v6;
    Call call;
    point(call, received.source, buffer);
    add_control(call, sizeof call.control);
    fetch(descriptor, call, received);
    if (received.error == 0) received.hops = hops_left(call);
    return received;
}

}
