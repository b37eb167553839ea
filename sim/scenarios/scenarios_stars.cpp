// Sessions of the topology star (docs/use/topologies.md): clients that reach each other only
// through the host, and hosts that die while messages are under way.
#include "sim/scenarios/scenarios_run.h"
#include <algorithm>

namespace tern::scenarios {

namespace {

constexpr uint16_t place_count = 5;

std::string star_trace(uint32_t seconds, const char *more)
{
    return populated_trace(place_count, seconds, "topology star\n") + more;
}

uint64_t said_between_clients(const Run &run, uint16_t host)
{
    uint64_t datagrams = 0;
    for (uint16_t from = 0; from < place_count; ++from)
        for (uint16_t to = 0; to < place_count; ++to)
            if (from != to && from != host && to != host)
                datagrams += wire::route(run.sim->wire, from, to).sent;
    return datagrams;
}

int64_t heard(const Run &run, uint16_t place, bool reliable)
{
    return std::count_if(run.calls.begin(), run.calls.end(), [&](const HeardCall &one) {
        return one.place == place && one.call.reliable == reliable;
    });
}

// --- The host relays everything ---

PlayedSessions sent_by_the_host(const Stage &stage)
{
    Run run = begin(stage, star_trace(14, "claim 1 @4000000 o3\n"
                                          "set 1 @5000000 o2 =12407\n"
                                          "destroy 4 @5000000 o5\n"
                                          "call 1>2 @6000000 o2\n"
                                          "call 2>1 @6000000 o2\n"
                                          "whisper 3>4 @6000000 o2\n"
                                          "call 0>3 @6000000 o2\n"
                                          "call 3>0 @6000000 o2\n"));
    advance_to(run, 3'000'000);
    const uint64_t before = said_between_clients(run, 0); // Joining peers may ask any member.
    advance_to(run, 8'000'000);
    expect(run, agree(run), "all agree");
    for (uint16_t place = 0; place < place_count; ++place) {
        expect(run, is_owned(run, place, 3, 1), "a client owns what was another client's");
        expect(run, is_dead(run, place, 5), "what a client has destroyed is dead");
        expect(run, heard(run, place, true) == (place < 4 ? 1 : 0), "each call is heard once");
    }
    expect(run, heard(run, 4, false) == 1, "the unreliable call is heard by whom it was for");
    for (const HeardCall &call : run.calls)
        expect(run, call.call.to == run.sim->nodes[call.place].self, "nobody hears another's call");
    expect(run, said_between_clients(run, 0) == before, "no client has said anything to another");
    PlayedSessions played = finish(run);
    played.measured =
        std::to_string(run.calls.size()) + " calls heard, each once; no datagram between clients";
    return played;
}

// --- Hosts that die ---

PlayedSessions host_dies(const Stage &stage)
{
    Run run = begin(stage, star_trace(24, "claim 3 @4000000 o2\n"
                                          "crash 0 @5000000\n"
                                          "set 3 @6000000 o2 =12407\n"
                                          "create 4 @6000000 o6 =12407\n"
                                          "claim 4 @6000000 o3\n"
                                          "start 0 @14000000 =0\n"));
    const std::vector<uint16_t> left = {1, 2, 3, 4};
    uint64_t agreed_us = 0;
    bool was_cut_off = false;
    while (agreed_us == 0 && run.sim->now_us < 12'500'000 && advance(run)) {
        if (run.sim->now_us > 6'500'000 && agree(run, left)) agreed_us = run.sim->now_us;
        was_cut_off = was_cut_off || is_cut_off(run, 1);
    }
    expect(run, agreed_us > 0, "the clients agree under the next host");
    expect(run, !was_cut_off, "the next host is never cut off");
    advance_to(run, 13'000'000);
    for (const uint16_t place : left) {
        expect(run, is_owned(run, place, 1, 1), "the next host has what was the dead one's");
        expect(run, is_owned(run, place, 2, 3), "what the dead host granted is still granted");
        expect(run, is_owned(run, place, 3, 4), "a claim made meanwhile is granted");
        expect(run, is_owned(run, place, 6, 4), "what was made meanwhile is there");
    }
    expect(run, host_peer(run.sim->nodes[4].session) == run.sim->nodes[1].self,
           "the next in line is the host");
    advance_to(run, 20'000'000);
    expect(run, agree(run), "who comes back is told all by the next host");
    return finish(run, "all agree " + seconds(agreed_us - 5'000'000) + " after the crash");
}

// One member does not hear the host and looks for the next one, which hears the host until it is
// cut off as well. Neither takes the host's place, because two of three are never together without
// it.
PlayedSessions early(const Stage &stage)
{
    constexpr const char *text = "tern-trace 1 simulate\nseed 1042\nplaces 3\nseconds 14\n"
                                 "objects 24\nlatency_us_low 7753\nlatency_us_high 84843\n"
                                 "timeout_ms 2247\njoin_timeout_ms 5247\ntopology star\nchoices\n"
                                 "start 1 @1020000 =0\n"
                                 "create 0 @1252154 o11 =0\n"
                                 "start 2 @1275800 =0\n"
                                 "migrate 0>1 @8402297 o11\n"
                                 "cut 0>1 @9083350 +3504180\n"
                                 "cut 0>2 @11422900 +2958354\n"
                                 "set 1 @11520210 o11 =0\n"
                                 "set 1 @13903591 o11 =0\n"
                                 "delay 1>0 #2 +226760\n";
    Run run = begin(stage, text);
    advance_to(run, 13'990'000);
    const auto follows = [&](uint16_t place, uint16_t host) {
        return tern::host_peer(run.sim->nodes[place].session) == run.sim->nodes[host].self;
    };
    expect(run, follows(1, 0) && follows(2, 0), "both follow the host");
    return finish(run, "both follow the host that there was");
}

// 4 notices before 1 that the host has died, and calls through 1, the next host, which does not
// know yet that it is the host. 1 must keep the call until it does.
PlayedSessions early_call(const Stage &stage)
{
    constexpr const char *text = "tern-trace 1 simulate\nseed 454939622\nplaces 5\nseconds 34\n"
                                 "objects 43\nlatency_us_low 20000\nlatency_us_high 20000\n"
                                 "timeout_ms 2076\njoin_timeout_ms 5076\ntopology star\nchoices\n"
                                 "start 1 @1020000 =0\n"
                                 "start 2 @1236396 =0\n"
                                 "start 3 @1308528 =0\n"
                                 "start 4 @1380660 =0\n"
                                 "create 2 @2046396 o45 =0\n"
                                 "natted 1 @24070330 =0\n"
                                 "crash 0 @27191680\n"
                                 "ask 4>0 @30650660 o45 =0\n";
    Run run = begin(stage, text);
    advance_to(run, 36'000'000);
    const std::vector<AskRecord> &said = run.sim->oracles.asks[run.sim->nodes[4].self].said;
    expect(run, said.size() == 1, "4 has called");
    expect(run, !said.empty() && said[0].heard_by == std::vector{run.sim->nodes[2].self},
           "its owner has heard the call");
    return finish(run, "the owner has heard the call, once");
}

// The next host reaches one client later than the others, and has a death to tell by then. The
// client lets that wait until it follows the next host, so the QUERY must come before it.
PlayedSessions query_first(const Stage &stage)
{
    Run run = begin(stage, star_trace(14, "crash 0 @5000000\n"
                                          "cut 1>2 @6500000 +1500000\n"
                                          "cut 2>1 @6500000 +1500000\n"
                                          "create 1 @7600000 o10 =0\n"
                                          "destroy 1 @7700000 o10\n"));
    const std::vector<uint16_t> left = {1, 2, 3, 4};
    advance_to(run, 7'800'000);
    const PeerId self = run.sim->nodes[2].self;
    expect(run, !agree(run, left), "one client does not know of the death yet");
    advance_to(run, 12'000'000);
    expect(run, agree(run, left), "the clients agree under the next host");
    expect(run, run.sim->nodes[2].self == self, "the late client has not been removed");
    return finish(run, "the late client follows the next host");
}

// 1 was removed, and asks the host when that goes on after a pause. By then 2 is the host, and has
// removed the former one, which must not take an ack for a sign that others know the newcomer.
PlayedSessions host_wakes(const Stage &stage)
{
    constexpr const char *text = "tern-trace 1 simulate\nseed 805817121\nplaces 4\nseconds 23\n"
                                 "objects 56\ntick_us_low 16667\ntick_us_high 16667\n"
                                 "latency_us_low 20000\nlatency_us_high 20000\n"
                                 "timeout_ms 1584\njoin_timeout_ms 4584\ntopology star\nchoices\n"
                                 "start 1 @1020000 =0\n"
                                 "start 2 @1020000 =0\n"
                                 "start 3 @1020000 =0\n"
                                 "pause 1 @11821960 +3140542\n"
                                 "pause 0 @17008510 +1667265\n";
    Run run = begin(stage, text);
    while (run.sim->now_us < 21'900'000 && advance(run))
        expect(run, run.sim->now_us < 20'000'000 || !is_open(run, 1),
               "the former host admits none");
    advance_to(run, 23'000'000);
    expect(run, is_open(run, 1) && agree(run), "all are in the session of the next host");
    return finish(run, "the newcomer is admitted by the next host alone");
}

// --- Cut off ---

PlayedSessions clients_parted(const Stage &stage)
{
    std::string cuts;
    for (uint16_t from = 1; from < place_count; ++from)
        for (uint16_t to = 1; to < place_count; ++to)
            if (from != to)
                cuts += "cut " + std::to_string(from) + ">" + std::to_string(to) +
                        " @3000000 +13000000\n";
    Run run = begin(stage, star_trace(16, cuts.c_str()));
    advance_to(run, 15'000'000);
    expect(run, agree(run), "clients need no path to each other");
    return finish(run, "all agree, though 12 paths are cut");
}

PlayedSessions client_cut_off(const Stage &stage)
{
    Run run =
        begin(stage, star_trace(36, "cut 0>3 @5000000 +20000000\ncut 3>0 @5000000 +20000000\n"));
    advance_to(run, 24'500'000);
    const std::vector<uint16_t> left = {0, 1, 2, 4};
    expect(run, agree(run, left), "the others agree");
    for (const uint16_t place : left)
        expect(run, is_owned(run, place, 4, 0), "the host has what was its");
    const Node &node = run.sim->nodes[3];
    expect(run, node.session && session_state(node.session) == State::joining,
           "who was removed asks until it reaches the host");
    const PeerId former = node.self;
    advance_to(run, 34'000'000);
    expect(run, agree(run), "it has come back");
    expect(run, node.self != former, "as another peer");
    return finish(run, "it has come back by itself");
}

// Place 2 is removed while it is cut off, and then the host leaves. Place 1, the next host, refuses
// it, which is not enough: 2 must ask all others before it knows that no majority is left for it.
PlayedSessions client_asks_all(const Stage &stage)
{
    std::string acts = "leave 0 @11000000\n";
    for (const std::string other : {"0", "1", "3", "4"})
        for (const std::string &path : {"2>" + other, other + ">2"})
            acts += "cut " + path + " @5000000 +10000000\n";
    Run run = begin(stage, star_trace(30, acts.c_str()));
    advance_to(run, 14'500'000);
    const std::vector<uint16_t> others = {1, 3, 4}, left = {1, 2, 3, 4};
    expect(run, agree(run, others), "the others agree under the next host");
    expect(run, is_cut_off(run, 2), "who hears nobody waits");
    const PeerId former = run.sim->nodes[2].self;
    advance_to(run, 24'000'000);
    expect(run, agree(run, left), "it has found the next host");
    expect(run, run.sim->nodes[2].self != former, "as another peer");
    return finish(run, "it has found the next host");
}

constexpr Playable playable[] = {
    {{"star", "clients hear of each other through the host alone"}, sent_by_the_host},
    {{"star-host", "the host of a star dies, and comes back as a client"}, host_dies},
    {{"star-early", "one after the other does not hear the host for a while"}, early},
    {{"star-call", "who calls by way of the next host before it knows of that"}, early_call},
    {{"star-query", "the next host has a death to tell before a client follows it"}, query_first},
    {{"star-wakes", "a newcomer asks a host that has been replaced while it stood still"},
     host_wakes},
    {{"star-parted", "no client has a path to another"}, clients_parted},
    {{"star-cut", "a client has no path to the host for 20 s"}, client_cut_off},
    {{"star-anew", "the host is another one when a client that was cut off comes back"},
     client_asks_all},
};

}

std::span<const Playable> stars()
{
    return playable;
}

}
