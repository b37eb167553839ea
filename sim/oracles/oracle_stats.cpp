#include "sim/oracles/oracle_checks.h"
#include "sim/world/names.h"
#include "tern/diagnostics.hpp"
#include "tern/traffic.hpp"
#include <algorithm>

namespace tern::oracle_stats {

using names::text;

namespace {

// Connections to a peer that was at the same address before have ended by then.
constexpr uint64_t settled_us = 10'000'000;

bool is_data(const Datagram &datagram)
{
    return !datagram.bytes.empty() && datagram.bytes[0] == std::byte{4};
}

PairTraffic *traffic_with(NodeRecord &record, std::span<const Node> nodes, const Address &address)
{
    for (size_t i = 0; i < nodes.size(); ++i) {
        if (!(nodes[i].address == address)) continue;
        if (record.traffic.size() <= i) record.traffic.resize(nodes.size());
        return &record.traffic[i];
    }
    return nullptr;
}

Violation wrong(const Node &node, uint16_t index, PeerId peer, const char *what, uint64_t counted,
                uint64_t seen)
{
    return oracles::violation("I24", ObjectId::none, index,
                              "peer %s counts %llu %s with peer %s in a tick, not %llu",
                              text(node.self).c_str(), static_cast<unsigned long long>(counted),
                              what, text(peer).c_str(), static_cast<unsigned long long>(seen));
}

Violation compare(const PairTraffic &seen, const Stats &now, const Node &node, uint16_t index,
                  PeerId peer, bool copied)
{
    const Stats &last = seen.last;
    const uint64_t sent = now.sent_datagrams - last.sent_datagrams;
    const uint64_t sent_bytes = now.sent_bytes - last.sent_bytes;
    const uint64_t received = now.received_datagrams - last.received_datagrams;
    const uint64_t received_bytes = now.received_bytes - last.received_bytes;
    if (sent != seen.sent_datagrams)
        return wrong(node, index, peer, "sent datagrams", sent, seen.sent_datagrams);
    if (sent_bytes != seen.sent_bytes)
        return wrong(node, index, peer, "sent bytes", sent_bytes, seen.sent_bytes);
    if (copied) return {}; // A copy is received once.
    if (received != seen.received_datagrams)
        return wrong(node, index, peer, "received datagrams", received, seen.received_datagrams);
    if (received_bytes != seen.received_bytes)
        return wrong(node, index, peer, "received bytes", received_bytes, seen.received_bytes);
    return {};
}

bool is_long_ago(uint64_t us, uint64_t now_us)
{
    return us <= now_us && now_us - us >= settled_us;
}

// Whether the node has had no doubt about any path lately. A peer in doubt is looked for at an
// earlier address too, which may be another peer's by now.
bool is_undoubted(const NodeRecord &record, uint64_t now_us)
{
    return record.doubted_us == 0 || is_long_ago(record.doubted_us, now_us);
}

bool is_settled(const Oracles &o, std::span<const Node> nodes, size_t index)
{
    const uint64_t open_us = o.nodes[index].open_us;
    return open_us != 0 && is_long_ago(open_us, o.ledger.now_us) &&
           is_long_ago(nodes[index].troubled_us, o.ledger.now_us);
}

// Whether all datagrams between the two belong to one connection, which has one address.
bool are_settled(const Oracles &o, std::span<const Node> nodes, size_t one, size_t other)
{
    const PathHealth &there = (*o.paths)[one * nodes.size() + other];
    const PathHealth &back = (*o.paths)[other * nodes.size() + one];
    return is_settled(o, nodes, one) && is_settled(o, nodes, other) &&
           is_undoubted(o.nodes[one], o.ledger.now_us) &&
           is_undoubted(o.nodes[other], o.ledger.now_us) &&
           is_long_ago(there.troubled_us, o.ledger.now_us) &&
           is_long_ago(back.troubled_us, o.ledger.now_us) &&
           oracle_freshness::is_good(o, nodes, one, other);
}

Violation check_pair(Oracles &o, std::span<const Node> nodes, uint16_t index, size_t other)
{
    NodeRecord &record = o.nodes[index];
    const Node &node = nodes[index];
    PairTraffic &seen = record.traffic[other];
    const PeerId peer = nodes[other].self;
    const Stats now = peer_stats(node.session, peer);
    const uint64_t now_us = o.ledger.now_us;
    const bool goes_on = seen.peer == peer && now.sent_datagrams >= seen.last.sent_datagrams &&
                         now.received_datagrams >= seen.last.received_datagrams;
    const bool is_connected = now.received_datagrams != 0;
    if (now.bridged || !is_connected || !goes_on) record.indirect_us[peer] = node.ticked_us;
    Violation violation;
    if (goes_on && are_settled(o, nodes, index, other)) {
        const PathHealth &path = (*o.paths)[other * nodes.size() + index];
        const bool copied = path.copied_us != 0 && path.copied_us + settled_us > now_us;
        violation = compare(seen, now, node, index, peer, copied);
    }
    seen = {peer, 0, 0, 0, 0, now};
    return violation;
}

Violation wrong_total(const Node &node, uint16_t index, const char *what, uint64_t counted,
                      uint64_t seen)
{
    return oracles::violation("I24", ObjectId::none, index, "peer %s counts %llu %s, not %llu",
                              text(node.self).c_str(), static_cast<unsigned long long>(counted),
                              what, static_cast<unsigned long long>(seen));
}

}

void sent(NodeRecord &record, std::span<const Node> nodes, const Datagram &datagram)
{
    PairTraffic *traffic =
        is_data(datagram) ? traffic_with(record, nodes, datagram.address) : nullptr;
    if (!traffic) return;
    traffic->sent_datagrams += 1;
    traffic->sent_bytes += datagram.bytes.size();
}

void received(NodeRecord &record, std::span<const Node> nodes, const Datagram &datagram)
{
    PairTraffic *traffic =
        is_data(datagram) ? traffic_with(record, nodes, datagram.address) : nullptr;
    if (!traffic) return;
    traffic->received_datagrams += 1;
    traffic->received_bytes += datagram.bytes.size();
}

Violation check(Oracles &o, std::span<const Node> nodes, uint16_t index)
{
    NodeRecord &record = o.nodes[index];
    if (!nodes[index].session || record.open_us == 0) return {};
    if (record.traffic.size() < nodes.size()) record.traffic.resize(nodes.size());
    for (const PeerId peer : other_peers(nodes[index].session))
        if (inspect::in_doubt(nodes[index].session, peer) ||
            peer_stats(nodes[index].session, peer).bridged)
            record.doubted_us = o.ledger.now_us;
    for (size_t other = 0; other < nodes.size() && other < o.nodes.size(); ++other) {
        const PeerId peer = nodes[other].self;
        const std::vector<PeerId> &peers = record.mirror.peers;
        if (other == index || !nodes[other].session) continue;
        if (!std::binary_search(peers.begin(), peers.end(), peer)) continue;
        Violation violation = check_pair(o, nodes, index, other);
        if (violation) return violation;
    }
    return {};
}

Violation check_totals(const Mirror &mirror, const Node &node, uint16_t index)
{
    const SessionStats stats = session_stats(node.session);
    if (stats.objects != mirror.object_count)
        return wrong_total(node, index, "objects", stats.objects, mirror.object_count);
    uint64_t owned = 0;
    for (const KnownObject &object : node.slots)
        owned += object.life == Life::alive && object.owner == node.self;
    if (stats.owned != owned) return wrong_total(node, index, "own objects", stats.owned, owned);
    if (stats.migrations < mirror.owner_changes ||
        stats.migrations > mirror.owner_changes + mirror.creations)
        return wrong_total(node, index, "migrations", stats.migrations, mirror.owner_changes);
    const std::span<const TrafficRow> rows = traffic_rows(node.session);
    for (TypeId type = 0; type < session_config(node.session).types.size(); ++type) {
        int64_t bits = 0;
        for (const TrafficRow &row : rows)
            if (row.type == type) bits += row.bits;
        const TypeStats of_type = type_stats(node.session, type);
        if (of_type.sent_bits != static_cast<uint64_t>(bits))
            return wrong_total(node, index, "sent bits of a type", of_type.sent_bits,
                               static_cast<uint64_t>(bits));
    }
    return {};
}

}
