#include "transport/sockets/socket_error.h"
#include <cerrno>

namespace tern {

SocketError socket_error(int system_error)
{
    switch (system_error) {
    case EADDRINUSE: return SocketError::port_in_use;
    case EACCES:
    case EPERM: return SocketError::not_permitted;
    case EAFNOSUPPORT:
    case EPROTONOSUPPORT:
    case EADDRNOTAVAIL: return SocketError::no_such_family; // tern binds to 0.0.0.0 or :: only.
    default: return SocketError::system;
    }
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
