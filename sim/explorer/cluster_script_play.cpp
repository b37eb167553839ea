#include "sim/explorer/cluster_script_play.h"
#include "base/hash.h"
#include "sim/explorer/cluster_history.h"
#include "sim/explorer/cluster_oracles.h"
#include "sim/world/names.h"

namespace tern::cluster_script {

struct Player {
    Cluster cluster;
    ClusterState state;
    ClusterHistory history;
    PlayedScript played;
};

static void fail(Player &p, const ScriptLine &line, const std::string &why)
{
    p.played.line = line.number;
    p.played.failure = "line " + std::to_string(line.number) + ", `" + line.text + "`: " + why;
}

static void move(Player &p, const ScriptLine &line, const Move &move)
{
    if (!cluster::can(p.cluster, p.state, move))
        return fail(p, line, "`" + text(move) + "` cannot be done here");
    const uint32_t broken = cluster::make_move(p.cluster, p.state, move);
    cluster_history::add(p.history, p.cluster, p.state, move, text(move));
    p.played.moves += 1;
    p.played.digest = hash::add(p.played.digest, cluster::digest(p.cluster, p.state));
    p.played.violation = broken != 0 ? cluster::violation(p.cluster, broken)
                                     : cluster_oracles::first_violation(p.cluster, p.state);
    if (!p.played.violation) return;
    p.played.line = line.number;
    cluster_history::add(p.history, p.played.violation);
}

// The next move of a flow. False: nothing is left that can arrive.
static bool next_of_flow(const Player &p, const ScriptLine &line, Move &next)
{
    std::vector<Move> all;
    cluster::moves(p.cluster, p.state, all);
    const bool everything = line.move.a == line.move.b;
    for (const Move &candidate : all) {
        const bool arrives = candidate.kind == MoveKind::deliver ||
                             (everything && candidate.kind == MoveKind::update);
        const bool here = everything || (candidate.a == line.move.a && candidate.b == line.move.b);
        if (!arrives || !here) continue;
        next = candidate;
        return true;
    }
    return false;
}

static void flow(Player &p, const ScriptLine &line)
{
    Move next;
    while (p.played.ok() && next_of_flow(p, line, next))
        move(p, line, next);
}

// --- Expectations ---

static std::string believed_text(const Believed *object)
{
    if (object == nullptr) return "unknown";
    if (!object->alive) return "dead";
    return "alive, owner " + names::text(object->owner) + ", stamp " + names::text(object->stamp) +
           ", write " + std::to_string(mark::sequence(object->value));
}

static bool as_expected(const Expectation &e, const Believed *object)
{
    if (e.kind == ExpectKind::unknown) return object == nullptr;
    if (object == nullptr) return false;
    if (e.kind == ExpectKind::dead) return object->dead && !object->alive;
    if (!object->alive || (e.has_owner && object->owner != e.owner)) return false;
    if (e.has_stamp && stamps::parts(object->stamp).count != e.stamp) return false;
    return !e.has_write || mark::sequence(object->value) == e.write;
}

static void expect_at(Player &p, const ScriptLine &line, PeerPlace place)
{
    const Expectation &e = line.expectation;
    const PeerSteps &steps = cluster::steps(p.cluster);
    const uint32_t block = cluster::block(p.state, place);
    const std::string at = "at peer " + std::to_string(place + 1) + " ";
    if (!cluster::is_there(p.cluster, p.state, place)) return fail(p, line, at + "there is nobody");
    if (e.kind == ExpectKind::claims) {
        const uint32_t claims = peer_steps::glance(steps, block).claims;
        if (claims == e.count) return;
        return fail(p, line, at + std::to_string(claims) + " are unanswered");
    }
    const Believed *object = peer_steps::belief(steps, block, e.object);
    if (as_expected(e, object)) return;
    fail(p, line, at + "it is " + believed_text(object));
}

static void expect(Player &p, const ScriptLine &line)
{
    const Expectation &e = line.expectation;
    if (e.kind == ExpectKind::quiet) {
        if (!cluster::quiet(p.cluster, p.state)) fail(p, line, "something is still on its way");
        return;
    }
    const uint32_t places = cluster::place_count(p.cluster);
    for (PeerPlace place = 0; place < places && p.played.ok(); ++place) {
        const bool named = e.who != 255 && (e.who >> place & 1) != 0;
        const bool meant = e.who == 255 && cluster::is_member(p.cluster, p.state, place);
        if (named || meant) expect_at(p, line, place);
    }
}

PlayedScript play(const Script &script)
{
    Player p;
    ExploreScope scope = script.scope;
    scope.symmetry = false;
    p.cluster = cluster::make(scope);
    cluster::watch(p.cluster);
    p.state = cluster::first_state(p.cluster);
    p.history = cluster_history::begin(p.cluster, p.state, script.title);
    p.played.digest = hash::add(hash::start, cluster::digest(p.cluster, p.state));
    for (const ScriptLine &line : script.lines) {
        if (line.kind == LineKind::move) move(p, line, line.move);
        if (line.kind == LineKind::flow) flow(p, line);
        if (line.kind == LineKind::expect) expect(p, line);
        if (!p.played.ok()) break;
    }
    if (script.has_digest && p.played.digest != script.digest && p.played.failure.empty())
        p.played.failure = "the digest is another one than the script's";
    p.played.history = std::move(p.history.history);
    return p.played;
}

}
