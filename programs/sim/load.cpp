// Measures what many clients cost their host: whole sessions over the network of tern::sim.
#include "commands.h"
#include "sim/world/group.h"
#include "tern/limits.hpp"
#include "tern/untyped.hpp"
#include <algorithm>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

namespace sim {

namespace {

constexpr uint64_t second_us = 1'000'000;
constexpr uint64_t join_us_max = 120 * second_us;
constexpr uint64_t settle_us_max = 60 * second_us;
constexpr uint64_t change_every = 10; // Ticks between two changes of an object.

struct Thing {
    float position[3];
    float velocity[3];
    uint32_t sequence;
};
const tern::Field thing_fields[] = {
    {"position", tern::FieldKind::float32, offsetof(Thing, position), 3, -100, 100, 0.01},
    {"velocity", tern::FieldKind::float32, offsetof(Thing, velocity), 3, -10, 10, 0.01},
    {"sequence", tern::FieldKind::uint32, offsetof(Thing, sequence)}};

// The cost of the host's ticks.
struct Cost {
    double cpu_us, worst_us;
    uint64_t ticks, sent_bytes, sent_datagrams, received_bytes, received_datagrams;
};

struct Crowd {
    tern::Group group;
    std::vector<std::vector<tern::ObjectId>> own; // Indexed by place.
    uint64_t tick = 0;
    Cost cost = {};
    double clients_cpu_us = 0;
};

double cpu_us()
{
    timespec now = {};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

uint64_t resident_kb()
{
    std::ifstream file("/proc/self/statm");
    uint64_t size_pages = 0, resident_pages = 0;
    file >> size_pages >> resident_pages;
    return resident_pages * 4;
}

uint64_t bytes(std::span<const tern::Datagram> datagrams)
{
    uint64_t sum = 0;
    for (const tern::Datagram &datagram : datagrams)
        sum += datagram.bytes.size();
    return sum;
}

void play(Crowd &crowd, size_t place)
{
    tern::Session *session = crowd.group.members[place].session;
    for (const tern::ObjectId object : crowd.own[place]) {
        if (static_cast<uint64_t>(object) % change_every != crowd.tick % change_every) continue;
        Thing thing = tern::get(session, tern::Object<Thing>{object});
        thing.position[0] = static_cast<float>(crowd.tick % 100);
        thing.position[1] = 0.5f * thing.position[0];
        thing.sequence += 1;
        tern::set(session, tern::Object<Thing>{object}, thing);
    }
}

// One tick of the host, which is at place 0. Measures receive(), its game and send().
void tick_host(Crowd &crowd, bool playing)
{
    tern::GroupMember &host = crowd.group.members[0];
    const std::span<const tern::Datagram> arrived = host.socket->receive();
    Cost &cost = crowd.cost;
    cost.ticks += 1;
    cost.received_bytes += bytes(arrived);
    cost.received_datagrams += arrived.size();
    const double begin_us = cpu_us();
    tern::receive(host.session, arrived, crowd.group.now_us);
    if (playing) play(crowd, 0);
    const std::span<const tern::Datagram> sent = tern::send(host.session, crowd.group.now_us);
    const double took_us = cpu_us() - begin_us;
    cost.cpu_us += took_us;
    cost.worst_us = std::max(cost.worst_us, took_us);
    cost.sent_bytes += bytes(sent);
    cost.sent_datagrams += sent.size();
    host.socket->send(sent);
}

void step(Crowd &crowd, bool playing)
{
    tern::Group &group = crowd.group;
    crowd.tick += 1;
    group.now_us += group.tick_us;
    tern::advance(group.network, group.now_us);
    tick_host(crowd, playing);
    const double begin_us = cpu_us();
    for (size_t place = 1; place < group.members.size(); ++place) {
        tern::GroupMember &member = group.members[place];
        tern::receive(member.session, member.socket->receive(), group.now_us);
        if (playing) play(crowd, place);
        member.socket->send(tern::send(member.session, group.now_us));
    }
    crowd.clients_cpu_us += cpu_us() - begin_us;
}

// The time until all sessions are open, and from then until all members have a vote. 0: not
// reached.
struct Joined {
    uint64_t open_us, voting_us;
    Cost cost; // The cost until all were open.
};

bool all_vote(const tern::Session *host, size_t peers)
{
    size_t votes = 0;
    for (const tern::Member &member : tern::inspect::replica(host).members.all())
        votes += member.votes && !member.vote_is_new;
    return votes == peers;
}

Joined join_all(Crowd &crowd, size_t clients)
{
    tern::Group &group = crowd.group;
    Joined joined = {};
    for (size_t i = 0; i < clients; ++i)
        tern::group::enter(group);
    const uint64_t begin_us = group.now_us;
    while (group.now_us - begin_us < join_us_max) {
        step(crowd, false);
        if (joined.open_us == 0 && tern::group::open_count(group) == clients + 1) {
            joined.open_us = group.now_us - begin_us;
            joined.cost = crowd.cost;
        }
        if (joined.open_us == 0 || !all_vote(group.members[0].session, clients + 1)) continue;
        joined.voting_us = group.now_us - begin_us;
        return joined;
    }
    return joined;
}

void make_objects(Crowd &crowd, uint32_t objects)
{
    const size_t peers = crowd.group.members.size();
    crowd.own.resize(peers);
    for (uint32_t i = 0; i < objects; ++i) {
        const size_t place = i % peers;
        crowd.own[place].push_back(tern::create(crowd.group.members[place].session, 0, Thing{}));
    }
}

void add(Report &line, const Crowd &crowd, const Cost &cost, double seconds)
{
    const auto ticks = static_cast<double>(cost.ticks);
    const auto clients = static_cast<double>(crowd.group.members.size() - 1);
    report::add(line, "host_tick_us", cost.cpu_us / ticks);
    report::add(line, "host_tick_us_worst", cost.worst_us);
    report::add(line, "host_tick_us_per_client", cost.cpu_us / ticks / clients);
    report::add(line, "client_tick_us", crowd.clients_cpu_us / ticks / clients);
    report::add(line, "host_sent_bytes_per_s", static_cast<double>(cost.sent_bytes) / seconds);
    report::add(line, "client_received_bytes_per_s",
                static_cast<double>(cost.sent_bytes) / seconds / clients);
    report::add(line, "host_received_bytes_per_s",
                static_cast<double>(cost.received_bytes) / seconds);
    report::add(line, "host_datagrams_per_tick",
                static_cast<double>(cost.sent_datagrams + cost.received_datagrams) / ticks);
}

tern::GroupOptions group_options(const Options &options, const tern::Type &type)
{
    tern::GroupOptions of_group = {};
    of_group.config.types = {&type, 1};
    of_group.config.peers_max = static_cast<uint16_t>(options.clients + 1);
    of_group.config.topology = options.mesh ? tern::Topology::mesh : tern::Topology::star;
    of_group.config.join_timeout_ms = join_us_max / 1000;
    of_group.impairment = {20, 60, static_cast<float>(options.loss_percent / 100), 0};
    of_group.seed = options.seed;
    of_group.tick_us = second_us / options.tick_hz;
    return of_group;
}

}

int load_test(const Options &options)
{
    if (options.mesh && options.clients >= tern::mesh_peers_max)
        fail("--mesh: of at most " + std::to_string(tern::mesh_peers_max) + " peers");
    const tern::Type type = {"thing", sizeof(Thing), thing_fields, 2 * options.objects};
    Crowd crowd;
    const uint64_t before_kb = resident_kb();
    tern::group::make(crowd.group, group_options(options, type));
    tern::group::enter(crowd.group);
    const Joined joined = join_all(crowd, options.clients);
    Report line;
    if (joined.voting_us == 0) {
        report::add(line, "ok", false);
        report::add(line, "open", uint64_t{tern::group::open_count(crowd.group)});
        return report::finish(line, false);
    }
    make_objects(crowd, options.objects);
    for (uint32_t i = 0; i < 5 * options.tick_hz; ++i)
        step(crowd, true); // The clients get the objects before the measurement begins.
    crowd.cost = {};
    crowd.clients_cpu_us = 0;
    for (uint32_t i = 0; i < options.seconds * options.tick_hz; ++i)
        step(crowd, true);
    Report play_line;
    add(play_line, crowd, crowd.cost, options.seconds);
    const uint64_t resident = resident_kb() - before_kb;
    const uint64_t quiet_us = crowd.group.now_us;
    while (!tern::group::at_rest(crowd.group) && crowd.group.now_us - quiet_us < settle_us_max)
        step(crowd, false);
    const bool ok = tern::group::at_rest(crowd.group);
    report::add(line, "ok", ok);
    report::add(line, "topology", std::string(options.mesh ? "mesh" : "star"));
    report::add(line, "clients", uint64_t{options.clients});
    report::add(line, "objects", uint64_t{options.objects});
    report::add(line, "hz", uint64_t{options.tick_hz});
    report::add(line, "all_open_ms", joined.open_us / 1000);
    report::add(line, "all_vote_ms", joined.voting_us / 1000);
    report::add(line, "join_host_sent_bytes", joined.cost.sent_bytes);
    report::add(line, "join_host_tick_us_worst", joined.cost.worst_us);
    report::add_json(line, "play", report::text(play_line));
    report::add(line, "resident_kb_per_peer", resident / (options.clients + 1));
    report::add(line, "equal_after_ms", (crowd.group.now_us - quiet_us) / 1000);
    report::add(line, "wall_s", wall_s());
    return report::finish(line, ok);
}

}
