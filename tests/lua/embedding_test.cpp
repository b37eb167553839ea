// The C++ functions of the module, lua.hpp.
#include "tests/lua/state.h"
#include <gtest/gtest.h>
#include <tern/lua.hpp>
#include <tern/untyped.hpp>

using namespace tern;

namespace {

struct EmbeddingTest : testing::Test {
    lua_State *L = lua_test::make_state();
    ~EmbeddingTest() override
    {
        if (L) lua_close(L);
    }
    std::string run(const std::string &chunk) const
    {
        return lua_test::run(L, "local tern = require 'tern'\n" + chunk);
    }
};

const Field fields[] = {{"health", FieldKind::int32, 4, 1, 0, 100}};
const Type types[] = {{"ship", 8, fields, 4}};

Session *make_open()
{
    Config config = {};
    config.types = types;
    Session *session = make_session(config);
    start(session);
    return session;
}

}

TEST_F(EmbeddingTest, OpenedTwiceItIsTheSameModule)
{
    const int before = lua_gettop(L);
    open_lua(L);
    EXPECT_EQ(lua_gettop(L), before + 1);
    lua_setglobal(L, "again");
    EXPECT_EQ(run("assert(tern == again and package.loaded.tern == tern)"), "");
}

TEST_F(EmbeddingTest, WithoutAnyLibraryItIsThere)
{
    lua_State *bare = luaL_newstate();
    open_lua(bare);
    EXPECT_EQ(lua_gettop(bare), 1);
    lua_setglobal(bare, "tern");
    EXPECT_EQ(lua_test::run(bare, "tern.make_session {}:start()"), "");
    lua_close(bare);
}

TEST_F(EmbeddingTest, ASessionOfTheScriptIsSeen)
{
    EXPECT_EQ(run("s = tern.make_session {name = 'it'} s:start()"), "");
    lua_getglobal(L, "s");
    Session *session = lua_session(L, -1);
    ASSERT_NE(session, nullptr);
    EXPECT_EQ(lua_session(L, lua_gettop(L)), session);
    EXPECT_EQ(session_state(session), State::open);
    EXPECT_EQ(run("s:destroy_session()"), "");
    EXPECT_EQ(lua_session(L, -1), nullptr);
}

TEST_F(EmbeddingTest, WhatIsNoSessionIsNone)
{
    EXPECT_EQ(run("socket = tern.make_sim_network():make_sim_socket('1.1.1.1:1') other = io.stdout "
                  "text = 'x'"),
              "");
    for (const char *name : {"socket", "other", "text", "nothing"}) {
        lua_getglobal(L, name);
        EXPECT_EQ(lua_session(L, -1), nullptr) << name;
    }
    EXPECT_EQ(lua_session(L, 100), nullptr);
    lua_State *bare = luaL_newstate();
    lua_newuserdata(bare, 8);
    lua_newtable(bare);
    lua_setmetatable(bare, -2);
    EXPECT_EQ(lua_session(bare, -1), nullptr); // The state has not been through open_lua().
    lua_close(bare);
}

TEST_F(EmbeddingTest, ASessionOfTheProgramIsUsedAndNotDestroyed)
{
    Session *session = make_open();
    const int before = lua_gettop(L);
    push_lua_session(L, session);
    push_lua_session(L, session);
    EXPECT_EQ(lua_gettop(L), before + 2);
    EXPECT_TRUE(lua_rawequal(L, -1, -2)); // Both are one userdata.
    EXPECT_EQ(lua_session(L, -1), session);
    lua_setglobal(L, "s");
    lua_pop(L, 1);
    EXPECT_EQ(run("ship = s:create('ship', {health = 50}) assert(s:get(ship, 'health') == 50)"),
              "");
    EXPECT_EQ(object_ids(session, 0).size(), 1u);
    EXPECT_NE(run("s:destroy_session()").find("it belongs to the program"), std::string::npos);
    for (const char *name : {"receive", "send", "recorded"})
        EXPECT_NE(run("local n = tern.make_sim_network():make_sim_socket('1.1.1.1:1') tern." +
                      std::string(name) + "(s, n)")
                      .find("the program that runs this script does that"),
                  std::string::npos);
    EXPECT_EQ(run("local count = 0 for _ in s:events() do count = count + 1 end "
                  "assert(count == s:event_count())"),
              "");
    forget_lua_session(L, session);
    EXPECT_EQ(lua_gettop(L), before);
    destroy_session(session);
    EXPECT_NE(run("s:state()").find("has been destroyed"), std::string::npos);
    EXPECT_NE(run("s:get(ship, 1)").find("has been destroyed"), std::string::npos);
}

TEST_F(EmbeddingTest, ASessionOfTheProgramOutlivesTheScript)
{
    Session *session = make_open();
    push_lua_session(L, session);
    lua_close(L);
    L = nullptr;
    EXPECT_EQ(session_state(session), State::open);
    destroy_session(session);
}

TEST_F(EmbeddingTest, ForgettingWhatWasNotPushedDoesNothing)
{
    Session *session = make_open(), *pushed = make_open();
    push_lua_session(L, pushed);
    forget_lua_session(L, session);
    EXPECT_EQ(lua_gettop(L), 1);
    EXPECT_EQ(lua_session(L, 1), pushed);
    lua_State *bare = luaL_newstate();
    forget_lua_session(bare, session); // The state has not been through open_lua().
    EXPECT_EQ(lua_gettop(bare), 0);
    lua_close(bare);
    forget_lua_session(L, pushed);
    destroy_session(session);
    destroy_session(pushed);
}

static int forget_first(lua_State *L)
{
    forget_lua_session(L, lua_session(L, 1));
    return 0;
}

// The program forgets a session while a script iterates over its contents.
TEST_F(EmbeddingTest, ASessionIsForgottenWhileItIsIterated)
{
    lua_pushcfunction(L, forget_first);
    lua_setglobal(L, "forget");
    for (const char *loop : {"for _ in s:objects('ship') do forget(s) end",
                             "for _ in s:peers() do end forget(s) for _ in s:peers() do end",
                             "forget(s) for _ in s:events() do end"}) {
        Session *session = make_open();
        push_lua_session(L, session);
        lua_setglobal(L, "s");
        EXPECT_EQ(run("s:create('ship') s:create('ship')"), "");
        EXPECT_NE(run(loop).find("argument 1 (session): it has been destroyed"), std::string::npos);
        lua_getglobal(L, "s");
        EXPECT_EQ(lua_session(L, -1), nullptr);
        lua_pop(L, 1);
        EXPECT_EQ(session_state(session), State::open);
        destroy_session(session);
    }
}

// A program can read the options in the table of a game script.
TEST_F(EmbeddingTest, AConfigIsReadFromATable)
{
    EXPECT_EQ(run("game = {peers_max = 5, topology = 'star', name = 'of the game', types = {"
                  "{name = 'rock', objects_max = 3, fields = {{name = 'weight', kind = 'float32'}}}"
                  "}, update = function() end}"),
              "");
    lua_getglobal(L, "game");
    Config config = {};
    read_lua_config(L, -1, &config);
    const int kept = luaL_ref(L, LUA_REGISTRYINDEX);
    EXPECT_EQ(run("game = nil collectgarbage() collectgarbage()"), "");
    EXPECT_EQ(config.peers_max, 5);
    EXPECT_EQ(config.topology, Topology::star);
    ASSERT_EQ(config.types.size(), 1u);
    EXPECT_STREQ(config.types[0].name, "rock");
    EXPECT_STREQ(config.types[0].fields[0].name, "weight");
    EXPECT_STREQ(config.name, "of the game");
    Session *session = make_session(config);
    destroy_session(session);
    luaL_unref(L, LUA_REGISTRYINDEX, kept);
}

static int read_it(lua_State *L)
{
    Config config = {};
    read_lua_config(L, 1, &config);
    return 0;
}

TEST_F(EmbeddingTest, AWrongConfigIsAnErrorOfLua)
{
    lua_pushcfunction(L, read_it);
    lua_pushstring(L, "no table");
    ASSERT_NE(lua_pcall(L, 1, 0, 0), 0);
    EXPECT_NE(std::string(lua_tostring(L, -1)).find("expected a table"), std::string::npos);
}
