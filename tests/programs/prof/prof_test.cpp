// tern-prof as a program: its output, the files that it writes, and its refusals.
#include "tests/programs/process.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

using tern::test::Process;

namespace {

const std::string program = TERN_PROGRAMS_DIR "/tern-prof";

struct Ended {
    int status;
    std::string text;
};

Ended run(std::vector<std::string> arguments)
{
    arguments.insert(arguments.begin(), program);
    Process process(arguments);
    const int status = process.wait_for_end();
    return {status, process.text};
}

std::string content(const std::string &path)
{
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

struct Prof : testing::Test {
    void SetUp() override { std::filesystem::create_directories(folder); }
    void TearDown() override { std::filesystem::remove_all(folder); }
    std::string file(const std::string &name) const { return folder + "/" + name; }
    Ended scene(const std::string &name, const std::string &loss)
    {
        return run({"scene", "--seconds", "2", "--objects", "20", "--loss", loss, "--json",
                    file(name), "--svg", file("drawn.svg")});
    }
    const std::string folder = testing::TempDir() + "tern-prof-test-" + std::to_string(getpid());
};

}

TEST_F(Prof, ASceneIsPrintedWrittenAndDrawn)
{
    const Ended ended = scene("one.json", "0");
    EXPECT_EQ(ended.status, 0) << ended.text;
    for (const char *words : {"body", "position", "seals", "all, as UDP payload"})
        EXPECT_NE(ended.text.find(words), std::string::npos) << words;
    const auto json = nlohmann::json::parse(content(file("one.json")));
    int64_t sum = 0;
    for (const auto &row : json.at("rows"))
        sum += row.at("bits").get<int64_t>();
    EXPECT_EQ(sum, json.at("bits").get<int64_t>());
    EXPECT_GT(sum, 0);
    EXPECT_EQ(sum % 8, 0);
    EXPECT_EQ(content(file("drawn.svg")).rfind("<svg", 0), 0u);
    const Ended shown = run({"show", file("one.json")});
    EXPECT_EQ(shown.text, ended.text);
    EXPECT_EQ(scene("two.json", "0").text, ended.text); // Runs are deterministic.
}

TEST_F(Prof, TwoRunsAreCompared)
{
    scene("one.json", "0");
    scene("two.json", "20");
    const Ended same = run({"compare", file("one.json"), file("one.json")});
    EXPECT_EQ(same.status, 0);
    EXPECT_NE(same.text.find("nothing has changed"), std::string::npos) << same.text;
    const Ended other = run({"compare", file("one.json"), file("two.json")});
    EXPECT_EQ(other.status, 0);
    EXPECT_NE(other.text.find("repeated"), std::string::npos) << other.text;
}

TEST_F(Prof, WhatIsWrongIsNamed)
{
    std::ofstream(file("list.json")) << "[]";
    std::ofstream(file("broken.json")) << "{\"tern_profile\":1";
    std::ofstream(file("poor.json")) << "{\"tern_profile\":1}";
    std::ofstream(file("huge.json"))
        << R"({"tern_profile":1,"title":"","seconds":1,"datagrams":1,"rows":[)"
        << R"({"kind":"a","bits":9223372036854775807,"count":1}]})";
    const struct {
        std::vector<std::string> arguments;
        const char *words;
    } wrong[] = {{{}, "subcommand"},
                 {{"play", "no/such/file"}, "no/such/file"},
                 {{"play", file("list.json")}, "no recording"},
                 {{"scene", "--peers", "1"}, "--peers"},
                 {{"scene", "--topology", "ring"}, "ring"},
                 {{"scene", "--json", folder + "/no/such/folder"}, "cannot write"},
                 {{"show", file("list.json")}, "no profile"},
                 {{"show", file("broken.json")}, "not JSON"},
                 {{"show", file("poor.json")}, "title"},
                 {{"show", file("huge.json")}, "bits"},
                 {{"compare", file("list.json")}, "after"}};
    for (const auto &one : wrong) {
        const Ended ended = run(one.arguments);
        EXPECT_EQ(ended.status, 2) << one.words;
        EXPECT_NE(ended.text.find(one.words), std::string::npos) << one.words << ": " << ended.text;
    }
}
