// The files of a script: reads them, finds them for require(), and notices when they change.
#pragma once
#include "scripts/state.h"

namespace tern::scripts::files {

// Reads a file into LuaState::text, and adds it to LuaState::files or updates it there. Returns
// what is wrong; empty: nothing.
std::string read(LuaState &state, const std::string &name, const std::string &path);

enum class Found : uint8_t { no, yes, wrong };
// Reads the file of require(name), which must be below LuaState::folder. wrong: LuaState::text has
// the error.
Found find_module(LuaState &state, std::string_view name);

bool changed(
    const LuaState &state); // Whether any of LuaState::files has changed since it was read.

}
