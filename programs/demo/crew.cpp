#include "crew.h"
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace demo::crew {

// --- Signals ---

static volatile sig_atomic_t signal_seen = 0;

static void note_signal(int number)
{
    signal_seen = number;
}

void heed_signals()
{
    struct sigaction action = {};
    action.sa_handler = note_signal; // Without SA_RESTART: poll() returns.
    for (int number : {SIGINT, SIGTERM, SIGHUP})
        sigaction(number, &action, nullptr);
    signal(SIGPIPE, SIG_IGN);
}

bool interrupted()
{
    return signal_seen != 0;
}

// --- Forking ---

// What the child has inherited and must not keep: else a pipe of another's never ends.
static void close_inherited(Crew &crew)
{
    for (Member &member : crew.members) {
        pipes::close_end(member.to_child);
        pipes::close_end(member.inbox.descriptor);
    }
}

[[noreturn]] static void be_child(Crew &crew, child::Task task, int to_child, int from_child)
{
    close_inherited(crew);
    pipes::close_end(to_child);
    pipes::close_end(from_child);
    signal(SIGINT, SIG_IGN); // A terminal sends it to all; the parent ends us.
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_IGN);
    std::exit(child::run(crew.options, task));
}

std::string fork_member(Crew &crew, const std::string &invite)
{
    const pipes::Ends down = pipes::make_ends(), up = pipes::make_ends();
    if (down.read < 0 || up.read < 0) return "no pipe could be made";
    child::Task task = {};
    task.index = static_cast<uint32_t>(crew.members.size());
    task.invite = invite;
    task.draws = crew.draws;
    task.from_parent = down.read;
    task.to_parent = up.write;
    std::fflush(nullptr); // Else the child would print it once more.
    const pid_t process = fork();
    if (process == 0) be_child(crew, task, down.write, up.read);
    close(down.read);
    close(up.write);
    Member member = {};
    member.process = process;
    member.to_child = down.write;
    member.inbox.descriptor = up.read;
    if (process < 0) {
        close(down.write);
        close(up.read);
        return "no process could be forked";
    }
    crew.members.push_back(std::move(member));
    return "";
}

// --- Listening ---

static void take(Member &member, const Message &message)
{
    switch (message.kind) {
    case MessageKind::port: member.port = pipes::value<uint16_t>(message); return;
    case MessageKind::invite: member.invite = message.bytes; return;
    case MessageKind::opened: member.opened = true; return;
    case MessageKind::progress: member.now = pipes::value<Progress>(message); return;
    case MessageKind::picture: member.dots = pipes::values<Dot>(message); return;
    case MessageKind::world:
        member.world = pipes::values<Known>(message);
        member.testified = true;
        return;
    case MessageKind::missing: member.missing = message.bytes; return;
    case MessageKind::failed: member.failure = message.bytes; return;
    case MessageKind::none:
    case MessageKind::cuts:
    case MessageKind::play:
    case MessageKind::finish: return;
    }
}

// Its pipe has ended, so it has, or is about to.
static void reap(Member &member)
{
    int status = 0;
    if (member.process > 0) waitpid(member.process, &status, 0);
    member.process = 0;
    pipes::close_end(member.to_child);
    pipes::close_end(member.inbox.descriptor);
    if (member.killed || member.testified || !member.failure.empty()) return;
    member.failure = WIFSIGNALED(status)
                         ? "ended by signal " + std::to_string(WTERMSIG(status))
                         : "ended with status " + std::to_string(WEXITSTATUS(status));
}

void listen(Crew &crew, uint32_t wait_ms)
{
    std::vector<pollfd> ends;
    for (const Member &member : crew.members)
        ends.push_back({member.inbox.descriptor, POLLIN, 0}); // -1 is skipped.
    if (poll(ends.data(), ends.size(), static_cast<int>(wait_ms)) <= 0) return;
    for (Member &member : crew.members) {
        if (member.inbox.descriptor < 0) continue;
        for (;;) {
            const Message message = pipes::next_message(member.inbox);
            if (message.kind == MessageKind::none) break;
            take(member, message);
        }
        if (member.inbox.ended) reap(member);
    }
}

void tell_all(Crew &crew, MessageKind kind, const void *data, size_t size_bytes)
{
    for (Member &member : crew.members)
        if (member.to_child >= 0) pipes::write_message(member.to_child, kind, data, size_bytes);
}

// --- Cut pairs ---

template <class Act> static void each_cut(const Crew &crew, uint32_t index, Act act)
{
    for (const CutPair &pair : crew.cut_pairs) {
        if (pair.first == index) act(crew.members[pair.second]);
        if (pair.second == index) act(crew.members[pair.first]);
    }
}

void tell_cuts(Crew &crew)
{
    for (uint32_t i = 1; i < crew.members.size(); ++i) {
        std::vector<uint16_t> ports;
        each_cut(crew, i, [&](const Member &other) { ports.push_back(other.port); });
        pipes::write_messages(crew.members[i].to_child, MessageKind::cuts, ports);
    }
}

uint32_t living_cuts(const Crew &crew, const Member &member)
{
    uint32_t count = 0;
    each_cut(crew, static_cast<uint32_t>(&member - crew.members.data()),
             [&](const Member &other) { count += alive(other); });
    return count;
}

// --- Endings ---

void kill_member(Crew &, Member &member)
{
    member.killed = true;
    if (member.process <= 0) return;
    kill(member.process, SIGKILL);
    reap(member);
}

void end_all(Crew &crew)
{
    for (Member &member : crew.members) {
        if (member.process > 0) kill(member.process, SIGKILL);
        if (member.process > 0) waitpid(member.process, nullptr, 0);
        member.process = 0;
        pipes::close_end(member.to_child);
        pipes::close_end(member.inbox.descriptor);
    }
}

bool alive(const Member &member)
{
    return !member.killed && member.failure.empty();
}

uint32_t survivors(const Crew &crew)
{
    uint32_t count = 0;
    for (const Member &member : crew.members)
        count += alive(member);
    return count;
}

Member &first_alive(Crew &crew)
{
    for (Member &member : crew.members)
        if (alive(member)) return member;
    return crew.members[0];
}

Member *find_host(Crew &crew)
{
    const PeerId host = first_alive(crew).now.host;
    for (Member &member : crew.members)
        if (alive(member) && member.now.self == host) return &member;
    return nullptr;
}

Member *find_next(Crew &crew)
{
    const Member *host = find_host(crew);
    Member *next = nullptr;
    for (Member &member : crew.members)
        if (alive(member) && &member != host && (!next || member.now.self < next->now.self))
            next = &member;
    return next;
}

Member *find_last(Crew &crew)
{
    const Member *host = find_host(crew);
    Member *last = nullptr;
    for (Member &member : crew.members)
        if (alive(member) && &member != host && (!last || member.now.self > last->now.self))
            last = &member;
    return last;
}

const Member *failed(const Crew &crew)
{
    for (const Member &member : crew.members)
        if (!member.failure.empty()) return &member;
    return nullptr;
}

}
