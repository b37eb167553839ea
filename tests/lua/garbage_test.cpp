// The steady loop makes no garbage: Lua's own allocator counts. LuaJIT runs with its compiler off,
// because its traces and snapshots allocate now and then.
#include "tests/lua/state.h"
#include <cstdlib>
#include <gtest/gtest.h>
#include <string_view>
#include <tern/lua.hpp>

namespace {

struct Counter {
    uint64_t allocations = 0; // New blocks, and blocks that grew.
    uint64_t bytes = 0;
};

void *counted(void *data, void *block, size_t old_bytes, size_t new_bytes)
{
    auto &counter = *static_cast<Counter *>(data);
    if (new_bytes == 0) {
        std::free(block);
        return nullptr;
    }
    if (!block || new_bytes > old_bytes) {
        counter.allocations += 1;
        counter.bytes += block ? new_bytes - old_bytes : new_bytes;
    }
    return std::realloc(block, new_bytes);
}

struct Steady {
    Counter counter;
    lua_State *L = lua_newstate(counted, &counter);

    Steady()
    {
        if (!L) return; // LuaJIT accepts no allocator where its pointers have 32 bits.
        luaL_openlibs(L);
        tern::open_lua(L);
        lua_pop(L, 1);
        EXPECT_EQ(lua_test::run(L, "if jit then jit.off() end\n"
                                   "package.path = '" TERN_SOURCE_DIR "/tests/lua/?.lua'"),
                  "");
        EXPECT_EQ(lua_test::run_file(L, "steady.lua"), "");
    }
    ~Steady()
    {
        if (L) lua_close(L);
    }

    void tick(const char *function, int count)
    {
        lua_getfield(L, 1, function);
        for (int i = 0; i < count; ++i) {
            lua_pushvalue(L, -1);
            if (lua_pcall(L, 0, 0, 0) != 0) FAIL() << lua_tostring(L, -1);
        }
        lua_pop(L, 1);
    }

    // `which` is an index, from 1, into: ticks, changed, calls, seen, sugared, owner_calls,
    // replies.
    lua_Number done(int which)
    {
        lua_getfield(L, 1, "counts");
        lua_call(L, 0, 7);
        const lua_Number number = lua_tonumber(L, which - 8);
        lua_pop(L, 7);
        return number;
    }
};

}

TEST(GarbageTest, TheSteadyLoopAllocatesNothing)
{
    Steady steady;
    if (!steady.L) GTEST_SKIP() << "this Lua takes no allocator";
    steady.tick("tick", 200); // Long enough for all kept memory to reach its size.
    steady.done(1);
    const lua_Number changed = steady.done(2), calls = steady.done(3), seen = steady.done(4),
                     sugared = steady.done(5), owner_calls = steady.done(6),
                     replies = steady.done(7);
    const Counter before = steady.counter;
    steady.tick("tick", 600);
    const Counter after = steady.counter;
    EXPECT_EQ(after.allocations, before.allocations);
    EXPECT_EQ(after.bytes, before.bytes);
    // The loop really did its work.
    EXPECT_EQ(steady.done(1), 800);
    EXPECT_GT(steady.done(2) - changed, 800);
    EXPECT_GT(steady.done(3) - calls, 2000);
    EXPECT_EQ(steady.done(4) - seen, 1200);
    EXPECT_GT(steady.done(5) - sugared, 800);
    EXPECT_GT(steady.done(6) - owner_calls, 800);
    EXPECT_GT(steady.done(7) - replies, 800);
}

TEST(GarbageTest, OneNewStringInATickIsSeen)
{
    Steady steady;
    if (!steady.L) GTEST_SKIP() << "this Lua takes no allocator";
    steady.tick("tick", 200);
    const Counter before = steady.counter;
    steady.tick("wasteful_tick", 10);
    EXPECT_GE(steady.counter.allocations - before.allocations, 10u);
}

// For a Lua that accepts no allocator: its own count of memory in use.
TEST(GarbageTest, LuaItselfCountsNothing)
{
    lua_State *L = lua_test::make_state();
    EXPECT_EQ(lua_test::run(L, "if jit then jit.off() end"), "");
    EXPECT_EQ(lua_test::run_file(L, "steady.lua"), "");
    lua_setglobal(L, "steady");
    EXPECT_EQ(lua_test::run(L, "for _ = 1, 200 do steady.tick() end\n"
                               "collectgarbage() collectgarbage('stop')\n"
                               "steady.tick()\n"
                               "local before = collectgarbage('count')\n"
                               "for _ = 1, 300 do steady.tick() end\n"
                               "local more = (collectgarbage('count') - before) * 1024\n"
                               "assert(more == 0, more .. ' bytes')"),
              "");
    lua_close(L);
}
