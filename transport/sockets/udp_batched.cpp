#include "transport/sockets/udp_socket.h"
#ifdef TERN_BATCHED_UDP
#include <cerrno>
#include <cstring>
#include <netinet/udp.h>
#ifndef UDP_SEGMENT // From linux/udp.h; the netinet/udp.h of some C libraries lacks it.
#define UDP_SEGMENT 103
#define UDP_GRO 104
#endif

namespace tern::udp_socket {

using native_socket::NativeAddress;

static constexpr size_t group_bytes_max = 60'000; // One group of UDP_SEGMENT; IPv4 allows 65535.

// arrive() resets the sizes, which system calls change.
void place_batch(UdpSocket &socket)
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

void arrive(UdpSocket &socket)
{
    ArrivedMessages &arrived = socket._arrived;
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

static void depart_as(UdpSocket &socket, std::span<const Datagram> datagrams,
                      NativeAddress *destinations, bool groups)
{
    Departure d;
    arrange(d, datagrams, destinations, groups);
    for (size_t i = 0; i < d.count;) {
        const int sent = sendmmsg(socket._descriptor, d.messages + i,
                                  static_cast<unsigned>(d.count - i), MSG_DONTWAIT);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0 && !native_socket::queue_is_full(errno) && d.firsts[i + 1] - d.firsts[i] > 1) {
            // The network path or the system refuses the group, so send its datagrams one by one.
            // For large datagrams the cause may be the MTU of this path alone; only otherwise give
            // up UDP_SEGMENT.
            const size_t first = d.firsts[i], count = d.firsts[i + 1] - first;
            const bool is_large = datagrams[first].bytes.size() > datagram_bytes_base;
            if (!is_large) socket._groups = false;
            depart_as(socket, datagrams.subspan(first, count), destinations + first, false);
            i += 1;
            continue;
        }
        if (sent < 0) {
            const size_t end = native_socket::queue_is_full(errno) ? d.count : i + 1;
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

void depart(UdpSocket &socket, std::span<const Datagram> datagrams, NativeAddress *destinations)
{
    depart_as(socket, datagrams, destinations, socket._groups);
}

}
#endif
