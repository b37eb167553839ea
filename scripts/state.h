// A Lua state with limits on its memory, and on the instructions and the time of each call, so that
// its code need not be trusted. Errors are returned as text.
#pragma once
#include "lua_bindings/lua_headers.h"
#include "scripts/read_file.h"
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tern::scripts {

enum class Trust : uint8_t {
    trusted,  // Has all libraries of Lua.
    sandboxed // Can compute, and load files below the script's folder (sandbox.h).
};

struct Limits {
    // Memory of the whole state. One block may take a quarter of it. 0: no limit.
    size_t memory_bytes_max = 0;
    // Instructions of one call. A C function that takes long counts as many. 0: no limit.
    uint64_t instructions_max = 0;
    uint32_t call_ms_max = 0; // Processor time of one call. 0: no limit.
};
inline constexpr Limits sandbox_limits = {64 << 20, 10'000'000, 2000};
// The limits for a program's options. An option of 0 stands for the default: the sandbox's limit,
// or none if the script is trusted.
Limits limits(Trust trust, uint32_t memory_mib, uint64_t instructions_max);

inline constexpr size_t output_bytes_max = 64 * 1024;        // Printed text beyond it is left out.
inline constexpr size_t modules_max = 64;                    // Files that one script requires.
inline constexpr size_t source_bytes_max = 256 * 1024;       // The size of a sandboxed file.
inline constexpr size_t trusted_source_bytes_max = 16 << 20; // The size of a trusted file.
// Processor time for parsing one file, if Limits::call_ms_max is set. Deep nesting is slow to
// parse: a chain of 40,000 `and` takes seconds.
inline constexpr uint64_t load_ms_max = 100;
inline constexpr size_t error_bytes_max = 4096; // Longer error messages are cut, before traceback.

// A file of the script, as it was when it was last read.
struct SourceFile {
    std::string name; // The name for require(). Empty: the script itself.
    std::string path;
    FileState state;
};

struct LuaState {
    lua_State *lua;
    Trust trust;
    Limits limits;
    size_t memory_bytes;      // Allocated now.
    size_t memory_bytes_peak; // The most so far.
    uint64_t instructions;    // Instructions of the present or last call. 0 without a limit.
    int traceback; // add_traceback() in the registry, so that pushing it allocates nothing.
    bool runs;     // A call is running, and the limits hold.
    uint32_t refused_blocks; // Blocks refused in this call because of the memory limit.
    const char *exceeded;    // The limit that the call has exceeded, as text. Null: none.
    const char *stack_base;  // The position on the C stack where the call began.
    uint64_t begun_us, begun_processor_us;
    std::string folder;            // The script's folder, below which require() looks. Absolute.
    std::vector<SourceFile> files; // The script itself, then the files that it requires.
    std::string output;            // Printed text. The caller shows it and empties the string.
    // Pass text between C++ and Lua. They are no local variables, because an error of Lua would
    // jump over their destructors.
    std::string text, text_path;
};

LuaState *make_state(Trust trust, const Limits &limits); // Null: no memory.
void destroy_state(LuaState *state);
LuaState *state_of(lua_State *lua); // Must be the lua_State of a LuaState.

// Calls the function that lies below its arguments, and pops both, as lua_pcall() does. Returns
// empty, with the results on the stack, or an error with a traceback.
std::string call(LuaState &state, int argument_count, int result_count);
// Parses text and pushes its function, without calling it. Compiled code is refused. Returns the
// error; empty: none.
std::string load(LuaState &state, std::string_view text, const std::string &chunk_name);

uint64_t processor_us(); // Processor time of this thread.

// Counts the work of a C function as this many instructions. Raises an error if a limit is
// exceeded.
void charge(lua_State *lua, uint64_t count);

}
