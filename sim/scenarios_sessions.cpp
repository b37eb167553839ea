#include "sim/scenarios_sessions.h"
#include "base/assert.h"
#include "sim/liveness.h"
#include "sim/sodium_source.h"
#include <algorithm>

namespace tern::scenarios {

namespace {

constexpr ScenarioTitle playable[] = {
    {"S20", "S20: a peer that stood still for 30 s is out, and comes back as another", {}},
    {"S20-patient", "S20: a peer that stood still for 30 s is caught up, if that may be", {}},
    {"S23-grants", "S23: the host's counter of grants comes to its end", {}},
    {"S23-ticks", "S23: a peer's ticks come to their end", {}},
    {"S23-serials", "S23: a peer's serials come to their end", {}},
    {"S26", "S26: the owner of 1000 objects crashes", {}},
    {"S27",
     "S27: a call about an object that migrates or dies in flight (to a member; calls to an "
     "owner do not exist yet)",
     {}},
};

constexpr ScenarioTitle not_played[] = {
    {"S12", "S12: the host crashes, and GRANT has reached only the claimer",
     "waits for host death"},
    {"S13", "S13: the host crashes, and GRANT has reached nobody", "waits for host death"},
    {"S14-hosts", "S14: two hosts crash, one after the other", "waits for host death"},
    {"S15", "S15: a host that is slow, not dead, goes on granting", "waits for host death"},
    {"S16", "S16: three and two are parted, and healed", "waits for partitions"},
    {"S17", "S17: the host is cut off, and one peer sees both sides", "waits for partitions"},
    {"S21", "S21: the memory of the dead is collected when all is idle",
     "falls away: the dead are never forgotten; I8 and Q5 bound their memory"},
    {"S22", "S22: the same with a slow reader",
     "falls away: the dead are never forgotten; I8 and Q5 bound their memory"},
};

// --- A run under observation ---

struct HeardCall {
    uint16_t place;
    Numbered call;
    PeerId owner; // Of what it is about, there and then. none: it does not exist there.
};

struct Run {
    std::unique_ptr<Simulation> sim;
    std::string failure; // The first.
    std::vector<HeardCall> calls;
    std::vector<uint32_t> ticks; // By place: those that have been looked at.
    uint16_t sender = no_place;  // Whose bytes are counted; all in seconds of the run.
    uint64_t tick_bytes_most = 0;
    std::vector<uint64_t> bytes_by_second;
};

void expect(Run &run, bool holds, std::string_view what)
{
    if (!holds && run.failure.empty())
        run.failure = "at " + std::to_string(run.sim->now_us / 1000) + " ms: expected that " +
                      std::string(what);
}

Run begin(std::string_view title, std::string_view text)
{
    const ParsedTrace parsed = script::parse(text);
    TERN_ASSERT(parsed.error.empty(), "%s", parsed.error.c_str());
    Run run;
    run.sim = simulation::make(parsed.trace.options, parsed.trace.choices, Keep{false, true});
    run.sim->history.title = title;
    run.ticks.resize(parsed.trace.options.places);
    return run;
}

void hear(Run &run, uint16_t place)
{
    const Node &node = run.sim->nodes[place];
    for (const PlayedCall &played : node.calls) {
        if (!played.heard) continue;
        const ObjectId about = played.numbered.about;
        const bool is_there = node.session && exists(node.session, about);
        run.calls.push_back(
            {place, played.numbered, is_there ? owner(node.session, about) : PeerId::none});
    }
}

void count_bytes(Run &run, uint64_t bytes)
{
    const uint64_t second = run.sim->now_us / 1'000'000;
    run.tick_bytes_most = std::max(run.tick_bytes_most, bytes);
    run.bytes_by_second.resize(std::max<size_t>(run.bytes_by_second.size(), second + 1));
    run.bytes_by_second[second] += bytes;
}

bool advance(Run &run)
{
    Simulation &sim = *run.sim;
    const uint64_t bytes = sim.wire.counts.bytes;
    if (!simulation::step(sim)) return false;
    for (uint16_t place = 0; place < sim.options.places; ++place) {
        if (sim.places[place].ticks == run.ticks[place]) continue;
        run.ticks[place] = sim.places[place].ticks;
        hear(run, place);
        if (place == run.sender) count_bytes(run, sim.wire.counts.bytes - bytes);
    }
    return true;
}

void advance_to(Run &run, uint64_t time_us)
{
    while (run.sim->now_us < time_us && advance(run)) {
    }
    expect(run, !run.sim->oracles.violation, "no oracle is violated");
}

// The rest of the safety phase, then liveness.
PlayedSessions finish(Run &run)
{
    Simulation &sim = *run.sim;
    while (advance(run)) {
    }
    if (!sim.oracles.violation) {
        Liveness liveness = liveness::begin(sim);
        while (liveness::step(liveness, sim)) {
        }
    }
    const Violation &violation = sim.oracles.violation;
    if (violation) expect(run, false, violation.invariant + " holds: " + violation.text);
    PlayedSessions played;
    played.failure = run.failure;
    played.digest = sim.digest;
    played.history = sim.history;
    return played;
}

// --- What is to be seen ---

bool is_open(const Run &run, uint16_t place)
{
    const Session *session = run.sim->nodes[place].session;
    return session && state(session) == State::open;
}

bool is_dead(const Run &run, uint16_t place, uint32_t thing)
{
    const Session *session = run.sim->nodes[place].session;
    const ObjectId object = simulation::object(*run.sim, thing);
    return session && !exists(session, object) &&
           dead::contains(inspect::replica(session).world.dead, object);
}

bool is_owned(const Run &run, uint16_t place, uint32_t thing, uint16_t by)
{
    const Session *session = run.sim->nodes[place].session;
    const ObjectId object = simulation::object(*run.sim, thing);
    return session && exists(session, object) && owner(session, object) == run.sim->nodes[by].self;
}

bool agree(const Run &run)
{
    const std::vector<Node> &nodes = run.sim->nodes;
    return std::all_of(nodes.begin(), nodes.end(), [&](const Node &node) {
        return node.session && state(node.session) == State::open &&
               peers(node.session).size() + 1 == nodes.size() &&
               digest(node.session) == digest(nodes[0].session);
    });
}

std::string seconds(uint64_t time_us)
{
    return std::to_string(time_us / 1'000'000) + "." + std::to_string(time_us / 100'000 % 10) +
           " s";
}

// --- S20 ---

// While 2 sleeps its o1 gets another owner, o2 and o5 die, its o3 dies with its membership.
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

PlayedSessions sleeper_is_out(std::string_view title)
{
    Run run = begin(title, sleep_trace("", "start 2 @38000000 =0\n"));
    advance_to(run, 34'900'000);
    const PeerId sleeper = run.sim->nodes[2].self;
    for (uint16_t place = 0; place < 4; ++place) {
        if (place == 2) continue;
        expect(run, is_open(run, place) && peers(run.sim->nodes[place].session).size() == 2,
               "three are left in the session");
        expect(run, is_owned(run, place, 1, 3), "who claimed the sleeper's object owns it");
        expect(run, is_dead(run, place, 2), "what was destroyed meanwhile is dead");
        expect(run, is_dead(run, place, 3), "what was to die with the sleeper is dead");
    }
    advance_to(run, 37'500'000);
    expect(run, !run.sim->nodes[2].session, "the sleeper has found that it is out");
    const std::string words = run.sim->places[2].last_words;
    advance_to(run, 43'000'000);
    expect(run, agree(run), "all agree, the one who came back too");
    expect(run, run.sim->nodes[2].self != sleeper, "who comes back is a new peer");
    for (uint16_t place = 0; place < 4; ++place) {
        expect(run, is_owned(run, place, 1, 3), "the object has kept its new owner");
        expect(run, is_dead(run, place, 2) && is_dead(run, place, 3) && is_dead(run, place, 5),
               "the dead are dead");
    }
    PlayedSessions played = finish(run);
    played.measured = "the sleeper's last words: " + words;
    return played;
}

PlayedSessions sleeper_is_caught_up(std::string_view title)
{
    Run run = begin(title, sleep_trace("timeout_ms 60000\njoin_timeout_ms 60000\n", ""));
    advance_to(run, 34'900'000);
    const PeerId sleeper = run.sim->nodes[2].self;
    expect(run, peers(run.sim->nodes[0].session).size() == 3, "nobody has been given up");
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
    const Stats measured = stats(run.sim->nodes[2].session, run.sim->nodes[0].self);
    PlayedSessions played = finish(run);
    played.measured = "caught up " + std::to_string((agreed_us - 35'000'000) / 1000) +
                      " ms after it woke; it measures a round trip of " +
                      std::to_string(measured.rtt_us / 1000) + " ms then";
    return played;
}

// --- S23 ---

// Years of play bring a counter to its end; a scenario has to set it. Nobody else may write here.
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

// From where the oracles call it a bound that was reached (I8). That is right, and the end.
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

PlayedSessions grants_end(std::string_view title)
{
    Run run = begin(title, counter_trace("claim 2 @5000000 o1\nclaim 3 @7000000 o1\n"));
    advance_to(run, 4'900'000);
    replica_of(run.sim->nodes[0].session).grant_count = UINT32_MAX - 1;
    advance_to(run, 6'900'000);
    for (uint16_t place = 0; place < 4; ++place)
        expect(run, is_owned(run, place, 1, 2), "the last grant is taken by all");
    PlayedSessions played = ends_by_counter(run, 0);
    for (uint16_t place = 1; place < 4; ++place)
        expect(run, is_owned(run, place, 1, 2), "no stamp comes after the last");
    played.failure = run.failure;
    return played;
}

PlayedSessions ticks_end(std::string_view title)
{
    Run run = begin(title, counter_trace("set 1 @5000000 o1 =12407\nset 1 @6000000 o1 =12408\n"));
    advance_to(run, 4'500'000);
    replica_of(run.sim->nodes[1].session).world.tick = UINT32_MAX - 150; // 2.5 s.
    advance_to(run, 6'800'000);
    expect(run, agree(run), "what is written in the last ticks arrives");
    return ends_by_counter(run, 1);
}

// Alone, outside of a simulation: its oracles keep a table by serial.
PlayedSessions serials_end(std::string_view)
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
    send(session, 1'000'000);
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

std::string leaver_trace()
{
    std::string text =
        "tern-trace 1 simulate\nseed 3\nplaces 4\nseconds 20\nobjects 4000\nchoices\n"
        "start 1 @1000000 =0\nstart 2 @1000000 =0\nstart 3 @1000000 =0\n";
    for (uint32_t i = 1; i <= leaver_objects; ++i) // Content apart; all are things.
        text += "create 2 @3000000 o" + std::to_string(i) + " =" +
                std::to_string(124'076'828 + 64 * i) + "\n";
    return text + "crash 2 @8000000\n";
}

uint32_t owned_by_host(const Run &run, uint16_t place)
{
    const Session *session = run.sim->nodes[place].session;
    uint32_t count = 0;
    for (uint32_t thing = 1; thing <= leaver_objects; ++thing)
        count += is_owned(run, place, thing, 0);
    return session ? count : 0;
}

PlayedSessions many_orphans(std::string_view title)
{
    Run run = begin(title, leaver_trace());
    advance_to(run, 7'990'000);
    expect(run, agree(run), "all have the 1000 objects");
    const Replica &host = inspect::replica(run.sim->nodes[0].session);
    const uint32_t queries = host.query_token, grants = host.grant_count;
    run.sender = 0;
    uint64_t adopted_us = 0;
    while (adopted_us == 0 && run.sim->now_us < 19'000'000 && advance(run))
        if (run.sim->now_us > 9'000'000 && owned_by_host(run, 3) == leaver_objects &&
            owned_by_host(run, 1) == leaver_objects)
            adopted_us = run.sim->now_us;
    expect(run, adopted_us > 0, "all know the host as the owner");
    expect(run, host.query_token == queries + 1, "it was one departure");
    const uint32_t batches = (leaver_objects + grant_objects_max - 1) / grant_objects_max;
    expect(run, host.grant_count - grants == batches, "they were granted in full batches");
    // Each of two connections: a bucket that holds what a tenth of a second brings.
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

// --- S27 ---

// What 2 says to 1 waits from 4 s to 5 s; meanwhile o1 goes to 3, and o2 dies. Then 1 crashes, with
// a call to it on its way.
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
clog 2>1 @4000000 +1000000
call 2>1 @4100000 o1
call 2>1 @4100000 o2
whisper 2>1 @4100000 o1
whisper 2>1 @4100000 o2
migrate 0>3 @4200000 o1
destroy 1 @4200000 o2
clog 2>1 @6000000 +1000000
call 2>1 @6100000 o1
crash 1 @6500000
)";

PlayedSessions calls_in_flight(std::string_view title)
{
    Run run = begin(title, call_trace);
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
    PlayedSessions played = finish(run);
    played.measured = "4 calls heard by the one they were sent to, 1 by nobody";
    return played;
}

}

std::span<const ScenarioTitle> sessions()
{
    return playable;
}

std::span<const ScenarioTitle> unplayable()
{
    return not_played;
}

PlayedSessions play_sessions(std::string_view name)
{
    const auto found = std::find_if(std::begin(playable), std::end(playable),
                                    [&](const ScenarioTitle &title) { return title.name == name; });
    TERN_ASSERT(found != std::end(playable), "no scenario of that name");
    if (name == "S20") return sleeper_is_out(found->title);
    if (name == "S20-patient") return sleeper_is_caught_up(found->title);
    if (name == "S23-grants") return grants_end(found->title);
    if (name == "S23-ticks") return ticks_end(found->title);
    if (name == "S23-serials") return serials_end(found->title);
    if (name == "S26") return many_orphans(found->title);
    return calls_in_flight(found->title);
}

}
