// The functions for calls. The arguments of a call are one Lua value for each number, boolean and
// string of the type's fields, in their order.
#include "tern/calls.hpp"
#include "lua_bindings/binding.h"
#include "tern/diagnostics.hpp"
#include "tern/limits.hpp"
#include "tern/untyped.hpp"
#include <cstring>

namespace tern::lua {

// The type and the arguments of a call that the script makes.
struct Made {
    TypeId type;
    size_t size_bytes;
    alignas(16) std::byte value[struct_bytes_max];
};

static void read_made(const Arguments &a, const Session *session, int type_at, Made &made)
{
    made.type = type_id(a, type_at, session);
    const Type &type = session_config(session).types[made.type];
    if (type.objects_max > 0)
        refuse(a, type_at, "type", "a type without objects_max (%s is for objects)", type.name);
    made.size_bytes = type.size_bytes;
    take_fields(a, type_at + 1, type, made.value);
}

// The peer to call: a PeerId, or where allowed "everyone" or "host". Refuses this peer itself.
static PeerId callee(const Arguments &a, const Session *session, bool everyone, bool host)
{
    if (lua_type(a.L, 2) == LUA_TSTRING) {
        const char *word = lua_tostring(a.L, 2);
        if (host && std::strcmp(word, "host") == 0) return PeerId::host;
        if (everyone && std::strcmp(word, "everyone") == 0) return PeerId::everyone;
    }
    int64_t number = 0;
    if (!to_whole(a.L, 2, number) || number < 1 || number >= static_cast<int64_t>(PeerId::host))
        refuse(a, 2, "to", "a peer (a number)%s",
               !host       ? " or \"everyone\""
               : !everyone ? " or \"host\""
                           : ", \"everyone\" or \"host\"");
    const auto to = static_cast<PeerId>(number);
    if (to == tern::local_peer(session)) refuse(a, 2, "to", "another peer than this one itself");
    return to;
}

static int call(const Arguments &a, Reliability reliability)
{
    Session *s = open_session(a);
    const PeerId to = callee(a, s, true, reliability == Reliability::reliable);
    Made made;
    read_made(a, s, 3, made);
    lua_pushboolean(a.L, tern::call(s, to, made.type, made.value, made.size_bytes, reliability));
    return 1;
}

static int call(lua_State *L)
{
    return call({L, "call"}, Reliability::reliable);
}

static int call_unreliable(lua_State *L)
{
    return call({L, "call_unreliable"}, Reliability::unreliable);
}

// Pushes the id of a call that is answered; nil: it was not sent.
static int push_call(lua_State *L, CallId call)
{
    if (call == CallId::none)
        lua_pushnil(L);
    else
        push_whole(L, static_cast<int64_t>(call));
    return 1;
}

static int call_owner(lua_State *L)
{
    const Arguments a = {L, "call_owner"};
    Session *s = open_session(a);
    const ObjectId object = any_object(a, 2);
    Made made;
    read_made(a, s, 3, made);
    return push_call(L, tern::call_owner(s, object, made.type, made.value, made.size_bytes));
}

static int request(lua_State *L)
{
    const Arguments a = {L, "request"};
    Session *s = open_session(a);
    const PeerId to = callee(a, s, false, true);
    Made made;
    read_made(a, s, 3, made);
    return push_call(L, tern::request(s, to, made.type, made.value, made.size_bytes,
                                      session_box(a).request_timeout_ms));
}

static int request_owner(lua_State *L)
{
    const Arguments a = {L, "request_owner"};
    Session *s = open_session(a);
    const ObjectId object = any_object(a, 2);
    Made made;
    read_made(a, s, 3, made);
    return push_call(L, tern::request_owner(s, object, made.type, made.value, made.size_bytes,
                                            session_box(a).request_timeout_ms));
}

static int request_timeout_ms(lua_State *L)
{
    const Arguments a = {L, "request_timeout_ms"};
    session(a);
    session_box(a).request_timeout_ms =
        static_cast<uint32_t>(whole(a, 2, "timeout_ms", 1, 600'000));
    return 0;
}

static int reply(lua_State *L)
{
    const Arguments a = {L, "reply"};
    Session *s = open_session(a);
    const PeerId caller = peer(a, 2, "caller");
    const auto call = static_cast<CallId>(whole(a, 3, "call", 1, UINT32_MAX));
    Made made;
    read_made(a, s, 4, made);
    lua_pushboolean(L, tern::reply(s, caller, call, made.type, made.value, made.size_bytes));
    return 1;
}

const luaL_Reg call_functions[] = {{"call", call},
                                   {"call_unreliable", call_unreliable},
                                   {"call_owner", call_owner},
                                   {"request", request},
                                   {"request_owner", request_owner},
                                   {"request_timeout_ms", request_timeout_ms},
                                   {"reply", reply},
                                   {nullptr, nullptr}};

}
