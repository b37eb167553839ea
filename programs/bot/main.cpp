// tern-bot: synthetic players for any session. See --help.
#include "report.h"
#include <algorithm>
#include <csignal>
#include <cstdio>

using namespace bot;

namespace {

constexpr uint64_t look_interval_us = 50'000;
constexpr uint64_t quiet_us = 1'000'000; // The worlds must stay equal and unchanged for this time.

volatile sig_atomic_t signal_seen = 0;

void note_signal(int number)
{
    signal_seen = 1;
    signal(number, SIG_DFL); // The second one kills the process.
}

// State kept from one look() to the next.
struct Watcher {
    const Options &options;
    Crowd &crowd;
    uint64_t begun_us = tern::clock_us();
    uint64_t printed_us = begun_us;
    Census now = {}, printed = {};
    tern::PeerId host = tern::PeerId::none;
    uint32_t host_changes = 0;
    uint32_t ended = 0;
    bool leaving = false;
};

double seconds_since(uint64_t us)
{
    return static_cast<double>(tern::clock_us() - us) / 1e6;
}

void tell_host(Watcher &watcher)
{
    const tern::PeerId host = watcher.now.host;
    if (host == tern::PeerId::none || host == watcher.host || watcher.leaving) return;
    watcher.host_changes += watcher.host != tern::PeerId::none;
    if (watcher.host != tern::PeerId::none)
        std::fprintf(stderr, "the host, peer %u, is gone; peer %u is the host now\n",
                     static_cast<unsigned>(watcher.host), static_cast<unsigned>(host));
    watcher.host = host;
}

void look(Watcher &watcher)
{
    tern::sleep_us(look_interval_us);
    watcher.now = crowd::census(watcher.crowd);
    tell_host(watcher);
    const uint32_t ended = watcher.now.failed + watcher.now.lost;
    if (ended > 0 && watcher.ended == 0)
        std::fprintf(stderr, "a bot has ended: %s\n", watcher.now.ends.begin()->first.c_str());
    watcher.ended = ended;
    const uint64_t now_us = tern::clock_us();
    if (now_us - watcher.printed_us < 1'000'000) return;
    watcher.printed_us = now_us;
    const std::string line = report::progress(watcher.options, seconds_since(watcher.begun_us),
                                              watcher.now, watcher.printed);
    if (!watcher.options.quiet) std::fprintf(stderr, "%s\n", line.c_str());
    watcher.printed = watcher.now;
}

bool all_ended(const Census &s)
{
    return s.waiting + s.joining + s.open == 0;
}

void play(Watcher &watcher, Outcome &outcome)
{
    do
        look(watcher);
    while (!signal_seen && watcher.now.waiting + watcher.now.joining > 0);
    outcome.play_begin = watcher.now;
    const uint64_t all_in_us = tern::clock_us();
    std::shared_ptr<Siege> siege;
    if (watcher.options.attack && !signal_seen) siege = siege::begin(watcher.options);
    while (!signal_seen && !all_ended(watcher.now) &&
           (watcher.options.seconds <= 0 || seconds_since(all_in_us) < watcher.options.seconds))
        look(watcher);
    if (siege) outcome.siege = siege::end(*siege);
    outcome.play_s = seconds_since(all_in_us);
    outcome.play_end = watcher.now;
}

// Whether the hostile bot and the guest have left: their departures may change the worlds. All bots
// have known each peer that was in.
bool is_over(const Watcher &watcher, const Outcome &outcome)
{
    const auto has_left = [&watcher](tern::PeerId peer) {
        return watcher.now.left_us.contains(peer);
    };
    const std::vector<Life> &lives = outcome.siege.lives;
    const std::vector<tern::PeerId> &guests = outcome.siege.guests;
    return std::all_of(lives.begin(), lives.end(),
                       [&](const Life &life) { return has_left(life.peer); }) &&
           std::all_of(guests.begin(), guests.end(), has_left);
}

void settle(Watcher &watcher, Outcome &outcome)
{
    outcome.compared = true;
    const uint64_t begun_us = tern::clock_us();
    uint64_t digest = 0, since_us = 0;
    while (!signal_seen && !outcome.settled && !all_ended(watcher.now) &&
           seconds_since(begun_us) < watcher.options.settle_s) {
        look(watcher);
        const Census &now = watcher.now;
        const bool equal = now.digests.size() == 1 && now.awaiting == 0 && now.joining == 0 &&
                           now.digests.begin()->second == now.open && is_over(watcher, outcome);
        if (!equal || since_us == 0 || now.digests.begin()->first != digest) since_us = 0;
        if (equal && since_us == 0) since_us = tern::clock_us();
        if (equal) digest = now.digests.begin()->first;
        outcome.settled = equal && tern::clock_us() - since_us >= quiet_us;
    }
    outcome.settle_s = seconds_since(begun_us);
    outcome.rest = watcher.now;
    if (signal_seen && !outcome.settled) outcome.compared = false;
    if (outcome.compared) std::fprintf(stderr, "%s\n", report::settled(outcome).c_str());
}

Outcome run(const Options &options)
{
    Outcome outcome;
    const std::shared_ptr<Crowd> crowd = crowd::make(options);
    Watcher watcher = {options, *crowd};
    play(watcher, outcome);
    outcome.interrupted = signal_seen;
    if (!signal_seen) crowd::enter(*crowd, Phase::resting);
    if (!signal_seen && options.settle_s > 0) settle(watcher, outcome);
    while (options.stay && !signal_seen && !all_ended(watcher.now))
        look(watcher);
    // Both the open bots and the lost ones have joined.
    outcome.joined = watcher.now.open + watcher.now.lost;
    outcome.in_room = watcher.now.open;
    outcome.host_changes = watcher.host_changes;
    watcher.leaving = true;
    crowd::enter(*crowd, Phase::leaving);
    while (watcher.now.open + watcher.now.joining > 0)
        look(watcher);
    outcome.end = watcher.now;
    return outcome;
}

}

int main(int argc, char **argv)
{
    const ParsedOptions parsed = parse_options(argc, argv);
    if (!parsed.run) {
        std::fputs(parsed.text.c_str(), parsed.exit_status == 0 ? stdout : stderr);
        return parsed.exit_status;
    }
    for (int number : {SIGINT, SIGTERM})
        signal(number, note_signal);
    const Outcome outcome = run(parsed.options);
    std::fputs(report::summary(parsed.options, outcome).c_str(), stderr);
    if (parsed.options.attack) std::fputs(report::siege(parsed.options, outcome).c_str(), stderr);
    if (parsed.options.json) std::printf("%s\n", report::json(parsed.options, outcome).c_str());
    return static_cast<int>(report::exit_code(parsed.options, outcome));
}
