#include "sim/oracles/oracle_checks.h"
#include "sim/world/names.h"
#include <algorithm>

namespace tern::oracle_calls {

using names::text;

static Violation wrong(const Numbered &call, uint16_t index, const CallLog &log, const char *what)
{
    return oracles::violation(
        "I7", call.about, index, "%s call %u from %s to %s: %s (said up to %u, heard up to %u)",
        call.reliable ? "reliable" : "unreliable", call.sequence, text(call.from).c_str(),
        text(call.to).c_str(), what, log.said, log.heard);
}

// The sum over the connections with `other` and, in a star, with all peers that are or were the
// host: they relay calls.
static uint64_t sum(const Oracles &oracles, const std::map<PeerId, Links> &links, PeerId other,
                    uint64_t Links::*count)
{
    uint64_t sum = 0;
    for (const auto &[peer, with] : links)
        if (peer == other || oracles.relaying_hosts.contains(peer)) sum += with.*count;
    return sum;
}

Connections connections(const Oracles &oracles, PeerId from, PeerId to)
{
    Connections both = {};
    for (const NodeRecord &record : oracles.nodes) {
        if (record.self == from)
            both.said = record.host_changes + sum(oracles, record.own_links, to, &Links::count);
        if (record.self == to)
            both.heard = record.host_changes + sum(oracles, record.links, from, &Links::count);
    }
    return both;
}

// Whether the calls between the last one that was heard and this one may have been lost with a
// connection: the caller has said this one over another connection than that one, or the receiver
// has heard it over another.
static bool may_have_lost(const CallLog &log, const Numbered &call, const Connections &now)
{
    const uint64_t before = log.heard == 0 ? 1 : log.said_over[log.heard - 1];
    return now.heard > std::max<uint64_t>(log.when_heard.heard, 1) ||
           log.said_over[call.sequence - 1] > std::max<uint64_t>(before, 1);
}

static Violation hear(Oracles &oracles, const Numbered &call, PeerId by, uint16_t index)
{
    CallLog &log = oracles.calls[{call.from, by}];
    if (call.to != by && call.to != PeerId::everyone)
        return wrong(call, index, log, "heard by another");
    if (!call.reliable) {
        const bool again =
            oracles::set_bit(call.to == by ? log.unreliable : log.to_everyone, call.sequence);
        return again ? wrong(call, index, log, "heard twice") : Violation{};
    }
    if (call.sequence > log.said) return wrong(call, index, log, "heard and never said");
    if (call.sequence == log.heard) return wrong(call, index, log, "heard twice");
    if (call.sequence < log.heard) return wrong(call, index, log, "heard late or again");
    const Connections both = connections(oracles, call.from, by);
    if (call.sequence > log.heard + 1 && oracles.journals && !may_have_lost(log, call, both))
        return wrong(call, index, log, "those before it were left out");
    log.heard = call.sequence;
    const NodeRecord &record = oracles.nodes[index];
    log.when_heard = {record.host_changes_before +
                          sum(oracles, record.links, call.from, &Links::count_before),
                      both.said};
    return {};
}

Violation check(Oracles &oracles, const Node &node, uint16_t index)
{
    for (const PlayedCall &played : node.calls) {
        const Numbered &call = played.numbered;
        if (!played.heard) {
            if (call.reliable) {
                CallLog &log = oracles.calls[{call.from, call.to}];
                log.said = call.sequence;
                log.when_said = connections(oracles, call.from, call.to);
                log.said_over.resize(call.sequence, log.when_said.said);
            }
            continue;
        }
        if (played.caller != call.from)
            return wrong(call, index, oracles.calls[{call.from, node.self}],
                         "its event names another caller");
        Violation violation = hear(oracles, call, node.self, index);
        if (violation) return violation;
    }
    return {};
}

}
