#include "migration/departures.h"
#include "migration/event_log.h"
#include "migration/grants.h"
#include "migration/leases.h"
#include "migration/loads.h"
#include "migration/message_queue.h"
#include "migration/objects.h"
#include "migration/relay.h"
#include "migration/views.h"
#include <algorithm>
#include <span>

namespace tern::departures {

// Whether this peer is the host, or the successor of one that has gone. Reports go to it.
static bool leads(const Replica &r)
{
    return r.phase == Phase::in && replica::successor(r) == r.self;
}

// --- Queries ---

// A QUERY says this about a member: an element of MemberReports::query_names.
enum class Naming : uint8_t { no, silence, goodbye };

static uint8_t &names(Replica &r, MemberSlot asker, MemberSlot named)
{
    return r.reports.query_names[asker * r.members.count + named];
}

// Names all members that have gone, and which of them said goodbye: they may not have reached
// everybody with it.
static void write_gone(BitWriter &w, const Replica &r)
{
    for (const Member &member : r.members.all()) {
        if (!member.fenced && !member.said_goodbye) continue;
        bits::write_bool(w, true);
        messages::write_peer(w, member.id);
        bits::write_bool(w, member.said_goodbye);
    }
    bits::write_bool(w, false);
}

void write_query(BitWriter &w, const Replica &r)
{
    messages::write_kind(w, MessageKind::query);
    bits::write(w, r.term.query_token, 32);
    write_gone(w, r);
}

void write_report(BitWriter &w, const Replica &r, uint32_t token)
{
    messages::write_kind(w, MessageKind::report);
    bits::write(w, token, 32);
    bits::write(w, r.term.number_max, 16);
    bits::write(w, r.term.last_peer, 16);
    leases::write_held(w, r);
    write_gone(w, r);
}

bool names(const Replica &r, MemberSlot asker, MemberSlot named)
{
    return r.reports.query_names[asker * r.members.count + named] != 0;
}

void ask_everybody(Replica &r)
{
    r.term.query_token += 1;
    r.duties.collecting = true;
    for (Member &member : r.members.all())
        member.reported = false;
    message_queue::push_to_all(r, Control::query);
    // The lost host of a star may have told this peer of deaths that others do not know of yet.
    if (r.rules.topology != Topology::star || r.view_host == r.self) return;
    for (const uint16_t to : r.order.all())
        message_queue::append_dead(r, to);
}

void ask_about_goodbyes(Replica &r)
{
    if (leads(r) && r.view_host == r.self && !r.duties.collecting) ask_everybody(r);
}

// All that a client of a star knows of others' objects came from the host in charge, so its report
// to that host only confirms that it still follows it.
bool has_news(const Replica &r, MemberSlot to)
{
    return r.rules.topology == Topology::mesh || r.members[to].id != r.view_host;
}

// A client of a star has no news for a host that stays, so what it says is a lie, or late.
bool expects_news(const Replica &r, MemberSlot from)
{
    const bool may_have_news = r.rules.topology == Topology::mesh || r.view_host != r.self;
    return r.duties.collecting && !r.members[from].reported && may_have_news;
}

static void report(Replica &r, MemberSlot to, uint32_t token)
{
    if (r.members[to].id != r.view_host) leases::begin_report(r);
    r.outbox.queues[to].report_token = token;
    message_queue::push(r, to, Control::report);
}

// Keeps one QUERY per sender and answers it once that sender is our successor(). So a QUERY cannot
// remove members with lower ids than its sender, among them the host: this peer must have found
// them gone itself. The sender may name all others.
void answer_query(Replica &r)
{
    const MemberSlot leader = replica::find_member(r, replica::successor(r));
    if (leader == no_member || !r.members[leader].query_waits) return;
    for (MemberSlot slot = 0; slot < r.members.count; ++slot) {
        const auto how = static_cast<Naming>(names(r, leader, slot));
        if (how == Naming::no) continue;
        names(r, leader, slot) = 0;
        if (how == Naming::goodbye) r.members[slot].said_goodbye = true;
        views::fence(r, slot);
    }
    r.members[leader].query_waits = false;
    report(r, leader, r.members[leader].query_token);
    r.members[leader].query_token = 0;
}

// The peers that a QUERY or REPORT names as gone.
struct NamedPeer {
    PeerId id;
    Naming how;
};
struct NamedPeers {
    NamedPeer peers[members_max];
    size_t count;
};

// Fails the reader if the list is too long, or names its sender or this peer.
static void read_named(BitReader &reader, const Replica &r, PeerId sender, NamedPeers &named)
{
    named.count = 0;
    while (bits::read_bool(reader)) {
        if (named.count == members_max) return bits::fail(reader);
        const PeerId id = messages::read_peer(reader);
        const Naming how = bits::read_bool(reader) ? Naming::goodbye : Naming::silence;
        if (id == r.self || id == sender) bits::fail(reader);
        named.peers[named.count++] = {id, how};
    }
}

Verdict receive_query(Replica &r, MemberSlot from, BitReader reader)
{
    const auto token = static_cast<uint32_t>(bits::read(reader, 32));
    const PeerId sender = r.members[from].id;
    NamedPeers named;
    read_named(reader, r, sender, named);
    if (!bits::complete(reader)) return Verdict::malformed;
    if (sender > r.self) return Verdict::forged; // A higher id follows us.
    for (MemberSlot slot = 0; slot < r.members.count; ++slot)
        names(r, from, slot) = 0;
    for (const NamedPeer &gone : std::span(named.peers, named.count)) {
        const MemberSlot slot = replica::find_member(r, gone.id);
        if (slot != no_member) names(r, from, slot) = static_cast<uint8_t>(gone.how);
    }
    r.members[from].query_token = token;
    r.members[from].query_waits = true;
    answer_query(r);
    views::finish_joining(r);
    return Verdict::ok;
}

// --- Reports ---

// An owner that is still a member announces its own objects, so reports of those are ignored. The
// others must have a stamp that a former host can have given, or that this one has.
static Verdict check_reported(const Replica &r, const TenureInfo &tenure)
{
    if (static_cast<uint16_t>(tenure.owner) > r.term.last_peer) return Verdict::forged;
    if (replica::is_member(r, tenure.owner)) return Verdict::ignored;
    const bool is_host = r.view_host == r.self;
    const StampParts parts = stamps::parts(tenure.stamp);
    const bool made = tenure.owner == object_id::creator(tenure.id);
    const bool granted = parts.host < r.self && views::is_term_before(parts.term_number, r.self);
    const bool former = tenure.stamp == 0 ? made : granted;
    const bool own = is_host && parts.host == r.self && parts.term_number == r.term.number &&
                     parts.count <= r.term.grant_count && grants::has_granted(r, tenure);
    return former || own ? Verdict::ok : Verdict::forged;
}

// Leases leave room for all objects of honest creators. So for want of room an object of a departed
// one dies: it had created more than its lease allowed, and shown that to the reporter only.
static bool is_beyond_lease(const Replica &r, ObjectId id, TypeId type)
{
    const bool is_full = r.world.packed[type].alive >= r.types->types[type].objects_max;
    return is_full && !replica::is_member(r, object_id::creator(id));
}

// Whether this peer knows the object with another type or place, which its creator alone can have
// caused. An orphan then dies, because the members could not agree on it.
static bool settle_mismatch(Replica &r, const TenureInfo &tenure, TypeId type)
{
    if (!views::differs(r, tenure.id, type, tenure.place)) return false;
    if (grants::orphaned(r, world::find(r.world, tenure.id)))
        replica_objects::destroy_reported(r, tenure.id);
    return true;
}

Verdict receive_report_object(Replica &r, MemberSlot from, BitReader reader)
{
    const auto token = static_cast<uint32_t>(bits::read(reader, 32));
    TenureInfo tenure = {};
    tenure.id = messages::read_object_id(reader);
    tenure.stamp = messages::read_stamp(reader);
    tenure.owner = messages::read_peer(reader);
    tenure.place = messages::read_place(reader);
    ObjectState state;
    messages::read_state(reader, r, state);
    if (!bits::complete(reader)) return Verdict::malformed;
    if (!leads(r)) return Verdict::forged;
    if (!expects_news(r, from) || token != r.term.query_token) return Verdict::ignored;
    const Verdict allowed = check_reported(r, tenure);
    if (allowed != Verdict::ok) return allowed;
    if (!replica_objects::may_have_given(r, tenure.id)) return Verdict::ignored;
    if (settle_mismatch(r, tenure, state.type)) return Verdict::ok;
    views::NewObjects fresh = {};
    const Verdict fit = views::fits(r, tenure.id, state.type, tenure.place, fresh);
    if (fit == Verdict::later && is_beyond_lease(r, tenure.id, state.type)) {
        replica_objects::destroy_reported(r, tenure.id);
        return Verdict::ok;
    }
    if (fit != Verdict::ok) return fit;
    tenure.survived_tick = state.tick;
    replica_objects::join(r, tenure, state, replica_objects::Source::report);
    return Verdict::ok;
}

// A goodbye may have reached the reporter only. Whether packets still come from the member decides.
// A member that has answered the query itself is there.
static void note_reported_goodbye(Replica &r, MemberSlot slot)
{
    Member &member = r.members[slot];
    if (member.reported) return;
    member.reported_to_leave = true;
    if (member.fenced) member.said_goodbye = true;
}

// A lost host may have begun to remove these members, and only the reporter may know of it. A
// member that has fenced another never accepts its messages again. So they are removed here too,
// which queries everybody anew. While the host stays, only its own queries can have named them.
static void fence_reported(Replica &r, const NamedPeers &named)
{
    const bool host_stays = r.view_host == r.self;
    for (const NamedPeer &gone : std::span(named.peers, named.count)) {
        const MemberSlot slot = replica::find_member(r, gone.id);
        if (slot == no_member) continue;
        if (gone.how == Naming::goodbye)
            note_reported_goodbye(r, slot);
        else if (!host_stays)
            replica::peer_gone(r, gone.id, Departure::silence);
    }
}

// Whether the counters of a report can be right. Ids are given one by one, and no host gives half
// of those that are left before this peer learns of one. A forged report must not use up ids or
// terms.
static bool is_possible(const Replica &r, uint16_t seen, uint16_t last_peer)
{
    const uint32_t left = UINT16_MAX - r.term.last_peer;
    const bool too_many = last_peer > r.term.last_peer + left / 2;
    return seen <= last_peer && views::is_term_before(seen, r.self) && !too_many;
}

Verdict receive_report(Replica &r, MemberSlot from, BitReader reader)
{
    const auto token = static_cast<uint32_t>(bits::read(reader, 32));
    const auto seen = static_cast<uint16_t>(bits::read(reader, 16));
    const auto last_peer = static_cast<uint16_t>(bits::read(reader, 16));
    leases::HeldPlaces held;
    leases::read_held(reader, r, held);
    NamedPeers named;
    read_named(reader, r, r.members[from].id, named);
    if (!bits::complete(reader)) return Verdict::malformed;
    if (!leads(r)) return Verdict::forged;
    if (!r.duties.collecting || token != r.term.query_token) return Verdict::ignored;
    if (r.view_host == r.self) { // Nobody else has given ids or terms.
        if (seen > r.term.number_max || last_peer > r.term.last_peer) return Verdict::forged;
    } else if (!is_possible(r, seen, last_peer)) {
        return Verdict::forged;
    } else {
        r.term.number_max = std::max(r.term.number_max, seen);
        r.term.last_peer = std::max(r.term.last_peer, last_peer);
        leases::take_held(r, from, held);
    }
    r.members[from].reported = true;
    r.members[from].reported_to_leave = false;
    fence_reported(r, named);
    return Verdict::ok;
}

Verdict receive_dead_wanted(Replica &r, PeerId from, BitReader reader)
{
    const PeerId about = messages::read_peer(reader);
    if (!bits::complete(reader)) return Verdict::malformed;
    if (replica::host(r) != r.self || about == r.self || about == from) return Verdict::forged;
    if (!replica::is_member(r, about)) return Verdict::ignored;
    message_queue::push(r, replica::find_member(r, about), Control::dead);
    return Verdict::ok;
}

// --- Orphans ---

static void spread_orphans(Replica &r)
{
    Loads all = loads::count(r, -1);
    for (ObjectSlot slot = 0; slot < r.world.slots.count; ++slot) {
        if (!grants::orphaned(r, slot) || r.granting.pending_owners[slot] != PeerId::none) continue;
        if (r.types->types[r.world.slots[slot].type].orphan != Orphan::spread) continue;
        const MemberSlot to = loads::least(r, all);
        all.counts[to] += 1;
        grants::request_transfer(r, slot, r.members[to].id);
    }
}

// Grants every orphan to this peer, then applies the policy of its type. Requested transfers of
// orphans, including those that spread them, are granted afterwards, by grants::settle().
static void adopt_orphans(Replica &r)
{
    spread_orphans(r);
    const Stamp before = stamps::make({r.term.number, r.self, r.term.grant_count});
    grants::adopt_orphans(r);
    for (ObjectSlot slot = 0; slot < r.world.slots.count; ++slot) {
        const KnownObject &object = r.world.slots[slot];
        if (object.life != Life::alive || object.owner != r.self || object.stamp <= before)
            continue;
        const Orphan policy = r.types->types[object.type].orphan;
        if (policy == Orphan::destroy) replica_objects::destroy_own(r, slot);
        if (policy == Orphan::ask_game) event_log::orphaned(r, slot);
    }
}

// --- The end of a departure ---

static bool is_left(const Replica &r, MemberSlot slot, std::span<const uint8_t> away)
{
    return !r.members[slot].fenced && (away.empty() || away[slot] == 0);
}

// The host of the last view, with half of the votes, goes on if most of those that have caught up
// are left, votes or not. Nobody else can have a majority then: without the host that takes more
// than half of the votes, all members know who votes, and only the host changes that. Members that
// are away may catch up until they are lost.
static bool goes_on_with_half(const Replica &r, std::span<const uint8_t> away)
{
    uint32_t voters = 0, votes_left = 0, there = 0, there_left = 0;
    for (MemberSlot slot = 0; slot < r.members.count; ++slot) {
        const Member &member = r.members[slot];
        if (member.id == PeerId::none || member.said_goodbye) continue;
        const bool left = is_left(r, slot, away);
        const bool counts = member.votes || member.caught_up;
        voters += member.votes;
        votes_left += member.votes && left;
        there += counts || (!left && !member.fenced);
        there_left += counts && left;
    }
    return r.view_host == r.self && r.duties.votes_known && 2 * votes_left == voters &&
           2 * there_left > there;
}

bool has_quorum(const Replica &r, std::span<const uint8_t> away)
{
    uint32_t members = 0, voters = 0, left = 0, old_voters = 0, old_left = 0;
    for (MemberSlot slot = 0; slot < r.members.count; ++slot) {
        const Member &member = r.members[slot];
        if (member.id == PeerId::none || member.said_goodbye) continue;
        const bool old = member.votes && !member.vote_is_new;
        members += 1;
        voters += member.votes;
        left += member.votes && is_left(r, slot, away);
        old_voters += old;
        old_left += old && is_left(r, slot, away);
    }
    if (r.rules.quorum == Quorum::survivors || r.duties.going_on || members <= 1) return true;
    // The host of two voters goes on: both cannot, and newcomers could follow either.
    if (voters <= 2 && r.view_host == r.self) return true;
    const bool most = 2 * left > voters && 2 * old_left > old_voters;
    return most || goes_on_with_half(r, away);
}

// When the list of former hosts is full, the next one to join it displaces the oldest key. What
// that host or an earlier one granted could then not be verified, so it is granted anew to its
// owners. So is what a host granted that signed two grants with one stamp: two members may own it.
static void renew_grants(Replica &r)
{
    const PeerId oldest =
        r.reports.former.count < former_hosts_max ? PeerId::none : r.reports.former[0].id;
    for (ObjectSlot slot = 0; slot < r.world.slots.count; ++slot) {
        const KnownObject &object = r.world.slots[slot];
        if (object.life != Life::alive || object.stamp == 0) continue;
        const PeerId host = stamps::parts(object.stamp).host;
        if (host > oldest && !replica::has_equivocated(r, host)) continue;
        if (grants::orphaned(r, slot)) continue;
        if (r.granting.pending_owners[slot] == PeerId::none)
            grants::request_transfer(r, slot, object.owner);
    }
}

// If nobody else is left: skips ids that the lost members may give if they continue as well.
static void leave_ids_to_the_other(Replica &r)
{
    for (const Member &member : r.members.all())
        if (member.id != PeerId::none && member.id != r.self && !member.fenced) return;
    const uint32_t last = uint32_t{r.term.last_peer} + r.rules.reserved_peer_ids;
    if (last < UINT16_MAX / 2) r.term.last_peer = static_cast<uint16_t>(last);
}

static void take_charge(Replica &r)
{
    if (r.view_host == r.self) return;
    leave_ids_to_the_other(r);
    renew_grants(r);
    r.view_host = r.self;
    r.term.number_max += 1;
    r.term.number = r.term.number_max;
    r.term.grant_count = 0;
    for (Claim &claim : r.claims.all())
        claim.asked = false;
    event_log::host(r, r.self);
    replica_objects::send_owner_requests(r);
    views::take_charge(r);
    relay::begin(r);
}

static void open_view(Replica &r)
{
    message_queue::push_to_all(r, Control::dead);
    for (MemberSlot slot = 0; slot < r.members.count; ++slot)
        if (r.members[slot].fenced) views::drop(r, slot);
    views::voters_changed(r);
    views::send_view(r);
}

static uint32_t orphan_count(const Replica &r)
{
    uint32_t count = 0;
    for (ObjectSlot slot = 0; slot < r.world.slots.count; ++slot)
        count += grants::orphaned(r, slot);
    return count;
}

// A member may have created more than its lease allows, and have made that known to others than the
// host. What the host learns of it from their reports dies.
static void destroy_excess(Replica &r)
{
    for (size_t type = 0; type < r.room.places.count; ++type) {
        uint32_t excess = leases::excess_of_departed(r, type);
        for (ObjectSlot slot = r.world.slots.count; slot > 0 && excess > 0; --slot) {
            const KnownObject &object = r.world.slots[slot - 1];
            if (object.life != Life::alive || object.type != type) continue;
            if (replica::is_member(r, object_id::creator(object.id))) continue;
            replica_objects::destroy_reported(r, object.id);
            excess -= 1;
        }
    }
}

static void end_departure(Replica &r)
{
    if (!r.duties.collecting) return;
    if (!has_quorum(r, {})) {
        if (r.fault == Fault::none) r.fault = Fault::minority;
        return;
    }
    for (const Member &member : r.members.all())
        if (member.id != PeerId::none && member.id != r.self && !member.fenced && !member.reported)
            return;
    // Earlier requests are granted first, so that afterwards they do not take the room for orphans.
    if (r.view_host == r.self) grants::settle(r, grants::Taking::to_all);
    const uint32_t orphans = orphan_count(r);
    if (!grants::room(r, orphans) ||
        r.log.events.capacity - r.log.events.count < 4 * orphans + r.members.count + 64)
        return;
    take_charge(r);
    destroy_excess(r);
    r.duties.collecting = r.duties.going_on = false;
    leases::end_departure(r);
    adopt_orphans(r);
    open_view(r);
}

// --- Giving up ---

void give_up(Replica &r, MemberSlot member)
{
    if (leads(r)) r.outbox.queues[member].removing = true;
}

// One whose departure too few could end stays a member until others have left the view.
static bool can_remove(const Replica &r, MemberSlot slot)
{
    uint8_t away[members_max] = {};
    away[slot] = 1;
    return has_quorum(r, {away, r.members.count});
}

static void remove_given_up(Replica &r)
{
    if (!leads(r)) return;
    for (MemberSlot slot = 0; slot < r.members.count; ++slot) {
        if (!r.outbox.queues[slot].removing) continue;
        const bool gone = r.members[slot].id == PeerId::none || r.members[slot].fenced;
        if (!gone && can_remove(r, slot))
            replica::peer_gone(r, r.members[slot].id, Departure::silence);
    }
}

// After go_on(): all others count as gone. Signatures of grants cover the session id, so this peer
// needs a new grant for each of its own objects.
static void begin_anew(Replica &r)
{
    for (MemberSlot slot = 0; slot < r.members.count; ++slot)
        if (r.members[slot].id != PeerId::none && r.members[slot].id != r.self)
            views::fence(r, slot);
    for (ObjectSlot slot = 0; slot < r.world.slots.count; ++slot) {
        const KnownObject &object = r.world.slots[slot];
        if (object.life != Life::alive || object.owner != r.self || object.stamp == 0) continue;
        grants::request_transfer(r, slot, r.self);
    }
    r.view_host = PeerId::none; // So take_charge() begins a new term.
    ask_everybody(r);
}

void settle(Replica &r)
{
    if (r.duties.going_on && !r.duties.collecting) begin_anew(r);
    remove_given_up(r);
    if (leads(r)) end_departure(r);
}

}
