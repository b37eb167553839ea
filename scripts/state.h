// A Lua state whose code need not be trusted to be small or to end: memory is limited, and so are
// the instructions and the time of each call. What goes wrong in it comes back as text.
#pragma once
#include "lua_bindings/lua_headers.h"
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tern::scripts {

enum class Trust : uint8_t {
    trusted,  // All libraries of Lua, as in a program of the user's own.
    sandboxed // What computes, and what is below the script's own folder (sandbox.h).
};

struct Limits {
    // Of all that the state holds; one block is a quarter of it at most. 0: none.
    size_t memory_bytes_max = 0;
    // Of one call; what takes long in C counts as many. 0: none.
    uint64_t instructions_max = 0;
    uint32_t call_ms_max = 0; // Of the processor's time in one call. 0: none.
};
inline constexpr Limits sandbox_limits = {64 << 20, 10'000'000, 2000};
// As options of programs say it; 0: the sandbox's, or none for who is trusted.
Limits limits(Trust trust, uint32_t memory_mib, uint64_t instructions_max);

inline constexpr size_t output_bytes_max = 64 * 1024;  // What is printed beyond that is left out.
inline constexpr size_t modules_max = 64;              // Files that one script requires.
inline constexpr size_t source_bytes_max = 256 * 1024; // Of a sandboxed file.
inline constexpr size_t trusted_source_bytes_max = 16 << 20; // Of a trusted one.
// Of the processor, to read one file, where a call's time is limited: what nests a chain of 40,000
// `and` takes seconds.
inline constexpr uint64_t load_ms_max = 100;
inline constexpr size_t error_bytes_max = 4096; // Of an error's message.

// A file that the script consists of, as it was when it was read last.
struct SourceFile {
    std::string name; // As required; empty: the script itself.
    std::string path;
    int64_t modified_ns;
    uint64_t size_bytes, inode;
};

struct LuaState {
    lua_State *lua;
    Trust trust;
    Limits limits;
    size_t memory_bytes;      // Held.
    size_t memory_bytes_peak; // The most so far.
    uint64_t instructions;    // Of the call that runs, or of the last one. 0 without a limit.
    int traceback;            // add_traceback() in the registry: to push it allocates nothing.
    bool runs;                // Inside of call(): the limits hold.
    uint32_t refused_blocks;  // In this call, for want of memory.
    const char *exceeded;     // What the call has used up; null: nothing.
    const char *stack_base;   // Of the processor, where the call began.
    uint64_t begun_us, begun_processor_us;
    std::string folder;            // Of the script; where require() looks. Absolute.
    std::vector<SourceFile> files; // The script itself, then what it requires.
    std::string output;            // What print() has said; whoever shows it empties it.
    // What passes between C++ and Lua: not a variable, for an error would jump over it.
    std::string text, text_path;
};

LuaState *make_state(Trust trust, const Limits &limits); // Null: no memory.
void destroy_state(LuaState *state);
LuaState *state_of(lua_State *lua); // Of one made by make_state().

// Calls the function that lies below its arguments, and takes both off the stack, as lua_pcall()
// does. Empty, and the results are on the stack; else what was wrong, with a traceback.
std::string call(LuaState &state, int argument_count, int result_count);
// Lays the text's function on the stack, which is not run. Text only. Empty, or what was wrong.
std::string load(LuaState &state, std::string_view text, const std::string &chunk_name);

uint64_t processor_us(); // What this thread has used of it.

// So many instructions more, for what a C function has done. Raises an error when that is too much.
void charge(lua_State *lua, uint64_t count);

}
