#include "migration/breaches.h"
#include "migration/event_log.h"
#include "migration/grants.h"
#include "migration/message_queue.h"
#include "tern/diagnostics.hpp"
#include <algorithm>

namespace tern::breaches {

static constexpr uint8_t bit(Breach breach)
{
    return static_cast<uint8_t>(1u << static_cast<uint32_t>(breach));
}

static uint8_t &report(Replica &r, MemberSlot accuser, MemberSlot accused)
{
    return r.reports.accusations[accuser * r.members.count + accused];
}

// In a star the host sees all that a client sends, and nobody else does.
static bool tells_host(const Replica &r, const Member &accused)
{
    const PeerId host = replica::host(r);
    return r.rules.topology == Topology::mesh && host != r.self && accused.id != host;
}

static bool is_unreported(const Replica &r, const Member &member)
{
    if (member.id == PeerId::none || member.fenced) return false;
    return (member.breaches & ~member.reported_breaches) != 0 && tells_host(r, member);
}

static void push(Replica &r)
{
    const MemberSlot host = replica::find_member(r, replica::host(r));
    if (host != no_member) message_queue::push(r, host, Control::accusations);
}

void found(Replica &r, MemberSlot slot, Breach breach)
{
    Member &member = r.members[slot];
    if (member.fenced || (member.breaches & bit(breach)) != 0) return;
    member.breaches |= bit(breach);
    event_log::misbehaved(r, member.id, breach, PeerId::none);
    if (is_unreported(r, member)) push(r);
}

PeerId write_accuse(BitWriter &w, Replica &r)
{
    for (Member &member : r.members.all()) {
        if (!is_unreported(r, member)) continue;
        member.reported_breaches = member.breaches;
        messages::write_kind(w, MessageKind::accuse);
        messages::write_peer(w, member.id);
        bits::write(w, member.breaches, breach_kinds);
        return member.id;
    }
    return PeerId::none;
}

// A repeated ACCUSE, or one with breaches that are known, changes nothing.
Verdict receive_accuse(Replica &r, MemberSlot from, BitReader reader)
{
    const PeerId accused = messages::read_peer(reader);
    const auto breaches = static_cast<uint8_t>(bits::read(reader, breach_kinds));
    if (breaches == 0 || (breaches & bit(Breach::none)) != 0 || accused == r.members[from].id)
        bits::fail(reader);
    if (!bits::complete(reader)) return Verdict::malformed;
    // Nobody is asked to report a host to itself, and clients of a star see the host only.
    if (replica::host(r) != r.self || accused == r.self || r.rules.topology == Topology::star)
        return Verdict::forged;
    if (!replica::is_member(r, accused)) return Verdict::ignored;
    uint8_t &known = report(r, from, replica::find_member(r, accused));
    for (size_t kind = 0; kind < breach_kinds; ++kind) {
        const auto breach = static_cast<Breach>(kind);
        if ((breaches & bit(breach)) == 0 || (known & bit(breach)) != 0) continue;
        known |= bit(breach);
        event_log::misbehaved(r, accused, breach, r.members[from].id);
    }
    return Verdict::ok;
}

void lost(Replica &r, PeerId accused)
{
    const MemberSlot slot = replica::find_member(r, accused);
    if (slot != no_member) r.members[slot].reported_breaches = 0;
}

void follow_new_host(Replica &r)
{
    bool any = false;
    for (Member &member : r.members.all()) {
        member.reported_breaches = 0;
        any = any || is_unreported(r, member);
    }
    if (any) push(r);
}

void forget(Replica &r, MemberSlot member)
{
    for (MemberSlot other = 0; other < r.members.count; ++other)
        report(r, member, other) = report(r, other, member) = 0;
}

// --- Two grants with one stamp ---

static bool is_proved(const Member &member)
{
    return member.conflicting_grants[0] != 0;
}

static bool is_same(const Grant &a, const Grant &b)
{
    const size_t count = a.object_count;
    return a.owner == b.owner && count == b.object_count &&
           std::equal(a.objects, a.objects + count, b.objects) &&
           std::equal(a.places, a.places + count, b.places);
}

static void prove(Replica &r, MemberSlot host, uint32_t first, uint32_t second)
{
    r.members[host].conflicting_grants[0] = first;
    r.members[host].conflicting_grants[1] = second;
    message_queue::push_to_all(r, Control::equivocations);
    found(r, host, Breach::equivocated);
}

// The index + 1 of the grant of an own object that contradicts this one. 0: there is none.
static uint32_t contradicted(const Replica &r, const Grant &grant)
{
    for (uint16_t i = 0; i < grant.object_count; ++i) {
        const ObjectSlot slot = grants::own_slot(r, grant, i);
        if (slot == no_slot) continue;
        const uint32_t own = r.world.slots[slot].grant;
        if (!is_same(r.granting.all[own - 1], grant)) return own;
    }
    return 0;
}

bool compare(Replica &r, const Grant &grant)
{
    const PeerId host = stamps::parts(grant.stamp).host;
    if (host == r.self || !replica::is_member(r, host)) return true;
    const MemberSlot slot = replica::find_member(r, host);
    const uint32_t own = is_proved(r.members[slot]) ? 0 : contradicted(r, grant);
    if (own == 0) return true;
    if (r.granting.free.count == 0) return false;
    r.granting.all[own - 1].references += 1;
    prove(r, slot, own, grants::keep(r, grant));
    return true;
}

// The sender may know more than we do of who is a member. The key of a member is the same for all.
Verdict receive_equivocation(Replica &r, BitReader reader)
{
    Grant first, second;
    messages::read_grant(reader, first);
    messages::read_grant(reader, second);
    if (!bits::complete(reader)) return Verdict::malformed;
    const PeerId host = stamps::parts(first.stamp).host;
    const bool differ = first.stamp == second.stamp && !is_same(first, second);
    if (!differ || host == r.self || r.rules.topology == Topology::star) return Verdict::forged;
    const MemberSlot slot = replica::find_member(r, host);
    if (!replica::is_member(r, host) || is_proved(r.members[slot])) return Verdict::ignored;
    if (r.granting.free.count < 2) return Verdict::later;
    const uint8_t *key = r.members[slot].identity.signing_key;
    if (!grants::is_signed(r, first, key) || !grants::is_signed(r, second, key))
        return Verdict::forged;
    const uint32_t kept = grants::keep(r, first);
    prove(r, slot, kept, grants::keep(r, second));
    return Verdict::ok;
}

// The accused is sent nothing about itself.
bool write_equivocation(BitWriter &w, Replica &r, MemberSlot to)
{
    uint32_t &next = r.outbox.queues[to].equivocations_next;
    while (next < r.members.count) {
        const MemberSlot host = next++;
        if (host == to || !is_proved(r.members[host])) continue;
        messages::write_kind(w, MessageKind::equivocation);
        for (const uint32_t grant : r.members[host].conflicting_grants)
            messages::write_grant(w, r.granting.all[grant - 1]);
        return true;
    }
    return false;
}

void sync(Replica &r, MemberSlot to)
{
    const std::span<const Member> members = r.members.all();
    if (std::any_of(members.begin(), members.end(), is_proved))
        message_queue::push(r, to, Control::equivocations);
}

void drop(Replica &r, MemberSlot member)
{
    if (!is_proved(r.members[member])) return;
    for (const uint32_t grant : r.members[member].conflicting_grants)
        grants::unreference(r, grant);
}

}

namespace tern::replica {

void accuse(Replica &r, PeerId peer, Breach breach)
{
    const MemberSlot slot = find_member(r, peer);
    if (slot != no_member) breaches::found(r, slot, breach);
}

bool has_equivocated(const Replica &r, PeerId peer)
{
    const MemberSlot slot = find_member(r, peer);
    return slot != no_member && breaches::is_proved(r.members[slot]);
}

// The word of one member is never enough, nor that of fewer members than may lie: a third.
bool is_guilty(const Replica &r, MemberSlot slot)
{
    if (host(r) != r.self || r.members[slot].id == PeerId::none) return false;
    if (r.members[slot].breaches != 0) return true;
    if (r.rules.topology == Topology::star) return false; // Nobody accuses there.
    uint32_t others = 0, accusers = 0;
    for (MemberSlot other = 0; other < r.members.count; ++other) {
        const Member &member = r.members[other];
        if (member.id == PeerId::none || member.fenced || other == slot) continue;
        others += 1;
        accusers += r.reports.accusations[other * r.members.count + slot] != 0;
    }
    return accusers >= 2 && 3 * accusers > others;
}

}
