// Plays moves from the input on three replicas and a newcomer, with streams in order and UPDATEs in
// any order. Uses the explorer's cluster and its invariants, in runs longer than it can search
// exhaustively.
#include "fuzz/support/input.h"
#include "fuzz/targets.h"
#include "sim/explorer/cluster_oracles.h"
#include <vector>

namespace tern::fuzz {

namespace {

constexpr size_t moves_max = 60;
constexpr size_t steps_kept_max = 200'000; // With more steps the cluster is made anew.

ExploreScope scope(bool mortal)
{
    ExploreScope scope;
    scope.peers = 3;
    scope.creates = 3;
    scope.claims = 4;
    scope.destroys = 2;
    scope.crashes = 1;
    scope.updates = 4;
    scope.joins = 1;
    scope.losses = 3;
    scope.waits = 2;
    scope.mortal = mortal;
    scope.symmetry = false;
    return scope;
}

struct Game {
    Cluster cluster;
    ClusterState first;
};

// The cluster is kept between inputs, with the steps it has played as a cache: the moves of an
// input lead to the same end whatever was played before.
Game &game(bool mortal)
{
    static Game games[2];
    static bool made[2];
    Game &g = games[mortal];
    if (!made[mortal] || peer_steps::step_count(cluster::steps(g.cluster)) > steps_kept_max) {
        g.cluster = cluster::make(scope(mortal));
        g.first = cluster::first_state(g.cluster);
        made[mortal] = true;
    }
    return g;
}

void check(const Violation &violation)
{
    TERN_ASSERT(!violation, "%s: %s", violation.invariant.c_str(), violation.text.c_str());
}

void play(Cluster &c, ClusterState &s, const Move &move)
{
    const uint32_t number = cluster::make_move(c, s, move);
    if (number != 0) check(cluster::violation(c, number));
    check(cluster_oracles::first_violation(c, s));
}

bool is_delivery(MoveKind kind)
{
    return kind == MoveKind::deliver || kind == MoveKind::update || kind == MoveKind::notice;
}

}

void fuzz_replica(std::span<const uint8_t> data)
{
    Input in = {data};
    Game &g = game(input::u8(in) % 2 == 1);
    ClusterState s = g.first;
    std::vector<Move> moves;
    for (size_t i = 0; i < moves_max && !input::empty(in); ++i) {
        cluster::moves(g.cluster, s, moves);
        if (moves.empty()) break;
        play(g.cluster, s, moves[input::u8(in) % moves.size()]);
    }
    // Delivers all messages in flight, in reverse order as far as possible; then nothing is left.
    for (;;) {
        cluster::moves(g.cluster, s, moves);
        size_t at = moves.size();
        for (size_t i = 0; i < moves.size(); ++i)
            if (is_delivery(moves[i].kind)) at = i;
        if (at == moves.size()) break;
        play(g.cluster, s, moves[at]);
    }
    TERN_ASSERT(cluster::quiet(g.cluster, s), "nothing can arrive, %zu moves are left",
                moves.size());
}

}
