// Runs the game scripts and commands in docs/use/lua.md and the README with each Lua. They must
// print the texts that follow `#>` in the documents.
#include "tests/programs/process.h"
#include "tests/scripts/folder.h"
#include <gtest/gtest.h>
#include <sstream>
#include <utility>

using tern::test::Folder;
using tern::test::Process;

namespace {

std::string content(const std::string &path)
{
    std::ifstream file(std::string(TERN_SOURCE_DIR) + "/" + path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

// The code blocks in a language, without their fences.
std::vector<std::string> blocks(const std::string &document, const std::string &language)
{
    const std::string mark = "\n```" + language + "\n";
    std::vector<std::string> found;
    for (size_t at = document.find(mark); at != std::string::npos; at = document.find(mark, at)) {
        at += mark.size();
        const size_t end = document.find("```\n", at);
        found.push_back(document.substr(at, end - at));
        at = end;
    }
    return found;
}

// The file name in the first line of a game script, a comment; "" for other blocks.
std::string name_of(const std::string &block)
{
    const std::string line = block.substr(0, block.find('\n'));
    return line.starts_with("-- ") && line.ends_with(".lua") ? line.substr(3) : "";
}

std::vector<std::string> shown(const std::string &commands)
{
    std::vector<std::string> found;
    std::stringstream lines(commands);
    for (std::string line; std::getline(lines, line);)
        if (const size_t at = line.find("#> "); at != std::string::npos)
            found.push_back(line.substr(at + 3));
    return found;
}

// Links the programs into the folder under their plain names, whichever Lua they are built with.
void link_programs(const Folder &folder, const std::string &peer, const std::string &sim)
{
    std::filesystem::create_symlink(peer, folder / "tern-peer");
    std::filesystem::create_symlink(sim, folder / "tern-sim");
#ifdef TERN_HOST_PROGRAM
    std::filesystem::create_symlink(TERN_HOST_PROGRAM, folder / "tern-host");
#endif
}

void run_commands(const std::string &document, const std::string &peer, const std::string &sim)
{
    const Folder folder;
    link_programs(folder, peer, sim);
    std::string commands = "set -euo pipefail\ncd '" + folder.path + "'\nPATH=$PWD:$PATH\n";
    for (const std::string &block : blocks(document, "lua"))
        if (!name_of(block).empty()) folder.write(name_of(block), block);
    std::vector<std::string> wanted;
    for (const std::string &block : blocks(document, "sh")) {
#ifndef TERN_HOST_PROGRAM
        if (block.find("tern-host") != std::string::npos) continue;
#endif
        // Commands of the README that build tern.
        if (block.find("./dev") != std::string::npos) continue;
        commands += block;
        const std::vector<std::string> here = shown(block);
        wanted.insert(wanted.end(), here.begin(), here.end());
    }
    ASSERT_FALSE(wanted.empty());
    Process process({"/usr/bin/timeout", "120", "/bin/bash",
                     folder.write("commands", commands + "echo 'all is done'\n")});
    EXPECT_EQ(process.wait_for_end(), 0) << process.text;
    EXPECT_EQ(process.text.find("script_error"), std::string::npos) << process.text;
    wanted.push_back("all is done");
    size_t at = 0;
    for (const std::string &line : wanted) {
        at = process.text.find(line, at);
        ASSERT_NE(at, std::string::npos) << line << "\n" << process.text;
        at += line.size();
    }
}

}

TEST(LuaDocuments, TheCommandsOfTheLuaPageDoWhatItShows)
{
    run_commands(content("docs/use/lua.md"), TERN_PEER_PROGRAM, TERN_SIM);
}

TEST(LuaDocuments, WithTheOtherLuaToo)
{
    run_commands(content("docs/use/lua.md"), TERN_OTHER_PEER, TERN_OTHER_SIM);
}

TEST(LuaDocuments, TheReadmeShowsTheFirstSessionOfTheLuaPage)
{
    const auto all = blocks(content("README.md"), "lua");
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0], blocks(content("docs/use/lua.md"), "lua")[0]);
    EXPECT_EQ(name_of(all[0]), "hello.lua");
}

TEST(LuaDocuments, TheProgramThatEmbedsIsTheOneThatIsBuiltAndRun)
{
    const auto all = blocks(content("docs/use/lua.md"), "cpp");
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0], content("examples/lua/embed.cpp"));
}
