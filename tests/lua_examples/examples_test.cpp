// The games of examples/lua/ as processes over the loopback, with both Luas in one session: they
// print what the comments at their top promise. Also under the simulator.
#include "tests/programs/process.h"
#include "tests/scripts/folder.h"
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <sys/stat.h>

using tern::test::Folder;
using tern::test::Process;

namespace {

std::string path(const std::string &name)
{
    return TERN_SOURCE_DIR "/examples/lua/" + name + ".lua";
}

// The groups of the expression, for each whole line that it matches.
std::vector<std::vector<std::string>> lines(const std::string &text, const std::string &expression)
{
    std::vector<std::vector<std::string>> found;
    const std::regex regex(expression);
    std::smatch groups;
    for (size_t at = 0, last; (last = text.find('\n', at)) != std::string::npos; at = last + 1) {
        const std::string line = text.substr(at, last - at);
        if (std::regex_match(line, groups, regex))
            found.emplace_back(std::next(groups.begin()), groups.end());
    }
    return found;
}

// False: the process ended, or was silent for 10 s, before it printed `count` such lines.
bool print_lines(Process &process, const std::string &expression, size_t count)
{
    while (lines(process.text, expression).size() < count) {
        pollfd waiting = {process.output, POLLIN, 0};
        char bytes[4096];
        if (poll(&waiting, 1, 10'000) <= 0) return false;
        const ssize_t size = read(process.output, bytes, sizeof bytes);
        if (size <= 0) return false;
        process.text.append(bytes, static_cast<size_t>(size));
    }
    return true;
}

#define PRINTS(process, expression)                                                                \
    ASSERT_TRUE(print_lines(process, expression, 1)) << (expression) << "\n" << (process).text

std::string invite_of(Process &process)
{
    const std::string ready = "tern-.* ready: .* invite (\\S+).*";
    EXPECT_TRUE(print_lines(process, ready, 1)) << process.text;
    const auto found = lines(process.text, ready);
    return found.empty() ? "" : found[0][0];
}

std::unique_ptr<Process> join(const std::string &game, int number, const std::string &invite)
{
    // The games print all the time, so a missing line is noticed only when the process ends.
    std::vector<std::string> arguments = {number % 2 ? TERN_PEER_PROGRAM : TERN_OTHER_PEER,
                                          path(game), "--seconds", "60"};
    if (!invite.empty()) arguments.insert(arguments.end(), {"--join", invite});
    return std::make_unique<Process>(arguments);
}

using Processes = std::vector<std::unique_ptr<Process>>;

Process &at(const Processes &all, int number)
{
    return *all[static_cast<size_t>(number) - 1];
}

// Starts peers 1, 2 and 3; peer 2 runs the other Lua.
Processes play(const std::string &game)
{
    Processes all;
    std::string invite;
    for (int number = 1; number <= 3; ++number) {
        all.push_back(join(game, number, invite));
        invite = invite_of(*all.back());
    }
    return all;
}

void end(Process &process)
{
    EXPECT_EQ(process.end_by(SIGTERM), 0) << process.text;
    EXPECT_EQ(process.text.find("script_error"), std::string::npos) << process.text;
}

}

TEST(LuaExamples, ShipsFlyAtEverybody)
{
    Processes all = play("ships");
    for (auto &process : all)
        PRINTS(*process, "there are the ships of 1, 2, 3");
    for (int here = 1; here <= 3; ++here)
        for (int other = 1; other <= 3; ++other)
            PRINTS(at(all, here),
                   here == other ? "my ship has been round: .*"
                                 : "the ship of " + std::to_string(other) + " has been round: .*");
    all[0]->text.clear();
    all[1]->text.clear();
    end(*all[2]);
    for (int here : {1, 2}) {
        PRINTS(at(all, here), "peer 3 has left");
        PRINTS(at(all, here), "there are the ships of 1, 2");
        end(at(all, here));
    }
}

TEST(LuaExamples, TheArenaIsJudgedByTheHostAndThenByTheNext)
{
    const std::string knockout = "peer (\\d+) knocks out peer (\\d+); wins: (\\d+)";
    Processes all = play("arena");
    for (auto &process : all)
        for (const char *winner : {"2", "3"})
            PRINTS(*process, std::string("peer ") + winner + " knocks out peer .*");
    end(*all[0]);
    const auto judged = lines(all[0]->text, knockout);
    std::map<std::string, int> wins;
    for (const auto &line : judged)
        wins[line[0]] = std::stoi(line[2]);
    for (int here : {2, 3}) {
        PRINTS(at(all, here), "the host is now peer 2");
        std::string &text = at(all, here).text;
        const size_t change = text.find("the host is now peer 2");
        const auto heard = lines(text.substr(0, change), knockout);
        // This peer has received every knockout since it joined, in the host's order.
        ASSERT_LE(heard.size(), judged.size());
        const auto since = judged.end() - static_cast<ptrdiff_t>(heard.size());
        EXPECT_TRUE(std::equal(heard.begin(), heard.end(), since)) << all[0]->text << text;
        text.erase(0, change);
        PRINTS(at(all, here), knockout);
        // The next host continues with the fighters' wins.
        const auto next = lines(text, knockout)[0];
        EXPECT_EQ(std::stoi(next[2]), wins[next[0]] + 1) << all[0]->text << text;
    }
    end(*all[1]);
    end(*all[2]);
}

TEST(LuaExamples, ARockIsThrownByOneAtATime)
{
    Processes all = play("rocks");
    for (int here = 1; here <= 3; ++here) {
        PRINTS(at(all, here), "I pick up rock .*");
        PRINTS(at(all, here), "I throw rock .*");
        PRINTS(at(all, here), "I do not get it: locked");
        for (int other = 1; other <= 3; ++other)
            if (other != here) {
                PRINTS(at(all, here), "peer " + std::to_string(other) + " throws rock .*");
            }
    }
    std::set<std::vector<std::string>> thrown;
    for (auto &process : all) {
        end(*process);
        for (const auto &line : lines(process->text, "I throw rock (\\d), throw (\\d+)"))
            EXPECT_TRUE(thrown.insert(line).second) << "rock " << line[0] << ", throw " << line[1];
    }
    EXPECT_GE(thrown.size(), 3u);
}

TEST(LuaExamples, InTheChatAllIsHeardInOrderAndAnsweredOnce)
{
    Folder folder;
    const std::string keys = folder / "keys";
    ASSERT_EQ(mkfifo(keys.c_str(), 0600), 0);
    const int typing = open(keys.c_str(), O_RDWR | O_CLOEXEC);
    const auto first = join("chat", 1, "");
    const std::string invite = invite_of(*first);
    const auto second = join("chat", 2, invite);
    invite_of(*second);
    Process person({"/bin/sh", "-c", "exec \"$0\" \"$@\" <" + keys, TERN_PEER_PROGRAM, path("chat"),
                    "--seconds", "60", "--name", "Ada", "--join", invite});
    invite_of(person);
    const std::string typed = "say(session, \"hello\")\nask(session, 2)\n";
    ASSERT_EQ(write(typing, typed.data(), typed.size()), static_cast<ssize_t>(typed.size()));
    PRINTS(person, "peer 2 answers .*");
    PRINTS(*second, "Ada asks how I am");
    PRINTS(*first, "peer 3 says \\(\\d+\\): hello");
    PRINTS(*second, "peer 3 says \\(\\d+\\): hello");
    PRINTS(*first, "peer 2 says \\(3\\).*");
    PRINTS(*second, "peer 1 says \\(3\\).*");
    PRINTS(*first, "peer \\d answers .*");
    for (Process *process : {&person, second.get(), first.get()}) {
        end(*process);
        std::map<std::string, int> last;
        for (const auto &line : lines(process->text, "peer (\\d) says \\((\\d+)\\): .*")) {
            const int number = std::stoi(line[1]);
            EXPECT_TRUE(!last.count(line[0]) || number == last[line[0]] + 1) << process->text;
            last[line[0]] = number;
        }
        std::set<std::string> answered;
        for (const auto &line : lines(process->text, "peer \\d answers \\((\\d+)\\): .*"))
            EXPECT_TRUE(answered.insert(line[0]).second) << process->text;
    }
    close(typing);
}

TEST(LuaExamples, DiceRollAsTheDealerSaysAndPursesOutliveTheDealer)
{
    Processes all = play("dice");
    for (auto &process : all)
        ASSERT_TRUE(print_lines(*process, "peer 1 rolls for me .*", 3)) << process->text;
    end(*all[0]);
    for (int here : {2, 3}) {
        PRINTS(at(all, here), "the dealer is now peer 2");
        ASSERT_TRUE(print_lines(at(all, here), "peer 2 rolls for me .*", 3)) << at(all, here).text;
    }
    end(*all[1]);
    end(*all[2]);
    std::set<std::vector<std::string>> dealt; // Dealer, player, call, dice.
    for (int dealer : {1, 2})
        for (std::vector<std::string> line :
             lines(at(all, dealer).text, "I roll for peer (\\d) \\((\\d+)\\): (\\d and \\d)")) {
            line.insert(line.begin(), std::to_string(dealer));
            EXPECT_TRUE(dealt.insert(line).second);
        }
    for (int here = 1; here <= 3; ++here) {
        std::set<std::string> answered;
        int purse = 100;
        for (const auto &line :
             lines(at(all, here).text, "(?:peer (\\d) rolls for me \\((\\d+)\\): (\\d and \\d), "
                                       "I win (-?\\d+) and have (\\d+)|nobody rolls.*)")) {
            if (line[0].empty()) { // The dealer left, and it is unknown whether it rolled.
                purse = 0;
                continue;
            }
            EXPECT_TRUE(dealt.count({line[0], std::to_string(here), line[1], line[2]})) << line[1];
            EXPECT_TRUE(answered.insert(line[1]).second);
            const int left = purse + std::stoi(line[3]), shown = std::stoi(line[4]);
            EXPECT_TRUE(purse == 0 || shown == (left > 0 ? left : 100)) << at(all, here).text;
            purse = shown;
        }
    }
}

#ifdef TERN_HOST_PROGRAM
TEST(LuaExamples, ADedicatedHostJudgesTheArena)
{
    Process host(
        {TERN_HOST_PROGRAM, "--script", path("arena"), "--http-listen", "", "--port", "0"});
    const std::string invite = invite_of(host);
    const auto one = join("arena", 1, invite), other = join("arena", 2, invite);
    for (Process *process : {one.get(), other.get()})
        for (const char *winner : {"1", "2", "3"})
            PRINTS(*process, std::string("peer ") + winner + " knocks out peer .*");
    PRINTS(host, ".* script_output .*knocks out peer .*");
    end(*one);
    end(*other);
    EXPECT_EQ(host.end_by(SIGTERM), 0) << host.text;
}
#endif

TEST(LuaExamples, TheyPlayUnderTheSimulatorAlikeInBothLuas)
{
    for (const char *game : {"ships", "arena", "rocks", "chat", "dice"})
        for (const char *seed : {"2", "21", "23"}) {
            std::string digest;
            for (const char *program : {TERN_SIM, TERN_OTHER_SIM}) {
                Process sim({program, "run", "--script", path(game), "--seed", seed});
                EXPECT_EQ(sim.wait_for_end(), 0) << sim.text;
                const size_t found = sim.text.rfind("\"digest\":");
                ASSERT_NE(found, std::string::npos) << sim.text;
                EXPECT_TRUE(digest.empty() || digest == sim.text.substr(found)) << game << seed;
                digest = sim.text.substr(found);
            }
        }
}
