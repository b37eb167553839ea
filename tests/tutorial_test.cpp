// Each code block of docs/use/tutorial.md is an excerpt of the program that it names, and the
// blocks together show every line of the tutorial programs.
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sstream>
#include <string>
#include <vector>

static std::string content(const std::string &path)
{
    std::ifstream file(std::string(TERN_SOURCE_DIR) + "/" + path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

namespace {

struct Block {
    std::string file; // The path of the program, from the comment before the block
    std::string text;
};

std::vector<Block> blocks(const std::string &page)
{
    const std::string fence = "```cpp\n", before = "<!-- ", after = " -->\n";
    std::vector<Block> found;
    for (size_t at = page.find(fence); at != std::string::npos; at = page.find(fence, at)) {
        const size_t comment = page.rfind(before, at);
        const size_t end = page.find("```\n", at + fence.size());
        Block block;
        if (comment != std::string::npos)
            block.file =
                page.substr(comment + before.size(), at - comment - before.size() - after.size());
        block.text = page.substr(at + fence.size(), end - at - fence.size());
        found.push_back(block);
        at = end;
    }
    return found;
}

std::vector<std::string> lines_of(const std::string &text)
{
    std::vector<std::string> lines;
    std::stringstream stream(text);
    for (std::string line; std::getline(stream, line);)
        lines.push_back(line);
    return lines;
}

}

TEST(Tutorial, EachOfItsBlocksIsAnExcerptOfTheProgramItNames)
{
    const std::vector<Block> all = blocks(content("docs/use/tutorial.md"));
    EXPECT_GE(all.size(), 20u);
    for (const Block &block : all) {
        const std::string program = "\n" + content(block.file);
        EXPECT_NE(program, "\n") << block.file << " is not there, for:\n" << block.text;
        EXPECT_NE(program.find("\n" + block.text), std::string::npos) << block.file << " has not:\n"
                                                                      << block.text;
    }
}

TEST(Tutorial, AReaderHasSeenEachLineOfItsPrograms)
{
    std::set<std::string> shown;
    for (const Block &block : blocks(content("docs/use/tutorial.md")))
        for (const std::string &line : lines_of(block.text))
            shown.insert(line);
    for (const char *name : {"_alone", "_together", ""}) {
        const std::string path = std::string("examples/tutorial") + name + ".cpp";
        bool in_head = true; // The tutorial leaves out the comment at the top of the file.
        for (const std::string &line : lines_of(content(path))) {
            in_head = in_head && line.starts_with("//");
            EXPECT_TRUE(in_head || line.empty() || shown.contains(line)) << path << ": " << line;
        }
    }
}
