// A hostile bot attacks bots and a host, all real processes over the loopback, with each kind of
// attack that tern-bot knows. The honest bots must stay in the room with equal worlds.
#include "tests/host/running_host.h"
#include <algorithm>
#include <csignal>
#include <gtest/gtest.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

using namespace dedicated::test;
using tern::test::Process;

namespace {

// As in deploy/host.toml, with a large call for floods.
constexpr const char *configuration = R"(
[[room]]
name = "main"
port = 0
peers_max = 16
timeout_ms = 1500

[[type]]
name = "crate"
objects_max = 1000
at_start = 20
owned_max = 20

[[type.field]]
name = "position"
kind = "float32"
count = 3
min = -500.0
max = 500.0
step = 0.01

[[type.field]]
name = "health"
kind = "uint8"
min = 0
max = 100

[[type]]
name = "hit"

[[type.field]]
name = "target"
kind = "object"

[[type]]
name = "chat"

[[type.field]]
name = "text"
kind = "bytes"
count = 512
)";

// The host finds these breaches itself, and removes the hostile bot for them.
const std::set<std::string> charged = {"malformed", "forged",   "poses",    "steals",
                                       "creates",   "ousts",    "exhausts", "meets",
                                       "miscalls",  "nonsense", "hides"};
const std::vector<std::string> kinds = {
    "malformed", "forged",  "poses",    "steals",   "creates",  "deaths",    "claims",
    "vanishes",  "accuses", "ousts",    "reports",  "exhausts", "buries",    "takes",
    "dooms",     "meets",   "miscalls", "floods",   "stalls",   "withholds", "trickles",
    "nonsense",  "replays", "relays",   "occupies", "knocks"};
const std::vector<std::string> mesh_kinds = {"differs", "hides"};

// One attack, on a host and four bots of its own.
struct Battle {
    std::string kind;
    RunningHost host;
    std::unique_ptr<Process> bots = {};

    Battle(std::string attack, const std::string &file, const std::string &topology)
        : kind(std::move(attack)), host({"--config", file, "--topology", topology})
    {
        if (!host.is_ready()) return;
        const std::string invite = tern::to_text(host.invite()).text;
        bots = std::make_unique<Process>(std::vector<std::string>{program("tern-bot"),
                                                                  "--types",
                                                                  file,
                                                                  "--topology",
                                                                  topology,
                                                                  "--peers-max",
                                                                  "16",
                                                                  "--count",
                                                                  "4",
                                                                  "--churn",
                                                                  "2",
                                                                  "--claims",
                                                                  "2",
                                                                  "--calls",
                                                                  "2",
                                                                  "--seconds",
                                                                  "2",
                                                                  "--settle",
                                                                  "20",
                                                                  "--quiet",
                                                                  "--json",
                                                                  "--hostile",
                                                                  kind,
                                                                  invite});
    }
};

nlohmann::json report(const std::string &text)
{
    const size_t at = text.find("\n{");
    if (at == std::string::npos) return {};
    return nlohmann::json::parse(text.substr(at + 1, text.find('\n', at + 1) - at), nullptr, false);
}

void expect_harmless(Battle &battle)
{
    SCOPED_TRACE(battle.kind);
    ASSERT_TRUE(battle.bots) << battle.host.text;
    EXPECT_EQ(battle.bots->wait_for_end(), 0) << battle.bots->text;
    EXPECT_FALSE(battle.host.has_ended()) << battle.host.text;
    const nlohmann::json all = report(battle.bots->text);
    ASSERT_TRUE(all.contains("hostile")) << battle.bots->text;
    const nlohmann::json &hostile = all["hostile"];
    EXPECT_EQ(hostile["in_room"], 4);
    EXPECT_EQ(hostile["interruptions"], 0);
    EXPECT_EQ(all["world"]["settled"], true);
    EXPECT_GT(hostile["sent"], 0) << "nothing was tried";
    if (!charged.contains(battle.kind)) return;
    EXPECT_GT(hostile["removed"], 0) << battle.bots->text;
    EXPECT_NE(battle.host.text.find(" misbehaved "), std::string::npos) << battle.host.text;
}

// Several attacks at once: most of the time all of them wait.
void fight(const std::vector<std::string> &attacks, const std::string &topology)
{
    constexpr size_t at_once = 9;
    const TempFolder folder;
    const std::string file = folder.write("host.toml", configuration);
    for (size_t first = 0; first < attacks.size(); first += at_once) {
        std::deque<Battle> battles;
        for (size_t i = first; i < std::min(attacks.size(), first + at_once); ++i)
            battles.emplace_back(attacks[i], file, topology);
        for (Battle &battle : battles)
            expect_harmless(battle);
    }
}

TEST(Hostile, NoAttackHarmsTheOthersInAStar)
{
    fight(kinds, "star");
}

TEST(Hostile, NoAttackHarmsTheOthersInAMesh)
{
    std::vector<std::string> all = kinds;
    all.insert(all.end(), mesh_kinds.begin(), mesh_kinds.end());
    fight(all, "mesh");
}

TEST(Hostile, EveryAttackIsInOneOfTheLists)
{
    Process listing({program("tern-bot"), "--hostile", "list"});
    EXPECT_EQ(listing.wait_for_end(), 0);
    std::vector<std::string> expected = kinds;
    expected.insert(expected.end(), mesh_kinds.begin(), mesh_kinds.end());
    std::vector<std::string> listed;
    std::istringstream lines(listing.text);
    for (std::string line; std::getline(lines, line);)
        listed.push_back(line.substr(2, line.find(' ', 2) - 2));
    std::sort(expected.begin(), expected.end());
    std::sort(listed.begin(), listed.end());
    EXPECT_EQ(listed, expected);
}

}
