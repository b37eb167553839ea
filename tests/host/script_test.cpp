// A room that runs a game script: it is read again, frozen by an error, and asked by tern-ctl.
#include "tests/host/running_host.h"
#include <fstream>
#include <gtest/gtest.h>

#ifdef TERN_HAVE_LUA

using namespace dedicated::test;

namespace {

std::string script(const std::string &more)
{
    return "local tern = require 'tern'\n"
           "local game = {types = {{name = 'ship', objects_max = 4, fields = {{name = 'x', kind = "
           "'float32'}}}}, topology = 'mesh', peers_max = 8, state = {ticks = 0}}\n"
           "function game.start(session) tern.create(session, 0) end\n"
           "function game.update(session, dt) game.state.ticks = game.state.ticks + 1 " +
           more + " end\nreturn game\n";
}

void write_file(const std::string &path, const std::string &text)
{
    std::ofstream(path + ".new") << text;
    std::filesystem::rename(path + ".new", path);
}

}

#endif
