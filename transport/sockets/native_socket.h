// The datagram sockets of the operating system, under the same names on Windows and elsewhere.
#pragma once
#include "tern/io.hpp"
#ifdef _WIN32
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <winsock2.h>
#include <ws2tcpip.h>
#else
#if defined(__APPLE__) && !defined(__APPLE_USE_RFC_3542)
#define __APPLE_USE_RFC_3542 // Else IPV6_PKTINFO and the like are those of an older standard.
#endif
#include <netinet/in.h>
#include <sys/socket.h>
#endif

namespace tern::native_socket {

#ifdef _WIN32
using Descriptor = SOCKET;
inline constexpr Descriptor none = INVALID_SOCKET;
#else
using Descriptor = int;
inline constexpr Descriptor none = -1;
#endif

// An address for the system calls, of either IP version.
struct NativeAddress {
    union {
        sockaddr any;
        sockaddr_in v4;
        sockaddr_in6 v6;
    };
    socklen_t size_bytes;
};

// size_bytes is 0 if a socket of `version` cannot send there.
NativeAddress to_native(const Address &address, IpVersion version);
Address from_native(const NativeAddress &address);
// Not a link-local IPv6 address: that means nothing without its zone, which an Address lacks.
bool has_no_zone(const NativeAddress &address);
Address unspecified(IpVersion version, uint16_t port); // 0.0.0.0 or ::.

struct Opened {
    Descriptor descriptor; // none on error.
    int error;             // What last_error() returned; 0: no error.
};
// A socket that is not bound, never blocks, and is not passed to child processes.
Opened open(IpVersion version);
void close(Descriptor descriptor);                             // none: nothing happens.
int bind(Descriptor descriptor, const NativeAddress &address); // Returns 0 or an error.
uint16_t bound_port(Descriptor descriptor);                    // 0: unknown.
bool set_option(Descriptor descriptor, int level, int option, int value);

int last_error();              // Why the last call of this thread failed.
bool should_repeat(int error); // Something interrupted the call, or an earlier datagram was lost.
// Calls send(), which returns 0 or an error, again while should_repeat(); at most sends_max times.
inline constexpr int sends_max = 4;
template <class Send> int repeat(Send send)
{
    int error = send();
    for (int sends = 1; should_repeat(error) && sends < sends_max; ++sends)
        error = send();
    return error;
}
bool queue_is_full(int error); // No later datagram can be sent at this time either.

}
