// The functions of tern.h and discovery.h on sockets, addresses and the clock. In the library
// tern::udp.
#include "base/mistake.h"
#include "tern/discovery.hpp"
#include "tern/io.hpp"
#include <cstring>

using namespace tern;

// A tern_socket is a Socket, by another name.
static Socket *inside(tern_socket *socket)
{
    return reinterpret_cast<Socket *>(socket);
}

static tern_result result_of(SocketError error)
{
    switch (error) {
    case SocketError::none: return TERN_OK;
    case SocketError::port_in_use: return TERN_PORT_IN_USE;
    case SocketError::not_permitted: return TERN_NOT_PERMITTED;
    case SocketError::no_such_family: return TERN_NO_SUCH_FAMILY;
    case SocketError::not_built:
    case SocketError::system: return TERN_SYSTEM;
    }
    return TERN_SYSTEM;
}

static tern_result give(const MadeSocket &made, tern_socket **socket)
{
    *socket = reinterpret_cast<tern_socket *>(made.socket);
    return result_of(made.error);
}

static bool has_pointer(const void *pointer, const char *function)
{
    if (pointer) return true;
    return mistake::report(function, "Check the result of make_udp_socket(), and each pointer.",
                           "A pointer is null.");
}

tern_result tern_make_udp_socket(uint16_t port, bool ipv6, tern_socket **socket)
{
    if (!has_pointer(socket, "make_udp_socket")) return TERN_MISUSE;
    return give(make_udp_socket(port, ipv6 ? IpVersion::v6 : IpVersion::v4), socket);
}

tern_result tern_make_discovery_socket(uint16_t port, tern_socket **socket)
{
    if (!has_pointer(socket, "make_discovery_socket")) return TERN_MISUSE;
    return give(make_discovery_socket(port), socket);
}

void tern_destroy_socket(tern_socket *socket)
{
    destroy_socket(inside(socket));
}

size_t tern_socket_receive(tern_socket *socket, const tern_datagram **datagrams)
{
    if (datagrams) *datagrams = nullptr;
    if (!has_pointer(socket, "socket_receive") || !has_pointer(datagrams, "socket_receive"))
        return 0;
    const std::span<const Datagram> received = inside(socket)->receive();
    *datagrams = to_c(received.data());
    return received.size();
}

void tern_socket_send(tern_socket *socket, const tern_datagram *datagrams, size_t count)
{
    if (!has_pointer(socket, "socket_send")) return;
    if (count > 0 && !has_pointer(datagrams, "socket_send")) return;
    inside(socket)->send({to_cpp(datagrams), count});
}

uint16_t tern_socket_port(const tern_socket *socket)
{
    if (!has_pointer(socket, "socket_port")) return 0;
    return reinterpret_cast<const Socket *>(socket)->local_address().port;
}

tern_result tern_parse_address(const char *text, tern_address *address)
{
    const ParsedAddress parsed = parse_address(text);
    if (parsed.error) return TERN_BAD_TEXT;
    if (address) std::memcpy(address, &parsed.address, sizeof *address);
    return TERN_OK;
}

void tern_address_text(const tern_address *address, char text[TERN_ADDRESS_TEXT_MAX])
{
    if (!has_pointer(text, "address_text")) return;
    std::memset(text, 0, TERN_ADDRESS_TEXT_MAX);
    if (!has_pointer(address, "address_text")) return;
    const AddressText written = to_text(*to_cpp(address));
    static_assert(sizeof written.text == TERN_ADDRESS_TEXT_MAX);
    std::memcpy(text, written.text, sizeof written.text);
}

tern_address tern_loopback(uint16_t port, bool ipv6)
{
    const Address address = loopback(port, ipv6 ? IpVersion::v6 : IpVersion::v4);
    return *to_c(&address);
}

size_t tern_local_addresses(uint16_t port, tern_address *addresses, size_t count)
{
    if (count == 0 || !has_pointer(addresses, "local_addresses")) return 0;
    return find_local_addresses(port, {to_cpp(addresses), count});
}

void tern_sleep_us(uint64_t duration_us)
{
    sleep_us(duration_us);
}

uint64_t tern_clock_us(void)
{
    return clock_us();
}
