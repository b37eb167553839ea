#include "transport/sockets/socket_error.h"
#ifdef _WIN32
#include "transport/sockets/native_socket.h"
#else
#include <cerrno>
#endif

namespace tern {

SocketError socket_error(int system_error)
{
#ifdef _WIN32
    switch (system_error) {
    case WSAEADDRINUSE:
    case WSAEACCES: return SocketError::port_in_use; // The other socket does not share the port.
    case WSAEAFNOSUPPORT:
    case WSAEPROTONOSUPPORT:
    case WSAEADDRNOTAVAIL: return SocketError::no_such_family; // tern binds to 0.0.0.0 or :: only.
    default: return SocketError::system;
    }
#else
    switch (system_error) {
    case EADDRINUSE: return SocketError::port_in_use;
    case EACCES:
    case EPERM: return SocketError::not_permitted;
    case EAFNOSUPPORT:
    case EPROTONOSUPPORT:
    case EADDRNOTAVAIL: return SocketError::no_such_family; // tern binds to 0.0.0.0 or :: only.
    default: return SocketError::system;
    }
#endif
}

const char *to_text(SocketError error)
{
    switch (error) {
    case SocketError::none: return "no error";
    case SocketError::port_in_use: return "the port is in use";
    case SocketError::not_permitted: return "not permitted to open this port";
    case SocketError::no_such_family: return "this machine has no such IP version";
    case SocketError::not_built: return "this build is without ENet";
    case SocketError::system: return "the system is out of descriptors or memory";
    }
    return "unknown error";
}

void destroy_socket(Socket *socket)
{
    delete socket;
}

}
