-- `luarocks make` in this folder builds the module for the Lua that luarocks is for: 5.4, or 5.1,
-- which LuaJIT loads, too. Needs cmake, a C++20 compiler and libsodium.
rockspec_format = "3.0"
package = "tern"
version = "scm-1"
source = {url = "git+file://."}
description = {
    summary = "Replicates game objects between peers and lets any object change owner",
    labels = {"game", "network"},
}
dependencies = {"lua >= 5.1, < 5.5, ~= 5.2, ~= 5.3"}
external_dependencies = {LIBSODIUM = {header = "sodium.h"}}
build = {
    type = "cmake",
    variables = {
        CMAKE_BUILD_TYPE = "Release",
        TERN_LUA_HEADERS = "$(LUA_INCDIR)",
        TERN_LUA_DIR = "$(LIBDIR)",
        TERN_BUILD_TESTS = "OFF",
        TERN_BUILD_PROGRAMS = "OFF",
        TERN_BUILD_EXAMPLES = "OFF",
        TERN_BUILD_BENCH = "OFF",
    },
}
