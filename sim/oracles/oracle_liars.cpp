#include "sim/oracles/oracle_checks.h"
#include "sim/world/names.h"

namespace tern::oracle_liars {

using names::text;

static bool is_honest(const Oracles &o, std::span<const Node> nodes, PeerId peer)
{
    for (uint16_t i = 0; i < nodes.size() && i < o.liars_first; ++i)
        if (nodes[i].session && nodes[i].self == peer) return true;
    return false;
}

static Violation wrong(const Node &node, uint16_t index, PeerId peer, const char *what)
{
    return oracles::violation("I28", ObjectId::none, index, "at peer %s the honest peer %s %s",
                              text(node.self).c_str(), text(peer).c_str(), what);
}

static Violation check_event(const Oracles &o, std::span<const Node> nodes, uint16_t index,
                             const Event &event)
{
    const Node &node = nodes[index];
    if (!is_honest(o, nodes, peer_of(event))) return {};
    if (event.kind == EventKind::misbehaved) {
        const BreachReport &report = event.misbehaved;
        const bool by_a_liar =
            report.reporter != PeerId::none && !is_honest(o, nodes, report.reporter);
        if (!by_a_liar) return wrong(node, index, report.peer, to_text(report.breach));
    }
    if (o.all_stay && event.kind == EventKind::peer_left)
        return wrong(node, index, event.peer, "is removed");
    if (o.all_stay && event.kind == EventKind::host_lost)
        return wrong(node, index, event.peer, "is lost as the host");
    return {};
}

// Each member may begin one more message when it has nearly cost the most.
static Violation check_work(const NodeRecord &record, const Node &node, uint16_t index)
{
    const Replica &r = inspect::replica(node.session);
    // While it joins, a peer wants the world soon.
    if (record.open_us == 0 || record.open_us == node.ticked_us) return {};
    const bool full = r.world.dead.count == r.world.dead.capacity;
    uint64_t range_ns = r.world.dead.count + 4 * uint64_t{r.world.slots.count};
    if (full) range_ns *= 8;
    const uint64_t each_ns = work_per_tick_max_ns + 100'000 + dead_ranges_max * range_ns;
    if (r.work_ns <= (record.members_before - 1) * each_ns) return {};
    return oracles::violation("I30", ObjectId::none, index,
                              "peer %s: the messages of %u members cost %llu us in a tick",
                              text(node.self).c_str(), record.members_before,
                              static_cast<unsigned long long>(r.work_ns / 1000));
}

Violation check(const Oracles &o, std::span<const Node> nodes, uint16_t index)
{
    const Node &node = nodes[index];
    if (!node.session) return {};
    const State state = session_state(node.session);
    const bool is_out = state == State::removed || state == State::refused_by_game;
    if (state == State::overflow || (is_out && o.all_stay))
        return wrong(node, index, node.self, state_text(node.session));
    if (const Violation found = check_work(o.nodes[index], node, index); found) return found;
    for (const Event &event : node.events)
        if (const Violation found = check_event(o, nodes, index, event); found) return found;
    return {};
}

}
