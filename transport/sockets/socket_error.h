// What an errno of opening a socket means to the caller.
#pragma once
#include "tern/io.h"

namespace tern {

SocketError socket_error(int system_error); // An errno value, not 0.

}
