#include "migration/deaths.h"
#include "migration/grants.h"
#include "migration/message_queue.h"
#include "migration/replica.h"
#include <algorithm>

namespace tern::deaths {

// --- Ranges ---

std::span<const DeadRange> owed(const Replica &r, MemberSlot member)
{
    return of_member(r.outbox.owed, r, member).first(r.outbox.queues[member].owed_count);
}

void take_owed(Replica &r, MemberSlot member, uint32_t count)
{
    DeadRange *ranges = of_member(r.outbox.owed, r, member).data();
    uint32_t &left = r.outbox.queues[member].owed_count;
    std::move(ranges + count, ranges + left, ranges);
    std::fill(ranges + left - count, ranges + left, DeadRange{});
    left -= count;
}

// Everything between two ids of one range of World::dead is dead. So one owed range suffices for
// each, and the owed ranges are as few as those of World::dead.
void owe(Replica &r, MemberSlot to, DeadRange range)
{
    if (!message_queue::takes_objects(r, to)) return;
    const DeadRange run = dead::run(r.world.dead, range);
    const std::span<DeadRange> places = of_member(r.outbox.owed, r, to);
    DeadRange *ranges = places.data();
    uint32_t &count = r.outbox.queues[to].owed_count;
    DeadRange *first =
        std::lower_bound(ranges, ranges + count, run.first,
                         [](const DeadRange &before, uint64_t id) { return before.last < id; });
    DeadRange *end = first;
    for (; end != ranges + count && end->first <= run.last; ++end)
        range = {std::min(range.first, end->first), std::max(range.last, end->last)};
    if (first == end && count == places.size()) { // All destroyed ids go out instead.
        take_owed(r, to, count);
        return message_queue::push(r, to, Control::dead);
    }
    const auto place = static_cast<uint32_t>(first - ranges);
    const auto merged = static_cast<uint32_t>(end - first);
    if (merged == 0) {
        std::move_backward(first, ranges + count, ranges + count + 1);
        count += 1;
    } else {
        std::move(end, ranges + count, first + 1);
        std::fill(ranges + count - (merged - 1), ranges + count, DeadRange{});
        count -= merged - 1;
    }
    ranges[place] = range;
    message_queue::push_deaths(r, to);
}

// --- Proofs ---

static ProofMark &mark(Replica &r, MemberSlot member, uint32_t proof)
{
    return of_member(r.outbox.proof_marks, r, member)[proof];
}

static void free_proof(Replica &r, uint32_t proof)
{
    grants::unreference(r, r.outbox.proofs[proof].grant);
    r.outbox.proofs[proof] = {};
}

static void set_acked(Replica &r, MemberSlot member, uint32_t proof)
{
    ProofMark &at = mark(r, member, proof);
    if (at == ProofMark::acked) return;
    r.outbox.queues[member].proofs_waiting -= at == ProofMark::waits;
    at = ProofMark::acked;
    r.outbox.proofs[proof].unacked_by -= 1;
    if (r.outbox.proofs[proof].unacked_by == 0) free_proof(r, proof);
}

// Frees a place. The members that have not acked the death get it from the host, with DEAD. As long
// as the host has not acked a death, the object lives there; so a proof that the host has acked
// exists whenever all places are taken.
static uint32_t give_up_proof(Replica &r)
{
    const MemberSlot host = replica::find_member(r, replica::host(r));
    uint32_t proof = 0;
    while (host != no_member && proof + 1 < r.outbox.proofs.count &&
           mark(r, host, proof) != ProofMark::acked)
        ++proof;
    for (MemberSlot member = 0; member < r.members.count; ++member) {
        if (mark(r, member, proof) == ProofMark::acked) continue;
        r.outbox.queues[member].misses_dead = true;
        set_acked(r, member, proof);
    }
    // Without a host there is nothing to ask: every new host sends DEAD to all.
    message_queue::push(r, host, Control::dead_wanted);
    return proof;
}

static uint32_t place_for_proof(Replica &r)
{
    for (uint32_t proof = 0; proof < r.outbox.proofs.count; ++proof)
        if (r.outbox.proofs[proof].object == 0) return proof;
    return give_up_proof(r);
}

static void announce_with_proof(Replica &r, ObjectId object, uint32_t grant)
{
    const uint32_t proof = place_for_proof(r);
    r.outbox.proofs[proof] = {static_cast<uint64_t>(object), grant, 0};
    for (const uint16_t member : r.order.all()) {
        if (!message_queue::takes_objects(r, member)) continue;
        mark(r, member, proof) = ProofMark::waits;
        r.outbox.proofs[proof].unacked_by += 1;
        r.outbox.queues[member].proofs_waiting += 1;
        message_queue::push_deaths(r, member);
    }
    r.granting.all[grant - 1].references += 1;
    if (r.outbox.proofs[proof].unacked_by == 0) free_proof(r, proof);
}

void announce(Replica &r, ObjectId object, uint32_t grant)
{
    const bool trusted = object_id::creator(object) == r.self || replica::host(r) == r.self;
    if (!trusted) return announce_with_proof(r, object, grant);
    const auto id = static_cast<uint64_t>(object);
    for (const uint16_t member : r.order.all())
        owe(r, member, {id, id});
}

uint32_t take_proof(Replica &r, MemberSlot member)
{
    uint32_t proof = 0;
    while (proof < r.outbox.proofs.count && mark(r, member, proof) != ProofMark::waits)
        ++proof;
    if (proof == r.outbox.proofs.count) return proof;
    mark(r, member, proof) = ProofMark::in_flight;
    r.outbox.queues[member].proofs_waiting -= 1;
    return proof;
}

void proof_acked(Replica &r, MemberSlot member, uint32_t proof, uint64_t object)
{
    // Otherwise the proof was given up, and its place may have been reused.
    const bool same =
        r.outbox.proofs[proof].object == object && mark(r, member, proof) == ProofMark::in_flight;
    if (same) set_acked(r, member, proof);
}

void proofs_lost(Replica &r, MemberSlot member)
{
    for (uint32_t proof = 0; proof < r.outbox.proofs.count; ++proof) {
        if (mark(r, member, proof) != ProofMark::in_flight) continue;
        mark(r, member, proof) = ProofMark::waits;
        r.outbox.queues[member].proofs_waiting += 1;
    }
    if (r.outbox.queues[member].proofs_waiting > 0) message_queue::push_deaths(r, member);
}

void forget_member(Replica &r, MemberSlot member)
{
    take_owed(r, member, r.outbox.queues[member].owed_count);
    for (uint32_t proof = 0; proof < r.outbox.proofs.count; ++proof)
        set_acked(r, member, proof);
}

// --- Questions ---

bool is_unacked(const Replica &r, MemberSlot member, ObjectId object)
{
    const auto id = static_cast<uint64_t>(object);
    for (const DeadRange &range : owed(r, member))
        if (range.first <= id && id <= range.last) return true;
    for (uint32_t proof = 0; proof < r.outbox.proofs.count; ++proof)
        if (r.outbox.proofs[proof].object == id &&
            of_member(r.outbox.proof_marks, r, member)[proof] != ProofMark::acked)
            return true;
    return message_queue::is_death_unacked(r, member, object);
}

}
