#include "sim/oracles/oracle_checks.h"
#include "sim/world/names.h"
#include <algorithm>

namespace tern::oracle_asks {

using names::text;

static Violation wrong(const PlayedAsk &ask, uint16_t index, const char *what)
{
    return oracles::violation("I16", ask.numbered.about, index,
                              "call %u of %s (kind %u, to %s): %s", ask.numbered.sequence,
                              text(ask.numbered.from).c_str(), static_cast<unsigned>(ask.ask),
                              text(ask.numbered.to).c_str(), what);
}

static AskRecord *find(AskLog &log, const Numbered &numbered)
{
    const uint32_t sequence = numbered.sequence;
    return sequence >= 1 && sequence <= log.said.size() ? &log.said[sequence - 1] : nullptr;
}

static bool is_for_owner(Ask ask)
{
    return ask == Ask::owner_call || ask == Ask::owner_request;
}

// True if the failure means for certain that nobody received the call.
static bool is_certain(CallFailure failure)
{
    return failure == CallFailure::dead || failure == CallFailure::unknown ||
           failure == CallFailure::not_allowed;
}

// In a star the host checks callers and rates when it relays a call. The owner or host may have
// changed before a client receives it, so only the host's receptions are checked.
static bool judges(const Node &node)
{
    const Replica &r = inspect::replica(node.session);
    return r.rules.topology == Topology::mesh || replica::relays(r);
}

static Violation check_addressee(const PlayedAsk &played, const Node &node, uint16_t index)
{
    const Numbered &n = played.numbered;
    if (!node.session || played.has_changed) return {};
    switch (played.ask) {
    case Ask::owner_call:
    case Ask::owner_request:
        return played.owner == node.self ? Violation{} : wrong(played, index, "heard by no owner");
    case Ask::host_call:
    case Ask::host_request:
        return played.host == node.self ? Violation{} : wrong(played, index, "heard by no host");
    case Ask::request:
        return n.to == node.self ? Violation{} : wrong(played, index, "heard by another");
    case Ask::by_owner:
        if (!judges(node) || played.owner == n.from) return {};
        return wrong(played, index, "its caller does not own it");
    case Ask::by_host:
        if (!judges(node) || played.host == n.from) return {};
        return wrong(played, index, "its caller is not the host");
    case Ask::limited: break;
    }
    return {};
}

// The receiver's limit is a bucket of ten seconds' worth of calls that refills at the rate, so
// within a second up to eleven times the rate may pass.
static Violation check_limit(AskLog &log, const PlayedAsk &played, const Node &node, uint16_t index)
{
    if (!judges(node)) return {};
    std::vector<uint64_t> &heard_us = log.limited_us[node.self];
    const uint64_t now_us = node.clock_us;
    std::erase_if(heard_us, [&](uint64_t at_us) { return at_us + 1'000'000 <= now_us; });
    heard_us.push_back(now_us);
    if (heard_us.size() <= 11 * limited_calls_per_second + 1) return {};
    return wrong(played, index, "heard more often in a second than eleven times its limit");
}

static Violation hear(Oracles &oracles, const PlayedAsk &played, const Node &node, uint16_t index)
{
    AskLog &log = oracles.asks[played.numbered.from];
    AskRecord *said = find(log, played.numbered);
    if (!said) return wrong(played, index, "heard and never said");
    if (played.peer != played.numbered.from)
        return wrong(played, index, "its event names another caller");
    const bool again =
        std::find(said->heard_by.begin(), said->heard_by.end(), node.self) != said->heard_by.end();
    const bool to_all = played.numbered.to == PeerId::everyone;
    if (again || (!to_all && !said->heard_by.empty())) return wrong(played, index, "heard twice");
    if (!to_all && is_certain(said->failure)) return wrong(played, index, "heard though it failed");
    said->heard_by.push_back(node.self);
    if (played.ask == Ask::limited) return check_limit(log, played, node, index);
    if (is_for_owner(played.ask)) {
        uint32_t &newest = log.newest_heard[played.numbered.about];
        if (played.numbered.sequence < newest && !said->is_over)
            return wrong(played, index, "heard after one that was said later");
        newest = std::max(newest, played.numbered.sequence);
    }
    return check_addressee(played, node, index);
}

static Violation take_reply(Oracles &oracles, const PlayedAsk &played, uint16_t index)
{
    AskRecord *said = find(oracles.asks[played.numbered.from], played.numbered);
    if (!said || said->id != played.id) return wrong(played, index, "replied to and never said");
    if (said->is_over) return wrong(played, index, "replied to, and over before");
    const auto &heard_by = said->heard_by;
    if (heard_by.empty()) return wrong(played, index, "replied to, and heard by nobody");
    if (std::find(heard_by.begin(), heard_by.end(), played.peer) == heard_by.end())
        return wrong(played, index, "its reply names a peer that has not heard it");
    said->is_over = true;
    return {};
}

static Violation take_failure(Oracles &oracles, const PlayedAsk &played, uint16_t index)
{
    AskLog &log = oracles.asks[played.numbered.from];
    if (played.numbered.sequence == 0)
        return {}; // A plain call. One to everyone may be refused by one and received by another.
    AskRecord *said = find(log, played.numbered);
    if (!said || said->is_over) return wrong(played, index, "failed, and was over before");
    said->is_over = true;
    said->failure = played.failure;
    if (is_certain(played.failure) && !said->heard_by.empty())
        return wrong(played, index, "failed for certain, and was heard");
    return {};
}

Violation check(Oracles &oracles, const Node &node, uint16_t index)
{
    for (const PlayedAsk &played : node.asks) {
        Violation violation;
        const Numbered &n = played.numbered;
        switch (played.what) {
        case PlayedAsk::What::said:
            oracles.asks[n.from].said.push_back(
                {played.ask, n.about, n.to, played.id, false, CallFailure::none, {}});
            break;
        case PlayedAsk::What::heard: violation = hear(oracles, played, node, index); break;
        case PlayedAsk::What::replied: violation = take_reply(oracles, played, index); break;
        case PlayedAsk::What::failed: violation = take_failure(oracles, played, index); break;
        }
        if (violation) return violation;
    }
    return {};
}

Violation check_at_rest(const Oracles &oracles, const AtRest &at_rest)
{
    for (uint16_t index : at_rest.members) {
        const auto log = oracles.asks.find(at_rest.nodes[index].self);
        if (log == oracles.asks.end()) continue;
        for (size_t i = 0; i < log->second.said.size(); ++i) {
            const AskRecord &said = log->second.said[i];
            const bool is_plain = said.ask >= Ask::by_owner;
            const bool is_call = said.ask == Ask::owner_call || said.ask == Ask::host_call;
            if (is_plain || said.is_over || (is_call && !said.heard_by.empty())) continue;
            return oracles::violation(
                "Q9", said.about, index,
                "call %zu of %s (kind %u) was neither heard nor has it failed", i + 1,
                text(at_rest.nodes[index].self).c_str(), static_cast<unsigned>(said.ask));
        }
    }
    return {};
}

}
