// Paths that change: one carries larger datagrams than the guaranteed size (datagram_bytes_base),
// and then no longer does; both ends of another one move while it leads through a relay.
#include "sim/scenarios/scenarios_run.h"
#include "tern/diagnostics.hpp"
#include "tern/limits.hpp"

namespace tern::scenarios {

namespace {

constexpr uint32_t many = 1000, more = 300; // Objects created at first, and later.
constexpr uint64_t shrinking_us = 5'000'000, resting_us = 7'000'000;

// Place 0 creates many objects, which fill packets. Then its path to place 1 loses large datagrams,
// while it changes some objects and creates more.
std::string shrinking_trace()
{
    std::string text = "tern-trace 1 simulate\nseed 3\nplaces 4\nseconds 14\nobjects 6000\n"
                       "choices\nstart 1 @1000000 =0\nstart 2 @1000000 =0\nstart 3 @1000000 =0\n"
                       "mtu 0>1 @" +
                       std::to_string(shrinking_us) + " +8000000 =1300\n";
    const auto create = [&](uint64_t at_us, uint32_t thing) {
        text += "create 0 @" + std::to_string(at_us) + " o" + std::to_string(thing) + " =" +
                std::to_string(124'076'828 + 64 * thing) + "\n";
    };
    for (uint32_t thing = 1; thing <= many; ++thing)
        create(3'000'000, thing);
    uint64_t content = 1'000;
    for (uint64_t at_us = shrinking_us + 100'000; at_us < resting_us; at_us += 100'000)
        for (uint32_t thing = 1; thing <= more; ++thing, content += 64)
            text += "set 0 @" + std::to_string(at_us) + " o" + std::to_string(thing) + " =" +
                    std::to_string(content) + "\n";
    for (uint32_t thing = many + 1; thing <= many + more; ++thing)
        create(resting_us - 1'000'000, thing);
    return text;
}

uint32_t datagram_bytes(const Run &run, uint16_t from, uint16_t to)
{
    return peer_stats(run.sim->nodes[from].session, run.sim->nodes[to].self).datagram_bytes;
}

PlayedSessions a_path_shrinks(const Stage &stage)
{
    Run run = begin(stage, shrinking_trace());
    advance_to(run, 2'900'000);
    expect(run, datagram_bytes(run, 0, 1) == datagram_bytes_base, "at first none is large");
    advance_to(run, shrinking_us);
    for (uint16_t to = 1; to < 4; ++to)
        expect(run, datagram_bytes(run, 0, to) == datagram_bytes_max,
               "full packets have found out that larger ones get through");
    expect(run, datagram_bytes(run, 2, 3) <= datagram_bytes_base,
           "who has nothing to say tries nothing");
    uint64_t noticed_us = 0;
    while (run.sim->now_us < resting_us && advance(run))
        if (noticed_us == 0 && datagram_bytes(run, 0, 1) == datagram_bytes_base)
            noticed_us = run.sim->now_us;
    expect(run, noticed_us > 0, "the first has noticed that the path is smaller now");
    advance_to(run, resting_us + 500'000);
    expect(run, agree(run), "all have what was said over it");
    expect(run, datagram_bytes(run, 0, 2) == datagram_bytes_max, "other paths are as before");
    return finish(run, "noticed after " + seconds(noticed_us - shrinking_us));
}

// The host and 1 move while no path joins them. Nobody but their relay, 2, knows both addresses.
constexpr const char *moving_trace = "tern-trace 1 simulate\nseed 3\nplaces 3\nseconds 21\n"
                                     "choices\nstart 1 @1000000 =0\nstart 2 @1000000 =0\n"
                                     "cut 0>1 @4000000 +5000000\ncut 1>0 @4000000 +5000000\n"
                                     "rebind 0 @6500000 +0\nrebind 1 @6500000 +0\n";

bool is_bridged(const Run &run, uint16_t from, uint16_t to)
{
    return peer_stats(run.sim->nodes[from].session, run.sim->nodes[to].self).bridged;
}

PlayedSessions both_ends_move(const Stage &stage)
{
    constexpr uint64_t joined_us = 9'000'000, moved_us = 6'500'000;
    Run run = begin(stage, moving_trace);
    advance_to(run, moved_us);
    expect(run, is_bridged(run, 0, 1) && is_bridged(run, 1, 0), "the two are bridged");
    advance_to(run, joined_us);
    expect(run, agree(run) && is_bridged(run, 0, 1), "they stay so when both have moved");
    while (run.sim->now_us < 20'000'000 && is_bridged(run, 0, 1) && advance(run)) {
    }
    const uint64_t found_us = run.sim->now_us;
    advance_to(run, 20'500'000);
    expect(run, !is_bridged(run, 0, 1) && !is_bridged(run, 1, 0), "each has found the other");
    return finish(run, "found after " + seconds(found_us - joined_us));
}

constexpr Playable all[] = {
    {{"shrinking", "a path that no longer carries large datagrams"}, a_path_shrinks, true},
    {{"S17-moved", "S17: the host and one other are bridged, and both move"}, both_ends_move},
};

}

std::span<const Playable> links()
{
    return all;
}

}
