// The functions of a tick: datagrams from a socket go to the session, and from it to a socket.
#include "lua_bindings/binding.h"
#include "tern/diagnostics.hpp"
#include "tern/prediction.hpp"
#include "tern/recording.hpp"
#include <algorithm>
#include <cstring>

namespace tern::lua {

static Session *own_session(const Arguments &a)
{
    Session *s = session(a);
    if (session_box(a).is_pushed)
        fail(a, "argument 1 (session): the program that runs this script does that for it");
    return s;
}

static int receive(lua_State *L)
{
    const Arguments a = {L, "receive"};
    Session *s = own_session(a);
    Socket *from = socket(a, 2);
    const uint64_t now_us = time_us(a, 3, session_box(a).now_us);
    push_whole(L, static_cast<int64_t>(tern::receive(s, from->receive(), now_us).size()));
    return 1;
}

static int send(lua_State *L)
{
    const Arguments a = {L, "send"};
    Session *s = own_session(a);
    Socket *to = socket(a, 2);
    to->send(tern::send(s, time_us(a, 3, session_box(a).now_us)));
    return 0;
}

static int session_clock_us(lua_State *L)
{
    const Arguments a = {L, "session_clock_us"};
    const Session *s = session(a);
    uint64_t any_us = 0;
    push_count(L, tern::session_clock_us(s, time_us(a, 2, any_us)));
    return 1;
}

static int clock_us(lua_State *L)
{
    push_count(L, tern::clock_us());
    return 1;
}

static int sleep_us(lua_State *L)
{
    tern::sleep_us(whole({L, "sleep_us"}, 1, "duration_us", 0, 1'000'000));
    return 0;
}

static int recorded(lua_State *L)
{
    const Arguments a = {L, "recorded"};
    Session *s = own_session(a);
    if (session_config(s).recording_bytes_max == 0)
        fail(a, "argument 1 (session): expected one with recording_bytes_max");
    const std::span<const std::byte> bytes = tern::take_recording(s);
    luaL_Buffer buffer;
    luaL_buffinit(L, &buffer);
    for (size_t at = 0; at < bytes.size();) {
        if (session_box(a).session != s) fail(a, "argument 1 (session): it has been destroyed");
        char copy[4096];
        const size_t size_bytes = std::min(sizeof copy, bytes.size() - at);
        std::memcpy(copy, bytes.data() + at, size_bytes);
        luaL_addlstring(&buffer, copy, size_bytes);
        at += size_bytes;
    }
    luaL_pushresult(&buffer);
    return 1;
}

const luaL_Reg tick_functions[] = {
    {"receive", receive},   {"send", send},         {"session_clock_us", session_clock_us},
    {"clock_us", clock_us}, {"sleep_us", sleep_us}, {"recorded", recorded},
    {nullptr, nullptr}};

}
