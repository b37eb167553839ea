#include "sim/world/group.h"
#include "migration/replica.h"
#include "tern/diagnostics.hpp"
#include <algorithm>
#include <cstring>

namespace tern {

Group::~Group()
{
    for (GroupMember &member : members)
        destroy_session(member.session);
    if (network) destroy_sim_network(network);
}

namespace group {

static Address address_of(size_t place)
{
    Address address = {};
    address.ip[10] = address.ip[11] = 0xff;
    address.ip[12] = 10;
    address.ip[14] = static_cast<uint8_t>(place >> 8);
    address.ip[15] = static_cast<uint8_t>(place + 1);
    address.port = 7777;
    return address;
}

void make(Group &group, const GroupOptions &options)
{
    group.config = options.config;
    group.random = random::from_seed(options.seed);
    group.network = make_sim_network({options.seed, options.impairment, 65'536});
    group.tick_us = options.tick_us;
    group.now_us = 1'000'000;
    advance(group.network, group.now_us);
}

static Session *make_member_session(Group &group)
{
    uint8_t seed[32];
    for (uint8_t &byte : seed)
        byte = static_cast<uint8_t>(random::next(group.random));
    return inspect::make_seeded_session(group.config, seed);
}

static size_t free_place(Group &group)
{
    for (size_t place = 0; place < group.members.size(); ++place)
        if (!group.members[place].session) return place;
    GroupMember member = {};
    member.address = address_of(group.members.size());
    member.socket = make_sim_socket(group.network, member.address);
    group.members.push_back(member);
    return group.members.size() - 1;
}

size_t enter(Group &group)
{
    const size_t place = free_place(group);
    GroupMember &member = group.members[place];
    member.session = make_member_session(group);
    tern::receive(member.session, {}, group.now_us);
    for (size_t i = 0; i < group.members.size(); ++i) {
        if (!is_open(group, i)) continue;
        const Address &address = group.members[i].address;
        join(member.session, make_invite(group.members[i].session, {&address, 1}));
        return place;
    }
    start(member.session);
    return place;
}

void end(Group &group, size_t place)
{
    destroy_session(group.members[place].session);
    group.members[place].session = nullptr;
    group.members[place].events = {};
}

void receive(Group &group)
{
    group.now_us += group.tick_us;
    advance(group.network, group.now_us);
    for (GroupMember &member : group.members) {
        const std::span<const Datagram> datagrams = member.socket->receive();
        if (member.session) member.events = tern::receive(member.session, datagrams, group.now_us);
    }
}

void send(Group &group)
{
    for (GroupMember &member : group.members)
        if (member.session) member.socket->send(tern::send(member.session, group.now_us));
}

bool is_open(const Group &group, size_t place)
{
    const Session *session = group.members[place].session;
    return session && session_state(session) == State::open;
}

size_t open_count(const Group &group)
{
    size_t count = 0;
    for (size_t place = 0; place < group.members.size(); ++place)
        count += is_open(group, place);
    return count;
}

static bool has_said_all(const Replica &r)
{
    for (const Member &member : r.members.all())
        if (member.id != PeerId::none && member.id != r.self &&
            (member.fenced || !replica::all_acked(r, member.id)))
            return false;
    return !r.duties.collecting && r.claims.count == 0 && r.granting.pending_owner_count == 0;
}

static bool same_dead(const Replica &a, const Replica &b)
{
    return a.world.dead.count == b.world.dead.count &&
           std::equal(a.world.dead.begin(), a.world.dead.end(), b.world.dead.begin(),
                      [](const DeadRange &x, const DeadRange &y) {
                          return x.first == y.first && x.last == y.last;
                      });
}

bool at_rest(const Group &group)
{
    const Session *first = nullptr;
    for (const GroupMember &member : group.members) {
        const Session *session = member.session;
        if (!session) continue;
        const Replica &r = inspect::replica(session);
        if (session_state(session) != State::open || !has_said_all(r)) return false;
        if (!first) first = session;
        const Replica &other = inspect::replica(first);
        if (r.term.view != other.term.view || r.view_host != other.view_host) return false;
        if (world_digest(session) != world_digest(first) || !same_dead(r, other)) return false;
    }
    return first != nullptr;
}

}
}
