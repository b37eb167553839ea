#ifdef TERN_HAVE_ENET
#include "base/assert.h"
#include "base/mistake.h"
#include "transport/sockets/addresses.h"
#include "transport/sockets/socket_error.h"
#include <cerrno>
#include <cstring>
#include <enet/enet.h>
#include <memory>
#include <new>
#include <utility>

namespace tern {

namespace {

constexpr size_t pending_max = 8;          // Datagrams that wait for the connection to one address.
constexpr size_t pending_bytes_max = 1372; // ENet would send larger ones as reliable fragments.
constexpr size_t spare_places = 8;         // In addition to two per peer, as both ends may connect.
constexpr size_t events_max = 1024;        // ENet events of all kinds in one receive().
constexpr unsigned flush_rounds_max = 4;   // ENet stops at the first peer to which sending fails.
constexpr int system_buffer_bytes = 4 << 20;
// Received bytes of one peer that ENet keeps until receive() takes them; it drops further ones.
constexpr size_t waiting_bytes_max = 1 << 20;
// ENet's timeout. Longer than any reasonable timeout of a session, which sends keep-alives itself.
// ENet's default would only force a new connection in the middle of the game.
constexpr enet_uint32 silence_max_ms = 60'000;
// Disables ENet's packet throttle. It mistakes round trip times that vary by a tick for congestion
// and drops packets that it has accepted, which the session's loss detection would count as loss on
// the network.
constexpr enet_uint32 throttle_acceleration = ENET_PEER_PACKET_THROTTLE_SCALE;
constexpr enet_uint32 throttle_deceleration = 0;

struct Pending {
    size_t size_bytes;
    std::byte bytes[pending_bytes_max];
};

// The state of one remote address. In use as long as the address has an ENet peer.
struct Link {
    ENetPeer *connected;  // The newest connection, if both ends have made one; null if none.
    ENetPeer *connecting; // A connection that this end has started and is not open yet; or null.
    size_t pending_first, pending_count;
    Pending pending[pending_max];
};

struct EnetSocket final : Socket { // Closed.
    ENetHost *_host;
    SocketStats _stats;
    size_t _unsettled; // Datagrams passed to ENet that it has neither sent nor dropped yet.
    size_t _link_count;
    std::unique_ptr<uint64_t[]>
        _keys; // Address of each link; 0: free. Apart from the links, for a fast search.
    std::unique_ptr<Link[]> _links;
    size_t _held_count;
    ENetPacket *_held[receive_datagrams_max]; // Packets that receive() has returned.
    Datagram _datagrams[receive_datagrams_max];

    ~EnetSocket() override;
    std::span<const Datagram> receive() override;
    void send(std::span<const Datagram> datagrams) override;
    Address local_address() const override;
    SocketStats stats() const override { return _stats; }
};

}

static ENetAddress enet_address(const Address &address)
{
    ENetAddress out;
    std::memcpy(&out.host, address::v4_bytes(address).data(), 4);
    out.port = address.port;
    return out;
}

static Address portable(const ENetAddress &address)
{
    uint8_t ip[4];
    std::memcpy(ip, &address.host, 4);
    return address::from_v4(ip, address.port);
}

static uint64_t key_of(const ENetAddress &address)
{
    return uint64_t{1} << 48 | uint64_t{address.host} << 16 | address.port;
}

static Link *find(EnetSocket &socket, const ENetAddress &address)
{
    const uint64_t key = key_of(address);
    for (size_t i = 0; i < socket._link_count; ++i) {
        if (socket._keys[i] == key) return &socket._links[i];
    }
    return nullptr;
}

// A link is always free: there are as many links as ENet peers, and each link in use has a peer.
static Link &claim_link(EnetSocket &socket, const ENetAddress &address)
{
    size_t i = 0;
    while (i < socket._link_count && socket._keys[i] != 0)
        i += 1;
    TERN_ASSERT(i < socket._link_count, "all %zu links in use", socket._link_count);
    socket._keys[i] = key_of(address);
    Link &link = socket._links[i];
    link.connected = link.connecting = nullptr;
    link.pending_first = link.pending_count = 0;
    return link;
}

static void release_link(EnetSocket &socket, Link &link)
{
    socket._stats.send_failures += link.pending_count;
    socket._keys[static_cast<size_t>(&link - socket._links.get())] = 0;
}

// ENet calls this when it destroys a packet. The flag is the only sign that it was sent.
static void settle(ENetPacket *packet)
{
    auto &socket = *static_cast<EnetSocket *>(packet->userData);
    socket._unsettled -= 1;
    if (packet->flags & ENET_PACKET_FLAG_SENT) {
        socket._stats.sent_datagrams += 1;
        socket._stats.sent_bytes += packet->dataLength;
    } else {
        socket._stats.send_failures += 1;
    }
}

static void give(EnetSocket &socket, ENetPeer &peer, std::span<const std::byte> bytes)
{
    const size_t overhead = sizeof(ENetProtocolHeader) + sizeof(ENetProtocolSendFragment);
    ENetPacket *packet = nullptr;
    if (bytes.size() + overhead <= peer.mtu) // The other end may have negotiated a small MTU.
        packet = enet_packet_create(bytes.data(), bytes.size(), ENET_PACKET_FLAG_UNSEQUENCED);
    if (!packet) {
        socket._stats.send_failures += 1;
        return;
    }
    packet->userData = &socket;
    packet->freeCallback = settle;
    socket._unsettled += 1;
    if (enet_peer_send(&peer, 0, packet) < 0) enet_packet_destroy(packet);
}

static void postpone(EnetSocket &socket, Link &link, std::span<const std::byte> bytes)
{
    if (link.pending_count == pending_max) {
        link.pending_first = (link.pending_first + 1) % pending_max;
        link.pending_count -= 1;
        socket._stats.send_failures += 1;
    }
    Pending &pending = link.pending[(link.pending_first + link.pending_count) % pending_max];
    pending.size_bytes = bytes.size();
    if (!bytes.empty()) std::memcpy(pending.bytes, bytes.data(), bytes.size());
    link.pending_count += 1;
}

static void flush(EnetSocket &socket)
{
    for (unsigned round = 0; round == 0 || (socket._unsettled > 0 && round < flush_rounds_max);
         ++round)
        enet_host_flush(socket._host);
}

static void connected(EnetSocket &socket, ENetPeer &peer)
{
    auto *link = static_cast<Link *>(peer.data); // Null if the other end has started it.
    if (!link) link = find(socket, peer.address);
    if (!link) link = &claim_link(socket, peer.address);
    peer.data = link;
    if (link->connecting == &peer) link->connecting = nullptr;
    link->connected = &peer;
    enet_peer_throttle_configure(&peer, ENET_PEER_PACKET_THROTTLE_INTERVAL, throttle_acceleration,
                                 throttle_deceleration);
    enet_peer_timeout(&peer, ENET_PEER_TIMEOUT_LIMIT, silence_max_ms, silence_max_ms);
    for (; link->pending_count > 0; link->pending_count -= 1) {
        const Pending &pending = link->pending[link->pending_first];
        give(socket, peer, {pending.bytes, pending.size_bytes});
        link->pending_first = (link->pending_first + 1) % pending_max;
    }
}

// The next send() to this address connects again, unless the other end's connection is open.
static void disconnected(EnetSocket &socket, ENetPeer &peer)
{
    auto *link = static_cast<Link *>(peer.data);
    peer.data = nullptr; // ENet would keep it for the next peer in this place.
    if (!link) return;
    if (link->connecting == &peer) link->connecting = nullptr;
    if (link->connected == &peer) {
        link->connected = nullptr;
        for (size_t i = 0; i < socket._host->peerCount; ++i) {
            ENetPeer &other = socket._host->peers[i];
            if (other.data == link && other.state == ENET_PEER_STATE_CONNECTED)
                link->connected = &other;
        }
    }
    if (!link->connected && !link->connecting) release_link(socket, *link);
}

static void release_held(EnetSocket &socket)
{
    for (size_t i = 0; i < socket._held_count; ++i)
        enet_packet_destroy(socket._held[i]);
    socket._held_count = 0;
}

static void hold(EnetSocket &socket, const ENetEvent &event)
{
    const std::span bytes = {reinterpret_cast<const std::byte *>(event.packet->data),
                             event.packet->dataLength};
    socket._stats.received_datagrams += 1;
    socket._stats.received_bytes += bytes.size();
    socket._held[socket._held_count] = event.packet;
    socket._datagrams[socket._held_count] = {portable(event.peer->address), bytes};
    socket._held_count += 1;
}

std::span<const Datagram> EnetSocket::receive()
{
    release_held(*this);
    ENetEvent event;
    for (size_t i = 0; i < events_max && _held_count < receive_datagrams_max; ++i) {
        const int result = enet_host_service(_host, &event, 0);
        if (result == 0) break;
        if (result < 0) // A system call failed for one peer; ENet has yet to serve the others.
            continue;
        if (event.type == ENET_EVENT_TYPE_RECEIVE)
            hold(*this, event);
        else if (event.type == ENET_EVENT_TYPE_CONNECT)
            connected(*this, *event.peer);
        else if (event.type == ENET_EVENT_TYPE_DISCONNECT)
            disconnected(*this, *event.peer);
    }
    if (_unsettled > 0) flush(*this);
    return {_datagrams, _held_count};
}

// Starts a connection if there is none. Null if ENet has no place for another peer.
static Link *link_to(EnetSocket &socket, const ENetAddress &address)
{
    if (Link *link = find(socket, address)) return link;
    ENetPeer *peer = enet_host_connect(socket._host, &address, 1, 0);
    if (!peer) return nullptr;
    Link &link = claim_link(socket, address);
    link.connecting = peer;
    peer->data = &link;
    return &link;
}

void EnetSocket::send(std::span<const Datagram> datagrams)
{
    for (const Datagram &datagram : datagrams) {
        const bool possible = address::is_v4(datagram.address) && datagram.address.port != 0 &&
                              datagram.bytes.size() <= pending_bytes_max;
        Link *link = possible ? link_to(*this, enet_address(datagram.address)) : nullptr;
        if (!link)
            _stats.send_failures += 1;
        else if (link->connected)
            give(*this, *link->connected, datagram.bytes);
        else
            postpone(*this, *link, datagram.bytes);
    }
    flush(*this);
}

Address EnetSocket::local_address() const
{
    const uint8_t unspecified[4] = {};
    ENetAddress bound = {};
    if (enet_socket_get_address(_host->socket, &bound) < 0) bound.port = _host->address.port;
    return address::from_v4(unspecified, bound.port);
}

EnetSocket::~EnetSocket()
{
    release_held(*this);
    for (size_t i = 0; i < _host->peerCount; ++i) {
        if (_host->peers[i].state == ENET_PEER_STATE_CONNECTED)
            enet_peer_disconnect_now(&_host->peers[i], 0);
    }
    enet_host_destroy(_host);
}

MadeSocket make_enet_socket(uint16_t port, uint16_t peers_max)
{
    const size_t places = size_t{2} * peers_max + spare_places;
    if (peers_max == 0 || places > ENET_PROTOCOL_MAXIMUM_PEER_ID) {
        mistake::report("make_enet_socket", "Pass 1 to 2043, which ENet's ids of peers allow.",
                        "peers_max is %u.", peers_max);
        return {nullptr, SocketError::system};
    }
    static const bool initialized = enet_initialize() == 0; // For the life of the process.
    if (!initialized) return {nullptr, SocketError::system};
    const ENetAddress any = {ENET_HOST_ANY, port};
    errno = 0;
    ENetHost *host = enet_host_create(&any, places, 1, 0, 0);
    if (!host) return {nullptr, socket_error(errno)};
    // The default would let each hostile peer make ENet keep 32 MB.
    host->maximumPacketSize = socket_datagram_bytes_max;
    host->maximumWaitingData = waiting_bytes_max;
    enet_socket_set_option(host->socket, ENET_SOCKOPT_RCVBUF, system_buffer_bytes);
    enet_socket_set_option(host->socket, ENET_SOCKOPT_SNDBUF, system_buffer_bytes);

    auto *socket = new (std::nothrow) EnetSocket;
    std::unique_ptr<uint64_t[]> keys(new (std::nothrow) uint64_t[places]());
    std::unique_ptr<Link[]> links(new (std::nothrow) Link[places]);
    if (!socket || !keys || !links) {
        ::operator delete(socket);
        enet_host_destroy(host);
        return {nullptr, SocketError::system};
    }
    socket->_host = host;
    socket->_stats = {};
    socket->_unsettled = 0;
    socket->_link_count = places;
    socket->_keys = std::move(keys);
    socket->_links = std::move(links);
    socket->_held_count = 0;
    return {socket, SocketError::none};
}

}
#endif
