#include "migration/views.h"
#include "base/mutant.h"
#include "migration/grants.h"
#include "migration/happenings.h"
#include "migration/objects.h"
#include "migration/outbox.h"
#include <algorithm>
#include <cstring>

namespace tern {
namespace views {

static Item plain(MessageKind kind)
{
    Item item = {};
    item.kind = kind;
    return item;
}

static bool is_host(const Replica &r)
{
    return r.phase == Phase::in && replica::host(r) == r.self;
}

// --- Writing ---

static void write_roster(BitWriter &w, const Replica &r)
{
    bits::write(w, r.view, 32);
    bits::write(w, r.term_number, 16);
    bits::write(w, r.last_peer, 16);
    uint32_t count = 0;
    for (const Member &member : r.members.all())
        count += member.id != PeerId::none && !member.fenced;
    bits::write(w, count, 16);
    for (const Member &member : r.members.all())
        if (member.id != PeerId::none && !member.fenced) messages::write_member(w, member);
}

static void write_query(BitWriter &w, const Replica &r, const Item &item)
{
    if (item.token != r.query_token) return; // A newer one is behind it.
    messages::write_kind(w, MessageKind::query);
    bits::write(w, item.token, 32);
    for (const Member &member : r.members.all()) {
        if (!member.fenced) continue;
        bits::write_bool(w, true);
        messages::write_peer(w, member.id);
    }
    bits::write_bool(w, false);
}

void write_item(BitWriter &w, Replica &r, MemberSlot to, Item &item)
{
    if (item.kind == MessageKind::query) return write_query(w, r, item);
    if (item.kind == MessageKind::view && item.token != r.view) return; // A newer one follows.
    messages::write_kind(w, item.kind);
    if (item.kind == MessageKind::welcome) messages::write_peer(w, r.members[to].id);
    write_roster(w, r);
}

// --- Greeting ---

static void greet(Replica &r, MemberSlot to)
{
    for (const Object &object : r.world.slots.all()) {
        if (object.life != Life::alive || object.owner != r.self || object.stamp != 0) continue;
        if (TERN_MUTANT(newcomer_not_greeted)) continue;
        Item item = plain(MessageKind::create);
        item.object = static_cast<uint64_t>(object.id);
        outbox::push(r, to, item);
    }
    uint32_t used = r.grants.count - r.free_grants.count; // Their places are mostly the lowest.
    for (uint32_t i = 0; i < r.grants.count && used > 0; ++i) {
        if (r.grants[i].references == 0) continue;
        used -= 1;
        if (r.grants[i].owner != r.self) continue;
        if (TERN_MUTANT(newcomer_not_greeted)) continue;
        Item item = plain(MessageKind::migrate);
        item.grant = i + 1;
        outbox::push(r, to, item);
    }
    if (!TERN_MUTANT(greeting_without_the_dead)) outbox::push(r, to, plain(MessageKind::dead));
    outbox::push(r, to, plain(MessageKind::greeted));
}

// --- Reading a roster ---

struct Roster {
    PeerId host; // The lowest.
    uint32_t view;
    uint16_t term_number, last_peer;
    BitReader members;
    uint32_t count;
};

static Roster read_roster(BitReader &reader, const Replica &r, PeerId self)
{
    Roster roster = {};
    roster.view = static_cast<uint32_t>(bits::read(reader, 32));
    roster.term_number = static_cast<uint16_t>(bits::read(reader, 16));
    roster.last_peer = static_cast<uint16_t>(bits::read(reader, 16));
    roster.count = static_cast<uint32_t>(bits::read(reader, 16));
    if (roster.count == 0 || roster.count > r.members.count) bits::fail(reader);
    roster.members = reader;
    Member member;
    bool self_there = false;
    PeerId seen[256];
    for (uint32_t i = 0; i < roster.count && !bits::failed(reader); ++i) {
        messages::read_member(reader, member);
        if (i == 0 || member.id < roster.host) roster.host = member.id;
        self_there |= member.id == self;
        seen[i] = member.id;
        if (std::find(seen, seen + i, member.id) != seen + i) bits::fail(reader);
        if (static_cast<uint16_t>(member.id) > roster.last_peer) bits::fail(reader);
    }
    if (!self_there) bits::fail(reader);
    return roster;
}

static void fence(Replica &r, MemberSlot slot)
{
    Member &member = r.members[slot];
    if (member.fenced) return;
    member.fenced = true;
    member.query_waits = false;
    outbox::clear(r, slot);
    publish::forget_peer(r.publisher, slot);
    // The host's game has not heard of one that never caught up.
    if (member.caught_up) happenings::peer(r, EventKind::peer_left, member.id);
}

static void drop(Replica &r, MemberSlot slot)
{
    fence(r, slot);
    outbox::clear(r, slot); // It may have been given up since. Who has the place next has not.
    r.members[slot] = {};
}

static MemberSlot free_place(const Replica &r)
{
    for (MemberSlot slot = 0; slot < r.members.count; ++slot)
        if (r.members[slot].id == PeerId::none) return slot;
    return no_member;
}

// The roster becomes ours. Fenced ones that it still lists stay fenced. Who came after us is
// greeted, and does not greet us: it says all it has to say to a roster that has us on it.
static void take_roster(Replica &r, Roster roster, bool with_events)
{
    bool listed[256] = {};
    BitReader reader = roster.members;
    Member member;
    for (uint32_t i = 0; i < roster.count; ++i) {
        messages::read_member(reader, member);
        const MemberSlot known = replica::find_member(r, member.id);
        if (known != no_member) listed[known] = true;
    }
    for (MemberSlot slot = 0; slot < r.members.count; ++slot)
        if (r.members[slot].id != PeerId::none && !listed[slot]) drop(r, slot);
    reader = roster.members;
    for (uint32_t i = 0; i < roster.count; ++i) {
        messages::read_member(reader, member);
        const MemberSlot known = replica::find_member(r, member.id);
        if (known != no_member) { // It may have moved.
            r.members[known].identity.address = member.identity.address;
            continue;
        }
        const MemberSlot place = free_place(r);
        r.members[place] = member;
        r.members[place].greeted = member.id > r.self;
        if (with_events) happenings::peer(r, EventKind::peer_joined, member.id);
        if (member.id > r.self) greet(r, place);
    }
    r.view = roster.view;
    r.term_number = roster.term_number;
    r.last_peer = roster.last_peer;
    r.term_number_seen = std::max(r.term_number_seen, roster.term_number);
}

// --- Joining ---

static void finish_joining(Replica &r)
{
    if (r.phase != Phase::joining) return;
    for (const Member &member : r.members.all()) {
        if (TERN_MUTANT(joiner_acts_early) && member.id != replica::host(r)) continue;
        if (member.id != PeerId::none && member.id != r.self && !member.fenced && !member.greeted)
            return;
    }
    r.phase = Phase::in;
    happenings::peer(r, EventKind::caught_up, r.self);
    outbox::push(r, replica::find_member(r, replica::host(r)), plain(MessageKind::caught_up));
}

Verdict receive_greeted(Replica &r, MemberSlot from, BitReader reader)
{
    if (!bits::complete(reader)) return Verdict::malformed;
    if (r.phase != Phase::joining) return Verdict::ignored;
    r.members[from].greeted = true;
    finish_joining(r);
    return Verdict::ok;
}

Verdict receive_caught_up(Replica &r, MemberSlot from, BitReader reader)
{
    if (!bits::complete(reader)) return Verdict::malformed;
    if (!is_host(r)) return Verdict::forged;
    if (r.members[from].caught_up) return Verdict::ignored;
    r.members[from].caught_up = true;
    happenings::peer(r, EventKind::peer_joined, r.members[from].id);
    return Verdict::ok;
}

Verdict receive_view(Replica &r, PeerId from, BitReader reader)
{
    const Roster roster = read_roster(reader, r, r.self);
    if (!bits::complete(reader)) return Verdict::malformed;
    if (from != replica::host(r) || from != roster.host) return Verdict::forged;
    if (roster.view <= r.view) return Verdict::ignored;
    take_roster(r, roster, true);
    finish_joining(r);
    return Verdict::ok;
}

// --- Departure ---

static void answer_queries(Replica &r)
{
    const MemberSlot host = replica::find_member(r, replica::host(r));
    if (host == no_member || !r.members[host].query_waits) return;
    const uint32_t token = r.members[host].query_token;
    r.members[host].query_waits = false;
    for (const Object &object : r.world.slots.all()) {
        const bool owned = replica::is_member(r, object.owner);
        if (object.life != Life::alive || (owned && !TERN_MUTANT(report_before_fencing))) continue;
        Item item = plain(MessageKind::report_object);
        item.object = static_cast<uint64_t>(object.id);
        item.token = token;
        outbox::push(r, host, item);
    }
    outbox::push(r, host, plain(MessageKind::dead));
    Item item = plain(MessageKind::report);
    item.token = token;
    outbox::push(r, host, item);
}

Verdict receive_query(Replica &r, MemberSlot from, BitReader reader)
{
    const auto token = static_cast<uint32_t>(bits::read(reader, 32));
    const PeerId sender = r.members[from].id;
    BitReader names = reader;
    while (bits::read_bool(reader)) {
        const PeerId gone = messages::read_peer(reader);
        if (gone == r.self || gone == sender) bits::fail(reader); // Those are told otherwise.
    }
    if (!bits::complete(reader)) return Verdict::malformed;
    if (sender != replica::host(r)) return Verdict::forged;
    while (bits::read_bool(names)) {
        const MemberSlot slot = replica::find_member(r, messages::read_peer(names));
        if (slot != no_member && !TERN_MUTANT(report_before_fencing)) fence(r, slot);
    }
    r.members[from].query_token = token;
    r.members[from].query_waits = true;
    answer_queries(r);
    finish_joining(r);
    return Verdict::ok;
}

static void ask_everybody(Replica &r)
{
    r.query_token += 1;
    r.collecting = true;
    for (Member &member : r.members.all())
        member.reported = false;
    Item item = plain(MessageKind::query);
    item.token = r.query_token;
    outbox::push_to_all(r, item);
}

Verdict receive_report_object(Replica &r, BitReader reader)
{
    const auto token = static_cast<uint32_t>(bits::read(reader, 32));
    Live live = {};
    live.id = messages::read_object_id(reader);
    live.stamp = messages::read_stamp(reader);
    live.owner = messages::read_peer(reader);
    ObjectState state;
    messages::read_state(reader, *r.types, state);
    if (!bits::complete(reader)) return Verdict::malformed;
    if (!is_host(r)) return Verdict::forged;
    if (!r.collecting || token != r.query_token) return Verdict::ignored;
    // Of a live owner we hear from himself. All that one had whose departure has ended was granted
    // then; if that grant's owner went too, the report may still be of the tenure before.
    const MemberSlot owner = replica::find_member(r, live.owner);
    if (static_cast<uint16_t>(live.owner) > r.last_peer) return Verdict::forged;
    if (owner == no_member) return Verdict::ignored;
    if (!r.members[owner].fenced) return Verdict::ignored;
    if (live.stamp > stamps::make({r.term_number, r.self, r.grant_count})) return Verdict::forged;
    uint32_t unknown = 0;
    const Verdict fit = fits(r, live.id, state.type, unknown);
    if (fit != Verdict::ok) return fit;
    live.survived_tick = state.tick;
    objects::join(r, live, state);
    return Verdict::ok;
}

Verdict receive_report(Replica &r, MemberSlot from, BitReader reader)
{
    const auto token = static_cast<uint32_t>(bits::read(reader, 32));
    const auto seen = static_cast<uint16_t>(bits::read(reader, 16));
    if (!bits::complete(reader)) return Verdict::malformed;
    if (!is_host(r)) return Verdict::forged;
    if (!r.collecting || token != r.query_token) return Verdict::ignored;
    if (seen > r.term_number_seen) return Verdict::forged; // No other host has been.
    r.members[from].reported = true;
    return Verdict::ok;
}

Verdict receive_complaint(Replica &r, PeerId from, BitReader reader)
{
    const PeerId about = messages::read_peer(reader);
    if (!bits::complete(reader)) return Verdict::malformed;
    if (!is_host(r) || about == r.self || about == from) return Verdict::forged;
    if (!replica::is_member(r, about)) return Verdict::ignored;
    give_up(r, replica::find_member(r, about));
    return Verdict::ok;
}

// Every live object of a fenced owner is granted to the host, and destroyed if its type says so.
static void adopt_orphans(Replica &r)
{
    if (TERN_MUTANT(orphans_left_alone)) return;
    const Stamp before = stamps::make({r.term_number, r.self, r.grant_count});
    grants::adopt_orphans(r);
    for (Slot slot = 0; slot < r.world.slots.count; ++slot) {
        const Object &object = r.world.slots[slot];
        if (object.life != Life::alive || object.owner != r.self || object.stamp <= before)
            continue;
        if (r.types->types[object.type].orphan == Orphan::destroy) objects::condemn(r, slot);
    }
}

static uint32_t orphan_count(const Replica &r)
{
    uint32_t count = 0;
    for (const Object &object : r.world.slots.all())
        count += object.life == Life::alive && !replica::is_member(r, object.owner);
    return count;
}

static void open_view(Replica &r)
{
    r.collecting = false;
    if (!TERN_MUTANT(dead_not_relayed)) outbox::push_to_all(r, plain(MessageKind::dead));
    for (MemberSlot slot = 0; slot < r.members.count; ++slot)
        if (r.members[slot].fenced) drop(r, slot);
    r.view += 1;
    Item item = plain(MessageKind::view);
    item.token = r.view;
    outbox::push_to_all(r, item);
}

static void end_departure(Replica &r)
{
    if (!r.collecting) return;
    for (const Member &member : r.members.all())
        if (member.id != PeerId::none && member.id != r.self && !member.fenced && !member.reported)
            return;
    // Wishes of before come first, so that they do not take the room.
    grants::settle(r, grants::Taking::to_all);
    const uint32_t orphans = orphan_count(r);
    if (!grants::room(r, orphans) || r.events.capacity - r.events.count < 3 * orphans + 64) return;
    adopt_orphans(r);
    open_view(r);
}

void give_up(Replica &r, MemberSlot member)
{
    r.rings[member].overflow = true;
}

void settle(Replica &r)
{
    const PeerId host = replica::host(r);
    for (MemberSlot slot = 0; slot < r.members.count; ++slot) {
        ItemRing &ring = r.rings[slot];
        if (!ring.overflow || ring.given_up) continue;
        ring.given_up = true;
        const PeerId peer = r.members[slot].id;
        if (peer == PeerId::none || r.members[slot].fenced) continue;
        if (is_host(r)) {
            replica::peer_gone(r, peer);
        } else if (peer == host) {
            if (r.fault == Fault::none) r.fault = Fault::host_queue_full;
        } else {
            Item item = plain(MessageKind::complaint);
            item.peer = peer;
            outbox::push(r, replica::find_member(r, host), item);
        }
    }
    if (is_host(r)) end_departure(r);
}

Verdict fits(Replica &r, ObjectId id, TypeId type, uint32_t &unknown)
{
    const Slot slot = world::find(r.world, id);
    if (slot != no_slot) return r.world.slots[slot].type == type ? Verdict::ok : Verdict::malformed;
    // Nobody else makes our objects.
    if (object_id::creator(id) == r.self && object_id::serial(id) > r.world.serial)
        return Verdict::malformed;
    if (dead::contains(r.world.dead, id)) return Verdict::ok;
    unknown += 1;
    const Packed &packed = r.world.packed[type];
    if (packed.count + packed.dying + unknown <= packed.capacity) return Verdict::ok;
    if (packed.alive + unknown > packed.capacity && r.fault == Fault::none)
        r.fault = Fault::objects_full;
    return Verdict::later;
}

}

namespace replica {

Verdict welcome(Replica &r, uint64_t session, const uint8_t *signing_secret, const Identity &self,
                std::span<const std::byte> message)
{
    BitReader reader = bits::reader(message);
    if (messages::read_kind(reader) != MessageKind::welcome) return Verdict::forged;
    if (r.phase != Phase::outside) return Verdict::ignored;
    const PeerId id = messages::read_peer(reader);
    const views::Roster roster = views::read_roster(reader, r, id);
    if (!bits::complete(reader)) return Verdict::malformed;
    r.session = session;
    std::memcpy(r.signing_secret, signing_secret, sizeof(r.signing_secret));
    r.self = id;
    views::take_roster(r, roster, false);
    const Member &me = r.members[find_member(r, id)];
    const bool same = std::memcmp(me.identity.signing_key, self.signing_key, 32) == 0 &&
                      std::memcmp(me.identity.key, self.key, 32) == 0;
    if (!same) {
        r.fault = Fault::removed; // Whoever that is, it is not us.
        return Verdict::malformed;
    }
    r.phase = Phase::joining;
    views::finish_joining(r);
    return Verdict::ok;
}

bool room_for_member(const Replica &r)
{
    return views::free_place(r) != no_member && r.last_peer < UINT16_MAX - 1;
}

PeerId next_peer_id(Replica &r)
{
    TERN_ASSERT(r.last_peer < UINT16_MAX - 1, "peer %u", r.last_peer);
    r.last_peer += 1;
    return static_cast<PeerId>(r.last_peer);
}

void admit(Replica &r, PeerId id, const Identity &newcomer)
{
    TERN_ASSERT(room_for_member(r) && host(r) == r.self, "peer %u", r.last_peer);
    TERN_ASSERT(find_member(r, id) == no_member, "peer %u is in", static_cast<unsigned>(id));
    const MemberSlot place = views::free_place(r);
    r.view += 1;
    Item view = views::plain(MessageKind::view);
    view.token = r.view;
    outbox::push_to_all(r, view);
    r.members[place] = {};
    r.members[place].id = id;
    r.members[place].identity = newcomer;
    r.members[place].reported = true; // It has nothing to say to a query that is under way.
    outbox::push(r, place, views::plain(MessageKind::welcome));
    views::greet(r, place);
}

void moved(Replica &r, PeerId peer, const Address &address)
{
    const MemberSlot slot = find_member(r, peer);
    if (slot == no_member || host(r) != r.self) return;
    if (r.members[slot].identity.address == address) return;
    r.members[slot].identity.address = address;
    r.view += 1;
    Item view = views::plain(MessageKind::view);
    view.token = r.view;
    outbox::push_to_all(r, view);
}

void peer_gone(Replica &r, PeerId peer)
{
    const MemberSlot slot = find_member(r, peer);
    if (slot == no_member || r.members[slot].fenced || peer == r.self) return;
    views::fence(r, slot);
    views::ask_everybody(r);
}

}
}
