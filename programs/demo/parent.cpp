#include "child.h"
#include "common/command_line.h"
#include "common/process.h"
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <random>
#include <sstream>

using nlohmann::json;
using process::Process;

namespace demo {

static constexpr uint64_t second_us = 1'000'000;
static constexpr uint64_t start_us_max = 40 * second_us; // Limit for all peers to join.
// Limit for all to agree, and for all to report.
static constexpr uint64_t settle_us_max = 10 * second_us;
static constexpr uint64_t settled_us = second_us; // All must have agreed for this long.
// Limit for a process to end after its report.
static constexpr uint64_t end_us_max = 5 * second_us;

using Count = unsigned long long;              // For %llu.
using CutPair = std::pair<uint32_t, uint32_t>; // Indexes of processes.

namespace {

struct Member {
    Process process;
    uint16_t port;       // 0: its socket is not open yet.
    bool killed;         // Killed by this parent, as planned.
    std::string failure; // Why it ended on its own; empty: it has not.
    Progress now;
    uint64_t host_us; // `now.host` last changed then.
    bool reported;    // `cubes` is complete.
    std::vector<Known> cubes;
};

struct Parent {
    const Options &options;
    std::vector<CutPair> cuts;
    std::vector<Member> members; // Ordered by index: [0] is the first host.
    std::string invite;          // The first host makes it.
    uint64_t from_us, until_us;  // The time of the play. 0: it has not begun.
    bool resting;                // The play is over, and all were told.
    uint64_t line_due_us;        // The next line of show().
    uint64_t host_died_us;       // 0: it has not.
};

bool is_alive(const Member &member)
{
    return !member.killed && member.failure.empty();
}

template <class Condition> bool each(const Parent &parent, Condition condition)
{
    return std::all_of(parent.members.begin(), parent.members.end(), condition);
}

std::vector<const Member *> living(const Parent &parent)
{
    std::vector<const Member *> living;
    for (const Member &member : parent.members)
        if (is_alive(member)) living.push_back(&member);
    return living;
}

// The pairs that have no direct path, by the seed; none contains the first process. As long as
// possible no two of them share a peer.
std::vector<CutPair> cut_pairs(const Options &options)
{
    std::vector<uint32_t> order;
    for (uint32_t i = 1; i < options.peers; ++i)
        order.push_back(i);
    std::shuffle(order.begin(), order.end(), std::mt19937_64(options.seed));
    std::vector<CutPair> pairs;
    for (const bool disjoint : {true, false}) // Neighbours first: no two such pairs share a peer.
        for (size_t i = 0; i < order.size(); ++i)
            for (size_t j = i + 1; j < order.size(); ++j)
                if ((i % 2 == 0 && j == i + 1) == disjoint) pairs.emplace_back(order[i], order[j]);
    pairs.resize(std::min<size_t>(pairs.size(), options.cut_pairs));
    return pairs;
}

// --- Lines to and from the processes ---

void order_all(Parent &parent, const char *order)
{
    for (Member &member : parent.members)
        process::send(member.process, json{{order::name, order}}.dump());
}

void take_answer(Parent &parent, Member &member, const json &line)
{
    if (line.contains(answer::port)) member.port = line[answer::port];
    if (line.contains(answer::invite)) parent.invite = line[answer::invite];
    if (line.contains(answer::failed))
        member.failure = "failed: " + std::string(line[answer::failed]);
    if (line.contains(answer::progress)) {
        const PeerId host = member.now.host;
        member.now = line[answer::progress];
        if (member.now.host != host) member.host_us = clock_us();
    }
    if (!line.contains(answer::cubes)) return;
    for (const json &cube : line[answer::cubes]) {
        Known known = {cube.at(0), {}};
        const auto text = cube.at(1).get<std::string>();
        text.copy(known.text, sizeof known.text - 1);
        member.cubes.push_back(known);
    }
    member.reported = true;
}

// Reads what all print, and notes which of them have ended.
void look(Parent &parent)
{
    for (Member &member : parent.members) {
        const bool ended = process::has_ended(member.process); // What it printed can be read still.
        for (const std::string &text : process::receive(member.process)) {
            try {
                take_answer(parent, member, json::parse(text));
            } catch (const json::exception &) {
                member.failure = "printed what this parent does not expect: " + text;
            }
        }
        if (ended && !member.reported && is_alive(member))
            member.failure =
                member.process.failure.empty() ? "ended without a report" : member.process.failure;
    }
}

// --- Waiting ---

// Prints a line about one of the living peers in each second of the play.
void show(Parent &parent)
{
    const uint64_t now_us = clock_us();
    const std::vector<const Member *> members = living(parent);
    if (parent.from_us == 0 || now_us < parent.line_due_us || members.empty()) return;
    parent.line_due_us += second_us;
    std::printf("demo: %5.1f s %s peers=%zu: %s\n",
                static_cast<double>(now_us - parent.from_us) / second_us,
                parent.resting ? "quiet" : "playing", members.size(),
                peer::text(members[0]->now).c_str());
}

void end_play(Parent &parent)
{
    if (parent.from_us == 0 || parent.resting || clock_us() < parent.until_us) return;
    parent.resting = true;
    order_all(parent, order::rest);
}

// Whether to continue: no peer has failed, and no signal has come.
bool is_fine(const Parent &parent)
{
    return !command_line::ended() &&
           each(parent, [](const Member &member) { return member.failure.empty(); });
}

template <class Condition>
bool wait_until(Parent &parent, uint64_t deadline_us, Condition condition)
{
    const uint64_t pause_us = 2000 + 100 * parent.members.size(); // Looking takes time, too.
    for (; is_fine(parent); sleep_us(pause_us)) {
        look(parent);
        end_play(parent);
        show(parent);
        if (condition()) return true;
        if (clock_us() >= deadline_us) return false;
    }
    return false;
}

void play_until(Parent &parent, uint64_t until_us)
{
    wait_until(parent, until_us, [] { return false; });
}

// --- The phases of a run ---

// The command line of a process: this one's, with the program that was chosen for it.
std::vector<std::string> command(const Options &options, uint32_t index)
{
    std::vector<std::string> words = {options.arguments[0]};
    if (index > 0 && index <= options.programs.size()) {
        std::istringstream program(options.programs[index - 1]);
        words.assign(std::istream_iterator<std::string>(program), {});
    }
    words.insert(words.end(), options.arguments.begin() + 1, options.arguments.end());
    words.push_back("--process=" + std::to_string(index));
    return words;
}

// Returns what went wrong, or an empty text.
std::string start_all(Parent &parent)
{
    const uint32_t count = parent.options.peers;
    parent.members.resize(count);
    for (uint32_t i = 0; i < count; ++i) {
        const std::vector<std::string> words = command(parent.options, i);
        const std::string wrong = process::start(parent.members[i].process, words);
        if (!wrong.empty()) return words[0] + ": " + wrong;
    }
    return "";
}

void order_join(Parent &parent)
{
    for (uint32_t i = 1; i < parent.members.size(); ++i) {
        json cut = json::array();
        for (const auto &[first, second] : parent.cuts)
            if (first == i || second == i)
                cut.push_back(parent.members[first == i ? second : first].port);
        const json line = {
            {order::name, order::join}, {order::invite, parent.invite}, {order::cut, cut}};
        process::send(parent.members[i].process, line.dump());
    }
}

// Returns what went wrong, or an empty text.
std::string gather(Parent &parent)
{
    const Options &options = parent.options;
    const uint64_t begun_us = clock_us(), deadline_us = begun_us + start_us_max;
    const std::string wrong = start_all(parent);
    if (!wrong.empty()) return wrong;
    const auto all_bound = [&] {
        return each(parent, [](const Member &member) { return member.port > 0; });
    };
    if (!wait_until(parent, deadline_us, all_bound)) return "not all peers have opened a socket";
    for (const auto &[first, second] : parent.cuts)
        std::printf("demo: process %u and process %u have no direct path\n", first + 1, second + 1);
    order_join(parent);
    const auto all_in = [&] {
        return each(parent, [](const Member &member) { return member.now.state == State::open; });
    };
    if (!wait_until(parent, deadline_us, all_in)) return "not all peers could join in time";
    std::printf("demo: all %u peers are in after %llu ms, a %s over %s; loss %g %%, %u to %u ms "
                "one way\n",
                options.peers, Count{(clock_us() - begun_us) / 1000}, options.topology.c_str(),
                options.socket.c_str(), options.loss_percent, options.delay_ms,
                options.delay_ms + options.jitter_ms);
    return "";
}

void kill_member(Parent &parent, Member &victim)
{
    const bool is_host = victim.now.self == victim.now.host;
    std::printf("demo: peer %u%s is killed, process %td\n", static_cast<unsigned>(victim.now.self),
                is_host ? ", the host," : "", &victim - parent.members.data() + 1);
    if (is_host) parent.host_died_us = clock_us();
    victim.killed = true;
    process::kill(victim.process);
}

void kill_some(Parent &parent)
{
    const Options &options = parent.options;
    if (options.no_kill) return;
    std::mt19937_64 random(options.seed);
    std::vector<Member *>
        order; // Ordered by age: the host, its successor, the successor of that one.
    for (Member &member : parent.members)
        order.push_back(&member);
    std::sort(order.begin(), order.end(),
              [](const Member *a, const Member *b) { return a->now.self < b->now.self; });
    if (!options.kill_host && !options.kill_two)
        return kill_member(parent, *order[1 + random() % (order.size() - 1)]);
    kill_member(parent, *order[0]);
    if (!options.kill_two) return;
    sleep_us(random() % 100'000);
    kill_member(parent, options.kill_other ? *order.back() : *order[1]);
}

// Whether all survivors report the same world, members and host.
bool is_agreed(const Parent &parent)
{
    const std::vector<const Member *> members = living(parent);
    return std::all_of(members.begin(), members.end(), [&](const Member *member) {
        const Progress &now = member->now, &first = members[0]->now;
        return now.digest == first.digest && now.host == first.host &&
               now.members == members.size();
    });
}

void play(Parent &parent)
{
    const uint64_t whole_us = parent.options.seconds * second_us;
    const uint64_t quiet_us = std::max<uint64_t>(3 * second_us, whole_us / 4);
    parent.from_us = clock_us();
    parent.until_us = parent.from_us + whole_us - quiet_us;
    parent.line_due_us = parent.from_us + second_us;
    order_all(parent, order::play);
    play_until(parent, parent.from_us + whole_us / 2);
    if (is_fine(parent)) kill_some(parent);
    play_until(parent, parent.from_us + whole_us);
    uint64_t since_us = clock_us();
    wait_until(parent, clock_us() + settle_us_max, [&] {
        if (!is_agreed(parent)) since_us = clock_us();
        return clock_us() - since_us >= settled_us;
    });
    order_all(parent, order::report);
    wait_until(parent, clock_us() + settle_us_max, [&] {
        return each(parent, [](const Member &m) { return m.reported || !is_alive(m); });
    });
}

// --- The verdict ---

// Without kills each peer must have received every cheer of all others.
bool is_cheer_lost(const Parent &parent)
{
    uint32_t all = 0;
    for (const Member &member : parent.members)
        all += member.now.cheered;
    const bool is_complete = each(parent, [&](const Member &member) {
        return member.now.cheers_received == all - member.now.cheered;
    });
    return living(parent).size() == parent.members.size() && !is_complete;
}

// Whether each living peer is bridged to all living peers to which it has no path.
bool is_all_bridged(const Parent &parent)
{
    std::vector<uint32_t> cuts(parent.members.size());
    for (const auto &[first, second] : parent.cuts)
        if (is_alive(parent.members[first]) && is_alive(parent.members[second])) {
            cuts[first] += 1;
            cuts[second] += 1;
        }
    return each(parent, [&](const Member &member) {
        const auto index = static_cast<size_t>(&member - parent.members.data());
        return !is_alive(member) || member.now.bridged >= cuts[index];
    });
}

int diverged(const std::string &why)
{
    std::printf("demo: DIVERGED: %s\n", why.c_str());
    return 1;
}

int judge(const Parent &parent)
{
    std::vector<Testimony> all;
    uint64_t objects = 0, migrations = 0, host_kb = 0, others_kb = 0;
    uint64_t hostless_us_min = UINT64_MAX, hostless_us_max = 0;
    for (const Member *member : living(parent)) {
        const Progress &now = member->now;
        std::printf("demo: %s\n", peer::text(now).c_str());
        if (!member->reported) return diverged("this survivor has not reported");
        all.push_back({now.self, now.digest, member->cubes});
        objects = now.objects;
        migrations = std::max(migrations, now.migrations);
        uint64_t &most_kb = now.self == now.host ? host_kb : others_kb;
        most_kb = std::max(most_kb, member->process.resident_kb);
        if (member->host_us < parent.host_died_us) continue;
        hostless_us_min = std::min(hostless_us_min, member->host_us - parent.host_died_us);
        hostless_us_max = std::max(hostless_us_max, member->host_us - parent.host_died_us);
    }
    if (parent.host_died_us > 0 && hostless_us_max > 0)
        std::printf("demo: peer %u is the host, %llu to %llu ms after the death of the last\n",
                    static_cast<unsigned>(living(parent)[0]->now.host),
                    Count{hostless_us_min / 1000}, Count{hostless_us_max / 1000});
    if (all.empty()) return diverged("no peer is left");
    if (!is_agreed(parent)) // A peer that still counts a dead one has not received its departure.
        return diverged("digests, members or hosts differ\n" + verdict::differences(all));
    if (!verdict::converged(all))
        return diverged("the worlds differ\n" + verdict::differences(all));
    if (is_cheer_lost(parent)) return diverged("calls were lost");
    if (!is_all_bridged(parent)) return diverged("a pair that is cut is not bridged");
    std::printf("demo: resident: the host %llu kB, others at most %llu kB\n"
                "demo: converged peers=%zu objects=%llu migrations=%llu digest=%016llx\n",
                Count{host_kb}, Count{others_kb}, all.size(), Count{objects}, Count{migrations},
                Count{all[0].digest});
    return 0;
}

// Ends all processes. One that has reported ends by itself once its input is closed.
void end_all(Parent &parent)
{
    const uint64_t end_us = clock_us() + end_us_max;
    for (Member &member : parent.members) {
        process::close_input(member.process);
        if (!member.reported) process::kill(member.process);
    }
    for (Member &member : parent.members) {
        while (!process::has_ended(member.process) && clock_us() < end_us)
            sleep_us(2000);
        process::kill(member.process);
        process::wait_for_end(member.process);
    }
}

}

int run_parent(const Options &options)
{
    Parent parent = {options, cut_pairs(options), {}, "", 0, 0, false, 0, 0};
    command_line::heed_signals();
    const std::string wrong = gather(parent);
    if (wrong.empty()) play(parent);
    end_all(parent);
    if (command_line::ended()) {
        std::printf("demo: interrupted\n");
        return 130;
    }
    for (size_t i = 0; i < parent.members.size(); ++i)
        if (!parent.members[i].failure.empty())
            return diverged("process " + std::to_string(i + 1) + " has " +
                            parent.members[i].failure);
    if (!wrong.empty()) return diverged(wrong);
    return judge(parent);
}

}
