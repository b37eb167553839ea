// A member with a modified client breaks the rules: docs/security.md, "Misbehaviour".
#include "base/bits.h"
#include "sim/scenarios/scenarios_run.h"
#include "tern/diagnostics.hpp"
#include "tern/ownership.hpp"
#include "tern/untyped.hpp"

namespace tern::scenarios {

namespace {

constexpr uint64_t begin_us = 5'000'000, second_us = 1'000'000;

// The last place has a liar. The host removes liars in runs of an even seed.
Run begin_with_liar(const Stage &stage, uint16_t places, std::string_view choices = {},
                    std::string_view options = {})
{
    std::string text = populated_trace(places, 14, "liars 1\n" + std::string(options));
    text += choices;
    text.replace(text.find("seed 3"), 6, "seed 4");
    Run run = begin(stage, text);
    advance_to(run, begin_us);
    expect(run, agree(run), "all are in the session");
    return run;
}

Session *session(const Run &run, uint16_t place)
{
    return run.sim->nodes[place].session;
}

void lie(Run &run, uint16_t liar, uint16_t to, std::span<const std::byte> message)
{
    expect(run, inspect::lie(session(run, liar), run.sim->nodes[to].self, StreamId::world, message),
           "the liar has a connection");
}

void send_nonsense(Run &run, uint16_t liar, uint16_t to)
{
    const std::byte nonsense[] = {std::byte{0x3f}};
    lie(run, liar, to, nonsense);
}

// An element of DEAD: `first` and the `more` next objects of the creator.
void write_range(BitWriter &w, PeerId creator, uint32_t first, uint32_t more)
{
    bits::write_bool(w, true);
    bits::write(w, static_cast<uint64_t>(creator), 16);
    bits::write_varint(w, first);
    bits::write_varint(w, more);
}

// The liar answers the host's query with all objects of `victim`, as if `gone` had got them with
// the host's last grant.
void report_taken(Run &run, uint16_t liar, uint16_t victim, uint16_t gone)
{
    const Replica &host = inspect::replica(session(run, 0));
    const Replica &known = inspect::replica(session(run, liar));
    for (const KnownObject &object : known.world.slots.all()) {
        if (object.life != Life::alive || object.owner != run.sim->nodes[victim].self) continue;
        const Written value = {};
        std::byte buffer[200];
        BitWriter w = bits::writer(buffer);
        bits::write(w, static_cast<uint64_t>(MessageKind::report_object), 8);
        bits::write(w, host.term.query_token, 32);
        bits::write(w, static_cast<uint64_t>(object_id::creator(object.id)), 16);
        bits::write_varint(w, object_id::serial(object.id));
        bits::write_varint(w, host.term.number);
        bits::write(w, static_cast<uint64_t>(host.self), 16);
        bits::write_varint(w, host.term.grant_count);
        bits::write(w, static_cast<uint64_t>(run.sim->nodes[gone].self), 16);
        bits::write_varint(w, object.place);
        bits::write(w, object.type, 8);
        bits::write(w, known.world.tick, 32);
        type_table::write_fields(w, *known.types, object.type,
                                 reinterpret_cast<const std::byte *>(&value),
                                 type_table::all_fields(*known.types, object.type));
        lie(run, liar, 0, std::span(buffer).first(bits::size_bytes(w)));
    }
}

void accuse(Run &run, uint16_t liar, uint16_t to, uint16_t accused)
{
    std::byte buffer[8];
    BitWriter w = bits::writer(buffer);
    bits::write(w, static_cast<uint64_t>(MessageKind::accuse), 8);
    bits::write(w, static_cast<uint64_t>(run.sim->nodes[accused].self), 16);
    bits::write(w, 1u << static_cast<uint32_t>(Breach::forged), breach_kinds);
    lie(run, liar, to, std::span(buffer).first(bits::size_bytes(w)));
}

bool is_member(const Run &run, uint16_t place, uint16_t of)
{
    return replica::is_member(inspect::replica(session(run, of)), run.sim->nodes[place].self);
}

PlayedSessions malformed(const Stage &stage)
{
    Run run = begin_with_liar(stage, 4);
    send_nonsense(run, 3, 0);
    advance_to(run, begin_us + second_us);
    expect(run, !is_member(run, 3, 0), "the host has removed the liar within a second");
    advance_to(run, begin_us + 3 * second_us);
    constexpr uint16_t honest[] = {0, 1, 2};
    expect(run, agree(run, honest), "the others agree 2 s later");
    return finish(run, "who sends nonsense is removed within a second");
}

// The liar takes all places of a type for its own, and makes as many objects.
PlayedSessions beyond_the_lease(const Stage &stage)
{
    Run run = begin_with_liar(stage, 4);
    const uint32_t lease = creations_left(session(run, 3), MORTAL);
    auto &replica = const_cast<Replica &>(inspect::replica(session(run, 3)));
    replica.room.places[MORTAL].held = replica.types->types[MORTAL].objects_max;
    const Written value = {};
    uint32_t made = 0;
    while (create(session(run, 3), MORTAL, value) != ObjectId::none)
        made += 1;
    expect(run, made > lease, "it makes more than its lease allows");
    advance_to(run, begin_us + 2 * second_us);
    expect(run, !is_member(run, 3, 0), "the host has removed the liar");
    advance_to(run, begin_us + 4 * second_us);
    constexpr uint16_t honest[] = {0, 1, 2};
    expect(run, agree(run, honest), "the others agree");
    for (const uint16_t place : honest)
        expect(run, creations_left(session(run, place), MORTAL) > 0, "and have room");
    return finish(run, "of " + std::to_string(made) + " objects none is left");
}

PlayedSessions one_word(const Stage &stage)
{
    Run run = begin_with_liar(stage, 4);
    for (const uint16_t accused : {uint16_t{1}, uint16_t{2}})
        accuse(run, 3, 0, accused);
    advance_to(run, begin_us + 3 * second_us);
    for (uint16_t place = 0; place < 4; ++place)
        expect(run, is_open(run, place) && is_member(run, place, place == 0 ? 1 : 0),
               "nobody is removed on one member's word");
    return finish(run, "two false accusations, and nobody has gone");
}

// Two of five have found something, but each of them under another host.
PlayedSessions two_witnesses(const Stage &stage)
{
    Run run = begin_with_liar(stage, 5, "leave 0 @7000000\n");
    send_nonsense(run, 4, 2);
    advance_to(run, 7'000'000);
    expect(run, is_member(run, 4, 0), "one witness is not enough");
    advance_to(run, 9'000'000);
    expect(run, is_member(run, 4, 1), "nor for the next host");
    send_nonsense(run, 4, 3);
    advance_to(run, 10'000'000);
    expect(run, !is_member(run, 4, 1), "two are");
    return finish(run, "the second of two witnesses convinces the next host");
}

// While one leaves, the liar reports that all that 1 will ever create is dead.
PlayedSessions doomed(const Stage &stage)
{
    Run run = begin_with_liar(stage, 4,
                              "leave 2 @6000000\n"
                              "create 1 @8000000 o9 =124076828\n");
    std::byte buffer[32];
    BitWriter w = bits::writer(buffer);
    bits::write(w, static_cast<uint64_t>(MessageKind::dead), 8);
    write_range(w, run.sim->nodes[1].self, 100, 1u << 31);
    bits::write_bool(w, false);
    for (uint64_t at_us = 5'900'000; at_us < 6'800'000; at_us += 10'000) {
        advance_to(run, at_us);
        lie(run, 3, 0, std::span(buffer).first(bits::size_bytes(w)));
    }
    advance_to(run, 9'000'000);
    constexpr uint16_t honest[] = {0, 1};
    for (const uint16_t place : honest)
        expect(run, is_owned(run, place, 9, 1), "1 can create");
    for (const PeerId peer : other_peers(session(run, 1)))
        expect(run, breach_count(peer_stats(session(run, 1), peer)) == 0,
               "it charges nobody for the lie");
    return finish(run, "who is called dead for all time creates on");
}

// 1 gets the object of 0, so that there are grants. While 2 leaves, the liar reports that it had
// got the objects of all.
PlayedSessions taken(const Stage &stage)
{
    Run run = begin_with_liar(stage, 4, "claim 1 @5100000 o1\nleave 2 @6000000\n");
    advance_to(run, 5'900'000);
    expect(run, is_owned(run, 0, 1, 1), "1 has got the object of 0");
    for (uint64_t at_us = 5'910'000; at_us < 6'800'000; at_us += 10'000) {
        advance_to(run, at_us);
        if (!is_member(run, 3, 0)) break;
        for (uint16_t place = 0; place < 2; ++place)
            report_taken(run, 3, place, 2);
    }
    expect(run, !is_member(run, 3, 0), "the host has removed the liar");
    advance_to(run, 9'000'000);
    constexpr uint16_t honest[] = {0, 1};
    expect(run, agree(run, honest), "the others agree");
    for (const uint16_t place : honest) {
        expect(run, is_owned(run, place, 1, 1), "1 still owns what it was granted");
        expect(run, is_owned(run, place, 2, 1), "and what it made");
    }
    return finish(run, "a report takes nothing that was not granted");
}

// Three leave, one after the other. The liar's answer to each query waits behind many messages of
// its own on a slow line.
PlayedSessions withheld(const Stage &stage)
{
    constexpr uint64_t timeout_us = 2'000'000;
    Run run = begin_with_liar(stage, 9,
                              "queue 8>0 @5000000 +20000000 =3000\n"
                              "leave 1 @5500000\nleave 2 @7000000\nleave 3 @8500000\n",
                              "timeout_ms 2000\n");
    std::byte buffer[512];
    BitWriter w = bits::writer(buffer);
    bits::write(w, static_cast<uint64_t>(MessageKind::dead), 8);
    uint32_t serial = 1u << 20;
    for (size_t range = 0; range < dead_ranges_max; ++range)
        write_range(w, run.sim->nodes[8].self, serial += 2, 0);
    bits::write_bool(w, false);
    for (size_t sent_bytes = 0; sent_bytes < 60'000; sent_bytes += bits::size_bytes(w))
        lie(run, 8, 0, std::span(buffer).first(bits::size_bytes(w)));
    advance_to(run, 5'500'000 + 2 * timeout_us);
    expect(run, is_member(run, 8, 0), "there is time to answer");
    advance_to(run, 5'500'000 + 3 * timeout_us + second_us);
    expect(run, !is_member(run, 8, 0), "three timeouts after the first query it has been removed");
    advance_to(run, 13'500'000);
    constexpr uint16_t honest[] = {0, 4, 5, 6, 7};
    expect(run, agree(run, honest), "the others agree");
    return finish(run, "who answers no query is removed, however many leave");
}

// The liar shows things to one member: in each place one that nobody else knows.
void fill_tables(Run &run, uint16_t liar, uint16_t to)
{
    const Replica &known = inspect::replica(session(run, liar));
    for (uint32_t place = 0; place < known.types->types[THING].objects_max; ++place) {
        const Written value = {};
        std::byte buffer[200];
        BitWriter w = bits::writer(buffer);
        bits::write(w, static_cast<uint64_t>(MessageKind::create), 8);
        bits::write_varint(w, known.world.serial + 1000 + place);
        bits::write_varint(w, place);
        bits::write(w, THING, 8);
        bits::write(w, known.world.tick, 32);
        type_table::write_fields(w, *known.types, THING,
                                 reinterpret_cast<const std::byte *>(&value),
                                 type_table::all_fields(*known.types, THING));
        lie(run, liar, to, std::span(buffer).first(bits::size_bytes(w)));
    }
}

// The liar fills the tables of all but the host, which then creates one more object.
PlayedSessions hidden(const Stage &stage)
{
    Run run = begin_with_liar(stage, 4,
                              "create 0 @5050000 o9 =124076828\n"
                              "create 1 @7000000 o10 =124076828\n");
    for (const uint16_t to : {uint16_t{1}, uint16_t{2}})
        fill_tables(run, 3, to);
    advance_to(run, 5'080'000);
    for (const uint16_t place : {uint16_t{1}, uint16_t{2}}) {
        const Replica &r = inspect::replica(session(run, place));
        expect(run, r.world.packed[THING].alive == r.types->types[THING].objects_max,
               "no thing has room");
    }
    advance_to(run, 6'500'000);
    expect(run, !is_member(run, 3, 0), "the host has removed the liar");
    advance_to(run, 8'000'000);
    constexpr uint16_t honest[] = {0, 1, 2};
    expect(run, agree(run, honest), "the others agree");
    for (const uint16_t place : honest)
        expect(run, is_owned(run, place, 9, 0) && is_owned(run, place, 10, 1),
               "they can create, and others learn of it");
    return finish(run, "what one hides from the host holds nobody up");
}

// For 0.7 s the liar calls many ids of its own dead, the last ones first, so that the host moves
// all ranges that it knows for each one. I30 bounds what that costs in a tick.
PlayedSessions tiring(const Stage &stage)
{
    Run run = begin_with_liar(stage, 4, "create 1 @5500000 o9 =124076828\n");
    uint32_t serial = 40'000'000;
    for (int step = 0; step < 20; ++step) {
        for (int message = 0; message < 40; ++message) {
            std::byte buffer[512];
            BitWriter w = bits::writer(buffer);
            bits::write(w, static_cast<uint64_t>(MessageKind::dead), 8);
            for (size_t range = 0; range < dead_ranges_max; ++range)
                write_range(w, run.sim->nodes[3].self, serial -= 2, 0);
            bits::write_bool(w, false);
            lie(run, 3, 0, std::span(buffer).first(bits::size_bytes(w)));
        }
        advance_to(run, begin_us + static_cast<uint64_t>(step) * 33'000);
    }
    advance_to(run, 7'000'000);
    const uint32_t ranges = inspect::replica(session(run, 0)).world.dead.count;
    expect(run, ranges > 10'000, "the host knows many ranges of destroyed ids");
    expect(run, is_owned(run, 0, 9, 1), "others are not held up");
    return finish(run, std::to_string(ranges) + " ranges, and no tick was long");
}

uint32_t owned_things(const Run &run, uint16_t place, uint16_t of)
{
    uint32_t count = 0;
    for (const KnownObject &object : inspect::replica(session(run, of)).world.slots.all())
        count += object.life == Life::alive && object.type == THING &&
                 object.owner == run.sim->nodes[place].self;
    return count;
}

static void limit_owned_things(Run &run, uint32_t owned_max)
{
    for (uint16_t place = 0; place < run.sim->nodes.size(); ++place)
        inspect::types(session(run, place))[THING].owned_max = owned_max;
}

// The liar claims all things in each tick. Its own objects count, too.
PlayedSessions hoarding(const Stage &stage)
{
    constexpr uint32_t owned_max = 3;
    Run run = begin_with_liar(stage, 4);
    limit_owned_things(run, owned_max);
    const uint32_t before = owned_things(run, 3, 0);
    for (int step = 0; step < 60; ++step) {
        for (const KnownObject &object : inspect::replica(session(run, 3)).world.slots.all())
            if (object.life == Life::alive && object.type == THING)
                claim(session(run, 3), object.id);
        advance_to(run, begin_us + static_cast<uint64_t>(step) * 33'000);
    }
    advance_to(run, begin_us + 4 * second_us);
    expect(run, before < owned_max && owned_things(run, 3, 0) == owned_max,
           "it gets as many things as a peer may own by claims");
    expect(run, agree(run), "all agree");
    limit_owned_things(run, 0); // In the end each member claims an object.
    return finish(run, "who claims everything gets its share");
}

// The other three leave and come back, so that the last place is the host.
constexpr std::string_view others_come_back = "leave 0 @5500000\nstart 0 @7000000 =0\n"
                                              "leave 1 @8500000\nstart 1 @10000000 =0\n"
                                              "leave 2 @11500000\nstart 2 @13000000 =0\n"
                                              "create 0 @14500000 o9 =124076828\n";

// Takes back the host's last stamp, so that its next grant has the same one.
void take_stamp_back(Run &run, uint16_t host)
{
    const_cast<Replica &>(inspect::replica(session(run, host))).term.grant_count -= 1;
}

// The host grants the thing of 0 to 1 and to 2, with one stamp.
PlayedSessions equivocated(const Stage &stage)
{
    Run run = begin(stage, populated_trace(4, 20, {}) + std::string(others_come_back));
    advance_to(run, 15'000'000);
    expect(run, agree(run), "all are in the session");
    run.sim->oracles.liars_first = 3;
    Session *liar = session(run, 3);
    const ObjectId object = simulation::object(*run.sim, 9);
    expect(run, host_peer(liar) == run.sim->nodes[3].self, "the liar is the host");
    for (const uint16_t owner : {uint16_t{1}, uint16_t{2}}) {
        if (owner == 2) take_stamp_back(run, 3);
        migrate(liar, object, run.sim->nodes[owner].self);
        const uint32_t ticks = run.sim->places[3].ticks;
        while (run.sim->places[3].ticks < ticks + 1 && advance(run)) {
        }
    }
    advance_to(run, 16'000'000);
    constexpr uint16_t honest[] = {0, 1, 2};
    for (const uint16_t place : honest)
        expect(run, !is_member(run, 3, place), "the others have removed it within a second");
    if (!run.failure.empty()) return finish(run);
    run.sim->options.liars = 1; // It is no host any more.
    advance_to(run, 18'000'000);
    for (const uint16_t place : honest)
        expect(run, is_open(run, place) && host_peer(session(run, place)) == run.sim->nodes[0].self,
               "the lowest of them is the host");
    expect(run, agree(run, honest), "they agree on the owner");
    return finish(run, "two grants with one stamp cost the host its place");
}

constexpr Playable all[] = {
    {{"liar-malformed", "a member sends what is in no format"}, malformed, true},
    {{"liar-lease", "a member creates more than its lease allows"}, beyond_the_lease, true},
    {{"liar-hides", "a member fills the tables of others than the host"}, hidden},
    {{"liar-tires", "a member calls thousands of ids of its own dead"}, tiring, true},
    {{"liar-hoards", "a member claims all objects of a type, again and again"}, hoarding, true},
    {{"liar-accuses", "a member accuses two others falsely"}, one_word},
    {{"liar-witnesses", "a member wrongs one, and after a change of host another"}, two_witnesses},
    {{"liar-dooms", "a member reports the deaths of what another has not made yet"}, doomed, true},
    {{"liar-takes", "a member reports that one who leaves had got the objects of others"}, taken},
    {{"liar-withholds", "one after the other leaves, and a member does not answer"},
     withheld,
     false,
     Topology::star},
    {{"liar-equivocates", "a host grants an object to two members with one stamp"}, equivocated},
};

}

std::span<const Playable> liars()
{
    return all;
}

}
