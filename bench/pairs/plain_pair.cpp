#include "bench/pairs/plain_pair.h"
#include <arpa/inet.h>
#include <cstdio>
#include <cstdlib>
#include <sys/socket.h>
#include <unistd.h>

namespace bench::plain_pair {

static int make_socket()
{
    const int descriptor = ::socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    sockaddr_in any = {};
    any.sin_family = AF_INET;
    any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int buffer_bytes = 4 << 20;
    if (descriptor < 0 ||
        bind(descriptor, reinterpret_cast<const sockaddr *>(&any), sizeof any) != 0) {
        std::perror("tern-bench: no socket on 127.0.0.1");
        std::exit(1);
    }
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &buffer_bytes, sizeof buffer_bytes);
    setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &buffer_bytes, sizeof buffer_bytes);
    return descriptor;
}

PlainPair make()
{
    PlainPair pair = {make_socket(), make_socket(), {}, 0};
    socklen_t size = sizeof pair.to;
    getsockname(pair.receiver, reinterpret_cast<sockaddr *>(&pair.to), &size);
    return pair;
}

void destroy(PlainPair &pair)
{
    close(pair.sender);
    close(pair.receiver);
}

void send(PlainPair &pair, std::span<const std::byte> datagram)
{
    const ssize_t sent = sendto(pair.sender, datagram.data(), datagram.size(), MSG_DONTWAIT,
                                reinterpret_cast<const sockaddr *>(&pair.to), sizeof pair.to);
    if (sent > 0) pair.sent_bytes += static_cast<uint64_t>(sent);
}

size_t receive_one(PlainPair &pair, std::span<std::byte> buffer)
{
    sockaddr_in from = {};
    socklen_t from_bytes = sizeof from;
    const ssize_t size = recvfrom(pair.receiver, buffer.data(), buffer.size(), MSG_DONTWAIT,
                                  reinterpret_cast<sockaddr *>(&from), &from_bytes);
    return size > 0 ? static_cast<size_t>(size) : 0;
}

void send_batch(PlainPair &pair, std::span<const std::span<const std::byte>> datagrams)
{
    mmsghdr messages[plain_batch_max] = {};
    iovec vectors[plain_batch_max];
    for (size_t i = 0; i < datagrams.size(); ++i) {
        vectors[i] = {const_cast<std::byte *>(datagrams[i].data()), datagrams[i].size()};
        messages[i].msg_hdr.msg_iov = &vectors[i];
        messages[i].msg_hdr.msg_iovlen = 1;
        messages[i].msg_hdr.msg_name = &pair.to;
        messages[i].msg_hdr.msg_namelen = sizeof pair.to;
    }
    const int sent =
        sendmmsg(pair.sender, messages, static_cast<unsigned>(datagrams.size()), MSG_DONTWAIT);
    for (int i = 0; i < sent; ++i)
        pair.sent_bytes += messages[i].msg_len;
}

size_t receive_some(PlainPair &pair, Received &received, size_t count_max)
{
    mmsghdr messages[plain_batch_max] = {};
    iovec vectors[plain_batch_max];
    sockaddr_in sources[plain_batch_max];
    count_max = count_max < plain_batch_max ? count_max : plain_batch_max;
    for (size_t i = 0; i < count_max; ++i) {
        vectors[i] = {received.bytes[i], sizeof received.bytes[i]};
        messages[i].msg_hdr.msg_iov = &vectors[i];
        messages[i].msg_hdr.msg_iovlen = 1;
        messages[i].msg_hdr.msg_name = &sources[i];
        messages[i].msg_hdr.msg_namelen = sizeof sources[i];
    }
    const int count =
        recvmmsg(pair.receiver, messages, static_cast<unsigned>(count_max), MSG_DONTWAIT, nullptr);
    if (count <= 0) return 0;
    for (size_t i = 0; i < static_cast<size_t>(count); ++i)
        received.sizes_bytes[i] = messages[i].msg_len;
    return static_cast<size_t>(count);
}

}
