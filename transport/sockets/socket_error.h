// Translates the system's error of a socket that could not be opened.
#pragma once
#include "tern/io.hpp"

namespace tern {

// system_error: an errno, or on Windows what WSAGetLastError() gave; not 0. Exported, because
// tern::enet takes it from tern::udp.
TERN_API SocketError socket_error(int system_error);

}
