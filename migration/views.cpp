#include "migration/views.h"
#include "migration/breaches.h"
#include "migration/event_log.h"
#include "migration/leases.h"
#include "migration/message_queue.h"
#include "migration/objects.h"
#include "migration/places.h"
#include "migration/relay.h"
#include "migration/roster.h"
#include <algorithm>
#include <cstring>

namespace tern::views {

static MemberSlot host_slot(const Replica &r)
{
    return replica::find_member(r, replica::host(r));
}

// --- By id ---

size_t place_in_order(const Replica &r, PeerId peer)
{
    return static_cast<size_t>(std::lower_bound(r.ids.begin(), r.ids.end(), peer) - r.ids.begin());
}

// The lowest free slot is always taken first, so loops up to peers_used are short with few peers.
static void count_places(Replica &r)
{
    r.publisher.peers_used = 0;
    for (const uint16_t slot : r.order.all())
        r.publisher.peers_used = std::max(r.publisher.peers_used, slot + 1u);
}

static void add_member(Replica &r, MemberSlot place, const Member &member)
{
    const size_t at = place_in_order(r, member.id);
    r.members[place] = member;
    flat::insert(r.order, at, static_cast<uint16_t>(place));
    flat::insert(r.ids, at, member.id);
    count_places(r);
    leases::begin_member(r, place);
}

// --- Writing ---

static void write_former_hosts(BitWriter &w, const Replica &r)
{
    bits::write(w, r.reports.former.count, 8);
    for (const FormerHost &host : r.reports.former.all()) {
        messages::write_peer(w, host.id);
        bits::write_bytes(w, std::as_bytes(std::span(host.signing_key)));
    }
}

void write(BitWriter &w, Replica &r, MemberSlot to, MessageKind kind)
{
    const bool welcome = kind == MessageKind::welcome;
    messages::write_kind(w, kind);
    if (welcome) {
        messages::write_peer(w, r.members[to].id);
        bits::write_varint(w, r.world.alive);
        write_former_hosts(w, r);
    }
    roster::write(w, r, welcome ? 0 : r.outbox.queues[to].view_said);
    r.outbox.queues[to].view_said = r.term.view;
}

void arrived(Replica &r, MemberSlot to, uint32_t view)
{
    r.outbox.queues[to].view_floor = std::max(r.outbox.queues[to].view_floor, view);
}

void send_view(Replica &r)
{
    r.term.view += 1;
    message_queue::push_to_all(r, Control::view);
}

enum class Whose : uint8_t { all, synced };

// The newest view such that every one of these members has it or a later one.
static uint32_t view_of(const Replica &r, Whose whose)
{
    uint32_t least = r.term.view;
    for (const uint16_t slot : r.order.all()) {
        const Member &member = r.members[slot];
        const bool counts = whose == Whose::all || member.synced;
        if (counts && !member.fenced && member.id != r.self)
            least = std::min(least, r.outbox.queues[slot].view_floor);
    }
    return least;
}

void take_charge(Replica &r)
{
    for (const uint16_t slot : r.order.all())
        r.members[slot].since_view = r.term.view + 1;
}

void voters_changed(Replica &r)
{
    r.term.vote_view = r.term.view + 1;
    r.duties.votes_known = false;
}

// --- World sync ---

void send_own(Replica &r, MemberSlot to)
{
    for (ObjectSlot slot = 0; slot < r.world.slots.count; ++slot) {
        const KnownObject &object = r.world.slots[slot];
        if (object.life == Life::alive && object.owner == r.self)
            message_queue::announce_to(r, to, slot);
    }
}

static void sync_world(Replica &r, MemberSlot to)
{
    message_queue::push(r, to, Control::dead); // First, or the living may find no room.
    breaches::sync(r, to);
    if (replica::relays(r))
        relay::send_all(r, to);
    else
        send_own(r, to);
    if (!replica::relays(r)) message_queue::push(r, to, Control::synced);
}

// In a mesh a newcomer is in only after a world sync from every member, so all know it. In a star
// the host alone sends the world sync. Its SYNCED waits until the members that are in know the
// newcomer, because one of them may be the next host.
void finish_world_syncs(Replica &r)
{
    if (!replica::relays(r)) return;
    const uint32_t known = view_of(r, Whose::synced);
    for (const uint16_t slot : r.order.all()) {
        Member &member = r.members[slot];
        if (member.fenced || member.synced || member.since_view > known) continue;
        member.synced = true;
        if (member.id != r.self) message_queue::push(r, slot, Control::synced);
    }
}

static void lose_host(Replica &r)
{
    for (Claim &claim : r.claims.all())
        claim.asked = false;
    if (r.phase == Phase::in) event_log::peer(r, EventKind::host_lost, r.view_host);
}

// A member has gone: what it has hidden from us is visible again, until the peer that now sends us
// the object hides it. `led`: the member was the host, which in a star sends everything.
static void announce_new(Replica &r, PeerId gone, bool led)
{
    const bool sent_all = led && r.rules.topology == Topology::star;
    for (ObjectSlot slot = 0; slot < r.world.slots.count; ++slot) {
        const KnownObject &object = r.world.slots[slot];
        if (!object.hidden || object.life != Life::alive) continue;
        if (sent_all || object.owner == gone) event_log::show(r, slot);
    }
}

void fence(Replica &r, MemberSlot slot)
{
    Member &member = r.members[slot];
    if (member.fenced) return;
    const PeerId leader = replica::successor(r);
    member.fenced = true;
    member.query_waits = false;
    member.query_token = 0;
    for (MemberSlot named = 0; named < r.members.count; ++named)
        r.reports.query_names[slot * r.members.count + named] = 0;
    message_queue::clear(r, slot);
    publish::forget_peer(r.publisher, slot);
    breaches::forget(r, slot);
    if (member.id == r.view_host) lose_host(r);
    if (member.announced) event_log::peer(r, EventKind::peer_left, member.id);
    announce_new(r, member.id, member.id == leader);
    if (member.id == leader) relay::sync_leader(r);
}

void drop(Replica &r, MemberSlot slot)
{
    fence(r, slot);
    message_queue::clear(r, slot); // Resets the flags too, for the next member in this slot.
    const Member &member = r.members[slot];
    if (member.id < replica::successor(r)) {
        if (flat::full(r.reports.former)) flat::erase(r.reports.former, 0);
        FormerHost former = {};
        former.id = member.id;
        std::memcpy(former.signing_key, member.identity.signing_key, sizeof former.signing_key);
        flat::push(r.reports.former, former);
    }
    for (MemberSlot asker = 0; asker < r.members.count; ++asker)
        r.reports.query_names[asker * r.members.count + slot] = 0;
    const size_t place = place_in_order(r, member.id);
    flat::erase(r.order, place);
    flat::erase(r.ids, place);
    leases::end_member(r, slot);
    breaches::drop(r, slot);
    r.members[slot] = {};
    count_places(r);
}

MemberSlot free_place(const Replica &r)
{
    for (MemberSlot slot = 0; slot < r.members.count; ++slot)
        if (r.members[slot].id == PeerId::none) return slot;
    return no_member;
}

void admit(Replica &r, PeerId id, const Identity &newcomer)
{
    const MemberSlot place = free_place(r);
    send_view(r);
    Member member = {};
    member.id = id;
    member.identity = newcomer;
    member.since_view = r.term.view;
    member.reported = true; // A query that is under way does not wait for it.
    add_member(r, place, member);
    r.outbox.queues[place].view_floor = r.term.view;
    message_queue::push(r, place, Control::welcome);
    leases::admit(r, place);
    sync_world(r, place);
}

static void drop_unlisted(Replica &r, const Roster &roster, bool &dropped)
{
    bool there[members_max] = {};
    for (const Listed &listed : roster.members) {
        const MemberSlot known = replica::find_member(r, listed.id);
        if (known != no_member) there[known] = true;
    }
    for (MemberSlot slot = 0; slot < r.members.count; ++slot) {
        if (r.members[slot].id == PeerId::none || there[slot]) continue;
        drop(r, slot);
        dropped = true;
    }
}

static void take_newcomer(Replica &r, const Roster &roster, const Listed &listed)
{
    // In a star only the host sends the world sync.
    const bool star = r.rules.topology == Topology::star;
    Member member = {};
    member.id = listed.id;
    member.identity = listed.identity;
    member.synced = listed.id > r.self || (star && listed.id != roster.host);
    member.announced = true;
    const MemberSlot place = free_place(r);
    add_member(r, place, member);
    if (listed.id > r.self && !star) sync_world(r, place);
}

// Adopts a roster; returns true if a member was dropped. Fenced members that it lists stay fenced.
// A member that came after us gets a world sync from us. It sends us none, because everything that
// it has ever sent went to a roster that includes us.
static bool take_roster(Replica &r, const Roster &roster, bool with_events)
{
    bool dropped = false;
    drop_unlisted(r, roster, dropped);
    for (const Listed &listed : roster.members) {
        MemberSlot slot = replica::find_member(r, listed.id);
        if (slot == no_member) {
            take_newcomer(r, roster, listed);
            slot = replica::find_member(r, listed.id);
            if (with_events) event_log::joined(r, listed.id);
        } else if (listed.has_identity) { // The address may have changed.
            r.members[slot].identity.address = listed.identity.address;
        }
        r.members[slot].votes = listed.votes;
        r.members[slot].vote_is_new = listed.vote_is_new;
        if (listed.id != r.self) r.members[slot].caught_up = listed.votes;
    }
    r.term.view = roster.view;
    r.term.number = roster.term_number;
    r.term.last_peer = std::max(r.term.last_peer, roster.last_peer);
    r.term.number_max = std::max(r.term.number_max, roster.term_number);
    return dropped;
}

// --- Joining ---

void finish_joining(Replica &r)
{
    if (r.phase != Phase::joining) return;
    for (const Member &member : r.members.all()) {
        if (member.id != PeerId::none && member.id != r.self && !member.fenced && !member.synced)
            return;
    }
    r.phase = Phase::in;
    r.members[replica::find_member(r, r.self)].caught_up = true;
    event_log::peer(r, EventKind::caught_up, r.self);
    message_queue::push(r, host_slot(r), Control::caught_up);
}

Verdict receive_synced(Replica &r, MemberSlot from, BitReader reader)
{
    if (!bits::complete(reader)) return Verdict::malformed;
    if (r.phase != Phase::joining) return Verdict::ignored;
    r.members[from].synced = true;
    finish_joining(r);
    return Verdict::ok;
}

Verdict receive_caught_up(Replica &r, MemberSlot from, BitReader reader)
{
    if (!bits::complete(reader)) return Verdict::malformed;
    if (!replica::is_host(r)) return Verdict::forged;
    Member &member = r.members[from];
    if (member.caught_up) return Verdict::ignored;
    member.caught_up = true;
    if (!member.announced) event_log::joined(r, member.id);
    member.announced = true;
    return Verdict::ok;
}

// Votes change only when all members have the last view that changed them, and know the members
// that get one. So the majorities that any two members determine overlap: a single new vote
// changes them by too little, and if at most one member votes beside the host, there is no majority
// without the host. If more wait in other cases, their votes stay new until all members have the
// view, and meanwhile a majority of the old votes is needed as well (joint consensus: Ongaro,
// "Consensus: Bridging Theory and Practice", 4.3).
void give_votes(Replica &r)
{
    if (r.duties.collecting) return;
    const uint32_t known = view_of(r, Whose::all);
    if (known < r.term.vote_view) return;
    r.duties.votes_known = true;
    uint32_t voters = 0, waiting = 0;
    bool any_new = false;
    const auto waits = [known](const Member &member) {
        return !member.fenced && !member.votes && member.caught_up && member.since_view <= known;
    };
    for (const uint16_t slot : r.order.all()) {
        voters += r.members[slot].votes;
        any_new |= r.members[slot].vote_is_new;
        waiting += waits(r.members[slot]);
    }
    if (waiting == 0 && !any_new) return;
    const bool we_vote = r.members[replica::find_member(r, r.self)].votes;
    const bool at_once = !any_new && (waiting == 1 || (voters <= 2 && we_vote));
    for (const uint16_t slot : r.order.all()) {
        Member &member = r.members[slot];
        member.vote_is_new = waits(member) && !at_once;
        member.votes = member.votes || waits(member);
    }
    voters_changed(r);
    send_view(r);
}

// --- Terms ---

// A successor has a higher id than its host, and is host only once in a session. So the number of a
// term is at most its host's id. After go_on() it can be higher, but is still below the ids of all
// later members.
bool is_term_before(uint16_t number, PeerId peer)
{
    return number < static_cast<uint16_t>(peer);
}

// --- A welcome arrives ---

Verdict receive_welcome(Replica &r, uint64_t session, const uint8_t *signing_secret,
                        const Identity &self, BitReader reader)
{
    const PeerId id = messages::read_peer(reader);
    const uint64_t objects = bits::read_varint(reader);
    if (objects > r.world.slots.count) bits::fail(reader);
    FormerHost former[former_hosts_max];
    const auto former_count = static_cast<uint32_t>(bits::read(reader, 8));
    if (former_count > former_hosts_max) bits::fail(reader);
    for (uint32_t i = 0; i < former_count && !bits::failed(reader); ++i) {
        former[i] = {messages::read_peer(reader), {}};
        bits::read_bytes(reader, std::as_writable_bytes(std::span(former[i].signing_key)));
    }
    const Roster roster = roster::read(reader, r, id);
    if (!is_term_before(roster.term_number, id)) bits::fail(reader);
    if (!bits::complete(reader)) return Verdict::malformed;
    r.session = session;
    std::memcpy(r.signing_secret, signing_secret, sizeof(r.signing_secret));
    r.self = id;
    r.publisher.self = static_cast<uint32_t>(id);
    r.objects_expected = static_cast<uint32_t>(objects);
    for (uint32_t i = 0; i < former_count; ++i)
        flat::push(r.reports.former, former[i]);
    take_roster(r, roster, false);
    r.view_host = r.announced_host = roster.host;
    const Member &me = r.members[replica::find_member(r, id)];
    const bool same = std::memcmp(me.identity.signing_key, self.signing_key, 32) == 0 &&
                      std::memcmp(me.identity.key, self.key, 32) == 0;
    if (!same) {
        r.fault = Fault::removed; // Another peer has our id.
        return Verdict::malformed;
    }
    r.phase = Phase::joining;
    finish_joining(r);
    return Verdict::ok;
}

// --- A view arrives ---

// Asks the new host for everything that the last one has not answered.
static void follow_new_host(Replica &r, PeerId host)
{
    r.view_host = host;
    event_log::host(r, host);
    if (!r.members[replica::find_member(r, r.self)].votes)
        message_queue::push(r, host_slot(r), Control::caught_up);
    message_queue::push(r, host_slot(r), Control::claims);
    leases::follow_new_host(r);
    breaches::follow_new_host(r);
    // The last host may not have sent DEAD to those that miss it; the new one sends it to all.
    for (MemberQueue &queue : r.outbox.queues.all())
        queue.misses_dead = false;
    replica_objects::send_owner_requests(r);
}

Verdict receive_view(Replica &r, PeerId from, BitReader reader)
{
    const Roster roster = roster::read(reader, r, r.self);
    if (!bits::complete(reader)) return Verdict::malformed;
    if (from != replica::successor(r) || from != roster.host) return Verdict::forged;
    const bool new_host = from != r.view_host;
    const uint16_t term = roster.term_number;
    const bool next = term > r.term.number && term <= static_cast<uint16_t>(from);
    if (new_host ? !next : term != r.term.number) return Verdict::forged;
    if (!new_host && roster.view <= r.term.view) return Verdict::ignored;
    // We took the last host for gone and drop its messages, so this one has queried us before.
    const bool dropped = take_roster(r, roster, true);
    if (new_host) follow_new_host(r, from);
    // A released object may have been granted to a member that is now gone, and the grant with it.
    if (dropped && !new_host) replica_objects::send_owner_requests(r);
    finish_joining(r);
    return Verdict::ok;
}

// --- Room ---

bool differs(const Replica &r, ObjectId id, TypeId type, uint32_t place)
{
    const ObjectSlot slot = world::find(r.world, id);
    if (slot == no_slot) return false;
    return r.world.slots[slot].type != type || r.world.slots[slot].place != place;
}

Verdict fits(Replica &r, ObjectId id, TypeId type, uint32_t place, NewObjects &fresh)
{
    const uint32_t objects_max = r.types->types[type].objects_max;
    if (place >= objects_max) return Verdict::malformed;
    if (world::find(r.world, id) != no_slot) return Verdict::ok;
    if (dead::contains(r.world.dead, id)) return Verdict::ok;
    if (object_id::creator(id) == r.self) return Verdict::malformed; // This peer never made it.
    TERN_ASSERT(fresh.count < grant_objects_max, "%u objects", fresh.count);
    const bool empty = places::occupant(r, object_id::creator(id), type, place) == no_slot;
    fresh.objects[fresh.count++] = {type, empty};
    uint32_t slots = 0, alive = 0;
    for (uint32_t i = 0; i < fresh.count; ++i) {
        slots += fresh.objects[i].type == type;
        alive += fresh.objects[i].type == type && fresh.objects[i].place_is_empty;
    }
    const Packed &packed = r.world.packed[type];
    const bool room = packed.alive + alive <= objects_max &&
                      packed.count + packed.dying + slots <= packed.capacity;
    if (room) return Verdict::ok;
    shortage::begin(r, type);
    return Verdict::later;
}

}
