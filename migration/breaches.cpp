#include "migration/breaches.h"
#include "migration/event_log.h"
#include "migration/message_queue.h"

namespace tern::breaches {

static constexpr uint8_t bit(Breach breach)
{
    return static_cast<uint8_t>(1u << static_cast<uint32_t>(breach));
}

static uint8_t &report(Replica &r, MemberSlot accuser, MemberSlot accused)
{
    return r.accusations[accuser * r.members.count + accused];
}

// In a star the host sees all that a client sends, and nobody else does.
static bool tells_host(const Replica &r, const Member &accused)
{
    const PeerId host = replica::host(r);
    return r.topology == Topology::mesh && host != r.self && accused.id != host;
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
    if (replica::host(r) != r.self || accused == r.self || r.topology == Topology::star)
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

}

namespace tern::replica {

void accuse(Replica &r, PeerId peer, Breach breach)
{
    const MemberSlot slot = find_member(r, peer);
    if (slot != no_member) breaches::found(r, slot, breach);
}

// The word of one member is never enough, nor that of fewer members than may lie: a third.
bool is_guilty(const Replica &r, MemberSlot slot)
{
    if (host(r) != r.self || r.members[slot].id == PeerId::none) return false;
    if (r.members[slot].breaches != 0) return true;
    if (r.topology == Topology::star) return false; // Nobody accuses there.
    uint32_t others = 0, accusers = 0;
    for (MemberSlot other = 0; other < r.members.count; ++other) {
        const Member &member = r.members[other];
        if (member.id == PeerId::none || member.fenced || other == slot) continue;
        others += 1;
        accusers += r.accusations[other * r.members.count + slot] != 0;
    }
    return accusers >= 2 && 3 * accusers > others;
}

}
