#include "child.h"
#include "common/command_line.h"
#include <algorithm>
#include <csignal>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace demo {

static constexpr uint64_t second_us = 1'000'000;
static constexpr uint64_t start_us_max = 40 * second_us; // Limit for all peers to join.
// Limit for all to agree, and for all to report.
static constexpr uint64_t settle_us_max = 10 * second_us;
static constexpr uint64_t settled_us = second_us; // All must have agreed for this long.
static constexpr uint64_t lead_us = 200'000;      // From the order to play until the play.

using Count = unsigned long long; // For %llu.

namespace {

struct Member {
    const ChildBoard *board;
    pid_t process;        // 0: it has ended.
    bool killed;          // Killed by this parent, as planned.
    std::string failure;  // Why it ended on its own; empty: it has not.
    uint64_t resident_kb; // The most memory that it had; known at its end.
    Progress now;
};

struct Parent {
    const Options &options;
    Board &board;
    std::vector<Member> members; // Ordered by index: [0] is the first host.
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

// --- Waiting ---

// Notes which child has ended, and reads what all show.
void look(Parent &parent)
{
    int status = 0;
    rusage usage = {};
    const pid_t ended = wait4(-1, &status, WNOHANG, &usage);
    for (Member &member : parent.members) {
        member.now = member.board->progress[member.board->progress_count % 2];
        if (ended <= 0 || member.process != ended) continue;
        member.process = 0;
        member.resident_kb = static_cast<uint64_t>(usage.ru_maxrss);
        if (member.killed || member.board->stage == Stage::reported) continue;
        member.failure = WIFSIGNALED(status)
                             ? "ended by signal " + std::to_string(WTERMSIG(status))
                             : "ended with status " + std::to_string(WEXITSTATUS(status));
    }
}

// Prints a line about one of the living peers in each second of the play.
void show(Parent &parent)
{
    const Board &board = parent.board;
    const uint64_t now_us = clock_us();
    const std::vector<const Member *> members = living(parent);
    if (board.order < Order::play || now_us < parent.line_due_us || members.empty()) return;
    parent.line_due_us += second_us;
    std::printf("demo: %5.1f s %s peers=%zu: %s\n",
                static_cast<double>(now_us - board.from_us) / second_us,
                now_us < board.until_us ? "playing" : "quiet", members.size(),
                peer::text(members[0]->now).c_str());
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
    for (; is_fine(parent); sleep_us(2000)) {
        look(parent);
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

// Returns what went wrong, or an empty text.
std::string gather(Parent &parent)
{
    const Options &options = parent.options;
    Board &board = parent.board;
    const uint64_t begun_us = clock_us(), deadline_us = begun_us + start_us_max;
    for (uint32_t i = 0; i < options.peers; ++i) {
        const pid_t process = fork();
        if (process < 0) return "no process could be forked";
        if (process == 0) std::exit(child::run(options, board, i));
        parent.members.push_back({&board.children[i], process, false, "", 0, {}});
    }
    const auto all_bound = [&] {
        return each(parent, [](const Member &m) { return m.board->stage == Stage::bound; });
    };
    if (!wait_until(parent, deadline_us, all_bound)) return "not all peers have opened a socket";
    for (const auto &[first, second] : child::cut_pairs(options))
        std::printf("demo: process %u and process %u have no direct path\n", first + 1, second + 1);
    board.order = Order::join;
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
    std::printf("demo: peer %u%s is killed, process %d\n", static_cast<unsigned>(victim.now.self),
                is_host ? ", the host," : "", static_cast<int>(victim.process));
    if (is_host) parent.host_died_us = clock_us();
    victim.killed = true;
    if (victim.process > 0) kill(victim.process, SIGKILL);
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
    Board &board = parent.board;
    const uint64_t whole_us = parent.options.seconds * second_us;
    const uint64_t quiet_us = std::max<uint64_t>(3 * second_us, whole_us / 4);
    board.from_us = clock_us() + lead_us;
    board.until_us = board.from_us + whole_us - quiet_us;
    parent.line_due_us = board.from_us + second_us;
    board.order = Order::play;
    play_until(parent, board.from_us + whole_us / 2);
    if (is_fine(parent)) kill_some(parent);
    play_until(parent, board.from_us + whole_us);
    uint64_t since_us = clock_us();
    wait_until(parent, clock_us() + settle_us_max, [&] {
        if (!is_agreed(parent)) since_us = clock_us();
        return clock_us() - since_us >= settled_us;
    });
    board.order = Order::finish;
    wait_until(parent, clock_us() + settle_us_max, [&] {
        return each(parent, [](const Member &member) { return member.process == 0; });
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
    for (const auto &[first, second] : child::cut_pairs(parent.options))
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
        const Known *cubes = member->board->cubes;
        std::printf("demo: %s\n", peer::text(now).c_str());
        if (member->board->stage != Stage::reported)
            return diverged("this survivor has not reported");
        all.push_back({now.self, now.digest, {cubes, cubes + member->board->known_count}});
        objects = now.session.objects;
        migrations = std::max(migrations, now.session.migrations);
        uint64_t &most_kb = now.self == now.host ? host_kb : others_kb;
        most_kb = std::max(most_kb, member->resident_kb);
        if (now.host_us < parent.host_died_us) continue;
        hostless_us_min = std::min(hostless_us_min, now.host_us - parent.host_died_us);
        hostless_us_max = std::max(hostless_us_max, now.host_us - parent.host_died_us);
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

}

int run_parent(const Options &options)
{
    void *memory = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return diverged("no memory for the processes to share");
    Parent parent = {options, *static_cast<Board *>(memory), {}, 0, 0}; // The memory is zero.
    parent.board.parent = getpid();
    command_line::heed_signals();
    const std::string wrong = gather(parent);
    if (wrong.empty()) play(parent);
    for (const Member &member : parent.members)
        if (member.process > 0) kill(member.process, SIGKILL);
    while (wait(nullptr) > 0)
        continue;
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
