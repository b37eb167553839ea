// What the control socket's commands do.
#include "host/host.h"

namespace dedicated {

std::string command_answer(Host &, const std::string &)
{
    return R"({"ok":false,"error":"unknown command"})";
}

}
