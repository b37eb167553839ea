#include "sim/oracles/oracles.h"
#include "sim/oracles/oracle_checks.h"
#include "sim/world/names.h"
#include "tern/ownership.hpp"
#include <algorithm>

namespace tern::oracles {

namespace {

// Ticks between two checks of a peer's whole replica, which are too slow for every tick.
constexpr uint64_t look_around_ticks = 256;

NodeRecord &record_of(Oracles &o, uint16_t node)
{
    if (node >= o.nodes.size()) o.nodes.resize(node + size_t{1});
    return o.nodes[node];
}

void keep(Oracles &o, Violation &&violation)
{
    if (violation && !o.violation) o.violation = std::move(violation);
}

// --- Objects ---

Violation judge(const Judged &judged)
{
    const KnownObject &before = judged.step.before, &after = judged.step.after;
    const bool goes_on = judged.record && judged.before.life == Life::alive &&
                         after.life == Life::alive && before.stamp == after.stamp &&
                         before.owner == after.owner && before.type == after.type;
    if (goes_on) { // The common case: only the value has changed.
        Violation violation = oracle_sequence::check(judged);
        return violation ? violation : oracle_values::check(judged);
    }
    constexpr Violation (*checks[])(const Judged &) = {
        oracle_dead::check,      oracle_stamps::check,   oracle_tenures::check,
        oracle_authority::check, oracle_sequence::check, oracle_values::check};
    for (const auto check : checks)
        if (Violation violation = check(judged)) return violation;
    return {};
}

void remember(Shown &shown, const Step &step, uint64_t now_us)
{
    if (step.after.id == ObjectId::none || step.after.life != Life::alive) {
        shown.life = Life::dying;
        return;
    }
    const bool goes_on = shown.life == Life::alive && shown.stamp == step.after.stamp;
    if (!goes_on) shown.since_us = now_us;
    shown.life = Life::alive;
    shown.stamp = step.after.stamp;
    shown.sequence = step.value.tenure == step.after.stamp ? step.value.sequence : 0;
}

void judge_changes(Oracles &o, const Node &node, uint16_t index, PeerId host)
{
    NodeRecord &record = o.nodes[index];
    for (const Change &change : node.changes) {
        const ledger::Steps steps = ledger::steps(change);
        for (size_t i = 0; i < steps.count; ++i) {
            const Step &step = steps.steps[i];
            ledger::record(o.ledger, node.self, host, step);
            const ObjectRecord *known = ledger::find(o.ledger, step.object);
            Shown *shown = known ? &oracles::shown(record, step.object) : nullptr;
            const Judged judged = {
                o.ledger, known, node.self, host, index, step, shown ? *shown : Shown{}};
            keep(o, judge(judged));
            if (shown) remember(*shown, step, o.ledger.now_us);
        }
    }
}

// Covers deaths of objects that this peer never had alive, which its slots do not show. A DESTROY
// may arrive before the CREATE, even in the same tick.
void hear_deaths(Oracles &o, const Node &node, uint16_t index)
{
    for (size_t i = 0; i < node.note_count; ++i) {
        const Note &note = node.notes[i];
        const bool death =
            note.message == MessageKind::destroy || note.message == MessageKind::dead;
        if (note.kind != NoteKind::received || !death) continue;
        if (note.verdict != static_cast<uint8_t>(Verdict::ok)) continue;
        const ObjectRecord *record = ledger::find(o.ledger, note.object);
        if (!record) continue;
        Shown &known = shown(o.nodes[index], note.object);
        keep(o, oracle_dead::check_heard(known, *record, note, node.self, index));
        known.life = Life::dying;
    }
}

void count_links(Oracles &o, const Node &node, uint16_t index)
{
    for (size_t i = 0; i < node.note_count; ++i) {
        const Note &note = node.notes[i];
        const bool accepted = note.kind == NoteKind::accepted;
        if ((!accepted && note.kind != NoteKind::sealed) || note.peer == PeerId::none) continue;
        NodeRecord &record = o.nodes[index];
        Links &links = accepted ? record.links[note.peer] : record.own_links[note.peer];
        links.count += links.count == 0 || links.key != note.key;
        links.key = note.key;
    }
}

// --- At rest ---

bool is_in(State state)
{
    return state == State::joining || state == State::open || state == State::cut_off ||
           state == State::leaving;
}

AtRest at_rest(const Oracles &o, std::span<const Node> nodes)
{
    AtRest result = {nodes, {}, o.ledger};
    for (uint16_t i = 0; i < nodes.size(); ++i)
        if (nodes[i].session && nodes[i].core && is_in(session_state(nodes[i].session)))
            result.members.push_back(i);
    return result;
}

}

void peer_started(Oracles &o, std::span<const Node>, uint16_t node)
{
    record_of(o, node) = {};
    if (node < o.handed_out_bits.size()) o.handed_out_bits[node] = 0;
}

void peer_gone(Oracles &o, std::span<const Node>, uint16_t node)
{
    oracle_survival::gone(o.survival, node, o.ledger.now_us);
    record_of(o, node) = {};
}

void peer_comes_back(Oracles &o, std::span<const Node> nodes, uint16_t node)
{
    NodeRecord kept = std::move(record_of(o, node));
    peer_gone(o, nodes, node);
    NodeRecord &record = record_of(o, node);
    record.ticks = kept.ticks;
    record.keys = std::move(kept.keys);
    record.accounts = std::move(kept.accounts);
    record.traffic = std::move(kept.traffic);
}

void peer_starts_over(Oracles &o, uint16_t node)
{
    NodeRecord &record = record_of(o, node);
    record.self = PeerId::none;
    record.shown.clear();
    record.claims.clear();
}

void received_by(Oracles &o, std::span<const Node> nodes, uint16_t node, const Datagram &datagram)
{
    oracle_survival::received(o.survival, nodes, node, datagram, nodes[node].ticked_us);
    oracle_stats::received(record_of(o, node), nodes, datagram);
    oracle_amplification::received(record_of(o, node), datagram);
}

void sent(Oracles &o, std::span<const Node> nodes, uint16_t node, const Datagram &datagram)
{
    oracle_stats::sent(record_of(o, node), nodes, datagram);
    oracle_amplification::sent(record_of(o, node), datagram);
}

void handed_out(Oracles &o, uint16_t node, std::span<const Datagram> datagrams,
                std::span<const TrafficRow> charged)
{
    if (node >= o.handed_out_bits.size()) o.handed_out_bits.resize(node + size_t{1});
    for (const Datagram &datagram : datagrams)
        o.handed_out_bits[node] += datagram.bytes.size() * 8;
    keep(o, oracle_charges::check(o.handed_out_bits[node], charged, node));
}

void work_begins(Oracles &o)
{
    if (o.allocation_count) o.allocations_before = *o.allocation_count;
}

void work_ends(Oracles &o, uint16_t node)
{
    if (o.allocation_count)
        keep(o, oracle_allocations::check(o.allocations_before, *o.allocation_count, node));
}

void heard(Oracles &o, std::span<const Node> nodes, uint16_t index)
{
    const Node &node = nodes[index];
    if (!node.session || o.violation) return;
    NodeRecord &record = record_of(o, index);
    if (index >= o.liars_first) return;
    keep(o, oracle_events::check(record.mirror, node, index));
    keep(o, oracle_roster::check(record.mirror, node, index));
    if (o.liars_first < nodes.size()) return;
    o.ledger.now_us = node.ticked_us;
    if (o.paths) keep(o, oracle_sampling::check(o, nodes, index));
    oracle_lost_ticks::note_firsts(o.ledger, node);
    keep(o, oracle_lost_ticks::check(record, o.ledger, node, index));
}

void played(Oracles &o, const Node &node, uint16_t index)
{
    if (node.session && !node.played.empty()) oracle_events::play(record_of(o, index).mirror, node);
}

void preferred(Oracles &o, const Node &node, uint16_t index, const Preference &preference)
{
    const Stamp stamp = object_stamp(node.session, preference.object);
    record_of(o, index).preferences[{preference.object, preference.peer}] = {preference.priority,
                                                                             stamp, node.ticked_us};
}

// What was counted up to the last tick, and in a star a host that this peer begins to follow.
static void note_paths_of_calls(NodeRecord &record, const Node &node, PeerId host)
{
    for (auto &[peer, with] : record.links)
        with.count_before = with.count;
    record.host_changes_before = record.host_changes;
    const bool star =
        node.session && inspect::replica(node.session).rules.topology == Topology::star;
    if (!star || host == PeerId::none || host == record.relaying_host) return;
    record.host_changes += record.relaying_host != PeerId::none;
    record.relaying_host = host;
}

static void begin_tick(Oracles &o, NodeRecord &record, const Node &node)
{
    record.self = node.self;
    record.ticks += 1;
    o.ledger.now_us = node.ticked_us;
    const bool open = node.session && session_state(node.session) == State::open;
    record.open_us = !open ? 0 : record.open_us == 0 ? node.ticked_us : record.open_us;
    record.members_before = record.members;
    record.members = open ? inspect::replica(node.session).order.count : 0;
}

// With liars about, the rules about objects hold for those of honest peers only, and what these
// know of a liar's is not the same everywhere.
static void ticked_among_liars(Oracles &o, std::span<const Node> nodes, uint16_t index)
{
    const Node &node = nodes[index];
    NodeRecord &record = record_of(o, index);
    begin_tick(o, record, node);
    note_paths_of_calls(record, node, node.session ? tern::host_peer(node.session) : PeerId::none);
    if (node.note_count > 0) count_links(o, node, index);
    if (!node.calls.empty()) keep(o, oracle_calls::check(o, node, index));
    if (index >= o.liars_first) return;
    keep(o, oracle_liars::check(o, nodes, index));
    if (node.note_count > 0) keep(o, oracle_packets::check(record, node, index));
    keep(o, oracle_bounds::check(node, index));
    keep(o, oracle_capacity::check(node, index));
    if (!node.session || record.ticks % look_around_ticks != 0) return;
    keep(o, oracle_bounds::check_replica(inspect::replica(node.session), index));
}

void ticked(Oracles &o, std::span<const Node> nodes, uint16_t index)
{
    if (o.liars_first < nodes.size()) return ticked_among_liars(o, nodes, index);
    const Node &node = nodes[index];
    NodeRecord &record = record_of(o, index);
    begin_tick(o, record, node);
    o.journals = o.journals || node.note_count > 0;
    const PeerId host = node.session ? tern::host_peer(node.session) : PeerId::none;
    if (node.session && host == node.self && host != PeerId::none) {
        const Replica &replica = inspect::replica(node.session);
        ledger::record_grants(o.ledger, index, replica);
        if (replica::relays(replica)) o.relaying_hosts.insert(node.self);
    }
    judge_changes(o, node, index, host);
    note_paths_of_calls(record, node, host);
    if (node.note_count > 0) {
        hear_deaths(o, node, index);
        count_links(o, node, index);
        keep(o, oracle_authority::check_heard(node, index));
        keep(o, oracle_streams::check(o, node, index));
        keep(o, oracle_packets::check(record, node, index));
    }
    if (o.paths) {
        keep(o, oracle_stats::check(o, nodes, index)); // Also notes who is bridged.
        keep(o, oracle_freshness::check(o, nodes, index));
        keep(o, oracle_survival::check(o.survival, nodes, index, node.ticked_us));
    }
    keep(o, oracle_visibility::check(node, index));
    keep(o, oracle_claims::check(record, node, index));
    // The locks come last, because they note what was given away.
    if (node.session) keep(o, oracle_cooldowns::check(record, o.ledger, node, index));
    if (node.session) keep(o, oracle_locks::check(record, o.ledger, node, index));
    if (!node.calls.empty()) keep(o, oracle_calls::check(o, node, index));
    if (!node.asks.empty()) keep(o, oracle_asks::check(o, node, index));
    if (std::find(o.homes.begin(), o.homes.end(), node.address) == o.homes.end())
        o.homes.push_back(node.address);
    keep(o, oracle_amplification::check(record, node, index, o.homes, o.journals));
    keep(o, oracle_bounds::check(node, index));
    keep(o, oracle_capacity::check(node, index));
    keep(o, oracle_capacity::check_leases(nodes, index));
    if (node.session && record.ticks % look_around_ticks == 0) {
        const Replica &replica = inspect::replica(node.session);
        keep(o, oracle_bounds::check_replica(replica, index));
        keep(o, oracle_capacity::check_places(replica, index));
        keep(o, oracle_dead::check_memory(record, replica, index));
        if (record.open_us != 0) keep(o, oracle_stats::check_totals(record.mirror, node, index));
    }
}

Violation quiescent(const Oracles &o, std::span<const Node> nodes)
{
    const AtRest rest = at_rest(o, nodes);
    Violation violation = oracle_leftovers::check_members(rest);
    if (o.liars_first < nodes.size()) {
        if (!violation) violation = oracle_convergence::check(rest);
        if (!violation) violation = oracle_leftovers::check(rest);
        return violation;
    }
    if (!violation) violation = oracle_destroyed::check(rest);
    if (!violation) violation = oracle_convergence::check(rest);
    if (!violation) violation = oracle_owners::check(rest);
    if (!violation) violation = oracle_last_values::check(rest);
    if (!violation) violation = oracle_leftovers::check(rest);
    if (!violation) violation = oracle_asks::check_at_rest(o, rest);
    if (!violation) violation = oracle_visibility::check_at_rest(rest);
    if (!violation) violation = oracle_capacity::check_at_rest(rest);
    for (size_t i = 0; i < rest.members.size() && !violation; ++i) {
        const uint16_t index = rest.members[i];
        const Replica &replica = inspect::replica(nodes[index].session);
        violation = oracle_bounds::check_replica(replica, index);
        if (!violation) violation = oracle_bounds::check_at_rest(replica, o.ledger, index);
        if (!violation && index < o.nodes.size())
            violation = oracle_dead::check_memory(o.nodes[index], replica, index);
    }
    return violation;
}

uint64_t calls_under_way(const Oracles &o, std::span<const Node> nodes)
{
    uint64_t count = 0;
    const AtRest rest = at_rest(o, nodes);
    for (uint16_t from : rest.members)
        for (uint16_t to : rest.members) {
            const auto log = o.calls.find({nodes[from].self, nodes[to].self});
            if (log == o.calls.end()) continue;
            // Calls that were not acked on an ended connection are lost; see I7 in oracle_checks.h.
            const Connections now = oracle_calls::connections(o, nodes[from].self, nodes[to].self);
            const Connections then = log->second.when_said;
            if (now.heard == then.heard && now.said == then.said)
                count += log->second.said - log->second.heard;
        }
    return count;
}

Violation compare_runs(const Oracles &one, std::span<const Node> one_nodes, const Oracles &other,
                       std::span<const Node> other_nodes)
{
    for (size_t creator = 0; creator < one.ledger.objects.size(); ++creator)
        for (size_t serial = 0; serial < one.ledger.objects[creator].size(); ++serial) {
            const ObjectId object =
                object_id::make(static_cast<PeerId>(creator), static_cast<uint32_t>(serial));
            const ObjectRecord *a = ledger::find(one.ledger, object);
            const ObjectRecord *b = ledger::find(other.ledger, object);
            if (!a || !b || a->destroyed_by == PeerId::none || b->destroyed_by == PeerId::none)
                continue;
            for (const AtRest &rest : {at_rest(one, one_nodes), at_rest(other, other_nodes)})
                for (uint16_t index : rest.members)
                    if (!dead::contains(inspect::replica(rest.nodes[index].session).world.dead,
                                        object))
                        return violation("M1", object, index,
                                         "%s was destroyed in both runs, and is not dead at peer "
                                         "%s in one",
                                         names::text(object).c_str(),
                                         names::text(rest.nodes[index].self).c_str());
        }
    return {};
}

}
