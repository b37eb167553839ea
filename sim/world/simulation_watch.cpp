// Finds what a tick has changed, for the oracles, the digest and the history.
#include "sim/world/simulation.h"
#include <algorithm>
#include <cstring>

namespace tern::simulation {

// --- Changes ---

// Compares what the oracles read of an object. Its visibility does not count, nor do `index` and
// `grant`, which name places in this peer's memory.
static bool is_same(const KnownObject &a, const KnownObject &b)
{
    return a.id == b.id && a.stamp == b.stamp && a.owner == b.owner && a.type == b.type &&
           a.life == b.life && a.tick == b.tick;
}

static void push_change(Simulation &sim, uint16_t place, size_t slot, const KnownObject &before,
                        const KnownObject &after)
{
    Node &node = sim.nodes[place];
    Change change = {};
    change.object = after.id == ObjectId::none ? before.id : after.id;
    change.before = before;
    change.after = after;
    if (after.life == Life::alive) {
        std::memcpy(&change.value, inspect::replicated(node.session, after.id),
                    sizeof change.value);
        change.value_changed =
            before.life != Life::alive ||
            std::memcmp(&change.value, &node.values[slot], sizeof change.value) != 0;
        node.values[slot] = change.value;
    }
    node.changes.push_back(change);
}

static void compare_slot(Simulation &sim, uint16_t place, size_t slot)
{
    Node &node = sim.nodes[place];
    const KnownObject now = inspect::replica(node.session).world.slots[slot];
    const KnownObject before = node.slots[slot];
    node.slots[slot] = now;
    if (is_same(before, now)) return;
    if (before.id != now.id && before.id != ObjectId::none && now.id != ObjectId::none) {
        push_change(sim, place, slot, before, {});
        push_change(sim, place, slot, {}, now);
    } else {
        push_change(sim, place, slot, before, now);
    }
}

// Slots are handed out from the lowest on and freed a tick later at the earliest. So all slots
// behind the first unused one are unused too, and need not be compared.
static void compare_slots(Simulation &sim, uint16_t place)
{
    constexpr size_t chunk = 8;
    Node &node = sim.nodes[place];
    size_t &end = sim.places[place].slot_end;
    const Flat<KnownObject> &slots = inspect::replica(node.session).world.slots;
    while (end < slots.count && slots[end].id != ObjectId::none)
        end += 1;
    node.slots.resize(end);
    node.values.resize(end);
    node.changes.clear();
    for (size_t first = 0; first < end; first += chunk) {
        const size_t count = std::min(chunk, end - first);
        if (std::memcmp(&slots[first], &node.slots[first], count * sizeof(KnownObject)) == 0)
            continue;
        for (size_t i = 0; i < count; ++i)
            compare_slot(sim, place, first + i);
    }
}

// --- Digest ---

static void fold(uint64_t &digest, uint64_t value)
{
    digest = (digest ^ value) * 0x9e3779b97f4a7c15;
    digest ^= digest >> 29;
}

static uint64_t changed_fields(const Event &event)
{
    if (event.kind == EventKind::object_changed) return event.object.changed_fields;
    return event.kind == EventKind::owner_changed ? event.owner.changed_fields : 0;
}

static void fold_tick(Simulation &sim, uint16_t place)
{
    const Node &node = sim.nodes[place];
    uint64_t digest = sim.digest;
    for (const Event &event : node.events) {
        fold(digest,
             static_cast<uint64_t>(event.kind) << 32 | static_cast<uint64_t>(peer_of(event)));
        fold(digest, static_cast<uint64_t>(object_of(event)) ^ changed_fields(event) << 48);
    }
    for (const Change &change : node.changes) {
        fold(digest, static_cast<uint64_t>(change.object));
        fold(digest, change.after.stamp ^ static_cast<uint64_t>(change.after.life) << 56);
        fold(digest, uint64_t{change.after.tick} << 32 | change.value.sequence);
    }
    sim.digest = digest;
}

static void count_tick(Simulation &sim, uint16_t place)
{
    const Node &node = sim.nodes[place];
    sim.counts.events += node.events.size();
    sim.counts.changes += node.changes.size();
    for (const Event &event : node.events) {
        sim.counts.claims_granted += event.kind == EventKind::claim_granted;
        sim.counts.claims_refused += event.kind == EventKind::claim_refused;
        sim.counts.calls_received += event.kind == EventKind::call;
        sim.counts.calls_unanswered +=
            event.kind == EventKind::call_failed && (event.call.failure == CallFailure::lost ||
                                                     event.call.failure == CallFailure::no_reply);
        sim.counts.migrations += event.kind == EventKind::owner_changed;
    }
}

// --- All ---

void watch(Simulation &sim, uint16_t place)
{
    Node &node = sim.nodes[place];
    Place &p = sim.places[place];
    node.note_count = p.journal.count;
    node.notes_missed = p.journal.missed;
    compare_slots(sim, place);
    fold_tick(sim, place);
    count_tick(sim, place);
    if (sim.keeps_history) remember_tick(sim, place);
    if (is_liar(sim, place) && node.session && host_peer(node.session) == node.self &&
        node.self != PeerId::none)
        sim.is_void = true;
    oracles::ticked(sim.oracles, sim.nodes, place);
    p.journal.count = 0;
}

}
