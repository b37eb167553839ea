#include "tern/io.hpp"

#ifndef TERN_HAVE_ENET
namespace tern {

MadeSocket make_enet_socket(uint16_t, uint16_t)
{
    return {nullptr, SocketError::not_built};
}

}
#endif
