// The language of the core: no word that the glossary has replaced, no two types of one name. And
// each rule on a bad piece of code, so that a rule that finds nothing any more is noticed.
#include "tests/tidy_source.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <set>

using namespace tidy;

namespace {

using Findings = std::vector<std::string>;

constexpr size_t folder_files_max = 40;

bool is_core(const File &file)
{
    static const std::regex pattern(
        "^(base|transport|replication|migration|rpc|session|discovery|c_interface|include)/.*");
    return is_code(file) && std::regex_match(file.path, pattern);
}

const std::vector<File> &tree()
{
    static const std::vector<File> files = files_of(TERN_SOURCE_DIR);
    return files;
}

// Words that docs/glossary.md replaces; as a whole identifier or as a part of one.
const std::set<std::string> &old_words()
{
    static const std::set<std::string> words = {
        "told",    "fate",     "fates", "happening", "happenings", "sight",     "hull",
        "chains",  "lone",     "bury",  "buried",    "condemn",    "condemned", "greet",
        "greeted", "greeting", "wish",  "wishes",    "detour",     "patience",  "absence"};
    return words;
}

// The parts of an identifier in lower case: "SightEvent" and "sight_event" have "sight", "event".
std::vector<std::string> parts_of(const std::string &identifier)
{
    std::vector<std::string> parts(1);
    for (const char c : identifier) {
        if ((c == '_' || (c >= 'A' && c <= 'Z')) && !parts.back().empty()) parts.emplace_back();
        if (c != '_') parts.back() += static_cast<char>(std::tolower(c));
    }
    return parts;
}

Findings refused_words(const File &file)
{
    static const std::regex identifier("[A-Za-z_][A-Za-z_0-9]*");
    Findings out;
    if (!is_core(file)) return out;
    const std::string code = without_comments(file.text);
    for (std::sregex_iterator it(code.begin(), code.end(), identifier), end; it != end; ++it)
        for (const std::string &part : parts_of(it->str()))
            if (old_words().contains(part)) {
                const auto line = std::count(code.begin(), code.begin() + it->position(0), '\n');
                out.push_back(file.path + ":" + std::to_string(line + 1) + ": " + it->str());
            }
    return out;
}

// A type of the core has one meaning: no two headers declare a type of one name.
Findings types_of_one_name(const std::vector<File> &files)
{
    static const std::regex type("(?:^|\n)(?:template <[^\n]*>\\s)?(?:struct|enum class|class) "
                                 "(\\w+)(?: : [\\w:]+)?\\s*\\{");
    std::map<std::string, std::string> first;
    Findings out;
    for (const File &file : files) {
        if (!is_core(file) || !file.path.ends_with(".h")) continue;
        const std::string code = without_comments(file.text);
        for (std::sregex_iterator it(code.begin(), code.end(), type), end; it != end; ++it) {
            const auto [other, is_new] = first.emplace(it->str(1), file.path);
            if (!is_new && other->second != file.path)
                out.push_back(file.path + ": " + it->str(1) + " is a type of " + other->second);
        }
    }
    return out;
}

// A public function and a namespace of the core do not share a name: code in namespace tern could
// not call the one or open the other.
Findings functions_named_as_namespaces(const std::vector<File> &files)
{
    static const std::regex space("(?:^|\n)namespace (?:tern::)?(\\w+)");
    static const std::regex function("(?:^|\n)[a-zA-Z][^\n(=]*[ *&](\\w+)\\(");
    std::set<std::string> spaces;
    for (const File &file : files) {
        if (!is_core(file)) continue;
        const std::string code = without_comments(file.text);
        for (std::sregex_iterator it(code.begin(), code.end(), space), end; it != end; ++it)
            spaces.insert(it->str(1));
    }
    Findings out;
    for (const File &file : files) {
        if (!is_core(file) || !file.path.starts_with("include/")) continue;
        const std::string code = without_comments(file.text);
        for (std::sregex_iterator it(code.begin(), code.end(), function), end; it != end; ++it)
            if (spaces.contains(it->str(1)))
                out.push_back(file.path + ": " + it->str(1) + "() has the name of a namespace");
    }
    return out;
}

// Corpora, and the escapes that the sandbox is tried with, are data.
Findings full_folders(const std::vector<File> &files)
{
    std::map<std::string, size_t> counts;
    for (const File &file : files) {
        const std::string folder = file.path.substr(0, file.path.find_last_of('/') + 1);
        if (!folder.starts_with("fuzz/corpus/") && folder != "tests/scripts/escapes/")
            counts[folder] += 1;
    }
    Findings out;
    for (const auto &[folder, count] : counts)
        if (count > folder_files_max) out.push_back(folder + ": " + std::to_string(count));
    return out;
}

testing::AssertionResult none(const Findings &findings)
{
    auto result = findings.empty() ? testing::AssertionSuccess() : testing::AssertionFailure();
    for (const std::string &finding : findings)
        result << "\n" << finding;
    return result;
}

}

TEST(TidyWords, OldWordsAreNoIdentifiers)
{
    Findings found;
    for (const File &file : tree())
        for (const std::string &finding : refused_words(file))
            found.push_back(finding);
    EXPECT_TRUE(none(found));
    EXPECT_EQ(refused_words({"base/x.h", "int told_count; // told\n"}).size(), 1u);
    EXPECT_EQ(refused_words({"base/x.h", "struct SightEvent;\nint clone, sightsee;\n"}).size(), 1u);
    EXPECT_EQ(refused_words({"sim/x.h", "int told;\n"}).size(), 0u);
}

TEST(TidyWords, NoTwoTypesOfTheCoreShareAName)
{
    EXPECT_TRUE(none(types_of_one_name(tree())));
    const File a = {"base/a.h", "struct A {\n};\nstruct B;\n"};
    const File b = {"base/b.h", "enum class A : uint8_t { none };\nstruct B {\n};\n"};
    EXPECT_EQ(types_of_one_name({a, b}).size(), 1u);
}

TEST(TidyWords, NoPublicFunctionHasTheNameOfANamespace)
{
    EXPECT_TRUE(none(functions_named_as_namespaces(tree())));
    const File header = {"include/tern/x.h", "std::span<const int> objects(int x);\nint y();\n"};
    const File inner = {"migration/objects.h", "namespace tern::objects {\n}\n"};
    EXPECT_EQ(functions_named_as_namespaces({header, inner}).size(), 1u);
    EXPECT_EQ(functions_named_as_namespaces({header}).size(), 0u);
}

TEST(TidyWords, FoldersHoldAtMost40Files)
{
    EXPECT_TRUE(none(full_folders(tree())));
    std::vector<File> files(41, File{"base/x.h", ""});
    EXPECT_EQ(full_folders(files).size(), 1u);
    files.pop_back();
    EXPECT_EQ(full_folders(files).size(), 0u);
}
