#include "base/assert.h"
#include "sim/oracles/oracle_checks.h"
#include "sim/world/names.h"
#include "tern/diagnostics.hpp"
#include <algorithm>
#include <bit>

namespace tern::oracle_survival {

using names::text;

namespace {

constexpr uint64_t settled_us = 2'000'000;

Apart &apart(Survival &survival, size_t one, size_t other)
{
    return survival.apart[one * survival.peers.size() + other];
}

void resize(Survival &survival, size_t count)
{
    if (survival.peers.size() == count) return;
    survival.peers.assign(count, {});
    survival.apart.assign(count * count, {});
}

void begin(Survival &survival, size_t index, PeerId self, uint64_t now_us)
{
    survival.peers[index] = {self, Survivor::State::open};
    survival.opened_us[self] = now_us;
    for (size_t other = 0; other < survival.peers.size(); ++other)
        apart(survival, index, other) = apart(survival, other, index) = {now_us, false};
}

// The members of this peer's roster that have ever been in the session. Those that have said
// goodbye do not count.
std::vector<PeerId> counted(const Survival &survival, const Replica &r)
{
    std::vector<PeerId> counted;
    for (const Member &member : r.members.all())
        if (member.id != PeerId::none && !member.said_goodbye &&
            survival.opened_us.contains(member.id))
            counted.push_back(member.id);
    return counted;
}

// The nodes of these peers, but for those that have crashed or left.
std::vector<size_t> living(const Survival &survival, const std::vector<PeerId> &peers)
{
    std::vector<size_t> living;
    for (size_t i = 0; i < survival.peers.size(); ++i) {
        const Survivor &peer = survival.peers[i];
        const bool is_counted = std::find(peers.begin(), peers.end(), peer.self) != peers.end();
        if (is_counted && peer.state != Survivor::State::gone) living.push_back(i);
    }
    return living;
}

struct Group { // Some of the nodes, as bits.
    const std::vector<size_t> &nodes;
    uint32_t chosen;

    bool has(size_t i) const { return (chosen >> i & 1) != 0; }
    bool has(const Survival &survival, PeerId peer) const
    {
        for (size_t i = 0; i < nodes.size(); ++i)
            if (has(i) && survival.peers[nodes[i]].self == peer) return true;
        return false;
    }
};

// In a star the members hear the host only, and a group without it proves nothing. In a mesh there
// is no such hub.
bool hear_each_other(Survival &survival, const Group &group, PeerId hub)
{
    if (hub != PeerId::none && !group.has(survival, hub)) return false;
    for (size_t i = 0; i < group.nodes.size(); ++i)
        for (size_t k = 0; k < group.nodes.size(); ++k) {
            const auto is_hub = [&](size_t at) {
                return survival.peers[group.nodes[at]].self == hub;
            };
            if (i == k || !group.has(i) || !group.has(k)) continue;
            if (hub != PeerId::none && !is_hub(i) && !is_hub(k)) continue;
            if (apart(survival, group.nodes[i], group.nodes[k]).ever) return false;
        }
    return true;
}

bool is_any_open(const Survival &survival, const Group &group)
{
    for (size_t i = 0; i < group.nodes.size(); ++i)
        if (group.has(i) && survival.peers[group.nodes[i]].state == Survivor::State::open)
            return true;
    return false;
}

// When the first of the peers outside of the group crashed or was last heard in it.
uint64_t lost_us(Survival &survival, const std::vector<PeerId> &peers, const Group &group)
{
    uint64_t first_us = UINT64_MAX;
    for (const PeerId peer : peers) {
        if (group.has(survival, peer)) continue;
        const auto gone = survival.gone_us.find(peer);
        if (gone != survival.gone_us.end()) first_us = std::min(first_us, gone->second);
    }
    for (size_t i = 0; i < group.nodes.size(); ++i)
        for (size_t k = 0; k < group.nodes.size(); ++k)
            if (group.has(i) && !group.has(k))
                first_us =
                    std::min(first_us, apart(survival, group.nodes[i], group.nodes[k]).heard_us);
    return first_us;
}

// Whether each of the group was open some time before the others were lost: the host had the time
// to give it a vote, also over a path that loses datagrams for up to a timeout.
bool had_time(Survival &survival, const std::vector<PeerId> &peers, const Group &group,
              uint64_t timeout_us)
{
    const uint64_t first_us = lost_us(survival, peers, group);
    for (size_t i = 0; i < group.nodes.size(); ++i)
        if (group.has(i) &&
            survival.opened_us[survival.peers[group.nodes[i]].self] + settled_us + timeout_us >
                first_us)
            return false;
    return true;
}

// This peer has begun to wait, cut off.
Violation check_end(Survival &survival, const Node &node, uint16_t index)
{
    const Replica &r = inspect::replica(node.session);
    const std::vector<PeerId> peers = counted(survival, r);
    const PeerId hub = r.rules.topology == Topology::star ? r.view_host : PeerId::none;
    const uint64_t timeout_us = uint64_t{session_config(node.session).timeout_ms} * 1000;
    const std::vector<size_t> nodes = living(survival, peers);
    TERN_ASSERT(nodes.size() <= 16, "%zu nodes are too many to try all groups", nodes.size());
    for (uint32_t chosen = 1; chosen < 1u << nodes.size(); ++chosen) {
        const auto count = static_cast<size_t>(std::popcount(chosen));
        const Group group = {nodes, chosen};
        if (2 * count <= peers.size() || is_any_open(survival, group)) continue;
        if (!hear_each_other(survival, group, hub)) continue;
        if (!had_time(survival, peers, group, timeout_us)) continue;
        return oracles::violation("I25", ObjectId::none, index,
                                  "the session is lost with peer %s, though %zu of %zu members "
                                  "have always heard each other",
                                  text(node.self).c_str(), count, peers.size());
    }
    return {};
}

}

void received(Survival &survival, std::span<const Node> nodes, uint16_t index,
              const Datagram &datagram, uint64_t now_us)
{
    resize(survival, nodes.size());
    for (size_t other = 0; other < nodes.size(); ++other)
        if (nodes[other].address == datagram.address)
            apart(survival, index, other).heard_us = now_us;
}

void gone(Survival &survival, uint16_t index, uint64_t now_us)
{
    if (index >= survival.peers.size()) return;
    Survivor &peer = survival.peers[index];
    if (peer.state != Survivor::State::open) return;
    peer.state = Survivor::State::gone;
    survival.gone_us[peer.self] = now_us;
}

Violation check(Survival &survival, std::span<const Node> nodes, uint16_t index, uint64_t now_us)
{
    const Node &node = nodes[index];
    resize(survival, nodes.size());
    if (!node.session) return {};
    Survivor &self = survival.peers[index];
    const State state = session_state(node.session);
    if (state == State::open) {
        if (self.self != node.self) begin(survival, index, node.self, now_us);
        self.state = Survivor::State::open;
        const uint64_t silence_us_max = uint64_t{session_config(node.session).timeout_ms} * 500;
        for (size_t other = 0; other < nodes.size(); ++other) {
            Apart &pair = apart(survival, index, other);
            pair.ever = pair.ever || now_us - pair.heard_us > silence_us_max;
        }
        return {};
    }
    if (self.self != node.self || self.state != Survivor::State::open) return {};
    if (state != State::cut_off) {
        gone(survival, index, now_us);
        return {};
    }
    self.state = Survivor::State::lost;
    return check_end(survival, node, index);
}

}
