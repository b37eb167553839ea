// Reads arbitrary text as the configuration of tern-host and as a file of types. Each problem fits
// one line. A configuration without problems prints to one with the same values, and a table of
// types without problems is one that make_session() takes.
#include "fuzz/support/words.h"
#include "fuzz/targets.h"

#ifndef TERN_HAVE_HOST

void tern::fuzz::fuzz_toml(std::span<const uint8_t>) {}

#else

#include "host/options/options.h"
#include "replication/world/type_table.h"
#include <tern/diagnostics.hpp>
#include <tern/tern.hpp>

namespace tern::fuzz {

namespace {

using namespace dedicated;

constexpr size_t text_bytes_max = 4096;

constexpr const char *words[] = {"name = ",
                                 "tick_hz = ",
                                 "send_threads = ",
                                 "addresses = [",
                                 "drain_timeout_s = ",
                                 "[log]\n",
                                 "format = ",
                                 "level = ",
                                 "[http]\n",
                                 "listen = ",
                                 "[control]\n",
                                 "socket = ",
                                 "[record]\n",
                                 "folder = ",
                                 "[agones]\n",
                                 "enabled = ",
                                 "port = ",
                                 "[[room]]\n",
                                 "topology = ",
                                 "quorum = ",
                                 "peers_max = ",
                                 "send_bytes_per_second_max = ",
                                 "timeout_ms = ",
                                 "script = ",
                                 "script_sandbox = ",
                                 "forward_bytes_per_second_max = ",
                                 "script_memory_mib = ",
                                 "script_instructions = ",
                                 "open = ",
                                 "[[type]]\n",
                                 "[[type.field]]\n",
                                 "kind = ",
                                 "objects_max = ",
                                 "orphan = ",
                                 "claim = ",
                                 "claim_cooldown_ms = ",
                                 "owned_max = ",
                                 "claims_per_second_max = ",
                                 "predicted = ",
                                 "at_start = ",
                                 "field = [",
                                 "fields = [",
                                 "{name = ",
                                 "count = ",
                                 "min = ",
                                 "max = ",
                                 "step = ",
                                 "bound = ",
                                 "\n",
                                 ", ",
                                 "},\n",
                                 "]\n",
                                 "true\n",
                                 "false\n",
                                 "\"a\"",
                                 "\"b\"",
                                 "\"ship\"\n",
                                 "\"json\"\n",
                                 "\"debug\"\n",
                                 "\"star\"\n",
                                 "\"mesh\"\n",
                                 "\"survivors\"\n",
                                 "\"127.0.0.1\"",
                                 "\"::1\"",
                                 "\"127.0.0.1:9101\"\n",
                                 "\"\"",
                                 "\"float32\"",
                                 "\"quaternion\"",
                                 "\"int16\"",
                                 "\"uint64\"",
                                 "\"text\"",
                                 "\"values\"",
                                 "\"object\"",
                                 "\"spread\"\n",
                                 "\"hold\"\n",
                                 "\"never\"\n",
                                 "0",
                                 "1",
                                 "2",
                                 "64",
                                 "100",
                                 "4096",
                                 "65535",
                                 "65536",
                                 "4294967295",
                                 "9223372036854775807",
                                 "-1",
                                 "0.5",
                                 "-100.0",
                                 "1e308",
                                 "nan",
                                 "inf",
                                 "1979-05-27",
                                 "\"\"\"",
                                 "'''",
                                 "\\u0007",
                                 "\\n",
                                 "# ",
                                 "[[room.x]]\n",
                                 "[type]\n",
                                 "."};

void check(const std::vector<Problem> &problems)
{
    const std::string text = options::print(problems);
    size_t lines = 0;
    for (const char c : text)
        lines += c == '\n';
    TERN_ASSERT(lines == problems.size(), "%zu problems in %zu lines:\n%s", problems.size(), lines,
                text.c_str());
    for (const Problem &problem : problems)
        TERN_ASSERT(!problem.where.empty() && !problem.text.empty(), "a problem without a text");
}

Loaded load(const std::string &text)
{
    Loaded loaded;
    options::read_text(loaded, "f", text);
    options::take_script_defaults(loaded);
    options::check(loaded);
    check(loaded.problems);
    return loaded;
}

uint64_t digest(const ::TypeTable &types)
{
    return type_table::digest(type_table::make(types.types));
}

void try_config(const std::string &text)
{
    const Loaded loaded = load(text);
    if (!loaded.problems.empty()) return;
    TERN_ASSERT(loaded.options.types, "no types and no problem");
    const std::string printed = options::print(loaded);
    const Loaded again = load(printed);
    TERN_ASSERT(again.problems.empty(), "%s in\n%s", options::print(again.problems).c_str(),
                printed.c_str());
    TERN_ASSERT(digest(*loaded.options.types) == digest(*again.options.types), "other types:\n%s",
                printed.c_str());
    Loaded present = loaded;
    const options::Reloaded same = options::reload(present, again);
    TERN_ASSERT(same.changed.empty() && same.refused.empty(), "%zu and %zu differ:\n%s",
                same.changed.size(), same.refused.size(), printed.c_str());
    Loaded before;
    options::reload(before, loaded);
    const options::Reloaded rest = options::reload(before, loaded);
    TERN_ASSERT(rest.changed.empty(), "%s is changed again", rest.changed[0].c_str());
}

void try_types(const std::string &text)
{
    const type_file::Read read = type_file::read_text(text, "f");
    check(read.problems);
    TERN_ASSERT(!read.table == !read.problems.empty(), "%zu problems", read.problems.size());
    if (!read.table) return;
    const ::TypeTable &table = *read.table;
    Config config = {};
    config.types = table.types;
    const ConfigProblem problem = config_problem(config);
    TERN_ASSERT(problem.text[0] == 0, "%s", problem.text);
    TERN_ASSERT(table.at_start.size() == table.types.size(), "%zu", table.at_start.size());
    for (size_t i = 0; i < table.types.size(); ++i)
        TERN_ASSERT(table.at_start[i] <= table.types[i].objects_max, "%s begins with %u",
                    table.types[i].name, table.at_start[i]);
    digest(table);
}

}

void fuzz_toml(std::span<const uint8_t> data)
{
    Input in = {data};
    const uint8_t what = input::u8(in);
    const std::string text = worded_text(in, words, text_bytes_max);
    if (what % 2 == 0)
        try_config(text);
    else
        try_types(text);
}

}

#endif
