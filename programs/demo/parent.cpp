#include "parent.h"
#include "crew.h"
#include "verdict.h"
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <random>

namespace demo::parent {

static constexpr uint64_t second_us = 1'000'000;
static constexpr uint64_t start_us_max = 40 * second_us; // Until all are in.
static constexpr uint64_t settle_us_max = 10 * second_us;
static constexpr uint64_t settled_us = second_us; // So long all must have agreed.
static constexpr uint64_t report_us_max = 10 * second_us;
static constexpr size_t rows_max = 16;       // Of more peers no picture is drawn.
static constexpr uint64_t lead_us = 200'000; // From the order to play until the play.

struct Parent {
    Crew crew;
    uint64_t begun_us;     // The first process was forked.
    uint64_t from_us;      // The play begins; 0: not yet.
    uint64_t shown_us;     // The last line or picture.
    uint64_t host_died_us; // 0: it has not.
    std::string phase;
    std::string notes; // What is to be printed after the picture is gone.
};

// Printed, or kept until the picture is gone.
__attribute__((format(printf, 2, 3))) static void say(Parent &parent, const char *format, ...)
{
    char text[512];
    va_list values;
    va_start(values, format);
    std::vsnprintf(text, sizeof text, format, values);
    va_end(values);
    if (parent.crew.draws) {
        parent.notes += text;
        return;
    }
    std::fputs(text, stdout);
    std::fflush(stdout);
}

// --- Showing how it goes ---

static double seconds_played(const Parent &parent, uint64_t now_us)
{
    return parent.from_us == 0 || now_us < parent.from_us
               ? 0
               : static_cast<double>(now_us - parent.from_us) / second_us;
}

static void show_line(Parent &parent, uint64_t now_us, double passed_s)
{
    uint64_t objects = 0, migrations = 0, sent = 0, lost = 0, in_bytes = 0, out_bytes = 0, rtt = 0;
    uint64_t least = UINT64_MAX, most = 0;
    std::string owned;
    for (Member &member : parent.crew.members) {
        if (!crew::alive(member)) continue;
        const Progress &now = member.now;
        objects = std::max(objects, now.objects);
        migrations = std::max(migrations, now.migrations);
        rtt += now.rtt_us / 1000;
        sent += now.sent_datagrams;
        lost += now.lost_datagrams;
        in_bytes += now.received_bytes - member.shown.received_bytes;
        out_bytes += now.sent_bytes - member.shown.sent_bytes;
        least = std::min(least, now.owned);
        most = std::max(most, now.owned);
        if (parent.crew.members.size() <= rows_max)
            owned += (owned.empty() ? "" : "/") + std::to_string(now.owned);
        member.shown = now;
    }
    if (owned.empty()) owned = std::to_string(least) + ".." + std::to_string(most);
    const uint32_t peers = std::max(1u, crew::survivors(parent.crew));
    const double loss = sent == 0 ? 0 : 100 * static_cast<double>(lost) / static_cast<double>(sent);
    const double per_peer_s = passed_s * peers * 1000;
    say(parent,
        "demo: %5.1f s %s peers=%u objects=%llu owned=%s migrations=%llu rtt=%llums loss=%.1f%% "
        "in=%.0fkB/s out=%.0fkB/s\n",
        seconds_played(parent, now_us), parent.phase.c_str(), peers,
        static_cast<unsigned long long>(objects), owned.c_str(),
        static_cast<unsigned long long>(migrations), static_cast<unsigned long long>(rtt / peers),
        loss, static_cast<double>(in_bytes) / per_peer_s,
        static_cast<double>(out_bytes) / per_peer_s);
}

static void show_picture(Parent &parent, uint64_t now_us, double passed_s)
{
    const Options &options = parent.crew.options;
    const Member &viewer = crew::first_alive(parent.crew);
    char title[96];
    std::snprintf(title, sizeof title,
                  "tern-demo  %5.1f s of %u  %s  %s, loss %g %%, %u to %u ms  seen by peer %u",
                  seconds_played(parent, now_us), options.seconds, parent.phase.c_str(),
                  socket_name(options.socket), options.loss_percent, options.delay_ms,
                  options.delay_ms + options.jitter_ms, static_cast<unsigned>(viewer.now.self));
    Picture picture = {title, viewer.dots, {}, ""};
    for (Member &member : parent.crew.members) {
        PictureRow row = {member.now, member.shown, passed_s, member.killed ? "killed" : ""};
        if (member.killed) row.before = row.now;
        picture.rows.push_back(std::move(row));
        member.shown = member.now;
    }
    std::sort(picture.rows.begin(), picture.rows.end(),
              [](const PictureRow &a, const PictureRow &b) { return a.now.self < b.now.self; });
    picture::show(picture);
}

static void show(Parent &parent)
{
    const uint64_t now_us = clock_us();
    const uint64_t interval_us = parent.crew.draws ? second_us / 4 : second_us;
    // Lines fall on whole seconds of the play; there are none before it.
    const uint64_t first_us = parent.from_us == 0 ? parent.begun_us : parent.from_us;
    if (parent.from_us == 0 && !parent.crew.draws) return;
    const uint64_t last_us = std::max(first_us, parent.shown_us);
    if (now_us < last_us + interval_us) return;
    const double passed_s = static_cast<double>(now_us - last_us) / second_us;
    parent.shown_us = first_us + (now_us - first_us) / interval_us * interval_us;
    if (parent.crew.draws)
        show_picture(parent, now_us, passed_s);
    else
        show_line(parent, now_us, passed_s);
}

// --- Waiting ---

// Whether to go on: nobody has failed, and nobody has interrupted.
static bool fine(const Parent &parent)
{
    return !crew::interrupted() && !crew::failed(parent.crew);
}

template <class Condition>
static bool wait_until(Parent &parent, uint64_t deadline_us, Condition condition)
{
    while (fine(parent)) {
        if (condition()) return true;
        const uint64_t now_us = clock_us();
        if (now_us >= deadline_us) return false;
        const uint64_t left_ms = (deadline_us - now_us + 999) / 1000;
        crew::listen(parent.crew, static_cast<uint32_t>(std::min<uint64_t>(left_ms, 50)));
        show(parent);
    }
    return false;
}

static void play_until(Parent &parent, uint64_t until_us)
{
    wait_until(parent, until_us, [] { return false; });
}

// --- The acts; each tells what went wrong, or nothing ---

static std::string cut_pairs(Parent &parent, uint64_t deadline_us)
{
    Crew &crew = parent.crew;
    const Options &options = crew.options;
    if (options.cut_pairs == 0) return "";
    const auto all_bound = [&crew] {
        return std::all_of(crew.members.begin() + 1, crew.members.end(),
                           [](const Member &member) { return member.port != 0; });
    };
    if (!wait_until(parent, deadline_us, all_bound)) return "not all have told their ports";
    crew.cut_pairs = cuts::choose(options.peers, options.cut_pairs, options.seed);
    for (const CutPair &pair : crew.cut_pairs)
        say(parent, "demo: process %u and process %u have no direct path\n", pair.first + 1,
            pair.second + 1);
    crew::tell_cuts(crew);
    return "";
}

static std::string gather(Parent &parent)
{
    Crew &crew = parent.crew;
    parent.phase = "joining";
    parent.begun_us = clock_us();
    const uint64_t deadline_us = clock_us() + start_us_max;
    std::string wrong = crew::fork_member(crew, "");
    if (!wrong.empty()) return wrong;
    const auto invited = [&crew] { return !crew.members[0].invite.empty(); };
    if (!wait_until(parent, deadline_us, invited)) return "the host has given no invite";
    const std::string invite = crew.members[0].invite;
    say(parent, "demo: the host's invite is %s\n", invite.c_str());
    while (crew.members.size() < crew.options.peers && wrong.empty())
        wrong = crew::fork_member(crew, invite);
    if (!wrong.empty()) return wrong;
    wrong = cut_pairs(parent, deadline_us);
    if (!wrong.empty()) return wrong;
    const auto all_in = [&crew] {
        return std::all_of(crew.members.begin(), crew.members.end(), [](const Member &member) {
            return member.opened && member.now.members >= 1;
        });
    };
    if (!wait_until(parent, deadline_us, all_in)) return "not all peers could join in time";
    say(parent,
        "demo: all %u peers are in after %llu ms, a %s over %s; loss %g %%, %u to %u ms one way\n",
        crew.options.peers, static_cast<unsigned long long>((clock_us() - parent.begun_us) / 1000),
        topology_name(crew.options.topology), socket_name(crew.options.socket),
        crew.options.loss_percent, crew.options.delay_ms,
        crew.options.delay_ms + crew.options.jitter_ms);
    return "";
}

static void kill_member(Parent &parent, Member &victim)
{
    const bool is_host = victim.now.self == victim.now.host;
    say(parent, "demo: peer %u%s is killed, process %d\n", static_cast<unsigned>(victim.now.self),
        is_host ? ", the host," : "", static_cast<int>(victim.process));
    if (is_host) parent.host_died_us = clock_us();
    crew::kill_member(parent.crew, victim);
}

static void kill_some(Parent &parent)
{
    Crew &crew = parent.crew;
    const Options &options = crew.options;
    std::mt19937_64 random(options.seed);
    if (options.no_kill) return;
    Member *host = crew::find_host(crew);
    Member *second = options.kill_other ? crew::find_last(crew) : crew::find_next(crew);
    if (!options.kill_host && !options.kill_two)
        return kill_member(parent, crew.members[1 + random() % (crew.members.size() - 1)]);
    if (!host || !second) return; // The verdict will say that too many are there.
    kill_member(parent, *host);
    if (!options.kill_two) return;
    sleep_us(random() % 100'000);
    kill_member(parent, *second);
}

static void play(Parent &parent)
{
    const Options &options = parent.crew.options;
    const uint64_t whole_us = options.seconds * second_us;
    const uint64_t quiet_us = std::max<uint64_t>(3 * second_us, whole_us / 4);
    parent.from_us = clock_us() + lead_us;
    parent.phase = "playing";
    const Play orders = {parent.from_us, parent.from_us + whole_us - quiet_us};
    crew::tell_all(parent.crew, MessageKind::play, &orders, sizeof orders);
    const uint64_t kill_us = parent.from_us + whole_us / 2;
    play_until(parent, std::min(kill_us, orders.until_us));
    if (kill_us > orders.until_us) parent.phase = "quiet";
    play_until(parent, kill_us);
    if (!fine(parent)) return;
    kill_some(parent);
    play_until(parent, orders.until_us);
    parent.phase = "quiet";
    play_until(parent, parent.from_us + whole_us);
}

static bool agreed(Crew &crew)
{
    const uint32_t survivors = crew::survivors(crew);
    const Progress &first = crew::first_alive(crew).now;
    return std::all_of(crew.members.begin(), crew.members.end(), [&](const Member &member) {
        return !crew::alive(member) ||
               (member.now.digest == first.digest && member.now.members == survivors &&
                member.now.host == first.host);
    });
}

static void settle(Parent &parent)
{
    uint64_t since_us = 0, digest = 0;
    wait_until(parent, clock_us() + settle_us_max, [&] {
        const uint64_t now_us = clock_us();
        const uint64_t present = crew::first_alive(parent.crew).now.digest;
        if (!agreed(parent.crew) || present != digest || since_us == 0) since_us = now_us;
        digest = present;
        return now_us - since_us >= settled_us;
    });
}

static void collect(Parent &parent)
{
    crew::tell_all(parent.crew, MessageKind::finish, nullptr, 0);
    wait_until(parent, clock_us() + report_us_max, [&parent] {
        return std::all_of(parent.crew.members.begin(), parent.crew.members.end(),
                           [](const Member &member) { return member.killed || member.testified; });
    });
}

// --- The end ---

// How long the survivors had no host.
static void tell_change_of_host(Parent &parent)
{
    uint64_t least_us = UINT64_MAX, most_us = 0;
    for (const Member &member : parent.crew.members) {
        if (!crew::alive(member) || member.now.host_us < parent.host_died_us) continue;
        least_us = std::min(least_us, member.now.host_us - parent.host_died_us);
        most_us = std::max(most_us, member.now.host_us - parent.host_died_us);
    }
    if (parent.host_died_us == 0 || most_us == 0) return;
    std::printf("demo: peer %u is the host, %llu to %llu ms after the death of the last\n",
                static_cast<unsigned>(crew::first_alive(parent.crew).now.host),
                static_cast<unsigned long long>(least_us / 1000),
                static_cast<unsigned long long>(most_us / 1000));
}

// Who hosts needs more than the others.
static void tell_memory(const Crew &crew)
{
    uint64_t host_kb = 0, others_kb = 0;
    for (const Member &member : crew.members) {
        if (!crew::alive(member)) continue;
        uint64_t &most_kb = member.now.self == member.now.host ? host_kb : others_kb;
        most_kb = std::max(most_kb, member.now.resident_kb);
    }
    std::printf("demo: resident: the host %llu kB, others at most %llu kB\n",
                static_cast<unsigned long long>(host_kb),
                static_cast<unsigned long long>(others_kb));
}

// Empty, or who has not heard each cheer of all others. With a peer that was killed some of them
// may have gone.
static std::string unheard(const Crew &crew)
{
    uint32_t all = 0;
    for (const Member &member : crew.members)
        all += member.now.cheered;
    std::string lines;
    for (const Member &member : crew.members) {
        if (member.killed) return "";
        if (member.now.heard == all - member.now.cheered) continue;
        lines += "peer " + std::to_string(static_cast<unsigned>(member.now.self)) + " has heard " +
                 std::to_string(member.now.heard) + " cheers of " +
                 std::to_string(all - member.now.cheered) + "\n";
    }
    return lines;
}

static int judge(Crew &crew)
{
    std::vector<Testimony> testimonies;
    uint64_t migrations = 0;
    bool all_told = true, all_bridged = true;
    for (const Member &member : crew.members) {
        if (!crew::alive(member)) continue;
        all_told = all_told && member.testified;
        migrations = std::max(migrations, member.now.migrations);
        all_bridged = all_bridged && member.now.bridged >= crew::living_cuts(crew, member);
        testimonies.push_back({member.now.self, member.now.digest, member.world});
        std::printf("demo: peer %u: members=%u objects=%zu owned=%llu migrations=%llu dropped=%llu "
                    "bridged=%u digest=%016llx\n",
                    static_cast<unsigned>(member.now.self), member.now.members, member.world.size(),
                    static_cast<unsigned long long>(member.now.owned),
                    static_cast<unsigned long long>(member.now.migrations),
                    static_cast<unsigned long long>(member.now.bad), member.now.bridged,
                    static_cast<unsigned long long>(member.now.digest));
    }
    if (!all_told) {
        std::printf("demo: DIVERGED: not all survivors have reported\n");
        return 1;
    }
    // A peer that still counts the dead one in has not heard of its departure.
    const bool same_members = agreed(crew);
    if (!same_members || !verdict::converged(testimonies)) {
        std::printf("demo: DIVERGED peers=%zu%s\n%s", testimonies.size(),
                    same_members ? "" : ": not all count the same members",
                    verdict::differences(testimonies).c_str());
        for (const Member &member : crew.members)
            std::printf("%s", member.missing.c_str());
        return 1;
    }
    const std::string silence = unheard(crew);
    if (!silence.empty()) {
        std::printf("demo: DIVERGED: calls were lost\n%s", silence.c_str());
        return 1;
    }
    if (!all_bridged) {
        std::printf("demo: DIVERGED: a pair that is cut is not bridged\n");
        return 1;
    }
    tell_memory(crew);
    std::printf("demo: converged peers=%zu objects=%zu migrations=%llu digest=%016llx\n",
                testimonies.size(), testimonies[0].world.size(),
                static_cast<unsigned long long>(migrations),
                static_cast<unsigned long long>(testimonies[0].digest));
    return 0;
}

// Of a run that could not go to its end.
static int explain(const Parent &parent, const std::string &wrong)
{
    if (crew::interrupted()) {
        std::printf("demo: interrupted\n");
        return 130;
    }
    if (const Member *member = crew::failed(parent.crew)) {
        const auto index = static_cast<size_t>(member - parent.crew.members.data());
        std::printf("demo: DIVERGED: process %zu has ended: %s\n", index + 1,
                    member->failure.c_str());
        return 1;
    }
    std::printf("demo: DIVERGED: %s\n", wrong.c_str());
    return 1;
}

int run(const Options &options)
{
    Parent parent = {};
    parent.crew.options = options;
    parent.crew.draws = picture::possible() && options.peers <= rows_max;
    parent.crew.members.reserve(options.peers);
    crew::heed_signals();
    if (parent.crew.draws) picture::begin();
    const std::string wrong = gather(parent);
    if (wrong.empty()) {
        play(parent);
        settle(parent);
        collect(parent);
    }
    crew::end_all(parent.crew);
    picture::end();
    std::fputs(parent.notes.c_str(), stdout);
    tell_change_of_host(parent);
    return wrong.empty() && fine(parent) ? judge(parent.crew) : explain(parent, wrong);
}

}
