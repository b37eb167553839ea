// Membership: joining, departures, and who is a member.
#include "migration/departures.h"
#include "migration/leases.h"
#include "migration/messages.h"
#include "migration/relay.h"
#include "migration/replica.h"
#include "migration/views.h"
#include <algorithm>
#include <cstring>

namespace tern::replica {

// --- Joining ---

void start(Replica &r, uint64_t session, const uint8_t *signing_secret, const Identity &self)
{
    TERN_ASSERT(r.phase == Phase::outside, "phase %u", static_cast<unsigned>(r.phase));
    r.session = session;
    std::memcpy(r.signing_secret, signing_secret, sizeof(r.signing_secret));
    r.self = static_cast<PeerId>(1);
    r.publisher.self = 1;
    r.phase = Phase::in;
    r.term.number = r.term.number_max = 1;
    r.term.last_peer = 1;
    r.term.view = 1;
    r.members[0].id = r.self;
    r.members[0].caught_up = r.members[0].votes = r.members[0].announced = true;
    r.view_host = r.announced_host = r.self;
    r.members[0].identity = self;
    flat::push(r.order, uint16_t{0});
    flat::push(r.ids, r.self);
    r.publisher.peers_used = 1;
    leases::start(r);
    relay::begin(r);
}

Verdict welcome(Replica &r, uint64_t session, const uint8_t *signing_secret, const Identity &self,
                std::span<const std::byte> message)
{
    BitReader reader = bits::reader(message);
    if (messages::read_kind(reader) != MessageKind::welcome) return Verdict::forged;
    if (r.phase != Phase::outside) return Verdict::ignored;
    return views::receive_welcome(r, session, signing_secret, self, reader);
}

// A report to a new host may have called objects of later peers dead: such an id is not given.
// none: all ids have been given.
static PeerId next_id(const Replica &r)
{
    for (uint32_t id = r.term.last_peer + 1u; id < UINT16_MAX; ++id)
        if (!dead::contains_any_of(r.world.dead, static_cast<PeerId>(id)))
            return static_cast<PeerId>(id);
    return PeerId::none;
}

bool room_for_member(const Replica &r)
{
    return views::free_place(r) != no_member && next_id(r) != PeerId::none;
}

PeerId next_peer_id(Replica &r)
{
    const PeerId id = next_id(r);
    TERN_ASSERT(id != PeerId::none, "peer %u", r.term.last_peer);
    r.term.last_peer = static_cast<uint16_t>(id);
    return id;
}

void admit(Replica &r, PeerId id, const Identity &newcomer)
{
    TERN_ASSERT(room_for_member(r) && host(r) == r.self, "peer %u", r.term.last_peer);
    TERN_ASSERT(find_member(r, id) == no_member, "peer %u is in", static_cast<unsigned>(id));
    views::admit(r, id, newcomer);
}

void moved(Replica &r, PeerId peer, const Address &address)
{
    const MemberSlot slot = find_member(r, peer);
    if (slot == no_member || r.members[slot].identity.address == address) return;
    // No view tells the host's own address: each member keeps the one from which the host answers.
    if (host(r) == peer) r.members[slot].identity.address = address;
    if (host(r) != r.self) return;
    r.members[slot].identity.address = address;
    r.members[slot].since_view = r.term.view + 1;
    views::send_view(r);
}

bool keeps_newcomer_out(const Replica &r, MemberSlot slot)
{
    if (host(r) != r.self || !r.members[slot].caught_up) return false;
    const uint32_t acked = r.outbox.queues[slot].view_floor;
    const std::span<const uint16_t> order = r.order.all();
    return std::any_of(order.begin(), order.end(), [&](uint16_t other) {
        const Member &newcomer = r.members[other];
        return !newcomer.fenced && !newcomer.caught_up && newcomer.since_view > acked;
    });
}

// --- Departures ---

void peer_gone(Replica &r, PeerId peer, Departure how)
{
    const MemberSlot slot = find_member(r, peer);
    if (slot == no_member || peer == r.self) return;
    if (how == Departure::goodbye) r.members[slot].said_goodbye = true; // Also after its silence.
    if (r.members[slot].fenced) return;
    const PeerId leader = successor(r);
    if (leader != r.self && leader != peer) return; // Only the leader removes members.
    views::fence(r, slot);
    if (r.phase == Phase::joining) {
        if (r.fault == Fault::none) r.fault = Fault::host_lost;
        return;
    }
    if (successor(r) == r.self)
        departures::ask_everybody(r);
    else
        departures::answer_query(r);
}

void give_up(Replica &r, PeerId peer)
{
    const MemberSlot slot = find_member(r, peer);
    if (slot != no_member) departures::give_up(r, slot);
}

PeerId suspected(const Replica &r)
{
    const PeerId leader = successor(r);
    const MemberSlot slot = find_member(r, leader);
    if (slot == no_member || leader == r.self) return PeerId::none;
    for (MemberSlot asker = 0; asker < r.members.count; ++asker)
        if (r.members[asker].query_waits && departures::names(r, asker, slot)) return leader;
    return PeerId::none;
}

bool has_quorum(const Replica &r, std::span<const uint8_t> away)
{
    return departures::has_quorum(r, away);
}

void ask_about_goodbyes(Replica &r)
{
    departures::ask_about_goodbyes(r);
}

void go_on(Replica &r, uint64_t session)
{
    TERN_ASSERT(r.fault == Fault::none || r.fault == Fault::minority, "fault %u",
                static_cast<unsigned>(r.fault));
    r.fault = Fault::none;
    r.session = session;
    r.duties.going_on = true;
    r.duties.collecting = false;
    r.members[find_member(r, r.self)].votes = true;
}

// --- Who is a member ---

PeerId successor(const Replica &r)
{
    for (const uint16_t slot : r.order.all())
        if (!r.members[slot].fenced) return r.members[slot].id;
    return PeerId::none;
}

PeerId host(const Replica &r)
{
    return r.view_host == successor(r) ? r.view_host : PeerId::none;
}

bool is_host(const Replica &r)
{
    return r.phase == Phase::in && host(r) == r.self;
}

bool exchanges_objects_with(const Replica &r, PeerId member)
{
    if (r.rules.topology == Topology::mesh) return true;
    const PeerId leader = successor(r);
    return leader == r.self || leader == member;
}

bool relays(const Replica &r)
{
    return r.rules.topology == Topology::star && host(r) == r.self;
}

MemberSlot find_member(const Replica &r, PeerId peer)
{
    const size_t place = views::place_in_order(r, peer);
    return place < r.ids.count && r.ids[place] == peer ? r.order[place] : no_member;
}

bool is_member(const Replica &r, PeerId peer)
{
    const MemberSlot slot = find_member(r, peer);
    return slot != no_member && !r.members[slot].fenced;
}

}
