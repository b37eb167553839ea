#include "sim/names.h"
#include "sim/oracle_checks.h"
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

// How often the two have had a connection, as the hearer knows and as the sayer does: one of them
// may have taken a connection for open that the other never had. Of a sayer that has gone by now
// nothing is known.
struct Connections {
    uint64_t heard, said;
};

static Connections connections(Oracles &oracles, PeerId from, PeerId to, uint16_t hearer)
{
    Connections both = {oracles.nodes[hearer].links[from].count, 0};
    for (NodeRecord &record : oracles.nodes)
        if (record.self == from) both.said = record.own_links[to].count;
    return both;
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
    const Connections both = connections(oracles, call.from, by, index);
    if (call.sequence > log.heard + 1) {
        const bool is_new = both.heard > std::max<uint64_t>(log.heard_connection, 1) ||
                            both.said > std::max<uint64_t>(log.said_connection, 1);
        if (oracles.journals && !is_new)
            return wrong(call, index, log, "those before it were left out");
    }
    log.heard = call.sequence;
    log.heard_connection = both.heard;
    log.said_connection = both.said;
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
                log.newest_connection = oracles.nodes[index].own_links[call.to].count;
            }
            continue;
        }
        Violation violation = hear(oracles, call, node.self, index);
        if (violation) return violation;
    }
    return {};
}

}
