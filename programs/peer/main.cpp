// tern-peer: runs a game written in Lua and starts a session, or joins one by an invite. See
// --help.
#include "common/command_line.h"
#include "loop.h"
#include "options.h"
#include <optional>

int main(int argc, char **argv)
{
    peer::Options options;
    if (const std::optional<int> status = peer::read_options(options, argc, argv)) return *status;
    return peer::run(options);
}
