#include "sim/scenarios/scenarios_sessions.h"
#include "base/assert.h"
#include "sim/scenarios/scenarios_run.h"
#include "tern/diagnostics.hpp"
#include "tern/ownership.hpp"
#include "tern/untyped.hpp"
#include <algorithm>
#include <deque>

namespace tern::scenarios {

namespace {

// --- S20 ---

// While 2 sleeps, its o1 gets another owner and 1 destroys o2. 2 has destroyed o5 just before. o3
// is of a type that is destroyed when its owner 2 leaves the session.
constexpr std::string_view sleep_choices = R"(
start 1 @1000000 =0
start 2 @1000000 =0
start 3 @1000000 =0
create 2 @3000000 o1 =124076828
create 1 @3000000 o2 =124076828
create 2 @3000000 o3 =124076829
create 1 @3000000 o5 =124076828
claim 2 @3500000 o5
set 2 @4900000 o1 =12407
set 2 @4900000 o5 =12407
destroy 2 @5000000 o5
pause 2 @5020000 +30000000
destroy 1 @5500000 o2
claim 3 @15000000 o1
create 3 @16000000 o4 =124076828
set 3 @17000000 o1 =12408
)";

std::string sleep_trace(const char *timeouts, const char *more)
{
    return std::string("tern-trace 1 simulate\nseed 3\nplaces 4\nseconds 44\nobjects 40\n") +
           timeouts + "choices" + std::string(sleep_choices) + more;
}

PlayedSessions sleeper_is_out(const Stage &stage)
{
    Run run = begin(stage, sleep_trace("", ""));
    advance_to(run, 34'900'000);
    const PeerId sleeper = run.sim->nodes[2].self;
    for (uint16_t place = 0; place < 4; ++place) {
        if (place == 2) continue;
        expect(run, is_open(run, place) && other_peers(run.sim->nodes[place].session).size() == 2,
               "three are left in the session");
        expect(run, is_owned(run, place, 1, 3), "who claimed the sleeper's object owns it");
        expect(run, is_dead(run, place, 2), "what was destroyed meanwhile is dead");
        expect(run, is_dead(run, place, 3), "what was to die with the sleeper is dead");
    }
    advance_to(run, 43'000'000);
    expect(run, agree(run), "all agree, the one who came back too");
    expect(run, run.sim->nodes[2].self != sleeper, "who comes back is a new peer");
    for (uint16_t place = 0; place < 4; ++place) {
        expect(run, is_owned(run, place, 1, 3), "the object has kept its new owner");
        expect(run, is_dead(run, place, 2) && is_dead(run, place, 3) && is_dead(run, place, 5),
               "the dead are dead");
    }
    return finish(run, "the sleeper has come back by itself");
}

PlayedSessions sleeper_is_caught_up(const Stage &stage)
{
    Run run = begin(stage, sleep_trace("timeout_ms 60000\njoin_timeout_ms 60000\n", ""));
    advance_to(run, 34'900'000);
    const PeerId sleeper = run.sim->nodes[2].self;
    expect(run, other_peers(run.sim->nodes[0].session).size() == 3, "nobody has been given up");
    expect(run, is_owned(run, 0, 1, 3), "the claimer owns the sleeper's object");
    uint64_t agreed_us = 0;
    while (agreed_us == 0 && run.sim->now_us < 43'000'000 && advance(run))
        if (run.sim->now_us > 35'000'000 && agree(run)) agreed_us = run.sim->now_us;
    expect(run, agreed_us > 0, "all agree");
    expect(run, run.sim->nodes[2].self == sleeper, "the sleeper is the same peer");
    for (uint16_t place = 0; place < 4; ++place) {
        expect(run, is_owned(run, place, 1, 3), "the object has kept its new owner");
        expect(run, is_dead(run, place, 2) && is_dead(run, place, 5), "the dead are dead");
        expect(run, is_owned(run, place, 3, 2), "what the sleeper owned is still its own");
    }
    const Stats measured = peer_stats(run.sim->nodes[2].session, run.sim->nodes[0].self);
    return finish(run, "caught up " + std::to_string((agreed_us - 35'000'000) / 1000) +
                           " ms after it woke; it measures a round trip of " +
                           std::to_string(measured.rtt_us / 1000) + " ms then");
}

// Place 2 stands still, and has 29 lives and deaths to take in when it goes on: one or two in each
// tick, because there is one place. It acks them at once, so the UPDATE of the last life reaches it
// before that life has begun. That UPDATE must come again.
PlayedSessions values_behind_a_backlog(const Stage &stage)
{
    constexpr uint32_t lives = 29;
    std::string text = "tern-trace 1 simulate\nseed 3\nplaces 3\nseconds 14\nobjects 1\n"
                       "latency_us_low 20000\nlatency_us_high 20000\ntimeout_ms 5000\n"
                       "join_timeout_ms 8000\nchoices\n"
                       "create 0 @1050000 o1 =0\nstart 1 @1300000 =0\nstart 2 @1600000 =0\n"
                       "pause 2 @4900000 +1600000\n";
    for (uint32_t life = 1; life <= lives; ++life) {
        const uint64_t at_us = 4'950'000 + 50'000 * life;
        text += "destroy 0 @" + std::to_string(at_us) + " o" + std::to_string(life) + "\n";
        text += "create 0 @" + std::to_string(at_us + 25'000) + " o" + std::to_string(life + 1) +
                " =0\n";
    }
    text += "set 0 @6560000 o" + std::to_string(lives + 1) + " =12408\n";
    Run run = begin(stage, text);
    advance_to(run, 6'550'000);
    expect(run, !agree(run), "it has not taken all in yet");
    advance_to(run, 8'000'000);
    expect(run, agree(run), "it has the last value too");
    return finish(run, "all agree, on the last value too");
}

// --- S21, S22 ---

// Each of 4 places creates an object in each of `count` rounds and destroys it 60 to 360 ms later.
std::string short_lives_trace(uint32_t count, uint32_t round_us, const char *more)
{
    std::string text = "tern-trace 1 simulate\nseed 3\nplaces 4\nseconds 40\nobjects 80\n"
                       "timeout_ms 6000\nchoices\n"
                       "start 1 @1000000 =0\nstart 2 @1000000 =0\nstart 3 @1000000 =0\n";
    for (uint32_t i = 0; i < 4 * count; ++i) {
        const std::string who = std::to_string(i % 4), thing = " o" + std::to_string(i + 1);
        const uint64_t when_us = 3'000'000 + uint64_t{i / 4} * round_us;
        text += "create " + who + " @" + std::to_string(when_us) + thing + " =124076828\n";
        text += "destroy " + who + " @" + std::to_string(when_us + 60'000 + i % 7 * 50'000) +
                thing + "\n";
    }
    return text + more;
}

uint64_t dead_ranges_most(const Run &run)
{
    uint64_t most = 0;
    for (const Node &node : run.sim->nodes)
        if (node.session) most = std::max(most, session_stats(node.session).dead_ranges);
    return most;
}

PlayedSessions dead_take_little(const Stage &stage)
{
    constexpr const char *lasting = "create 2 @2900000 o2001 =124076828\n"
                                    "create 2 @20000000 o2002 =124076828\n";
    Run run = begin(stage, short_lives_trace(500, 60'000, lasting));
    uint64_t most = 0;
    while (run.sim->now_us < 39'000'000 && advance(run))
        most = std::max(most, dead_ranges_most(run));
    expect(run, agree(run), "all agree");
    expect(run, session_stats(run.sim->nodes[0].session).objects == 2,
           "2000 of 2002 objects have died");
    // One range for each of 4 creators. o2002 lies between two ranges of its creator, o2001 before
    // them.
    expect(run, dead_ranges_most(run) == 5, "their memory is 5 ranges");
    expect(run, most <= 4 + 80, "it never was more than creators and living objects");
    return finish(run, "2000 dead are 5 ranges at rest, and never were more than " +
                           std::to_string(most) + " at any peer");
}

// Place 3 ticks only twice a second, while several objects are destroyed in each 60th of a second.
PlayedSessions slow_reader(const Stage &stage)
{
    Run run = begin(stage, short_lives_trace(900, 16'667, "slow 3 @4000000 +13000000 =500000\n"));
    uint64_t ranges_most = 0, items_most = 0;
    while (run.sim->now_us < 30'000'000 && advance(run)) {
        ranges_most = std::max(ranges_most, dead_ranges_most(run));
        const Replica &host = inspect::replica(run.sim->nodes[0].session);
        items_most =
            std::max<uint64_t>(items_most, replica::queued_count(host, run.sim->nodes[3].self));
    }
    expect(run, agree(run), "all agree, the slow one is a member");
    expect(run, session_stats(run.sim->nodes[0].session).objects == 0, "all 3600 have died");
    expect(run, dead_ranges_most(run) == 4, "the memory of the dead is a range for each creator");
    expect(run, ranges_most <= 4 + 80, "it never was more than creators and living objects");
    expect(run, items_most > 20, "something has waited for the slow one");
    return finish(run,
                  "at most " + std::to_string(items_most) +
                      " messages of the host waited for the slow one, and the dead were at most " +
                      std::to_string(ranges_most) + " ranges");
}

// --- S23 ---

// Counters reach their limit after years of play, so the S23 scenarios set them. Nothing else may
// write to the replica of a session.
Replica &replica_of(Session *session)
{
    return const_cast<Replica &>(inspect::replica(session));
}

std::string counter_trace(const char *more)
{
    return std::string("tern-trace 1 simulate\nseed 3\nplaces 4\nseconds 12\nobjects 40\nchoices\n"
                       "start 1 @1000000 =0\nstart 2 @1000000 =0\nstart 3 @1000000 =0\n"
                       "create 1 @3000000 o1 =124076828\n") +
           more;
}

// Plays until the session at `place` ends because its counter is used up. The oracles report that
// as a bound that was reached (I8): that is the expected result.
PlayedSessions ends_by_counter(Run &run, uint16_t place)
{
    while (advance(run)) {
    }
    const Violation violation = run.sim->oracles.violation;
    expect(run, violation.invariant == "I8" && violation.lane == place, "the peer has no room");
    expect(run, run.sim->places[place].state == State::overflow, "its session says so");
    run.sim->oracles.violation = {};
    PlayedSessions played;
    played.failure = run.failure;
    played.measured = violation.text;
    played.digest = run.sim->digest;
    played.history = run.sim->history;
    return played;
}

PlayedSessions grants_end(const Stage &stage)
{
    Run run = begin(stage, counter_trace("claim 2 @5000000 o1\nclaim 3 @7000000 o1\n"));
    advance_to(run, 4'900'000);
    replica_of(run.sim->nodes[0].session).term.grant_count = UINT32_MAX - 1;
    advance_to(run, 6'900'000);
    for (uint16_t place = 0; place < 4; ++place)
        expect(run, is_owned(run, place, 1, 2), "the last grant is taken by all");
    PlayedSessions played = ends_by_counter(run, 0);
    for (uint16_t place = 1; place < 4; ++place)
        expect(run, is_owned(run, place, 1, 2), "no stamp comes after the last");
    played.failure = run.failure;
    return played;
}

PlayedSessions ticks_end(const Stage &stage)
{
    Run run = begin(stage, counter_trace("set 1 @5000000 o1 =12407\nset 1 @6000000 o1 =12408\n"));
    advance_to(run, 4'500'000);
    replica_of(run.sim->nodes[1].session).world.tick = UINT32_MAX - 150; // 2.5 s are left.
    advance_to(run, 6'800'000);
    expect(run, agree(run), "what is written in the last ticks arrives");
    return ends_by_counter(run, 1);
}

// Runs outside of a simulation, because its oracles index a table by serial, which would be too
// large.
PlayedSessions serials_end(const Stage &)
{
    Dice crypto = dice::make(3, Stream::crypto);
    sodium_source::hold();
    sodium_source::use(&crypto);
    const Field field = {"health", FieldKind::int32, 0, 1, 0, 100};
    const Type type = {"thing", sizeof(int32_t), std::span(&field, 1), 8};
    Config config;
    config.name = "alone";
    config.types = std::span(&type, 1);
    Session *session = make_session(config);
    receive(session, {}, 1'000'000);
    start(session);
    (void)send(session, 1'000'000);
    PlayedSessions played;
    const int32_t health = 7;
    replica_of(session).world.serial = UINT32_MAX - 1;
    const ObjectId last = create(session, 0, &health, sizeof health);
    const ObjectId beyond = create(session, 0, &health, sizeof health);
    if (static_cast<uint32_t>(static_cast<uint64_t>(last)) != UINT32_MAX)
        played.failure = "expected that the last serial is given";
    if (beyond != ObjectId::none) played.failure = "expected that none comes after the last serial";
    played.measured = "after serial 4294967295 create() gives none";
    destroy_session(session);
    sodium_source::let_go();
    return played;
}

// --- S26 ---

constexpr uint32_t leaver_objects = 1000;

std::string leaver_trace(uint16_t leaver)
{
    const std::string who = std::to_string(leaver);
    std::string text =
        "tern-trace 1 simulate\nseed 3\nplaces 4\nseconds 20\nobjects 9000\nchoices\n"
        "start 1 @1000000 =0\nstart 2 @1300000 =0\nstart 3 @1600000 =0\n";
    // Different contents, all of type THING. After the first half the leaver gets more places.
    for (uint32_t i = 1; i <= leaver_objects; ++i)
        text += "create " + who + (i <= leaver_objects / 2 ? " @3000000 o" : " @4000000 o") +
                std::to_string(i) + " =" + std::to_string(124'076'828 + 64 * i) + "\n";
    text += "create 3 @4000000 o" + std::to_string(leaver_objects + 1) + " =124076828\n";
    return text + "crash " + who + " @8000000\n";
}

bool has_orphans(const Run &run, uint16_t place, uint16_t owner)
{
    for (uint32_t thing = 1; thing <= leaver_objects; ++thing)
        if (!is_owned(run, place, thing, owner)) return false;
    return true;
}

// The lowest member that is left adopts all objects of the crashed peer, also if that was the host.
PlayedSessions many_orphans(const Stage &stage, uint16_t leaver)
{
    Run run = begin(stage, leaver_trace(leaver));
    advance_to(run, 7'990'000);
    expect(run, agree(run), "all have the 1001 objects");
    const uint16_t heir = leaver == 0 ? 1 : 0;
    const auto other = static_cast<uint16_t>(3 - leaver - heir); // The remaining place besides 3.
    const ObjectId apart = simulation::object(*run.sim, leaver_objects + 1);
    const Replica &host = inspect::replica(run.sim->nodes[heir].session);
    const uint32_t grants = host.term.grant_count;
    run.sender = heir;
    uint64_t adopted_us = 0;
    while (adopted_us == 0 && run.sim->now_us < 19'000'000 && advance(run))
        if (run.sim->now_us > 9'000'000 && has_orphans(run, 3, heir) &&
            has_orphans(run, other, heir))
            adopted_us = run.sim->now_us;
    expect(run, adopted_us > 0, "all know the host as the owner");
    expect(run, host.term.query_token == 1, "it was one departure");
    const uint32_t batches = (leaver_objects + grant_objects_max - 1) / grant_objects_max;
    expect(run, host.term.grant_count - grants == batches, "they were granted in full batches");
    expect(run,
           is_owned(run, other, leaver_objects + 1, 3) &&
               object_stamp(run.sim->nodes[other].session, apart) == 0,
           "what nobody has lost has kept its owner and its tenure");
    // The host has two connections, and each may save up the budget of at most 0.1 s (pace.cpp).
    const uint64_t rate = run.sim->options.send_bytes_per_second_max;
    const uint64_t tick_max = 2 * (rate / 10 + rate * run.sim->options.tick_us_high / 1'000'000);
    uint64_t second_most = 0;
    for (const uint64_t bytes : run.bytes_by_second)
        second_most = std::max(second_most, bytes);
    expect(run, run.tick_bytes_most <= tick_max, "no tick takes more than the buckets hold");
    expect(run, second_most <= 2 * (rate + rate / 10), "no second takes more than its budget");
    PlayedSessions played = finish(run);
    played.measured = "adopted everywhere " + seconds(adopted_us - 8'000'000) +
                      " after the crash, " + std::to_string(batches) +
                      " grants; the host sent at most " + std::to_string(run.tick_bytes_most) +
                      " bytes in a tick (of " + std::to_string(tick_max) + ") and " +
                      std::to_string(second_most) + " in a second";
    return played;
}

PlayedSessions orphans_of_a_member(const Stage &stage)
{
    return many_orphans(stage, 2);
}

PlayedSessions orphans_of_the_host(const Stage &stage)
{
    return many_orphans(stage, 0);
}

// --- S27 ---

// Everything that 2 sends waits from 4 s to 5 s. Meanwhile o1 migrates to 3 and o2 is destroyed. At
// 6 s the paths clog again, and 1 crashes while a call to it is under way.
constexpr std::string_view call_trace = R"(tern-trace 1 simulate
seed 3
places 4
seconds 16
objects 40
choices
start 1 @1000000 =0
start 2 @1000000 =0
start 3 @1000000 =0
create 1 @3000000 o1 =124076828
create 1 @3000000 o2 =124076828
clog 2>0 @4000000 +1000000
clog 2>1 @4000000 +1000000
clog 2>3 @4000000 +1000000
call 2>1 @4100000 o1
call 2>1 @4100000 o2
whisper 2>1 @4100000 o1
whisper 2>1 @4100000 o2
migrate 0>3 @4200000 o1
destroy 1 @4200000 o2
clog 2>0 @6000000 +1000000
clog 2>1 @6000000 +1000000
clog 2>3 @6000000 +1000000
call 2>1 @6100000 o1
crash 1 @6500000
)";

PlayedSessions calls_in_flight(const Stage &stage)
{
    Run run = begin(stage, call_trace);
    advance_to(run, 4'000'000);
    const Simulation &sim = *run.sim;
    for (uint16_t place = 0; place < 4; ++place)
        expect(run, is_owned(run, place, 1, 1) && is_owned(run, place, 2, 1), "1 owns both");
    const ObjectId migrates = simulation::object(sim, 1), dies = simulation::object(sim, 2);
    advance_to(run, 4'900'000);
    expect(run, run.calls.empty(), "the calls are still on their way");
    expect(run, is_owned(run, 1, 1, 3) && is_dead(run, 1, 2), "what they are about is not 1's now");
    advance_to(run, 6'000'000);
    expect(run, run.calls.size() == 4, "all four calls have been heard, each once");
    const auto heard = [&](ObjectId about, bool reliable) {
        return std::count_if(run.calls.begin(), run.calls.end(), [&](const HeardCall &one) {
            return one.call.about == about && one.call.reliable == reliable;
        });
    };
    for (const bool reliable : {true, false})
        expect(run, heard(migrates, reliable) == 1 && heard(dies, reliable) == 1,
               "each object's call has been heard");
    for (const HeardCall &call : run.calls) {
        expect(run, call.place == 1, "they were heard by the one they were sent to");
        const PeerId there = call.call.about == migrates ? sim.nodes[3].self : PeerId::none;
        expect(run, call.owner == there, "it can see there that the object has moved on, or died");
    }
    advance_to(run, 15'000'000);
    expect(run, run.calls.size() == 4, "nobody has heard what was said to the one who crashed");
    return finish(run, "4 calls heard by the one they were sent to, 1 by nobody");
}

// --- All scenarios ---

constexpr Playable playable[] = {
    {{"S20", "S20: a peer that stood still for 30 s is out, and comes back as another"},
     sleeper_is_out},
    {{"S20-patient", "S20: a peer that stood still for 30 s is caught up, if that may be"},
     sleeper_is_caught_up,
     true},
    {{"S20-backlog", "S20: a value changes while its object waits behind many deaths"},
     values_behind_a_backlog},
    {{"S21", "S21: the memory of 2000 dead, when all is idle"}, dead_take_little, true},
    {{"S22", "S22: a slow reader, and four deaths in each tick"}, slow_reader, true},
    {{"S23-grants", "S23: the host's counter of grants comes to its end"}, grants_end, true},
    {{"S23-ticks", "S23: a peer's ticks come to their end"}, ticks_end, true},
    {{"S23-serials", "S23: a peer's serials come to their end"}, serials_end},
    {{"S26", "S26: the owner of 1000 objects crashes"}, orphans_of_a_member, true},
    {{"S26-host", "S26: the host, which owns 1000 objects, crashes"}, orphans_of_the_host, true},
    {{"S27", "S27: a call to a member about an object that migrates or dies in flight"},
     calls_in_flight,
     true},
};

std::vector<Playable> played_in_a_mesh()
{
    std::vector<Playable> all(std::begin(playable), std::end(playable));
    for (const auto &more : {partitions(), others(), stars(), snapshots(), links(), liars()})
        all.insert(all.end(), more.begin(), more.end());
    return all;
}

// Scenarios with in_star are listed a second time: "S26", in a star, is "S26-star".
const std::vector<Playable> &all()
{
    static std::deque<std::string> names;
    static const std::vector<Playable> joined = [] {
        std::vector<Playable> all = played_in_a_mesh();
        for (Playable one : played_in_a_mesh()) {
            if (!one.in_star) continue;
            one.title.name = names.emplace_back(std::string(one.title.name) + "-star");
            one.title.title = names.emplace_back(std::string(one.title.title) + ", in a star");
            one.topology = Topology::star;
            all.push_back(one);
        }
        return all;
    }();
    return joined;
}

}

std::vector<ScenarioTitle> sessions()
{
    std::vector<ScenarioTitle> titles;
    for (const Playable &one : all())
        titles.push_back(one.title);
    return titles;
}

PlayedSessions play_sessions(std::string_view name)
{
    const auto found = std::find_if(all().begin(), all().end(),
                                    [&](const Playable &one) { return one.title.name == name; });
    TERN_ASSERT(found != all().end(), "no scenario of that name");
    return found->play({found->title.title, found->topology});
}

}
