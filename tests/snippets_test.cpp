// Each block of C++ in README.md and docs/use/ is an excerpt of a program of examples/, which is
// compiled and played.
#include "doc_blocks.h"
#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <regex>

using namespace documents;

namespace {

std::string trimmed(const std::string &line)
{
    const size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string::npos) return "";
    return line.substr(begin, line.find_last_not_of(" \t") - begin + 1);
}

std::vector<std::string> trimmed_lines(const std::string &text)
{
    std::vector<std::string> lines = lines_of(text);
    for (std::string &line : lines)
        line = trimmed(line);
    return lines;
}

// Whether the excerpt stands in the program, up to indentation. A line "..." stands for any lines
// that are left out.
bool is_excerpt(const std::string &excerpt, const std::string &program)
{
    const std::vector<std::string> lines = trimmed_lines(program);
    std::vector<std::vector<std::string>> parts(1);
    for (const std::string &line : trimmed_lines(excerpt)) {
        if (line == "...")
            parts.emplace_back();
        else
            parts.back().push_back(line);
    }
    auto from = lines.begin();
    for (const std::vector<std::string> &part : parts) {
        if (part.empty()) return false;
        from = std::search(from, lines.end(), part.begin(), part.end());
        if (from == lines.end()) return false;
        from += static_cast<ptrdiff_t>(part.size());
    }
    return true;
}

// Describes each block of a page that is no excerpt.
std::vector<std::string> findings(const std::string &page)
{
    std::vector<std::string> out;
    for (const Block &block : blocks(page)) {
        if (!block.file.starts_with("examples/"))
            out.push_back("the line before does not name a program:\n" + block.text);
        else if (content(block.file).empty())
            out.push_back(block.file + " is not there");
        else if (!is_excerpt(block.text, content(block.file)))
            out.push_back(block.file + " has not:\n" + block.text);
    }
    bool fenced = false;
    for (const std::string &line : lines_of(page)) {
        if (line.starts_with("```")) fenced = !fenced;
        if (!fenced && line.starts_with("    ") && line.find("tern::") != std::string::npos)
            out.push_back("this is C++ in no block: " + line);
    }
    return out;
}

std::vector<std::string> pages()
{
    std::vector<std::string> all = {"README.md"};
    for (const auto &entry : std::filesystem::directory_iterator(TERN_SOURCE_DIR "/docs/use"))
        if (entry.path().extension() == ".md")
            all.push_back("docs/use/" + entry.path().filename().string());
    return all;
}

}

TEST(Snippets, EachBlockIsAnExcerptOfAProgramThatIsCompiled)
{
    size_t count = 0;
    for (const std::string &page : pages()) {
        const std::string text = content(page);
        count += blocks(text).size();
        for (const std::string &finding : findings(text))
            ADD_FAILURE() << page << ": " << finding;
    }
    EXPECT_GE(count, 30u);
}

TEST(Snippets, ABlockWithoutANameOrWithOtherLinesIsFound)
{
    const std::string name = "<!-- examples/hello.cpp -->\n", main = "int main()\n{\n";
    const auto block = [](const std::string &text) { return "```cpp\n" + text + "```\n"; };
    EXPECT_TRUE(findings(name + block(main)).empty());
    EXPECT_TRUE(findings(name + block("struct Lamp {\n...\n" + main)).empty());
    EXPECT_TRUE(findings(name + block("  bool lit;\n")).empty());
    EXPECT_EQ(findings(block(main)).size(), 1u);
    EXPECT_EQ(findings(name + "\n" + block(main)).size(), 1u);
    EXPECT_EQ(findings("    tern::start(session);\n").size(), 1u);
    EXPECT_EQ(findings("<!-- examples/none.cpp -->\n" + block(main)).size(), 1u);
    EXPECT_EQ(findings(name + block("int main(void)\n{\n")).size(), 1u);
    EXPECT_EQ(findings(name + block(main + "...\nstruct Lamp {\n")).size(),
              1u); // The order is another one.
    EXPECT_EQ(findings(name + block("struct Lamp {\n" + main)).size(), 1u);
}

// docs/use/examples.md lists the length of each program.
TEST(Snippets, TheLinesOfTheExamplesAreRight)
{
    const std::string page = content("docs/use/examples.md");
    const std::regex row(R"(\| \d+ \| \[[^\]]*\]\(\.\./\.\./(examples/[^)]*)\) \| (\d+) \|)");
    size_t rows = 0;
    for (std::sregex_iterator it(page.begin(), page.end(), row), end; it != end; ++it) {
        const auto count = static_cast<double>(lines_of(content(it->str(1))).size());
        EXPECT_NEAR(std::stod(it->str(2)), count, count / 20) << it->str(1);
        rows += 1;
    }
    EXPECT_EQ(rows, 12u);
}
