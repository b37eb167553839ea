// The scenarios, tests and fuzz targets named in the documents exist, and the pictures are as
// tern-sim draws them now.
#include "sim/explorer/cluster_script_play.h"
#include "sim/picture/picture.h"
#include "sim/scenarios/scenarios.h"
#include "sim/scenarios/scenarios_sessions.h"
#include "sim/world/faults.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <regex>
#include <set>
#include <sstream>

using namespace tern;

namespace {

const std::string source = TERN_SOURCE_DIR "/";

std::string content(const std::string &path)
{
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

std::set<std::string> scenario_names()
{
    std::set<std::string> names;
    for (const Scenario &scenario : scenarios::orders())
        names.insert(std::string(scenario.name));
    for (const ScenarioTitle &title : scenarios::sessions())
        names.insert(std::string(title.name));
    return names;
}

// Returns "Suite.Name" of every test in tests/.
std::set<std::string> test_names()
{
    const std::regex test("TEST(_F|_P)?\\((\\w+),\\s*(\\w+)\\)|RC_GTEST_PROP\\((\\w+),\\s*(\\w+)");
    std::set<std::string> names;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(source + "tests")) {
        if (entry.path().extension() != ".cpp") continue;
        const std::string text = content(entry.path().string());
        for (std::sregex_iterator i(text.begin(), text.end(), test), end; i != end; ++i)
            names.insert((*i)[2].matched ? (*i)[2].str() + "." + (*i)[3].str()
                                         : (*i)[4].str() + "." + (*i)[5].str());
    }
    return names;
}

// Returns the words in backticks that match the pattern.
std::vector<std::string> named(const std::string &text, const char *pattern)
{
    std::vector<std::string> words;
    const std::regex quoted(std::string("`(") + pattern + ")`");
    for (std::sregex_iterator i(text.begin(), text.end(), quoted), end; i != end; ++i)
        words.push_back((*i)[1].str());
    return words;
}

constexpr const char *scenario_pattern = "[SB][0-9]+(?:-[a-z]+)?|ghost";
constexpr const char *test_pattern = "[A-Z]\\w+\\.[A-Z]\\w+";

}

TEST(Documents, AllThatTheyNameIsThere)
{
    const std::set<std::string> scenarios = scenario_names(), tests = test_names();
    ASSERT_GT(tests.size(), 300u);
    for (const char *file :
         {"others_bugs", "security", "use/ownership", "membership", "use/discovery", "testing"}) {
        const std::string text = content(source + "docs/" + file + ".md");
        ASSERT_NE(text, "") << file;
        for (const std::string &name : named(text, scenario_pattern))
            EXPECT_TRUE(scenarios.contains(name)) << file << ": scenario " << name;
        for (const std::string &name : named(text, test_pattern))
            EXPECT_TRUE(tests.contains(name)) << file << ": test " << name;
        const std::regex target("targets? `(\\w+)`(?: and `(\\w+)`)?");
        for (std::sregex_iterator i(text.begin(), text.end(), target), end; i != end; ++i)
            for (size_t group = 1; group <= 2; ++group) {
                const std::string name = (*i)[group].str();
                const bool is_there = std::filesystem::exists(source + "fuzz/" + name + ".cpp");
                EXPECT_TRUE(name.empty() || is_there) << file << ": fuzz target " << name;
            }
    }
}

TEST(Documents, PicturesOfWaysNameFilesThatAreThere)
{
    for (const char *way : {"value", "datagram", "claim"}) {
        const std::string svg = content(source + "docs/way_of_a_" + way + ".svg");
        const std::regex path(">([a-z_]+/[a-z_/]+\\.(?:cpp|h))<");
        size_t count = 0;
        for (std::sregex_iterator i(svg.begin(), svg.end(), path), end; i != end; ++i, ++count) {
            const std::string file = (*i)[1].str();
            EXPECT_TRUE(std::filesystem::exists(source + file)) << way << ": " << file;
        }
        EXPECT_GT(count, 5u) << way;
    }
}

TEST(Documents, EachFaultIsTold)
{
    const std::string text = content(source + "docs/testing.md");
    for (size_t i = 0; i < fault_kind_count; ++i) {
        const std::string name = faults::text(static_cast<FaultKind>(i)).name;
        EXPECT_NE(text.find("`" + name + "`"), std::string::npos) << name;
    }
}

// docs/testing.md explains how to draw them again. tests/mutants/ checks ghost.svg.
TEST(Documents, PicturesAreAsTheyAreDrawnNow)
{
    const char *drawn[][2] = {{"race", "S8"},
                              {"claim", "B9"},
                              {"host_death", "S12"},
                              {"partition", "S16-three"},
                              {"suspicion", "S15-three"},
                              {"star_claim", "star-claim"},
                              {"star_next", "star-next"}};
    for (const auto &[file, name] : drawn) {
        const Scenario *scenario = scenarios::find_order(name);
        ASSERT_NE(scenario, nullptr) << name;
        const Script script = cluster_script::parse(scenario->text).script;
        const std::string svg = picture::svg(cluster_script::play(script).history);
        EXPECT_TRUE(content(source + "docs/" + file + ".svg") == svg)
            << "tern-sim scenario " << name << " --svg docs/" << file << ".svg";
    }
}

TEST(Documents, EachBugOfOthersIsPlayedOrRuledOut)
{
    const std::string text = content(source + "docs/others_bugs.md");
    std::set<std::string> rows, played;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.rfind("| B", 0) != 0) continue;
        rows.insert(line.substr(2, line.find(' ', 2) - 2));
        const std::vector<std::string> scenarios = named(line, scenario_pattern);
        played.insert(scenarios.begin(), scenarios.end());
        EXPECT_FALSE(scenarios.empty() && named(line, test_pattern).empty()) << line;
    }
    for (int i = 1; i <= 32; ++i)
        EXPECT_TRUE(rows.contains("B" + std::to_string(i))) << i;
    EXPECT_EQ(rows.size(), 32u);
    // "-star" marks the star variant of a scenario.
    for (const std::string &name : scenario_names()) {
        const bool is_listed = played.contains(name.substr(0, name.find("-star")));
        EXPECT_TRUE(name[0] != 'B' || is_listed) << name << " has no line";
    }
}
