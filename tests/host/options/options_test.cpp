#include "host/options/options.h"
#include "tests/host/running_host.h"
#include <gtest/gtest.h>

using namespace dedicated;
using dedicated::test::TempFolder;

namespace {

Loaded load(std::vector<const char *> flags)
{
    flags.insert(flags.begin(), "tern-host");
    return options::load(static_cast<int>(flags.size()), flags.data());
}

struct Variable {
    std::string name;
    Variable(const std::string &variable, const std::string &value) : name(variable)
    {
        setenv(name.c_str(), value.c_str(), 1);
    }
    Variable(const Variable &) = delete;
    ~Variable() { unsetenv(name.c_str()); }
};

struct OptionsTest : testing::Test {
    TempFolder folder;
    std::string file;

    Loaded load_file(const std::string &text, std::vector<const char *> flags = {})
    {
        file = folder.write("host.toml", text);
        flags.push_back("--config");
        flags.push_back(file.c_str());
        return load(flags);
    }
    // What is wrong with a file of this text, without its path.
    std::string problems(const std::string &text)
    {
        std::string all = options::print(load_file(text).problems);
        for (size_t at; (at = all.find(file + ":")) != std::string::npos;)
            all.erase(at, file.size() + 1);
        return all;
    }
};

}

TEST_F(OptionsTest, AFlagCountsMoreThanTheEnvironmentAndThatMoreThanTheFile)
{
    const std::string text = "tick_hz = 11\n";
    EXPECT_EQ(load({}).options.tick_hz, 30u);
    EXPECT_EQ(load_file(text).options.tick_hz, 11u);
    const Variable variable("TERN_HOST_TICK_HZ", "12");
    EXPECT_EQ(load_file(text).options.tick_hz, 12u);
    const Loaded loaded = load_file(text, {"--tick-hz", "13"});
    EXPECT_EQ(loaded.options.tick_hz, 13u);
    EXPECT_EQ(loaded.sources.at("tick_hz"), "--tick-hz");
}

// Every option by all three ways, with a value that is not the default.
TEST_F(OptionsTest, EveryOptionCanBeSetByAllWays)
{
    for (const Option &option : option::all()) {
        const Options defaults;
        const std::string before = option::as_toml(defaults, defaults.rooms[0], option);
        std::string value = "77", as_toml = "77";
        if (option::is_switch(option))
            value = as_toml = before == "true" ? "false" : "true";
        else if (before.starts_with('['))
            value = "192.0.2.1,::1", as_toml = "[\"192.0.2.1\", \"::1\"]";
        else if (before.starts_with('"'))
            value = "x1", as_toml = "\"x1\"";
        for (const char *word : {"json", "debug", "mesh", "survivors"})
            if (option::expected(option).find(word) != std::string::npos && before != word)
                value = word, as_toml = std::string("\"") + word + "\"";
        if (option.max > 100'000) value = as_toml = "5000";
        if (option.max > 0 && option.max < 77) value = as_toml = std::to_string(option.max);
        if (std::string(option.key) == "listen") value = "[::1]:9", as_toml = "\"[::1]:9\"";
        const auto expect = [&](const Loaded &loaded) {
            EXPECT_EQ(options::print(loaded.problems), "") << option.flag;
            EXPECT_EQ(option::as_toml(loaded.options, loaded.options.rooms[0], option), as_toml)
                << option.flag;
        };
        const std::string flag = option.flag + std::string("=") + value;
        expect(load({flag.c_str()}));
        const std::string table =
            option::is_of_room(option)
                ? "[[room]]\n"
                : (*option.table ? "[" + std::string(option.table) + "]\n" : std::string());
        expect(load_file(table + option.key + " = " + as_toml + "\n"));
        const Variable variable(option::environment(option), value);
        expect(load({}));
    }
}

TEST_F(OptionsTest, ProblemsHaveLineAndColumnAndSayWhatWasExpected)
{
    EXPECT_EQ(problems("tick_hz = 251\n"),
              "1:11: tick_hz is 251, expected a whole number from 5 to 250\n");
    EXPECT_EQ(problems("tick_hz = \"30\"\n"),
              "1:11: tick_hz is \"30\", expected a whole number from 5 to 250\n");
    EXPECT_EQ(problems("\n[log]\nlevel = \"loud\"\n"),
              "3:9: log.level is \"loud\", expected one of error, warning, info, debug\n");
    EXPECT_EQ(problems("[log]\nformat = {}\n"),
              "2:10: log.format is a table, expected one of text, json\n");
    EXPECT_EQ(problems("[[room]]\nopen = 1\n"), "2:8: room.open is 1, expected true or false\n");
    EXPECT_EQ(problems("addresses = [1]\n"),
              "1:13: addresses is a list, expected a list of strings\n");
    EXPECT_EQ(problems("tick_rate = 5\n"), "1:1: unknown key tick_rate\n");
    EXPECT_EQ(problems("tick_h = 5\n"), "1:1: unknown key tick_h (did you mean \"tick_hz\"?)\n");
    EXPECT_EQ(problems("[lgo]\n"), "1:1: unknown table lgo (did you mean \"log\"?)\n");
    EXPECT_EQ(problems("[room]\nport = 1\n"), "1:1: room must be written as [[room]]\n");
    EXPECT_EQ(problems("log = 3\n"), "1:7: log must be written as [log]\n");
    EXPECT_EQ(problems("[[log]]\n"), "1:1: log must be written as [log]\n");
    EXPECT_NE(problems("tick_hz = \n").find("1:"), std::string::npos);
}

TEST_F(OptionsTest, WhatDoesNotFitTogetherIsFound)
{
    EXPECT_EQ(problems("[[room]]\ntopology = \"mesh\"\npeers_max = 65\n"),
              "3:13: room.peers_max is 65, in a mesh at most 64\n");
    EXPECT_EQ(problems("[[room]]\n[[room]]\nport = 1\nname = \"main\"\n"),
              "4:8: two rooms are named main\n");
    EXPECT_EQ(problems("[[room]]\nport = 7\n[[room]]\nname = \"b\"\nport = 7\n"),
              "5:8: rooms main and b have both port 7\n");
    EXPECT_EQ(problems("[[room]]\nname = \"a b\"\n"),
              "2:8: room.name must be 1 to 32 letters, digits, '-', '_' or '.', and not begin "
              "with '.'\n");
    EXPECT_EQ(problems("name = \"0123456789012345678901234567890123\"\n"),
              "1:8: name must have 1 to 31 bytes and no control characters\n");
    EXPECT_NE(problems("addresses = [\"example.org\"]\n").find("expected an IP"),
              std::string::npos);
    EXPECT_NE(problems("addresses = [\"0.0.0.0\"]\n").find("unspecified"), std::string::npos);
    EXPECT_NE(problems("addresses = []\n").find("0 entries, expected 1 to 4"), std::string::npos);
    EXPECT_NE(problems("[http]\nlisten = \"9101\"\n").find("expected ip:port"), std::string::npos);
    EXPECT_NE(problems("[control]\nsocket = \"/" + std::string(120, 'x') + "\"\n")
                  .find("longer than the 107 bytes"),
              std::string::npos);
    EXPECT_EQ(problems("room = []\n"), "1:8: room must be written as [[room]]\n");
}

TEST_F(OptionsTest, WhatIsLimitedMayReachItsLimit)
{
    const auto socket = [](size_t bytes) {
        return "[control]\nsocket = \"/" + std::string(bytes - 1, 'x') + "\"\n";
    };
    EXPECT_EQ(problems(socket(107)), ""); // A path of 108 bytes has no room for its end.
    EXPECT_NE(problems(socket(108)).find("longer than the 107 bytes"), std::string::npos);
    std::string rooms;
    for (int i = 1; i <= 64; ++i)
        rooms += "[[room]]\nname = \"r" + std::to_string(i) + "\"\nport = 0\n";
    EXPECT_EQ(problems(rooms).find("expected at most"), std::string::npos);
    EXPECT_NE(problems(rooms + "[[room]]\n").find("65 rooms, expected at most 64"),
              std::string::npos);
}

TEST_F(OptionsTest, AWordThatIsNoFlagIsAProblem)
{
    const std::string all = options::print(load({"start"}).problems);
    EXPECT_NE(all.find("start"), std::string::npos) << all;
}

TEST_F(OptionsTest, AllProblemsAreToldAtOnce)
{
    const Variable variable("TERN_HOST_LOG_LEVEL", "loud");
    const Loaded loaded =
        load_file("tick_hz = 1\nfoo = 1\n[[type]]\nname = \"\"\n", {"--port", "x", "--foo"});
    EXPECT_GE(loaded.problems.size(), 6u) << options::print(loaded.problems);
}

TEST_F(OptionsTest, AProblemTakesOneLine)
{
    const std::string text = problems("\"a\\nb\\u001b\" = 1\n");
    EXPECT_EQ(text, "1:1: unknown key a\xef\xbf\xbd"
                    "b\xef\xbf\xbd\n");
}

TEST_F(OptionsTest, AMissingFileIsNamed)
{
    const std::string path = folder.path + "/absent.toml";
    const Loaded loaded = load({"--config", path.c_str()});
    EXPECT_EQ(options::print(loaded.problems),
              path + ": cannot be read: No such file or directory\n");
    EXPECT_FALSE(load({"--config", folder.path.c_str()}).problems.empty());
    EXPECT_FALSE(load({"--config", ""}).problems.empty());
}

TEST_F(OptionsTest, FlagsOfARoomAreForOneRoom)
{
    EXPECT_EQ(load_file("[[room]]\nname = \"a\"\n", {"--port", "5"}).options.rooms[0].port, 5);
    const Loaded two = load_file(
        "[[room]]\nname = \"a\"\nport = 0\n[[room]]\nname = \"b\"\nport = 0\n", {"--port", "5"});
    EXPECT_EQ(options::print(two.problems), "--port: the file has 2 rooms: set port there\n");
}

TEST_F(OptionsTest, UnknownVariablesAreWarnedOfButNotThoseOfKubernetes)
{
    const Variable wrong("TERN_HOST_TIKC_HZ", "5");
    const Variable service("TERN_HOST_PORT", "tcp://10.0.0.1:7777");
    const Variable other("TERN_HOST_SERVICE_HOST", "10.0.0.1");
    const Loaded loaded = load({});
    EXPECT_TRUE(loaded.problems.empty());
    EXPECT_EQ(options::print(loaded.warnings), "TERN_HOST_TIKC_HZ: unknown variable, ignored (did "
                                               "you mean \"TERN_HOST_TICK_HZ\"?)\n");
}

TEST_F(OptionsTest, WhatIsPrintedSaysTheSameWhenItIsFedIn)
{
    const Loaded loaded = load_file(
        "name = \"a \\\"b\\\" \\u00e9\"\naddresses = [\"192.0.2.1\", \"::1\"]\n[[room]]\nport = 0\n"
        "[[room]]\nname = \"b\"\nport = 9\nquorum = \"survivors\"\n[[type]]\nname = \"thing\"\n"
        "objects_max = 5\nfield = [{name = \"x\", kind = \"int32\", min = -5, max = 5}]\n",
        {"--tick-hz", "50"});
    ASSERT_EQ(options::print(loaded.problems), "");
    const std::string printed = options::print(loaded);
    EXPECT_NE(printed.find("tick_hz = 50 # --tick-hz\n"), std::string::npos) << printed;
    EXPECT_NE(printed.find("quorum = \"survivors\" # " + file + ":8:10\n"), std::string::npos)
        << printed;
    EXPECT_NE(printed.find("drain_timeout_s = 60 # default\n"), std::string::npos) << printed;
    const Loaded again = load_file(printed);
    ASSERT_EQ(options::print(again.problems), "") << printed;
    Loaded present = loaded;
    const options::Reloaded differences = options::reload(present, again);
    EXPECT_TRUE(differences.changed.empty());
    EXPECT_TRUE(differences.refused.empty());
}

TEST_F(OptionsTest, AReloadTakesWhatItCanAndNamesTheRest)
{
    Loaded present = load_file("[[room]]\nname = \"a\"\n[[room]]\nname = \"b\"\nport = 1\n");
    const Loaded wanted =
        load_file("tick_hz = 9\n[http]\nlisten = \"\"\n[[room]]\nname = \"c\"\nport = 2\n"
                  "[[room]]\nname = \"a\"\nopen = false\ntimeout_ms = 500\n[[type]]\n"
                  "name = \"t\"\nfield = [{name = \"x\", kind = \"int32\"}]\n");
    ASSERT_EQ(options::print(wanted.problems), "");
    const options::Reloaded reloaded = options::reload(present, wanted);
    EXPECT_EQ(reloaded.changed, (std::vector<std::string>{"tick_hz", "room a.open"}));
    EXPECT_EQ(reloaded.refused, (std::vector<std::string>{"http.listen", "room b", "room c",
                                                          "room a.timeout_ms", "type"}));
    EXPECT_EQ(present.options.tick_hz, 9u);
    EXPECT_FALSE(present.options.rooms[0].open);
    EXPECT_EQ(present.options.rooms[0].timeout_ms, 3'000u);
    EXPECT_EQ(present.options.rooms.size(), 2u);
}
