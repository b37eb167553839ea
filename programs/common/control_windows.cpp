// Windows has no unix sockets that tern uses, so no program opens a control socket there.
#include "common/control.h"
#ifdef _WIN32

namespace control {

std::string open(Control &, const std::string &)
{
    return "Windows has no control sockets";
}

std::vector<ControlRequest> receive(Control &, uint64_t)
{
    return {};
}

void answer(Control &, size_t, const std::string &) {}

void send(Control &, uint64_t) {}

void close(Control &) {}

}
#endif
