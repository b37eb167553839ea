#include "tests/sim/picture/picture_histories.h"
#include "base/random.h"

namespace tern {

namespace {

constexpr PeerId one = PeerId{1}, two = PeerId{2}, three = PeerId{3};

Stamp stamp(uint32_t count)
{
    return count == 0 ? 0 : stamps::make({1, one, count});
}

// Writes a history: lane n is peer n + 1.
struct Writer {
    History history;
    uint64_t now_us = 0;
    uint64_t link = 0;
    ObjectId object = ObjectId::none;
};

Moment &add(Writer &w, MomentKind kind, size_t peer)
{
    Moment moment = {};
    moment.time_us = w.now_us;
    moment.kind = kind;
    moment.lane = static_cast<uint16_t>(peer - 1);
    moment.other = moment.lane;
    moment.link = w.link += 1;
    w.history.moments.push_back(moment);
    return w.history.moments.back();
}

void move(Writer &w)
{
    w.now_us += 1000;
}

void act(Writer &w, size_t peer, const std::string &label)
{
    add(w, MomentKind::act, peer).label = label;
}

// Gives the link.
uint64_t say(Writer &w, size_t from, size_t to, MessageKind message, uint32_t count)
{
    Moment &moment = add(w, MomentKind::said, from);
    moment.other = static_cast<uint16_t>(to - 1);
    moment.message = message;
    moment.stamp = stamp(count);
    const bool membership = message == MessageKind::view || message == MessageKind::welcome ||
                            message == MessageKind::synced || message == MessageKind::query ||
                            message == MessageKind::report;
    moment.object = membership ? ObjectId::none : w.object;
    return moment.link;
}

void hear(Writer &w, uint64_t link, bool ignored = false)
{
    for (const Moment &said : w.history.moments) {
        if (said.kind != MomentKind::said || said.link != link) continue;
        Moment heard = said;
        heard.kind = MomentKind::heard;
        heard.time_us = w.now_us;
        std::swap(heard.lane, heard.other);
        heard.ignored = ignored;
        w.history.moments.push_back(heard);
        return;
    }
}

void lives(Writer &w, size_t peer, PeerId owner, uint32_t count)
{
    Moment &moment = add(w, MomentKind::object, peer);
    moment.object = w.object;
    moment.alive = true;
    moment.owner = owner;
    moment.stamp = stamp(count);
}

void dies(Writer &w, size_t peer, bool remembered)
{
    Moment &moment = add(w, MomentKind::object, peer);
    moment.object = w.object;
    moment.dead = remembered;
}

// Hears a message by which the object lives.
void learns(Writer &w, uint64_t link, size_t peer, PeerId owner, uint32_t count)
{
    hear(w, link);
    lives(w, peer, owner, count);
}

void learns_of_death(Writer &w, uint64_t link, size_t peer, bool remembered)
{
    hear(w, link);
    dies(w, peer, remembered);
}

Writer writer(const std::string &title, size_t peers, bool steps)
{
    Writer w;
    w.history.title = title;
    w.history.steps = steps;
    for (size_t i = 1; i <= peers; ++i) {
        w.history.lanes.push_back("peer " + std::to_string(i) + (i == 1 ? " host" : ""));
        w.history.peers.push_back(static_cast<PeerId>(i));
    }
    return w;
}

struct OnTheirWay {
    uint64_t create3, migrate2, migrate3;
};

// Peer 2 creates an object and peer 1 takes it. The CREATE to peer 3 and both MIGRATEs are still on
// their way.
OnTheirWay taken_before_3_knows(Writer &w, const std::string &deed)
{
    OnTheirWay links = {};
    w.object = object_id::make(two, 1);
    move(w);
    act(w, 2, "creates");
    lives(w, 2, two, 0);
    const uint64_t create1 = say(w, 2, 1, MessageKind::create, 0);
    links.create3 = say(w, 2, 3, MessageKind::create, 0);
    move(w);
    learns(w, create1, 1, two, 0);
    move(w);
    act(w, 1, deed);
    lives(w, 1, one, 1);
    links.migrate2 = say(w, 1, 2, MessageKind::migrate, 1);
    links.migrate3 = say(w, 1, 3, MessageKind::migrate, 1);
    return links;
}

}

History histories::two_peers()
{
    History history = {};
    history.lanes = {"peer 1 host", "peer 2"};
    history.peers = {PeerId{1}, PeerId{2}};
    history.steps = true;
    return history;
}

History histories::race()
{
    Writer w =
        writer("Bitsquid's race: MIGRATE overtakes CREATE, and nothing comes of it", 3, true);
    const OnTheirWay links = taken_before_3_knows(w, "takes it over");
    move(w);
    learns(w, links.migrate3, 3, one, 1);
    move(w);
    learns(w, links.migrate2, 2, one, 1);
    move(w);
    hear(w, links.create3, true);
    return w.history;
}

History histories::ghost()
{
    Writer w = writer("The ghost that the published fix leaves", 3, true);
    const OnTheirWay links = taken_before_3_knows(w, "claims");
    move(w);
    learns(w, links.migrate2, 2, one, 1);
    move(w);
    learns(w, links.migrate3, 3, one, 1);
    move(w);
    act(w, 1, "destroys");
    dies(w, 1, false);
    const uint64_t destroy2 = say(w, 1, 2, MessageKind::destroy, 1);
    const uint64_t destroy3 = say(w, 1, 3, MessageKind::destroy, 1);
    move(w);
    learns_of_death(w, destroy2, 2, false);
    move(w);
    learns_of_death(w, destroy3, 3, false);
    move(w);
    learns(w, links.create3, 3, two, 0);
    Moment &wrong = add(w, MomentKind::violation, 3);
    wrong.object = w.object;
    wrong.label = "I3: object 2.1 was dead at peer 3 and lives there again, owned by peer 2, who "
                  "has forgotten it. No other peer has it, and nobody will ever destroy it.";
    return w.history;
}

namespace {

// Peers 1 to 4, but the one who says it. Gives the links.
std::vector<uint64_t> tell(Writer &w, size_t from, MessageKind kind, uint32_t count)
{
    std::vector<uint64_t> links;
    for (size_t to = 1; to <= 4; ++to)
        links.push_back(to == from ? 0 : say(w, from, to, kind, count));
    return links;
}

void datagram(Writer &w, MomentKind kind, size_t from, size_t to)
{
    add(w, kind, from).other = static_cast<uint16_t>(to - 1);
}

void all_paths_of_4(Writer &w, MomentKind kind)
{
    for (const size_t other : {1u, 2u, 3u}) {
        datagram(w, kind, 4, other);
        datagram(w, kind, other, 4);
    }
}

void at(Writer &w, uint64_t ms)
{
    w.now_us = ms * 1000;
}

void object_is_made_and_claimed(Writer &w)
{
    at(w, 12);
    act(w, 2, "creates 2.1");
    lives(w, 2, two, 0);
    const auto create = tell(w, 2, MessageKind::create, 0);
    at(w, 30);
    datagram(w, MomentKind::lost, 2, 4);
    at(w, 47);
    learns(w, create[0], 1, two, 0);
    at(w, 58);
    learns(w, create[2], 3, two, 0);
    at(w, 64);
    datagram(w, MomentKind::doubled, 1, 2);
    at(w, 75);
    act(w, 3, "claims 2.1");
    const uint64_t claim = say(w, 3, 1, MessageKind::claim, 0);
    at(w, 90);
    datagram(w, MomentKind::lost, 2, 4);
    datagram(w, MomentKind::lost, 2, 4);
    at(w, 118);
    hear(w, claim);
    const uint64_t grant = say(w, 1, 3, MessageKind::grant, 1);
    at(w, 140);
    learns(w, create[3], 4, two, 0);
    at(w, 163);
    learns(w, grant, 3, three, 1);
    const auto migrate = tell(w, 3, MessageKind::migrate, 1);
    at(w, 199);
    learns(w, migrate[1], 2, three, 1);
    at(w, 204);
    learns(w, migrate[0], 1, three, 1);
    at(w, 230);
    hear(w, migrate[3]);
    hear(w, migrate[3], true);
    lives(w, 4, three, 1);
}

void faults_come(Writer &w)
{
    at(w, 900);
    add(w, MomentKind::paused, 2);
    at(w, 1400);
    add(w, MomentKind::resumed, 2);
    at(w, 1450);
    all_paths_of_4(w, MomentKind::cut);
    at(w, 1480);
    act(w, 3, "creates 3.1");
    const ObjectId first = w.object;
    w.object = object_id::make(three, 1);
    lives(w, 3, three, 0);
    const auto create = tell(w, 3, MessageKind::create, 0);
    at(w, 1520);
    learns(w, create[0], 1, three, 0);
    at(w, 1560);
    add(w, MomentKind::crashed, 3);
    at(w, 1600);
    all_paths_of_4(w, MomentKind::healed);
    at(w, 4560);
    act(w, 1, "3 has gone");
    const uint64_t query2 = say(w, 1, 2, MessageKind::query, 0);
    const uint64_t query4 = say(w, 1, 4, MessageKind::query, 0);
    at(w, 4600);
    hear(w, query2);
    const uint64_t report2 = say(w, 2, 1, MessageKind::report, 0);
    at(w, 4625);
    hear(w, query4);
    const uint64_t report4 = say(w, 4, 1, MessageKind::report, 0);
    at(w, 4650);
    hear(w, report2);
    at(w, 4671);
    learns(w, report4, 1, one, 3);
    const uint64_t second2 = say(w, 1, 2, MessageKind::migrate, 3);
    const uint64_t second4 = say(w, 1, 4, MessageKind::migrate, 3);
    w.object = first;
    lives(w, 1, one, 2);
    const uint64_t first2 = say(w, 1, 2, MessageKind::migrate, 2);
    const uint64_t first4 = say(w, 1, 4, MessageKind::migrate, 2);
    at(w, 4702);
    hear(w, first2);
    hear(w, second2);
    lives(w, 2, one, 2);
    w.object = object_id::make(three, 1);
    lives(w, 2, one, 3);
    at(w, 4731);
    hear(w, first4);
    hear(w, second4);
    lives(w, 4, one, 3);
    w.object = first;
    lives(w, 4, one, 2);
}

}

History histories::session()
{
    Writer w = writer("A session: loss, a pause, a cut, a crash, a newcomer", 5, false);
    w.history.peers[4] = PeerId::none;
    w.object = object_id::make(two, 1);
    object_is_made_and_claimed(w);
    faults_come(w);
    at(w, 6000);
    Moment &start = add(w, MomentKind::started, 5);
    start.owner = PeerId{5};
    start.label = "joins";
    at(w, 6080);
    const uint64_t welcome = say(w, 1, 5, MessageKind::welcome, 0);
    const uint64_t view2 = say(w, 1, 2, MessageKind::view, 0);
    at(w, 6120);
    hear(w, welcome);
    at(w, 6131);
    hear(w, view2);
    const uint64_t synced = say(w, 2, 5, MessageKind::synced, 0);
    const uint64_t migrate = say(w, 1, 5, MessageKind::migrate, 2);
    at(w, 6170);
    learns(w, migrate, 5, one, 2);
    hear(w, synced);
    at(w, 6220);
    act(w, 1, "destroys 2.1");
    dies(w, 1, true);
    const uint64_t destroy2 = say(w, 1, 2, MessageKind::destroy, 2);
    say(w, 1, 4, MessageKind::destroy, 2);
    const uint64_t destroy5 = say(w, 1, 5, MessageKind::destroy, 2);
    at(w, 6262);
    learns_of_death(w, destroy2, 2, true);
    at(w, 6266);
    add(w, MomentKind::left, 2);
    at(w, 6270);
    learns_of_death(w, destroy5, 5, true);
    return w.history;
}

History histories::long_session(bool violated)
{
    Writer w = writer("Two thousand messages", 5, false);
    Random random = random::from_seed(7);
    for (size_t i = 0; i < 2000; ++i) {
        w.now_us += random::below(random, 20'000);
        const size_t from = 1 + static_cast<size_t>(random::below(random, 5));
        w.object = object_id::make(static_cast<PeerId>(from),
                                   1 + static_cast<uint32_t>(random::below(random, 4)));
        const size_t to = 1 + (from + static_cast<size_t>(random::below(random, 4))) % 5;
        const uint64_t link = say(w, from, to, MessageKind::create, 0);
        lives(w, from, static_cast<PeerId>(from), static_cast<uint32_t>(random::below(random, 3)));
        w.now_us += random::below(random, 30'000);
        if (random::below(random, 10) == 0)
            datagram(w, MomentKind::lost, from, to);
        else
            hear(w, link);
    }
    if (!violated) return w.history;
    w.now_us += 5000;
    Moment &wrong = add(w, MomentKind::violation, 3);
    wrong.object = object_id::make(three, 2);
    wrong.label = "Q1: object 3.2 differs";
    return w.history;
}

History histories::hostile()
{
    Writer w = writer("<title> & \"quotes\" \x01\xff ]]> \xed\xa0\x80", 2, true);
    w.history.lanes[0] = "</text><script>alert('1')</script>";
    w.object = object_id::make(one, 1);
    move(w);
    act(w, 1, "<b>&amp;</b> \x1b[31m \xc3\xa9\xe2\x82");
    act(w, 2, std::string(300, '&'));
    lives(w, 1, one, 0);
    add(w, MomentKind::violation, 2).label = "<&>";
    return w.history;
}

}
