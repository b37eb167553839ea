// A script tests/lua/*_test.lua returns a table of functions. Each function is a test, and runs in
// a new Lua state.
#include "tests/lua/state.h"
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <gtest/gtest.h>
#include <vector>

namespace {

struct ScriptTest : testing::Test {
    ScriptTest(std::string script_, std::string function_)
        : script(std::move(script_)), function(std::move(function_))
    {
    }
    void TestBody() override
    {
        lua_State *L = lua_test::make_state();
        EXPECT_EQ(lua_test::run_file(L, script), "");
        ASSERT_TRUE(lua_istable(L, -1));
        lua_getfield(L, -1, function.c_str());
        EXPECT_EQ(lua_test::call(L, 0), "");
        lua_close(L);
    }
    std::string script, function;
};

std::vector<std::string> functions_of(const std::string &script)
{
    lua_State *L = lua_test::make_state();
    std::vector<std::string> found;
    const std::string error = lua_test::run_file(L, script);
    if (!error.empty() || !lua_istable(L, -1)) {
        std::fprintf(stderr, "%s gives no table of tests: %s\n", script.c_str(), error.c_str());
        found.push_back("Loads"); // The test of this name fails, because loading the script does.
    } else {
        lua_pushnil(L);
        while (lua_next(L, -2)) {
            lua_pop(L, 1);
            found.push_back(lua_tostring(L, -1));
        }
    }
    lua_close(L);
    if (found.empty()) found.push_back("HasTests"); // This test fails, because the table is empty.
    std::sort(found.begin(), found.end());
    return found;
}

}

int main(int argc, char **argv)
{
    testing::InitGoogleTest(&argc, argv);
    std::vector<std::string> scripts;
    for (const auto &entry : std::filesystem::directory_iterator(TERN_SOURCE_DIR "/tests/lua"))
        if (const std::string name = entry.path().filename(); name.ends_with("_test.lua"))
            scripts.push_back(name);
    std::sort(scripts.begin(), scripts.end());
    for (const std::string &script : scripts) {
        const std::string suite = script.substr(0, script.size() - 4);
        for (const std::string &function : functions_of(script))
            testing::RegisterTest(
                suite.c_str(), function.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                [=]() -> ScriptTest * { return new ScriptTest(script, function); });
    }
    return RUN_ALL_TESTS();
}
