// The type table of a session as TOML, for programs that know no game. docs/host.md has the format.
#pragma once
#include <deque>
#include <memory>
#include <string>
#include <tern/types.h>
#include <toml++/toml.h>
#include <vector>

// Owns all that its types point to.
struct TypeTable {
    std::vector<tern::Type> types;
    std::vector<uint32_t> at_start; // By TypeId: so many a host creates when it opens a room.
    std::deque<std::string> names;
    std::deque<std::vector<tern::Field>> fields;
};

namespace type_file {

struct Problem {
    std::string where; // "file:line:column"
    std::string text;  // What is wrong, and what was expected.
};

struct Read {
    std::shared_ptr<TypeTable> table; // Null if there are problems.
    std::vector<Problem> problems;
};

// Of the array of tables "type" in `root`. Without one: synthetic().
Read read(const toml::table &root, const std::string &file);
Read read_file(const std::string &path);
// What tern-host and tern-bot take when they are told nothing: objects that move, and a call.
std::shared_ptr<TypeTable> synthetic();

}
