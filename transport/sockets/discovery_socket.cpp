// The socket of LAN discovery. It sends a datagram to 255.255.255.255 once or twice from each local
// address, by broadcast and by multicast. All datagrams leave with the largest hop limit, and those
// that arrive with a smaller one are dropped, because a router has forwarded them (RFC 5082).
#include "tern/discovery.hpp"
#include "transport/sockets/addresses.h"
#include "transport/sockets/local_addresses.h"
#include "transport/sockets/native_message.h"
#include "transport/sockets/native_socket.h"
#include "transport/sockets/socket_error.h"
#include <cstring>
#include <new>

namespace tern {

using native_message::hops_max;
using native_socket::Descriptor;

namespace {

constexpr size_t datagrams_max = 64;             // Result of one receive(); the rest waits.
constexpr size_t bytes_max = 512;                // Larger datagrams are dropped and counted.
constexpr uint64_t look_interval_us = 5'000'000; // Interfaces may appear and disappear.
// Multicast groups: IPv4 local scope (RFC 2365), and IPv6 transient, link-local scope (RFC 4291).
constexpr uint8_t group_v4[4] = {239, 255, 83, 76};
constexpr uint8_t group_v6[16] = {0xff, 0x12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 't', 'e', 'r', 'n'};

struct DiscoverySocket final : Socket { // Closed.
    Descriptor _v4, _v6;                // none if the system lacks the IP version.
    uint16_t _port;
    SocketStats _stats;
    uint64_t _next_look_us;
    LocalAddresses _local;
    Datagram _datagrams[datagrams_max];
    std::byte _buffers[datagrams_max][bytes_max];

    ~DiscoverySocket() override
    {
        native_socket::close(_v4);
        native_socket::close(_v6);
    }
    std::span<const Datagram> receive() override;
    void send(std::span<const Datagram> datagrams) override;
    Address local_address() const override
    {
        return native_socket::unspecified(IpVersion::v4, _port);
    }
    SocketStats stats() const override { return _stats; }
};

}

static bool is_everybody(const Address &address)
{
    static constexpr uint8_t ones[4] = {255, 255, 255, 255};
    return address::is_v4(address) &&
           std::memcmp(address::v4_bytes(address).data(), ones, sizeof ones) == 0;
}

static Address group(IpVersion version, uint16_t port)
{
    if (version == IpVersion::v4) return address::from_v4(group_v4, port);
    Address address = {};
    std::memcpy(address.ip, group_v6, sizeof group_v6);
    address.port = port;
    return address;
}

static void look_for_networks(DiscoverySocket &s)
{
    const uint64_t now_us = clock_us();
    if (now_us < s._next_look_us) return;
    s._next_look_us = now_us + look_interval_us;
    s._local = find_local_addresses();
    for (size_t i = 0; i < s._local.count; ++i) {
        const LocalAddress &local = s._local.values[i];
        const bool is_v4 = address::is_v4(local.address);
        const Descriptor descriptor = is_v4 ? s._v4 : s._v6;
        const IpVersion version = is_v4 ? IpVersion::v4 : IpVersion::v6;
        // If it fails, broadcast is left.
        if (descriptor != native_socket::none)
            native_message::join_group(descriptor, group(version, 0), local);
    }
}

// --- Sending ---

// Sends through the interface of `from` and from its address, if it is given.
static void send_one(DiscoverySocket &s, const Address &to, const LocalAddress *from,
                     std::span<const std::byte> bytes)
{
    const bool is_v4 = address::is_v4(to);
    const Descriptor descriptor = is_v4 ? s._v4 : s._v6;
    const auto native = native_socket::to_native(to, is_v4 ? IpVersion::v4 : IpVersion::v6);
    if (descriptor == native_socket::none ||
        native_message::send_from(descriptor, native, from, bytes) != 0) {
        s._stats.send_failures += 1;
        return;
    }
    s._stats.sent_datagrams += 1;
    s._stats.sent_bytes += bytes.size();
}

static void send_to_everybody(DiscoverySocket &s, const Datagram &datagram)
{
    look_for_networks(s);
    const uint16_t port = datagram.address.port;
    if (s._local.count == 0) s._stats.send_failures += 1;
    for (size_t i = 0; i < s._local.count; ++i) {
        const LocalAddress &local = s._local.values[i];
        const bool is_v4 = address::is_v4(local.address);
        if ((is_v4 ? s._v4 : s._v6) == native_socket::none) continue;
        if (local.broadcasts && is_v4) send_one(s, datagram.address, &local, datagram.bytes);
        const IpVersion version = is_v4 ? IpVersion::v4 : IpVersion::v6;
        send_one(s, group(version, port), &local, datagram.bytes);
    }
}

void DiscoverySocket::send(std::span<const Datagram> datagrams)
{
    for (const Datagram &datagram : datagrams) {
        if (is_everybody(datagram.address))
            send_to_everybody(*this, datagram);
        else
            send_one(*this, datagram.address, nullptr, datagram.bytes);
    }
}

// --- Receiving ---

// Appends received datagrams to the `count` that are there, and returns the new count.
static size_t receive_from(DiscoverySocket &s, Descriptor descriptor, size_t count)
{
    for (size_t tries = 0; count < datagrams_max && tries < 4 * datagrams_max; ++tries) {
        const native_message::IncomingMessage message =
            native_message::receive(descriptor, s._buffers[count]);
        if (native_socket::should_repeat(message.error)) continue;
        if (message.error != 0) return count;
        if (message.truncated) {
            s._stats.oversized += 1;
            continue;
        }
        if (!native_socket::has_no_zone(message.source) || message.hops != hops_max) continue;
        s._stats.received_datagrams += 1;
        s._stats.received_bytes += message.size_bytes;
        s._datagrams[count] = {native_socket::from_native(message.source),
                               {s._buffers[count], message.size_bytes}};
        count += 1;
    }
    return count;
}

std::span<const Datagram> DiscoverySocket::receive()
{
    look_for_networks(*this);
    size_t count = 0;
    if (_v4 != native_socket::none) count = receive_from(*this, _v4, count);
    if (_v6 != native_socket::none) count = receive_from(*this, _v6, count);
    return {_datagrams, count};
}

// --- Opening ---

static native_socket::Opened opened(IpVersion version, uint16_t port)
{
    native_socket::Opened opened = native_socket::open(version);
    if (opened.error != 0) return opened;
    const Address any = native_socket::unspecified(version, port);
    // Several games of one machine may listen at the port.
    if (!native_socket::set_option(opened.descriptor, SOL_SOCKET, SO_REUSEADDR, 1))
        opened.error = native_socket::last_error();
    if (opened.error == 0) opened.error = native_message::prepare(opened.descriptor, version);
    if (opened.error == 0)
        opened.error =
            native_socket::bind(opened.descriptor, native_socket::to_native(any, version));
    if (opened.error == 0) return opened;
    native_socket::close(opened.descriptor);
    return {native_socket::none, opened.error};
}

MadeSocket make_discovery_socket(uint16_t port)
{
    const native_socket::Opened v4 = opened(IpVersion::v4, port);
    const uint16_t port_v6 =
        port == 0 && v4.error == 0 ? native_socket::bound_port(v4.descriptor) : port;
    const native_socket::Opened v6 = opened(IpVersion::v6, port_v6);
    const SocketError error_v4 = v4.error == 0 ? SocketError::none : socket_error(v4.error);
    // IPv4 may only be missing if the system lacks it; a port that another program keeps for itself
    // is an error. IPv6 may be missing for any reason.
    const bool lacks_v4 = error_v4 == SocketError::no_such_family;
    auto *socket =
        v4.error == 0 || (lacks_v4 && v6.error == 0) ? new (std::nothrow) DiscoverySocket : nullptr;
    if (!socket) {
        native_socket::close(v4.descriptor);
        native_socket::close(v6.descriptor);
        return {nullptr, v4.error == 0 ? SocketError::system : error_v4};
    }
    socket->_v4 = v4.descriptor;
    socket->_v6 = v6.descriptor;
    socket->_port = native_socket::bound_port(v4.error == 0 ? v4.descriptor : v6.descriptor);
    socket->_stats = {};
    socket->_next_look_us = 0;
    socket->_local.count = 0;
    look_for_networks(*socket);
    return {socket, SocketError::none};
}

}
