// Partitions that heal again: which peers continue the session, and how the others wait, and come
// back as new peers if the session has gone on without them. docs/membership.md has the rules.
#include "base/assert.h"
#include "sim/scenarios/scenarios_run.h"
#include "tern/diagnostics.hpp"
#include "tern/untyped.hpp"
#include <algorithm>

namespace tern::scenarios {

namespace {

constexpr uint64_t cut_us = 4'000'000, healed_us = 14'000'000;

struct Pair {
    uint16_t from, to;
};

// A session of at most 5 places, in which place i creates thing 1 + i. From cut_us to healed_us the
// paths in `ways` lose everything.
std::string parted_trace(uint16_t places, std::span<const Pair> ways, const char *more,
                         const char *options = "")
{
    std::string text = populated_trace(places, 24, options);
    for (const Pair &way : ways)
        text += "cut " + std::to_string(way.from) + ">" + std::to_string(way.to) + " @" +
                std::to_string(cut_us) + " +" + std::to_string(healed_us - cut_us) + "\n";
    return text + more;
}

std::vector<Pair> both_ways(std::span<const Pair> pairs)
{
    std::vector<Pair> ways;
    for (const Pair &pair : pairs) {
        ways.push_back(pair);
        ways.push_back({pair.to, pair.from});
    }
    return ways;
}

std::vector<Pair> between(std::span<const uint16_t> one, std::span<const uint16_t> other)
{
    std::vector<Pair> pairs;
    for (const uint16_t a : one)
        for (const uint16_t b : other)
            pairs.push_back({a, b});
    return both_ways(pairs);
}

// Expects that all objects exist: the host owns those of lost peers, other owners have kept theirs.
void expect_world(Run &run, std::span<const uint16_t> stayed, uint16_t host)
{
    for (const uint16_t place : stayed)
        for (uint16_t creator = 0; creator < run.sim->options.places; ++creator) {
            const bool stays = std::find(stayed.begin(), stayed.end(), creator) != stayed.end();
            expect(run, is_owned(run, place, creator + 1u, stays ? creator : host),
                   "owners that stayed keep their objects, and the host has the others'");
        }
}

// Expects that the peers at these places wait while the paths are cut. Plays to the end: they come
// back by themselves, as new peers, and all agree.
PlayedSessions reunite(Run &run, std::span<const uint16_t> stayed, std::span<const uint16_t> few)
{
    std::vector<PeerId> former;
    for (const uint16_t place : few) {
        expect(run, is_cut_off(run, place), "who is cut off waits");
        former.push_back(run.sim->nodes[place].self);
    }
    while (run.sim->now_us < 22'000'000 && advance(run) && !agree(run)) {
    }
    const uint64_t agreed_us = run.sim->now_us;
    advance_to(run, 22'000'000);
    expect(run, agree(run), "all agree, those who came back too");
    const PeerId host_now = host_peer(run.sim->nodes[stayed.front()].session);
    for (const uint16_t place : stayed)
        expect(run, host_peer(run.sim->nodes[place].session) == host_now, "there is one host");
    for (size_t i = 0; i < few.size(); ++i)
        expect(run, run.sim->nodes[few[i]].self != former[i], "who comes back is a new peer");
    for (const uint16_t back : few)
        for (const uint16_t place : stayed)
            expect(run, is_owned(run, place, back + 1u, back),
                   "who comes back has what was held for it");
    return finish(run, "all agree " + seconds(agreed_us - healed_us) + " after the healing");
}

// --- S16 ---

PlayedSessions two_of_five_part(const Stage &stage)
{
    const uint16_t most[] = {0, 1, 2}, few[] = {3, 4};
    Run run = begin(stage, parted_trace(5, between(most, few), ""));
    advance_to(run, 13'900'000);
    expect(run, agree(run, most), "most go on");
    expect_world(run, most, 0);
    return reunite(run, most, few);
}

PlayedSessions host_is_with_the_few(const Stage &stage)
{
    const uint16_t most[] = {2, 3, 4}, few[] = {0, 1};
    Run run = begin(stage, parted_trace(5, between(most, few), ""));
    const PeerId next = static_cast<PeerId>(3);
    advance_to(run, 13'900'000);
    expect(run, agree(run, most), "most go on");
    expect(run, host_peer(run.sim->nodes[3].session) == next, "the lowest of them is the host");
    expect_world(run, most, 2);
    return reunite(run, most, few);
}

// With Quorum::survivors both parts go on. The one with the new host has the greater term.
PlayedSessions parts_go_on_and_meet(const Stage &stage)
{
    const uint16_t most[] = {2, 3, 4}, few[] = {0, 1};
    Run run = begin(stage, parted_trace(5, between(most, few), "", "quorum survivors\n"));
    const PeerId next = static_cast<PeerId>(3);
    advance_to(run, 13'900'000);
    expect(run, agree(run, most) && agree(run, few), "both parts go on");
    while (run.sim->now_us < 24'000'000 && advance(run) && !agree(run)) {
    }
    const uint64_t agreed_us = run.sim->now_us;
    advance_to(run, 24'000'000);
    expect(run, agree(run), "they are one session again");
    expect(run, host_peer(run.sim->nodes[0].session) == next, "that of the greater term");
    for (const uint16_t back : few)
        expect(run, is_owned(run, 2, back + 1u, back), "who comes back has what was held for it");
    return finish(run,
                  "one session again " + seconds(agreed_us - healed_us) + " after the healing");
}

// The part without the host joins the host's part again, one after the other. The last one still
// has, in its former incarnation, a connection to one that is back already, with a creation in it;
// its close is lost.
PlayedSessions connection_of_a_former_incarnation(const Stage &stage)
{
    const std::string text = "tern-trace 1 simulate\nseed 443239809\nplaces 5\nseconds 15\n"
                             "objects 27\ntick_us_low 16667\ntick_us_high 16667\n"
                             "latency_us_low 13426\nlatency_us_high 13426\ntimeout_ms 3809\n"
                             "join_timeout_ms 6809\nquorum survivors\nfaults none\nchoices\n"
                             "start 1 @1020000 =0\nstart 2 @1020000 =0\nstart 3 @1020000 =0\n"
                             "start 4 @1020000 =0\ncreate 1 @1720014 o6 =0\n"
                             "create 2 @6386774 o38 =0\nmigrate 0>0 @7020643 o6\n"
                             "claim 0 @7103978 o38\nset 0 @7137312 o6 =0\n"
                             "cut 1>0 @7177090 +4535793\ncut 2>0 @7177090 +4535793\n"
                             "cut 3>0 @7177090 +4535793\ncut 4>0 @7177090 +4535793\n"
                             "create 4 @13753588 o89 =0\ncut 4>2 @13918990 +95225\n";
    Run run = begin(stage, text);
    advance_to(run, 15'000'000);
    return finish(run, "no object counts as made by another peer");
}

// One of the few does not wait: go_on() makes a session of its own.
PlayedSessions one_goes_on(const Stage &stage)
{
    const uint16_t most[] = {0, 1, 2}, few[] = {3, 4};
    Run run = begin(stage, parted_trace(5, between(most, few), ""));
    while (!is_cut_off(run, 3) && run.sim->now_us < healed_us && advance(run)) {
    }
    expect(run, is_cut_off(run, 3), "one of the few waits");
    if (is_cut_off(run, 3)) {
        Session *own = simulation::take_session(*run.sim, 3);
        sodium_source::use(&run.sim->places[3].crypto);
        uint64_t now_us = run.sim->nodes[3].clock_us;
        go_on(own);
        for (int i = 0; i < 300 && session_state(own) == State::open; ++i, now_us += 16'667) {
            receive(own, {}, now_us);
            (void)send(own, now_us);
        }
        expect(run, session_state(own) == State::open && other_peers(own).empty(),
               "it goes on alone");
        expect(run, host_peer(own) == local_peer(own), "it is its own host");
        expect(run, session_stats(own).owned == 5 && session_stats(own).objects == 5,
               "it owns all that it had");
        destroy_session(own);
    }
    advance_to(run, 22'000'000);
    const uint16_t there[] = {0, 1, 2, 4};
    expect(run, agree(run, there), "the other one has come back to those that went on");
    return finish(run, "it owns all 5 objects");
}

// Neither half goes on without the other. Both wait, and are one session again with all that each
// had, its ids included. 3 is heard a second later than 2, and three would be enough without it.
PlayedSessions halves_wait(const Stage &stage)
{
    const uint16_t all[] = {0, 1, 2, 3};
    std::string text = populated_trace(4, 20, "timeout_ms 2000\n");
    for (const Pair &way : between(std::span(all).first(2), std::span(all).last(2)))
        text += "cut " + std::to_string(way.from) + ">" + std::to_string(way.to) + " @4000000 +" +
                (way.from == 3 || way.to == 3 ? "7000000\n" : "6000000\n");
    // In the second in which the others hear each other already nobody can relay for place 3.
    text += "cut 2>3 @9950000 +1050000\ncut 3>2 @9950000 +1050000\n";
    text += "claim 3 @3990000 o1\nset 2 @4010000 o3 =12407\ncall 1>2 @4020000 o3\n";
    Run run = begin(stage, text);
    advance_to(run, 3'900'000);
    PeerId ids[4];
    for (const uint16_t place : all)
        ids[place] = run.sim->nodes[place].self;
    advance_to(run, 9'900'000);
    for (const uint16_t place : all)
        expect(run, is_cut_off(run, place), "both halves wait");
    while (run.sim->now_us < 14'000'000 && advance(run) && !agree(run, all)) {
    }
    const uint64_t agreed_us = run.sim->now_us;
    expect(run, agree(run, all), "both are one again within 3 s of the healing");
    advance_to(run, agreed_us + 1'000'000);
    for (const uint16_t place : all) {
        expect(run, run.sim->nodes[place].self == ids[place], "each has kept its id");
        for (const uint16_t creator : all)
            if (creator != 0)
                expect(run, is_owned(run, place, creator + 1u, creator), "and its object");
    }
    return finish(run,
                  "one session again " + seconds(agreed_us - 11'000'000) + " after the healing");
}

// The host of two goes on. The other one waits, and comes back as a new peer.
PlayedSessions one_of_two_waits(const Stage &stage)
{
    const uint16_t host[] = {0}, other[] = {1};
    Run run = begin(stage, parted_trace(2, between(host, other), ""));
    advance_to(run, 13'900'000);
    expect(run, agree(run, host), "the host goes on");
    expect_world(run, host, 0);
    return reunite(run, host, other);
}

// --- S16: deaths that follow each other within a timeout ---

// Plays deaths, and expects that the peers at the places in `left` go on together.
PlayedSessions survive(const Stage &stage, const char *choices, std::span<const uint16_t> left)
{
    Run run = begin(stage, std::string("tern-trace 1 simulate\nseed 1\nplaces 6\nseconds 24\n"
                                       "objects 12\nlatency_us_low 20000\nlatency_us_high 20000\n"
                                       "timeout_ms 5000\njoin_timeout_ms 8000\nchoices\n") +
                               choices);
    advance_to(run, 21'000'000);
    expect(run, agree(run, left), "those that are left go on");
    return finish(run, std::to_string(left.size()) + " survivors agree");
}

// 2 and 4 die, half of the voters. 3 came back just before 2 died, which was to sync the world with
// it; so it has no vote when 4 dies. The host, 1 and 3 are most of the five that have caught up.
PlayedSessions half_with_the_host(const Stage &stage)
{
    const uint16_t left[] = {0, 1, 3};
    return survive(stage,
                   "start 1 @1020000 =0\nstart 2 @1020000 =0\nstart 3 @1020000 =0\n"
                   "start 4 @1020000 =0\nleave 3 @2900000\nstart 3 @3300000 =0\n"
                   "crash 2 @3570000\ncrash 4 @7900000\n",
                   left);
}

// While the host waits for 3, which has died, 2 leaves, and the host dies. The others know only
// from the host's QUERY that 2 said goodbye, as its datagrams to them are lost. Without it they
// would be three of six.
PlayedSessions goodbye_before_the_host(const Stage &stage)
{
    const uint16_t left[] = {1, 4, 5};
    return survive(stage,
                   "start 1 @1020000 =0\nstart 2 @1020000 =0\nstart 3 @1020000 =0\n"
                   "start 4 @1020000 =0\nstart 5 @1020000 =0\n"
                   "crash 3 @8100000\ncut 2>1 @8790000 +900000\n"
                   "cut 2>4 @8790000 +900000\ncut 2>5 @8790000 +900000\n"
                   "leave 2 @8800000\ncrash 0 @12500000\n",
                   left);
}

// --- S17: members that reach both sides relay ---

// While the paths in `ways` are cut, all stay members and receive each other's changes.
PlayedSessions all_stay(const Stage &stage, uint16_t places, std::span<const Pair> ways)
{
    Run run = begin(
        stage, parted_trace(places, ways, "set 1 @6000000 o2 =12407\ndestroy 2 @7000000 o3\n"));
    advance_to(run, 7'900'000);
    for (uint16_t place = 0; place < places; ++place)
        expect(run, is_dead(run, place, 3), "all have heard within 0.9 s that 2's object died");
    advance_to(run, 13'900'000);
    expect(run, agree(run), "all are members and agree while the paths are cut");
    for (uint16_t place = 0; place < places; ++place)
        expect(run, host_peer(run.sim->nodes[place].session) == static_cast<PeerId>(1),
               "under the host that there was");
    return finish(run, "nobody was counted out in 10 s");
}

// 0 - 1 - 2: no path joins the host and 2, and 1 relays.
PlayedSessions bridge(const Stage &stage)
{
    const Pair pairs[] = {{0, 2}};
    return all_stay(stage, 3, both_ways(pairs));
}

PlayedSessions bridge_of_the_host(const Stage &stage)
{
    const Pair pairs[] = {{1, 2}};
    return all_stay(stage, 3, both_ways(pairs));
}

PlayedSessions host_is_not_heard(const Stage &stage)
{
    const Pair ways[] = {{0, 3}};
    return all_stay(stage, 4, ways);
}

PlayedSessions host_does_not_hear(const Stage &stage)
{
    const Pair ways[] = {{3, 0}};
    return all_stay(stage, 4, ways);
}

// Each of five reaches only its two neighbours. With itself that is a majority, but a different one
// for each.
PlayedSessions ring(const Stage &stage)
{
    const Pair pairs[] = {{0, 2}, {0, 3}, {1, 3}, {1, 4}, {2, 4}};
    return all_stay(stage, 5, both_ways(pairs));
}

// --- S17: the relay dies ---

// No path joins 1 and 2, and the host, which relays for them, dies. 1 becomes the host, and 3
// relays.
PlayedSessions bridge_dies(const Stage &stage)
{
    const Pair pairs[] = {{1, 2}};
    Run run = begin(stage, parted_trace(4, both_ways(pairs), "crash 0 @6000000\n"));
    advance_to(run, 13'900'000);
    const uint16_t left[] = {1, 2, 3};
    expect(run, agree(run, left), "those that are left agree while the path is cut");
    expect_world(run, left, 1);
    return finish(run, "3 of 3 survivors stayed");
}

// --- S17: a connection is made anew ---

// 1 and 2 lose each other for longer than the timeout, and the host, which could relay, loses 1 for
// a little less. Before anybody notices, 1 destroys an object and creates another one. All of that
// is in flight when the connection ends, and comes over the next one.
PlayedSessions connection_made_anew(const Stage &stage)
{
    std::string text = populated_trace(3, 14, "timeout_ms 2000\n");
    text += "create 1 @3200000 o4 =124076828\n";
    for (const char *pair : {"1>2", "2>1"})
        text += "cut " + std::string(pair) + " @4000000 +2150000\n";
    for (const char *pair : {"0>1", "1>0"})
        text += "cut " + std::string(pair) + " @4350000 +1800000\n";
    // This object is of another type: in the place of the dead one it would show that death.
    text += "destroy 1 @4100000 o2\ncreate 1 @4100000 o5 =124076829\n";
    // Each changes something all the time, so that the silences begin with the cuts.
    for (uint64_t at_us = 3'500'000; at_us < 7'000'000; at_us += 40'000)
        for (const char *change : {"set 0 o1", "set 1 o4", "set 2 o3"}) {
            const std::string who(change, 5), thing(change + 6);
            const std::string at = std::to_string(at_us);
            text += who + " @" + at + " " + thing + " =" + at + "\n";
        }
    Run run = begin(stage, text);
    advance_to(run, 4'000'000);
    const ObjectId kept = simulation::object(*run.sim, 4);
    bool was_lost = false;
    while (run.sim->now_us < 8'000'000 && advance(run)) {
        const Node &owner = run.sim->nodes[1];
        if (!owner.session) break;
        const Explanation explained = explain(owner.session, kept, run.sim->nodes[2].self);
        was_lost = was_lost || explained.why == Why::no_connection;
    }
    expect(run, was_lost, "the connection of 1 and 2 has ended");
    expect(run, agree(run), "all are still there and agree");
    expect(run, is_dead(run, 2, 2) && is_owned(run, 2, 5, 1), "2 has learned what 1 did");
    return finish(run, "the connection was made anew, and nothing was lost with the old one");
}

// --- Places ---

// 2 destroys what it has made while 3 hears nobody, and 1 makes as much as it can. The places of
// the dead may go to 1 only when 3 knows of the deaths, or more than objects_max would live.
PlayedSessions one_hears_no_deaths(const Stage &stage)
{
    std::string text = "tern-trace 1 simulate\nseed 3\nplaces 4\nseconds 14\nobjects 8\n"
                       "timeout_ms 4000\nchoices\nstart 1 @1000000 =0\nstart 2 @1100000 =0\n"
                       "start 3 @1200000 =0\n";
    for (int thing = 1; thing <= 4; ++thing)
        text += "create 2 @" + std::to_string(2'000'000 + 300'000 * thing) + " o" +
                std::to_string(thing) + " =124076828\n";
    for (const char *from : {"0", "1", "2"})
        text += "cut " + std::string(from) + ">3 @4000000 +2000000\n";
    for (int thing = 1; thing <= 4; ++thing)
        text += "destroy 2 @4100000 o" + std::to_string(thing) + "\n";
    for (int thing = 5; thing <= 40; ++thing)
        text += "create 1 @" + std::to_string(4'000'000 + 100'000 * thing) + " o" +
                std::to_string(thing) + " =124076828\n";
    Run run = begin(stage, text);
    advance_to(run, 5'950'000);
    Session *deaf = run.sim->nodes[3].session, *maker = run.sim->nodes[1].session;
    const uint64_t known = session_stats(deaf).objects, made = session_stats(maker).owned;
    const TypeId type = object_type(deaf, simulation::object(*run.sim, 1));
    const uint32_t most = session_config(deaf).types[type].objects_max;
    expect(run, known == 4 && made + known <= most, "no place of the dead is used again");
    advance_to(run, 12'000'000);
    expect(run, agree(run) && session_stats(deaf).objects > 0, "then some are, and all agree");
    return finish(run, "1 made " + std::to_string(made) + " meanwhile");
}

constexpr Playable all[] = {
    {{"S16-sessions", "S16: two of five are cut off, wait, and come back"}, two_of_five_part, true},
    {{"S16-host", "S16: the host is with the two of five; the next follows"},
     host_is_with_the_few,
     true},
    {{"S16-alone", "S16: one of the two that are cut off goes on by itself"}, one_goes_on, true},
    {{"S16-halves", "S16: two and two are parted, wait, and are one again"}, halves_wait, true},
    {{"S16-meet", "S16: two parts go on, meet, and are one session again"},
     parts_go_on_and_meet,
     true},
    {{"S16-incarnation", "S16: two parts meet, and a connection of before is still there"},
     connection_of_a_former_incarnation},
    {{"S16-two", "S16: of two that are parted the host goes on"}, one_of_two_waits, true},
    {{"S16-half", "S16: the host goes on with half of the votes and a newcomer"},
     half_with_the_host},
    {{"S16-goodbye", "S16: one leaves, and the host dies before all know it"},
     goodbye_before_the_host},
    {{"S17-anew", "S17: two lose their connection, with a death in flight, and make another"},
     connection_made_anew},
    {{"S17-bridge", "S17: the host and one other hear only one between, who bridges"}, bridge},
    {{"S17-members", "S17: two members hear only the host between them, which bridges"},
     bridge_of_the_host,
     true},
    {{"S17-deaf", "S17: one does not hear the host, which hears it"}, host_is_not_heard},
    {{"S17-mute", "S17: the host does not hear one, which hears it"}, host_does_not_hear},
    {{"S17-bridge-dies", "S17: two hear only others, and the host that bridged them dies"},
     bridge_dies},
    {{"deaf", "one hears no deaths for 2 s, and nobody gets the places of the dead"},
     one_hears_no_deaths},
    {{"S17-ring", "S17: a ring of five, of which each hears its two neighbours only"}, ring},
};

}

std::span<const Playable> partitions()
{
    return all;
}

}
