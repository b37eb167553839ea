// Shrunk traces of runs that once failed; none may fail again. To add one, put its file into
// tests/traces/ (`tern-sim replay --keep`). Their digests are not compared, because tern may change
// what it sends.
#include "sim/explorer/cluster_script_play.h"
#include "sim/world/liveness.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace tern {

static std::vector<std::string> trace_files()
{
    std::vector<std::string> files;
    for (const auto &entry : std::filesystem::directory_iterator(TERN_SOURCE_DIR "/tests/traces"))
        if (entry.path().extension() == ".trace") files.push_back(entry.path().string());
    std::sort(files.begin(), files.end());
    return files;
}

static std::string text_of(const std::string &file)
{
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

static void play_simulation(const std::string &text)
{
    const ParsedTrace parsed = script::parse(text);
    ASSERT_EQ(parsed.error, "");
    const auto sim = simulation::make(parsed.trace.options, parsed.trace.choices);
    simulation::run_safety(*sim);
    if (!sim->oracles.violation) {
        Liveness liveness = liveness::begin(*sim);
        while (liveness::step(liveness, *sim)) {
        }
    }
    EXPECT_EQ(sim->oracles.violation.invariant, "") << sim->oracles.violation.text;
}

static void play_cluster(const std::string &text)
{
    ParsedScript parsed = cluster_script::parse(text);
    ASSERT_EQ(parsed.error, "");
    parsed.script.has_digest = false;
    const PlayedScript played = cluster_script::play(parsed.script);
    EXPECT_TRUE(played.ok()) << "line " << played.line << ": " << played.failure
                             << played.violation.invariant << played.violation.text;
}

struct Traces : ::testing::TestWithParam<std::string> {};

TEST_P(Traces, OfWhatOnceFailedHold)
{
    const std::string text = text_of(GetParam());
    if (text.starts_with("tern-trace 1 explore"))
        play_cluster(text);
    else
        play_simulation(text);
}

INSTANTIATE_TEST_SUITE_P(Files, Traces, ::testing::ValuesIn(trace_files()), [](const auto &file) {
    std::string name = std::filesystem::path(file.param).stem().string();
    for (char &c : name)
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    return name;
});

}
