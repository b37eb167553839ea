// For tests of what the system may refuse a UDP socket.
#pragma once
#include "tern/io.h"

namespace tern::udp_socket {

int descriptor(const Socket &socket); // Of one that make_udp_socket() made.

}
