// Messages as datagrams of plain sockets, one system call each.
#include "bench/surface/ages.h"
#include "bench/surface/messages.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace bench::surface {

namespace {

constexpr int system_buffer_bytes = 4 << 20; // As tern's socket asks for.

struct PlainHost {
    int descriptor;
    std::vector<sockaddr_in> clients; // [client]: known from its first datagram.
    MessageLog log;
    double wire_bytes;
};

struct PlainClients {
    std::vector<int> descriptors;
    sockaddr_in host;
    std::vector<bool> answered; // [client]
    MessageLog log;
};

int make_socket()
{
    const int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    sockaddr_in any = {};
    any.sin_family = AF_INET;
    any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (descriptor < 0 ||
        bind(descriptor, reinterpret_cast<const sockaddr *>(&any), sizeof any) != 0)
        channel::give_up("no socket on 127.0.0.1");
    for (const int option : {SO_RCVBUF, SO_SNDBUF})
        setsockopt(descriptor, SOL_SOCKET, option, &system_buffer_bytes,
                   sizeof system_buffer_bytes);
    return descriptor;
}

bool send_to(int descriptor, const sockaddr_in &to, const void *bytes, size_t size_bytes)
{
    return sendto(descriptor, bytes, size_bytes, MSG_DONTWAIT,
                  reinterpret_cast<const sockaddr *>(&to), sizeof to) >= 0;
}

// Calls take(source, bytes, size) for each datagram that waits.
template <class Take> void receive_all(int descriptor, Take take)
{
    for (;;) {
        std::byte bytes[2048];
        sockaddr_in from = {};
        socklen_t from_bytes = sizeof from;
        const ssize_t size = recvfrom(descriptor, bytes, sizeof bytes, MSG_DONTWAIT,
                                      reinterpret_cast<sockaddr *>(&from), &from_bytes);
        if (size < 0) return;
        take(from, bytes, static_cast<size_t>(size));
    }
}

void exchange(PlainHost &host, const Moment &moment)
{
    receive_all(host.descriptor, [&](const sockaddr_in &from, const void *bytes, size_t size) {
        if (size == sizeof(Message)) {
            message_log::take(host.log, bytes, size);
            host.wire_bytes += sizeof(Message) + below_udp_bytes;
            return;
        }
        host.clients.push_back(from);
        send_to(host.descriptor, from, "", 1);
    });
    if (!moment.is_moving) return;
    for (const sockaddr_in &to : host.clients) {
        const Message message = message_log::next(host.log);
        if (send_to(host.descriptor, to, &message, sizeof message))
            host.wire_bytes += sizeof(Message) + below_udp_bytes;
    }
}

void check(PlainHost &, const Moment &) {}

Report report(PlainHost &host)
{
    Report made = message_log::close(host.log);
    made.wire_bytes = host.wire_bytes;
    host.wire_bytes = 0;
    return made;
}

void exchange(PlainClients &clients, const Moment &moment)
{
    for (size_t i = 0; i < clients.descriptors.size(); ++i) {
        const auto take = [&](const sockaddr_in &, const void *bytes, size_t size) {
            clients.answered[i] = true;
            if (size > 1) message_log::take(clients.log, bytes, size);
        };
        receive_all(clients.descriptors[i], take);
        if (!moment.is_moving) continue;
        const Message message = message_log::next(clients.log);
        send_to(clients.descriptors[i], clients.host, &message, sizeof message);
    }
}

void check(PlainClients &, const Moment &) {}

Report report(PlainClients &clients)
{
    Report made = message_log::close(clients.log);
    made.is_ready = true;
    for (const bool answered : clients.answered)
        made.is_ready = made.is_ready && answered;
    return made;
}

void run_plain_host(const void *setup, Channel &channel)
{
    PlainHost host = {make_socket(), {}, {}, 0};
    sockaddr_in own = {};
    socklen_t own_bytes = sizeof own;
    getsockname(host.descriptor, reinterpret_cast<sockaddr *>(&own), &own_bytes);
    Contact contact = {};
    contact.port = ntohs(own.sin_port);
    channel::announce(channel, contact);
    serve(channel, host, static_cast<const MessageSetup *>(setup)->period_us, true);
}

void run_plain_clients(const void *setup, Channel &channel, const Contact &contact)
{
    const auto &with = *static_cast<const MessageSetup *>(setup);
    PlainClients clients = {};
    clients.host.sin_family = AF_INET;
    clients.host.sin_port = htons(contact.port);
    clients.host.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    clients.answered.assign(with.client_count, false);
    for (uint32_t i = 0; i < with.client_count; ++i) {
        clients.descriptors.push_back(make_socket());
        send_to(clients.descriptors.back(), clients.host, "", 1);
    }
    serve(channel, clients, with.period_us, false);
}

}

Programs plain_messages(const MessageSetup &setup)
{
    return {run_plain_host, run_plain_clients, &setup, setup.period_us};
}

}
