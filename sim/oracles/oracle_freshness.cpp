#include "sim/oracles/oracle_checks.h"
#include "sim/world/names.h"
#include <algorithm>
#include <cmath>

namespace tern::oracle_freshness {

using names::text;

namespace {

// For so long the path must have been good, and everyone on it in the session.
constexpr uint64_t good_us = 2'000'000;
constexpr uint64_t round_trips_max = 2, ticks_max = 4;

bool is_long_ago(uint64_t us, uint64_t now_us)
{
    return us <= now_us && now_us - us >= good_us;
}

// The node at which a peer is in the session. SIZE_MAX: none.
size_t node_of(std::span<const Node> nodes, PeerId peer)
{
    for (size_t i = 0; i < nodes.size(); ++i)
        if (nodes[i].self == peer && nodes[i].session) return i;
    return SIZE_MAX;
}

bool is_settled(const Oracles &o, const Node &node, size_t index, uint64_t now_us)
{
    if (index >= o.nodes.size()) return false;
    const NodeRecord &record = o.nodes[index];
    return record.open_us != 0 && is_long_ago(record.open_us, now_us) &&
           is_long_ago(node.troubled_us, now_us);
}

bool knows(const NodeRecord &record, PeerId peer, uint64_t now_us)
{
    const Mirror &mirror = record.mirror;
    const auto since = mirror.since_us.find(peer);
    return since != mirror.since_us.end() && is_long_ago(since->second, now_us) &&
           std::binary_search(mirror.peers.begin(), mirror.peers.end(), peer);
}

// Whether the peer has a connection with the other one, and no relay carries what it sends.
bool is_direct(const NodeRecord &record, PeerId other, uint64_t now_us)
{
    const auto indirect = record.indirect_us.find(other);
    return indirect == record.indirect_us.end() || is_long_ago(indirect->second, now_us);
}

// The longest time from a change at `from` until `to` shows it. 0: there is no bound, because
// something has been wrong lately.
uint64_t hop_us(const Oracles &o, std::span<const Node> nodes, size_t from, size_t to,
                uint64_t now_us)
{
    if (!is_settled(o, nodes[from], from, now_us) || !is_settled(o, nodes[to], to, now_us))
        return 0;
    if (!knows(o.nodes[from], nodes[to].self, now_us)) return 0;
    if (!knows(o.nodes[to], nodes[from].self, now_us)) return 0;
    if (!is_direct(o.nodes[from], nodes[to].self, now_us)) return 0;
    if (!is_direct(o.nodes[to], nodes[from].self, now_us)) return 0;
    const PathHealth &there = (*o.paths)[from * nodes.size() + to];
    const PathHealth &back = (*o.paths)[to * nodes.size() + from];
    const uint64_t round_trips_us = round_trips_max * (there.latency_us + back.latency_us);
    const uint64_t troubled_us = std::max(there.troubled_us, back.troubled_us);
    if (!is_long_ago(troubled_us + round_trips_us, now_us)) return 0; // What was lost comes again.
    const uint64_t tick_us = std::max(nodes[from].period_us, nodes[to].period_us);
    return round_trips_us + ticks_max * tick_us;
}

// How much longer it takes because the sender's game has lowered the priority. UINT64_MAX: there is
// no bound, because the object is hidden or the priority has changed lately.
uint64_t waiting_us(const NodeRecord &sender, const Node &node, const KnownObject &object,
                    PeerId peer, uint64_t now_us)
{
    const auto found = sender.preferences.find({object.id, peer});
    if (found == sender.preferences.end() || found->second.stamp != object.stamp) return 0;
    const PreferenceRecord &set = found->second;
    if (set.priority <= 0 || !is_long_ago(set.us, now_us)) return UINT64_MAX;
    if (set.priority >= 1) return 0;
    return static_cast<uint64_t>(std::ceil(1 / set.priority)) * node.period_us;
}

// Whether the peer holds this tenure, and has for long enough.
bool holds(const NodeRecord &record, const KnownObject &object, uint64_t now_us)
{
    const Shown *shown = oracles::find_shown(record, object.id);
    return shown && shown->life == Life::alive && shown->stamp == object.stamp &&
           is_long_ago(shown->since_us, now_us);
}

// When the owner first had something newer than what the peer shows. 0: there is nothing newer.
uint64_t outdated_us(const Tenure &tenure, uint32_t sequence)
{
    if (tenure.newest <= sequence) return 0;
    const auto newer = std::upper_bound(
        tenure.writes.begin(), tenure.writes.end(), sequence,
        [](uint32_t shown, const OwnerWrite &write) { return shown < write.sequence; });
    return newer == tenure.writes.end() ? 0 : newer->us;
}

}

uint64_t bound_us(const Oracles &o, std::span<const Node> nodes, size_t index,
                  const KnownObject &object)
{
    const uint64_t now_us = o.ledger.now_us;
    const size_t owner = node_of(nodes, object.owner);
    if (owner == SIZE_MAX || owner >= o.nodes.size()) return 0;
    if (!holds(o.nodes[owner], object, now_us) || !holds(o.nodes[index], object, now_us)) return 0;
    const Mirror &mirror = o.nodes[index].mirror;
    const bool star = inspect::replica(nodes[index].session).rules.topology == Topology::star;
    size_t sender = owner;
    uint64_t first_us = 0;
    if (star) { // The host passes on what the owner sends it.
        sender = mirror.host == nodes[index].self ? owner : node_of(nodes, mirror.host);
        if (sender == SIZE_MAX || sender >= o.nodes.size()) return 0;
        for (const size_t on_path : {owner, sender, index}) {
            const Mirror &theirs = o.nodes[on_path].mirror;
            if (theirs.host != mirror.host || !is_long_ago(theirs.host_us, now_us)) return 0;
        }
        if (sender != owner) {
            first_us = hop_us(o, nodes, owner, sender, now_us);
            if (first_us == 0 || !holds(o.nodes[sender], object, now_us)) return 0;
        }
    }
    const uint64_t last_us = hop_us(o, nodes, sender, index, now_us);
    const uint64_t wait_us =
        waiting_us(o.nodes[sender], nodes[sender], object, nodes[index].self, now_us);
    if (last_us == 0 || wait_us == UINT64_MAX) return 0;
    return first_us + last_us + wait_us;
}

bool is_good(const Oracles &o, std::span<const Node> nodes, size_t one, size_t other)
{
    return hop_us(o, nodes, one, other, o.ledger.now_us) != 0;
}

Violation check(const Oracles &o, std::span<const Node> nodes, uint16_t index)
{
    const Node &node = nodes[index];
    const NodeRecord &record = o.nodes[index];
    if (!node.session || record.open_us == 0) return {};
    for (const KnownObject &object : node.slots) {
        if (object.life != Life::alive || object.owner == node.self || object.hidden) continue;
        const Shown *shown = oracles::find_shown(record, object.id);
        const ObjectRecord *known = ledger::find(o.ledger, object.id);
        const Tenure *tenure = known ? ledger::tenure(*known, object.stamp) : nullptr;
        if (!shown || !tenure || tenure->owner != object.owner) continue;
        const uint64_t since_us = outdated_us(*tenure, shown->sequence);
        if (since_us == 0) continue;
        const uint64_t age_us = o.ledger.now_us - since_us;
        if (age_us <= ticks_max * node.period_us) continue;
        const uint64_t most_us = bound_us(o, nodes, index, object);
        if (most_us == 0 || age_us <= most_us) continue;
        return oracles::violation(
            "I22", object.id, index,
            "peer %s shows write %u of %s, of tenure %s of %s, which has written %u; it is out of "
            "date for %llu us, of at most %llu",
            text(node.self).c_str(), shown->sequence, text(object.id).c_str(),
            text(object.stamp).c_str(), text(object.owner).c_str(), tenure->newest,
            static_cast<unsigned long long>(age_us), static_cast<unsigned long long>(most_us));
    }
    return {};
}

}
