// The common parts of the Lua module: the data that it keeps in a Lua state, the checks of
// arguments, and the conversion of fields.
//
// Two rules bind all code of the module (docs/architecture.md):
// - A Lua error leaves a function by longjmp, so no object with a destructor may be alive where one
//   can be raised: by every function below that takes Arguments or a Table, and by most of Lua's
//   own.
// - Where Lua allocates, its collector may run a finalizer of the script, which may destroy any
//   handle. Read what belongs to a session, socket or network after the allocation, or copy it
//   before; strings too, because LuaJIT collects before it copies one.
#pragma once
#include "lua_bindings/lua_headers.h"
#include <initializer_list>
#include <tern/discovery.hpp>
#include <tern/lua.hpp>
#include <tern/sim.hpp>
#include <tern/untyped.hpp>

// Compilers then compare the values with the format, as base/printf_format.h has it.
#if defined(__MINGW32__)
#define TERN_LUA_PRINTF(at, values_at) __attribute__((format(gnu_printf, at, values_at)))
#elif defined(__GNUC__)
#define TERN_LUA_PRINTF(at, values_at) __attribute__((format(printf, at, values_at)))
#else
#define TERN_LUA_PRINTF(at, values_at)
#endif

namespace tern::lua {

// --- The module's data: a table, which is upvalue 1 of each of its functions. ---

// The kinds of userdata that scripts hold. Each has a metatable of its own.
enum class Handle : int { session = 1, socket, network, announcer, finder };
inline constexpr int handles_max = 5;

// Indices of the table, behind the metatables. It keeps strings and functions that are pushed
// often, so that pushing them allocates nothing.
enum Anchor : int {
    anchor_objects_next = handles_max + 1,
    anchor_peers_next,
    anchor_events_next,
    anchor_sessions, // The userdata of each session that C++ has pushed, indexed by Session *.
    anchor_event_kinds = 16,
    anchor_states = 48,
    anchor_claim_refusals = 80,
    anchor_call_failures = 96,
    anchor_breaches = 112
};

// The names of an enum's enumerators, in their order.
struct Words {
    const char *const *names;
    int count;
};
template <size_t count> constexpr Words words(const char *const (&names)[count])
{
    return {names, static_cast<int>(count)};
}

extern const Words event_kinds, states, claim_refusals, call_failures, breaches;

void push_anchor(lua_State *L, int anchor); // Call it in a function of the module only.
// Pushes the table itself, for functions that C++ calls. nil before open_lua().
void push_anchors(lua_State *L);

template <class Enum> void push_word(lua_State *L, int anchor, Enum value)
{
    push_anchor(L, anchor + static_cast<int>(value));
}

// The most that a script may set for recording_bytes_max.
inline constexpr uint32_t recording_bytes_limit = 1024 * 1024 * 1024;

inline constexpr uint32_t sim_sockets_max = 1024; // Sockets of one simulated network of a script.

// --- The userdata behind the handles. All zero: destroyed. ---

// Indices of the table that is attached to a session's userdata.
inline constexpr int kept_types = 1;     // The memory of the session's types.
inline constexpr int kept_functions = 2; // The functions of on(), indexed by event kind.
inline constexpr int kept_event = 3;     // The table that events() and dispatch() fill.
inline constexpr int kept_names = 4;     // The strings of SessionBox::names, in their order.

// A name of a field that the script has used, so that the next use is found by the string's address
// alone. kept_names keeps the string alive: no other can have its address.
struct UsedName {
    const void *string;
    const Field *field;
    TypeId type;
};
inline constexpr size_t used_names_max = 64; // A power of two. One name can displace another.

inline const char session_mark = 0; // Its address marks the userdata of sessions.

struct SessionBox {
    const char *mark; // &session_mark until it is collected: see session_box().
    Session *session;
    bool is_pushed; // C++ has pushed the session, and owns and ticks it.
    uint64_t now_us;
    uint32_t request_timeout_ms; // The timeout of requests from now on.
    UsedName names[used_names_max];
};

// A simulated network with its references: from its own handle and from each of its sockets. It
// lives until the last one is gone, because Lua collects them in any order.
struct SharedNetwork {
    SimNetwork *network;
    uint64_t now_us;
    uint32_t references;
    uint32_t address_count;
    Address addresses[sim_sockets_max];
};

struct SocketBox {
    Socket *socket;
    SharedNetwork *network; // The socket's simulated network. Null: the socket is a real one.
};

struct NetworkBox {
    SharedNetwork *shared;
};

struct AnnouncerBox {
    Announcer *announcer;
    uint64_t now_us;
};

struct FinderBox {
    Finder *finder;
    uint64_t now_us;
};

// --- Arguments. A wrong one raises "tern.<function>: argument 2 (object): expected ..." ---

struct Arguments {
    lua_State *L;
    const char *function;
};

[[noreturn]] void refuse(const Arguments &a, int index, const char *name, const char *format, ...)
    TERN_LUA_PRINTF(4, 5);
// Like refuse(), for a value that lies at another index of the stack than its argument.
[[noreturn]] void refuse_as(const Arguments &a, int argument, const char *name, int index,
                            const char *format, ...) TERN_LUA_PRINTF(5, 6);
// Raises "tern.<function>: ..." for an error that is not about one argument.
[[noreturn]] void fail(const Arguments &a, const char *format, ...) TERN_LUA_PRINTF(2, 3);

bool is_given(const Arguments &a, int index); // False for a missing argument and for nil.
uint64_t whole(const Arguments &a, int index, const char *name, uint64_t min, uint64_t max);
bool boolean(const Arguments &a, int index, const char *name);
const char *text(const Arguments &a, int index, const char *name); // Refuses zero bytes.
int choice(const Arguments &a, int index, const char *name, const Words &words);
// The time that the script gives, or clock_us() if the argument is missing. Refuses a time before
// `last_us`, and sets that to the result.
uint64_t time_us(const Arguments &a, int index, uint64_t &last_us);
Address address(const Arguments &a, int index, const char *name);

// False: the value is not a whole number that a double holds exactly.
bool to_whole(lua_State *L, int index, int64_t &value);

void *find_handle(lua_State *L, int index, Handle kind); // Null: another kind of value.
void *handle(const Arguments &a, int index, Handle kind);
SessionBox &session_box(const Arguments &a);   // Argument 1, which may be destroyed.
SessionBox &live_box(const Arguments &a);      // Argument 1. Refuses a destroyed session.
Session *session(const Arguments &a);          // Argument 1. Refuses a destroyed session.
Session *open_session(const Arguments &a);     // Argument 1. Refuses a session that is not open.
Socket *socket(const Arguments &a, int index); // Refuses a destroyed socket.
Session *host_session(const Arguments &a);     // Argument 1. Open, and this peer is the host.
// A type of the session, by number or name.
TypeId type_id(const Arguments &a, int index, const Session *session);
// A field, by number or name. Messages call the value argument `argument`.
uint16_t field_index(const Arguments &a, int index, int argument, const Type &type);
// Like field_index(), but faster, for functions that run often. The box is that of argument 1.
const Field &field(const Arguments &a, int index, SessionBox &box, TypeId type);
// Refuses an object whose value cannot be read.
ObjectId object(const Arguments &a, int index, const Session *session);
FoundValue object_value(const Arguments &a, int index, const Session *session);
ObjectId any_object(const Arguments &a, int index);           // The object need not exist.
PeerId peer(const Arguments &a, int index, const char *name); // The peer need not be a member.

// --- Tables of options: "tern.<function>: <where>.<key>: expected ..." ---

struct Table {
    Arguments arguments;
    int index;      // The table's index on the stack; positive.
    char where[64]; // The path of the table for messages, such as "types[2].", or "".
};

Table table(const Arguments &a, int index, const char *name);
// Pushes the table that is element i of the list at list_index, such as types[i].
Table element(const Table &t, int list_index, const char *list_name, int i);
[[noreturn]] void refuse_option(const Table &t, const char *key, int index, const char *format, ...)
    TERN_LUA_PRINTF(4, 5);
void check_keys(const Table &t, const Words &known); // Refuses unknown keys.
bool push_option(const Table &t, const char *key);   // False, and nothing is pushed: it is nil.
uint64_t whole_option(const Table &t, const char *key, uint64_t fallback, uint64_t min,
                      uint64_t max);
double number_option(const Table &t, const char *key, double fallback, double min, double max);
bool boolean_option(const Table &t, const char *key, bool fallback);
// Text that lives as long as the list on the stack at `holder`. Fallback null: it must be given.
const char *kept_text(const Table &t, const char *key, int holder, const char *fallback);
int choice_option(const Table &t, const char *key, int fallback, const Words &words);

Impairment impairment(const Table &t);
// Reads the option "types". The types live as long as the list on the stack at `holder`.
std::span<const Type> read_types(const Table &t, int holder);

// --- A value's fields ---

inline constexpr uint64_t exact_max = uint64_t{1} << 53; // Doubles are exact up to here.
inline constexpr uint64_t object_id_max = (uint64_t{1} << 48) - 1;

size_t number_bytes(FieldKind kind); // The size and alignment of one number of an element.
int lua_values(const Field &field);  // How many Lua values make the field.
int push_field(lua_State *L, const Field &field, const void *value); // Returns lua_values().
// Sets the field from the Lua values from `index` on. Messages call them argument `argument`. An
// integer or float32 with a range is clamped to it.
void take_field(const Arguments &a, int index, int argument, const Field &field, void *value);
// Sets all fields from all arguments from `first` on.
void take_fields(const Arguments &a, int first, const Type &type, void *value);
// For a field of kind values, which is one dynamic value. take_value() returns what is wrong; null:
// nothing.
void push_value(lua_State *L, const Field &field, const void *value);
const char *take_value(lua_State *L, int index, const Field &field, void *value);
void set_defaults(const Type &type, void *value); // Zeros; quaternions are the identity.
void push_count(lua_State *L, uint64_t count);    // Beyond exact_max the nearest double.

// Sets key = count in the table on the top of the stack.
void fill(lua_State *L, const char *key, uint64_t count);
struct Count {
    const char *key;
    uint64_t count;
};
// Pushes the table at `index`, or a new one if that argument is missing, and sets these counts in
// it. Returns 1, the number of results.
int push_filled(const Arguments &a, int index, std::initializer_list<Count> counts);

// --- Parts of the module. Each list of functions ends with nulls ---

extern const luaL_Reg session_functions[], tick_functions[], peer_functions[], event_functions[],
    object_functions[], call_functions[], socket_functions[], network_functions[],
    discovery_functions[];

// The __gc of each handle, and the functions of the iterators.
int collect_session(lua_State *L);
int collect_socket(lua_State *L);
int collect_network(lua_State *L);
int collect_announcer(lua_State *L);
int collect_finder(lua_State *L);
int objects_next(lua_State *L);
int peers_next(lua_State *L);
int events_next(lua_State *L);

void drop(SharedNetwork *shared);     // Removes one reference.
SocketBox &push_socket(lua_State *L); // Pushes an empty one.
// Copies the text before it pushes it, so that it may belong to a session. Cuts it to 511 bytes.
void push_text(lua_State *L, const char *text);
void push_hex(lua_State *L, uint64_t number); // 16 digits.

}
