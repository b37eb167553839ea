// A host of 64 clients: in each tick, one datagram of 200 bytes from each client and one to each.
// Only the CPU time of the host counts.
#include "bench/pairs/plain_pair.h"
#include "bench/pairs/tern_pair.h"
#include "bench/sections/sections.h"
#include "tern/io.hpp"
#include "tern/limits.hpp"
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sys/mman.h>
#include <unistd.h>
#ifdef TERN_HAVE_ENET
#include <enet/enet.h>
#endif

using namespace tern;

namespace bench {
namespace {

constexpr size_t client_count = 64;
using Message = std::array<std::byte, 200>;

// A contender. In each tick all clients send, the host ticks, and all clients receive.
template <class World> struct Ticks {
    std::unique_ptr<World> world;
    uint64_t count; // Ticks per round.
    uint64_t number;
};

// World has clients_send(message), host_tick(message, tally), clients_receive(tally) and bytes().
template <class World> Sample run_ticks(Ticks<World> &t)
{
    Tally at_host = {}, at_clients = {};
    const uint64_t bytes_before = t.world->bytes();
    uint64_t cpu_ns = 0, sum = 0;
    for (uint64_t i = 0; i < t.count; ++i) {
        Message message = {};
        number_message(message, t.number);
        sum += t.number * client_count;
        t.number += 1;
        t.world->clients_send(message);
        const uint64_t begin_ns = cpu_clock_ns();
        t.world->host_tick(message, at_host);
        cpu_ns += cpu_clock_ns() - begin_ns;
        t.world->clients_receive(at_clients);
    }
    const uint64_t sent = 2 * client_count * t.count;
    const uint64_t delivered = at_host.count + at_clients.count;
    const bool wrong = delivered == sent && (at_host.sum != sum || at_clients.sum != sum);
    const auto client_ticks = static_cast<double>(client_count * t.count);
    const auto bytes = static_cast<double>(t.world->bytes() - bytes_before);
    return {{static_cast<double>(cpu_ns) / 1000 / client_ticks, bytes / 2 / client_ticks},
            sent,
            delivered,
            wrong};
}

// --- Plain sockets: the host has one for each client ---

struct PlainCrowd {
    PlainPair pairs[client_count]; // [client]: the client's socket and the host's socket for it.
    uint64_t sent_bytes = 0;

    PlainCrowd()
    {
        for (PlainPair &pair : pairs)
            pair = plain_pair::make();
    }
    ~PlainCrowd()
    {
        for (PlainPair &pair : pairs)
            plain_pair::destroy(pair);
    }
    uint64_t bytes() const { return sent_bytes; }
    void clients_send(const Message &message)
    {
        sent_bytes += 2 * client_count * message.size();
        for (PlainPair &pair : pairs)
            plain_pair::send(pair, message);
    }
    void host_tick(const Message &message, Tally &tally)
    {
        std::byte buffer[plain_datagram_bytes_max];
        sockaddr_in from[client_count];
        for (size_t i = 0; i < client_count; ++i) {
            socklen_t size = sizeof from[i];
            const ssize_t got = recvfrom(pairs[i].receiver, buffer, sizeof buffer, MSG_DONTWAIT,
                                         reinterpret_cast<sockaddr *>(&from[i]), &size);
            if (got > 0) tally_message(tally, std::span(buffer, static_cast<size_t>(got)));
        }
        for (size_t i = 0; i < client_count; ++i)
            (void)!sendto(pairs[i].receiver, message.data(), message.size(), 0,
                          reinterpret_cast<const sockaddr *>(&from[i]), sizeof from[i]);
    }
    void clients_receive(Tally &tally)
    {
        std::byte buffer[plain_datagram_bytes_max];
        for (PlainPair &pair : pairs) {
            const ssize_t got = recv(pair.sender, buffer, sizeof buffer, MSG_DONTWAIT);
            if (got > 0) tally_message(tally, std::span(buffer, static_cast<size_t>(got)));
        }
    }
};

// --- ENet ---

#ifdef TERN_HAVE_ENET

struct EnetCrowd {
    ENetHost *host = nullptr;
    ENetHost *clients[client_count] = {};
    ENetPeer *peers[client_count] = {};
    uint64_t sent_bytes = 0;

    EnetCrowd()
    {
        ENetAddress any = {};
        any.port = ENET_PORT_ANY;
        enet_address_set_host_ip(&any, "127.0.0.1");
        host = enet_host_create(&any, client_count, 1, 0, 0);
        ENetAddress to = host->address;
        enet_address_set_host_ip(&to, "127.0.0.1");
        for (size_t i = 0; i < client_count; ++i) {
            clients[i] = enet_host_create(nullptr, 1, 1, 0, 0);
            peers[i] = enet_host_connect(clients[i], &to, 1, 0);
        }
        Tally unused = {};
        for (int i = 0; i < 100 && host->connectedPeers < client_count; ++i) {
            serve(host, unused);
            clients_receive(unused);
            usleep(1000);
        }
        for (size_t i = 0; i < client_count; ++i)
            for (ENetPeer *peer : {peers[i], &host->peers[i]})
                enet_peer_throttle_configure(peer, ENET_PEER_PACKET_THROTTLE_INTERVAL,
                                             ENET_PEER_PACKET_THROTTLE_SCALE, 0);
    }
    ~EnetCrowd()
    {
        for (ENetHost *client : clients)
            enet_host_destroy(client);
        enet_host_destroy(host);
    }
    uint64_t bytes() const
    {
        uint64_t total = host->totalSentData; // 32 bits do not overflow in a run.
        for (const ENetHost *client : clients)
            total += client->totalSentData;
        return total;
    }
    static void put(ENetPeer *peer, const Message &message)
    {
        ENetPacket *packet = enet_packet_create(message.data(), message.size(), 0);
        if (enet_peer_send(peer, 0, packet) != 0) enet_packet_destroy(packet);
    }
    static void serve(ENetHost *host, Tally &tally)
    {
        ENetEvent event;
        while (enet_host_service(host, &event, 0) > 0) {
            if (event.type != ENET_EVENT_TYPE_RECEIVE) continue;
            tally_message(tally, {reinterpret_cast<const std::byte *>(event.packet->data),
                                  event.packet->dataLength});
            enet_packet_destroy(event.packet);
        }
    }
    void clients_send(const Message &message)
    {
        for (size_t i = 0; i < client_count; ++i) {
            put(peers[i], message);
            enet_host_flush(clients[i]);
        }
    }
    void host_tick(const Message &message, Tally &tally)
    {
        serve(host, tally);
        for (size_t i = 0; i < client_count; ++i)
            put(&host->peers[i], message);
        enet_host_flush(host);
    }
    void clients_receive(Tally &tally)
    {
        for (ENetHost *client : clients)
            serve(client, tally);
    }
};

#endif

// --- tern ---

struct TernCrowd {
    TernSide host = {};
    TernSide clients[client_count] = {};
    std::vector<ConnectionIndex> open; // The host's connections.

    TernCrowd()
    {
        tern_side::make(host, client_count + 1);
        const Address to = loopback(host.socket->local_address().port);
        for (TernSide &client : clients) {
            tern_side::make(client, 1);
            client.connection =
                endpoint::connect(*client.endpoint, host.keys.public_key, to, clock_us());
        }
        Tally unused = {};
        for (int i = 0; i < 1000 && open.size() < client_count; ++i) {
            for (TernSide &client : clients)
                if (tern_side::is_open(client)) {
                    tern_side::receive(client, clock_us(), unused);
                    tern_side::send(client, clock_us());
                } else {
                    greet(client);
                }
            host_receive(unused);
            endpoint::send_handshakes(*host.endpoint, host.datagram_buffer, clock_us());
            flush(host);
        }
        if (open.size() == client_count) return;
        std::fprintf(stderr, "tern-bench: %zu clients connected\n", open.size());
        std::exit(1);
    }
    ~TernCrowd()
    {
        for (TernSide &client : clients)
            tern_side::destroy(client);
        tern_side::destroy(host);
    }
    // The client's part of the handshake.
    static void greet(TernSide &client)
    {
        for (const Datagram &datagram : client.socket->receive())
            endpoint::receive(*client.endpoint, datagram, clock_us());
        endpoint::send_handshakes(*client.endpoint, client.datagram_buffer, clock_us());
        flush(client);
    }
    static void flush(TernSide &side)
    {
        side.socket->send(side.datagram_buffer.datagrams.first(side.datagram_buffer.count));
        side.datagram_buffer.count = 0;
    }
    static void put(TernSide &side, ConnectionIndex index, const Message &message, uint64_t now_us)
    {
        Connection &c = endpoint::at(*side.endpoint, index);
        const std::span<std::byte> place = endpoint::place(side.datagram_buffer);
        if (place.empty() || !connection::has_budget(c, now_us)) return;
        Packet packet = connection::begin_packet(c, place, datagram_bytes_max, now_us);
        std::memcpy(connection::unreliable_room(packet).data(), message.data(), message.size());
        connection::add_unreliable(packet, UnreliableKind::call, message.size());
        const auto bytes = connection::finish_packet(c, packet, now_us);
        endpoint::push(side.datagram_buffer, connection::address(c), bytes.size());
    }
    uint64_t bytes() const
    {
        uint64_t total = host.socket->stats().sent_bytes;
        for (const TernSide &client : clients)
            total += client.socket->stats().sent_bytes;
        return total;
    }
    void clients_send(const Message &message)
    {
        for (TernSide &client : clients) {
            put(client, client.connection, message, clock_us());
            flush(client);
        }
    }
    void host_receive(Tally &tally)
    {
        const uint64_t now_us = clock_us();
        for (const Datagram &datagram : host.socket->receive()) {
            const Arrival arrival = endpoint::receive(*host.endpoint, datagram, now_us);
            if (arrival.handling == Handling::opened) open.push_back(arrival.connection);
            if (arrival.handling != Handling::opened && arrival.handling != Handling::packet)
                continue;
            connection::accept(endpoint::at(*host.endpoint, arrival.connection), arrival.packet,
                               now_us);
            for (size_t i = 0; i < arrival.packet.unreliable_count; ++i)
                tally_message(tally, arrival.packet.unreliable[i].bytes);
        }
        for (const ConnectionIndex index : open) {
            Connection &c = endpoint::at(*host.endpoint, index);
            connection::update(c, now_us);
            for (PacketOutcome outcome; connection::take_packet_outcome(c, outcome);) {
            }
        }
    }
    void host_tick(const Message &message, Tally &tally)
    {
        host_receive(tally);
        const uint64_t now_us = clock_us();
        for (const ConnectionIndex index : open)
            put(host, index, message, now_us);
        flush(host);
    }
    void clients_receive(Tally &tally)
    {
        for (TernSide &client : clients)
            tern_side::receive(client, clock_us(), tally);
    }
};

// KB of a connection's memory that were ever touched, in whole pages.
double touched_kilobytes(const void *at, size_t size_bytes)
{
    const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    const uintptr_t first = reinterpret_cast<uintptr_t>(at) / page * page;
    const uintptr_t end = reinterpret_cast<uintptr_t>(at) + size_bytes;
    std::vector<unsigned char> pages((end - first) / page + 1);
    if (mincore(reinterpret_cast<void *>(first), end - first, pages.data()) != 0) return 0;
    size_t touched = 0;
    for (const unsigned char one : pages)
        touched += one & 1;
    return static_cast<double>(touched * page) / 1024;
}

Line memory(const TernCrowd &crowd, const char *when)
{
    double all = 0;
    for (const ConnectionIndex index : crowd.open) {
        const Connection &c = endpoint::at(*crowd.host.endpoint, index);
        ConnectionLimits limits = {};
        limits.queue_bytes_max[0] = 256 * 1024;
        limits.queue_bytes_max[1] = 64 * 1024;
        all += touched_kilobytes(&c, connection::size_bytes(limits));
    }
    return {when, {all / static_cast<double>(client_count)}};
}

}

bool measure_host(const Options &options)
{
    const uint64_t count = options.quick ? 60 : 600;
    Ticks<PlainCrowd> plain = {std::make_unique<PlainCrowd>(), count, 0};
    std::vector<Contender> contenders = {
        contender<run_ticks<PlainCrowd>>("sendto, recvfrom", plain)};
#ifdef TERN_HAVE_ENET
    Ticks<EnetCrowd> enet = {std::make_unique<EnetCrowd>(), count, 0};
    contenders.push_back(contender<run_ticks<EnetCrowd>>("ENet, unreliable, throttle off", enet));
#endif
    Ticks<TernCrowd> tern = {std::make_unique<TernCrowd>(), count, 0};
    contenders.push_back(contender<run_ticks<TernCrowd>>("tern, encrypted, acked", tern));
    const Section section = {"host",
                             "host: 64 clients, a message of 200 bytes each way in a tick",
                             {{"CPU us/client", 2, true}, {"bytes/dgram", 0, false}},
                             {"CPU: of the host alone; per client and tick"}};
    TernCrowd idle;
    const Line idle_memory = memory(idle, "idle since its handshake");
    const bool right = measure(section, contenders, options);
    const Line lines[] = {idle_memory, memory(*tern.world, "after the section above")};
    add_table({"memory",
               "memory: touched by tern's transport for a connection",
               {{"KB", 1, false}},
               {"whole pages; 256 and 64 KB of queues may be asked for"}},
              lines, options);
    return right;
}

}
