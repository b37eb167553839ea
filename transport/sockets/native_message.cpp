#include "transport/sockets/native_message.h"
#include "transport/sockets/addresses.h"
#include <algorithm>
#include <cstring>
#ifdef _WIN32
#include <mswsock.h>
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
constexpr size_t control_bytes = WSA_CMSG_SPACE(sizeof(in6_pktinfo));
#else
using ControlHeader = cmsghdr;
using NativeMessage = msghdr;
using NativeBuffer = iovec;
constexpr size_t control_bytes = CMSG_SPACE(sizeof(in6_pktinfo));
#endif

static_assert(sizeof(in_pktinfo) <= sizeof(in6_pktinfo));

// The arguments of a system call. The message points to the rest.
struct Call {
    NativeMessage message;
    NativeBuffer buffer;
    alignas(ControlHeader) std::byte control[control_bytes]; // The route, or the hop limit.
};

}

#ifdef _WIN32

static constexpr int receive_hops_v4 = IP_HOPLIMIT, receive_hops_v6 = IPV6_HOPLIMIT;

static ControlHeader *first_header(Call &call)
{
    return WSA_CMSG_FIRSTHDR(&call.message);
}

static ControlHeader *next_header(Call &call, ControlHeader *header)
{
    return WSA_CMSG_NXTHDR(&call.message, header);
}

static void *data_of(ControlHeader *header)
{
    return WSA_CMSG_DATA(header);
}

static void point(Call &call, NativeAddress &address, std::span<std::byte> bytes)
{
    std::memset(&call, 0, sizeof call);
    call.buffer = {static_cast<ULONG>(bytes.size()), reinterpret_cast<char *>(bytes.data())};
    call.message.name = &address.any;
    call.message.namelen = address.size_bytes;
    call.message.lpBuffers = &call.buffer;
    call.message.dwBufferCount = 1;
}

// Gives the message a control buffer that holds an Info.
template <class Info> static void add_control(Call &call)
{
    call.message.Control = {static_cast<ULONG>(WSA_CMSG_SPACE(sizeof(Info))),
                            reinterpret_cast<char *>(call.control)};
}

template <class Info> static void put(Call &call, int level, int type, const Info &info)
{
    add_control<Info>(call);
    ControlHeader *header = first_header(call);
    header->cmsg_level = level;
    header->cmsg_type = type;
    header->cmsg_len = WSA_CMSG_LEN(sizeof info);
    std::memcpy(data_of(header), &info, sizeof info);
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

static constexpr int receive_hops_v4 = IP_RECVTTL, receive_hops_v6 = IPV6_RECVHOPLIMIT;

static ControlHeader *first_header(Call &call)
{
    return CMSG_FIRSTHDR(&call.message);
}

static ControlHeader *next_header(Call &call, ControlHeader *header)
{
    return CMSG_NXTHDR(&call.message, header);
}

static void *data_of(ControlHeader *header)
{
    return CMSG_DATA(header);
}

static void point(Call &call, NativeAddress &address, std::span<std::byte> bytes)
{
    std::memset(&call, 0, sizeof call);
    call.buffer = {bytes.data(), bytes.size()};
    call.message.msg_name = &address.any;
    call.message.msg_namelen = address.size_bytes;
    call.message.msg_iov = &call.buffer;
    call.message.msg_iovlen = 1;
}

// Gives the message a control buffer that holds an Info.
template <class Info> static void add_control(Call &call)
{
    call.message.msg_control = call.control;
    call.message.msg_controllen = CMSG_SPACE(sizeof(Info));
}

template <class Info> static void put(Call &call, int level, int type, const Info &info)
{
    add_control<Info>(call);
    ControlHeader *header = first_header(call);
    header->cmsg_level = level;
    header->cmsg_type = type;
    header->cmsg_len = CMSG_LEN(sizeof info);
    std::memcpy(data_of(header), &info, sizeof info);
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

int prepare(Descriptor descriptor, IpVersion version)
{
    const bool done = version == IpVersion::v6
                          ? set_option(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, 1) &&
                                set_option(descriptor, IPPROTO_IPV6, receive_hops_v6, 1) &&
                                set_option(descriptor, IPPROTO_IPV6, IPV6_UNICAST_HOPS, hops_max) &&
                                set_option(descriptor, IPPROTO_IPV6, IPV6_MULTICAST_HOPS, hops_max)
                          : set_option(descriptor, SOL_SOCKET, SO_BROADCAST, 1) &&
                                set_option(descriptor, IPPROTO_IP, receive_hops_v4, 1) &&
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
    int error = transmit(descriptor, call);
    for (int tries = 1; native_socket::should_repeat(error) && tries < sends_max; ++tries)
        error = transmit(descriptor, call);
    return error;
}

static int hops_left(Call &call)
{
    for (ControlHeader *it = first_header(call); it; it = next_header(call, it)) {
        const bool v4 = it->cmsg_level == IPPROTO_IP && it->cmsg_type == IP_TTL;
        const bool v6 = it->cmsg_level == IPPROTO_IPV6 && it->cmsg_type == IPV6_HOPLIMIT;
        if (!v4 && !v6) continue;
        int hops;
        std::memcpy(&hops, data_of(it), sizeof hops);
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
    add_control<in6_pktinfo>(call);
    fetch(descriptor, call, received);
    if (received.error == 0) received.hops = hops_left(call);
    return received;
}

}
