#include "transport/sockets/udp_socket.h"
#ifndef TERN_BATCHED_UDP
#include <cstring>

namespace tern::udp_socket {

using native_socket::NativeAddress;

void place_batch(UdpSocket &) {}

namespace {

struct Message {
    int error; // 0: no error.
    size_t size_bytes;
    bool truncated;
};

}

#ifdef _WIN32

static Message take_message(native_socket::Descriptor descriptor, std::span<std::byte> buffer,
                            NativeAddress &source)
{
    source.size_bytes = sizeof source.v6;
    const int size = recvfrom(descriptor, reinterpret_cast<char *>(buffer.data()),
                              static_cast<int>(buffer.size()), 0, &source.any, &source.size_bytes);
    if (size >= 0) return {0, static_cast<size_t>(size), false};
    const int error = native_socket::last_error();
    if (error == WSAEMSGSIZE) return {0, buffer.size(), true};
    return {error, 0, false};
}

#else

static Message take_message(native_socket::Descriptor descriptor, std::span<std::byte> buffer,
                            NativeAddress &source)
{
    iovec vector = {buffer.data(), buffer.size()};
    msghdr message;
    std::memset(&message, 0, sizeof message);
    message.msg_iov = &vector;
    message.msg_iovlen = 1;
    message.msg_name = &source.any;
    message.msg_namelen = sizeof source.v6;
    const ssize_t size = recvmsg(descriptor, &message, 0);
    if (size < 0) return {native_socket::last_error(), 0, false};
    return {0, static_cast<size_t>(size), (message.msg_flags & MSG_TRUNC) != 0};
}

#endif

void arrive(UdpSocket &socket)
{
    ArrivedMessages &arrived = socket._arrived;
    arrived.count = 0;
    // A call that should be repeated counts too, so that the loop ends.
    for (size_t calls = 0; calls < receive_datagrams_max; ++calls) {
        const size_t i = arrived.count;
        const Message message =
            take_message(socket._descriptor, socket._buffers[i], socket._sources[i]);
        if (native_socket::should_repeat(message.error)) continue;
        if (message.error != 0) return;
        arrived.truncated[i] = message.truncated;
        arrived.sizes_bytes[i] = static_cast<uint32_t>(message.size_bytes);
        arrived.segment_bytes[i] = arrived.sizes_bytes[i];
        arrived.count += 1;
    }
}

// Returns 0 or an error.
static int send_one(native_socket::Descriptor descriptor, const Datagram &datagram,
                    const NativeAddress &to)
{
#ifdef _WIN32
    const auto *bytes = reinterpret_cast<const char *>(datagram.bytes.data());
    const auto size = static_cast<int>(datagram.bytes.size());
#else
    const std::byte *bytes = datagram.bytes.data();
    const size_t size = datagram.bytes.size();
#endif
    const bool is_sent = sendto(descriptor, bytes, size, 0, &to.any, to.size_bytes) >= 0;
    return is_sent ? 0 : native_socket::last_error();
}

void depart(UdpSocket &socket, std::span<const Datagram> datagrams, NativeAddress *destinations)
{
    for (size_t i = 0; i < datagrams.size();) {
        const int error = native_socket::repeat(
            [&] { return send_one(socket._descriptor, datagrams[i], destinations[i]); });
        if (error != 0) {
            const size_t lost = native_socket::queue_is_full(error) ? datagrams.size() - i : 1;
            socket._stats.send_failures += lost;
            i += lost;
            continue;
        }
        socket._stats.sent_datagrams += 1;
        socket._stats.sent_bytes += datagrams[i].bytes.size();
        i += 1;
    }
}

}
#endif
