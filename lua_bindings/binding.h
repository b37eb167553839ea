// What the files of the Lua module share: what it keeps in a Lua state, how arguments are checked,
// and how fields come from Lua and go there.
//
// A Lua error leaves a function by longjmp: where one can be raised (by any function below that
// takes Arguments or a Table, and most of Lua's own) no object with a destructor is alive. And
// where Lua allocates, its collector may run a finalizer of the script, which may destroy anything:
// what belongs to a session, socket or network is asked for after that, or copied before. Strings,
// too: LuaJIT collects before it has copied one.
#pragma once
#include "lua_bindings/lua_headers.h"
#include <initializer_list>
#include <tern/discovery.h>
#include <tern/lua.h>
#include <tern/sim.h>

namespace tern::lua {

// --- What the module keeps: upvalue 1 of each of its functions is a table with these. ---

// The values that scripts hold by reference. Each is a userdata with a metatable of its own.
enum class Handle : int { session = 1, socket, network, announcer, finder };
inline constexpr int handles_max = 5;

// Where things lie in the table, after the metatables: strings and functions that are given again
// and again are kept, so that giving them allocates nothing.
enum Anchor : int {
    anchor_objects_next = handles_max + 1,
    anchor_peers_next,
    anchor_events_next,
    anchor_sessions, // By Session *: those that C++ has pushed, as long as they live.
    anchor_event_kinds = 16,
    anchor_states = 48,
    anchor_claim_refusals = 80,
    anchor_call_failures = 96
};

// Names of the enumerators of an enum, in their order.
struct Words {
    const char *const *names;
    int count;
};
template <size_t count> constexpr Words words(const char *const (&names)[count])
{
    return {names, static_cast<int>(count)};
}

extern const Words event_kinds, states, claim_refusals, call_failures;

void push_anchor(lua_State *L, int anchor); // Only inside a function of the module.
// After open_lua(): the table itself, for functions that C++ calls.
void push_anchors(lua_State *L);

template <class Enum> void push_word(lua_State *L, int anchor, Enum value)
{
    push_anchor(L, anchor + static_cast<int>(value));
}

// Of recording_bytes_max in a script.
inline constexpr uint32_t recording_bytes_limit = 1024 * 1024 * 1024;

inline constexpr uint32_t sim_sockets_max = 1024; // Of a simulated network that a script makes.

// --- The userdata behind the handles. All zero: destroyed. ---

// What the table that is attached to a session's userdata keeps.
inline constexpr int kept_types = 1;     // What its types lie in.
inline constexpr int kept_functions = 2; // Of on(), by event kind.
inline constexpr int kept_event = 3;     // The table that events() and dispatch() fill.

struct SessionBox {
    Session *session;
    bool is_pushed; // By C++, which owns and ticks it.
    uint64_t now_us;
    uint32_t request_timeout_ms; // Of its requests from now on.
};

// Of sockets and of their network, which lives until the last of them has gone: in what order Lua
// collects them is chance.
struct SharedNetwork {
    SimNetwork *network;
    uint64_t now_us;
    uint32_t references;
    uint32_t address_count;
    Address addresses[sim_sockets_max];
};

struct SocketBox {
    Socket *socket;
    SharedNetwork *network; // Of a simulated one, else null.
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

// --- Arguments. What is wrong raises "tern.<function>: argument 2 (object): expected ..." ---

struct Arguments {
    lua_State *L;
    const char *function;
};

[[noreturn]] void refuse(const Arguments &a, int index, const char *name, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// The same of a value that lies at another index of the stack than its argument.
[[noreturn]] void refuse_as(const Arguments &a, int argument, const char *name, int index,
                            const char *format, ...) __attribute__((format(printf, 5, 6)));
// "tern.<function>: ..." of something else than one argument.
[[noreturn]] void fail(const Arguments &a, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

bool is_given(const Arguments &a, int index); // Neither nothing nor nil.
uint64_t whole(const Arguments &a, int index, const char *name, uint64_t min, uint64_t max);
bool boolean(const Arguments &a, int index, const char *name);
const char *text(const Arguments &a, int index, const char *name); // Without zero bytes.
int choice(const Arguments &a, int index, const char *name, const Words &words);
// Of what is now, or as given; never before `last_us`, which it becomes.
uint64_t time_us(const Arguments &a, int index, uint64_t &last_us);
Address address(const Arguments &a, int index, const char *name);

// A whole number that a double holds; false if the value is none.
bool to_whole(lua_State *L, int index, int64_t &value);

void *find_handle(lua_State *L, int index, Handle kind); // Null if it is none.
void *handle(const Arguments &a, int index, Handle kind);
SessionBox &session_box(const Arguments &a); // Argument 1, as with the next two.
Session *session(const Arguments &a);
Session *open_session(const Arguments &a);
Socket *socket(const Arguments &a, int index); // Not destroyed.
Session *host_session(const Arguments &a);     // Open, and this peer is the host.
TypeId type_id(const Arguments &a, int index, const Session *session); // By number or name.
// The same; messages call it argument `argument`.
uint16_t field_index(const Arguments &a, int index, int argument, const Type &type);
ObjectId object(const Arguments &a, int index, const Session *session); // That can be read.
ObjectId any_object(const Arguments &a, int index);
PeerId peer(const Arguments &a, int index, const char *name); // Of a member, known or not.

// --- Tables of options: "tern.<function>: <where>.<key>: expected ..." ---

struct Table {
    Arguments arguments;
    int index;      // Of the stack, positive.
    char where[64]; // "types[2].", or "".
};

Table table(const Arguments &a, int index, const char *name);
// Pushes the table at `list`[i] of a table, as types[i].
Table element(const Table &t, int list_index, const char *list_name, int i);
[[noreturn]] void refuse_option(const Table &t, const char *key, int index, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void check_keys(const Table &t, const Words &known); // Refuses others.
bool push_option(const Table &t, const char *key);   // Nothing is pushed for nil.
uint64_t whole_option(const Table &t, const char *key, uint64_t fallback, uint64_t min,
                      uint64_t max);
double number_option(const Table &t, const char *key, double fallback, double min, double max);
bool boolean_option(const Table &t, const char *key, bool fallback);
// The list on the stack at `holder` keeps it. Fallback null: it must be there.
const char *kept_text(const Table &t, const char *key, int holder, const char *fallback);
int choice_option(const Table &t, const char *key, int fallback, const Words &words);

Impairment impairment(const Table &t);
// Of the option "types". The list on the stack at `holder` keeps them.
std::span<const Type> read_types(const Table &t, int holder);

// --- A value's fields ---

inline constexpr uint64_t exact_max = uint64_t{1} << 53; // Numbers of Lua are exact up to here.
inline constexpr uint64_t object_id_max = (uint64_t{1} << 48) - 1;

size_t number_bytes(FieldKind kind); // Of one of an element's numbers: what it is aligned to.
int lua_values(const Field &field);  // So many Lua values make the field.
int push_field(lua_State *L, const Field &field, const void *value); // Their count.
// From the Lua values from `index` on, which messages call argument `argument`. An integer or
// float32 with a range is clamped to it.
void take_field(const Arguments &a, int index, int argument, const Field &field, void *value);
// All fields, from all arguments from `first` on.
void take_fields(const Arguments &a, int first, const Type &type, void *value);
// The field's kind is values: one dynamic value. take_value() says what is wrong, or gives null.
void push_value(lua_State *L, const Field &field, const void *value);
const char *take_value(lua_State *L, int index, const Field &field, void *value);
void set_defaults(const Type &type, void *value); // Zeros, and rotations that are none.
void push_count(lua_State *L, uint64_t count);    // Beyond exact_max the nearest double.

// Sets key = count in the table on the top of the stack.
void fill(lua_State *L, const char *key, uint64_t count);
struct Count {
    const char *key;
    uint64_t count;
};
// Pushes the table at `index`, or a new one if there is none, with these counts in it. 1.
int push_filled(const Arguments &a, int index, std::initializer_list<Count> counts);

// --- Parts of the module: a list of functions that ends with nulls ---

extern const luaL_Reg session_functions[], tick_functions[], peer_functions[], event_functions[],
    object_functions[], call_functions[], socket_functions[], network_functions[],
    discovery_functions[];

// The __gc of each handle, and what the iterators call.
int collect_session(lua_State *L);
int collect_socket(lua_State *L);
int collect_network(lua_State *L);
int collect_announcer(lua_State *L);
int collect_finder(lua_State *L);
int objects_next(lua_State *L);
int peers_next(lua_State *L);
int events_next(lua_State *L);

void drop(SharedNetwork *shared);               // One reference less.
SocketBox &push_socket(lua_State *L);           // An empty one.
void push_text(lua_State *L, const char *text); // Of a session; cut to 511 bytes.
void push_hex(lua_State *L, uint64_t number);   // 16 digits.

}
