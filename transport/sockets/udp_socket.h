// Lets tests change the options of a UDP socket, as a system that refuses some of them would.
#pragma once
#include "tern/io.hpp"

namespace tern::udp_socket {

int descriptor(const Socket &socket); // `socket` must come from make_udp_socket().

}
