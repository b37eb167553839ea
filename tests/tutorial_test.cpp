// Each code block of docs/use/tutorial.md is an excerpt of the program that it names, and the
// blocks together show every line of the tutorial programs.
#include "doc_blocks.h"
#include <gtest/gtest.h>
#include <set>

using namespace documents;

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
