// Types of a session, described by dictionaries of a script, and their values.
#pragma once
#include "godot_value.h"
#include <deque>
#include <tern/tern.h>

namespace tern_godot {

struct Types {
    std::vector<tern_type> types;
    std::deque<std::vector<tern_field>> fields; // One for each type.
    std::deque<std::string> texts;              // The names; their addresses stay.
};

// Reads an array such as [{name = "ball", objects_max = 10, fields = [{name = "x", kind =
// "float32", min = -100, max = 100, step = 0.01}]}]. Returns what is wrong; empty: nothing.
std::string make_types(const Value &description, Types &types);

const tern_type *find_type(const Types &types, std::string_view name, tern_type_id *id);
const tern_field *find_field(const tern_type &type, std::string_view name);
size_t element_bytes(const tern_field &field);
size_t element_count(const tern_field &field); // 1 or more.

// The memory of a struct. All zero but for quaternions, which are (0, 0, 0, 1).
std::vector<uint64_t> make_struct(const tern_type &type);
// A dictionary of all fields, or the value of one.
Value read_struct(const tern_type &type, const void *bytes);
Value read_field(const tern_field &field, const void *bytes);
// One field of many structs without gaps, as the narrowest array of Godot that holds it.
Value read_field_of_all(const tern_type &type, const tern_field &field, const void *structs,
                        size_t count);
// Writes the fields that the dictionary has. Returns what is wrong; empty: nothing.
std::string write_struct(const tern_type &type, const Value &values, void *bytes);
std::string write_field(const tern_field &field, const Value &value, void *bytes);
// Fields of the kind "values".
Value read_dynamic(const uint8_t *at, size_t size_bytes);
std::string write_dynamic(const Value &value, uint8_t *at, size_t size_bytes);

// Takes members of a dictionary, each of which may be absent. `wrong` is the first problem.
class Options {
  public:
    Options(const Value &dictionary, std::string what);
    void take(const char *key, std::string &text);
    void take(const char *key, bool &boolean);
    void take(const char *key, double &number);
    template <class Integer> void take(const char *key, Integer &number)
    {
        static_assert(static_cast<Integer>(-1) > 0, "unsigned");
        auto taken = static_cast<int64_t>(number);
        take_whole(key, taken, static_cast<int64_t>(static_cast<Integer>(-1)));
        number = static_cast<Integer>(taken);
    }
    // The number of one of the names.
    template <class Enum>
    void take(const char *key, Enum &choice, std::initializer_list<const char *> names)
    {
        choice = static_cast<Enum>(take_choice(key, names));
    }
    Value take(const char *key); // Any value.
    // Ends it: a key that was not taken is a problem, too.
    std::string finish();

    std::string wrong;

  private:
    void take_whole(const char *key, int64_t &number, int64_t max);
    int take_choice(const char *key, std::initializer_list<const char *> names);
    bool find(const char *key, Value &value);
    void refuse(const char *key, const std::string &expected, const Value &value);

    Value _dictionary;
    std::string _what; // It begins each problem.
    std::vector<std::string> _known;
};

}
