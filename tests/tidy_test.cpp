// Checks the whole tree against the rules of style that a program can check. Each rule also runs on
// a bad piece of code, so a rule that no longer finds anything is noticed.
#include "tests/tidy_source.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <set>

using namespace tidy;

namespace {

using Findings = std::vector<std::string>;
using Names = std::set<std::string>;

constexpr size_t file_lines_max = 600;
constexpr size_t function_lines_max = 70;
constexpr size_t line_columns_max = 100;

const Names core = {"base", "transport", "replication", "migration",
                    "rpc",  "session",   "discovery",   "c_interface"};

std::string at(const File &file, size_t line, const std::string &what)
{
    return file.path + ":" + std::to_string(line) + ": " + what;
}

size_t line_at(std::string_view text, const char *place)
{
    return 1 + static_cast<size_t>(std::count(text.data(), place, '\n'));
}

// A match of a pattern: its line, and the text of one group.
struct Match {
    size_t line;
    std::string text;
};
std::vector<Match> matches(const std::string &text, const std::regex &pattern, size_t group = 0)
{
    std::vector<Match> out;
    for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it)
        out.push_back({line_at(text, text.data() + it->position(0)), it->str(group)});
    return out;
}

// --- Sizes ---

Findings long_files(const File &file)
{
    const size_t count = lines_of(file.text).size();
    if (!is_code(file) || count <= file_lines_max) return {};
    return {at(file, count, std::to_string(count) + " lines")};
}

size_t columns(std::string_view line)
{
    return static_cast<size_t>(std::count_if(line.begin(), line.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    }));
}

Findings wide_lines(const File &file)
{
    // Tables in .md and test vectors in .txt may have long lines.
    if (file.path.ends_with(".md") || file.path.ends_with(".txt")) return {};
    if (file.path.starts_with("programs/page/histories/")) return {}; // tern-sim writes them.
    Findings out;
    size_t number = 0;
    for (const std::string_view line : lines_of(file.text)) {
        number += 1;
        if (columns(line) > line_columns_max)
            out.push_back(at(file, number, std::to_string(columns(line)) + " columns"));
    }
    return out;
}

Findings long_functions(const File &file)
{
    if (!is_code(file)) return {};
    Findings out;
    const Functions found = functions_of(file.text);
    if (!found.balanced) out.push_back(at(file, 1, "braces do not balance, so nothing is checked"));
    for (const Function &function : found.functions)
        if (function.line_count > function_lines_max)
            out.push_back(at(file, function.first_line,
                             std::to_string(function.line_count) + " lines: " + function.head));
    return out;
}

// --- Words ---

Findings open_ends(const File &file)
{
    static const std::regex pattern("\\b(TO"
                                    "DO|FIX"
                                    "ME|XX"
                                    "X)\\b");
    Findings out;
    for (const Match &match : matches(file.text, pattern))
        out.push_back(at(file, match.line, match.text));
    return out;
}

// No file contains a path of the machine on which it was written.
Findings machine_paths(const File &file)
{
    static const std::regex pattern("(^|[\\s\"'`(=:])(/(home|root|work|Users)/|\\.\\./shared"
                                    "/)");
    Findings out;
    for (const Match &match : matches(file.text, pattern, 2))
        out.push_back(at(file, match.line, match.text));
    return out;
}

// --- Structs ---

Findings virtuals(const File &file)
{
    if (!is_code(file) || file.path.starts_with("tests/")) return {};
    static const std::regex word("\\bvirtual\\b");
    static const std::regex base(
        R"(\b(?:enum\s+)?(?:struct|class)\s+\w+(?:\s+final)?\s*:\s*(?:public\s+)?([\w:]+))");
    const std::string code = without_comments(file.text);
    const size_t socket = code.find("struct Socket {");
    const size_t socket_end = socket == std::string::npos ? socket : code.find("\n};", socket);
    const bool has_socket = file.path == "include/tern/io.hpp" && socket != std::string::npos;
    Findings out;
    for (std::sregex_iterator it(code.begin(), code.end(), word), end; it != end; ++it) {
        const size_t place = static_cast<size_t>(it->position(0));
        if (!has_socket || place < socket || place > socket_end)
            out.push_back(at(file, line_at(code, code.data() + place), "virtual, not in Socket"));
    }
    for (std::sregex_iterator it(code.begin(), code.end(), base), end; it != end; ++it) {
        const std::string name = it->str(1);
        if (!it->str(0).starts_with("enum") && name != "Socket" && name != "tern::Socket")
            out.push_back(
                at(file, line_at(code, code.data() + it->position(0)), "inherits " + name));
    }
    return out;
}

// The module that a file belongs to. The tests of a module may use its closed members.
std::string owner(const File &file)
{
    if (file.path == "include/tern/values.h") return "replication"; // Defines its functions.
    const std::string name = folder(file.path);
    return name.starts_with("tests/") ? name.substr(6) : name;
}

// Finds x._member and x->_member where no struct of the module has such a member.
Findings foreign_members(const std::vector<File> &files)
{
    static const std::regex declaration(R"((?:^|[^\w.>])(_[a-z]\w*))");
    static const std::regex use(R"((?:\.|->)\s*(_[a-z]\w*))");
    std::map<std::string, Names> own;
    for (const File &file : files)
        if (is_code(file))
            for (const Match &match : matches(without_comments(file.text), declaration, 1))
                own[owner(file)].insert(match.text);
    Findings out;
    for (const File &file : files) {
        if (!is_code(file)) continue;
        for (const Match &match : matches(without_comments(file.text), use, 1))
            if (!own[owner(file)].contains(match.text))
                out.push_back(at(file, match.line, match.text + " is another module's"));
    }
    return out;
}

// --- Includes ---

// The module of a file or of an included header. The files rpc/call_* act on a session, so they are
// a module of their own, beside session. bench/surface/ measures what a game gets, so it may
// include public headers only. programs/bot/hostile/ writes messages as a modified client would.
std::string module_of(const std::string &path)
{
    for (const std::string folder : {"bench/surface", "programs/bot/hostile", "programs/page"})
        if (path.starts_with(folder + "/")) return folder;
    return path.starts_with("rpc/call_") ? "rpc/call_*" : path.substr(0, path.find('/'));
}

Names operator+(Names names, const Names &others)
{
    names.insert(others.begin(), others.end());
    return names;
}

// The modules and single files that the files of each module may include.
const std::map<std::string, Names> &lower_modules()
{
    static const Names values = {"tern/types.hpp", "tern/limits.hpp", "tern/diagnostics.hpp"};
    static const Names transport =
        values + Names{"base", "transport", "tern/io.hpp", "tern/discovery.hpp"};
    static const Names replication = values + Names{"base", "replication", "tern/traffic.hpp",
                                                    "tern/values.hpp", "tern/values.h"};
    static const Names middle =
        values + Names{"base", "transport", "replication", "tern/events.hpp"};
    static const Names session =
        values +
        Names{"base",          "transport",        "replication",       "migration",
              "rpc",           "rpc/call_*",       "session",           "tern/io.hpp",
              "tern/tern.hpp", "tern/calls.hpp",   "tern/handlers.hpp", "tern/interest.hpp",
              "tern/many.h",   "tern/recording.h", "tern/traffic.hpp"};
    static const Names user = {"tern"};
    static std::map<std::string, Names> allowed = {
        {"include", {"tern"}},
        {"base", {"base", "tern/types.hpp", "tern/handlers.hpp"}},
        {"transport", transport},
        {"replication", replication},
        {"migration", middle},
        {"rpc", middle},
        {"session", session},
        {"rpc/call_*", session},
        {"discovery", values + Names{"base", "transport", "session", "tern/discovery.hpp"}},
        {"lua_bindings", user},
        {"scripts", {"tern", "lua_bindings/lua_headers.h"}},
        {"sim",
         {"tern", "base", "migration/replica.h", "session/inspect.h",
          "session/recording/record.h"}},
        // "common" is programs/common/, which serves all programs.
        {"host", {"tern", "common", "scripts"}},
        // tern-sim and tern-prof include sim. "hostile" is programs/bot/hostile/.
        {"programs", {"tern", "common", "scripts", "sim", "sim/mutants/mutant.h", "hostile"}},
        // The page shows journals of sessions.
        {"programs/page", {"tern", "page", "session/inspect.h"}},
        {"programs/bot/hostile",
         {"tern", "common", "bot", "base/bits.h", "migration/messages.h", "migration/replica.h",
          "session/inspect.h"}},
        {"examples", user},
        {"bench/surface",
         {"tern", "bench/harness.h", "bench/sections/sections.h", "bench/rigid_cubes.h"}},
    };
    for (auto &[name, modules] : allowed)
        if (name != "include") modules.insert(name);
    return allowed;
}

Findings upward_includes(const File &file)
{
    const std::string module = module_of(file.path);
    const auto allowed = lower_modules().find(module);
    if (!is_code(file) || allowed == lower_modules().end()) return {};
    Findings out;
    for (const Include &include : includes_of(file.text)) {
        const size_t slash = include.name.find('/');
        if (!include.in_quotes || slash == std::string::npos) continue;
        if (!allowed->second.contains(module_of(include.name)) &&
            !allowed->second.contains(include.name))
            out.push_back(at(file, include.line, module + " includes " + include.name));
    }
    return out;
}

// The files that may include headers of the system, of clocks and threads, or of a library other
// than libsodium, with those headers.
const std::map<std::string, Names> &system_files()
{
    static const std::map<std::string, Names> files = {
        {"base/assert.cpp", {"execinfo.h"}}, // For the stack of a failed assertion.
        {"base/atomic_word.h", {"atomic"}},  // For two threads in one session.
        {"base/memory.cpp",                  // In builds with sanitizers only.
         {"sanitizer/asan_interface.h", "sys/mman.h", "unistd.h"}},
        {"transport/sockets/native_socket.h",
         {"netinet/in.h", "sys/socket.h", "winsock2.h", "ws2tcpip.h"}},
        {"transport/sockets/native_socket.cpp", {"cerrno", "fcntl.h", "mstcpip.h", "unistd.h"}},
        {"transport/sockets/native_message.cpp", {"mswsock.h"}},
        {"transport/sockets/local_addresses.cpp", {"ifaddrs.h", "iphlpapi.h", "net/if.h"}},
        {"transport/sockets/udp_batched.cpp", {"cerrno", "netinet/udp.h"}},
        {"transport/sockets/enet_socket.cpp", {"enet/enet.h", "cerrno"}},
        {"transport/sockets/socket.cpp", {"cerrno"}},
        {"transport/sockets/system_clock.cpp", {"chrono", "thread"}},
        {"transport/sockets/workers.cpp", {"condition_variable", "mutex", "pthread.h"}},
    };
    return files;
}

bool is_from_outside(const std::string &header)
{
    static const Names standard = {
        "atomic", "cerrno", "chrono", "condition_variable", "ctime",  "filesystem", "future",
        "locale", "mutex",  "random", "semaphore",          "thread", "format"};
    static const Names of_c = {"stdbool.h", "stddef.h", "stdint.h"}; // For tern.h.
    if (header == "sodium.h" || of_c.contains(header)) return false;
    return standard.contains(header) || header.ends_with(".h");
}

// Headers of classes that allocate without showing it.
bool is_heavy(const std::string &header)
{
    static const Names heavy = {"any",      "deque",         "exception",       "fstream",
                                "function", "functional",    "future",          "iostream",
                                "list",     "map",           "memory_resource", "queue",
                                "set",      "sstream",       "stdexcept",       "string",
                                "typeinfo", "unordered_map", "unordered_set",   "vector"};
    return heavy.contains(header);
}

Findings foreign_headers(const File &file)
{
    const std::string module = folder(file.path);
    const bool in_core = core.contains(module) || module == "include";
    if (!is_code(file) || (!in_core && module != "sim")) return {};
    Names named;
    if (const auto it = system_files().find(file.path); it != system_files().end())
        named = it->second;
    Findings out;
    for (const Include &include : includes_of(file.text)) {
        if (include.in_quotes || named.contains(include.name)) continue;
        if (is_from_outside(include.name) || (in_core && is_heavy(include.name)))
            out.push_back(at(file, include.line, "<" + include.name + ">"));
    }
    return out;
}

// --- The tree ---

const std::vector<File> &tree()
{
    static const std::vector<File> files = files_of(TERN_SOURCE_DIR);
    return files;
}

testing::AssertionResult none(const Findings &findings)
{
    testing::AssertionResult result =
        findings.empty() ? testing::AssertionSuccess() : testing::AssertionFailure();
    for (const std::string &finding : findings)
        result << "\n" << finding;
    return result;
}

Findings everywhere(Findings (*rule)(const File &))
{
    Findings out;
    for (const File &file : tree())
        for (const std::string &finding : rule(file))
            out.push_back(finding);
    return out;
}

size_t count(Findings (*rule)(const File &), const std::string &path, const std::string &text)
{
    return rule({path, text}).size();
}

std::string repeated(const std::string &line, size_t times)
{
    std::string out;
    for (size_t i = 0; i < times; ++i)
        out += line;
    return out;
}

}

TEST(TidyTest, ReadsTheTree)
{
    Names folders;
    for (const File &file : tree())
        if (is_code(file)) folders.insert(folder(file.path));
    for (const char *name : {"include", "base", "transport", "replication", "migration", "session"})
        EXPECT_TRUE(folders.contains(name)) << name;
}

TEST(TidyTest, FilesAreAtMost600Lines)
{
    EXPECT_TRUE(none(everywhere(long_files)));
    EXPECT_EQ(count(long_files, "base/x.cpp", repeated("int x;\n", 600)), 0u);
    EXPECT_EQ(count(long_files, "base/x.cpp", repeated("int x;\n", 601)), 1u);
}

TEST(TidyTest, LinesAreAtMost100Columns)
{
    EXPECT_TRUE(none(everywhere(wide_lines)));
    EXPECT_EQ(count(wide_lines, "base/x.h", repeated("x", 100) + "\n"), 0u);
    EXPECT_EQ(count(wide_lines, "base/x.h", repeated("\u00e9", 100)), 0u);
    EXPECT_EQ(count(wide_lines, "base/x.h", "\n" + repeated("x", 101)), 1u);
    EXPECT_EQ(count(wide_lines, "dev", repeated("x", 101)), 1u);
}

TEST(TidyTest, FunctionsAreAtMost70Lines)
{
    EXPECT_TRUE(none(everywhere(long_functions)));
    const std::string most = repeated("    x += 1;\n", 67);
    const auto findings = [](const std::string &text) {
        return count(long_functions, "base/x.cpp", text);
    };
    EXPECT_EQ(findings("int f(int x)\n{\n" + most + "}\n"), 0u);
    EXPECT_EQ(findings("int f(int x)\n{\n" + most + "\n}\n"), 1u);
    EXPECT_EQ(findings("namespace a::b {\nstruct S {\n    void f() const noexcept {\n" + most +
                       "\n\n}\n};\n}\n"),
              1u);
    EXPECT_EQ(findings("template <class T>\nbool operator==(const T &a = {},\nint b)\n{\n" + most +
                       "}\n"),
              1u);
    EXPECT_EQ(findings("TEST(A, B)\n{\n    const char c = '{';\n    // }\n    g(\"}\");\n" + most +
                       "}\n"),
              1u);
    EXPECT_EQ(findings("S::S(int x)\n    : a(x), b(x)\n{\n    if (x) {\n    }\n" + most + "}\n"),
              1u);
}

TEST(TidyTest, WhatIsNoFunctionMayBeLong)
{
    const std::string most = repeated("    1,\n", 80);
    EXPECT_EQ(count(long_functions, "base/x.cpp", "const int x[] = {\n" + most + "};\n"), 0u);
    EXPECT_EQ(count(long_functions, "base/x.cpp", "enum class X : int {\n" + most + "};\n"), 0u);
    EXPECT_EQ(count(long_functions, "base/x.cpp", "struct alignas(8) X {\n" + most + "};\n"), 0u);
    EXPECT_EQ(count(long_functions, "base/x.cpp", "namespace x {\n" + most + "}\n"), 0u);
}

TEST(TidyTest, UnbalancedBracesAreReported)
{
    EXPECT_EQ(count(long_functions, "base/x.cpp", "int f()\n{\n"), 1u);
    EXPECT_EQ(count(long_functions, "base/x.cpp", "}\n"), 1u);
    EXPECT_EQ(count(long_functions, "base/x.cpp", "#define OPEN {\nint x = 1'000;\n"), 0u);
    EXPECT_EQ(count(long_functions, "base/x.cpp", "auto x = R\"a({\")a\";\nauto y = \"\\\"{\";"),
              0u);
}

TEST(TidyTest, NothingIsLeftForLater)
{
    EXPECT_TRUE(none(everywhere(open_ends)));
    EXPECT_EQ(count(open_ends, "base/x.cpp",
                    "int x; // TO"
                    "DO: y"),
              1u);
    EXPECT_EQ(count(open_ends, "docs/x.md",
                    "FIX"
                    "ME"),
              1u);
    EXPECT_EQ(count(open_ends, "base/x.cpp", "int AUTODOC, mastodon;"), 0u);
}

TEST(TidyTest, NoPathOfAMachineIsNamed)
{
    EXPECT_TRUE(none(everywhere(machine_paths)));
    EXPECT_EQ(count(machine_paths, "dev",
                    "cd /ho"
                    "me/me/tern"),
              1u);
    EXPECT_EQ(count(machine_paths, "docs/x.md",
                    "see `../sha"
                    "red/x`"),
              1u);
    EXPECT_EQ(count(machine_paths, "dev", "ls src/work/x /tmp/x"), 0u);
}

TEST(TidyTest, OnlySocketIsVirtual)
{
    EXPECT_TRUE(none(everywhere(virtuals)));
    const std::string socket = "struct Socket {\n    virtual void send() = 0;\n};\n";
    EXPECT_EQ(count(virtuals, "include/tern/io.hpp", socket), 0u);
    EXPECT_EQ(count(virtuals, "include/tern/io.hpp", socket + "struct X { virtual int f(); };"),
              1u);
    EXPECT_EQ(count(virtuals, "base/x.h", socket), 1u);
    EXPECT_EQ(count(virtuals, "base/x.h", "struct A : B {};\n"), 1u);
    EXPECT_EQ(count(virtuals, "base/x.h", "class A final : public ns::B {};\n"), 1u);
    EXPECT_EQ(count(virtuals, "sim/x.h", "struct A final : Socket {};\n"), 0u);
    EXPECT_EQ(count(virtuals, "base/x.h", "enum class A : int { b }; // virtual\n"), 0u);
}

TEST(TidyTest, ClosedMembersAreTouchedInTheirOwnFolderOnly)
{
    EXPECT_TRUE(none(foreign_members(tree())));
    const File home = {"base/ring.h", "struct Ring { // Closed.\n    int _first, _count;\n};\n"};
    const auto findings = [&](const std::string &path, const std::string &text) {
        return foreign_members({home, {path, text}}).size();
    };
    EXPECT_EQ(findings("base/ring.cpp", "int f(Ring *r) { return r->_first + (*r)._count; }"), 0u);
    EXPECT_EQ(findings("tests/base/ring_test.cpp", "int x = ring._first;"), 0u);
    EXPECT_EQ(findings("rpc/x.cpp", "int f(Ring *r) { return r->_first + (*r)._count; }"), 2u);
    EXPECT_EQ(findings("rpc/x.cpp", "Ring r = {._first = 1};"), 1u);
    EXPECT_EQ(findings("tests/rpc/x_test.cpp", "int x = ring._first;"), 1u);
    EXPECT_EQ(findings("rpc/x.cpp", "// ring._first\n"), 0u);
}

TEST(TidyTest, IncludesPointDownwards)
{
    EXPECT_TRUE(none(everywhere(upward_includes)));
    const auto findings = [](const std::string &path, const std::string &header) {
        return count(upward_includes, path, "#include \"" + header + "\"\n");
    };
    EXPECT_EQ(findings("transport/x.cpp", "replication/world/world.h"), 1u);
    EXPECT_EQ(findings("replication/x.cpp", "transport/connection/connection.h"), 1u);
    EXPECT_EQ(findings("base/x.h", "transport/connection/connection.h"), 1u);
    EXPECT_EQ(findings("migration/x.h", "rpc/call.h"), 1u);
    EXPECT_EQ(findings("rpc/x.h", "session/session.h"), 1u);
    EXPECT_EQ(findings("rpc/x.h", "rpc/call_rules.h"), 1u);
    EXPECT_EQ(findings("rpc/call_rules.h", "discovery/discovery_wire.h"), 1u);
    EXPECT_EQ(findings("rpc/call_rules.h", "session/session.h"), 0u);
    EXPECT_EQ(findings("session/x.h", "rpc/call_rules.h"), 0u);
    EXPECT_EQ(findings("migration/x.h", "tern/tern.hpp"), 1u);
    EXPECT_EQ(findings("include/tern/x.h", "base/bits.h"), 1u);
    EXPECT_EQ(findings("programs/x.cpp", "base/bits.h"), 1u);
    EXPECT_EQ(findings("programs/bot/hostile/x.cpp", "base/bits.h"), 0u);
    EXPECT_EQ(findings("programs/bot/hostile/x.cpp", "session/session.h"), 1u);
    EXPECT_EQ(findings("examples/x.cpp", "session/inspect.h"), 1u);
    EXPECT_EQ(findings("sim/x.cpp", "transport/connection/connection.h"), 1u);
    EXPECT_EQ(findings("sim/x.cpp", "migration/views.h"), 1u);
    EXPECT_EQ(findings("bench/surface/x.cpp", "base/random.h"), 1u);
    EXPECT_EQ(findings("bench/surface/x.cpp", "session/session.h"), 1u);
    EXPECT_EQ(findings("bench/surface/x.cpp", "bench/pairs/star.h"), 1u);
    EXPECT_EQ(findings("bench/surface/x.cpp", "bench/surface/race.h"), 0u);
    EXPECT_EQ(findings("bench/sections/x.cpp", "base/random.h"), 0u);
    for (const char *header : {"tern/sim.hpp", "base/random.h", "migration/replica.h",
                               "session/inspect.h", "sim/network.h"})
        EXPECT_EQ(findings("sim/x.cpp", header), 0u) << header;
    for (const char *header :
         {"base/bits.h", "transport/connection/connection.h", "replication/world/world.h"})
        EXPECT_EQ(findings("migration/x.cpp", header), 0u) << header;
}

TEST(TidyTest, TheOutsideWorldEntersByNamedFilesOnly)
{
    EXPECT_TRUE(none(everywhere(foreign_headers)));
    const auto findings = [](const std::string &path, const std::string &header) {
        return count(foreign_headers, path, "  # include <" + header + "> // why\n");
    };
    for (const char *header : {"sys/socket.h", "unistd.h", "chrono", "thread", "random",
                               "enet/enet.h", "time.h", "vector", "functional", "string"})
        EXPECT_EQ(findings("session/x.cpp", header), 1u) << header;
    EXPECT_EQ(findings("transport/sockets/native_socket.h", "sys/socket.h"), 0u);
    EXPECT_EQ(findings("transport/sockets/native_socket.h", "chrono"), 1u);
    EXPECT_EQ(findings("transport/sockets/enet_socket.cpp", "enet/enet.h"), 0u);
    EXPECT_EQ(findings("sim/x.cpp", "vector"), 0u);
    EXPECT_EQ(findings("sim/x.cpp", "unistd.h"), 1u);
    EXPECT_EQ(findings("programs/x.cpp", "unistd.h"), 0u);
    EXPECT_EQ(findings("session/x.cpp", "sodium.h"), 0u);
    EXPECT_EQ(findings("session/x.cpp", "cstdint"), 0u);
}
