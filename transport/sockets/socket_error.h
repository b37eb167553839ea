// Translates the errno of a socket that could not be opened.
#pragma once
#include "tern/io.hpp"

namespace tern {

SocketError socket_error(int system_error); // system_error: an errno value other than 0.

}
