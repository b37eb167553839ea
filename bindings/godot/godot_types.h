// Types of a session, described by dictionaries of a script, and their values.
#pragma once
#include "godot_value.h"
#include <deque>
#include <tern/tern.h>
#include <vector>

namespace tern_godot {

struct Types {
    std::vector<tern_type> types;
    std::deque<std::vector<tern_field>> fields; // Of each type.
    std::deque<std::string> texts;              // The names; their addresses stay.
};

// From an array such as [{name = "ball", objects_max = 10, fields = [{name = "x", kind =
// "float32", min = -100, max = 100, step = 0.01}]}]. Returns what is wrong; empty: nothing.
std::string make_types(const Value &description, Types &types);

const tern_type *find_type(const Types &types, std::string_view name, tern_type_id *id);
const tern_field *find_field(const tern_type &type, std::string_view name);

// A dictionary of all fields, or the value of one.
Value read_struct(const tern_type &type, const void *bytes);
Value read_field(const tern_field &field, const void *bytes);
// Writes the fields that the dictionary has. Returns what is wrong; empty: nothing.
std::string write_struct(const tern_type &type, const Value &values, void *bytes);
std::string write_field(const tern_field &field, const Value &value, void *bytes);

// The number of one of the names; -1: none of them.
int number_of(const Value &name, std::initializer_list<const char *> names);

}
