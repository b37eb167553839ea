// Reads the type table of a session from TOML, for programs without a game: docs/use/host.md
//
// A game in C++ can join when its table has the same types in the same order, with equal names,
// objects_max and policies, and their fields in the same order, with equal names, kinds, counts,
// ranges and steps. The offsets of the members may differ, because offsets are not sent. Here the
// members follow each other, each aligned as in C++.
//
// The policy "ask_game" is accepted because tables must be equal. A program without a game should
// treat it as "always" (claims) and "to_host" (orphans).
#pragma once
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <tern/types.hpp>
#include <toml++/toml.h>
#include <vector>

// Owns everything that its types point to.
struct TypeTable {
    std::vector<tern::Type> types;
    // How many objects of each type, by TypeId, a host creates when it opens a room. At most
    // objects_max.
    std::vector<uint32_t> at_start;
    std::deque<std::string> names;
    std::deque<std::vector<tern::Field>> fields;
};

namespace type_file {

struct Problem {
    std::string where; // "file:line:column"
    std::string text;  // The error, and what was expected.
};

struct Read {
    std::shared_ptr<TypeTable> table; // Null if there are problems.
    std::vector<Problem> problems;
};

// Reads the array of tables "type" in `root`; returns synthetic() if there is none. Reports all
// problems at once. make_session() accepts every table that this returns. A file may have at most
// 65,536 objects and 256 MiB of values, summed over its types. `file` is the name for problems.
Read read(const toml::table &root, const std::string &file);
// Reads a file and ignores its other keys, so that it may be the configuration of tern-host.
Read read_file(const std::string &path);
// Reads the content of such a file; `path` is its name in problems.
Read read_text(std::string_view text, const std::string &path);
// The default types of tern-host and tern-bot: moving objects, and a call.
std::shared_ptr<TypeTable> synthetic();

}
