#include "sim/explorer/explorer.h"
#include "sim/explorer/cluster_oracles.h"
#include <algorithm>
#include <cmath>

namespace tern::explorer {

static void push(Explorer &e, Explorer::Level &level, const ClusterState &s)
{
    const auto begin = s.parts.begin();
    level.parts.insert(level.parts.end(), begin, begin + cluster::part_count(e._cluster));
    level.keys.push_back(s.key);
}

static ClusterState state_at(const Explorer &e, uint64_t i)
{
    const uint32_t count = cluster::part_count(e._cluster);
    ClusterState s;
    std::copy_n(e._level.parts.begin() + static_cast<ptrdiff_t>(i * count), count, s.parts.begin());
    s.key = e._level.keys[i];
    return s;
}

static std::vector<Move> way_to(const Explorer &e, uint32_t state)
{
    std::vector<Move> moves;
    for (; state != 0; state = e._trail[state].parent)
        moves.push_back(e._trail[state].move);
    std::reverse(moves.begin(), moves.end());
    return moves;
}

static void break_off(Explorer &e, uint32_t parent, const Move &move, const Violation &violation)
{
    e._result.violation = violation;
    e._result.moves = way_to(e, parent);
    e._result.moves.push_back(move);
}

static void keep_edge(Explorer &e, uint32_t state)
{
    if (e._edges.size() < edges_kept_max) e._edges.push_back(state);
}

static void expand(Explorer &e)
{
    const ClusterState s = state_at(e, e._at);
    const auto index = static_cast<uint32_t>(e._result.expanded);
    e._first_edges.push_back(e._edges.size());
    cluster::moves(e._cluster, s, e._moves);
    bool stuck = true;
    for (const Move &move : e._moves) {
        ClusterState next = s;
        const uint32_t broken = cluster::make_move(e._cluster, next, move);
        stuck = stuck && next.key == s.key; // What finds no room yet stays where it is.
        e._result.edges += 1;
        if (next.key == s.key && broken == 0) continue;
        if (broken != 0) return break_off(e, index, move, cluster::violation(e._cluster, broken));
        const uint32_t known = hash_table::find(e._seen, next.key);
        if (known != 0) {
            keep_edge(e, known - 1);
            continue;
        }
        const Violation violation = cluster_oracles::first_violation(e._cluster, next);
        if (violation) return break_off(e, index, move, violation);
        TERN_ASSERT(e._trail.size() < UINT32_MAX - 1, "%zu states", e._trail.size());
        keep_edge(e, static_cast<uint32_t>(e._trail.size()));
        e._trail.push_back({index, move});
        hash_table::add(e._seen, next.key, static_cast<uint32_t>(e._trail.size()));
        push(e, e._next, next);
        e._result.quiet += cluster::quiet(e._cluster, next);
    }
    if (stuck) {
        e._result.violation = cluster_oracles::stuck(e._cluster, s);
        if (e._result.violation) e._result.moves = way_to(e, index);
    }
    e._result.expanded += 1;
}

static void next_level(Explorer &e)
{
    std::swap(e._level, e._next);
    e._next.parts.clear();
    e._next.keys.clear();
    e._at = 0;
    e._result.depth += 1;
}

Explorer make(const ExploreScope &scope)
{
    Explorer e = {};
    e._cluster = cluster::make(scope);
    const ClusterState s = cluster::first_state(e._cluster);
    e._trail.push_back({});
    hash_table::add(e._seen, s.key, 1);
    push(e, e._level, s);
    return e;
}

bool advance(Explorer &e, uint64_t states)
{
    for (; states > 0 && !e._result.violation; --states) {
        if (e._at == e._level.keys.size()) {
            e._result.exhausted = e._next.keys.empty();
            if (e._result.exhausted) break;
            next_level(e);
        }
        expand(e);
        e._at += 1;
    }
    e._result.states = e._trail.size();
    e._result.blocks = peer_steps::block_count(cluster::steps(e._cluster));
    e._result.steps = peer_steps::step_count(cluster::steps(e._cluster));
    return !e._result.exhausted && !e._result.violation;
}

const ExploreResult &result(const Explorer &e)
{
    return e._result;
}

static std::span<const uint32_t> edges_of(const Explorer &e, size_t state)
{
    if (state >= e._first_edges.size()) return {};
    const bool last = state + 1 == e._first_edges.size();
    const size_t end = last ? e._edges.size() : e._first_edges[state + 1];
    return std::span(e._edges).subspan(e._first_edges[state], end - e._first_edges[state]);
}

ExploredWays count_ways(const Explorer &e)
{
    if (e._edges.size() >= edges_kept_max) return {0, false};
    std::vector<uint32_t> unseen(e._trail.size()); // Edges to the state that are not added yet.
    for (const uint32_t state : e._edges)
        unseen[state] += 1;
    std::vector<double> ways(e._trail.size());
    std::vector<uint32_t> ready = {0};
    ways[0] = 1;
    double ended = 0;
    size_t visited = 0;
    while (!ready.empty()) {
        const uint32_t state = ready.back();
        ready.pop_back();
        visited += 1;
        const std::span<const uint32_t> edges = edges_of(e, state);
        if (edges.empty()) ended += ways[state];
        for (const uint32_t next : edges) {
            ways[next] += ways[state];
            unseen[next] -= 1;
            if (unseen[next] == 0) ready.push_back(next);
        }
    }
    TERN_ASSERT(visited == e._trail.size(), "%zu of %zu states: there is a way back", visited,
                e._trail.size());
    return {std::log10(ended), true};
}

}
