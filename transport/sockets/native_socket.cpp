#include "transport/sockets/native_socket.h"
#include "transport/sockets/addresses.h"
#include <cstring>
#ifdef _WIN32
#include <mstcpip.h>
#ifndef SIO_UDP_CONNRESET // The mstcpip.h of some compilers lacks it.
#define SIO_UDP_CONNRESET _WSAIOW(IOC_VENDOR, 12)
#endif
#else
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>
#endif

namespace tern::native_socket {

NativeAddress to_native(const Address &address, IpVersion version)
{
    NativeAddress out;
    std::memset(&out, 0, sizeof out);
    if (version == IpVersion::v6) {
        out.v6.sin6_family = AF_INET6;
        out.v6.sin6_port = htons(address.port);
        std::memcpy(&out.v6.sin6_addr, address.ip, 16);
        out.size_bytes = sizeof out.v6;
    } else if (address::is_v4(address)) {
        out.v4.sin_family = AF_INET;
        out.v4.sin_port = htons(address.port);
        std::memcpy(&out.v4.sin_addr, address::v4_bytes(address).data(), 4);
        out.size_bytes = sizeof out.v4;
    }
    return out;
}

Address from_native(const NativeAddress &address)
{
    if (address.any.sa_family == AF_INET) {
        uint8_t ip[4];
        std::memcpy(ip, &address.v4.sin_addr, 4);
        return address::from_v4(ip, ntohs(address.v4.sin_port));
    }
    Address out = {};
    std::memcpy(out.ip, &address.v6.sin6_addr, 16);
    out.port = ntohs(address.v6.sin6_port);
    return out;
}

bool has_no_zone(const NativeAddress &address)
{
    return address.any.sa_family == AF_INET || !IN6_IS_ADDR_LINKLOCAL(&address.v6.sin6_addr);
}

Address unspecified(IpVersion version, uint16_t port)
{
    const uint8_t zero[4] = {};
    if (version == IpVersion::v4) return address::from_v4(zero, port);
    Address address = {};
    address.port = port;
    return address;
}

int bind(Descriptor descriptor, const NativeAddress &address)
{
    return ::bind(descriptor, &address.any, address.size_bytes) == 0 ? 0 : last_error();
}

uint16_t bound_port(Descriptor descriptor)
{
    NativeAddress address;
    std::memset(&address, 0, sizeof address);
    address.size_bytes = sizeof address.v6;
    if (getsockname(descriptor, &address.any, &address.size_bytes) != 0) return 0;
    return from_native(address).port;
}

static int family(IpVersion version)
{
    return version == IpVersion::v6 ? AF_INET6 : AF_INET;
}

#ifdef _WIN32

int last_error()
{
    return WSAGetLastError();
}

// On Windows a later call fails if a datagram that was sent earlier could not be delivered.
bool should_repeat(int error)
{
    return error == WSAEINTR || error == WSAECONNRESET || error == WSAENETRESET;
}

bool queue_is_full(int error)
{
    return error == WSAEWOULDBLOCK || error == WSAENOBUFS;
}

bool set_option(Descriptor descriptor, int level, int option, int value)
{
    const auto *bytes = reinterpret_cast<const char *>(&value);
    return setsockopt(descriptor, level, option, bytes, sizeof value) == 0;
}

// Each open socket counts as one use of Winsock, which ends with the last.
void close(Descriptor descriptor)
{
    if (descriptor == none) return;
    closesocket(descriptor);
    WSACleanup();
}

Opened open(IpVersion version)
{
    WSADATA data;
    if (const int error = WSAStartup(MAKEWORD(2, 2), &data)) return {none, error};
    const Descriptor descriptor = WSASocketW(family(version), SOCK_DGRAM, IPPROTO_UDP, nullptr, 0,
                                             WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT);
    if (descriptor == none) {
        const int error = last_error();
        WSACleanup();
        return {none, error};
    }
    u_long on = 1;
    if (ioctlsocket(descriptor, static_cast<long>(FIONBIO), &on) != 0) {
        const int error = last_error();
        close(descriptor);
        return {none, error};
    }
    // Where this is refused, should_repeat() has more to do.
    DWORD off = 0, unused = 0;
    WSAIoctl(descriptor, SIO_UDP_CONNRESET, &off, sizeof off, nullptr, 0, &unused, nullptr,
             nullptr);
    return {descriptor, 0};
}

#else

int last_error()
{
    return errno;
}

bool should_repeat(int error)
{
    return error == EINTR;
}

bool queue_is_full(int error)
{
    return error == EAGAIN || error == EWOULDBLOCK || error == ENOBUFS;
}

bool set_option(Descriptor descriptor, int level, int option, int value)
{
    return setsockopt(descriptor, level, option, &value, sizeof value) == 0;
}

void close(Descriptor descriptor)
{
    if (descriptor != none) ::close(descriptor);
}

Opened open(IpVersion version)
{
    const Descriptor descriptor = ::socket(family(version), SOCK_DGRAM, 0);
    if (descriptor == none) return {none, errno};
    if (fcntl(descriptor, F_SETFL, O_NONBLOCK) != 0 ||
        fcntl(descriptor, F_SETFD, FD_CLOEXEC) != 0) {
        const int error = errno;
        close(descriptor);
        return {none, error};
    }
    return {descriptor, 0};
}

#endif

}
