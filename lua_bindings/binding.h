// What the files of the Lua module share: what it keeps in a Lua state, how arguments are checked,
// and how fields come from Lua and go there.
//
// A Lua error leaves a function by longjmp: where one can be raised (by any function below that
// takes Arguments or a Table, and most of Lua's own) no object with a destructor is alive.
#pragma once
#include "lua_bindings/lua_headers.h"
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

// --- The userdata behind the handles. All zero: destroyed. ---

struct SessionBox {
    Session *session;
    bool is_pushed; // By C++, which owns and ticks it.
    uint64_t now_us;
};

// Of sockets and of their network, which lives until the last of them has gone: in what order Lua
// collects them is chance.
struct SharedNetwork {
    SimNetwork *network;
    uint64_t now_us;
    uint32_t references;
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
// "tern.<function>: ..." of something else than one argument.
[[noreturn]] void fail(const Arguments &a, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

bool is_given(const Arguments &a, int index);                   // Neither nothing nor nil.
double number(const Arguments &a, int index, const char *name); // Finite.
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
Socket *socket(const Arguments &a, int index);                          // Not destroyed.
TypeId type_id(const Arguments &a, int index, const Session *session);  // By number or name.
uint16_t field_index(const Arguments &a, int index, const Type &type);  // The same.
ObjectId object(const Arguments &a, int index, const Session *session); // That can be read.
PeerId peer(const Arguments &a, int index);

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
// Lives as long as the table holds it.
const char *text_option(const Table &t, const char *key, const char *fallback);
int choice_option(const Table &t, const char *key, int fallback, const Words &words);

// Of the option "types". Pushes what keeps them.
std::span<const Type> read_types(const Table &t);

// --- A value's fields ---

size_t element_bytes(FieldKind kind); // Of one element, as it lies in a struct.
int lua_values(const Field &field);   // So many Lua values make the field.
int push_field(lua_State *L, const Field &field, const void *value); // The count of them.
// From the Lua values from `index` on; false, and nothing is changed, if one does not fit: then
// `wrong` is its index, and `expected` what it should have been.
struct TakenField {
    bool taken;
    int wrong;
    char expected[96];
};
TakenField take_field(lua_State *L, int index, const Field &field, void *value);
void set_defaults(const Type &type, void *value); // Zeros, and rotations that are none.

// --- Parts of the module: a list of functions that ends with nulls ---

extern const luaL_Reg session_functions[];

int collect_session(lua_State *L); // __gc of each handle.

}
