// The type table of a session as TOML, for programs that know no game: docs/use/host.md
//
// A game in C++ can join when its table has the same types in the same order, with equal names,
// objects_max and policies, and their fields in the same order, with equal names, kinds, counts,
// ranges and steps. Where the members lie in the game's struct does not matter: it does not travel.
// Here they lie one after the other, each aligned as in C++.
//
// The policies "ask_game" are taken because tables must be equal. A program that knows no game is
// to answer as if it were "always" (claims) and "to_host" (orphans).
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
    std::vector<uint32_t> at_start; // By TypeId: so many a host creates when it opens a room; at
                                    // most objects_max.
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

// Of the array of tables "type" in `root`. Without one: synthetic(). All that is wrong is told at
// once. What is right is nothing that make_session() would assert on; of objects a file may have
// 65,536, and 256 MiB of values. `file` is how problems call it.
Read read(const toml::table &root, const std::string &file);
// Other keys of the file are not looked at: the host's own configuration can be given.
Read read_file(const std::string &path);
// What tern-host and tern-bot take when they are told nothing: objects that move, and a call.
std::shared_ptr<TypeTable> synthetic();

}
