#include "scripts/state.h"
#include "scripts/sandbox.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#if LUA_VERSION_NUM < 502
extern "C" {
#include <luajit.h>
}
#endif

namespace tern::scripts {

// The limits are checked once in this many instructions.
static constexpr int hook_interval = 100;
// Refused blocks in one call. Lua 5.4 collects all garbage before each error, which takes long, and
// a script could catch the error and try again.
static constexpr uint32_t refused_blocks_max = 20;
// Bytes of the C stack in one call. LuaJIT's C functions do not count how deep they are nested.
static constexpr ptrdiff_t stack_bytes_max = 1 << 20;

Limits limits(Trust trust, uint32_t memory_mib, uint64_t instructions_max)
{
    Limits limits = trust == Trust::sandboxed ? sandbox_limits : Limits{};
    if (memory_mib > 0) limits.memory_bytes_max = size_t{memory_mib} << 20;
    if (instructions_max > 0) limits.instructions_max = instructions_max;
    return limits;
}

// --- Memory ---

static void *allocate(void *user, void *block, size_t old_bytes, size_t new_bytes)
{
    LuaState &state = *static_cast<LuaState *>(user);
    if (!block) old_bytes = 0; // For a new block, Lua passes its kind.
    if (new_bytes == 0) {
        std::free(block);
        state.memory_bytes -= old_bytes;
        return nullptr;
    }
    const size_t max = state.limits.memory_bytes_max;
    // Lua permits failure only for growth. Outside a call nobody would catch the error.
    if (max > 0 && state.runs && new_bytes > old_bytes &&
        (new_bytes > max / 4 || state.memory_bytes + (new_bytes - old_bytes) > max)) {
        state.refused_blocks += 1;
        return nullptr;
    }
    void *grown = std::realloc(block, new_bytes);
    if (!grown) return nullptr;
    state.memory_bytes += new_bytes - old_bytes;
    state.memory_bytes_peak = std::max(state.memory_bytes_peak, state.memory_bytes);
    return grown;
}

LuaState *state_of(lua_State *lua)
{
    void *user = nullptr;
    lua_getallocf(lua, &user);
    return static_cast<LuaState *>(user);
}

// --- Instructions and time ---

static uint64_t now_us(clockid_t clock)
{
    timespec now = {};
    clock_gettime(clock, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1'000'000 +
           static_cast<uint64_t>(now.tv_nsec) / 1000;
}

uint64_t processor_us()
{
    return now_us(CLOCK_THREAD_CPUTIME_ID);
}

static bool is_limited(const LuaState &state)
{
    return state.limits.instructions_max > 0 || state.limits.call_ms_max > 0;
}

// Processor time counts, because a stalled machine is not the script's fault. Its clock is slow to
// read, so the cheap clock is read first.
static bool is_late(const LuaState &state)
{
    const uint64_t max_us = uint64_t{state.limits.call_ms_max} * 1000;
    return max_us > 0 && now_us(CLOCK_MONOTONIC) - state.begun_us > max_us &&
           processor_us() - state.begun_processor_us > max_us;
}

static bool is_deep(const LuaState &state)
{
    const char here = 0;
    const ptrdiff_t depth = state.stack_base - &here; // The stack may grow either way.
    return depth > stack_bytes_max || -depth > stack_bytes_max;
}

// Raises an error if a limit is exceeded. From then on each instruction raises it again, so that
// the script cannot catch it by pcall() and go on.
static void look_at_limits(lua_State *lua, void (*hook)(lua_State *, lua_Debug *))
{
    LuaState &state = *state_of(lua);
    if (!state.runs) return;
    if (!state.exceeded && state.limits.instructions_max > 0 &&
        state.instructions > state.limits.instructions_max)
        state.exceeded = "has used up its instructions";
    if (!state.exceeded && is_late(state)) state.exceeded = "has used up its time";
    if (!state.exceeded && state.refused_blocks > refused_blocks_max)
        state.exceeded = "has used up its memory again and again";
    if (!state.exceeded && !is_deep(state)) {
        // An earlier call may have left the interval 1 in this coroutine.
        if (lua_gethookcount(lua) != hook_interval)
            lua_sethook(lua, hook, LUA_MASKCOUNT, hook_interval);
        return;
    }
    if (state.exceeded) lua_sethook(lua, hook, LUA_MASKCOUNT, 1);
    state.runs = false; // The message may exceed the memory limit.
    luaL_where(lua, 0);
    if (state.exceeded)
        lua_pushfstring(lua, "the call %s", state.exceeded);
    else
        lua_pushliteral(lua, "C stack overflow");
    lua_concat(lua, 2);
    state.runs = true;
    lua_error(lua);
}

static void count_hook(lua_State *lua, lua_Debug *)
{
    state_of(lua)->instructions += static_cast<uint64_t>(lua_gethookcount(lua));
    look_at_limits(lua, count_hook);
}

void charge(lua_State *lua, uint64_t count)
{
    LuaState &state = *state_of(lua);
    if (!is_limited(state)) return;
    state.instructions += count;
    look_at_limits(lua, count_hook);
}

// --- Calls ---

// Turns the error into text with a traceback. Must not run code of the script, because hooks are
// disabled here.
static int add_traceback(lua_State *lua)
{
    LuaState &state = *state_of(lua);
    const bool ran = state.runs;
    state.runs = false; // The traceback may exceed the memory limit.
    size_t size = 0;
    const char *message = nullptr;
    if (lua_type(lua, 1) == LUA_TSTRING) message = lua_tolstring(lua, 1, &size);
    if (message && size > error_bytes_max)
        lua_pushlstring(lua, message, error_bytes_max);
    else if (message || lua_type(lua, 1) == LUA_TNUMBER)
        lua_pushvalue(lua, 1);
    else
        lua_pushfstring(lua, "(the error is a %s)", luaL_typename(lua, 1));
    luaL_traceback(lua, lua, lua_tostring(lua, -1), 1);
    state.runs = ran;
    return 1;
}

static std::string taken_text(lua_State *lua)
{
    size_t size = 0;
    const char *bytes = lua_type(lua, -1) == LUA_TSTRING ? lua_tolstring(lua, -1, &size) : nullptr;
    std::string text = bytes ? std::string(bytes, size) : "an error without a text";
    lua_pop(lua, 1);
    return text;
}

static std::string limit_text(const LuaState &state)
{
    char number[64];
    std::snprintf(number, sizeof number, "%.1f MiB",
                  static_cast<double>(state.limits.memory_bytes_max) / (1 << 20));
    return std::string("not enough memory: the script may hold ") + number +
           ", and a quarter of that in one piece";
}

std::string call(LuaState &state, int argument_count, int result_count)
{
    lua_State *lua = state.lua;
    const int function = lua_gettop(lua) - argument_count;
    lua_rawgeti(lua, LUA_REGISTRYINDEX, state.traceback);
    lua_insert(lua, function);
    const bool limited = is_limited(state);
    const char here = 0;
    state.stack_base = &here;
    state.instructions = 0;
    state.exceeded = nullptr;
    state.refused_blocks = 0;
    state.begun_us = now_us(CLOCK_MONOTONIC);
    state.begun_processor_us = limited ? processor_us() : 0;
    if (limited) lua_sethook(lua, count_hook, LUA_MASKCOUNT, hook_interval);
    state.runs = true;
    const int status = lua_pcall(lua, argument_count, result_count, function);
    state.runs = false;
    if (limited) lua_sethook(lua, nullptr, 0, 0);
    lua_remove(lua, function);
    if (status == 0) return "";
    std::string error = taken_text(lua);
    if (status == LUA_ERRMEM) {
        lua_gc(lua, LUA_GCCOLLECT, 0); // LuaJIT does not collect before this error.
        return limit_text(state);
    }
    return error;
}

namespace {

struct Source { // The text for the parser, which gets it in pieces and can be stopped between them.
    std::string_view rest;
    uint64_t end_us; // When to stop, in processor time. 0: never.
    bool is_late;
};

}

static const char *next_piece(lua_State *, void *data, size_t *size)
{
    Source &source = *static_cast<Source *>(data);
    source.is_late = source.end_us > 0 && processor_us() > source.end_us;
    const std::string_view piece = source.rest.substr(0, source.is_late ? 0 : 1024);
    source.rest.remove_prefix(piece.size());
    *size = piece.size();
    return piece.empty() ? nullptr : piece.data();
}

std::string load(LuaState &state, std::string_view text, const std::string &chunk_name)
{
    if (!text.empty() && text[0] == LUA_SIGNATURE[0])
        return chunk_name + ": it is compiled code, and only text is loaded";
    const std::string name = "@" + chunk_name;
    Source source = {text, 0, false};
    if (state.limits.call_ms_max > 0) source.end_us = processor_us() + load_ms_max * 1000;
#if LUA_VERSION_NUM >= 502
    const int status = lua_load(state.lua, next_piece, &source, name.c_str(), "t");
#else
    const int status = lua_loadx(state.lua, next_piece, &source, name.c_str(), "t");
#endif
    if (!source.is_late) return status == 0 ? "" : taken_text(state.lua);
    lua_pop(state.lua, 1); // The function, or the error about the missing rest.
    return chunk_name + ": to read it takes longer than " + std::to_string(load_ms_max) + " ms";
}

// --- Making ---

static int panic(lua_State *lua)
{
    // Only reached when memory has run out: all code of scripts runs in call().
    std::fprintf(stderr, "Lua: %s\n", lua_tostring(lua, -1));
    std::abort();
}

LuaState *make_state(Trust trust, const Limits &limits)
{
    LuaState *state = new LuaState{};
    state->trust = trust;
    state->limits = limits;
    state->lua = lua_newstate(allocate, state);
    if (!state->lua) {
        delete state;
        return nullptr;
    }
    lua_atpanic(state->lua, panic);
    lua_pushcfunction(state->lua, add_traceback);
    state->traceback = luaL_ref(state->lua, LUA_REGISTRYINDEX);
    sandbox::open_libraries(*state);
#if LUA_VERSION_NUM < 502
    // Code compiled by LuaJIT calls no hooks. The libraries have switched the compiler on.
    if (trust == Trust::sandboxed || is_limited(*state))
        luaJIT_setmode(state->lua, 0, LUAJIT_MODE_ENGINE | LUAJIT_MODE_OFF);
#endif
    return state;
}

void destroy_state(LuaState *state)
{
    if (!state) return;
    lua_close(state->lua);
    delete state;
}

}
